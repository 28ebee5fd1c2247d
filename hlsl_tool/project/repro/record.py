"""Record a compilation: run it, and keep all that it read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hlsl_tool.base.options.checks import modern_profile
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import CachedFileSystem, FileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.source.recording import Recorder
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.repro.archive import pack
from hlsl_tool.project.repro.bundle import Bundle, new_bundle


def make_repro(
    source: SourceFile | str | bytes,
    *,
    entry: str = "main",
    profile: str,
    options: CompileOptions | None = None,
    fs: FileSystem | None = None,
    name: str = "shader.hlsl",
) -> bytes:
    """Compile one shader, and return an archive with everything that the compilation read.

    The arguments are those of ``compile_shader``.  Errors of the shader, and of the compiler, are reproduced by the
    archive; an invalid option raises ``ValueError``.
    """
    options = replace(options or CompileOptions(), entry=entry, profile=profile)
    files = fs or CachedFileSystem(OSFileSystem())
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes):
        source = SourceFile.from_bytes(name, files.resolve(name), source)
    return pack(record_command(source, options, files))


def record_command(
    source: SourceFile, options: CompileOptions, fs: FileSystem, warnings: tuple[str, ...] = ()
) -> Bundle:
    """Return the bundle of a compilation of ``source``; relative names start at the folder of ``fs``."""
    from hlsl_tool.compiler.compile import compile_shader  # start-up time
    from hlsl_tool.compiler.library_checks import check_options

    check_options(options)
    recorder = Recorder(fs, fs.resolve(""))
    profile = modern_profile(options.profile)
    _try(lambda: compile_shader(source, entry=options.entry, profile=profile, options=options, fs=recorder))
    return new_bundle(
        source.name,
        source.path,
        source.data,
        options,
        recorder.recording,
        recorder.contents,
        warnings=warnings,
    )


def record_job(root: str, job: Job) -> Bundle | None:
    """Return the bundle of a shader of a configuration; ``None`` if its source cannot be read."""
    from hlsl_tool.project.build.outputs.render import compile_job, disk  # start-up time

    recorder = Recorder(disk(root), root)
    path = recorder.resolve(job.source)
    data = recorder.read(path)
    if data is None:
        return None
    job = replace(job, targets={"spv": f"{job.name}.spv", **job.targets})
    _try(lambda: compile_job(job, root, recorder, None))
    return new_bundle(job.source, path, data, job.options, recorder.recording, recorder.contents, job=job)


def _try(compilation: Callable[[], object]) -> None:
    """Run a compilation for the files that it reads; ignore a bug of the compiler, which the archive will show."""
    with suppress(Exception):
        compilation()
