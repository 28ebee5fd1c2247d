"""Rewrite instructions on long vectors, component by component."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hlsl_tool.codegen.passes.long_vectors.vector_values import Values
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Block, Instruction

UNCHANGED = frozenset(
    (
        op.OpLoad, op.OpStore, op.OpPhi, op.OpCopyObject, op.OpCopyLogical, op.OpCopyMemory, op.OpFunctionCall,
        op.OpReturnValue, op.OpCompositeExtract, op.OpCompositeInsert, op.OpUndef, op.OpVariable, op.OpAccessChain,
        op.OpInBoundsAccessChain,
    )
)  # fmt: skip
"""Opcodes that treat arrays as vectors."""

_REDUCTIONS = {
    op.OpAny: op.OpLogicalOr,
    op.OpAll: op.OpLogicalAnd,
    op.OpGroupNonUniformAllEqual: op.OpLogicalAnd,
}
"""Opcodes with one result for a whole vector → the opcode that combines the results of two components."""


class Rewriter:
    """Rewrites the functions of a module with long vectors."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.sets = {inst.result_id: inst.text(0) for inst in values.module.ext_inst_imports}

    def run(self) -> None:
        """Rewrite all functions of the module."""
        values = self.values
        values.declare()
        for function in values.module.functions:
            values.begin_function(function)
            for block in function.blocks:
                self._block(block)
            values.end_function(function)
        values.finish()

    def _block(self, block: Block) -> None:
        values = self.values
        if not any(self._concerns(inst) for inst in block.instructions):
            return
        values.begin_block()
        for inst in block.instructions:
            if self._concerns(inst):
                self._rewrite(inst)
            else:
                values.out.append(inst)
        block.instructions = values.out

    def _concerns(self, inst: Instruction) -> bool:
        """Return whether an instruction must be rewritten: it uses a long vector, and would not be valid for arrays."""
        if inst.op in UNCHANGED or (inst.op in EXT_INSTS and self.sets.get(inst.id(0)) != glsl.SET):
            return False
        if inst.type_id in self.values.long_types:
            return True
        flags = id_flags(inst.op, inst.operands)
        return any(flag and self.values.is_long(x) for flag, x in zip(flags, inst.operands, strict=True))

    def _rewrite(self, inst: Instruction) -> None:
        if inst.op in _REDUCTIONS:
            self._reduce(inst)
        elif inst.op == op.OpExtInst and inst.operands[1] in _GLSL:
            _GLSL[inst.id(1)](self, inst)
        else:
            _HANDLERS.get(inst.op, Rewriter._each)(self, inst)

    # ---- instructions for each component

    def _each(self, inst: Instruction) -> None:
        """Replace an instruction by one for each component; operands that are not long vectors are the same in each."""
        self.values.construct(inst, self._results(inst, self.values.shape(inst.type_id)[0]))

    def _results(self, inst: Instruction, type_id: int) -> list[int]:
        values = self.values
        flags = id_flags(inst.op, inst.operands)
        parts = [
            values.components(x) if flag and isinstance(x, int) and values.is_long(x) else None
            for flag, x in zip(flags, inst.operands, strict=True)
        ]
        count = max(len(part) for part in parts if part is not None) if any(parts) else 0
        return [
            values.emit(
                inst.op,
                type_id,
                *(x if part is None else part[i] for x, part in zip(inst.operands, parts, strict=True)),
                like=inst.result_id,
            )
            for i in range(count)
        ]

    def _reduce(self, inst: Instruction) -> None:
        """Replace an instruction that computes one scalar from a whole vector."""
        values = self.values
        vote = inst.op == op.OpGroupNonUniformAllEqual
        parts = self._results(inst, inst.type_id) if vote else values.components(inst.id(0))
        self._fold(inst, _REDUCTIONS[inst.op], parts)

    def _fold(self, inst: Instruction, opcode: int, parts: list[int]) -> None:
        """Combine values pair by pair with ``opcode``; the last combination has the result id of ``inst``."""
        values = self.values
        total = parts[0]
        for i, part in enumerate(parts[1:], 1):
            result = inst.result_id if i == len(parts) - 1 else 0
            total = values.emit(
                opcode, inst.type_id, total, part, like=inst.result_id if not result else 0, result=result
            )

    def _with_struct(self, inst: Instruction) -> None:
        """Replace an instruction whose result is a struct of vectors, such as ``ModfStruct``."""
        values = self.values
        struct = values.definitions[inst.type_id]
        scalar_struct = values.scalar_struct(inst.type_id)
        results = self._results(inst, scalar_struct)
        members = []
        for i, member in enumerate(struct.ints()):
            element, _ = values.shape(member)
            parts = [values.emit(op.OpCompositeExtract, element, result, i) for result in results]
            members.append(values.emit(op.OpCompositeConstruct, member, *parts))
        values.out.append(Instruction(op.OpCompositeConstruct, inst.type_id, inst.result_id, [*members]))

    # ---- composites

    def _construct(self, inst: Instruction) -> None:
        """Replace the construction of a long vector by that of an array.

        Structs and arrays of vectors are not changed.
        """
        values = self.values
        if inst.type_id not in values.long_types:
            values.out.append(inst)
            return
        values.construct(inst, [part for x in inst.ints() for part in values.components(x)])

    def _shuffle(self, inst: Instruction) -> None:
        values = self.values
        first, second, *selected = inst.ints()
        both = [*values.components(first), *values.components(second)]
        element = values.shape(inst.type_id)[0]
        undefined = 0xFFFFFFFF
        parts = [values.emit(op.OpUndef, element) if i == undefined else both[i] for i in selected]
        values.construct(inst, parts)

    def _extract_dynamic(self, inst: Instruction) -> None:
        values = self.values
        vector, index = inst.ints()
        pointer = values.element_pointer(vector, inst.type_id, index)
        values.out.append(Instruction(op.OpLoad, inst.type_id, inst.result_id, [pointer]))

    def _insert_dynamic(self, inst: Instruction) -> None:
        values = self.values
        vector, component, index = inst.ints()
        holder = values.variable(inst.type_id)
        values.out.append(Instruction(op.OpStore, 0, 0, [holder, vector]))
        pointer = values.chain(holder, values.shape(inst.type_id)[0], index)
        values.out.append(Instruction(op.OpStore, 0, 0, [pointer, component]))
        values.out.append(Instruction(op.OpLoad, inst.type_id, inst.result_id, [holder]))

    # ---- products

    def _times_scalar(self, inst: Instruction) -> None:
        values = self.values
        element, _ = values.shape(inst.type_id)
        vector, scalar = inst.ints()
        parts = [
            values.emit(op.OpFMul, element, part, scalar, like=inst.result_id) for part in values.components(vector)
        ]
        values.construct(inst, parts)

    def _dot(self, inst: Instruction) -> None:
        first, second = inst.ints()
        self._fold(inst, op.OpFAdd, self._products(inst, inst.type_id, first, second))

    def _products(self, inst: Instruction, element: int, first: int, second: int) -> list[int]:
        values = self.values
        pairs = zip(values.components(first), values.components(second), strict=True)
        return [values.emit(op.OpFMul, element, a, b, like=inst.result_id) for a, b in pairs]

    def _dot_of(self, inst: Instruction, element: int, first: int, second: int) -> int:
        """Emit the dot product of the vectors ``first`` and ``second``, and return its id; ``element`` is its type."""
        parts = self._products(inst, element, first, second)
        total = parts[0]
        for part in parts[1:]:
            total = self.values.emit(op.OpFAdd, element, total, part, like=inst.result_id)
        return total

    # ---- geometry

    def _call(self, inst: Instruction, number: int, type_id: int, *operands: int, result: int = 0) -> int:
        """Emit an instruction of GLSL.std.450, using the import that ``inst`` uses; return its result id."""
        return self.values.emit(
            op.OpExtInst, type_id, inst.id(0), number, *operands, like=inst.result_id, result=result
        )

    def _length(self, inst: Instruction) -> None:
        x = inst.id(2)
        square = self._dot_of(inst, inst.type_id, x, x)
        self._call_as_result(inst, glsl.Sqrt, square)

    def _call_as_result(self, inst: Instruction, number: int, *operands: int) -> None:
        self.values.out.append(Instruction(op.OpExtInst, inst.type_id, inst.result_id, [inst.id(0), number, *operands]))

    def _distance(self, inst: Instruction) -> None:
        values, element = self.values, inst.type_id
        pairs = zip(values.components(inst.id(2)), values.components(inst.id(3)), strict=True)
        total = 0
        for a, b in pairs:
            difference = values.emit(op.OpFSub, element, a, b, like=inst.result_id)
            square = values.emit(op.OpFMul, element, difference, difference, like=inst.result_id)
            total = values.emit(op.OpFAdd, element, total, square, like=inst.result_id) if total else square
        self._call_as_result(inst, glsl.Sqrt, total)

    def _normalize(self, inst: Instruction) -> None:
        values = self.values
        element, _ = values.shape(inst.type_id)
        x = inst.id(2)
        factor = self._call(inst, glsl.InverseSqrt, element, self._dot_of(inst, element, x, x))
        parts = [values.emit(op.OpFMul, element, part, factor, like=inst.result_id) for part in values.components(x)]
        values.construct(inst, parts)

    def _face_forward(self, inst: Instruction) -> None:
        """Replace FaceForward by ``dot(nref, i) < 0 ? n : -n``."""
        values = self.values
        element, _ = values.shape(inst.type_id)
        normal, incident, reference = inst.ints()[2:]
        faces = self._is_negative(element, self._dot_of(inst, element, reference, incident))
        parts = []
        for part in values.components(normal):
            turned = values.emit(op.OpFNegate, element, part, like=inst.result_id)
            parts.append(values.emit(op.OpSelect, element, faces, part, turned))
        values.construct(inst, parts)

    def _is_negative(self, element: int, number: int) -> int:
        zero = self.values.globals.null(element)
        return self.values.emit(op.OpFOrdLessThan, self.values.globals.find(op.OpTypeBool, 0), number, zero)

    def _reflect(self, inst: Instruction) -> None:
        """Replace Reflect by ``i - 2 * dot(n, i) * n``."""
        values = self.values
        element, _ = values.shape(inst.type_id)
        incident, normal = inst.ints()[2:]
        dot = self._dot_of(inst, element, normal, incident)
        twice = values.emit(op.OpFAdd, element, dot, dot, like=inst.result_id)
        self._minus_multiple(inst, element, incident, normal, twice)

    def _minus_multiple(self, inst: Instruction, element: int, first: int, second: int, factor: int) -> None:
        """Emit ``first - factor * second`` with the result id of ``inst``."""
        values = self.values
        parts = []
        for a, b in zip(values.components(first), values.components(second), strict=True):
            product = values.emit(op.OpFMul, element, b, factor, like=inst.result_id)
            parts.append(values.emit(op.OpFSub, element, a, product, like=inst.result_id))
        values.construct(inst, parts)

    def _refract(self, inst: Instruction) -> None:
        """Replace Refract by ``k < 0 ? 0 : eta * i - (eta * d + sqrt(k)) * n``.

        Here ``d = dot(n, i)`` and ``k = 1 - eta² * (1 - d²)``.
        """
        values = self.values
        element, _ = values.shape(inst.type_id)
        incident, normal, eta = inst.ints()[2:]
        compute = partial(values.emit, like=inst.result_id)
        one = self._one(element)
        d = self._dot_of(inst, element, normal, incident)
        rest = compute(op.OpFSub, element, one, compute(op.OpFMul, element, d, d))
        square = compute(op.OpFMul, element, eta, eta)
        k = compute(op.OpFSub, element, one, compute(op.OpFMul, element, square, rest))
        none = self._is_negative(element, k)
        root = self._call(inst, glsl.Sqrt, element, k)
        factor = compute(op.OpFAdd, element, compute(op.OpFMul, element, eta, d), root)
        zero = values.globals.null(element)
        parts = []
        for i, n in zip(values.components(incident), values.components(normal), strict=True):
            bent = compute(op.OpFMul, element, eta, i)
            straight = compute(op.OpFSub, element, bent, compute(op.OpFMul, element, factor, n))
            parts.append(values.emit(op.OpSelect, element, none, zero, straight))
        values.construct(inst, parts)

    def _one(self, element: int) -> int:
        width = self.values.definitions[element].id(0)
        words = {16: (0x3C00,), 32: (0x3F800000,), 64: (0, 0x3FF00000)}[width]
        return self.values.globals.find(op.OpConstant, element, *words)


_HANDLERS: dict[int, Callable[[Rewriter, Instruction], None]] = {
    op.OpCompositeConstruct: Rewriter._construct,
    op.OpVectorShuffle: Rewriter._shuffle,
    op.OpVectorExtractDynamic: Rewriter._extract_dynamic,
    op.OpVectorInsertDynamic: Rewriter._insert_dynamic,
    op.OpVectorTimesScalar: Rewriter._times_scalar,
    op.OpDot: Rewriter._dot,
    op.OpIAddCarry: Rewriter._with_struct,
}

_GLSL: dict[object, Callable[[Rewriter, Instruction], None]] = {
    glsl.ModfStruct: Rewriter._with_struct,
    glsl.FrexpStruct: Rewriter._with_struct,
    glsl.Length: Rewriter._length,
    glsl.Distance: Rewriter._distance,
    glsl.Normalize: Rewriter._normalize,
    glsl.FaceForward: Rewriter._face_forward,
    glsl.Reflect: Rewriter._reflect,
    glsl.Refract: Rewriter._refract,
}
