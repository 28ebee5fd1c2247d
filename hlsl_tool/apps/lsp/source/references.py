"""The declarations of a shader and the names that refer to them, according to scopes only.

This requires only the syntax tree, so it works in code with errors and in templates without instances.  Members and
overloads depend on types: see `typed`.
"""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Kind = Literal[
    "variable", "parameter", "local", "function", "method", "field", "struct", "class", "interface", "enum",
    "enumerator", "namespace", "cbuffer", "typedef", "template parameter",
]  # fmt: skip
TYPES = frozenset(("struct", "class", "interface", "enum", "typedef", "template parameter"))
LOCALS = frozenset(("parameter", "local", "template parameter"))


@dataclass(slots=True, eq=False)
class Declaration:
    """A declared name, identified by its top-level declaration and the index of the name's token there."""

    kind: Kind
    name: str
    chunk: SourceChunk
    pos: int
    container: tuple[str, ...]
    """The enclosing namespaces and structs."""
    first: int
    """The first token of the declaration."""
    last: int
    """The last token of the declaration."""
    node: object
    """The syntax node: a `Declarator`, a `Param`, a `FunctionDecl`, …"""
    owner: Declaration | None = None
    """The function of a local name, the struct of a member, the block of a constant."""
    type: object = None
    """The type as written; ``None`` if it has none."""
    members: list[Declaration] = field(default_factory=list)
    """The members of a struct, an enumeration, a block or a namespace; the parameters of a function."""
    has_body: bool = False

    @property
    def qualified(self) -> str:
        """The name, qualified with namespaces and structs."""
        return "::".join((*self.container, self.name))


@dataclass(slots=True, eq=False)
class Use:
    """A name that refers to a declaration."""

    pos: int
    path: tuple[str, ...]
    """The parts of a qualified name up to this one."""
    container: tuple[str, ...]
    """The namespaces and structs around it."""
    local: Declaration | None
    """The local declaration that it refers to."""


@dataclass(slots=True, eq=False)
class ChunkIndex:
    """The names that a top-level declaration declares, and those that it refers to."""

    top: list[Declaration]
    """Declarations that are not inside others."""
    declared: dict[int, Declaration]
    """Token of the name → declaration, all of them."""
    uses: dict[int, Use]
    bases: dict[str, tuple[str, ...]]
    """Qualified name of a struct → the names of its base classes."""
