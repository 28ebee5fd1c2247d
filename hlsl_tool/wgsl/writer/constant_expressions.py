"""Write constants as expressions, and specialisation constants as overrides."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.expr import PRIMARY, UNARY, Expr, call
from hlsl_tool.wgsl.writer.unique_names import Names
from hlsl_tool.wgsl.writer.wgsl_types import WgslTypes

INLINE_PARTS = 16
"""The largest number of scalars in a composite that is not declared as a constant of the module."""


FLOATS = {16: ("<e", "<H", "h", 65504.0), 32: ("<f", "<I", "f", float.fromhex("0x1.fffffep+127"))}
"""Width → (`struct`'s format of the number, that of its bits, suffix of a literal, largest number)."""


def float_literal(bits: int, width: int) -> str | None:
    """Return the shortest literal with this value; ``None`` for infinities and NaNs, which WGSL cannot write.

    The literal is never above the type's largest number: compilers refuse that even if it would be rounded down.
    """
    pack, word, suffix, largest = FLOATS[width]
    exact = struct.pack(word, bits & (1 << width) - 1)
    value = float(struct.unpack(pack, exact)[0])
    if not math.isfinite(value):
        return None
    for digits in range(1, 18):  # 17 digits are enough for any double
        text = f"{value:.{digits}g}"
        if abs(float(text)) <= largest and struct.pack(pack, float(text)) == exact:
            break
    if "e" in text and abs(value) < 1e7 and "e" not in repr(float(text)):
        text = repr(float(text))
    elif "e" not in text and "." not in text:
        text += ".0"
    return text + suffix


MAX_OVERRIDE = 65535
"""The largest number of an override."""


def integer_literal(value: int, signed: bool) -> str:
    """Spell a 32-bit word as an i32 or u32 literal."""
    if not signed:
        return f"{value & 0xFFFFFFFF}u"
    if value & 0x80000000:
        value = (value & 0xFFFFFFFF) - (1 << 32)
    return "i32(-2147483648)" if value == -(1 << 31) else f"{value}i"


class Constants:
    """The WGSL expressions of a module's constants."""

    def __init__(
        self,
        view: View,
        names: Names,
        types: WgslTypes,
        helper: Callable[[str], str],
        operation: Callable[[Instruction], Expr],
    ) -> None:
        self.view = view
        self.names = names
        self.types = types
        self.helper = helper
        """Returns the name of a helper function, and declares it."""
        self.operation = operation
        """Returns the expression of an OpSpecConstantOp."""
        self.expressions: dict[int, Expr] = {}
        self.declarations: list[str] = []
        self.numbers: dict[int, tuple[int, str, Expr]] = {}
        """SpecId → (type, default, expression of the override)."""
        self.frozen = self._array_lengths()
        """Specialisation constants that must be constant in WGSL: they have their defaults."""
        types.lengths = self.length

    def _array_lengths(self) -> set[int]:
        lengths: set[int] = set()
        for inst in self.view.module.globals:
            if inst.op == op.OpTypeArray:
                lengths.add(inst.id(1))
        return lengths

    def length(self, constant: int) -> str:
        return f"{self.view.integer(constant)}"

    def expr(self, value: int) -> Expr | None:
        """Return the expression for a constant; ``None`` for an id that is not a constant."""
        cached = self.expressions.get(value)
        if cached is not None:
            return cached
        inst = self.view.defs[value]
        make = _MAKERS.get(inst.op)
        if make is None:
            return None
        cached = self.expressions[value] = make(self, inst)
        return cached

    # ------------------------------------------------------------------------------------------------------- scalars

    def literal(self, type_id: int, bits: int) -> Expr:
        inst = self.view.type(type_id)
        self.types.spell(type_id)
        if inst.op == op.OpTypeInt:
            text = integer_literal(bits, inst.id(1) == 1)
            return Expr(text, UNARY if text[0] == "-" else PRIMARY, constant=True, named=True)
        text_or_none = float_literal(bits, inst.id(0))
        if text_or_none is None:
            helper = self.helper("float_from_bits" if inst.id(0) == 32 else "half_from_bits")
            return Expr(f"{helper}(0x{bits & (1 << inst.id(0)) - 1:0{inst.id(0) // 4}x}u)", PRIMARY)
        return Expr(text_or_none, UNARY if text_or_none[0] == "-" else PRIMARY, constant=True, named=True)

    def _number(self, inst: Instruction) -> Expr:
        return self.literal(inst.type_id, inst.id(0))

    def _boolean(self, inst: Instruction) -> Expr:
        return Expr("true" if inst.op == op.OpConstantTrue else "false", constant=True, named=True)

    def _null(self, inst: Instruction) -> Expr:
        return self.zero(inst.type_id)

    def zero(self, type_id: int) -> Expr:
        inst = self.view.type(type_id)
        if inst.op in (op.OpTypeInt, op.OpTypeFloat):
            return self.literal(type_id, 0)
        if inst.op == op.OpTypeBool:
            return Expr("false", constant=True, named=True)
        return Expr(f"{self.types.spell(type_id)}()", constant=True, depth=1)

    def integer(self, value: int, signed: bool) -> Expr:
        text = integer_literal(value, signed)
        return Expr(text, UNARY if text[0] == "-" else PRIMARY, constant=True, named=True)

    # ---------------------------------------------------------------------------------------------------- composites

    def parts(self, inst: Instruction) -> int:
        """Return the number of scalars in a composite constant.

        Counting stops soon after the limit for inline constants.
        """
        count = 0
        pending = [inst]
        while pending and count <= INLINE_PARTS:
            current = pending.pop()
            if current.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
                pending += [self.view.defs[part] for part in current.ints()]
            else:
                count += 1
        return count

    def _composite(self, inst: Instruction) -> Expr:
        parts: list[Expr] = []
        for operand in inst.ints():
            part = self.expr(operand)
            if part is None:
                raise Unsupported("a constant has a part that is none")
            parts.append(part)
        result = self.construct(inst.type_id, parts)
        kind = self.view.type(inst.type_id).op
        if not result.constant or kind in (op.OpTypeVector, op.OpTypeMatrix) or self.parts(inst) <= INLINE_PARTS:
            return result
        name = self.names.unique(self.view.names.get(inst.result_id, ""), "constants")
        self.declarations.append(f"const {name} = {result.text};\n")
        return Expr(name, constant=True, named=True)

    def construct(self, type_id: int, parts: list[Expr]) -> Expr:
        """Write a value constructor; for a vector of equal literals use a single argument."""
        spelled = self.types.spell(type_id)
        if self.view.type(type_id).op == op.OpTypeVector and len(parts) == self.view.components(type_id):
            first = parts[0]
            if first.named and all(part.text == first.text for part in parts[1:]):
                parts = parts[:1]
        return call(spelled, *parts)

    # ---------------------------------------------------------------------------------------------------- overrides

    def _spec(self, inst: Instruction) -> Expr:
        if inst.op in (op.OpSpecConstantTrue, op.OpSpecConstantFalse):
            value = Expr("true" if inst.op == op.OpSpecConstantTrue else "false")
        else:
            value = self.literal(inst.type_id, inst.id(0))
            if not value.constant:
                raise Unsupported("WGSL has no override that is an infinity or NaN by default", inst.result_id)
        return self._declare(inst, value.text)

    def _declare(self, inst: Instruction, text: str) -> Expr:
        number = self.view.literal(inst.result_id, Decoration.SpecId)
        if number is not None and number in self.numbers:
            type_id, default, override = self.numbers[number]
            if (type_id, default) == (inst.type_id, text):
                return override
        if number is not None and number > MAX_OVERRIDE:
            raise Unsupported(f"WGSL has no override beyond {MAX_OVERRIDE}, and SpecId is {number}", inst.result_id)
        hint = self.view.names.get(inst.result_id, "") or (f"constant_{number}" if number is not None else "")
        name = self.names.unique(hint, "override_value")
        spelled = self.types.spell(inst.type_id)
        if inst.result_id in self.frozen and number is not None:
            self.declarations.append(
                f"// an array has this length: WGSL wants to know it\nconst {name}: {spelled} = {text};\n"
            )
        else:
            identity = f"@id({number}) " if number is not None else ""
            if number in self.numbers:
                identity = f"// also has SpecId {number}, but another default: WGSL gives the number to one only\n"
            self.declarations.append(f"{identity}override {name}: {spelled} = {text};\n")
        override = Expr(name, named=True, constant=True)
        if number is not None and number not in self.numbers:
            self.numbers[number] = inst.type_id, text, override
        return override

    def _operation(self, inst: Instruction) -> Expr:
        """Return the expression for an OpSpecConstantOp.

        A scalar becomes an override; a value of another type is repeated at each use.
        """
        result = self.operation(inst)
        if self.view.type(inst.type_id).op not in (op.OpTypeInt, op.OpTypeFloat, op.OpTypeBool):
            return result
        return self._declare(inst, result.text)


_MAKERS: dict[int, Callable[[Constants, Instruction], Expr]] = {
    op.OpConstant: Constants._number,
    op.OpConstantTrue: Constants._boolean,
    op.OpConstantFalse: Constants._boolean,
    op.OpConstantNull: Constants._null,
    op.OpUndef: Constants._null,
    op.OpConstantComposite: Constants._composite,
    op.OpSpecConstantComposite: Constants._composite,
    op.OpSpecConstant: Constants._spec,
    op.OpSpecConstantTrue: Constants._spec,
    op.OpSpecConstantFalse: Constants._spec,
    op.OpSpecConstantOp: Constants._operation,
}
