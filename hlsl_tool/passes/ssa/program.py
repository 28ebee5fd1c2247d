"""The functions of a module, cleaned from the innermost to the entry points."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.ir import Block, Function, Module

from .cleaner import Cleaner
from .model import Body, Unsuited
from .shared import Known, Numbers, Shared
from .structure import targets_are_labels


class Program:
    """The cleaning of one module; ids are those of the shared space."""

    def __init__(self, module: Module, shared: Shared) -> None:
        if any(inst.id(0) == e.Capability.Linkage for inst in module.capabilities):
            raise Unsuited("functions for others to call")
        self.module = module
        self.shared = shared
        self.types = shared.types
        self.decorations = shared.decorations
        order, callers = _callees_first(module)
        _check_growth(order)
        numbers = self.numbers = Numbers(module, shared)
        self.glsl = next((numbers.ids[i.result_id] for i in module.ext_inst_imports if i.operands[0] == glsl.SET), 0)
        self.known: dict[int, Known] = {}
        """Function → what is known about it."""
        self.entries: dict[int, Known] = {}
        """Function of the module that is an entry point → what is known about it."""
        entry_points = {inst.id(1) for inst in module.entry_points}
        wrapped = {number: inner for number in entry_points if (inner := _wrapped(number, callers, entry_points))}
        for function in order:
            if function.id in entry_points:
                self.entries[function.id] = numbers.entry(function, self.known, inner=wrapped.get(function.id))
            elif function not in wrapped.values():
                known = numbers.function(function, self.known)
                self.known[known.function.id] = known
        refused = frozenset[int]().union(*(known.refused for known in self.entries.values()))
        self.privates: dict[int, int | None] = {}
        """Private variable that is taken apart → its initializer."""
        for known in self.entries.values():
            for number in known.privates.keys() - refused:
                inst = self.types.definitions[number]
                self.privates[number] = inst.id(1) if len(inst.operands) > 1 else None

    def roots_of(self, known: Known) -> dict[int, int]:
        """What is taken apart in a function → its type."""
        privates = {root: type_id for root, type_id in known.privates.items() if root in self.privates}
        return {**privates, **known.roots}

    def rank(self, root: int) -> tuple[str, int, int]:
        """An order of what is taken apart, the same in all modules: private variables, then parameters."""
        name, number = self.shared.rank.get(root, ("", 0))
        return ("0" + name, number, 0) if name else ("1", number, root)

    # ---- bodies

    def body(self, number: int) -> Body:
        """The clean form of a function that is called."""
        known = self.known[number]
        key = frozenset(known.privates.keys() & self.privates.keys())
        found = known.bodies.get(key)
        if found is None:
            found = known.bodies[key] = self._clean(known, is_entry=False)
            self.shared.size += len(found.made)
        return found

    def _clean(self, known: Known, *, is_entry: bool) -> Body:
        cleaner = Cleaner(self, known, is_entry=is_entry)
        body = cleaner.run()
        cleaner.forget()
        return body

    def run(self) -> list[Function]:
        """The entry points in clean form."""
        clean = {}
        for number, known in self.entries.items():
            body = self._clean(known, is_entry=True)
            clean[number] = made = Function(known.function.definition)
            for piece in body.pieces:
                made.blocks.append(Block(piece.label, [*piece.instructions, *piece.ends]))  # type: ignore[list-item]
            made.blocks[0].instructions[:0] = body.variables
        return [clean[function.id] for function in self.module.functions if function.id in clean]

    # ---- ids

    def copy_of(self, number: int) -> int:
        """A new id with the decorations of another."""
        made = self.types.new_id()
        if number in self.decorations:
            self.decorate_as(number, made)
        return made

    def decorate_as(self, number: int, made: int) -> None:
        """The decorations of one id for another, too."""
        self.decorations[made] = self.decorations[number]

    def storage_of(self, pointer: int, cleaner: Cleaner) -> int:
        """The storage class that a pointer points into."""
        chain = cleaner.chains.get(pointer)
        if chain is not None:
            return self.types.storage(chain.type_id)
        type_id = cleaner.type_of.get(pointer)
        if type_id is None:
            inst = self.types.definitions.get(pointer)
            if inst is None:
                raise Unsuited("a pointer from another function")
            type_id = inst.type_id
        return self.types.storage(type_id)


MAX_COPIES = 200_000
"""Instructions that inlining may copy, where it copies most of them again and again."""
_REPETITIONS = 50


def _check_growth(order: list[Function]) -> None:
    """Raise `Unsuited` for long chains of calls.

    A function is cleaned with all that it calls, and copied into its callers, so that the innermost of a chain of n
    functions is copied n times.  spirv-opt does the same, and faster.
    """
    sizes: dict[int, int] = {}
    for function in order:
        calls = [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
        own = sum(len(block.instructions) for block in function.blocks)
        sizes[function.id] = own + sum(sizes[callee] for callee in calls)
    copied = sum(sizes.values())
    if copied > MAX_COPIES and copied > _REPETITIONS * max(sizes.values()):
        raise Unsuited("a long chain of calls")


Callers = dict[int, tuple[Function, list[int]]]
"""Function → it, and the functions of all calls of it."""


def _callees_first(module: Module) -> tuple[list[Function], Callers]:
    """The functions that entry points reach, and who calls them."""
    functions = {function.id: function for function in module.functions}
    order: list[Function] = []
    callers: Callers = {}
    state: dict[int, int] = {}

    def visit(number: int) -> None:
        if state.get(number) == 1:
            raise Unsuited("a recursion")
        if number in state:
            return
        state[number] = 1
        function = functions[number]
        callers[number] = function, []
        if not function.blocks:
            raise Unsuited("a function that is imported")
        if not targets_are_labels(function.blocks):
            raise Unsuited("a switch by 64 bits")
        for inst in function.instructions():
            if inst.op == op.OpFunctionCall:
                visit(inst.id(0))
                callers[inst.id(0)][1].append(number)
        state[number] = 2
        order.append(function)

    for number in sorted({inst.id(1) for inst in module.entry_points}):
        visit(number)
    return order, callers


def _wrapped(entry: int, callers: Callers, entry_points: set[int]) -> Function | None:
    """What the one block of an entry point calls, if that is one function that nothing else calls."""
    function = callers[entry][0]
    calls = [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
    if len(function.blocks) != 1 or len(calls) != 1 or calls[0] in entry_points or callers[entry][1]:
        return None
    inner, by = callers[calls[0]]
    return inner if by == [entry] else None
