"""Find functions to rewrite, and the entry points that call them."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import reach
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.view import View


def functions_with(view: View, is_sought: Callable[[Instruction], bool]) -> list[tuple[Function, list[Instruction]]]:
    """Return (function, entry points that call it) for functions with an instruction that meets ``is_sought``."""
    found: dict[int, list[Instruction]] = {}
    calls: dict[int, list[int]] = {}
    for function in view.module.functions:
        called = calls[function.id] = []
        for inst in function.instructions():
            if inst.op == op.OpFunctionCall:
                called.append(inst.id(0))
            elif is_sought(inst):
                found[function.id] = []
    if found:
        for entry in view.module.entry_points:
            for number in reach([entry.id(1)], calls):
                if number in found:
                    found[number].append(entry)
    return [(view.functions[number], entries) for number, entries in found.items() if entries]
