"""Wave and quad intrinsics (manual: *Wave Intrinsics*)."""

from __future__ import annotations

from hlsl_tool.base.options.environments import is_at_least
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.quads import derivative_group
from hlsl_tool.codegen.lower.core.registry import INTRINSICS, intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments, each
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, GroupOperation, Scope

# name behind WaveActive/WavePrefix/WaveMultiPrefix -> instruction for float, int, uint, bool
REDUCTIONS: dict[str, tuple[int, int, int, int]] = {
    "Sum": (op.OpGroupNonUniformFAdd, op.OpGroupNonUniformIAdd, op.OpGroupNonUniformIAdd, 0),
    "Product": (op.OpGroupNonUniformFMul, op.OpGroupNonUniformIMul, op.OpGroupNonUniformIMul, 0),
    "Min": (op.OpGroupNonUniformFMin, op.OpGroupNonUniformSMin, op.OpGroupNonUniformUMin, 0),
    "Max": (op.OpGroupNonUniformFMax, op.OpGroupNonUniformSMax, op.OpGroupNonUniformUMax, 0),
    "BitAnd": (0, op.OpGroupNonUniformBitwiseAnd, op.OpGroupNonUniformBitwiseAnd, op.OpGroupNonUniformLogicalAnd),
    "BitOr": (0, op.OpGroupNonUniformBitwiseOr, op.OpGroupNonUniformBitwiseOr, op.OpGroupNonUniformLogicalOr),
    "BitXor": (0, op.OpGroupNonUniformBitwiseXor, op.OpGroupNonUniformBitwiseXor, op.OpGroupNonUniformLogicalXor),
}

BUILTINS: dict[str, tuple[int, str]] = {
    "WaveGetLaneCount": (BuiltIn.SubgroupSize, "SubgroupSize"),
    "WaveGetLaneIndex": (BuiltIn.SubgroupLocalInvocationId, "SubgroupLocalInvocationId"),
    "GetGroupWaveIndex": (BuiltIn.SubgroupId, "SubgroupId"),
    "GetGroupWaveCount": (BuiltIn.NumSubgroups, "NumSubgroups"),
}


def _scope(ctx: Lowering) -> int:
    return ctx.b.lazy_uint(Scope.Subgroup)


def require(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Request Vulkan 1.1, which subgroup operations need; the end of the module reports an older target."""
    ctx.require_env("vulkan1.1", "Wave Operation", c.pos)


def _builtin(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    builtin, name = BUILTINS[c.name]
    v = ctx.input_builtin(builtin, ctx.b.u32(), name)
    if ctx.stage == "ps" and v not in ctx.flat_builtins:  # integer inputs of fragment shaders have to be Flat
        ctx.flat_builtins.add(v)
        ctx.b.decorate(v, Decoration.Flat)
    if c.name.startswith("Wave"):
        ctx.needs_legalization()
    return ctx.rvalue(ctx.b.load(v), c.type)


for _name in BUILTINS:
    INTRINSICS[_name] = _builtin


@intrinsic("WaveIsFirstLane")
def _elect(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    return ctx.rvalue(ctx.b.emit(op.OpGroupNonUniformElect, ctx.b.bool_type(), _scope(ctx)), c.type)


_VOTES = {
    "WaveActiveAnyTrue": op.OpGroupNonUniformAny,
    "WaveActiveAllTrue": op.OpGroupNonUniformAll,
    "WaveActiveBallot": op.OpGroupNonUniformBallot,
}


@intrinsic(*_VOTES)
def _vote(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    (x,) = arguments(ctx, c)
    return ctx.rvalue(ctx.b.emit(_VOTES[c.name], ctx.type(c.type), _scope(ctx), x), c.type)


@intrinsic("WaveActiveAllEqual")
def _all_equal(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``WaveActiveAllEqual`` separately for each component."""
    require(ctx, c)
    b = ctx.b
    args = arguments(ctx, c)

    def act(r: Type, a: list[int]) -> int:
        n = ty.component_count(r)
        parts = [
            b.emit(op.OpGroupNonUniformAllEqual, b.bool_type(), _scope(ctx), a[0] if n == 1 else b.extract(a[0], i))
            for i in range(n)
        ]
        return parts[0] if n == 1 else b.construct(ctx.type(r), parts)

    return ctx.rvalue(each(ctx, c.args[0].type, c.type, args, act), c.type)


@intrinsic("WaveReadLaneFirst", "WaveReadLaneAt")
def _broadcast(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    b = ctx.b
    args = arguments(ctx, c)
    if c.name == "WaveReadLaneFirst":
        return ctx.rvalue(
            each(
                ctx,
                c.type,
                c.type,
                args,
                lambda r, a: b.emit(op.OpGroupNonUniformBroadcastFirst, ctx.type(r), _scope(ctx), a[0]),
            ),
            c.type,
        )
    lane, shuffle = args[1], op.OpGroupNonUniformShuffle  # in spite of the function's name it is not a broadcast
    return ctx.rvalue(
        each(ctx, c.type, c.type, args[:1], lambda r, a: b.emit(shuffle, ctx.type(r), _scope(ctx), a[0], lane)), c.type
    )


@intrinsic("WaveActiveCountBits", "WavePrefixCountBits")
def _count(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    b = ctx.b
    (x,) = arguments(ctx, c)
    ballot = b.emit(op.OpGroupNonUniformBallot, b.vector(b.u32(), 4), _scope(ctx), x)
    operation = GroupOperation.Reduce if "Active" in c.name else GroupOperation.ExclusiveScan
    return ctx.rvalue(b.emit(op.OpGroupNonUniformBallotBitCount, b.u32(), _scope(ctx), operation, ballot), c.type)


def _opcode(name: str, t: Type) -> int:
    element = ty.element_of(t)
    assert element is not None
    return REDUCTIONS[name][{"float": 0, "int": 1, "uint": 2, "bool": 3}[element.category]]


@intrinsic(*(f"WaveActive{n}" for n in REDUCTIONS), "WavePrefixSum", "WavePrefixProduct")
def _reduce(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    args = arguments(ctx, c)
    active = c.name.startswith("WaveActive")
    opcode = _opcode(c.name.removeprefix("WaveActive").removeprefix("WavePrefix"), c.type)
    operation = GroupOperation.Reduce if active else GroupOperation.ExclusiveScan
    return ctx.rvalue(
        each(ctx, c.type, c.type, args, lambda r, a: ctx.b.emit(opcode, ctx.type(r), _scope(ctx), operation, a[0])),
        c.type,
    )


_MULTI = ("Sum", "Product", "BitAnd", "BitOr", "BitXor")


@intrinsic(*(f"WaveMultiPrefix{n}" for n in _MULTI))
def _multi_prefix(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    x, mask = arguments(ctx, c)
    opcode = _opcode(c.name.removeprefix("WaveMultiPrefix"), c.type)
    return ctx.rvalue(
        each(
            ctx,
            c.type,
            c.type,
            [x],
            lambda r, a: ctx.b.emit(
                opcode, ctx.type(r), _scope(ctx), GroupOperation.PartitionedExclusiveScanEXT, a[0], mask
            ),
        ),
        c.type,
    )


@intrinsic("WaveMultiPrefixCountBits")
def _multi_prefix_count(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``WaveMultiPrefixCountBits``: count the lanes of a partition below this one.

    Without partitioned operations, it is an exclusive bit count of a ballot.
    """
    ctx.beyond_dxc(c.name, c.pos)
    require(ctx, c)
    b = ctx.b
    x, mask = arguments(ctx, c)
    words = ctx.type(c.args[1].type)
    ballot = b.emit(op.OpGroupNonUniformBallot, words, _scope(ctx), x)
    ballot = b.binary(op.OpBitwiseAnd, words, ballot, mask)
    scan = GroupOperation.ExclusiveScan
    return ctx.rvalue(b.emit(op.OpGroupNonUniformBallotBitCount, b.u32(), _scope(ctx), scan, ballot), c.type)


@intrinsic("WaveMatch")
def _match(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    (x,) = arguments(ctx, c)
    return ctx.rvalue(ctx.b.emit(op.OpGroupNonUniformPartitionEXT, ctx.type(c.type), x), c.type)


_SWAPS = {"QuadReadAcrossX": 0, "QuadReadAcrossY": 1, "QuadReadAcrossDiagonal": 2}


@intrinsic(*_SWAPS, "QuadReadLaneAt")
def _quad(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    require(ctx, c)
    b = ctx.b
    args = arguments(ctx, c)
    derivative_group(ctx)
    swap = c.name in _SWAPS
    opcode = op.OpGroupNonUniformQuadSwap if swap else op.OpGroupNonUniformQuadBroadcast
    which = b.const_uint(_SWAPS[c.name]) if swap else args[1]
    return ctx.rvalue(
        each(ctx, c.type, c.type, args[:1], lambda r, a: b.emit(opcode, ctx.type(r), _scope(ctx), a[0], which)), c.type
    )


@intrinsic("QuadAny", "QuadAll")
def _quad_vote(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower a quad vote to an instruction of SPV_KHR_quad_control; without the extension, to quad swaps."""
    require(ctx, c)
    b = ctx.b
    (x,) = arguments(ctx, c)
    derivative_group(ctx)
    any_of = c.name == "QuadAny"
    if ctx.is_enabled("SPV_KHR_quad_control"):
        opcode = op.OpGroupNonUniformQuadAnyKHR if any_of else op.OpGroupNonUniformQuadAllKHR
        return ctx.rvalue(b.emit(opcode, b.bool_type(), x), c.type)
    combined = x
    for direction in range(3):
        other = b.emit(op.OpGroupNonUniformQuadSwap, b.bool_type(), _scope(ctx), x, b.const_uint(direction))
        combined = b.binary(op.OpLogicalOr if any_of else op.OpLogicalAnd, b.bool_type(), combined, other)
    return ctx.rvalue(combined, c.type)


@intrinsic("IsHelperLane")
def _helper_lane(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    if ctx.stage != "ps":
        return ctx.rvalue(b.const_bool(False), c.type)
    if is_at_least(ctx.options.target_env, "vulkan1.3"):
        v = ctx.input_builtin(BuiltIn.HelperInvocation, b.bool_type(), "gl_HelperInvocation")
        return ctx.rvalue(b.load(v), c.type)
    if ctx.options.extensions:  # the function permits the extension unless the option has a list
        ctx.require_extension("SPV_EXT_demote_to_helper_invocation", c.name, c.pos)
    b.extension("SPV_EXT_demote_to_helper_invocation")
    return ctx.rvalue(b.emit(op.OpIsHelperInvocationEXT, b.bool_type()), c.type)
