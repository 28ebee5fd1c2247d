"""HIR, the AST with types: HLSL with every name resolved and every conversion explicit.

Invariants of a tree that ``sema`` produces without errors:

* Every expression has a ``type`` and a value category.  ``is_lvalue`` expressions denote memory; reading one is an
  explicit ``Load`` and happens exactly where the tree has one (the order of loads is the order of evaluation).
* Operands of arithmetic and comparisons have equal types (shifts: equal shape); conversions are ``Cast`` nodes, a
  change of shape apart from a change of component type, in the order of DXC's AST: a splat converts first, a
  truncation converts last.
* Arguments of a call are converted to the parameter types, except ``out``/``inout`` arguments, which are l-values of
  their own type (``lower`` copies in and out, converting).
* Nothing is folded: ``frontend.sema.model.constants.evaluate`` folds on demand, since DXC's ``-fcgl`` output folds at
  some places only.
* Template parameters are gone; default arguments are filled in; ``&&``/``||``/``?:`` record whether they short-circuit.

``pos`` is the index of a token, counted from the first token of the top-level declaration (``chunk``) of the enclosing
``Function`` or ``Variable``.
"""

from __future__ import annotations

from typing import Any, Literal

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.annotations import Attribute, PackOffset, Register, Semantic
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Enum, Field, Majorness, ObjectType, Struct, Type

# ------------------------------------------------------------------------------------------------------------ symbols

Storage = Literal["local", "param", "static_local", "global", "static", "groupshared", "cbuffer_member", "enum", "this"]
"""``global``: externally visible (a resource, a member of ``$Globals``, ``uniform``); ``static``: file scope,
private."""


@dataclass(slots=True, eq=False)
class Variable:
    """A variable, parameter or member of a cbuffer.  Compared by identity."""

    name: str
    type: Type
    storage: Storage
    pos: int = 0
    chunk: SourceChunk | None = None
    is_const: bool = False
    quals: tuple[str, ...] = ()
    """Qualifiers as written: ``precise``, ``nointerpolation``, ``globallycoherent``, ``in``, ``inout``, ..."""
    majorness: Majorness | None = None
    semantic: Semantic | None = None
    registers: tuple[Register, ...] = ()
    packoffset: PackOffset | None = None
    attributes: tuple[Attribute, ...] = ()
    init: Expr | None = None
    """The initialiser, converted to ``type``.  Of non-static globals, only specialisation constants use it."""
    scope: str = ""
    """Qualified name of the namespace or struct: ``N::S``."""
    owner: Struct | Function | CBuffer | None = None
    is_defined: bool = False
    """Whether a static member has a definition outside of its struct, with or without an initialiser."""
    value: Any = None
    """The constant that ``value_of`` evaluates to, cached by ``frontend.sema.model.constants``."""
    value_of: Expr | None = None
    alias: Expr | None = None
    """The l-value to which a reference is bound: its name stands for it."""
    harmless: Expr | None = None
    """The initialiser, if it has no side effects; cached by ``codegen.lower.global_variables.reach``."""

    @property
    def qualified_name(self) -> str:
        return f"{self.scope}::{self.name}" if self.scope else self.name


Direction = Literal["in", "out", "inout"]


@dataclass(slots=True, eq=False)
class Param(Variable):
    """A parameter of a function."""

    direction: Direction = "in"
    default: Expr | None = None
    default_chunk: SourceChunk | None = None
    """The chunk that ``default`` is written in, which may be that of an earlier declaration."""
    deferred_default: Any = None
    """The default argument of a template instance as written; analysed at the first call that needs it."""

    initial: Expr | None = None
    """The default-constructed value of an entry point's parameter some of whose members have no semantic."""

    @property
    def has_default(self) -> bool:
        return self.default is not None or self.deferred_default is not None


@dataclass(slots=True, eq=False)
class CBuffer:
    """A ``cbuffer`` or ``tbuffer`` block; ``members`` are ``cbuffer_member`` variables in order of declaration."""

    name: str
    keyword: str
    members: list[Variable]
    pos: int = 0
    chunk: SourceChunk | None = None
    registers: tuple[Register, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    scope: str = ""
    other_members: list[Variable] = field(default_factory=list)
    """Resources declared inside the block; they become separate globals."""


@dataclass(slots=True, eq=False)
class Function:
    """A function or method.

    ``body`` is analysed once, on demand (``frontend.sema.checks.reachable.graph``); it is ``None`` until then, and for
    a declaration.
    """

    name: str
    return_type: Type
    params: list[Param]
    pos: int = 0
    chunk: SourceChunk | None = None
    quals: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    semantic: Semantic | None = None
    """The semantic of the result."""
    return_majorness: Majorness | None = None
    owner: Struct | None = None
    is_static: bool = False
    is_const: bool = False
    is_deleted: bool = False
    scope: str = ""
    template_args: tuple[object, ...] | None = None
    body: Block | None = None
    has_body: bool = False
    source: Any = None
    """The `BodySource` of the function, private to ``sema``."""
    signature: tuple[object, ...] = ()
    """Type identity and direction of each parameter; equal for all declarations of one function.

    From HLSL 202x on, also the numbers of the ``groupshared`` parameters, and whether the method is ``const``.
    """
    referred: Type | None = None
    """The type of the object to which the result is a reference; ``return_type`` is then ``void``."""
    math_mode: str = ""
    """``strict`` or ``fast``, as an attribute sets it; ``""``: that of the compilation."""

    @property
    def qualified_name(self) -> str:
        return f"{self.scope}::{self.name}" if self.scope else self.name


# -------------------------------------------------------------------------------------------------------- expressions


@dataclass(slots=True, eq=False)
class Literal_:
    """A constant whose type is a scalar (possibly an untyped literal), an enum or ``string``."""

    value: bool | int | float | str
    type: Type
    pos: int
    is_lvalue: bool = False
    enumerator: str = ""
    """Name of the enumerator that the value comes from; ``""`` for other constants."""


@dataclass(slots=True, eq=False)
class VarRef:
    """A named variable: an l-value, even if ``const`` (``sema`` has checked assignments)."""

    var: Variable
    type: Type
    pos: int
    is_lvalue: bool = True


@dataclass(slots=True, eq=False)
class This:
    """The object on which a method was called: an l-value."""

    type: Type
    pos: int
    is_lvalue: bool = True


@dataclass(slots=True, eq=False)
class Load:
    """L-value to r-value conversion: reads ``operand``."""

    operand: Expr
    type: Type
    pos: int
    is_lvalue: bool = False


CastKind = Literal[
    "numeric",  # component type changes, shape does not
    "splat",  # scalar -> vector or matrix
    "vector_truncate",  # vector -> shorter vector
    "matrix_truncate",  # matrix -> smaller matrix (upper left)
    "to_scalar",  # a longer vector or matrix -> its first component
    "vector_to_matrix",  # equal component counts
    "matrix_to_vector",
    "flat",  # aggregates, component by component in flat order; scalar -> aggregate (splat); also struct = (S)0
    "derived_to_base",  # l-value or r-value
    "noop",  # same type (enum <-> its integer; object types that differ in qualifiers)
    "contents",  # ConstantBuffer<T>/TextureBuffer<T> -> its T: an l-value
    "heap",  # ResourceDescriptorHeap[i] -> a resource type
    "void",
    "strict",  # no conversion: arithmetic in the operand is done as written
    "fast",  # no conversion: arithmetic in the operand may be transformed
    "const",  # no conversion: an l-value that cannot be assigned to
    "union",  # a union -> one of its members: an l-value
    "to_union",  # a member -> a union that contains it
]


@dataclass(slots=True, eq=False)
class Cast:
    """A conversion; ``kind`` is the conversion step that it performs."""

    kind: CastKind
    operand: Expr
    type: Type
    pos: int
    is_lvalue: bool = False
    """True for ``derived_to_base`` of an l-value."""
    is_explicit: bool = False


@dataclass(slots=True, eq=False)
class Unary:
    """``+ - ! ~``; the operand has the type of the result."""

    op: str
    operand: Expr
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class IncDec:
    """``++``/``--`` on an l-value; the prefix form yields an l-value."""

    op: str
    is_prefix: bool
    operand: Expr
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Binary:
    """Arithmetic, bitwise, shift, comparison; both operands are r-values of one type (shifts: one shape)."""

    op: str
    left: Expr
    right: Expr
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Logical:
    """``&&`` or ``||`` on bools (scalars; before HLSL 2021 also vectors)."""

    op: str
    left: Expr
    right: Expr
    type: Type
    pos: int
    short_circuits: bool = True
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Ternary:
    """``cond ? then : otherwise``.

    ``cond`` is a bool or, before HLSL 2021, a vector or matrix of bools in the shape of the result.
    """

    cond: Expr
    then: Expr
    otherwise: Expr
    type: Type
    pos: int
    short_circuits: bool = True
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Comma:
    """``left, right``: the value of ``right``."""

    left: Expr
    right: Expr
    type: Type
    pos: int
    is_lvalue: bool = False
    is_reference: bool = False
    """Whether it is the result of a function that returns a reference, which can be assigned to."""


@dataclass(slots=True, eq=False)
class Assign:
    """``target = value``; an l-value (``target``).  ``value`` is an r-value of the target's type."""

    target: Expr
    value: Expr
    type: Type
    pos: int
    is_lvalue: bool = True


@dataclass(slots=True, eq=False)
class CompoundAssign:
    """``target op= value``: the target is converted to ``compute_type``, combined, converted back and stored."""

    op: str
    """The operator without the ``=``."""
    target: Expr
    value: Expr
    compute_type: Type
    type: Type
    pos: int
    is_lvalue: bool = True


@dataclass(slots=True, eq=False)
class Swizzle:
    """``v.zyx`` of a vector or scalar; an l-value if ``base`` is one (writable if no component repeats)."""

    base: Expr
    components: tuple[int, ...]
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class MatrixSwizzle:
    """``m._m00_m11``: (row, column) pairs; one pair gives a scalar."""

    base: Expr
    elements: tuple[tuple[int, int], ...]
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Index:
    """``a[i]`` of an array, a vector (component) or a matrix (row).  Objects: see ``MethodCall`` ``operator[]``."""

    base: Expr
    index: Expr
    """An r-value of type int or uint (or 64 bits wide)."""
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Member:
    """``s.f``.  For a field of a base class, ``s`` is a ``derived_to_base`` cast."""

    base: Expr
    field: Field
    type: Type
    pos: int
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class Call:
    """A call of a user's function; ``this`` is the object (l-value or r-value) of a method that is not static."""

    function: Function
    args: list[Expr]
    type: Type
    pos: int
    this: Expr | None = None
    is_operator: bool = False
    """An overloaded operator in operator notation (``a + b``), not a call."""
    is_lvalue: bool = False
    default_chunks: tuple[SourceChunk | None, ...] = ()
    """Chunks of the trailing default arguments."""


@dataclass(slots=True, eq=False)
class IntrinsicCall:
    """A call of an intrinsic function; ``name`` is spelled as in the overload table (``lerp``, ``vk::ReadClock``).

    ``args`` are converted to the overload's parameter types; those of ``out``/``inout``/``ref`` parameters are l-values
    of their own type: ``lower`` converts between it and ``param_types`` (``ref`` arguments have exactly that type).
    """

    name: str
    args: list[Expr]
    type: Type
    pos: int
    directions: tuple[str, ...] = ()
    """``in``, ``out``, ``inout`` or ``ref`` (memory an atomic works on), one for each argument."""
    param_types: tuple[Type, ...] = ()
    template_args: tuple[Any, ...] = ()
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class MethodCall:
    """A method of a built-in object: ``object`` is an l-value of object type (or an r-value: a function result).

    ``name`` is the method's; subscripts are ``operator[]`` (an l-value where the object can be written), ``mips`` and
    ``sample`` subscripts are ``mips.operator[]`` (args: mip, location) and ``sample.operator[]`` (args: sample,
    location).
    """

    object: Expr
    name: str
    args: list[Expr]
    type: Type
    pos: int
    directions: tuple[str, ...] = ()
    param_types: tuple[Type, ...] = ()
    template_args: tuple[Any, ...] = ()
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class InitList:
    """An initialiser list ``{...}`` of type ``type``, or a constructor such as ``float4(a, b.xyz)``.

    ``items`` are the initialisers in source order, with nested lists flattened: r-values of any types.  The sequence of
    their scalar components initialises the components of ``type`` in order, converted one by one; both have equal
    length.
    """

    items: list[Expr]
    type: Type
    pos: int
    is_constructor: bool = False
    is_lvalue: bool = False


@dataclass(slots=True, eq=False)
class SizeOf:
    """``sizeof`` of a type, or of the type of an expression."""

    operand: Type
    type: Type
    pos: int
    is_lvalue: bool = False


Expr = (
    Literal_ | VarRef | This | Load | Cast | Unary | IncDec | Binary | Logical | Ternary | Comma | Assign
    | CompoundAssign | Swizzle | MatrixSwizzle | Index | Member | Call | IntrinsicCall | MethodCall | InitList
    | SizeOf
)  # fmt: skip

# --------------------------------------------------------------------------------------------------------- statements


@dataclass(slots=True, eq=False)
class Block:
    """``{ ... }``."""

    statements: list[Stmt]
    pos: int
    end: int = -1
    math_mode: str = ""


@dataclass(slots=True, eq=False)
class DeclStmt:
    """One local variable, static or not (its initialiser in ``var.init``)."""

    var: Variable
    pos: int


@dataclass(slots=True, eq=False)
class ExprStmt:
    """An expression whose value is not used."""

    expr: Expr
    pos: int
    attributes: tuple[Attribute, ...] = ()


@dataclass(slots=True, eq=False)
class If:
    """``if (cond) then else otherwise``; ``declaration`` is the variable of ``if (int x = f())``.

    ``cond`` is a bool r-value.
    """

    cond: Expr
    then: Stmt
    otherwise: Stmt | None
    pos: int
    attributes: tuple[Attribute, ...] = ()
    declaration: DeclStmt | None = None


@dataclass(slots=True, eq=False)
class For:
    """``for (init; cond; step) body``; without ``cond`` the loop ends only by a jump."""

    init: list[Stmt]
    cond: Expr | None
    step: Expr | None
    body: Stmt
    pos: int
    attributes: tuple[Attribute, ...] = ()
    declaration: DeclStmt | None = None


@dataclass(slots=True, eq=False)
class While:
    """``while (cond) body``; ``declaration`` is the variable of ``while (bool b = ...)``."""

    cond: Expr
    body: Stmt
    pos: int
    attributes: tuple[Attribute, ...] = ()
    declaration: DeclStmt | None = None


@dataclass(slots=True, eq=False)
class Do:
    """``do body while (cond);``."""

    body: Stmt
    cond: Expr
    pos: int
    attributes: tuple[Attribute, ...] = ()


@dataclass(slots=True, eq=False)
class Case:
    """A label of a `Switch`; in the block of the switch it precedes the statements that it labels.

    ``value`` is the folded value, ``None`` for ``default``; ``expr`` is the expression, converted.
    """

    value: int | None
    pos: int
    expr: Expr | None = None


@dataclass(slots=True, eq=False)
class Switch:
    """``switch (cond) body``; its labels are `Case` statements in ``body``."""

    cond: Expr
    body: Stmt
    pos: int
    attributes: tuple[Attribute, ...] = ()
    declaration: DeclStmt | None = None


@dataclass(slots=True, eq=False)
class Break:
    """``break`` out of the innermost loop or switch."""

    pos: int


@dataclass(slots=True, eq=False)
class Continue:
    """``continue`` of the innermost loop."""

    pos: int


@dataclass(slots=True, eq=False)
class Discard:
    """``discard``: end the invocation of a pixel shader."""

    pos: int


@dataclass(slots=True, eq=False)
class Return:
    """``return value``; ``value`` is converted to the function's return type."""

    value: Expr | None
    pos: int


@dataclass(slots=True, eq=False)
class EmptyStmt:
    """The empty statement ``;``."""

    pos: int


Stmt = (
    Block | DeclStmt | ExprStmt | If | For | While | Do | Switch | Case | Break | Continue | Discard | Return
    | EmptyStmt
)  # fmt: skip
STATEMENTS = frozenset(Stmt.__args__)

# ------------------------------------------------------------------------------------------------------------- module


@dataclass(slots=True, eq=False)
class Program:
    """The declarations of one shader, in order.  Other shaders may share the objects."""

    globals: list[Variable | CBuffer]
    """Externally visible and static variables, groupshared ones, and blocks, in order of declaration."""
    functions: list[Function]
    entry: Function | None
    entries: list[Function] = field(default_factory=list)
    """The entry point; for a library, all entry points."""
    definitions: dict[Function, Function] = field(default_factory=dict)
    """Declaration -> definition in this shader.  ``Call.function`` may be either: see ``reachable.graph.body_of``."""
    reachable: list[Function] = field(default_factory=list)
    """Functions called from the entries, bodies analysed, in order of first call."""
    analysed: list[Function] = field(default_factory=list)
    """All functions with an analysed body: the reachable ones first."""
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    state_constants: list[tuple[str, int, SourceChunk]] = field(default_factory=list)
    """Constants of newer shader models in pipeline state, with their places."""
    objects: list[ObjectType] = field(default_factory=list)
