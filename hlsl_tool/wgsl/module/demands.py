"""Check a module's requirements other than instructions: execution modes and decorations.

Some are translated. Some are ignored, because they only permit optimisations or are information; so is NoContraction,
which WGSL cannot express. All others are reported by name.
"""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, SUBGROUP
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, ExecutionModel, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.usage import WRITING, Usage
from hlsl_tool.wgsl.module.uses import IMPLICIT
from hlsl_tool.wgsl.module.view import View

M, D, S = ExecutionMode, Decoration, StorageClass

MODES = frozenset(
    (
        M.OriginUpperLeft,
        M.LocalSize,
        M.LocalSizeId,
        M.DepthReplacing,
        M.DepthGreater,
        M.DepthLess,
        M.DepthUnchanged,  # promises about the value of FragDepth
        M.SignedZeroInfNanPreserve,  # left out as NoContraction is: WGSL has neither
    )
)
"""Execution modes that are translated, or need no translation."""

RECONVERGENCE = frozenset((M.SubgroupUniformControlFlowKHR, M.MaximallyReconvergesKHR))
"""Execution modes that matter to subgroup instructions only."""

TRANSLATED = frozenset(
    (
        D.SpecId, D.Block, D.BufferBlock, D.RowMajor, D.ColMajor, D.ArrayStride, D.MatrixStride, D.BuiltIn,
        D.NoPerspective, D.Flat, D.Centroid, D.Sample, D.NonWritable, D.NonReadable, D.Location, D.Component, D.Index,
        D.Binding, D.DescriptorSet, D.Offset, D.NonUniform, D.Invariant,
        D.InputAttachmentIndex,  # its type is reported
    )
)  # fmt: skip
PROMISES = frozenset(
    (
        D.RelaxedPrecision,
        D.Restrict,
        D.Aliased,
        D.RestrictPointer,
        D.AliasedPointer,
        D.Uniform,
        D.UniformId,
        D.NoSignedWrap,
        D.NoUnsignedWrap,
        D.CounterBuffer,
        D.UserSemantic,
        D.UserTypeGOOGLE,
    )
)
"""Decorations that permit optimisations, or are information."""

LOST = frozenset((D.NoContraction,))
"""Decorations that are dropped although WGSL lacks them: its compilers may contract and reassociate."""

SHARED = frozenset((D.Coherent, D.Volatile))
"""Decorations of memory that make writes of other invocations visible."""

WORDS = {
    D.PerVertexKHR: "WGSL has no inputs of each vertex of a primitive (PerVertexKHR, `GetAttributeAtVertex`)",
    D.PerPrimitiveEXT: "WGSL has no inputs of a primitive of mesh shaders (PerPrimitiveEXT)",
}
"""Decoration that is reported → description."""

KNOWN = TRANSLATED | PROMISES | LOST | SHARED

DRAW_PARAMETERS = {
    BuiltIn.BaseVertex: "base_vertex",
    BuiltIn.BaseInstance: "base_instance",
    BuiltIn.DrawIndex: "draw_index",
}
"""Built-in value of a draw that WebGPU lacks → name in WGSL, where an option makes it 0."""

QUADS = frozenset((M.DerivativeGroupLinearKHR, M.DerivativeGroupQuadsKHR))
"""Execution modes that define how the invocations of a workgroup form quads."""

_DERIVATIVES = frozenset((*IMPLICIT, op.OpImageQueryLod, *range(op.OpDPdx, op.OpFwidthCoarse + 1)))
_ORDERING = frozenset((*ATOMICS, op.OpControlBarrier, op.OpMemoryBarrier, op.OpLoopMerge))
_DISCARDS = frozenset((op.OpKill, op.OpTerminateInvocation, op.OpDemoteToHelperInvocation))
_AFTER_TESTS = frozenset((BuiltIn.FragDepth, BuiltIn.SampleMask, BuiltIn.FragStencilRefEXT))
"""Outputs on which depth and stencil tests depend."""

_OUTSIDE = frozenset((S.StorageBuffer, S.Uniform, S.PhysicalStorageBuffer, S.Image))
"""Storage classes that are shared between invocations."""
_RESOURCES = _OUTSIDE | {S.UniformConstant}


def check_demands(view: View, usage: Usage, functions: list[Function], *, drops_early_tests: bool = False) -> None:
    """Raise `Unsupported` for an execution mode or a decoration that WGSL cannot honour."""
    _check_decorations(view, usage, functions)
    for entry, model, _ in view.entry_points():
        reached = usage.reached(entry.id(1))
        body = [inst for function in functions if function.id in reached for inst in function.instructions()]
        for mode in view.execution_modes(entry.id(1)):
            if mode.id(1) != M.EarlyFragmentTests or not drops_early_tests:
                _check_mode(view, mode, model, entry, body)


# ----------------------------------------------------------------------------------------------------- execution modes


def _check_mode(view: View, inst: Instruction, model: int, entry: Instruction, body: list[Instruction]) -> None:
    mode = inst.id(1)
    if mode in MODES:
        return
    name = enum_name("ExecutionMode", mode) or str(mode)
    if mode in RECONVERGENCE:
        if any(inst.op in SUBGROUP for inst in body):
            raise Unsupported(f"WGSL has no execution mode {name}, on which subgroup operations depend", entry.id(1))
        return
    if mode in QUADS:
        if any(inst.op in _DERIVATIVES for inst in body):
            reason = "on which derivatives and levels of detail depend"
            raise Unsupported(f"WGSL has no execution mode {name}, {reason}", entry.id(1))
        return
    if mode == M.EarlyFragmentTests:
        reason = _early_tests_matter(view, entry, body) if model == ExecutionModel.Fragment else ""
        if reason:
            raise Unsupported(
                f"WGSL has no execution mode EarlyFragmentTests, and the shader {reason}"
                " (`early_fragment_tests: drop` leaves the mode out)",
                entry.id(1),
            )
        return
    raise Unsupported(f"WGSL has no execution mode {name}", entry.id(1))


def _early_tests_matter(view: View, entry: Instruction, body: list[Instruction]) -> str:
    """Return the name of a shader operation that depends on when depth and stencil tests happen; ``""`` without one."""
    for number in entry.ints()[3:]:
        variable = view.defs[number]
        if variable.op == op.OpVariable and variable.id(0) == S.Output:
            for built_in in _built_ins(view, variable):
                if built_in in _AFTER_TESTS:
                    return f"writes {enum_name('BuiltIn', built_in)}"
    for inst in body:
        if inst.op in _DISCARDS:
            return "discards pixels"
        if inst.op == op.OpImageWrite:
            return "writes to textures"
        if inst.op in WRITING and view.storage_class(view.type_of(inst.id(0))) in _OUTSIDE:
            return "writes to buffers"
    return ""


def _built_ins(view: View, variable: Instruction) -> Iterable[int]:
    number = view.literal(variable.result_id, D.BuiltIn)
    if number is not None:
        yield number
    type_id = view.pointee(variable.type_id)
    for index in range(len(view.type(type_id).operands) if view.type(type_id).op == op.OpTypeStruct else 0):
        member = view.member_literal(type_id, index, D.BuiltIn)
        if member is not None:
            yield member


# --------------------------------------------------------------------------------------------------------- decorations


def _check_decorations(view: View, usage: Usage, functions: list[Function]) -> None:
    for target, decorations in view.decorations.items():
        inst = view.defs.get(target)
        if inst is None or (_is_resource(inst) and not usage.users.get(target)):
            continue
        for decoration in decorations:
            if decoration not in KNOWN:
                raise Unsupported(_reason(decoration), target)
    for (struct, _), decorations in view.member_decorations.items():
        for decoration in decorations:
            if decoration not in KNOWN:
                raise Unsupported(_reason(decoration), struct)
    _check_shared(view, usage, functions)


def _is_resource(inst: Instruction) -> bool:
    return inst.op == op.OpVariable and inst.id(0) not in (S.Input, S.Output)


def _reason(decoration: int) -> str:
    if decoration in WORDS:
        return WORDS[decoration]
    return f"WGSL has no decoration {enum_name('Decoration', decoration) or decoration}"


def _check_shared(view: View, usage: Usage, functions: list[Function]) -> None:
    """Report coherent memory through which a shader can wait for other invocations' writes.

    Atomics are always coherent. Without atomics, barriers and loops, reads and writes are not ordered in any case.
    """
    if not any(inst.op in _ORDERING for function in functions for inst in function.instructions()):
        return
    for variable in sorted(usage.read & usage.written):
        inst = view.defs[variable]
        if inst.op != op.OpVariable or inst.id(0) not in _RESOURCES:
            continue
        if variable in usage.coherent or _decorations_within(view, inst) & SHARED:
            raise Unsupported(
                "WGSL has no coherent memory: a `globallycoherent` resource is written and also read without atomics",
                variable,
            )


def _decorations_within(view: View, variable: Instruction) -> set[int]:
    """Return the decorations of a variable and of its struct's members."""
    decorations = set(view.decorations.get(variable.result_id, ()))
    kind = view.type(view.pointee(variable.type_id))
    while kind.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        kind = view.type(kind.id(0))
    if kind.op == op.OpTypeStruct:
        for index in range(len(kind.operands)):
            decorations.update(view.member(kind.result_id, index))
    return decorations
