"""The functions that an entry point reaches."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.spirv import op
from hlsl_tool.wgsl.module.view import View


def reached(view: View, root: int) -> Iterator[int]:
    """Yield the functions that a function reaches, itself first."""
    seen = {root}
    pending = [root]
    while pending:
        number = pending.pop()
        yield number
        for inst in view.functions[number].instructions():
            if inst.op == op.OpFunctionCall and inst.id(0) not in seen:
                seen.add(inst.id(0))
                pending.append(inst.id(0))
