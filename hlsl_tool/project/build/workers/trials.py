"""Compile shaders with other texts than those of their files, to see what a change would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, OverlayFileSystem
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers.worker import Compiler


def trial_of(root: str, jobs: Sequence[Job]) -> Callable[[Mapping[str, str]], list[Diagnostic]]:
    """Return a function that compiles ``jobs`` of the project at ``root`` without writing outputs.

    It takes texts (name of a file → text) that replace files, and returns the diagnostics.
    """
    compiler = Compiler(root)
    disk = OSFileSystem(root)

    def compile_all(texts: Mapping[str, str]) -> list[Diagnostic]:
        fs = CachedFileSystem(OverlayFileSystem(disk, {file: text.encode() for file, text in texts.items()}))
        return with_deep_stack(lambda: [d for job in jobs for d in compiler.run(job, fs).diagnostics])

    return compile_all
