"""Check that a decoded module is valid enough to be reflected.

The decoder guarantees the format of instructions.  This check adds that types, constants and variables refer only to
declarations before them (SPIR-V specification 2.4), so that reflection can follow ids without further checks.  Every
module that spirv-val accepts passes.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import SCALARS
from hlsl_tool.spirv.enums import ExecutionMode
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction, Module

MAX_DEPTH = 100
"""Limit on the nesting of types."""
MAX_PARTS = 1_000_000
"""Limit on the parts of a type, with a part counted once per use."""


class ReflectError(ValueError):
    """Raised for a module that is not valid SPIR-V, or that uses an unsupported feature."""


_WIDTHS = frozenset((8, 16, 32, 64))
_TYPES = frozenset(number for number, row in tables.INSTRUCTIONS.items() if row[0].startswith("OpType"))
_LOCAL_SIZE = (ExecutionMode.LocalSize, ExecutionMode.LocalSizeId)


def check(module: Module) -> None:
    """Raise ``ReflectError`` if a declaration refers to a missing one, or to one of the wrong kind."""
    _Checker(module).run()


class _Checker:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.declared: dict[int, Instruction] = {}
        self.size: dict[int, tuple[int, int]] = {}
        """Type id → (nesting depth, number of parts)."""
        self.forward: set[int] = set()

    def run(self) -> None:
        for inst in self.module.globals:
            if inst.op == op.OpTypeForwardPointer:
                self.forward.add(inst.id(0))
            elif inst.op in _TYPES:
                self._type(inst)
            elif inst.op in (op.OpConstant, op.OpSpecConstant):
                self._constant(inst)
            elif inst.op == op.OpVariable and self.definition(inst.type_id, inst).op != op.OpTypePointer:
                raise self._wrong(inst, inst.type_id, "no pointer type")
            if inst.result_id:
                self.declared[inst.result_id] = inst
        for inst in self.module.execution_modes:
            if inst.id(1) in _LOCAL_SIZE and len(inst.operands) < 5:
                raise ReflectError("the size of a workgroup has three numbers")

    def definition(self, number: int, user: Instruction) -> Instruction:
        inst = self.declared.get(number)
        if inst is None:
            raise self._wrong(user, number, "not declared before it")
        return inst

    def _wrong(self, user: Instruction, number: int, what: str) -> ReflectError:
        return ReflectError(f"{tables.INSTRUCTIONS[user.op][0]} %{user.result_id} refers to %{number}, which is {what}")

    def _type(self, inst: Instruction) -> None:
        rule = _RULES.get(inst.op)
        parts = rule(self, inst) if rule is not None else []
        depth, count = 1, 1
        for number in parts:
            if number in self.size:
                depth = max(depth, self.size[number][0] + 1)
                count += self.size[number][1]
        if depth > MAX_DEPTH:
            raise ReflectError(f"types nest deeper than {MAX_DEPTH}")
        if count > MAX_PARTS:
            raise ReflectError(f"a type has more than {MAX_PARTS} parts")
        self.size[inst.result_id] = (depth, count)

    def _number(self, inst: Instruction) -> list[int]:
        if inst.id(0) not in _WIDTHS:
            raise ReflectError(f"{tables.INSTRUCTIONS[inst.op][0]} of {inst.id(0)} bits is not supported")
        return []

    def _of(
        self, allowed: frozenset[int], what: str, low: int = 0, high: int = 0
    ) -> Callable[[Instruction], list[int]]:
        def rule(inst: Instruction) -> list[int]:
            element = inst.id(0)
            if self.definition(element, inst).op not in allowed:
                raise self._wrong(inst, element, what)
            if high and not low <= inst.id(1) <= high:
                raise ReflectError(f"{tables.INSTRUCTIONS[inst.op][0]} has {inst.id(1)} parts")
            return [element]

        return rule

    def _vector(self, inst: Instruction) -> list[int]:
        return self._of(SCALARS, "no scalar type", 2, 16)(inst)

    def _matrix(self, inst: Instruction) -> list[int]:
        return self._of(frozenset((op.OpTypeVector,)), "no vector type", 2, 4)(inst)

    def _array(self, inst: Instruction) -> list[int]:
        if inst.op == op.OpTypeArray:
            self.definition(inst.id(1), inst)
        return self._of(_TYPES, "no type")(inst)

    def _struct(self, inst: Instruction) -> list[int]:
        for number in inst.ints():
            if number not in self.forward and self.definition(number, inst).op not in _TYPES:
                raise self._wrong(inst, number, "no type")
        return inst.ints()

    def _image(self, inst: Instruction) -> list[int]:
        return self._of(SCALARS | {op.OpTypeVoid}, "no scalar type")(inst)

    def _sampled_image(self, inst: Instruction) -> list[int]:
        return self._of(frozenset((op.OpTypeImage,)), "no image type")(inst)

    def _pointer(self, inst: Instruction) -> list[int]:
        pointee = self.definition(inst.id(1), inst)
        if pointee.op not in _TYPES:
            raise self._wrong(inst, inst.id(1), "no type")
        return [] if pointee.op == op.OpTypeStruct else [inst.id(1)]

    def _constant(self, inst: Instruction) -> None:
        t = self.definition(inst.type_id, inst)
        if t.op not in (op.OpTypeInt, op.OpTypeFloat):
            raise self._wrong(inst, inst.type_id, "no number's type")
        if len(inst.operands) != (2 if t.id(0) == 64 else 1):
            raise ReflectError(f"the constant %{inst.result_id} of {t.id(0)} bits has {len(inst.operands)} words")


_RULES: dict[int, Callable[[_Checker, Instruction], list[int]]] = {
    op.OpTypeInt: _Checker._number,
    op.OpTypeFloat: _Checker._number,
    op.OpTypeVector: _Checker._vector,
    op.OpTypeMatrix: _Checker._matrix,
    op.OpTypeArray: _Checker._array,
    op.OpTypeRuntimeArray: _Checker._array,
    op.OpTypeStruct: _Checker._struct,
    op.OpTypeImage: _Checker._image,
    op.OpTypeSampledImage: _Checker._sampled_image,
    op.OpTypePointer: _Checker._pointer,
}
