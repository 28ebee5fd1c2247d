"""Replace local arrays of resources.

Before: a legalised module.  After: there is no local array of resources whose elements are each written once, before
they are read.  An element is replaced by the resource that was stored there, and an index that is not constant becomes
the selector of an ``OpSwitch``.  A pointer to a texel of an element becomes one to a texel of the variable that the
element was loaded from.  Other local arrays are not changed.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import successors_by_label
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, HANDLES
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, uses
from hlsl_tool.spirv.ir import Function, Instruction, Module

from .candidates import length
from .switching import Case, Switching


def replace_local_arrays(module: Module) -> None:
    """Replace reads of local arrays of resources by the resources stored in them, in place. Raises ``Unflattened``."""
    index = ModuleIndex(module)
    switching: Switching | None = None
    for function in module.functions:
        for variable in [inst for inst in function.instructions() if inst.op == op.OpVariable]:
            count = _count(variable, index)
            if count:
                switching = switching or Switching(module, index)
                array = _LocalArray(function, variable, count, switching)
                if array.is_written_once():
                    array.replace()


def _count(variable: Instruction, index: ModuleIndex) -> int:
    """Return the length of a local variable that is an array of resources; 0 for other variables."""
    array = index.pointee(variable)
    if array.op != op.OpTypeArray or index.definitions[array.id(0)].op not in HANDLES:
        return 0
    return length(array, index)


class _LocalArray:
    """A local array of resources and its uses."""

    def __init__(self, function: Function, variable: Instruction, count: int, switching: Switching) -> None:
        self.function = function
        self.number = variable.result_id
        self.count = count
        self.switching = switching
        self.index = switching.index
        self.elements: dict[int, int] = {}
        """Index → the resource that is stored there."""
        self.stores: list[Instruction] = []
        self.loads: list[Instruction] = []
        self.texels: list[Instruction] = []
        """Pointers to texels of elements."""
        self.chains: dict[int, Instruction] = {}
        self.definitions = {inst.result_id: inst for inst in function.instructions() if inst.result_id}

    def is_written_once(self) -> bool:
        """Return whether all uses are supported, and each element is written exactly once, before any is read."""
        composites: dict[int, Instruction] = {}
        for inst in self.function.instructions():
            if inst.op == op.OpCompositeConstruct:
                composites[inst.result_id] = inst
            if not uses(inst, (self.number, *self.chains)):
                continue
            if inst.op in ACCESS_CHAINS and inst.id(0) == self.number and len(inst.operands) == 2:
                self.chains[inst.result_id] = inst
            elif inst.op == op.OpStore and not self._store(inst, composites):
                return False
            elif inst.op == op.OpLoad and inst.id(0) in self.chains:
                self.loads.append(inst)
            elif inst.op == op.OpImageTexelPointer:
                self.texels.append(inst)
            elif inst.op not in (op.OpStore, op.OpVariable, op.OpExtInst):
                return False
        if self.texels and not all(self._is_loaded(element) for element in self.elements.values()):
            return False
        return len(self.elements) == self.count and self._stores_come_first()

    def _is_loaded(self, element: int) -> bool:
        """Return whether the resource stored in an element is the result of a load, so that its pointer is known."""
        return element in self.definitions and self.definitions[element].op == op.OpLoad

    def _store(self, inst: Instruction, composites: dict[int, Instruction]) -> bool:
        """Record the elements that a store writes; return False for an unknown index or an element written twice."""
        if inst.id(0) == self.number:
            whole = composites.get(inst.id(1))
            written = dict(enumerate(whole.ints())) if whole is not None else {}
        else:
            chain = self.chains.get(inst.id(0))
            index = self.index.constant(chain.id(1)) if chain is not None else None
            written = {index: inst.id(1)} if index is not None else {}
        if not written or any(index in self.elements for index in written):
            return False
        self.elements.update(written)
        self.stores.append(inst)
        return True

    def _stores_come_first(self) -> bool:
        """Return whether every path to a load or a texel passes each of the stores."""
        loads = {id(inst) for inst in (*self.loads, *self.texels)}
        blocks = {block.label: block for block in self.function.blocks}
        following = successors_by_label(self.function.blocks, self.index.wide_switches(self.function))
        for store in self.stores:
            seen: set[int] = set()
            todo = [self.function.blocks[0].label]
            while todo:
                label = todo.pop()
                if label in seen:
                    continue
                seen.add(label)
                for inst in blocks[label].instructions:
                    if inst is store:
                        break
                    if id(inst) in loads:
                        return False
                else:
                    todo += following[label]
        return True

    def replace(self) -> None:
        """Replace the loads from the local array by the resources stored in it, and remove the array."""
        chains: set[int] = set()
        """Loads that have become access chains to the element of a global array."""
        for load in self.loads:
            chain = self.chains[load.id(0)]
            index = self.index.constant(chain.id(1))
            source = self._array_copied()
            if index is not None and index in self.elements:
                self._replace_load(load.result_id, self.elements[index])
            elif source is not None:
                load.op, load.operands = op.OpAccessChain, [source, chain.id(1)]
                chains.add(load.result_id)
            else:
                cases = [self._element(i) for i in range(self.count)]
                while self.switching.replace_use(self.function, load, chain.id(1), cases, "a local array"):
                    pass
        gone = {self.number, *self.chains, *(load.result_id for load in self.loads), *self._replace_texels()} - chains
        for block in self.function.blocks:
            block.instructions = [
                inst
                for inst in block.instructions
                if inst.result_id not in gone
                and not any(inst is store for store in self.stores)
                and not (inst.op == op.OpExtInst and uses(inst, gone))
            ]
        module = self.switching.module
        module.names = [inst for inst in module.names if inst.id(0) not in gone]
        module.annotations = [inst for inst in module.annotations if inst.id(0) not in gone]

    def _replace_texels(self) -> set[int]:
        """Point to texels of the variables that elements were loaded from, instead of texels of the elements.

        Return the instructions that become unused.
        """
        unused: set[int] = set()
        for texel in self.texels:
            chain = self.chains[texel.id(0)]
            index = self.index.constant(chain.id(1))
            if index is not None and index in self.elements:
                texel.operands[0] = self.definitions[self.elements[index]].id(0)
                continue
            unused.add(texel.result_id)
            cases = [self._pointer(i) for i in range(self.count)]
            while self.switching.replace_use(self.function, chain, chain.id(1), cases, "a local array"):
                pass
        return unused

    def _pointer(self, index: int) -> Case:
        return lambda: ([], self.definitions[self.elements[index]].id(0))

    def _array_copied(self) -> int | None:
        """Return the global array of buffers that the local array copies element by element.

        The result is ``None`` if it is no such copy.
        """
        source: int | None = None
        for index, number in self.elements.items():
            chain = self.definitions.get(number)
            if chain is None or chain.op not in ACCESS_CHAINS or len(chain.operands) != 2:
                return None
            if self.index.constant(chain.id(1)) != index or source not in (None, chain.id(0)):
                return None
            source = chain.id(0)
        whole = self.index.definitions.get(source or 0)
        return source if whole is not None and whole.op == op.OpVariable else None

    def _element(self, index: int) -> Case:
        return lambda: ([], self.elements[index])

    def _replace_load(self, old: int, new: int) -> None:
        for inst in self.function.instructions():
            rename(inst, {old: new})
