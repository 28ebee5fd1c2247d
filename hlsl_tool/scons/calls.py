"""Calls of `HlslShaders` and `HlslShader` in a run.

Two calls must not write the same files or share an output folder.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import SCons

import hlsl_tool
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.scons.model import Line

if TYPE_CHECKING:
    from types import FrameType

    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.plan_cache import Plan

Node = Any
"""SCons has no types."""


def calling_line() -> Line:
    """Return the SConscript line of the current call of the tool."""
    ours = tuple(os.path.dirname(os.path.abspath(str(module.__file__))) + os.sep for module in (SCons, hlsl_tool))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = os.path.abspath(frame.f_code.co_filename)
        if not name.startswith(ours):
            return name, frame.f_lineno
        frame = frame.f_back
    return "SConstruct", 1


@dataclass(slots=True)
class Call:
    """One call of `HlslShaders` in a SConscript: its configurations, their plan, its line, and the nodes it returns."""

    root: str
    names: list[str]
    plan: Plan
    folder: str
    """The output folder."""
    at: Line
    nodes: Any = None
    """The nodes that the call returns."""
    targets: dict[str, Job] = field(default_factory=dict)
    """Output in lower case → job; filled on first use."""


@dataclass(slots=True)
class Shader:
    """One call of `HlslShader` in a SConscript: the job that it declares, the SConscript line, the returned nodes."""

    job: Job
    at: Line
    nodes: list[Node]


class Calls:
    """All calls of `HlslShaders` and `HlslShader` in a run, in order."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.shaders: dict[str, Shader] = {}
        """Absolute path of an output in lower case → the call of `HlslShader` that writes it."""

    def add(self, root: str, names: list[str], plan: Plan) -> Call:
        """Register a call of `HlslShaders`; return it, or an earlier call that is equal.

        End SCons with an error if a different call writes to the same output folder.
        """
        folder = os.path.normpath(os.path.join(root, plan.output_dir))
        call = Call(root, names, plan, folder, calling_line())
        for other in self.calls:
            if (other.root, other.names, other.plan.key) == (root, names, plan.key):
                return other
            if os.path.normcase(other.folder) == os.path.normcase(folder):
                _report_folder(call, other)
        self.calls.append(call)
        return call

    def options(self) -> list[list[str]]:
        """Return the command-line options of `hlsl_tool` that are equivalent to each call."""
        return [
            ["--root", call.root, *(word for name in call.names for word in ("--config", name)), *call.plan.arguments]
            for call in self.calls
        ]

    def check(self, call: Call) -> None:
        """End SCons with an error if an earlier call writes one of the outputs of ``call``."""
        above = [other for other in self.calls if other is not call and _are_nested(call.folder, other.folder)]
        own = [path for path in self.shaders if _is_below(path, call.folder)]
        if not above and not own:
            return
        targets = _targets(call)
        for path in own:
            if path in targets:
                _report_target(targets[path].main_target, call.at, self.shaders[path].at)
        for other in above:
            for path in _targets(other).keys() & targets.keys():
                _report_target(targets[path].main_target, call.at, other.at)

    def shader(self, root: str, job: Job, at: Line) -> list[Node] | None:
        """Return the nodes of an equal earlier call of `HlslShader`, or `None`.

        End SCons with an error if a different shader writes one of the job's outputs.
        """
        for target in job.targets.values():
            path = _folded(root, target)
            before = self.shaders.get(path)
            if before is not None:
                if (before.job.signature_lines(), before.job.targets) != (job.signature_lines(), job.targets):
                    _report_target(target, at, before.at)
                return before.nodes
            for call in self.calls:
                if _is_below(path, call.folder) and path in _targets(call):
                    _report_target(target, at, call.at)
        return None

    def add_shader(self, root: str, job: Job, at: Line, nodes: list[Node]) -> None:
        """Register a call of `HlslShader` by its outputs."""
        shader = Shader(job, at, nodes)
        self.shaders.update((_folded(root, target), shader) for target in job.targets.values())


def _folded(root: str, target: str) -> str:
    return os.path.normpath(os.path.join(root, target)).lower()


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.lower().rstrip(os.sep) + os.sep)


def _are_nested(a: str, b: str) -> bool:
    return _is_below(a.lower(), b) or _is_below(b.lower(), a)


def _targets(call: Call) -> dict[str, Job]:
    if not call.targets:
        call.targets = {_folded(call.root, path): job for job in call.plan.jobs for path in job.targets.values()}
    return call.targets


def _report_folder(call: Call, other: Call) -> None:
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.diagnostics.catalogue import config as codes
    from hlsl_tool.scons.arguments import inside, location, report

    sink = Sink(error_limit=0)
    note = sink.note(codes.SAME_FOLDER_NOTE, location(other.at))
    hint = "name all configurations in one call: `HlslShaders(['one', 'other'])`; or give one of them an `output_dir`"
    sink.error(codes.SAME_FOLDER, location(call.at), notes=[note], hint=hint, folder=inside(call.folder, call.root))
    report(sink)


def _report_target(target: str, at: Line, before: Line) -> None:
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.diagnostics.catalogue import config as codes
    from hlsl_tool.scons.arguments import location, report

    sink = Sink(error_limit=0)
    note = sink.note(codes.SAME_OUTPUT_NOTE, location(before))
    sink.error(codes.SAME_OUTPUT, location(at), notes=[note], path=target)
    report(sink)
