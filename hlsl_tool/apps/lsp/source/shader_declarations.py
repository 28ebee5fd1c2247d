"""The declarations of a whole shader: look-ups by qualified name and by scope."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.apps.lsp.source.references import ChunkIndex, Declaration, Use
from hlsl_tool.apps.lsp.source.scopes import ScopeWalk
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.syntax.chunks import Chunk
from hlsl_tool.frontend.syntax.parser import TranslationUnit

_indexed: dict[SourceChunk, ChunkIndex] = {}
"""Chunks are shared by the analyses of a process; the index is dropped when it has grown to `_MAX_INDEXED`."""
_MAX_INDEXED = 100_000


def index_of(chunk: Chunk) -> ChunkIndex:
    """Return the index of a top-level declaration, from the cache if possible."""
    index = _indexed.get(chunk)
    if index is None:
        if len(_indexed) > _MAX_INDEXED:
            _indexed.clear()
        index = ChunkIndex([], {}, {}, {})
        ScopeWalk(chunk, index).run()
        _indexed[chunk] = index
    return index


def forget_indexes() -> None:
    """Drop the cached indexes of all top-level declarations."""
    _indexed.clear()


class DeclarationTable:
    """All declarations of a shader by qualified name."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self._names: dict[str, list[Declaration]] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        for chunk in unit.chunks:
            index = index_of(chunk)
            self._bases |= index.bases
            self._add(index.top)

    def _add(self, declarations: Iterable[Declaration]) -> None:
        for declaration in declarations:
            if declaration.name:
                self._names.setdefault(declaration.qualified, []).append(declaration)
            if declaration.kind == "enum":
                for item in declaration.members:
                    if item.container == declaration.container:  # not an `enum class`: `E::item` is right all the same
                        self._names.setdefault(f"{declaration.qualified}::{item.name}", []).append(item)
            if declaration.kind in ("namespace", "struct", "class", "interface", "enum", "cbuffer"):
                self._add(declaration.members)

    def named(self, qualified: str) -> list[Declaration]:
        return self._names.get(qualified, [])

    def is_derived(self, struct: str) -> bool:
        """Return whether a struct has, or may be, a base class: then its methods may override, or be overridden."""
        name = struct.rpartition("::")[2]
        return bool(self._bases.get(struct)) or any(
            base.rpartition("::")[2] == name for bases in self._bases.values() for base in bases
        )

    def globals(self) -> Iterable[list[Declaration]]:
        """Return the declarations outside of namespaces and structs, grouped by name."""
        return [entries for name, entries in self._names.items() if "::" not in name]

    def members(self, scope: str) -> Iterable[list[Declaration]]:
        """Return the declarations in a namespace, struct or enumeration, grouped by name."""
        start = scope + "::"
        return [
            entries
            for name, entries in self._names.items()
            if name.startswith(start) and "::" not in name[len(start) :]
        ]

    def resolve(self, use: Use) -> list[Declaration]:
        """Return the declarations to which a name may refer; several if it is overloaded."""
        if use.local is not None:
            return [use.local]
        path = "::".join(use.path)
        if path.startswith("::"):
            return self.named(path[2:])
        for depth in range(len(use.container), -1, -1):
            scope = use.container[:depth]
            declarations = self._in_scope("::".join(scope), path, set())
            if declarations:
                return declarations
        return []

    def _in_scope(self, scope: str, path: str, seen: set[str]) -> list[Declaration]:
        """Look up a qualified name in a namespace or struct, and in the struct's base classes."""
        if scope in seen:
            return []
        seen.add(scope)
        declarations = self.named(f"{scope}::{path}" if scope else path)
        if declarations or not scope:
            return declarations
        outer = scope.rpartition("::")[0]
        for base in self._bases.get(scope, ()):
            for name in (f"{outer}::{base}" if outer else base, base):
                inherited = self._in_scope(name, path, seen) if name in self._bases else []
                if inherited:
                    return inherited
        return []
