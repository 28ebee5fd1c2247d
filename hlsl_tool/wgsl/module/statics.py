"""Find private variables of the module that are constants.

HLSL's ``static const float PI = 3.14`` is a private variable that the entry point assigns before anything else; inside
of a function it is assigned on the first call, which a second variable records.

Before: ``%PI = OpVariable Private``, and the entry point begins with ``OpStore %PI %value``. After: the store is
removed, and `View.statics` maps the variable to the constant.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import is_non_semantic, used_ids
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.module.constant_folding import CONSTANTS, Folder, is_finite
from hlsl_tool.wgsl.module.pointers import Order, Spot
from hlsl_tool.wgsl.module.view import View


@dataclass(slots=True)
class _Variable:
    """A private variable with its initial value and its uses."""

    definition: Instruction
    stores: list[tuple[Function, Spot]] = field(default_factory=list)
    reads: list[tuple[Function, Spot]] = field(default_factory=list)
    """Loads, and access chains that lead to loads."""
    other: bool = False
    """Whether there are other uses, or stores to parts."""

    @property
    def initial(self) -> int:
        return self.definition.id(1) if self.definition.operands[1:] else 0


def find_statics(view: View, functions: list[Function]) -> None:
    """Record the private variables that are constants in `View.statics`, and remove the stores to them."""
    private = {
        inst.result_id: _Variable(inst)
        for inst in view.module.globals
        if inst.op == op.OpVariable and inst.id(0) == StorageClass.Private
    }
    if not private or len(view.module.entry_points) != 1:
        return
    _collect(view, functions, private)
    folder = Folder(view)
    entry = view.functions[view.module.entry_points[0].id(1)]
    dead: set[int] = set()
    for number, variable in private.items():
        initial = variable.initial
        unchanged = initial and not variable.other and not variable.stores
        if unchanged and view.defs[initial].op in CONSTANTS and is_finite(view, initial):
            view.statics[number] = initial
    _at_the_begin(view, entry, private, folder, dead)
    _on_the_first_call(view, private, folder, dead)
    if dead:
        for function in functions:
            for block in function.blocks:
                block.instructions = [
                    inst for inst in block.instructions if inst.op != op.OpStore or inst.id(0) not in dead
                ]


def _collect(view: View, functions: list[Function], private: dict[int, _Variable]) -> None:
    """Record the uses of private variables in functions."""
    for function in functions:
        chains: dict[int, int] = {}
        for block in function.blocks:
            for index, inst in enumerate(block.instructions):
                if inst.op == op.OpExtInst and is_non_semantic(view.sets.get(inst.id(0), "")):
                    continue
                place = function, Spot(block.label, index, inst)
                for position, operand in enumerate(used_ids(inst)):
                    variable = private.get(chains.get(operand, operand))
                    if variable is None:
                        continue
                    if inst.op in ACCESS_CHAINS and position == 0:
                        chains[inst.result_id] = chains.get(operand, operand)
                        variable.reads.append(place)
                    elif inst.op == op.OpLoad:
                        variable.reads.append(place)
                    elif inst.op == op.OpStore and position == 0 and operand in private:
                        variable.stores.append(place)
                    else:
                        variable.other = True


def _at_the_begin(view: View, entry: Function, private: dict[int, _Variable], folder: Folder, dead: set[int]) -> None:
    """Record in `View.statics` the private variables that the entry point sets to constants before its first call.

    ``private`` are the candidates; variables that need no stores any more are added to ``dead``.
    """
    block = entry.blocks[0]
    for index, inst in enumerate(block.instructions):
        if inst.op == op.OpFunctionCall:
            return
        variable = private.get(inst.id(0)) if inst.op == op.OpStore else None
        if variable is None or variable.other or variable.initial or len(variable.stores) != 1:
            continue
        if any(
            function is entry and spot.block == block.label and spot.place < index for function, spot in variable.reads
        ):
            continue
        constant = folder.constant(inst.id(1))
        if constant and is_finite(view, constant):
            view.statics[inst.id(0)] = constant
            dead.add(inst.id(0))


def _on_the_first_call(view: View, private: dict[int, _Variable], folder: Folder, dead: set[int]) -> None:
    """Record in `View.statics` the private variables that a function sets to constants on its first call only.

    The function then also sets a flag, on which this code depends. ``private`` are the candidates; variables that need
    no stores any more, including the flag, are added to ``dead``.
    """
    orders: dict[int, Order] = {}
    for flag, variable in private.items():
        if variable.other or len(variable.stores) != 1 or not variable.initial or len(variable.reads) != 1:
            continue
        function, store = variable.stores[0]
        reader, load = variable.reads[0]
        block = next(block for block in function.blocks if block.label == store.block)
        guard = next((block for block in reader.blocks if block.label == load.block), None)
        if reader is not function or guard is None or not _guards(view, guard, load.inst, block.label, variable):
            continue
        order = orders.setdefault(function.id, Order(function))
        chosen: dict[int, int] = {}
        for inst in block.instructions:
            if inst.op != op.OpStore or inst.id(0) == flag:
                continue
            kept = private.get(inst.id(0))
            constant = folder.constant(inst.id(1))
            if kept is None or kept.other or kept.initial or len(kept.stores) != 1:
                break
            if not constant or not is_finite(view, constant):
                break
            if not all(user is function and order.before(load, [spot]) for user, spot in kept.reads):
                break
            chosen[inst.id(0)] = constant
        else:
            view.statics.update(chosen)
            dead.update(chosen, [flag])
            load.inst.op, load.inst.operands = op.OpCopyObject, [store.inst.id(1)]


def _guards(view: View, guard: Block, load: Instruction, label: int, variable: _Variable) -> bool:
    """Return whether a block branches to ``label`` exactly if the flag that it loads is still false."""

    last = guard.instructions[-1]
    return (
        last.op == op.OpBranchConditional
        and last.id(0) == load.result_id
        and last.id(2) == label
        and view.constant(variable.initial) == 0
        and view.constant(variable.stores[0][1].inst.id(1)) == 1
    )
