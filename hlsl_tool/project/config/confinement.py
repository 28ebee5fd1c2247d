"""Confine configurations to their project.

A configuration may name files below the project's root, but no programs and no schedulers, unless the user allows it.
"""

from __future__ import annotations

import os
from types import ModuleType

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.project.config.layers import Setting
from hlsl_tool.project.config.parameters import CALLER
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.trust import VARIABLE, outside_is_allowed

HINT = f"if you trust the project, give `--allow-outside`, `scons allow_outside=1` or {VARIABLE}=1"


def check_output_dir(root: str, setting: Setting, sink: Sink) -> None:
    """Report an output folder that is not below the root."""
    if setting.at not in (None, CALLER) and not outside_is_allowed() and leaves(root, str(setting.value)):
        sink.error(codes.OUTPUT_OUTSIDE, setting.at, hint=HINT, path=setting.value)


def check_executor(setting: Setting, sink: Sink) -> None:
    """Report a scheduler in a configuration: its protocol lets both sides run code on the other."""
    if setting.at is not None and not outside_is_allowed() and setting.value != "local":
        sink.error(codes.EXECUTOR_NAMED, setting.at, hint=HINT, address=setting.value)


def check_confinement(project: Project, sink: Sink) -> None:
    """Report SPIRV-Tools programs that a configuration names, and outputs outside of the output folder."""
    seen: set[tuple[str, int, int]] = set()
    for permutation in project.permutations:
        tools = permutation.layer.settings.get("spirv_tools")
        if tools is None or tools.at is None or outside_is_allowed():
            continue
        place = (tools.at.file, tools.at.line, tools.at.col)
        if place not in seen:
            seen.add(place)
            sink.error(codes.TOOLS_NAMED, tools.at, hint=HINT, path=tools.value)
    for permutation in project.permutations:
        for name in (permutation.name, *permutation.files.values()):
            _check_name(name, permutation.at, sink)
    for pipeline in project.pipelines:
        _check_name(pipeline.name, pipeline.at, sink)


def _check_name(name: str, at: Location, sink: Sink) -> None:
    if ".." in name.replace("\\", "/").split("/") or leaves(os.sep + "output", name):
        sink.error(codes.NAME_OUTSIDE, at, name=name)


def leaves(folder: str, path: str, *, module: ModuleType = os.path) -> bool:
    """Return whether a path, relative to ``folder``, leads out of that folder."""
    top = module.abspath(folder).rstrip(module.sep) + module.sep
    full = module.normpath(module.join(top, path)) + module.sep
    return not module.normcase(full).startswith(module.normcase(top))
