"""HLSL types, as plain data.

Types are hash-consed: two equal types are the same object, so ``is`` compares them.  A type has no layout, majorness or
constness: the majorness in the source belongs to the declaration (``Variable``, ``Field``) or to the object type's
argument (``ObjectType.majorness``), the layout to ``hlsl_tool.codegen.layout``.

Manual: *HLSL Types*.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from hlsl_tool.base.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from hlsl_tool.frontend.sema.model.annotations import Attribute, PackOffset, Register, Semantic
    from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Category = Literal["void", "bool", "int", "uint", "float", "string"]


MAX_LEVELS = 250
"""Limit on the nesting of types, since later stages recurse over them.  SPIR-V allows 255 (2.17), blocks included."""
MAX_MEMBERS = 16_383
"""Limit of SPIR-V on the members of a struct."""
MAX_STRING = 65_535
"""Limit of SPIR-V on the bytes of a string."""


@dataclass(slots=True, eq=False)
class Scalar:
    """A scalar type.  ``bits`` is the width of its arithmetic (32 for ``half`` unless 16-bit types are enabled)."""

    name: str
    category: Category
    bits: int
    is_min_precision: bool = False
    """Minimum-precision types (``min16float`` …): 32 bits wide, decorated ``RelaxedPrecision``."""
    is_literal: bool = False
    """``literal int`` and ``literal float``: the types of unsuffixed literals, which take the other operand's type."""
    rank: int = 0
    """Rank within a category, for the usual arithmetic conversions."""

    def __repr__(self) -> str:
        return self.name

    @property
    def is_integer(self) -> bool:
        return self.category in ("int", "uint")

    @property
    def constant_bits(self) -> int:
        """Width in which constants are evaluated: as in DXC, that of minimum-precision types is 16."""
        return 16 if self.is_min_precision else 64 if self.is_literal else self.bits


@dataclass(slots=True, eq=False)
class Vector:
    """A vector of 1 to 4 components."""

    element: Scalar
    size: int

    def __repr__(self) -> str:
        return f"vector<{self.element}, {self.size}>"


@dataclass(slots=True, eq=False)
class Matrix:
    """``rows`` x ``cols`` as HLSL counts them; in SPIR-V a row is a column vector (manual: *Appendix A*)."""

    element: Scalar
    rows: int
    cols: int

    def __repr__(self) -> str:
        return f"matrix<{self.element}, {self.rows}, {self.cols}>"


@dataclass(slots=True, eq=False)
class Array:
    """``size`` is ``None`` for an unsized array."""

    element: Type
    size: int | None

    def __repr__(self) -> str:
        dims, inner = "", self.element
        dims += f"[{'' if self.size is None else self.size}]"
        while isinstance(inner, Array):
            dims += f"[{'' if inner.size is None else inner.size}]"
            inner = inner.element
        return f"{inner!r}{dims}"


@dataclass(slots=True, eq=False)
class Field:
    """A member variable of a struct."""

    name: str
    type: Type
    pos: int = 0
    majorness: Majorness | None = None
    """Set by a qualifier or ``#pragma pack_matrix``; ``None``: set by the compiler option."""
    quals: tuple[str, ...] = ()
    semantic: Semantic | None = None
    registers: tuple[Register, ...] = ()
    packoffset: PackOffset | None = None
    attributes: tuple[Attribute, ...] = ()
    bits: int | None = None
    """Width of a bit-field."""
    owner: Struct | None = None
    is_anonymous: bool = False
    """Whether the names in its struct or union are those of members, too."""
    init: Any = None
    """The default initialiser as written, analysed by each constructor that needs it."""


Majorness = Literal["row", "column"]


@dataclass(slots=True, eq=False)
class Struct:
    """A struct, class or interface; compared by identity.  ``fields`` excludes inherited fields, which precede them."""

    name: str
    keyword: str = "struct"
    fields: list[Field] = field(default_factory=list)
    bases: list[Struct] = field(default_factory=list)
    methods: dict[str, list[Any]] = field(default_factory=dict)
    """Name → overloads: functions (`hir.Function`) and function templates (`scope.FunctionTemplate`)."""
    statics: dict[str, Any] = field(default_factory=dict)
    """Name → variable (`hir.Variable`)."""
    types: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    """Enumerators of unscoped enums declared inside."""
    attributes: tuple[Attribute, ...] = ()
    pos: int = 0
    chunk: SourceChunk | None = None
    captured: list[tuple[str, Any]] = field(default_factory=list)
    """Name and l-value of the variables that a lambda expression captures by reference."""
    home: Any = None
    """The function around a lambda expression."""
    hidden: dict[str, str] = field(default_factory=dict)
    """Name → access of the members that are ``private`` or ``protected``."""
    is_complete: bool = False
    is_final: bool = False
    """Whether it is built in, and no struct may inherit it."""
    leaves: int = 0
    """Number of numeric and object members, nested ones included; an array counts as one element."""
    levels: int = 0
    """Nesting depth of structs and arrays, in its members and its template arguments."""
    scope: str = ""
    """Qualified name of the enclosing namespace or struct: ``N::Outer``."""
    template_name: str | None = None
    template_args: tuple[object, ...] = ()
    is_anonymous: bool = False
    alternatives: list[Field] = field(default_factory=list)
    """The members of a union; ``fields`` is its storage, an array of words."""
    arrays: dict[tuple[object, ...], Array] = field(default_factory=dict, init=False, repr=False)
    """Arrays of the struct, interned by `array`."""
    objects: dict[tuple[object, ...], ObjectType] = field(default_factory=dict, init=False, repr=False)
    """Built-in objects with the struct among their template arguments, interned by `object_type`."""
    layouts: dict[object, Any] = field(default_factory=dict, init=False)
    """Layouts cached by `layout`; shaders compiled in one process share structs."""
    _fields_by_name: dict[str, Field] = field(default_factory=dict, init=False, repr=False)
    _indexed: int = field(default=0, init=False, repr=False)
    """Number of ``fields`` that are indexed in ``_fields_by_name``."""

    def __repr__(self) -> str:
        return self.display_name

    @property
    def base(self) -> Struct | None:
        """The base class, as opposed to interfaces; ``None`` if there is none."""
        for b in self.bases:
            if b.keyword != "interface":
                return b
        return None

    @property
    def display_name(self) -> str:
        """Name as diagnostics print it: ``N::S<float>``."""
        return f"{self.scope}::{self.name}" if self.scope else self.name

    @property
    def constructors(self) -> list[Any]:
        """The constructors: functions and function templates."""
        return self.methods.get("{constructor}", [])

    def own_field(self, name: str) -> Field | None:
        """Return the first own field of this name, which may be in an anonymous struct or union."""
        fields = self.members
        if self._indexed < len(fields):
            for added in fields[self._indexed :]:
                self._fields_by_name.setdefault(added.name, added)
            self._indexed = len(fields)
        found = self._fields_by_name.get(name)
        if found is None and "" in self._fields_by_name and name:
            inner = (f.type for f in fields if f.is_anonymous)
            found = next((f for t in inner if isinstance(t, Struct) and (f := t.own_field(name))), None)
        return found

    @property
    def members(self) -> list[Field]:
        """The own fields, or those that share the memory of a union."""
        return self.alternatives or self.fields

    def all_fields(self) -> list[Field]:
        """Return inherited fields, outermost base first, then its own."""
        out: list[Field] = []
        for b in self.bases:
            out += b.all_fields()
        return out + self.fields

    def derives_from(self, other: Struct) -> bool:
        return any(b is other or b.derives_from(other) for b in self.bases)


@dataclass(slots=True, eq=False)
class Enum:
    """An enumeration; its values have type ``underlying``."""

    name: str
    underlying: Scalar
    is_class: bool
    values: dict[str, int] = field(default_factory=dict)
    scope: str = ""
    pos: int = 0

    def __repr__(self) -> str:
        return f"{self.scope}::{self.name}" if self.scope else self.name


VALUE_OBJECTS = frozenset(("vk::BufferPointer", "vk::SpirvType", "vk::ext_result_id"))
"""Object types that are stored in memory, not resources."""


@dataclass(slots=True, eq=False)
class ObjectType:
    """A built-in object: a texture, a buffer, a sampler, a stream, a patch, ...

    ``name`` is the HLSL name (``RWTexture2D``, ``StructuredBuffer``, ``vk::BufferPointer``), ``args`` its template
    arguments including defaults (types, ints); ``majorness`` and ``quals`` are those of the first template argument.
    """

    name: str
    args: tuple[object, ...] = ()
    majorness: Majorness | None = None
    quals: tuple[str, ...] = ()
    methods: dict[str, list[Any]] | None = field(default=None, init=False, repr=False)
    """Cached by `frontend.sema.rules.intrinsics.methods`."""

    def __repr__(self) -> str:
        return f"{self.name}<{', '.join(map(str, self.args))}>" if self.args else self.name

    @property
    def element(self) -> Type:
        """Return the first template argument, which must be a type."""
        first = self.args[0]
        if not isinstance(first, (Scalar, Vector, Matrix, Array, Struct, Enum, ObjectType)):
            raise TypeError(f"{self!r} has no element type")
        return first


Type = Scalar | Vector | Matrix | Array | Struct | Enum | ObjectType

# ------------------------------------------------------------------------------------------------------- the scalars

MAX_SHORT_VECTOR = 4
"""Components of the largest vector before shader model 6.9."""
MAX_LONG_VECTOR = 1024
"""Components of the largest vector from shader model 6.9 on."""

VOID = Scalar("void", "void", 0)
INVALID = Struct("invalid", is_complete=True)
"""Type of a declaration whose type is in error; an expression of it is `Poisoned`."""
BOOL = Scalar("bool", "bool", 1)
INT = Scalar("int", "int", 32, rank=3)
UINT = Scalar("uint", "uint", 32, rank=3)
INT64 = Scalar("int64_t", "int", 64, rank=4)
UINT64 = Scalar("uint64_t", "uint", 64, rank=4)
INT16 = Scalar("int16_t", "int", 16, rank=2)
UINT16 = Scalar("uint16_t", "uint", 16, rank=2)
INT8 = Scalar("int8_t", "int", 8, rank=1)
UINT8 = Scalar("uint8_t", "uint", 8, rank=1)
"""``int8_t`` and ``uint8_t`` under ``-enable-8bit-types``."""
MIN12INT = Scalar("min12int", "int", 32, is_min_precision=True, rank=0)
MIN16INT = Scalar("min16int", "int", 32, is_min_precision=True, rank=1)
MIN16UINT = Scalar("min16uint", "uint", 32, is_min_precision=True, rank=1)
FLOAT = Scalar("float", "float", 32, rank=4)
DOUBLE = Scalar("double", "float", 64, rank=5)
HALF = Scalar("half", "float", 32, rank=3)
"""``half`` if 16-bit types are not enabled: computed in 32 bits."""
FLOAT16 = Scalar("half", "float", 16, rank=3)
"""``half`` and ``float16_t`` under ``-enable-16bit-types``."""
MIN10FLOAT = Scalar("min10float", "float", 32, is_min_precision=True, rank=1)
MIN16FLOAT = Scalar("min16float", "float", 32, is_min_precision=True, rank=2)
INT8X4_PACKED = Scalar("int8_t4_packed", "int", 32, rank=3)
UINT8X4_PACKED = Scalar("uint8_t4_packed", "uint", 32, rank=3)
LITERAL_INT = Scalar("literal int", "int", 64, is_literal=True)
LITERAL_FLOAT = Scalar("literal float", "float", 64, is_literal=True)
STRING = Scalar("string", "string", 0)

# ------------------------------------------------------------------------------------------------------- constructors


@cache
def vector(element: Scalar, size: int) -> Vector:
    """Return the vector type; equal arguments give the same object."""
    return Vector(element, size)


@cache
def matrix(element: Scalar, rows: int, cols: int) -> Matrix:
    """Return the matrix type; equal arguments give the same object."""
    return Matrix(element, rows, cols)


_arrays: dict[tuple[object, ...], Array] = {}
_objects: dict[tuple[object, ...], ObjectType] = {}


def array(element: Type, size: int | None) -> Array:
    """Return the array type; equal arguments give the same object.  Size ``None`` means unsized."""
    key = (element, size)
    holder = struct_in(element)
    interned = _arrays if holder is None else holder.arrays
    cached = interned.get(key)
    if cached is None:
        cached = interned[key] = Array(element, size)
    return cached


def object_type(
    name: str, args: tuple[object, ...] = (), majorness: Majorness | None = None, quals: tuple[str, ...] = ()
) -> ObjectType:
    """Return the built-in object type; equal arguments give the same object."""
    key = (name, args, majorness, quals)
    holder = _struct_among(args)
    interned = _objects if holder is None else holder.objects
    cached = interned.get(key)
    if cached is None:
        cached = interned[key] = ObjectType(name, args, majorness, quals)
    return cached


def struct_in(t: object) -> Struct | None:
    """Return the struct that a type contains as an array element or as a template argument of a built-in object.

    The struct owns the derived types that contain it, so that they live as long as the struct does.
    """
    while isinstance(t, Array):
        t = t.element
    if isinstance(t, ObjectType):
        return _struct_among(t.args)
    return t if isinstance(t, Struct) else None


def _struct_among(args: tuple[object, ...]) -> Struct | None:
    """Return the first struct that template arguments contain."""
    return next(filter(None, map(struct_in, args)), None)


# ----------------------------------------------------------------------------------------------------------- questions


def levels(t: object) -> int:
    """Return the nesting depth of structs and arrays in a type; 0 for all other types."""
    n = 0
    while isinstance(t, Array):
        n += 1
        t = t.element
    return n + t.levels if isinstance(t, Struct) else n


def display(t: Type) -> str:
    """Return the name of a type in diagnostics: ``float3``, ``float4x4``, ``N::S``."""
    dims = ""
    while isinstance(t, Array):
        dims += f"[{'' if t.size is None else t.size}]"
        t = t.element
    if isinstance(t, Vector):
        is_named = " " not in t.element.name and t.size <= 4
        name = f"vector<{t.element.name}, {t.size}>" if not is_named else f"{t.element.name}{t.size}"
    elif isinstance(t, Matrix):
        name = f"{t.element.name}{t.rows}x{t.cols}"
    elif small_float(t):
        name = small_float(t)
    elif isinstance(t, ObjectType) and t.args:
        inner = (
            display(a) if isinstance(a, (Scalar, Vector, Matrix, Array, Struct, Enum, ObjectType)) else str(a)
            for a in t.args
            if not (t.name == "vk::BufferPointer" and a == 0)  # the implicit alignment
        )
        name = f"{t.name}<{', '.join(inner)}>"
    else:
        name = repr(t)
    return name + dims


_SMALL_FLOATS: dict[tuple[object, ...], str] = {
    (16, 0): "vk::khr::bfloat16_t",
    (8, 4214): "vk::ext::float8_e4m3_t",
    (8, 4215): "vk::ext::float8_e5m2_t",
}
"""(width, encoding) of OpTypeFloat → its name in `vk/khr/bfloat16.h` or `vk/ext/float8.h`."""
_OP_TYPE_FLOAT, _OP_TYPE_VECTOR = 22, 23


def small_float(t: Type) -> str:
    """Return the name that its header gives to a bfloat16 or float8 type, or a vector of one; empty for other types."""
    if not isinstance(t, ObjectType) or t.name != "vk::SpirvType":
        return ""
    opcode, _, _, *operands = t.args
    if opcode == _OP_TYPE_FLOAT:
        return _SMALL_FLOATS.get(tuple(_literal(operand) for operand in operands), "")
    if opcode == _OP_TYPE_VECTOR and isinstance(operands[0], ObjectType):
        element = small_float(operands[0])
        return f"{element}{_literal(operands[1])}" if element else ""
    return ""


def _literal(operand: object) -> object:
    """Return the value of ``vk::Literal<vk::integral_constant<T, value>>``."""
    if isinstance(operand, ObjectType) and operand.name == "vk::Literal":
        constant = operand.args[0]
        return constant.args[-1] if isinstance(constant, ObjectType) else None
    return None


def is_numeric(t: Type) -> bool:
    """Return whether a type is a scalar, vector or matrix."""
    return isinstance(t, (Vector, Matrix)) or (isinstance(t, Scalar) and t.category not in ("void", "string"))


def element_of(t: Type) -> Scalar | None:
    """Return the component type of a numeric type, the underlying type of an enum, or ``None``."""
    if isinstance(t, Scalar):
        return t
    if isinstance(t, (Vector, Matrix)):
        return t.element
    if isinstance(t, Enum):
        return t.underlying
    return None


def component_count(t: Type) -> int:
    """Return the number of components of a numeric type."""
    if isinstance(t, Vector):
        return t.size
    if isinstance(t, Matrix):
        return t.rows * t.cols
    return 1


def with_element(t: Type, element: Scalar) -> Type:
    """Return the type with the shape of ``t`` and another component type."""
    if isinstance(t, Vector):
        return vector(element, t.size)
    if isinstance(t, Matrix):
        return matrix(element, t.rows, t.cols)
    return element


def flatten(t: Type) -> list[Type]:
    """Return the types of all scalars, enums and objects in an aggregate, in order (for HLSL's flat conversions)."""
    out: list[Type] = []
    todo: list[Type] = [t]
    while todo:
        t = todo.pop()
        if isinstance(t, Array):
            todo += [t.element] * (t.size or 0)
        elif isinstance(t, Struct):
            todo += [f.type for f in reversed(t.all_fields()) if f.bits != 0]
        elif isinstance(t, (Vector, Matrix)):
            out += [t.element] * component_count(t)
        elif t is not VOID:
            out.append(t)
    return out


def innermost(t: Type) -> Type:
    """Return the element type below all array dimensions."""
    while isinstance(t, Array):
        t = t.element
    return t


def concrete(t: Scalar) -> Scalar:
    """Return ``int`` or ``float`` for the type of an untyped literal; return other types unchanged."""
    if t is LITERAL_INT:
        return INT
    if t is LITERAL_FLOAT:
        return FLOAT
    return t


def is_plain_record(t: Type) -> bool:
    """Return whether a type is a struct of numbers."""
    return isinstance(t, Struct) and t.is_complete and all(_is_plain(f.type) for f in t.all_fields())


def _is_plain(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.element
    if isinstance(t, Scalar):
        return t.category not in ("void", "string")
    return isinstance(t, (Vector, Matrix, Enum)) or is_plain_record(t)
