"""Arithmetic intrinsics that take several instructions (manual: *Using SPIR-V opcode*, the ones with extra steps)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, constants, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import conditionals
from hlsl_tool.codegen.lower.functions import control_flow
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments, each, fused
from hlsl_tool.codegen.lower.types.kinds import is_relaxed
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Matrix, Type
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import NON_UNIFORM, Member
from hlsl_tool.spirv.enums import Decoration


def _element(t: Type) -> ty.Scalar:
    element = ty.element_of(t)
    assert element is not None
    return element


@intrinsic("saturate")
def _saturate(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    args = arguments(ctx, c)
    return ctx.rvalue(
        each(
            ctx,
            c.type,
            c.type,
            args,
            lambda t, a: ctx.b.glsl(glsl.FClamp, ctx.type(t), a[0], constants.zero(ctx, t), constants.one(ctx, t)),
        ),
        c.type,
    )


@intrinsic("rcp")
def _rcp(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    args = arguments(ctx, c)
    return ctx.rvalue(
        each(ctx, c.type, c.type, args, lambda t, a: ctx.b.binary(op.OpFDiv, ctx.type(t), constants.one(ctx, t), a[0])),
        c.type,
    )


@intrinsic("log10")
def _log10(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``log10`` as log2(x) * log10(2)."""
    b = ctx.b
    args = arguments(ctx, c)
    log2 = each(ctx, c.type, c.type, args, lambda t, a: b.glsl(glsl.Log2, ctx.type(t), *a))
    scale = constants.scalar(ctx, 0.30103, _element(c.type))
    n = ty.component_count(c.type)
    opcode = op.OpMatrixTimesScalar if casts.is_matrix(c.type) else op.OpVectorTimesScalar if n > 1 else op.OpFMul
    return ctx.rvalue(b.binary(opcode, ctx.type(c.type), log2, scale), c.type)


@intrinsic("sign")
def _sign(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)
    src = c.args[0].type
    category = _element(src).category
    if category == "uint":  # 0 or 1

        def positive(t: Type, a: list[int]) -> int:
            zero = constants.zero(ctx, ty.with_element(t, _element(src)))
            above = b.binary(op.OpUGreaterThan, ctx.type(ty.with_element(t, ty.BOOL)), a[0], zero)
            return b.select(above, constants.one(ctx, t), constants.zero(ctx, t))

        return ctx.rvalue(each(ctx, src, c.type, args, positive), c.type)
    if category == "int":
        same = ctx.rvalue(each(ctx, src, src, args, lambda t, a: b.glsl(glsl.SSign, ctx.type(t), *a)), src)
        return casts.convert(ctx, same, c.type)

    same = ctx.rvalue(each(ctx, src, src, args, lambda t, a: b.glsl(glsl.FSign, ctx.type(t), *a)), src)
    ctx.at_begin(c.args[0])
    return ctx.rvalue(casts.numeric(ctx, same.id, src, c.type), c.type)


@intrinsic("mad")
def _mad(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``mad``: fused for floats; two instructions with NoContraction for integers, as in DXC."""
    b = ctx.b
    args = arguments(ctx, c)

    def act(t: Type, a: list[int]) -> int:
        if _element(t).category == "float":
            fma = fused(ctx, t, a)
            b.decorate(fma, Decoration.NoContraction)
            return fma
        product = b.binary(op.OpIMul, ctx.type(t), a[0], a[1])
        total = b.binary(op.OpIAdd, ctx.type(t), product, a[2])
        b.decorate(product, Decoration.NoContraction)
        b.decorate(total, Decoration.NoContraction)
        return total

    return ctx.rvalue(each(ctx, c.type, c.type, args, act), c.type)


@intrinsic("ldexp")
def _ldexp(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)
    return ctx.rvalue(
        each(
            ctx,
            c.type,
            c.type,
            args,
            lambda t, a: b.binary(op.OpFMul, ctx.type(t), a[0], b.glsl(glsl.Exp2, ctx.type(t), a[1])),
        ),
        c.type,
    )


def write_out(
    ctx: Lowering, target: hir.Expr, value: int, t: Type, *, at_target: bool = False, pointer: Value | None = None
) -> None:
    """Store to an ``out`` argument with a conversion; with ``at_target`` it has the argument's debug position.

    ``pointer``: the lowered argument, if it has been evaluated.
    """
    v = ctx.rvalue(value, t)
    if v.type is not target.type and ty.is_numeric(target.type):
        v = casts.convert(ctx, v, target.type)
    if at_target:
        ctx.at_begin(target)
    assign(ctx, target, v, pointer)


@intrinsic("modf")
def _modf(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return _two_results(ctx, c, glsl.ModfStruct, "ModfStructType", ("frac", "ip"), None)


@intrinsic("frexp")
def _frexp(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return _two_results(ctx, c, glsl.FrexpStruct, "FrexpStructType", ("mantissa", "exponent"), ty.INT)


def _two_results(
    ctx: Lowering, c: hir.IntrinsicCall, number: int, name: str, members: tuple[str, str], second: ty.Scalar | None
) -> Value:
    """Lower to an instruction that returns a struct: return one member, store the other to the ``out`` argument.

    ``number`` is the GLSL.std.450 instruction. ``name`` and ``members`` are the names of the struct and its members;
    ``second`` is the component type of the second member, ``None`` if it is that of the first.
    """
    b = ctx.b
    x = memory.load(ctx, ctx.expr(c.args[0])).id
    target = c.args[1]
    is_first = number == glsl.FrexpStruct and isinstance(target, hir.Swizzle) and len(target.components) == 1
    pointer = ctx.expr(target) if is_first else None  # before the instruction, as in DXC
    ctx.at(c)

    def member(t: Type, name: str) -> Member:
        return Member(ctx.type(t), name, relaxed=is_relaxed(t))

    def call(value: int, t: Type) -> tuple[int, int]:
        other = ty.with_element(t, second) if second is not None else t
        both = b.struct(name, [member(t, members[0]), member(other, members[1])])
        r = b.glsl(number, both, value)
        return r, casts.numeric(ctx, b.extract(r, 1), other, t)

    if not casts.is_matrix(c.type):
        both, extra = call(x, c.type)
        write_out(ctx, target, extra, c.type, at_target=pointer is None, pointer=pointer)
        return ctx.rvalue(b.extract(both, 0), c.type)
    assert isinstance(c.type, Matrix)
    firsts, seconds = [], []
    for i in range(c.type.rows):
        both, extra = call(b.extract(x, i), casts.row_type(c.type))
        firsts.append(b.extract(both, 0))
        seconds.append(extra)
    write_out(ctx, c.args[1], b.construct(ctx.type(c.type), seconds), c.type, at_target=True)
    return ctx.rvalue(b.construct(ctx.type(c.type), firsts), c.type)


@intrinsic("sincos")
def _sincos(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    t = c.param_types[0]
    angle = c.args[0]
    x = memory.load(ctx, ctx.expr(angle))
    # DXC evaluates the angle twice; a variable has another value then in `sincos(a, a, b)`.
    repeats = ctx.options.codegen_only and isinstance(angle, hir.Load) and isinstance(angle.operand, hir.VarRef)
    for number, target in ((glsl.Sin, c.args[1]), (glsl.Cos, c.args[2])):
        if number == glsl.Cos and repeats:
            x = memory.load(ctx, ctx.expr(angle))
        value = each(ctx, t, t, [x.id], lambda r, a, n=number: ctx.b.glsl(n, ctx.type(r), *a))  # type: ignore[misc]
        write_out(ctx, target, value, t)


@intrinsic("lit")
def _lit(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``lit``, which returns (ambient, diffuse, specular, 1)."""
    b = ctx.b
    n_dot_l, n_dot_h, m = arguments(ctx, c)
    element = _element(c.type)
    f, zero, one = ctx.types.scalar(element), constants.scalar(ctx, 0.0, element), constants.scalar(ctx, 1.0, element)
    diffuse = b.glsl(glsl.FMax, f, zero, n_dot_l)
    smaller = b.glsl(glsl.FMin, f, n_dot_l, n_dot_h)
    negative = b.binary(op.OpFOrdLessThan, b.bool_type(), smaller, zero)
    if ctx.options.codegen_only:  # DXC multiplies where Direct3D, and its own DXIL, raise to a power
        power = b.binary(op.OpFMul, f, n_dot_h, m)
    else:
        power = b.glsl(glsl.Pow, f, n_dot_h, m)
    specular = b.select(negative, zero, power)
    return ctx.rvalue(b.construct(ctx.type(c.type), [one, diffuse, specular, one]), c.type)


@intrinsic("dst")
def _dst(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    first, second = arguments(ctx, c)
    element = _element(c.type)
    y0, y1, z, w = b.extract(first, 1), b.extract(second, 1), b.extract(first, 2), b.extract(second, 3)
    y = b.binary(op.OpFMul if element.category == "float" else op.OpIMul, ctx.types.scalar(element), y0, y1)
    return ctx.rvalue(b.construct(ctx.type(c.type), [constants.scalar(ctx, 1, element), y, z, w]), c.type)


@intrinsic("D3DCOLORtoUBYTE4")
def _color(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    (x,) = arguments(ctx, c)
    v4 = b.vector(b.f32(), 4)
    swapped = b.shuffle(x, x, [2, 1, 0, 3])
    scaled = b.binary(op.OpVectorTimesScalar, v4, swapped, b.const_f32(255.001999))
    return ctx.rvalue(b.unary(op.OpConvertFToS, ctx.type(c.type), scaled), c.type)


@intrinsic("isfinite")
def _isfinite(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)

    def act(t: Type, a: list[int]) -> int:
        to = ctx.type(t)
        nan, inf = b.unary(op.OpIsNan, to, a[0]), b.unary(op.OpIsInf, to, a[0])
        return b.unary(op.OpLogicalNot, to, b.binary(op.OpLogicalOr, to, nan, inf))

    return ctx.rvalue(each(ctx, c.args[0].type, c.type, args, act), c.type)


@intrinsic("all", "any")
def _all_any(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    (x,) = arguments(ctx, c)
    t, opcode = c.args[0].type, op.OpAll if c.name == "all" else op.OpAny
    if ty.component_count(t) == 1:
        return ctx.rvalue(casts.to_bool(ctx, x, t, b.bool_type()), c.type)
    if casts.is_matrix(t):
        assert isinstance(t, Matrix)
        row = casts.row_type(t)
        parts: list[int] = []
        for i in range(t.rows):
            ctx.at_begin(c.args[0])
            bools = _bools(ctx, b.extract(x, i), row)
            ctx.at_begin(c)
            parts.append(b.unary(opcode, b.bool_type(), bools))
        return ctx.rvalue(b.unary(opcode, b.bool_type(), b.construct(b.vector(b.bool_type(), t.rows), parts)), c.type)
    ctx.at_begin(c)
    bools = _bools(ctx, x, t)
    ctx.at(c)
    return ctx.rvalue(b.unary(opcode, b.bool_type(), bools), c.type)


def _bools(ctx: Lowering, x: int, t: Type) -> int:
    return casts.to_bool(ctx, x, t, ctx.b.vector(ctx.b.bool_type(), ty.component_count(t)))


@intrinsic("clip")
def _clip(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``clip``: discard the pixel if any component of the argument is negative."""
    b = ctx.b
    if ctx.stage not in ("ps", "lib"):
        ctx.fail(codes.CLIP_STAGE, c.pos)
    (x,) = arguments(ctx, c)
    t = c.args[0].type

    def negative(value: int, vt: Type) -> int:
        n = ty.component_count(vt)
        less = b.binary(op.OpFOrdLessThan, b.vector(b.bool_type(), n), value, constants.zero(ctx, vt))
        return less if n == 1 else b.unary(op.OpAny, b.bool_type(), less)

    if casts.is_matrix(t):
        assert isinstance(t, Matrix)
        parts = [negative(b.extract(x, i), casts.row_type(t)) for i in range(t.rows)]
        cond = b.unary(op.OpAny, b.bool_type(), b.construct(b.vector(b.bool_type(), t.rows), parts))
    else:
        cond = negative(x, t)
    then, merge = b.new_block("if.true"), b.new_block("if.merge")
    b.branch_conditional(cond, then, merge, merge=merge)
    b.set_insert_point(then)
    control_flow.discard(ctx)
    if b.current_block == then:
        b.branch(merge)
    b.set_insert_point(merge)


@intrinsic("select")
def _select(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    test, *arms = c.args
    if isinstance(test, hir.Cast) and test.kind == "splat" and casts.is_matrix(test.type):
        test = test.operand  # a single condition for a whole matrix is a branch
    cond, then, otherwise = (memory.load(ctx, ctx.expr(a)) for a in (test, *arms))
    return conditionals.select(ctx, cond, then, otherwise, c.type)


@intrinsic("NonUniformResourceIndex")
def _non_uniform(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``NonUniformResourceIndex``: mark a copy of the index NonUniform; other uses of it may be uniform."""
    (x,) = arguments(ctx, c)
    copy = ctx.b.unary(op.OpCopyObject, ctx.type(c.type), x)
    ctx.b.mark(copy, NON_UNIFORM)
    return ctx.rvalue(copy, c.type)


@intrinsic("CheckAccessFullyMapped")
def _mapped(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    (x,) = arguments(ctx, c)
    return ctx.rvalue(ctx.b.sparse_texels_resident(x), c.type)
