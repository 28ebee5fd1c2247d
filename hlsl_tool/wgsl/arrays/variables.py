"""The variables that replace arrays of resources, and what the module does with the arrays."""

from __future__ import annotations

from math import prod

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.arrays.operations import Operations
from hlsl_tool.wgsl.arrays.paths import ResourceArray
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import Element, View
from hlsl_tool.wgsl.rewrites.additions import Additions


class Elements:
    """Creates the variables that replace array elements."""

    def __init__(self, view: View, arrays: dict[int, ResourceArray], unbounded: int) -> None:
        self.view = view
        self.unbounded = unbounded
        self.arrays = arrays
        self.by_place: dict[tuple[int, int], Instruction] = {}
        """(array, index) → variable."""
        void = next(inst.result_id for inst in view.module.globals if inst.op == op.OpTypeVoid)
        additions = Additions(view)
        numbers = {inst.result_id for inst in view.module.globals} | {*view.sets}
        self.operations = Operations(view, void, numbers, additions)
        self.compared: set[int] = set()
        self.read: set[int] = set()
        """Arrays of textures that the module compares, and those that it uses in other ways."""
        self.offsets: dict[tuple[int, int], set[int]] = {}
        """(opcode, array of textures) → constant offsets."""

    def variable(self, array: ResourceArray, numbers: list[int], pointer: int) -> int:
        """Return the variable for the element at constant indices; ``pointer`` is the access chain, for errors."""
        place = 0
        for number, length in zip(numbers, array.lengths, strict=True):
            if number < 0 or (length and number >= length):
                raise Unsupported("an index is beyond an array of resources", pointer)
            place = place * length + number
        key = array.variable.result_id, place
        if key not in self.by_place:
            self.by_place[key] = self._make(array, numbers, place)
        return self.by_place[key].result_id

    def _make(self, array: ResourceArray, numbers: list[int], place: int) -> Instruction:
        view, old = self.view, array.variable
        variable = Instruction(op.OpVariable, view.pointer_type(old.id(0), array.element), view.fresh(), [old.id(0)])
        number = view.add(variable)
        name = view.names.get(old.result_id) or "resource"
        view.names[number] = "_".join([name, *map(str, numbers)])
        view.decorations[number] = view.decorations.get(old.result_id, {})
        count = 0 if 0 in array.lengths else prod(array.lengths)
        view.elements[number] = Element(old.result_id, place, count)
        return variable

    def declare(self) -> None:
        """Replace the declarations of arrays by those of the new variables."""
        rest: list[Instruction] = []
        for inst in self.view.module.globals:
            if inst.result_id not in self.arrays:
                rest.append(inst)
                continue
            rest += [self.by_place[key] for key in sorted(self.by_place) if key[0] == inst.result_id]
        self.view.module.globals = rest
