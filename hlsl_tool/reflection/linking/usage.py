"""Static use of module-level variables by entry points (SPIR-V specification, *static use*)."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module


def used_by_entry(module: Module, candidates: frozenset[int]) -> dict[str, set[int]]:
    """Return a mapping from each entry point's name to the ids among ``candidates`` that it or its callees mention."""
    mentioned: dict[int, set[int]] = {}
    called: dict[int, set[int]] = {}
    for function in module.functions:
        ids = mentioned.setdefault(function.id, set())
        calls = called.setdefault(function.id, set())
        for inst in function.instructions():
            if not candidates.isdisjoint(inst.operands):
                ids.update(candidates.intersection(inst.operands))
            if inst.op == op.OpFunctionCall:
                calls.add(inst.id(0))
    by_entry: dict[str, set[int]] = {}
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
        by_entry.setdefault(entry.text(2), set()).update(used)
    return by_entry
