"""HLSL1700 on: lints, warnings about code that is legal and slow or undefined on a GPU."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

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

# ---- loops
INVARIANT_OPERATION = _w(
    1706, "invariant-operation",
    "'{name}' has the same operands in every round of the loop",
    "Roots, divisions and transcendental functions take the slow units of a GPU; not every driver moves them out of the"
    " loop.  Loops of a constant number of rounds are left alone, since compilers unroll them.",
)
INVARIANT_FETCH = _w(
    1707, "invariant-fetch",
    "'{name}' has the same coordinates in every round of the loop",
    "The texture is read again in each round, which drivers rarely avoid.  Read it before the loop.",
)
LOOP_HERE = Code("HLSL1708", "loop-here", "note", "the loop is here", group=GROUP, doc="The innermost loop around it.")

# ---- memory and numbers
BANK_CONFLICT = _w(
    1709, "bank-conflict",
    "neighbours of a wave access '{name}' {stride} elements apart: all of them in one bank",
    "Groupshared memory has 32 banks of four bytes, which serve one address each at a time: accesses whose distance is a"
    " multiple of 32 words take turns.  Let neighbours access neighbouring elements, or pad the rows of an array by one"
    " element.",
)
HALF_COUNT = _w(
    1710, "half-count",
    "'{name}' ({semantic}) becomes '{type}', which skips whole numbers above 2048",
    "A 16-bit float has 11 significant bits: pixels and threads beyond 2048 share a value.  Compute with 32 bits, or make"
    " the conversion explicit: `half(position.x)`.",
)
HALF_COORDINATE = _w(
    1711, "half-coordinate",
    "the coordinates of '{name}' went through '{variable}' of type '{type}', which has 11 significant bits",
    "Such coordinates reach no more than 2048 texels between 0 and 1, and none between two texels of such a texture."
    "  Keep coordinates in 32 bits, or make the conversion explicit.",
)
NARROWED_HERE = Code(
    "HLSL1712", "narrowed-here", "note", "'{name}' gets a value of 32 bits here", group=GROUP,
    doc="The conversion loses the bits that the warning is about.",
)

# ---- sets of permutations
_OF_SETS = "  `hlsl_tool lint` reports it; a build does not, since it sees the shaders that it compiles."


def _set(number: int, name: str, template: str, doc: str) -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=GROUP, default_on=False, doc=doc + _OF_SETS)


UNUSED_RESOURCE = _set(
    1713, "unused-resource",
    "'{name}' ({type}) is unused in every shader that declares it ({count})",
    "No module has it, in no permutation, so nothing has to be bound there.  Remove the declaration, and code that reads"
    " it without using the value.",
)
UNUSED_SEMANTIC = _set(
    1714, "unused-semantic",
    "input '{semantic}' ({type}) is unused in every shader that declares it ({count})",
    "Earlier stages compute it, or the vertex buffer stores it, for nothing.  Remove the field.",
)
DEAD_AXIS = _set(
    1715, "dead-axis",
    "all values of '{axis}' give the same modules: {count} permutations of '{name}' are compiled in vain",
    "In every choice of the other macros, the SPIR-V is equal byte for byte.  Remove the macro from `permutations`.",
)

SETS = (UNUSED_RESOURCE, UNUSED_SEMANTIC, DEAD_AXIS)
"""The lints about all shaders of a configuration."""
FLOW = (DIVERGENT_DERIVATIVE, DIVERGENT_SAMPLE, DIVERGENT_BARRIER)
"""The lints about control flow."""
LOOPS = (INVARIANT_OPERATION, INVARIANT_FETCH)
"""The lints about loops."""
PRECISION = (HALF_COUNT, HALF_COORDINATE)
"""The lints about 16-bit floats."""
ALL = (*FLOW, MISSING_NON_UNIFORM, *LOOPS, BANK_CONFLICT, *PRECISION)
"""The lints that a compilation runs."""
