"""The settings of one SCons run: `NAME=value` on its command line, and SCons's own options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import SCons.Errors
import SCons.Script

from hlsl_tool.project.build.ui.diagnostics import FORMS
from hlsl_tool.project.config.trust import is_on

if TYPE_CHECKING:
    from hlsl_tool.project.build.store.choice import StoreOptions
    from hlsl_tool.project.config.permutation import Project

VARIABLES = (
    "allow_outside", "diagnostics", "diagnostics_output", "executor", "prune", "scons_nodes", "server", "store",
    "verify_cache",
)  # fmt: skip
"""Names that the command line may set; SCons takes a target such as `a.SHADOWS=1.spv` for a variable, too."""


class BadArgument(SCons.Errors.UserError):  # type: ignore[misc]  # SCons has no types
    """Raised for an invalid value on the command line."""


def message_form() -> str:
    """Return the format of diagnostics: `scons shaders diagnostics=sarif`."""
    form = str(SCons.Script.ARGUMENTS.get("diagnostics", "text"))
    if form not in FORMS:
        raise BadArgument(f"diagnostics={form}: it is one of {', '.join(FORMS)}")
    return form


def document_name() -> str:
    """Return the file for a json or sarif document, from the top folder: `scons diagnostics_output=FILE`; or ""."""
    return str(SCons.Script.ARGUMENTS.get("diagnostics_output", ""))


def store_of(project: Project) -> StoreOptions:
    """Return the store: `scons store=none`, `store="/mnt/store http://cache:8080"`, or that of the configuration."""
    from hlsl_tool.project.build.store.choice import BadStore, project_store

    given = str(SCons.Script.ARGUMENTS.get("store", "")).split()
    try:
        return project_store(project, given)
    except BadStore as error:
        raise BadArgument(f"store: {error}") from None


def verified_share() -> float:
    """Return the share (0 to 1) of stored results that are compiled again and compared; `verify_cache=5` is 0.05."""
    text = str(SCons.Script.ARGUMENTS.get("verify_cache", "0"))
    try:
        return float(text) / 100
    except ValueError:
        raise BadArgument(f"verify_cache={text}: it is a number of percent") from None


def executor_address(project: Project) -> str:
    """Return the address of the executor: `scons executor=dask://host:8786`, or that of the configuration."""
    from hlsl_tool.project.build.workers.addresses import checked_address

    try:
        return checked_address(str(SCons.Script.ARGUMENTS.get("executor", project.executor)))
    except ValueError as error:
        raise BadArgument(f"executor={error}") from None


def uses_server() -> bool:
    """Return whether the compile server may be used: `scons server=no` turns it off."""
    choice = str(SCons.Script.ARGUMENTS.get("server", "yes"))
    if choice not in ("yes", "no"):
        raise BadArgument(f"server={choice}: it is yes or no")
    return choice == "yes"


def prunes() -> bool:
    """Return whether stale outputs are removed: `scons prune=1`."""
    return is_on(str(SCons.Script.ARGUMENTS.get("prune", ""))) and not SCons.Script.GetOption("question")


def explains() -> bool:
    """Return whether the reasons of each build are printed: `scons --debug=explain`."""
    return "explain" in (SCons.Script.GetOption("debug") or ())


def keeps_going() -> bool:
    """Return whether a build continues after a failure: `scons -k`."""
    return bool(SCons.Script.GetOption("keep_going"))


def job_count() -> int:
    """Return the number of parallel jobs: `scons -j8`."""
    return int(SCons.Script.GetOption("num_jobs"))
