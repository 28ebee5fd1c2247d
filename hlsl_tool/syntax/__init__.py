"""From tokens to a syntax tree: ``parse`` is the whole of it, ``ast`` what it gives."""

from __future__ import annotations

from hlsl_tool.syntax.chunks import Chunk
from hlsl_tool.syntax.memory import SyntaxMemory
from hlsl_tool.syntax.parser import SyntaxOptions, TranslationUnit, parse

__all__ = ["Chunk", "SyntaxMemory", "SyntaxOptions", "TranslationUnit", "parse"]
