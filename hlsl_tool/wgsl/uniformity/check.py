"""Check the barriers of all entry points for uniform control flow."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.errors import MEMORY_BARRIER, Unsupported
from hlsl_tool.wgsl.module.source_places import Places
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.context import Context

from .state import Barrier, Cause
from .walker import EntryPointFlow

BARRIERS = frozenset((op.OpControlBarrier, op.OpMemoryBarrier))

_SPACES = {
    StorageClass.Workgroup: "groupshared memory",
    StorageClass.Private: "a static variable",
    StorageClass.StorageBuffer: "a buffer",
    StorageClass.Uniform: "a buffer",
}


def check_barriers(context: Context, functions: list[Function], places: Places) -> None:
    """Raise a `WgslError` for a barrier that WGSL rejects; record the loads that must be `workgroupUniformLoad`."""
    with_barriers = _reaching(functions, lambda inst: inst.op in BARRIERS)
    with_quads = context.view.quad_readers | _reaching(functions, lambda inst: _calls(inst, context.view.quad_readers))
    roots = [inst.id(1) for inst in context.view.module.entry_points if inst.id(1) in with_barriers]
    for root in dict.fromkeys(roots):
        while True:
            module = EntryPointFlow(context, with_barriers)
            try:
                module.call(root, ())
                break
            except Barrier as barrier:
                if barrier.cause in context.uniform_loads or barrier.cause not in module.eligible:
                    reason = _reason(context.view, barrier.cause)
                    if barrier.inst.op == op.OpMemoryBarrier:
                        reason = f"{MEMORY_BARRIER}; {reason}"
                    elif _calls(barrier.inst, with_quads):
                        reason = f"quad operations of this workgroup are barriers and groupshared memory; {reason}"
                    raise places.error(Unsupported(reason), barrier.inst) from None
                context.uniform_loads.add(barrier.cause)


def _calls(inst: Instruction, functions: set[int]) -> bool:
    return inst.op == op.OpFunctionCall and inst.id(0) in functions


def _reaching(functions: list[Function], is_sought: Callable[[Instruction], bool]) -> set[int]:
    """Return the functions that contain a sought instruction or call such a function.

    Callees come first in ``functions``.
    """
    numbers: set[int] = set()
    for function in functions:
        if any(is_sought(inst) or _calls(inst, numbers) for inst in function.instructions()):
            numbers.add(function.id)
    return numbers


def _reason(view: View, cause: Cause) -> str:
    inst = view.defs[cause]
    if inst.op == op.OpLoad:
        inst = root_of(view, inst.id(0))[0]
    value = view.names.get(inst.result_id, "")
    if inst.op == op.OpVariable:
        number = view.literal(inst.result_id, Decoration.BuiltIn)
        if number is not None:
            value = enum_name("BuiltIn", number) or value
        value = f"`{value}`, {_SPACES[inst.id(0)]}" if inst.id(0) in _SPACES else f"`{value}`"
    else:
        value = f"`{value}`" if value else "a value that may differ between invocations"
    return f"WGSL wants barriers in uniform control flow: whether this one is reached depends on {value}"
