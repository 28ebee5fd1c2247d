"""The preprocessor: converts a source file and its includes to one stream of tokens."""

from __future__ import annotations

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
