"""Access values in byte-address buffers through untyped pointers (SPV_KHR_untyped_pointers).

Before: an access of a type other than ``uint`` is a bitcast of a pointer (`pointer_casts`). After: it is an untyped
access chain, which interprets the buffer as an array of the largest scalar in the new type. Some bitcasts are left to
``typed_views``: those that something other than loads, stores, atomics and access chains uses, and those in the storage
class of constants, which has another layout.

All code that runs before this pass, old optimisers included, sees typed pointers only.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.codegen.passes.global_definitions import Globals
from hlsl_tool.codegen.passes.pointer_casts import Access, remove_unused_chains, typed_accesses
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ATOMICS, FLOAT_ATOMICS, SCALARS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Capability, Decoration, StorageClass
from hlsl_tool.spirv.features import UNTYPED_POINTERS
from hlsl_tool.spirv.ir import Block, Instruction, Module, Operand

_USES = ACCESS_CHAINS | ATOMICS | FLOAT_ATOMICS | {op.OpLoad, op.OpStore}


def use_untyped_pointers(module: Module, index: ModuleIndex | None = None) -> bool:
    """Replace bitcasts of pointers by untyped access chains, in place; return whether there were any."""
    index = index or ModuleIndex(module)
    definitions = module.definitions()
    accesses = {
        access.bitcast.result_id: access
        for access in typed_accesses(module, index)
        if definitions[access.variable].id(0) == StorageClass.StorageBuffer
    }
    for function in module.functions:
        for inst in function.instructions():
            if inst.op not in _USES:
                for number in accesses.keys() & set(used_ids(inst)):
                    pointee = definitions[accesses[number].bitcast.type_id].id(1)
                    if definitions[pointee].op not in SCALARS:
                        raise InternalError(f"a pointer to a value in a byte-address buffer is used by {inst.op}")
                    del accesses[number]
    if not accesses:
        return False
    rewriter = _Rewriter(module, accesses)
    for function in module.functions:
        for block in function.blocks:
            rewriter.block(block)
    remove_unused_chains(module)
    _declare(module)
    return True


def _declare(module: Module) -> None:
    """Declare the capability and the extension."""
    module.capabilities.append(Instruction(op.OpCapability, 0, 0, [Capability.UntypedPointersKHR]))
    if not any(inst.text(0) == UNTYPED_POINTERS for inst in module.extensions):
        module.extensions.append(Instruction(op.OpExtension, 0, 0, [UNTYPED_POINTERS]))


class _Rewriter:
    """Rewrites the accesses of one module."""

    def __init__(self, module: Module, accesses: dict[int, Access]) -> None:
        self.module = module
        self.accesses = accesses
        self.globals = Globals(module)
        self.definitions = module.definitions()
        self.arrays: dict[int, int] = {}
        """Scalar type → the type of an unbounded array of such scalars."""
        self.chains: dict[int, list[Operand]] = {}
        """Untyped pointer → the operands of an untyped access chain that continues from it, without further indices."""

    def block(self, block: Block) -> None:
        """Rewrite the bitcasts in a block, and the access chains that start at them."""
        out: list[Instruction] = []
        for inst in block.instructions:
            access = self.accesses.get(inst.result_id)
            if access is not None:
                self._access(access, out)
            elif inst.op in ACCESS_CHAINS and inst.id(0) in self.chains:
                self._make_untyped(inst, [*self.chains[inst.id(0)], *inst.operands[1:]])
                self.chains[inst.result_id] = inst.operands
            out.append(inst)
        block.instructions[:] = out

    def _access(self, access: Access, out: list[Instruction]) -> None:
        """Replace a bitcast by an access chain into an array of scalars; append what selects the buffer to ``out``."""
        bitcast, buffer = access.bitcast, access.variable
        *descriptors, _, index = access.indices
        pointee = self.definitions[bitcast.type_id].id(1)
        if descriptors:
            buffer = self._select(access, descriptors, out)
        self._make_untyped(bitcast, [self._array(self._largest(pointee)), buffer, index])
        self.chains[bitcast.result_id] = [pointee, bitcast.result_id]

    def _make_untyped(self, inst: Instruction, operands: list[Operand]) -> None:
        inst.op, inst.operands = op.OpUntypedAccessChainKHR, operands
        inst.type_id = self.globals.find(op.OpTypeUntypedPointerKHR, 0, StorageClass.StorageBuffer)

    def _select(self, access: Access, indices: list[int], out: list[Instruction]) -> int:
        """Return the pointer to a buffer of an array of buffers."""
        variable, number = self.definitions[access.variable], self.globals.take_id()
        block = self.definitions[variable.type_id].id(1)
        for _ in indices:
            block = self.definitions[block].id(0)
        pointer = self.globals.pointer(StorageClass.StorageBuffer, block)
        out.append(Instruction(op.OpAccessChain, pointer, number, [variable.result_id, *indices], access.bitcast.line))
        mark: list[Operand] = [access.bitcast.result_id, Decoration.NonUniform]
        if any(inst.op == op.OpDecorate and inst.operands == mark for inst in self.module.annotations):
            self.module.annotations.append(Instruction(op.OpDecorate, 0, 0, [number, Decoration.NonUniform]))
        return number

    def _largest(self, type_id: int) -> int:
        """Return the type of the largest scalar in a type."""
        inst = self.definitions[type_id]
        if inst.op in SCALARS:
            return type_id
        parts = inst.ints() if inst.op == op.OpTypeStruct else [inst.id(0)]
        return max(map(self._largest, parts), key=lambda scalar: self.definitions[scalar].id(0))

    def _array(self, scalar: int) -> int:
        """Return the type of an unbounded array of scalars without gaps."""
        if scalar not in self.arrays:
            number = self.arrays[scalar] = self.globals.take_id()
            self.module.globals.append(Instruction(op.OpTypeRuntimeArray, 0, number, [scalar]))
            stride: list[Operand] = [number, Decoration.ArrayStride, self.definitions[scalar].id(0) // 8]
            self.module.annotations.append(Instruction(op.OpDecorate, 0, 0, stride))
        return self.arrays[scalar]
