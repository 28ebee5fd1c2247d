"""Replace accesses to arrays of resources by a variable index.

Before: a legalised module. After: every access chain into a bound array of constant length has a constant first index.
The use of the element (a sample, a load, a store) is duplicated into an ``OpSwitch`` with one case for each element; an
index beyond the array gives zero, and stores nothing.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Function, Instruction, Module

from .candidates import is_descriptor_array, length_of
from .switching import Case, Switching


def replace_variable_indices(module: Module) -> None:
    """Replace accesses to resource arrays by a variable index with an ``OpSwitch``, in place.

    Raises ``Unflattened``.
    """
    index = ModuleIndex(module)
    arrays = [inst for inst in module.globals if inst.op == op.OpVariable and is_descriptor_array(inst, index)]
    if not arrays:
        return
    switching = Switching(module, index)
    for array in arrays:
        count = length_of(array, index)
        name = index.names.get(array.result_id, "")
        for function in module.functions:
            while (chain := _chain_with_variable_index(function, array.result_id, switching)) is not None:
                if count == 1:
                    chain.operands[1] = switching.globals.uint(0)
                    continue
                cases = [_element(chain, i, switching) for i in range(count)]
                while switching.replace_use(function, chain, chain.id(1), cases, name):
                    pass


def _chain_with_variable_index(function: Function, array: int, switching: Switching) -> Instruction | None:
    for inst in function.instructions():
        if inst.op in ACCESS_CHAINS and inst.id(0) == array and inst.id(1) not in switching.globals.constants:
            return inst
    return None


def _element(chain: Instruction, index: int, switching: Switching) -> Case:
    """Return a case whose access chain has the constant index ``index``."""

    def first() -> tuple[list[Instruction], int]:
        array, _, *rest = chain.operands
        copy = Instruction(chain.op, chain.type_id, switching.globals.take_id(), [array, 0, *rest])
        copy.operands[1] = switching.globals.uint(index)
        return [copy], copy.result_id

    return first
