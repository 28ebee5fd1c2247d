"""The preprocessor: converts a source file and its includes to one stream of tokens."""

from __future__ import annotations

from hlsl_tool.base.lazy_names import lazy_names

TYPE_CHECKING = False  # the store needs the lexer alone, in a process that compiles nothing
if TYPE_CHECKING:
    from hlsl_tool.frontend.preprocessor.driver import dependencies, preprocess
    from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory
    from hlsl_tool.frontend.preprocessor.options import PreprocessOptions
    from hlsl_tool.frontend.preprocessor.stream import IncludeTrace, PragmaUse, Segment, TokenStream

__all__ = [
    "IncludeTrace",
    "PragmaUse",
    "PreprocessOptions",
    "PreprocessorMemory",
    "Segment",
    "TokenStream",
    "dependencies",
    "preprocess",
]

_HOMES = {
    "IncludeTrace": "stream",
    "PragmaUse": "stream",
    "PreprocessOptions": "options",
    "PreprocessorMemory": "memory",
    "Segment": "stream",
    "TokenStream": "stream",
    "dependencies": "driver",
    "preprocess": "driver",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
