"""Which module-level variables an entry point uses: those that its functions mention (SPIR-V specification, *static
use*)."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module


def used_by_entry(module: Module, wanted: frozenset[int]) -> dict[str, set[int]]:
    """Entry point → those of the wanted ids that it uses, by itself or through what it calls."""
    mentioned: dict[int, set[int]] = {}
    called: dict[int, set[int]] = {}
    for function in module.functions:
        ids = mentioned.setdefault(function.id, set())
        calls = called.setdefault(function.id, set())
        for inst in function.instructions():
            ids.update(wanted.intersection(inst.operands))
            if inst.op == op.OpFunctionCall:
                calls.add(inst.id(0))
    found: dict[str, set[int]] = {}
    for entry in module.entry_points:
        used: set[int] = set()
        seen: set[int] = set()
        todo = [entry.id(1)]
        while todo:
            function_id = todo.pop()
            if function_id in seen:
                continue
            seen.add(function_id)
            used |= mentioned.get(function_id, set())
            todo += sorted(called.get(function_id, ()))
        found.setdefault(entry.text(2), set()).update(used)
    return found
