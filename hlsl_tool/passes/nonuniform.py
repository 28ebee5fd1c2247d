"""Spread NonUniform from indices to what is accessed through them.

Before: the lowering has marked the results of ``NonUniformResourceIndex`` (and what it converts them to) with
``NON_UNIFORM``.  After: so are operations on marked values, access chains with a marked base or index, loads through
marked pointers, sampled images and texel pointers of marked images, and atomics on marked pointers.  The builder
writes the decorations.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import NON_UNIFORM, ModuleBuilder

from .walk import ACCESS_CHAINS, ATOMICS, BINARY, UNARY, function_body

_ANY_OPERAND = ACCESS_CHAINS | UNARY | BINARY | {op.OpSampledImage}
_FIRST_OPERAND = ATOMICS | {op.OpLoad, op.OpImageTexelPointer}


def propagate_non_uniform(builder: ModuleBuilder) -> None:
    """See above."""
    marks = builder.marks
    if not any(flags & NON_UNIFORM for flags in marks.values()):
        return
    for function in builder.functions:
        for inst in function_body(builder, function):
            if inst.op in _ANY_OPERAND:
                sources = inst.ints()
            elif inst.op in _FIRST_OPERAND:
                sources = inst.ints()[:1]
            else:
                continue
            if inst.result_id and any(marks.get(source, 0) & NON_UNIFORM for source in sources):
                builder.mark(inst.result_id, NON_UNIFORM)
