"""The syntax tree: the parser's output, in which no names are resolved.

Positions. ``pos`` is the index of a node's characteristic token (a name, an operator, an opening bracket: where a caret
belongs), counted from the first token of the *chunk*, the top-level declaration that contains the node. A chunk is
parsed once and shared between shaders, so positions are independent of files; ``TranslationUnit.locate`` maps them to
source locations. Positions are excluded from equality.

Everything here is plain data. Names are as written; ``sema`` resolves them.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field

# --------------------------------------------------------------------------------------------------- names and types


@dataclass(slots=True)
class NamePart:
    """One component of a qualified name: ``vector<float, 4>`` has ``args``, ``float4`` has none (``None``)."""

    name: str
    args: list[TemplateArg] | None = None


@dataclass(slots=True)
class NamedType:
    """A type written by name, without ``const``: ``float4``, ``N::S``, ``Texture2D<float4>``."""

    parts: list[NamePart]
    pos: int = field(compare=False)
    is_global: bool = False
    """Written with a leading ``::``."""
    quals: list[str] = field(default_factory=list)
    """Qualifiers inside a template argument: ``StructuredBuffer<row_major float2x3>``, ``unorm float4``."""
    dims: list[Expr | None] = field(default_factory=list)
    """Array bounds of an abstract declarator: ``(float[4])x``, ``sizeof(int[2])``; ``None`` for ``[]``."""
    tag: StructDecl | None = None
    """Set for ``struct S``, which declares ``S`` if the name is undeclared."""


@dataclass(slots=True)
class Decltype:
    """The type of an expression: ``__decltype(a + b)``."""

    operand: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class InlineType:
    """A type that is not a name: a struct or enum defined where a type is expected, or ``__decltype(a + b)``."""

    decl: StructDecl | EnumDecl | Decltype
    pos: int = field(compare=False)


TypeRef = NamedType | InlineType

# ------------------------------------------------------------------------------------------------------- expressions


@dataclass(slots=True)
class Name:
    """``x``, ``N::x``, ``::x``, ``f<int>``."""

    parts: list[NamePart]
    pos: int = field(compare=False)
    is_global: bool = False


@dataclass(slots=True)
class Number:
    """A numeric literal, with its suffix, as written."""

    text: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class Bool:
    """``true`` or ``false``."""

    value: bool
    pos: int = field(compare=False)


@dataclass(slots=True)
class String:
    """Adjacent string literals, joined; ``value`` has escapes resolved."""

    value: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class Char:
    """``'a'``: an int."""

    value: int
    pos: int = field(compare=False)


@dataclass(slots=True)
class This:
    """``this``, in member functions."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class Unary:
    """Prefix ``+ - ! ~ ++ --`` (and ``* &``, which ``sema`` rejects)."""

    op: str
    operand: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Postfix:
    """``x++``, ``x--``."""

    op: str
    operand: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Binary:
    """A binary operator other than assignment, including ``,``; chains are left-deep and must be walked in a loop."""

    op: str
    left: Expr
    right: Expr
    pos: int = field(compare=False)
    is_parenthesised: bool = field(default=False, compare=False)


@dataclass(slots=True)
class Assign:
    """``=`` and the compound assignments; ``op`` as written (``"="``, ``"+="``)."""

    op: str
    target: Expr
    value: Expr
    pos: int = field(compare=False)
    is_parenthesised: bool = field(default=False, compare=False)


@dataclass(slots=True)
class Ternary:
    """``cond ? then : otherwise``."""

    cond: Expr
    then: Expr
    otherwise: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Call:
    """``f(x)``, ``object.method(x)``; a call whose callee names a type is a ``Construct``."""

    callee: Expr
    args: list[Expr]
    pos: int = field(compare=False)


@dataclass(slots=True)
class Construct:
    """``float3(a, b)``, ``T(x)``, ``Texture2D<float4>(...)`` by a type's name."""

    type: NamedType
    args: list[Expr]
    pos: int = field(compare=False)


@dataclass(slots=True)
class Cast:
    """``(T)x``, also ``(T[3])x``; ``kind`` is ``"c"`` or the keyword (``static_cast``, ``reinterpret_cast``)."""

    type: TypeRef
    operand: Expr
    pos: int = field(compare=False)
    kind: str = "c"


@dataclass(slots=True)
class Index:
    """``base[index]``."""

    base: Expr
    index: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Member:
    """``a.b``, ``a.b<T>``, ``a.Base::b``, ``a.operator+``; ``pos`` is that of the member's name."""

    base: Expr
    name: NamePart
    pos: int = field(compare=False)
    scope: list[NamePart] = field(default_factory=list)
    arrow: bool = False
    """Written with ``->``, which ``sema`` rejects."""


@dataclass(slots=True)
class InitList:
    """``{ a, b }`` as an initialiser."""

    items: list[Expr]
    pos: int = field(compare=False)


@dataclass(slots=True)
class SizeOf:
    """``sizeof(type)`` or ``sizeof expression``."""

    operand: TypeRef | Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class DirectInit:
    """``(a, b)`` as an initialiser, ``T x(a, b);``."""

    args: list[Expr]
    pos: int = field(compare=False)


@dataclass(slots=True)
class Annotated:
    """``[attribute] x`` as an initialiser or as the value of a ``return``."""

    attributes: list[Attribute]
    operand: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Expansion:
    """``x...``: the expansion of an expression or type that contains parameter packs."""

    operand: Expr | TypeRef
    pos: int = field(compare=False)


@dataclass(slots=True)
class SizeOfPack:
    """``sizeof...(name)``: the number of elements of a parameter pack."""

    name: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class Lambda:
    """``[captures](params) -> result { ... }``; a capture is a name, ``&name``, ``&``, ``=`` or ``this``."""

    captures: list[tuple[str, int]]
    """Capture and its position."""
    params: list[Param]
    result: NamedType | None
    body: Block | None
    pos: int = field(compare=False)


@dataclass(slots=True)
class SamplerState:
    """``sampler_state { ... }`` or ``{ Filter = ...; }`` as an initialiser: old effects syntax, ignored as in DXC."""

    pos: int = field(compare=False)


Expr = (
    Name
    | Number
    | Bool
    | String
    | Char
    | This
    | Unary
    | Postfix
    | Binary
    | Assign
    | Ternary
    | Call
    | Construct
    | Cast
    | Index
    | Member
    | InitList
    | SizeOf
    | SamplerState
    | DirectInit
    | Annotated
    | Expansion
    | SizeOfPack
    | Lambda
)
TemplateArg = NamedType | InlineType | Expr
"""A bare name in a template argument list is a ``NamedType`` if it is known to be a type, else a ``Name``."""

# ------------------------------------------------------------------------------------------------------ declarations


@dataclass(slots=True)
class Attribute:
    """``[unroll(4)]``, ``[[vk::binding(1, 2)]]``; ``scope`` is ``"vk"`` or another, ``None`` where unscoped."""

    name: str
    args: list[Expr]
    pos: int = field(compare=False)
    scope: str | None = None
    double: bool = False
    """Written ``[[...]]``."""
    prefix: str | None = None
    """The scope that ``[[using vk: ...]]`` gives to all of a list."""


@dataclass(slots=True)
class Semantic:
    """``: NAME`` after a variable, parameter or function."""

    name: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class RegisterItem:
    """One item of a register annotation; ``t0[2]`` has an ``index``."""

    text: str
    pos: int = field(compare=False)
    index: Expr | None = None


@dataclass(slots=True)
class Register:
    """``: register([profile,] t0[2], space1)`` as written; ``sema.binding_annotations`` checks it."""

    items: list[RegisterItem]
    pos: int = field(compare=False)


@dataclass(slots=True)
class PackOffset:
    """``: packoffset(c0.y)`` has ``register`` ``"c0"`` and ``component`` ``"y"``, as written."""

    register: str
    pos: int = field(compare=False)
    component: str | None = None
    register_pos: int = field(default=0, compare=False)
    component_pos: int = field(default=0, compare=False)


@dataclass(slots=True)
class PayloadAccess:
    """A payload access qualifier of ray tracing: ``: read(caller, closesthit) : write(miss)``.

    ``access`` is `read` or `write`.
    """

    access: str
    stages: list[str]
    pos: int = field(compare=False)


Annotation = Semantic | Register | PackOffset | PayloadAccess


@dataclass(slots=True)
class Declarator:
    """One name in a declaration; ``name`` is its last component, ``scope`` the others (``int S::x;``)."""

    name: str
    pos: int = field(compare=False)
    scope: list[NamePart] = field(default_factory=list)
    dims: list[Expr | None] = field(default_factory=list)
    bits: Expr | None = None
    """Width of the bit-field."""
    annotations: list[Annotation] = field(default_factory=list)
    init: Expr | None = None
    attributes: list[Attribute] = field(default_factory=list)
    args: list[TemplateArg] | None = None
    """Arguments of a variable template specialisation: ``is_same<T, T>``."""


@dataclass(slots=True)
class VarDecl:
    """``attributes quals type a, b[2] : SEM = 1;`` in any context: global, local, or member (a field or a static)."""

    type: TypeRef
    declarators: list[Declarator]
    pos: int = field(compare=False)
    quals: list[str] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    template: list[TemplateParam] | None = None


@dataclass(slots=True)
class Param:
    """A function parameter; ``name`` is ``""`` where it has none."""

    type: TypeRef
    name: str
    pos: int = field(compare=False)
    quals: list[str] = field(default_factory=list)
    """``in out inout uniform const precise sample centroid triangle point vertices payload ...``, as written."""
    dims: list[Expr | None] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    default: Expr | None = None
    attributes: list[Attribute] = field(default_factory=list)
    is_pack: bool = False


@dataclass(slots=True)
class TemplateParam:
    """A template parameter: ``type`` is ``None`` for ``typename T = D``, and ``int`` for ``int N = 4``."""

    name: str
    pos: int = field(compare=False)
    type: TypeRef | None = None
    default: TemplateArg | None = None
    is_pack: bool = False


@dataclass(slots=True)
class MemberInit:
    """``member(args)`` in front of a constructor's body; ``target`` is a member, a base class or the class itself."""

    target: NamedType
    args: list[Expr]
    pos: int = field(compare=False)


CONSTRUCTOR = "{constructor}"
"""Name of constructors, as functions."""
DESTRUCTOR = "{destructor}"
"""Name of destructors, as functions."""


@dataclass(slots=True)
class FunctionDecl:
    """A function, method or operator; ``body`` is ``None`` for a forward declaration.

    An operator's ``name`` is ``"operator+"``, ``"operator[]"``, ``"operator()"``; a conversion's ``"operator"`` with
    the target as ``return_type``.
    """

    return_type: TypeRef
    name: str
    params: list[Param]
    body: Block | None
    pos: int = field(compare=False)
    scope: list[NamePart] = field(default_factory=list)
    quals: list[str] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    """Annotations after the parameter list: the semantic of the result."""
    template: list[TemplateParam] | None = None
    """``[]`` for an explicit specialisation (``template<>``)."""
    args: list[TemplateArg] | None = None
    """Arguments of an explicit specialisation: ``f<int>``."""
    is_const: bool = False
    return_dims: list[Expr | None] = field(default_factory=list)
    trailing: int | None = field(default=None, compare=False)
    """Position of a modifier after the parameters that is not ``const``."""
    inits: list[MemberInit] = field(default_factory=list)
    """Initialisers in front of a constructor's body."""
    is_variadic: bool = False
    """Whether it is the expansion of a template with parameter packs."""
    is_defaulted: bool = False
    is_deleted: bool = False


@dataclass(slots=True)
class AccessDecl:
    """``public:``, ``private:`` or ``protected:`` among the members of a class."""

    access: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class StructDecl:
    """``struct``, ``class`` or ``interface`` (``keyword``); ``members`` is ``None`` for a forward declaration."""

    keyword: str
    name: str
    members: list[Decl] | None
    pos: int = field(compare=False)
    bases: list[NamedType] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    template: list[TemplateParam] | None = None
    args: list[TemplateArg] | None = None
    """Arguments of an explicit or partial specialisation: ``struct S<int>``."""


@dataclass(slots=True)
class CBufferDecl:
    """``cbuffer`` or ``tbuffer`` (``keyword``)."""

    keyword: str
    name: str
    members: list[Decl]
    pos: int = field(compare=False)
    annotations: list[Annotation] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class NamespaceDecl:
    """``namespace name { … }``."""

    name: str
    members: list[Decl]
    pos: int = field(compare=False)


@dataclass(slots=True)
class Enumerator:
    """One name of an enumeration, with its value if it has one."""

    name: str
    value: Expr | None
    pos: int = field(compare=False)


@dataclass(slots=True)
class EnumDecl:
    """``enum name : underlying { … }``; ``is_class`` for ``enum class``."""

    name: str
    enumerators: list[Enumerator]
    pos: int = field(compare=False)
    is_class: bool = False
    underlying: TypeRef | None = None
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class TypedefDecl:
    """``typedef quals type a, b[2];``."""

    type: TypeRef
    declarators: list[Declarator]
    pos: int = field(compare=False)
    quals: list[str] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class UsingDecl:
    """``using A = T;`` (``type``), ``using namespace N;`` (``is_namespace``), ``using N::x;`` (neither)."""

    name: str
    pos: int = field(compare=False)
    type: TypeRef | None = None
    scope: list[NamePart] = field(default_factory=list)
    is_namespace: bool = False
    template: list[TemplateParam] | None = None
    quals: list[str] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class StaticAssertDecl:
    """``_Static_assert(cond, message)``."""

    cond: Expr
    message: str | None
    pos: int = field(compare=False)


@dataclass(slots=True)
class TechniqueDecl:
    """A legacy effects block (``technique``, ``technique10``, ``technique11``, ``fxgroup``): ignored with a warning."""

    keyword: str
    pos: int = field(compare=False)


@dataclass(slots=True)
class EmptyDecl:
    """A lone ``;``."""

    pos: int = field(compare=False)


Decl = (
    VarDecl
    | FunctionDecl
    | StructDecl
    | CBufferDecl
    | NamespaceDecl
    | EnumDecl
    | TypedefDecl
    | UsingDecl
    | StaticAssertDecl
    | TechniqueDecl
    | EmptyDecl
    | AccessDecl
)

# -------------------------------------------------------------------------------------------------------- statements


@dataclass(slots=True)
class Block:
    """Statements in braces."""

    statements: list[Stmt]
    pos: int = field(compare=False)
    end: int = field(compare=False, default=-1)
    """The closing brace."""
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class DeclStmt:
    """A declaration as a statement."""

    decl: Decl
    pos: int = field(compare=False)


@dataclass(slots=True)
class ExprStmt:
    """An expression as a statement."""

    expr: Expr
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class EmptyStmt:
    """A semicolon by itself."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class If:
    """``cond`` is an expression or, in ``if (int x = f())``, a ``VarDecl``."""

    cond: Expr | VarDecl
    then: Stmt
    otherwise: Stmt | None
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class For:
    """``for (init; cond; step) body``."""

    init: DeclStmt | ExprStmt | EmptyStmt
    cond: Expr | VarDecl | None
    step: Expr | None
    body: Stmt
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)
    range: DeclStmt | None = None
    """The declaration of a reference to the array of ``for (T x : array)``."""


@dataclass(slots=True)
class While:
    """``while (cond) body``."""

    cond: Expr | VarDecl
    body: Stmt
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class Do:
    """``do body while (cond);``."""

    body: Stmt
    cond: Expr
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class Switch:
    """``switch (cond) body``; labels are statements of the body."""

    cond: Expr | VarDecl
    body: Stmt
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class Case:
    """``case value:``, a separate statement before the statements it labels."""

    value: Expr
    pos: int = field(compare=False)


@dataclass(slots=True)
class Default:
    """``default:``, a separate statement like ``Case``."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class Break:
    """``break;``."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class Continue:
    """``continue;``."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class Discard:
    """``discard;``."""

    pos: int = field(compare=False)


@dataclass(slots=True)
class Return:
    """``return value;``; ``value`` is ``None`` without an expression."""

    value: Expr | None
    pos: int = field(compare=False)


@dataclass(slots=True)
class AttributedJump:
    """``[attribute] return value;``: no attribute applies to a jump."""

    statement: Stmt
    pos: int = field(compare=False)
    attributes: list[Attribute] = field(default_factory=list)


Stmt = (
    Block
    | AttributedJump
    | DeclStmt
    | ExprStmt
    | EmptyStmt
    | If
    | For
    | While
    | Do
    | Switch
    | Case
    | Default
    | Break
    | Continue
    | Discard
    | Return
)
