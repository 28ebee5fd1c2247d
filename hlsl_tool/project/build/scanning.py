"""Compute the dependency trace of a job without compiling it, by running only the preprocessor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.source import FileSystem, SourceFile
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import trace_files

if TYPE_CHECKING:
    from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory


def scan_job(job: Job, root: str, fs: FileSystem, memory: PreprocessorMemory) -> tuple[dict[str, str], list[str]]:
    """Return the dependency trace (file → digest, missing paths); the source is one of the files.

    Errors in the source are ignored: the compiler reports them.
    """
    # Imported here: a build with nothing to do has the traces in its records.
    from hlsl_tool.compiler.linking.libraries import all_dependencies

    path = fs.resolve(job.source)
    data = fs.read(path)
    if data is None:
        return {}, []
    source = SourceFile.from_bytes(job.source, path, data)
    return trace_files(all_dependencies(source, job.options, fs, memory), root)
