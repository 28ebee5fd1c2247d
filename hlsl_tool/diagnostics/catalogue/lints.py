"""HLSL1700 on: lints, warnings about code that is legal and slow or undefined on a GPU."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

GROUP = "lint"
_SWITCH = "  On in a configuration, off on the command line: `-Wlint` turns all lints on, `-W{name}` this one."


def _w(number: int, name: str, template: str, doc: str) -> Code:
    doc += _SWITCH.format(name=name)
    return Code(f"HLSL{number:04}", name, "warning", template, group=GROUP, default_on=False, doc=doc)


# ---- divergent control flow
DIVERGENT_DERIVATIVE = _w(
    1700, "divergent-derivative",
    "'{name}' in control flow that differs within a quad: the result is undefined",
    "A derivative is the difference to the neighbours of a quad, some of which take another branch.  Compute the"
    " derivative before the branch.",
)
DIVERGENT_SAMPLE = _w(
    1701, "divergent-sample",
    "'{name}' in control flow that differs within a quad: its mip level is undefined",
    "The method derives the mip level from the coordinates of the neighbours, some of which take another branch.  Sample"
    " before the branch, or compute `ddx` and `ddy` there and use `SampleGrad`, or name the level with `SampleLevel`.",
)
DIVERGENT_BARRIER = _w(
    1702, "divergent-barrier",
    "'{name}' in control flow that differs within the thread group: not all of its invocations get here",
    "The invocations that take the branch wait for the others, which never come: the GPU may hang.  Move the barrier out"
    " of the branch; instead of an early `return`, put the work under a condition and leave the barrier outside.",
)
DIVERGES_HERE = Code(
    "HLSL1703", "diverges-here", "note", "the condition depends on {source}", group=GROUP,
    doc="The branch, loop or early `return` that only some invocations take, and the value that differs between them.",
)
SAME_CONDITION = Code(
    "HLSL1705", "same-condition", "note", "'{name}' is under the same condition", group=GROUP,
    doc="Another call that the lint is about; a cure at the condition helps it, too.",
)
MISSING_NON_UNIFORM = _w(
    1704, "missing-nonuniform",
    "the index into '{name}' differs within a wave, without 'NonUniformResourceIndex': it depends on {source}",
    "GPUs read the descriptor once for a whole wave, unless the index is marked: some invocations get the resource of"
    " another one.  Write `NonUniformResourceIndex(index)`.",
)

FLOW = (DIVERGENT_DERIVATIVE, DIVERGENT_SAMPLE, DIVERGENT_BARRIER)
"""The lints about control flow."""
ALL = (*FLOW, MISSING_NON_UNIFORM)
"""The lints that a compilation runs."""
