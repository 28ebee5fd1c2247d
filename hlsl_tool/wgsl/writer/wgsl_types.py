"""Convert SPIR-V types to WGSL value types, and declare the module's structs."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.unique_names import MEMBERS, Names, sanitise

MAX_BYTES = 0xFFFFFFFF
"""The largest size of an array in bytes: WGSL counts bytes with 32 bits."""

LETTERS = {"f32": "f", "f16": "h", "i32": "i", "u32": "u"}


FEATURES = {
    "f16": "shader-f16",
    "clip_distances": "clip-distances",
    "dual_source_blending": "dual-source-blending",
    "primitive_index": "primitive-index",
    "subgroups": "subgroups",
}
"""Extension that the text enables → the feature that the device must have."""


@dataclass(slots=True)
class Requirements:
    """The `enable` and `requires` directives of the text, and the device features that it needs."""

    enables: set[str] = field(default_factory=set)
    requires: set[str] = field(default_factory=set)
    features: set[str] = field(default_factory=set)
    """Features of the device, apart from those of enabled extensions."""
    derivatives: bool = False
    subgroups: bool = False

    def device_features(self) -> tuple[str, ...]:
        """Return the content of ``requiredFeatures`` for ``requestDevice``, in WebGPU's names."""
        return tuple(sorted(self.features | {FEATURES[name] for name in self.enables if name in FEATURES}))


@dataclass(slots=True)
class StructText:
    """The members of a struct declaration: (attributes, name, type) of each."""

    name: str
    members: list[tuple[str, str, str]]

    def lines(self) -> str:
        body = "".join(f"  {attributes}{name}: {spelled},\n" for attributes, name, spelled in self.members)
        return f"struct {self.name} {{\n{body}}}\n"


class WgslTypes:
    """The WGSL spelling of value types; a struct is declared when it is first spelled."""

    def __init__(self, view: View, names: Names, needs: Requirements) -> None:
        self.view = view
        self.names = names
        self.needs = needs
        self.structs: list[StructText] = []
        self.spelled: dict[int, str] = {}
        self.lengths: Callable[[int], str] = str
        """Returns the text of an array's length; set by the constants."""
        self.laid_out: Callable[[int], str | None] = lambda _: None
        """Returns the name of a struct with layout whose type values share; set by `layout`."""
        self._declared: dict[tuple[str, tuple[tuple[str, str, str], ...]], StructText] = {}
        self._member_names: dict[int, list[str]] = {}

    def spell(self, type_id: int) -> str:
        spelled = self.spelled.get(type_id)
        if spelled is None:
            inst = self.view.type(type_id)
            make = _SPELLERS.get(inst.op)
            if make is None:
                raise Unsupported("the type has no equivalent in WGSL", type_id)
            spelled = self.spelled[type_id] = make(self, inst)
        return spelled

    def scalar(self, inst: Instruction) -> str:
        """Return the WGSL name of a scalar type: ``f32``."""
        if inst.op == op.OpTypeBool:
            return "bool"
        width = inst.id(0)
        if inst.op == op.OpTypeFloat:
            if len(inst.operands) > 1:
                raise Unsupported(f"WGSL has no {'bfloat16' if width == 16 else 'float8'} type", inst.result_id)
            if width == 16:
                self.needs.enables.add("f16")
                return "f16"
            if width == 32:
                return "f32"
        elif width == 32:
            return "i32" if inst.id(1) else "u32"
        kind = "float" if inst.op == op.OpTypeFloat else "integer"
        raise Unsupported(f"WGSL has no {width}-bit {kind} type", inst.result_id)

    def vector(self, count: int, scalar: str) -> str:
        letter = LETTERS.get(scalar)
        return f"vec{count}{letter}" if letter else f"vec{count}<{scalar}>"

    def _vector(self, inst: Instruction) -> str:
        count = inst.id(1)
        if not 2 <= count <= 4:
            raise Unsupported(f"WGSL has no vectors of {count}", inst.result_id)
        return self.vector(count, self.scalar(self.view.type(inst.id(0))))

    def _matrix(self, inst: Instruction) -> str:
        column = self.view.type(inst.id(0))
        return self.matrix(inst.id(1), column.id(1), self.scalar(self.view.type(column.id(0))))

    def matrix(self, columns: int, rows: int, scalar: str) -> str:
        return f"mat{columns}x{rows}{LETTERS[scalar]}"

    def _array(self, inst: Instruction) -> str:
        if self.bytes(inst.result_id) > MAX_BYTES:
            raise Unsupported("an array is larger than WGSL allows", inst.result_id)
        return f"array<{self.spell(inst.id(0))}, {self.lengths(inst.id(1))}>"

    def bytes(self, type_id: int) -> int:
        """Return the approximate size of a value in bytes."""
        inst = self.view.type(type_id)
        if inst.op == op.OpTypeStruct:
            return sum(self.bytes(member) for member in inst.ints())
        if inst.op == op.OpTypeArray:
            return self.bytes(inst.id(0)) * self.view.length(type_id)
        if inst.op in (op.OpTypeVector, op.OpTypeMatrix):
            return self.bytes(inst.id(0)) * inst.id(1)
        return 4

    def _runtime_array(self, inst: Instruction) -> str:
        return f"array<{self.spell(inst.id(0))}>"

    def _struct(self, inst: Instruction) -> str:
        if not inst.operands:  # WGSL has no empty structs
            return self.declare(inst.result_id, [("", "unused", "u32")]).name
        shared = self.laid_out(inst.result_id)
        if shared is not None:
            return shared
        members = [
            ("", name, self.spell(member))
            for name, member in zip(self.member_names(inst.result_id), inst.ints(), strict=True)
        ]
        return self.declare(inst.result_id, members).name

    def declare(
        self, type_id: int, members: list[tuple[str, str, str]], suffix: str = "", name: str = ""
    ) -> StructText:
        """Declare a struct for a SPIR-V type, with the type's name and ``suffix``, or with ``name`` instead, if given.

        A member is (attributes, name, type). Equal structs (with the same name and members) are declared once.
        """
        own = self.view.names.get(type_id, "")
        hint = name or own.removeprefix("type.")
        if not name and own.startswith("type.") and self.names.taken(sanitise(hint + suffix)):
            suffix += "_block"  # a constant buffer has the name
        key = hint, tuple(members)
        text = self._declared.get(key)
        if text is None:
            text = StructText(self.names.unique(hint + suffix if hint else "", "Struct"), members)
            self._declared[key] = text
            self.structs.append(text)
        return text

    def member_names(self, struct_id: int) -> list[str]:
        """Return the names of a struct's members, unique within the struct."""
        cached = self._member_names.get(struct_id)
        if cached is None:
            names = Names(words=MEMBERS)
            count = len(self.view.type(struct_id).operands)
            hints = [self.view.member_names.get((struct_id, index), "") for index in range(count)]
            cached = [names.unique(hint, f"member{index}") for index, hint in enumerate(hints)]
            self._member_names[struct_id] = cached
        return cached

    def _pointer(self, inst: Instruction) -> str:
        spaces = {StorageClass.Function: "function", StorageClass.Private: "private"}
        space = spaces.get(inst.id(0))
        if space is None:
            raise Unsupported("a pointer of this storage class cannot be a value in WGSL", inst.result_id)
        return f"ptr<{space}, {self.spell(inst.id(1))}>"


_SPELLERS: dict[int, Callable[[WgslTypes, Instruction], str]] = {
    op.OpTypeBool: WgslTypes.scalar,
    op.OpTypeInt: WgslTypes.scalar,
    op.OpTypeFloat: WgslTypes.scalar,
    op.OpTypeVector: WgslTypes._vector,
    op.OpTypeMatrix: WgslTypes._matrix,
    op.OpTypeArray: WgslTypes._array,
    op.OpTypeRuntimeArray: WgslTypes._runtime_array,
    op.OpTypeStruct: WgslTypes._struct,
    op.OpTypePointer: WgslTypes._pointer,
}
