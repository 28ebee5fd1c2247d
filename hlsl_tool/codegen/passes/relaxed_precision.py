"""Determine which values are RelaxedPrecision.

Before: the lowering has marked with ``RELAXED_TYPE`` the values whose HLSL type has minimum precision (min16float,
min16int, min12int …): variables, parameters, functions (by their return type), and the results of conversions,
constructions, calls and image instructions; ``Member.relaxed`` marks struct members. ``RELAXED`` marks of the lowering
are treated as ``RELAXED_TYPE``. After: ``RELAXED`` marks the values to decorate. Loads and extractions are relaxed if
their source is; arithmetic is relaxed if all its operands are. Constant operands are ignored: they are shared by all
their uses, and in HLSL both operands have the same type. If all operands are constants, the mark of the result counts.
"""

from __future__ import annotations

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, BIT_FIELDS, IMAGE_READS
from hlsl_tool.spirv.builder import RELAXED, RELAXED_TYPE, ModuleBuilder, TypeInfo
from hlsl_tool.spirv.ir import Instruction

from .walk import ATOMICS, BINARY, UNARY, function_body

_CONVERSIONS = frozenset((op.OpBitcast, op.OpFConvert, op.OpSConvert, op.OpUConvert))
_BY_TYPE = (
    IMAGE_READS
    | _CONVERSIONS
    | {
        op.OpVariable,
        op.OpFunctionParameter,
        op.OpFunctionCall,
        op.OpCompositeConstruct,
        op.OpCompositeInsert,
    }
)


def propagate_relaxed_precision(builder: ModuleBuilder) -> None:
    """Replace the lowering's marks by ``RELAXED`` on the values to decorate."""
    for value, flags in builder.marks.items():
        if flags & RELAXED:
            builder.marks[value] = flags & ~RELAXED | RELAXED_TYPE
    relaxed_members = any(member.relaxed for info in builder.types.values() for member in info.members)
    if not relaxed_members and not any(flags & RELAXED_TYPE for flags in builder.marks.values()):
        return
    work = _Work(builder)
    for variable in builder.variables:
        work.visit(variable)
    for function in builder.functions:
        if builder.has_mark(function.id, RELAXED_TYPE):
            builder.mark(function.id, RELAXED)
        for param in function.parameters:
            work.visit(param)
        for inst in function_body(builder, function):
            work.visit(inst)


class _Work:
    """The forward propagation in one module."""

    def __init__(self, builder: ModuleBuilder) -> None:
        self.b = builder
        self.glsl = builder.ext_sets.get(glsl.SET, 0)
        self.images: set[int] = set()
        """Relaxed images and sampled images: values that are read from them are relaxed."""

    def typed(self, value: int) -> bool:
        """Return whether a value has a type of minimum precision."""
        return self.b.has_mark(value, RELAXED_TYPE)

    def relaxed(self, value: int) -> bool:
        return self.b.has_mark(value, RELAXED)

    def all_relaxed(self, values: list[int], result: int) -> bool:
        """Return whether all non-constant values are relaxed; where all are constants, whether ``result`` is typed."""
        counting = [value for value in values if not self.b.is_constant(value)]
        return all(self.relaxed(value) for value in counting) if counting else self.typed(result)

    def visit(self, inst: Instruction) -> None:
        """Mark an instruction's result if it is to be decorated RelaxedPrecision."""
        result = inst.result_id
        if not result:
            return
        opcode = inst.op
        # An access chain has no precision itself, but values that are read through it may have.
        if opcode in ACCESS_CHAINS:
            if self._member_is_relaxed(self.b.pointee_of(inst.id(0)), inst.ints()[1:], self.typed(inst.id(0))):
                self.b.mark(result, RELAXED_TYPE)
            return
        if opcode == op.OpLoad:
            if self.typed(inst.id(0)):
                self.b.mark(result, RELAXED_TYPE)
        elif opcode == op.OpCompositeExtract:
            composite = inst.id(0)
            if self._extracted_is_relaxed(self.b.type_of(composite), inst.ints()[1:], self.typed(composite)):
                self.b.mark(result, RELAXED_TYPE)
        elif opcode == op.OpFunctionCall and self.typed(inst.id(0)):
            self.b.mark(result, RELAXED_TYPE)
        if opcode == op.OpSampledImage and inst.id(0) in self.images:
            self.images.add(result)
        if self._decide(inst):
            self.b.mark(result, RELAXED)
            if self.b.type_of(result).kind in ("image", "sampled_image"):
                self.images.add(result)

    def _decide(self, inst: Instruction) -> bool:
        """Return whether an instruction's result is to be decorated RelaxedPrecision."""
        opcode, result = inst.op, inst.result_id
        if opcode in IMAGE_READS and inst.id(0) in self.images:
            return True
        if opcode in _BY_TYPE or opcode in (op.OpLoad, op.OpCompositeExtract):
            return self.typed(result)
        if opcode in UNARY:
            return self.relaxed(inst.id(0)) and not self._is_bool(inst.id(0))
        if opcode in BINARY:
            return self.all_relaxed(inst.ints()[:2], result) and not self._is_bool(inst.id(0))
        if opcode == op.OpSelect:
            return self.all_relaxed(inst.ints()[1:3], result)
        if opcode == op.OpVectorShuffle:
            return self._shuffle(inst)
        if opcode == op.OpExtInst:
            return inst.id(0) == self.glsl and self.all_relaxed(inst.ints()[2:], result)
        if opcode in BIT_FIELDS:
            return self.relaxed(inst.id(0))
        if opcode in ATOMICS:
            has_value = len(inst.operands) > 3
            return self.relaxed(inst.id(0)) and (not has_value or self.all_relaxed(inst.ints()[3:4], result))
        return False

    def _is_bool(self, value: int) -> bool:
        """Return whether a value is a boolean or a vector of booleans, which have no precision."""
        info = self.b.type_of(value)
        return (info.element or info).kind == "bool"

    def _shuffle(self, inst: Instruction) -> bool:
        first, second, *selectors = inst.ints()
        size = self.b.type_of(first).count
        used = [vector for vector, low in ((first, True), (second, False)) if any((s < size) == low for s in selectors)]
        return all(self.typed(vector) or self.relaxed(vector) for vector in used)

    def _member_is_relaxed(self, info: TypeInfo, indexes: list[int], relaxed: bool) -> bool:
        for index in indexes:
            if info.kind == "struct":
                number = self.b.constant_value(index)
                if not isinstance(number, int):
                    return relaxed
                relaxed = info.members[number].relaxed
                info = info.member_types[number]
            elif info.element is not None:
                info = info.element
        return relaxed

    def _extracted_is_relaxed(self, info: TypeInfo, indexes: list[int], relaxed: bool) -> bool:
        for index in indexes:
            if info.kind == "struct":
                relaxed = info.members[index].relaxed
                info = info.member_types[index]
            elif info.element is not None:
                info = info.element
        return relaxed
