"""Targets: a shader with the options with which a file is analysed."""

from __future__ import annotations

import os
import re
import shlex

from hlsl_tool.base.options.checks import OptionError, modern_profile
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.base.system.paths import absolute
from hlsl_tool.project.build.job import Job

LIBRARY = "lib_6_8"
"""The profile of files that no configuration names: all functions are analysed, none has to be an entry point."""

_COMMENT = re.compile(r"\s*//\s*hlsl_tool:\s*(.*?)\s*$")
_COMMENT_LINES = 20
"""Number of first lines in which the comment with options is looked for."""


@dataclass(slots=True, frozen=True)
class Target:
    """A source and the compile options with which it is analysed: one permutation of a shader."""

    name: str
    """A unique name: that of the job, or the path of a file without a configuration."""
    source: str
    """The absolute path of the source."""
    shown: str
    """The name of the source in diagnostics."""
    options: CompileOptions
    label: str
    """The entry point and the macros of the permutation, for menus."""
    is_configured: bool = True
    problem: str = ""
    """The reason why the options of the comment or the setting are not used; empty if they are valid."""
    line: int = 0
    """The line of the comment, from 0."""


def target_of(job: Job, root: str) -> Target:
    """Convert a job to a target: absolute source, options, and a label with entry point, profile and macros."""
    macros = " ".join(f"{name}={value}" for name, value in job.permutation)
    profile = modern_profile(job.options.profile)
    label = f"{job.options.entry} {profile}" + (f" {macros}" if macros else "")
    path = absolute(job.source, root)
    return Target(job.name, path, job.source, replace(job.options, profile=profile), label)


def free_target(path: str, text: str, root: str, arguments: tuple[str, ...] = ()) -> Target:
    """Return the target of a file that no configuration names: a library, unless its options give a profile.

    The options come from the setting ``arguments`` and from a comment ``// hlsl_tool: -T ps_6_0 -E main`` in the first
    lines of the file.
    """
    shown = os.path.relpath(path, root) if path.startswith(root + os.sep) else path
    line, written = _comment(text)
    problem = ""
    try:
        options = _options([*arguments, *shlex.split(written)])
    except (OptionError, ValueError) as error:
        options, problem = CompileOptions(), f"the options for the language server are not used: {error}"
    if not options.profile:
        options = replace(options, profile=LIBRARY, entry="")
    label = f"{options.entry} {options.profile}".strip()
    return Target(path, path, shown.replace(os.sep, "/"), options, label, False, problem, line)


def _comment(text: str) -> tuple[int, str]:
    """Return the 0-based line and the options of a comment ``// hlsl_tool: …``; (0, "") if there is none.

    Only the first lines of the file are searched.
    """
    for line, words in enumerate(text.split("\n", _COMMENT_LINES)[:_COMMENT_LINES]):
        match = _COMMENT.match(words)
        if match is not None:
            return line, match.group(1)
    return 0, ""


def _options(words: list[str]) -> CompileOptions:
    """Parse the options of a command line; raise `OptionError` for an invalid one."""
    if not words:
        return CompileOptions()
    options = parse([*words, "shader.hlsl"]).options
    return replace(options, profile=modern_profile(options.profile)) if options.profile else options
