"""``compile_shader``: HLSL in, SPIR-V out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.system.collection import paused_collection
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.library_checks import check_options
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.compiler.stages import Compilation

if TYPE_CHECKING:
    from hlsl_tool.base.source import FileSystem
    from hlsl_tool.compiler.reuse import Results


def compile_shader(
    source: SourceFile | str | bytes,
    *,
    entry: str = "main",
    profile: str,
    options: CompileOptions | None = None,
    fs: FileSystem | None = None,
    memory: Memory | None = None,
    results: Results | None = None,
    later: list[Callable[[], None]] | None = None,
    name: str = "shader.hlsl",
) -> CompileResult:
    """Compile one shader.

    ``source`` is a file, or HLSL as text or bytes (then called ``name``); ``profile`` is ``vs_6_0`` and so on.
    ``results`` is the store of earlier results: it is searched, and the new result is stored in it.  With ``later``, a
    function that stores the result is appended to that list, for a caller that needs the output first.  Errors in the
    shader are diagnostics of the result, never exceptions; an invalid option raises ``ValueError``.
    """
    file = _source_file(source, name)
    options = replace(options or CompileOptions(), entry=entry, profile=profile)
    check_options(options)
    compilation = _compilation(file, options, fs or CachedFileSystem(OSFileSystem()), memory or Memory(finished=None))
    with paused_collection():
        # The keys of results cover the tokens of one source
        result = _run(compilation, None if options.libraries else results, later)
        if memory is None:
            compilation.memory.release()
        return result


def _compilation(file: SourceFile, options: CompileOptions, fs: FileSystem, memory: Memory) -> Compilation:
    compilation = Compilation(file, options, fs, memory)
    if options.libraries:
        from hlsl_tool.compiler.linking.link import link_libraries  # start-up time

        compilation.link_libraries = link_libraries
    return compilation


def _run(compilation: Compilation, results: Results | None, later: list[Callable[[], None]] | None) -> CompileResult:
    is_finished = compilation.run(results)
    result = compilation.result
    if not is_finished:
        if result.trace.files and any(diagnostic.location is None for diagnostic in result.diagnostics):
            from hlsl_tool.compiler import blame  # start-up time

            blame.name_shader(result.diagnostics, result.trace.files, compilation.options.entry)
        return result
    compilation.store(later)
    options = compilation.options
    if not result.ok:
        from hlsl_tool.compiler import blame  # start-up time

        files = result.trace.files
        blame.name_shader(result.diagnostics, files, options.entry)
        if options.validate != "no" or not options.debug_line:  # else this is the compilation that `again` started
            blame.place_refusal(
                result.diagnostics,
                files,
                options,
                again=lambda o: _run(
                    _compilation(compilation.source, o, compilation.fs, compilation.memory), None, None
                ),
            )
    return result


def _source_file(source: SourceFile | str | bytes, name: str) -> SourceFile:
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes):
        source = SourceFile.from_bytes(name, name, source)
    if not isinstance(source, SourceFile):
        raise TypeError(f"the source is a SourceFile, text or bytes, not {type(source).__name__}")
    return source
