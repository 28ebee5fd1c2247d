"""Unions: their storage, and the places where they cannot be."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import size_and_alignment
from hlsl_tool.frontend.sema.model.types import Field, ObjectType, Struct, Type
from hlsl_tool.frontend.sema.scope.context import Context

_WORDS = {8: ty.UINT64, 4: ty.UINT, 2: ty.UINT16, 1: ty.UINT8}
"""Alignment of a union in bytes → the type of the words that it is stored in."""


def lay_out(ctx: Context, s: Struct, pos: int) -> None:
    """Replace the members of a union by words that hold the largest; report members that a union cannot have."""
    s.fields = [_wrapped(ctx, s, f) if f.bits is not None else f for f in s.fields]
    for f in s.fields:
        if _has_majorness(f):
            ctx.fail(codes.UNION_MEMBER, f.pos, name=f.name, what="`row_major` or `column_major`")
        if any(isinstance(t, ObjectType) for t in ty.flatten(f.type)):
            ctx.fail(codes.UNION_MEMBER, f.pos, name=f.name, what=f"type '{ty.display(f.type)}'")
        if f.semantic is not None or f.attributes:
            ctx.fail(codes.UNION_MEMBER, f.pos, name=f.name, what="a semantic or attribute")
    if len([f for f in s.fields if f.init is not None]) > 1:
        ctx.error(codes.UNION_INITIALIZERS, pos)
    extents = [size_and_alignment(f.type) for f in s.fields]
    align = max((align for _, align in extents), default=4)
    size = max((size for size, _ in extents), default=0)
    s.alternatives = s.fields
    word = _WORDS[align]
    s.fields = [Field("words", ty.array(word, max(-(-size // align), 1)), pos, owner=s)]


def _wrapped(ctx: Context, s: Struct, f: Field) -> Field:
    """Return an anonymous member that contains a bit-field: it shares its bits with the other members."""
    if f.init is not None:
        ctx.fail(codes.UNION_MEMBER, f.pos, name=f.name, what="a bit-field with a default value")
    inner = Struct("", "struct", pos=f.pos, chunk=s.chunk, is_anonymous=True, is_complete=True, leaves=1, levels=1)
    inner.fields = [f]
    f.owner = inner
    return Field("", inner, f.pos, owner=s, is_anonymous=True)


def _has_majorness(f: Field) -> bool:
    """Return whether a member is or contains a matrix whose order is written."""
    inner = ty.innermost(f.type)
    if isinstance(inner, Struct):
        return any(map(_has_majorness, inner.all_fields()))
    return isinstance(inner, ty.Matrix) and f.majorness is not None


def is_constant(t: Type) -> bool:
    """Return whether a variable that the application sets has a union in constant memory."""
    inner = ty.innermost(t)
    if isinstance(inner, ObjectType):
        element = inner.args[0] if inner.args else None
        return inner.name in ("ConstantBuffer", "TextureBuffer") and isinstance(element, Struct) and is_in(element)
    return is_in(inner)


def is_in(t: Type) -> bool:
    """Return whether a type is or contains a union."""
    inner = ty.innermost(t)
    if not isinstance(inner, Struct):
        return False
    return bool(inner.alternatives) or any(is_in(f.type) for f in inner.all_fields())
