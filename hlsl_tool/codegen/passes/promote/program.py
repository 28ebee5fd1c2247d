"""Promote the functions of a module, callees before entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.codegen.passes.promote.promoted_body import Body, Unsuited
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.ir import Block, Function, Module

from .function import FunctionPromoter
from .function_cache import CacheIds, FunctionCache, FunctionInfo
from .module_state import ModuleState

if TYPE_CHECKING:
    from .scopes import DebugPositions


class Program(ModuleState):
    """The promotion of one module; all ids are those of the `FunctionCache`."""

    def __init__(self, module: Module, cache: FunctionCache, positions: DebugPositions | None = None) -> None:
        if any(inst.id(0) == Capability.Linkage for inst in module.capabilities):
            raise Unsuited("functions for others to call")
        super().__init__(cache, positions)
        self.module = module
        order, callers = _callees_first(module)
        _check_growth(order)
        ids = self.ids = CacheIds(module, cache)
        self.glsl = next((ids.ids[i.result_id] for i in module.ext_inst_imports if i.operands[0] == glsl.SET), 0)
        self.entries: dict[int, FunctionInfo] = {}
        """Id in the module of an entry point's function → its info."""
        entry_points = {inst.id(1) for inst in module.entry_points}
        wrapped: dict[int, Function] = {}
        if positions is None:  # else the call is part of the scope
            wrapped = {number: inner for number in entry_points if (inner := _wrapped(number, callers, entry_points))}
        for function in order:
            if function.id in entry_points:
                self.entries[function.id] = ids.entry(function, self.infos, inner=wrapped.get(function.id))
            elif function not in wrapped.values():
                info = ids.function(function, self.infos)
                self.infos[info.function.id] = info
        refused = frozenset[int]().union(*(info.refused for info in self.entries.values()))
        for info in self.entries.values():
            for number in info.privates.keys() - refused:
                inst = self.types.definitions[number]
                self.privates[number] = inst.id(1) if len(inst.operands) > 1 else None

    # ---- bodies

    def body(self, number: int) -> Body:
        """Return the promoted body of a called function, from the cache if possible."""
        info = self.infos[number]
        key = frozenset(info.privates.keys() & self.privates.keys())
        body = info.bodies.get(key)
        if body is None:
            body = info.bodies[key] = self._promote(info, is_entry=False)
            self.cache.size += len(body.definitions)
        return body

    def _promote(self, info: FunctionInfo, *, is_entry: bool) -> Body:
        promoter = FunctionPromoter(self, info, is_entry=is_entry)
        body = promoter.run()
        promoter.release()
        return body

    def run(self) -> list[Function]:
        """Promote the entry points and return them in the module's order."""
        promoted = {}
        for number, info in self.entries.items():
            body = self._promote(info, is_entry=True)
            function = promoted[number] = Function(info.function.definition)
            for block in body.blocks:
                function.blocks.append(Block(block.label, [*block.instructions, *block.tail]))  # type: ignore[list-item]
            function.blocks[0].instructions[:0] = body.variables
        return [promoted[function.id] for function in self.module.functions if function.id in promoted]


MAX_COPIES = 200_000
"""Instructions that inlining may copy if most of them are copied repeatedly."""
_REPETITIONS = 50


def _check_growth(order: list[Function]) -> None:
    """Raise `Unsuited` for long chains of calls.

    A function is promoted together with its callees, and then copied into its callers, so that the innermost of a chain
    of n functions is copied n times. spirv-opt does the same, but faster.
    """
    sizes = _inlined_sizes(order)
    copied = sum(sizes.values())
    if copied > MAX_COPIES and copied > _REPETITIONS * max(sizes.values()):
        raise Unsuited("a long chain of calls")


def _inlined_sizes(order: list[Function]) -> dict[int, int]:
    """Return the number of instructions of each function after its calls are inlined; callees must come first."""
    sizes: dict[int, int] = {}
    for function in order:
        calls = [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
        own = sum(len(block.instructions) for block in function.blocks)
        sizes[function.id] = own + sum(sizes[callee] for callee in calls)
    return sizes


def inlined_size(module: Module) -> int:
    """Return the number of instructions of the entry points after all calls are inlined; 0 if there is a recursion."""
    try:
        order, _ = _callees_first(module)
    except Unsuited:
        return 0
    sizes = _inlined_sizes(order)
    return sum(sizes[number] for number in {inst.id(1) for inst in module.entry_points})


Callers = dict[int, tuple[Function, list[int]]]
"""Function id → (the function, the id of the calling function for each of its calls)."""


def _callees_first(module: Module) -> tuple[list[Function], Callers]:
    """Return (functions that entry points call, callees before callers; the callers of each function)."""
    index = ModuleIndex(module)
    functions = {function.id: function for function in module.functions}
    order: dict[int, Function] = {}
    callers: Callers = {}
    for number in sorted({inst.id(1) for inst in module.entry_points}):
        _visit(number, functions, callers, order, index)
    return list(order.values()), callers


def _visit(
    number: int, functions: dict[int, Function], callers: Callers, order: dict[int, Function], index: ModuleIndex
) -> None:
    """Add a function to ``order`` after those that it calls, unless it has been added before."""
    function = functions[number]
    if number in callers:
        if number not in order:
            raise Unsuited("a recursion")
        return
    callers[number] = function, []
    if not function.blocks:
        raise Unsuited("a function that is imported")
    if index.wide_switches(function):
        raise Unsuited("a switch by 64 bits")
    for inst in function.instructions():
        if inst.op == op.OpFunctionCall:
            _visit(inst.id(0), functions, callers, order, index)
            callers[inst.id(0)][1].append(number)
    order[number] = function


def _wrapped(entry: int, callers: Callers, entry_points: set[int]) -> Function | None:
    """Return the function that an entry point of one block calls, if there is only this call and no other caller."""
    function = callers[entry][0]
    calls = [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
    if len(function.blocks) != 1 or len(calls) != 1 or calls[0] in entry_points or callers[entry][1]:
        return None
    inner, calling = callers[calls[0]]
    return inner if calling == [entry] else None
