"""Scopes, and the symbols to which names are bound in them."""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.instances import Instance
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Field, Majorness, Struct, Type
from hlsl_tool.frontend.syntax import ast

Pack = tuple[tuple[int, Majorness | None], ...]
"""Matrix orders set by ``#pragma pack_matrix`` in a chunk, by relative position."""


@dataclass(slots=True, eq=False)
class Alias:
    """A name bound to a type: a struct, an enum, a typedef or a template parameter."""

    type: Type
    majorness: Majorness | None = None
    quals: tuple[str, ...] = ()
    scope: str = ""
    """Qualified name of the namespace or struct that declares the name."""
    is_typedef: bool = False


@dataclass(slots=True, eq=False)
class Constant:
    """A name bound to a value: an enumerator, a template argument or a constant built into HLSL."""

    name: str
    value: int | float | bool
    type: Type
    scope: str = ""
    """Qualified name of the namespace or struct that declares the name."""


@dataclass(slots=True, eq=False)
class Namespace:
    """A namespace as seen by one top-level declaration.

    Reopening it creates a new object with the old and the new members.
    """

    name: str
    qualified: str
    members: dict[str, Binding] = field(default_factory=dict)


@dataclass(slots=True)
class Renewal:
    """The origin of a copied template: the copy sees specialisations of other templates that are declared after it."""

    earlier: FunctionTemplate | StructTemplate | VariableTemplate
    """The template itself."""
    places: frozenset[object]
    """The specialisations: their declarations, with the positions in them."""


@dataclass(slots=True, eq=False)
class FunctionTemplate:
    """A function or method template; the keys of ``instances`` are template arguments."""

    name: str
    decl: ast.FunctionDecl
    scope: Scope
    chunk: SourceChunk
    pack: Pack
    owner: Struct | None = None
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[tuple[tuple[object, ...], Function]] = field(default_factory=list)
    expansions: dict[int, FunctionTemplate] = field(default_factory=dict)
    """Number of elements of its parameter packs → the template without packs."""
    renewal: Renewal | None = None


@dataclass(slots=True, eq=False)
class Specialization:
    """A specialisation of a struct, variable or member template, with the scope in which it is declared."""

    decl: ast.StructDecl | ast.VarDecl | ast.FunctionDecl
    scope: Scope
    chunk: SourceChunk
    pack: Pack
    key: tuple[object, ...] | None = None
    """The arguments of an explicit specialisation; ``None`` for a partial one."""


@dataclass(slots=True, eq=False)
class StructTemplate:
    """A struct template with its specialisations; the keys of ``instances`` are template arguments."""

    name: str
    decl: ast.StructDecl
    scope: Scope
    chunk: SourceChunk
    pack: Pack
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[Specialization] = field(default_factory=list)
    members: list[Specialization] = field(default_factory=list)
    """Out-of-class definitions of its members."""
    earlier: StructTemplate | None = None
    """The template as it was before the last of the specialisations."""
    renewal: Renewal | None = None


@dataclass(slots=True, eq=False)
class AliasTemplate:
    """An alias template, ``template<typename T> using A = ...;``."""

    name: str
    decl: ast.UsingDecl
    scope: Scope
    chunk: SourceChunk
    pack: Pack


@dataclass(slots=True, eq=False)
class VariableTemplate:
    """A variable template, ``template<typename T> static const bool v = ...;``, with its specialisations."""

    name: str
    decl: ast.VarDecl
    scope: Scope
    chunk: SourceChunk
    pack: Pack
    instances: dict[tuple[object, ...], Instance] = field(default_factory=dict)
    specializations: list[Specialization] = field(default_factory=list)
    earlier: VariableTemplate | None = None
    """The template as it was before the last of the specialisations."""
    renewal: Renewal | None = None


@dataclass(slots=True, eq=False)
class Trait:
    """A built-in template: a struct whose only member, the static ``value``, is computed from the arguments."""

    name: str


@dataclass(slots=True, eq=False)
class BuiltIn:
    """A name that ``using namespace vk;`` or ``dx`` makes known without its namespace."""

    namespace: str
    name: str


Overloads = tuple[Function | FunctionTemplate, ...]
Binding = (
    Variable
    | Overloads
    | Alias
    | Constant
    | Namespace
    | StructTemplate
    | AliasTemplate
    | VariableTemplate
    | Trait
    | BuiltIn
    | Field
)
Kind = Literal["global", "namespace", "struct", "function", "block", "template"]


class Scope:
    """Bindings by name, with a parent scope; the scope of a struct includes inherited members."""

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
        """Return the binding of ``name`` in this scope, ignoring parent scopes."""
        binding = self.names.get(name)
        if binding is None and self.struct is not None:
            binding = struct_member(self.struct, name)
        if binding is None:
            for n in self.usings:
                binding = n.members.get(name)
                if binding is not None:
                    break
        return binding

    def lookup(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            binding = scope.names.get(name)
            if binding is None and (scope.struct is not None or scope.usings):
                binding = scope.local(name)
            if binding is not None:
                return binding
            scope = scope.parent
        return None

    def lookup_qualifier(self, name: str) -> Binding | None:
        """Return the type, template or namespace that ``name`` in front of ``::`` denotes.

        Variables and functions do not hide it.  If there is none, return the innermost other binding of the name.
        """
        scope: Scope | None = self
        hiding: Binding | None = None
        while scope is not None:
            binding = scope.local(name)
            if binding is not None and not isinstance(binding, (Variable, Field, tuple)):
                return binding
            hiding = hiding or binding
            scope = scope.parent
        return hiding

    def enclosing_struct(self) -> Struct | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.struct is not None:
                return scope.struct
            scope = scope.parent
        return None


def namespace_members(scope: Scope, qualified: str) -> dict[str, Binding]:
    """Return name → binding of the members of a namespace.

    ``qualified`` is its full name, visible at the root of ``scope``.
    """
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
    """Return the member ``name`` of a struct or its bases; ``None`` if there is none.

    A member is a field, a tuple of overloads, a static member, a nested type or a constant.
    """
    own = s.own_field(name)
    if own is not None:
        return own
    methods = s.methods.get(name)
    if methods:
        return tuple(methods)
    static: Variable | None = s.statics.get(name)
    if static is not None:
        return static
    if name in s.types:
        return Alias(s.types[name])
    constant = s.constants.get(name)
    if constant is not None:
        return constant  # type: ignore[return-value]
    for b in s.bases:
        member = struct_member(b, name)
        if member is not None:
            return member
    return None
