"""Semantic tokens: the kind of each name, for editors that colour names by what they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.cursor import declarations_at
from hlsl_tool.apps.lsp.source.references import Kind
from hlsl_tool.apps.lsp.source.text import units
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.rules.intrinsics.matching import is_intrinsic
from hlsl_tool.frontend.syntax import kinds
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES
from hlsl_tool.frontend.syntax.chunks import Chunk

T, M = lsp.SemanticTokenTypes, lsp.SemanticTokenModifiers
TYPES = (
    T.Namespace, T.Type, T.Class, T.Enum, T.Interface, T.Struct, T.TypeParameter, T.Parameter, T.Variable, T.Property,
    T.EnumMember, T.Function, T.Method,
)  # fmt: skip
MODIFIERS = (M.Declaration, M.DefaultLibrary)
LEGEND = lsp.SemanticTokensLegend([str(t.value) for t in TYPES], [str(m.value) for m in MODIFIERS])

_KINDS: dict[Kind, lsp.SemanticTokenTypes] = {
    "variable": T.Variable,
    "local": T.Variable,
    "parameter": T.Parameter,
    "function": T.Function,
    "method": T.Method,
    "field": T.Property,
    "struct": T.Struct,
    "class": T.Class,
    "interface": T.Interface,
    "enum": T.Enum,
    "enumerator": T.EnumMember,
    "namespace": T.Namespace,
    "cbuffer": T.Namespace,
    "typedef": T.Type,
    "template parameter": T.TypeParameter,
}


class Coloured(NamedTuple):
    """A name in a file, with what it is."""

    start: int
    end: int
    type: lsp.SemanticTokenTypes
    modifiers: tuple[lsp.SemanticTokenModifiers, ...] = ()


def semantic_tokens(analysis: Analysis, file: SourceFile) -> lsp.SemanticTokens:
    """Return the names of a file in the encoding of the protocol: each relative to the one before."""
    data: list[int] = []
    last_line = last_column = 0
    for name in coloured(analysis, file):
        line, column = file.line_col(name.start)
        text = file.line_text(line)
        start, end = units(text, column - 1), units(text, column - 1 + name.end - name.start)
        line -= 1
        bits = sum(1 << MODIFIERS.index(modifier) for modifier in name.modifiers)
        step = start - last_column if line == last_line else start
        data += [line - last_line, step, end - start, TYPES.index(name.type), bits]
        last_line, last_column = line, start
    return lsp.SemanticTokens(data)


def coloured(analysis: Analysis, file: SourceFile) -> Iterator[Coloured]:
    """Yield the names of a file whose meaning is known, in the order of the text; keywords are left to the editor."""
    unit, last = analysis.unit, -1
    for token in analysis.tokens.written(file.path):
        number = bisect_right(unit.bases, token.number) - 1
        if number < 0 or token.start <= last:
            continue
        chunk, pos = unit.chunks[number], token.number - unit.bases[number]
        word = chunk.tokens[pos] if pos < len(chunk.tokens) else ""
        if not word.isidentifier() or word in kinds.KEYWORDS:
            continue
        name = _name(analysis, chunk, pos, word)
        if name is not None:
            last = token.start
            yield Coloured(token.start, token.end, *name)


def _name(
    analysis: Analysis, chunk: Chunk, pos: int, word: str
) -> tuple[lsp.SemanticTokenTypes, tuple[lsp.SemanticTokenModifiers, ...]] | None:
    """Return the type and the modifiers of the name at a token; ``None`` if it is unknown."""
    declarations = declarations_at(analysis, chunk, pos)
    if declarations:
        first = declarations[0]
        is_own = first.chunk is chunk and first.pos == pos
        return _KINDS[first.kind], (M.Declaration,) if is_own else ()
    for expression in analysis.typed.at(chunk, pos):
        if isinstance(expression, hir.IntrinsicCall) and expression.name.endswith(word):
            return T.Function, (M.DefaultLibrary,)
        if isinstance(expression, hir.MethodCall) and expression.name == word:
            return T.Method, (M.DefaultLibrary,)
        if isinstance(expression, (hir.Swizzle, hir.MatrixSwizzle)):
            return T.Property, (M.DefaultLibrary,)
    if word in BUILTIN_TYPES:
        return T.Type, (M.DefaultLibrary,)
    if is_intrinsic(word) and chunk.tokens[pos + 1 : pos + 2] == ("(",):
        return T.Function, (M.DefaultLibrary,)
    return None
