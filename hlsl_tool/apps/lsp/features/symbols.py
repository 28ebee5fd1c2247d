"""Document symbols: the outline of a file."""

from __future__ import annotations

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.describe import written
from hlsl_tool.apps.lsp.source.references import Declaration, Kind
from hlsl_tool.apps.lsp.source.shader_declarations import index_of
from hlsl_tool.apps.lsp.source.text import range_of
from hlsl_tool.base.source import SourceFile

KINDS: dict[Kind, lsp.SymbolKind] = {
    "variable": lsp.SymbolKind.Variable,
    "local": lsp.SymbolKind.Variable,
    "parameter": lsp.SymbolKind.Variable,
    "function": lsp.SymbolKind.Function,
    "method": lsp.SymbolKind.Method,
    "field": lsp.SymbolKind.Field,
    "struct": lsp.SymbolKind.Struct,
    "class": lsp.SymbolKind.Class,
    "interface": lsp.SymbolKind.Interface,
    "enum": lsp.SymbolKind.Enum,
    "enumerator": lsp.SymbolKind.EnumMember,
    "namespace": lsp.SymbolKind.Namespace,
    "cbuffer": lsp.SymbolKind.Object,
    "typedef": lsp.SymbolKind.Class,
    "template parameter": lsp.SymbolKind.TypeParameter,
}


def document_symbols(analysis: Analysis, file: SourceFile) -> list[lsp.DocumentSymbol]:
    """Return the declarations of a file as a tree, in source order."""
    outline = _Outline(analysis, file)
    symbols: list[lsp.DocumentSymbol] = []
    for chunk, base in zip(analysis.unit.chunks, analysis.unit.bases, strict=True):
        for declaration in index_of(chunk).top:
            symbol = outline.symbol(declaration, base)
            if symbol is not None:
                symbols.append(symbol)
    return symbols


class _Outline:
    def __init__(self, analysis: Analysis, file: SourceFile) -> None:
        self.file = file
        self.spans = {token.number: (token.start, token.end) for token in analysis.tokens.written(file.path)}

    def symbol(self, declaration: Declaration, base: int) -> lsp.DocumentSymbol | None:
        """Convert a declaration and its members; ``None`` if it is in another file, or was made by a macro."""
        name = self.spans.get(base + declaration.pos)
        if name is None or not declaration.name:
            return None
        start = self.spans.get(base + declaration.first, name)[0]
        end = self.spans.get(base + declaration.last, name)[1]
        children = []
        if declaration.kind not in ("function", "method"):
            children = [s for member in declaration.members if (s := self.symbol(member, base)) is not None]
        return lsp.DocumentSymbol(
            declaration.name,
            KINDS[declaration.kind],
            range_of(self.file, min(start, name[0]), max(end, name[1])),
            range_of(self.file, *name),
            detail=written(declaration) if declaration.kind in _DETAILED else None,
            children=children or None,
        )


_DETAILED = frozenset(("function", "method", "variable", "field"))
