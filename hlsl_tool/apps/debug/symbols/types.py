"""Types as HLSL writes them, made from those of the module and of its debug information."""

from __future__ import annotations

from collections.abc import Mapping

from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.interpreter.model.types import Type
from hlsl_tool.spirv import shader_debug

from .debug_info import DebugInfo

_KINDS = frozenset(("bool", "int", "float"))
_SCALARS = {
    ("float", 2): "half",
    ("float", 4): "float",
    ("float", 8): "double",
    ("int", 1): "int8_t",
    ("int", 2): "int16_t",
    ("int", 4): "int",
    ("int", 8): "int64_t",
}


@dataclass(slots=True)
class HlslType:
    """A type of HLSL for values of a type of the module."""

    name: str
    kind: str
    """``scalar``, ``vector``, ``matrix``, ``array``, ``struct`` or ``other``."""
    of: Type
    is_bool: bool = False
    element: HlslType | None = None
    length: int | None = None
    """The number of elements, rows or components; ``None`` for run-time arrays."""
    members: list[tuple[str, HlslType]] = field(default_factory=list)

    @property
    def declared_suffix(self) -> str:
        """The lengths of an array, which HLSL writes behind the name of a variable."""
        if self.kind != "array" or self.element is None:
            return ""
        return f"[{self.length or ''}]{self.element.declared_suffix}"

    @property
    def base(self) -> str:
        """The type that HLSL writes before the name of a variable: that of an array's elements."""
        return self.element.base if self.kind == "array" and self.element is not None else self.name


class TypeNames:
    """Makes the types of HLSL for one program."""

    def __init__(self, info: DebugInfo, declared: Mapping[tuple[str, str], str] | None = None) -> None:
        self.info = info
        self.declared = declared or {}
        """(struct, member) → its type in HLSL, where memory has another one, as for booleans."""
        self._types: dict[tuple[int, int], HlslType] = {}

    def of(self, whole: Type, debug: int = 0) -> HlslType:
        """Return the type for a type of the module, and the id of a type of the debug information, or 0."""
        key = (whole.id, debug)
        made = self._types.get(key)
        if made is None:
            made = self._types[key] = self._made(whole, debug)
        return made

    def _made(self, whole: Type, debug: int) -> HlslType:
        while self.info.kind_of(debug) == shader_debug.DebugTypedef:
            debug = self.info.operand(debug, 1)
        kind = self.info.kind_of(debug)
        if whole.kind in _KINDS:
            return self._scalar(whole, debug)
        if whole.kind == "vector":
            return self._vector(whole, debug if kind == shader_debug.DebugTypeVector else 0)
        if whole.kind == "matrix" or kind == shader_debug.DebugTypeMatrix:
            return self._matrix(whole, debug if kind == shader_debug.DebugTypeMatrix else 0)
        if whole.kind == "array":
            return self._array(whole, debug if kind == shader_debug.DebugTypeArray else 0, 1)
        if whole.kind == "struct":
            return self._struct(whole, debug)
        return HlslType(whole.kind, "other", whole)

    def _scalar(self, whole: Type, debug: int) -> HlslType:
        size = whole.dtype.itemsize if whole.dtype is not None else 4
        name = "bool" if whole.kind == "bool" else _SCALARS.get((whole.kind, size), whole.kind)
        if whole.kind == "int" and not whole.signed:
            name = f"u{name}"
        is_bool = whole.kind == "bool"
        if self.info.kind_of(debug) in (shader_debug.DebugTypeBasic, shader_debug.DebugTypeEnum):
            name = self.info.text(debug) or name
            encoding = shader_debug.DebugBaseTypeAttributeEncoding.Boolean
            is_basic = self.info.kind_of(debug) == shader_debug.DebugTypeBasic
            is_bool = is_bool or (is_basic and self.info.constant(debug, 2) == encoding)
        return HlslType(name, "scalar", whole, is_bool)

    def _vector(self, whole: Type, debug: int) -> HlslType:
        assert whole.element is not None
        element = self.of(whole.element, self.info.operand(debug, 0) if debug else 0)
        return HlslType(f"{element.name}{whole.length}", "vector", whole, element.is_bool, element, whole.length)

    def _matrix(self, whole: Type, debug: int) -> HlslType:
        """Return the type of a matrix; matrices of integers are arrays of vectors in the module."""
        assert whole.element is not None
        row = self.of(whole.element, self.info.operand(debug, 0) if debug else 0)
        scalar = row.element or row
        name = f"{scalar.name}{whole.length}x{row.length or 1}"
        return HlslType(name, "matrix", whole, row.is_bool, row, whole.length)

    def _array(self, whole: Type, debug: int, dimension: int) -> HlslType:
        """Return the type of an array; the debug type of an array of arrays has the lengths of all dimensions."""
        assert whole.element is not None
        if debug and dimension + 1 < len(self.info.operands(debug)) and whole.element.kind == "array":
            element = self._array(whole.element, debug, dimension + 1)
        else:
            element = self.of(whole.element, self.info.operand(debug, 0) if debug else 0)
        name = f"{element.base}[{whole.length or ''}]{element.declared_suffix}"
        return HlslType(name, "array", whole, element.is_bool, element, whole.length)

    def _struct(self, whole: Type, debug: int) -> HlslType:
        if self.info.kind_of(debug) == shader_debug.DebugTypeTemplate:
            debug = self.info.operand(debug, 0)
        debugs: list[int] = []
        names: list[str] = []
        if self.info.kind_of(debug) == shader_debug.DebugTypeComposite:
            for member in self.info.operands(debug)[9:]:
                if self.info.kind_of(member) == shader_debug.DebugTypeMember:
                    names.append(self.info.text(member))
                    debugs.append(self.info.operand(member, 1))
        if len(debugs) != len(whole.members):
            debugs = [0] * len(whole.members)
            names = [self._member_name(whole, number) for number in range(len(whole.members))]
        name = self.info.index.names.get(whole.id, "struct").removeprefix("type.")
        made = HlslType(name, "struct", whole)
        struct = self.info.index.names.get(whole.id, "")
        for label, part, number in zip(names, whole.members, debugs, strict=True):
            made_part, text = self.of(part, number), self.declared.get((struct, label), "")
            made.members.append((label, _boolean(made_part) if text.startswith("bool") else made_part))
        return made

    def _member_name(self, struct: Type, number: int) -> str:
        """Return the name of a member; for a base class, which is a member without a name, that of the class."""
        base = self.info.index.names.get(struct.members[number].id, f"{number}")
        return self.info.index.member_names.get((struct.id, number)) or base


def _boolean(of: HlslType) -> HlslType:
    """Return the type of booleans that are stored as numbers."""
    element = _boolean(of.element) if of.element is not None else None
    return replace(of, name=of.name.replace("uint", "bool"), is_bool=True, element=element)
