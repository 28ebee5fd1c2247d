"""Replace arrays of arrays of resources by arrays of one dimension.

Before: a legalised module.  Vulkan has no descriptors in arrays of arrays.  After: ``T a[4][2]`` is ``T a[8]``, and
``a[i][j]`` is ``a[i * 2 + j]``; the variable keeps its set and binding.  Variables with other uses than access
chains to single resources are not changed.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.global_definitions import Globals, order_definitions
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import uses
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

from .candidates import length


def linearize_arrays(module: Module, index: ModuleIndex | None = None) -> bool:
    """Give each nested array of resources a single dimension, in place; return whether there were any."""
    index = index or ModuleIndex(module)
    nested = False
    for variable in [i for i in module.globals if i.op == op.OpVariable and i.id(0) in RESOURCE_STORAGE]:
        inner = _inner_dimensions(variable, index)
        if inner:
            nested = True
            _Nested(module, index, variable, inner).replace()
    return nested


def _inner_dimensions(variable: Instruction, index: ModuleIndex) -> list[int]:
    """Return the lengths of all dimensions but the outermost; an empty list if the variable is not a nested array."""
    whole = index.pointee(variable)
    lengths: list[int] = []
    while whole.op in ARRAYS:
        whole = index.definitions[whole.id(0)]
        if whole.op == op.OpTypeArray:
            lengths.append(length(whole, index))
        elif whole.op == op.OpTypeRuntimeArray:
            return []
    return lengths


@dataclass(slots=True)
class _Chain:
    """An access chain to (or into) a single resource; ``indices`` are all indices from the variable on."""

    block: Block
    inst: Instruction
    indices: list[int]


class _Nested:
    """A variable that is a nested array, and the rewriting of its accesses."""

    def __init__(self, module: Module, index: ModuleIndex, variable: Instruction, inner: list[int]) -> None:
        self.module = module
        self.index = index
        self.variable = variable
        self.inner = inner
        self.depth = len(inner) + 1
        self.globals = Globals(module)

    def replace(self) -> None:
        """Give the variable one dimension and rewrite its accesses; do nothing if it has other uses."""
        chains: list[_Chain] = []
        partial: set[int] = set()
        for function in self.module.functions:
            if not self._collect(function, chains, partial):
                return
        for chain in chains:
            self._rewrite(chain)
        for function in self.module.functions:
            for block in function.blocks:
                block.instructions = [inst for inst in block.instructions if inst.result_id not in partial]
        for section in (self.module.names, self.module.annotations):
            section[:] = [inst for inst in section if inst.operands[0] not in partial]
        self._retype()

    def _collect(self, function: Function, chains: list[_Chain], partial: set[int]) -> bool:
        """Collect a function's access chains; return False if the variable has another use."""
        paths = {self.variable.result_id: list[int]()}
        for block in function.blocks:
            for inst in block.instructions:
                if not uses(inst, paths):
                    continue
                if inst.op not in ACCESS_CHAINS or inst.id(0) not in paths:
                    return False
                indices = [*paths[inst.id(0)], *inst.ints()[1:]]
                if len(indices) >= self.depth:
                    chains.append(_Chain(block, inst, indices))
                else:
                    paths[inst.result_id] = indices
                    partial.add(inst.result_id)
        return True

    def _rewrite(self, chain: _Chain) -> None:
        index = self._linear(chain)
        chain.inst.operands = [self.variable.result_id, index, *chain.indices[self.depth :]]

    def _linear(self, chain: _Chain) -> int:
        """Return the id of a resource's linear index; insert its computation before the access chain."""
        numbers = [self.index.constant(i) for i in chain.indices[: self.depth]]
        if all(n is not None for n in numbers):
            total = 0
            for n, size in zip(numbers, (1, *self.inner), strict=True):
                total = total * size + (n or 0)
            return self.globals.uint(total)
        uint = self.globals.find(op.OpTypeInt, 0, 32, 0)
        computation: list[Instruction] = []
        index, *rest = chain.indices[: self.depth]
        for size, following in zip(self.inner, rest, strict=True):
            scaled = Instruction(op.OpIMul, uint, self.globals.take_id(), [index, self.globals.uint(size)])
            added = Instruction(op.OpIAdd, uint, self.globals.take_id(), [scaled.result_id, following])
            computation += [scaled, added]
            index = added.result_id
        at = next(i for i, inst in enumerate(chain.block.instructions) if inst is chain.inst)
        chain.block.instructions[at:at] = computation
        return index

    def _retype(self) -> None:
        """Change the variable's type to an array with one dimension."""
        outer = self.index.pointee(self.variable)
        element, count = outer, 1
        while element.op in ARRAYS:
            count *= length(element, self.index) if element.op == op.OpTypeArray else 1
            element = self.index.definitions[element.id(0)]
        if outer.op == op.OpTypeRuntimeArray:
            array = self.globals.find(op.OpTypeRuntimeArray, 0, element.result_id)
        else:
            array = self.globals.find(op.OpTypeArray, 0, element.result_id, self.globals.uint(count))
        self.variable.type_id = self.globals.pointer(self.variable.id(0), array)
        order_definitions(self.module)
