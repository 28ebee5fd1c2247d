"""Calls of intrinsic functions."""

from __future__ import annotations

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import availability
from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, Type
from hlsl_tool.frontend.sema.rules import object_elements, type_names
from hlsl_tool.frontend.sema.rules.expressions import conversions, interpolation, ray_data
from hlsl_tool.frontend.sema.rules.expressions.lvalues import modifiable
from hlsl_tool.frontend.sema.rules.intrinsics import candidates, matching, methods
from hlsl_tool.frontend.sema.rules.templates.functions import wrong_count
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast


def intrinsic(ctx: Context, name: str, args: list[hir.Expr], targs: list[ast.TemplateArg] | None, pos: int) -> hir.Expr:
    """Build a call of the intrinsic function ``name``; report an error if no overload matches."""
    matched = matched_intrinsic(ctx, name, args, targs, pos)
    if matched is None:
        rows = matching.overloads(name)
        types = [ex.contents(a).type for a in args]
        notes = [
            ctx.note(codes.CANDIDATE, pos, why=_not_viable(r, types), signature=candidates.signature(r, types))
            for r in rows[:4]
        ]
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name=name, notes=notes, hint=_atomic_hint(name, types))
    return matched


def _atomic_hint(name: str, types: list[Type]) -> str | None:
    """Return a hint about an atomic intrinsic that does not support its first argument's type; otherwise ``None``."""
    if not name.startswith("Interlocked") or not types:
        return None
    if isinstance(types[0], ty.Vector):
        return "an atomic changes one component of a vector, such as `v.x`"
    if name in ("InterlockedCompareExchange", "InterlockedCompareStore") and types[0] is ty.FLOAT:
        return f"`{name}FloatBitwise` compares the bits of floats"
    return None


def _not_viable(row: matching.Row, args: list[Type]) -> str:
    required = len(row.slots) - 1
    most = max(required, len(args)) if row.variadic else required
    why = wrong_count(required, most, len(args)) or candidates.misfit(row, args)
    return f" not viable: {why}" if why else ""


def matched_intrinsic(
    ctx: Context, name: str, args: list[hir.Expr], targs: list[ast.TemplateArg] | None, pos: int
) -> hir.Expr | None:
    """Build a call of the overload that matches the arguments; ``None`` if none does."""
    args = [ex.contents(a) for a in args]
    targ: Type | None = None
    extra: tuple[object, ...] = ()
    if targs:
        values = [type_names.template_argument(ctx, a)[0] for a in targs]
        extra = tuple(values)
        first = values[0]
        targ = (
            first
            if isinstance(first, (ty.Scalar, ty.Vector, ty.Matrix, Struct, ty.Array, ty.Enum, ObjectType))
            else None
        )
    if name in POINTER_CASTS:
        return _pointer_cast(ctx, name, args, extra, pos)
    types = [a.type for a in args]
    if name.startswith("Interlocked") and args and isinstance(args[0], hir.Member) and args[0].field.bits is not None:
        return None
    if name == "select":
        types = [ty.INT64 if _is_wide(a) else t for a, t in zip(args, types, strict=True)]
    m = matching.match(name, types, targ, negated={i for i, a in enumerate(args) if _is_negated(a)})
    if m is None:
        return None
    if name.startswith("Interlocked"):
        _check_original(ctx, args, m.directions)
    out, directions = convert_arguments(ctx, args, m.params, m.directions, m.row.variadic)
    params = m.params + tuple(a.type for a in out[len(m.params) :])
    if name == "GetAttributeAtVertex":
        interpolation.check(ctx, args[0], name, 0)
    call = hir.IntrinsicCall(name, out, m.result, pos, directions, params, extra)
    if name == "GetAttributeAtVertex" and ctx.source is not None:
        ctx.source.vertex_reads.append(call)
    _check_call(ctx, call)
    return call


def _check_call(ctx: Context, call: hir.IntrinsicCall) -> None:
    """Report objects that a call prints or moves to or from memory, and structs that a shader may not pass to another.

    Also record calls that only some stages or shader models support.
    """
    name = call.name
    if name == "vk::RawBufferLoad":
        object_elements.check_value(ctx, name, call.type, call.pos)
    elif name == "vk::RawBufferStore":
        object_elements.check_value(ctx, name, call.args[1].type, call.args[1].pos)
    elif name == "printf" and any(isinstance(part, ObjectType) for a in call.args for part in ty.flatten(a.type)):
        ctx.fail(codes.NO_MATCHING_FUNCTION, call.pos, name=name)
    if name in ray_data.RECORDS:
        ray_data.check_intrinsic(ctx, call)
    if name in watched.FUNCTIONS:
        ctx.watch(call)
        if name == "Barrier":
            _check_barrier(ctx, call)


MEMORY_FLAGS = 15
"""All flags of memory that `Barrier` knows."""
_SCOPES = "GROUP_SYNC, GROUP_SCOPE, DEVICE_SCOPE"


def _check_barrier(ctx: Context, call: hir.IntrinsicCall) -> None:
    """Report undefined bits in constant flags of a ``Barrier`` call."""
    memory, semantics = call.args
    flags = evaluate_int(memory) if ty.is_numeric(memory.type) else None
    if flags is not None and flags & ~MEMORY_FLAGS:
        ctx.error(availability.BARRIER_MEMORY_FLAGS, memory.pos)
    has_reordering = ctx.language.max_vector > 4  # shader model 6.9
    flags = evaluate_int(semantics)
    if flags is not None and flags & ~(15 if has_reordering else 7):
        names = f"{_SCOPES}, REORDER_SCOPE" if has_reordering else _SCOPES
        ctx.error(availability.BARRIER_SEMANTIC_FLAGS, semantics.pos, names=names)


def _is_wide(e: hir.Expr) -> bool:
    """Return whether an expression is a literal that needs more than 32 bits."""
    value = evaluate_int(e) if e.type is ty.LITERAL_INT else None
    return value is not None and not -(1 << 31) <= value < 1 << 31


def _check_original(ctx: Context, args: list[hir.Expr], directions: tuple[str, ...]) -> None:
    """Report an atomic whose ``out`` argument is not part of an l-value."""
    for a, d in zip(args, directions, strict=True):
        node = a
        while isinstance(node, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.Cast, hir.Load)):
            node = node.operand if isinstance(node, (hir.Cast, hir.Load)) else node.base
        if d == "out" and not node.is_lvalue:
            ctx.fail(codes.ATOMIC_REFERENCE, a.pos)


POINTER_CASTS = ("vk::static_pointer_cast", "vk::reinterpret_pointer_cast")


def _pointer_cast(ctx: Context, name: str, args: list[hir.Expr], targs: tuple[object, ...], pos: int) -> hir.Expr:
    """Build ``vk::static_pointer_cast<T, A>(pointer)`` to a base class, or ``reinterpret_pointer_cast`` to any type."""
    source = args[0].type if len(args) == 1 else None
    if not isinstance(source, ObjectType) or source.name != "vk::BufferPointer" or not targs:
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name=name)
    to = ty.object_type("vk::BufferPointer", (targs[0], targs[1] if len(targs) > 1 else 0))
    have, want = source.args[1], to.args[1]
    if isinstance(have, int) and isinstance(want, int) and have and want > have:
        ctx.fail(inline_codes.POINTER_ALIGNMENT, pos)
    if name == "vk::static_pointer_cast" and to.element is not source.element:
        derived, base = source.element, to.element
        if not (isinstance(derived, Struct) and isinstance(base, Struct) and derived.derives_from(base)):
            ctx.fail(inline_codes.POINTER_BASE, pos)
    return hir.Cast("noop", conversions.load(args[0]), to, pos, is_explicit=True)


def _as_template(t: Type) -> str:
    """Return the name of a parameter type in diagnostics; vectors are spelled ``vector<float, 3>``."""
    return f"vector<{t.element.name}, {t.size}>" if isinstance(t, ty.Vector) else ty.display(t)


def as_candidate(t: Type) -> str:
    """Return the name of a parameter type in notes about candidate functions."""
    return "unsigned int" if t is ty.UINT else _as_template(t)


def convert_arguments(
    ctx: Context, args: list[hir.Expr], params: tuple[Type, ...], directions: tuple[str, ...], variadic: bool
) -> tuple[list[hir.Expr], tuple[str, ...]]:
    """Convert arguments to the parameter types of an intrinsic; return them, and the direction of each."""
    out: list[hir.Expr] = []
    for a, t, d in zip(args, params, directions, strict=False):
        if d == "in":
            if t is methods.ANY_STRUCT or t is methods.ANY_VALUE:
                out.append(conversions.load(a))
            else:
                out.append(ex.convert(ctx, a, t, shown=_as_template))
            continue
        modifiable(ctx, a, a.pos, of_intrinsic=True)
        out.append(a)
    if variadic:
        for a in args[len(params) :]:
            e = conversions.load(a)
            if isinstance(e.type, ty.Scalar) and e.type.is_literal:
                e = ex.convert(ctx, e, ty.concrete(e.type))
            out.append(e)
        directions = directions + ("in",) * (len(args) - len(params))
    return out, directions


def literal_score(m: methods.Method, args: list[hir.Expr]) -> int:
    """Return the number of integer literals whose parameter has the wrong signedness: signed, or unsigned if negated.

    Method overloads are ranked by it.
    """
    return sum(
        isinstance(p, ty.Scalar) and p.is_integer and (p.category == "int") != _is_negated(a)
        for p, a in zip(m.params, args, strict=True)
        if a.type is ty.LITERAL_INT
    )


def _is_negated(e: hir.Expr) -> bool:
    while isinstance(e, hir.Unary):
        if e.op == "-":
            return True
        e = e.operand
    return False
