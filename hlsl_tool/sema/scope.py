"""Scopes and what names in them are bound to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hlsl_tool.sema.hir import Function, Variable
from hlsl_tool.sema.types import Field, Majorness, Struct, Type
from hlsl_tool.syntax import ast
from hlsl_tool.syntax.chunks import Chunk

if TYPE_CHECKING:
    from hlsl_tool.sema.context import Instance

Pack = tuple[tuple[int, Majorness | None], ...]
"""What `#pragma pack_matrix` says in a chunk, by relative position."""


@dataclass(slots=True, eq=False)
class Alias:
    """A name for a type: of a struct, an enum, a typedef, a template parameter."""

    type: Type
    majorness: Majorness | None = None
    quals: tuple[str, ...] = ()
    scope: str = ""
    """Qualified name of the namespace or struct that declares the name."""
    is_typedef: bool = False


@dataclass(slots=True, eq=False)
class Constant:
    """A name for a value: an enumerator, a template's argument, one of HLSL's own constants."""

    name: str
    value: int | float | bool
    type: Type
    scope: str = ""
    """Qualified name of the namespace or struct that declares the name."""


@dataclass(slots=True, eq=False)
class Namespace:
    """A namespace as one chunk sees it: reopening it makes a new object with the old members and the new."""

    name: str
    qualified: str
    members: dict[str, Binding] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class FunctionTemplate:
    """A function or method template; ``instances`` by template arguments."""

    name: str
    decl: ast.FunctionDecl
    scope: Scope
    chunk: Chunk
    pack: Pack
    owner: Struct | None = None
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[tuple[tuple[object, ...], Function]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Specialization:
    """Of a struct, a variable or a struct's member; it need not stand where its template does."""

    decl: ast.StructDecl | ast.VarDecl | ast.FunctionDecl
    scope: Scope
    chunk: Chunk
    pack: Pack


@dataclass(slots=True, eq=False)
class StructTemplate:
    """A struct template with its specialisations; ``instances`` by template arguments."""

    name: str
    decl: ast.StructDecl
    scope: Scope
    chunk: Chunk
    pack: Pack
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[Specialization] = field(default_factory=list)
    members: list[Specialization] = field(default_factory=list)
    """Definitions of its members that stand outside of it."""


@dataclass(slots=True, eq=False)
class AliasTemplate:
    """``template<typename T> using A = ...;``."""

    name: str
    decl: ast.UsingDecl
    scope: Scope
    chunk: Chunk
    pack: Pack


@dataclass(slots=True, eq=False)
class VariableTemplate:
    """``template<typename T> static const bool v = ...;`` with its specialisations; ``instances`` by arguments."""

    name: str
    decl: ast.VarDecl
    scope: Scope
    chunk: Chunk
    pack: Pack
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[Specialization] = field(default_factory=list)


Overloads = tuple[Function | FunctionTemplate, ...]
Binding = (
    Variable | Overloads | Alias | Constant | Namespace | StructTemplate | AliasTemplate | VariableTemplate | Field
)
Kind = Literal["global", "namespace", "struct", "function", "block", "template"]


class Scope:
    """A mapping from names to bindings with a parent; a struct's scope finds its members, those of its bases too."""

    __slots__ = ("kind", "names", "namespace", "parent", "struct", "usings")

    def __init__(
        self,
        kind: Kind,
        parent: Scope | None,
        names: dict[str, Binding] | None = None,
        *,
        struct: Struct | None = None,
        namespace: str = "",
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.names: dict[str, Binding] = names if names is not None else {}
        self.struct = struct
        self.namespace: str = namespace or (parent.namespace if parent is not None else "")
        """Qualified name of the enclosing namespaces and structs."""
        self.usings: list[Namespace] = []

    def local(self, name: str) -> Binding | None:
        """The binding in this scope itself."""
        found = self.names.get(name)
        if found is None and self.struct is not None:
            found = struct_member(self.struct, name)
        if found is None:
            for n in self.usings:
                found = n.members.get(name)
                if found is not None:
                    break
        return found

    def lookup(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.local(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def enclosing_struct(self) -> Struct | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.struct is not None:
                return scope.struct
            scope = scope.parent
        return None


def namespace_members(scope: Scope, qualified: str) -> dict[str, Binding]:
    """What stands in the namespace of a qualified name, seen from any scope."""
    while scope.parent is not None:
        scope = scope.parent
    names = scope.names
    for part in qualified.split("::"):
        inner = names.get(part)
        if not isinstance(inner, Namespace):
            return {}
        names = inner.members
    return names


def struct_member(s: Struct, name: str) -> Binding | None:
    """A member of a struct by name: a field, methods, a static member, a nested type."""
    own = s.own_field(name)
    if own is not None:
        return own
    methods = s.methods.get(name)
    if methods:
        return tuple(methods)
    if name in s.statics:
        return s.statics[name]
    if name in s.types:
        return Alias(s.types[name])
    constant = s.constants.get(name)
    if constant is not None:
        return constant  # type: ignore[return-value]
    for b in s.bases:
        found = struct_member(b, name)
        if found is not None:
            return found
    return None
