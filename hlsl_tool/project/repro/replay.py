"""Run the compilation in an archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.checks import modern_profile
from hlsl_tool.base.source import SourceFile
from hlsl_tool.project.repro.archive import unpack
from hlsl_tool.project.repro.bundle import Bundle, versions_here

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.project.build.outputs.render import JobResult


def run_repro(data: bytes, name: str = "archive") -> CompileResult:
    """Run the compilation in an archive of ``make_repro`` or ``hlsl_tool repro``, and return its result.

    The diagnostics name the files as the recorded compilation did.  Raises ``BadArchive`` for other data, whose message
    calls it ``name``; no file is read or written.
    """
    from hlsl_tool.compiler.compile import compile_shader  # start-up time

    bundle = unpack(data, name)
    options = bundle.options
    return compile_shader(
        source_of(bundle),
        entry=options.entry,
        profile=modern_profile(options.profile),
        options=options,
        fs=bundle.file_system(),
    )


def source_of(bundle: Bundle) -> SourceFile:
    """Return the source of a bundle, under the name that the user gave it."""
    return SourceFile.from_bytes(bundle.source, bundle.path, bundle.contents[bundle.text])


def run_job(bundle: Bundle) -> tuple[JobResult, list[str]]:
    """Return the result of a bundle that has a job, as a build has it, and the files that the archive lacks."""
    from hlsl_tool.project.build.workers.worker import Compiler  # start-up time

    assert bundle.job is not None
    files = bundle.file_system()
    result = Compiler(bundle.recording.root).run(bundle.job, files)
    return result, files.unknown


def warnings_about(bundle: Bundle, unknown: Sequence[str]) -> list[Diagnostic]:
    """Return warnings about all that makes the result differ from the recorded one: other tools, files not recorded."""
    sink = Sink()
    difference = bundle.versions.difference(versions_here(bundle.job))
    if difference:
        sink.warning(codes.REPRO_TOOLS, None, difference=difference)
    for file in sorted(set(unknown)):
        sink.warning(codes.REPRO_LACKS, None, file=file)
    return sink.diagnostics
