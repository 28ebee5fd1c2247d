"""The parser: ``parse`` converts tokens to the syntax tree of ``ast``."""

from __future__ import annotations

from hlsl_tool.frontend.syntax.chunks import Chunk
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.frontend.syntax.parser import SyntaxOptions, TranslationUnit, parse

__all__ = ["Chunk", "SyntaxMemory", "SyntaxOptions", "TranslationUnit", "parse"]
