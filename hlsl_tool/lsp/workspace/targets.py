"""Targets: the shader and the options under which a file is analysed."""

from __future__ import annotations

import os
import re
import shlex

from hlsl_tool.build.job import Job
from hlsl_tool.options.checks import OptionError, modern_profile
from hlsl_tool.options.command_line import parse
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.system.dataclass import dataclass, replace

LIBRARY = "lib_6_8"
"""The profile of files that no configuration names: all functions are analysed, none has to be an entry point."""

_COMMENT = re.compile(r"^\s*//\s*hlsl_tool:\s*(.*?)\s*$", re.MULTILINE)
_COMMENT_LINES = 20
"""Number of first lines in which the comment with options is looked for."""


@dataclass(slots=True, frozen=True)
class Target:
    """One way to compile a source."""

    name: str
    """Unique; that of the job, or the path of a file without a configuration."""
    source: str
    """The absolute path."""
    shown: str
    """The name of the source in diagnostics."""
    options: CompileOptions
    label: str
    """The entry point and the macros of the permutation, for menus."""
    is_configured: bool = True


def target_of(job: Job, root: str) -> Target:
    """Return the target of a job of the configuration."""
    macros = " ".join(f"{name}={value}" for name, value in job.permutation)
    profile = modern_profile(job.options.profile)
    label = f"{job.options.entry} {profile}" + (f" {macros}" if macros else "")
    path = os.path.normpath(os.path.join(root, job.source))
    return Target(job.name, path, job.source, replace(job.options, profile=profile), label)


def free_target(path: str, text: str, root: str, arguments: tuple[str, ...] = ()) -> Target:
    """Return the target of a file that no configuration names: a library, unless options give a profile.

    Options come from the setting ``arguments`` and from a comment ``// hlsl_tool: -T ps_6_0 -E main`` in its first
    lines.
    """
    shown = os.path.relpath(path, root) if path.startswith(root + os.sep) else path
    options = _options([*arguments, *_comment(text)])
    if not options.profile:
        options = replace(options, profile=LIBRARY, entry="")
    label = f"{options.entry} {options.profile}".strip()
    return Target(path, path, shown.replace(os.sep, "/"), options, label, False)


def _comment(text: str) -> list[str]:
    head = "\n".join(text.split("\n", _COMMENT_LINES)[:_COMMENT_LINES])
    match = _COMMENT.search(head)
    if match is None:
        return []
    try:
        return shlex.split(match.group(1))
    except ValueError:
        return []


def _options(words: list[str]) -> CompileOptions:
    """Return the options of a command line; an invalid one counts as empty."""
    if not words:
        return CompileOptions()
    try:
        options = parse([*words, "shader.hlsl"]).options
    except OptionError:
        return CompileOptions()
    return replace(options, profile=modern_profile(options.profile)) if options.profile else options
