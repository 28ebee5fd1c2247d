"""The files that `libraries` of a shader's options names: how they are read, and with which options compiled."""

from __future__ import annotations

from hlsl_tool.base.options.checks import split_profile
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import FileSystem, SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.preprocessing import preprocess_options
from hlsl_tool.frontend.preprocessor import dependencies
from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory
from hlsl_tool.frontend.preprocessor.stream import IncludeTrace
from hlsl_tool.spirv.ir import MAGIC

_FIRST_LIBRARIES = 3
"""The minor version of the first shader model whose libraries are valid."""


def library_options(options: CompileOptions) -> CompileOptions:
    """Return the options of a shader's libraries: those of the shader, with the library profile of its shader model."""
    _, major, minor = split_profile(options.profile) or ("", 6, 0)
    profile = f"lib_{major}_{max(minor, _FIRST_LIBRARIES)}"
    return replace(options, profile=profile, entry="", exports=(), libraries=())


def read_library(name: str, fs: FileSystem) -> SourceFile | None:
    """Return a library's file; ``None`` if it cannot be read.  A module has no text."""
    path = fs.resolve(name)
    data = fs.read(path)
    if data is None:
        return None
    return SourceFile(name, path, "", data=data) if is_module(name, data) else SourceFile.from_bytes(name, path, data)


def is_module(name: str, data: bytes) -> bool:
    """Return whether a file is a SPIR-V module, by its first word or by its name; it may be damaged."""
    return data[:4] == MAGIC.to_bytes(4, "little") or name.lower().endswith(".spv")


def all_dependencies(
    main: SourceFile, options: CompileOptions, fs: FileSystem, memory: PreprocessorMemory
) -> IncludeTrace:
    """Preprocess a shader and its libraries, and return their dependencies."""
    trace = dependencies(main, preprocess_options(options), fs, memory)
    for name in options.libraries:
        file = read_library(name, fs)
        if file is None:
            trace.missing.append(fs.resolve(name))
        elif is_module(name, file.data):
            trace.add(IncludeTrace.of_file(file))
        else:
            trace.add(dependencies(file, preprocess_options(library_options(options)), fs, memory))
    return trace
