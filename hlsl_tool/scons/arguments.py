"""Convert the arguments of SConscript calls to YAML nodes, and report diagnostics at their lines.

The reader of configurations then checks both in the same way.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from collections.abc import Mapping as AnyMapping
from typing import Any

import SCons.Node.FS
import SCons.Script

from hlsl_tool.base.diagnostics import Diagnostic, Location, Sink
from hlsl_tool.base.diagnostics.catalogue import config as config_codes
from hlsl_tool.base.diagnostics.visible import write_text
from hlsl_tool.base.system.paths import relative
from hlsl_tool.project.build.ui.diagnostics import WHOLE_FORMS, render_messages
from hlsl_tool.project.config.discovery import sources
from hlsl_tool.project.config.yaml.nodes import Mapping, Scalar, Sequence
from hlsl_tool.project.config.yaml.nodes import Node as Tree
from hlsl_tool.scons.generated_files import made_below
from hlsl_tool.scons.model import Line, Unmade
from hlsl_tool.scons.switches import BadArgument, message_form

FOR_DOCUMENT: list[Diagnostic] = []
"""Diagnostics of configurations and SConscripts that become part of the document which the run writes at its end."""


def inside(folder: str, base: str) -> str:
    """Return ``folder`` relative to the root ``base``, so that signatures do not depend on the project's location."""
    return relative(folder, base)


def listed(value: Any) -> list[Any]:
    """Return a list or tuple as a list, and any other value as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def location(line: Line) -> Location:
    """Convert a line of a SConscript to a source location for diagnostics."""
    name, number = line
    top = SCons.Node.FS.get_default_fs().Top.get_abspath()
    return Location(inside(os.path.abspath(name), top), number, 1, 2, linecache.getline(name, number).rstrip())


def tree(value: Any, at: Location) -> Tree:
    """Convert Python values to YAML nodes, so that the reader of configurations can check them."""
    if isinstance(value, AnyMapping):
        return Mapping([(Scalar(str(name), True, at), tree(item, at)) for name, item in value.items()], at)
    if isinstance(value, (list, tuple)):
        return Sequence([tree(item, at) for item in value], at)
    if value is None:
        return Scalar("", True, at)
    if isinstance(value, bool):
        return Scalar("true" if value else "false", True, at)
    return Scalar(str(value), not isinstance(value, str) or value in ("true", "false", "required", "all"), at)


def report(sink: Sink) -> None:
    """Write diagnostics of a configuration; after errors, end SCons with status 2, without a traceback."""
    show(sink)
    if sink.error_count:
        SCons.Script.Exit(2)


def show(sink: Sink) -> None:
    """Write diagnostics of a configuration to the standard error, or add them to the document of the run."""
    if sink.diagnostics:
        try:
            form = message_form()
        except BadArgument:  # which is among the diagnostics
            form = "text"
        if form in WHOLE_FORMS:
            FOR_DOCUMENT.extend(sink.diagnostics)
            return
        write_text(sys.stderr, render_messages(sink.diagnostics, form, color=sys.stderr.isatty()))
        sys.stderr.flush()


def report_ninja() -> None:
    """End SCons with an error, because SCons's tool `ninja` is active: it ignores headers and options of shaders."""
    sink = Sink(error_limit=0)
    hint = "build shaders without the tool, or have `hlsl_tool generate ninja` write rules for them"
    sink.error(config_codes.NINJA_TOOL, None, hint=hint)
    report(sink)


def check_generated(
    unmade: list[Unmade], patterns: list[tuple[str, list[Any]]], is_derived: Callable[[str, str], bool]
) -> None:
    """Report missing sources that no builder makes.

    End SCons if a generated source was declared too late for a pattern.  Called after SCons has read all SConscripts.
    ``is_derived(root, name)`` returns whether a builder makes a file.  A missing source only fails its own shaders:
    SCons reports that when it builds them.
    """
    sink = Sink(error_limit=0)
    for base, name, place, hint in unmade:
        if not (os.path.isfile(os.path.join(base, name)) or is_derived(base, name)):
            sink.error(config_codes.MISSING_SOURCE, place, hint=hint, path=name)
    show(sink)
    sink = Sink(error_limit=0)
    for base, (folder, pattern, matches) in patterns:
        late = set(sources(base, folder, pattern, made_below(base))).difference(matches)
        for name in sorted(late):
            hint = "put its builder above `HlslShaders`, or name the source without a pattern"
            sink.error(config_codes.LATE_SOURCE, None, hint=hint, pattern=pattern, path=f"{folder}/{name}")
    report(sink)
