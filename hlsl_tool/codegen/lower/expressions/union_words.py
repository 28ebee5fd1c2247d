"""The word of a union that a scalar member occupies: the memory of an atomic operation."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import unions
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import TypeInfo


def is_in_union(e: hir.Expr) -> bool:
    """Return whether an l-value is a member of a union, or a part of one."""
    while isinstance(e, (hir.Member, hir.Index, hir.Swizzle, hir.MatrixSwizzle, hir.Cast)):
        if unions.is_member(e):
            return True
        e = e.operand if isinstance(e, hir.Cast) else e.base
    return False


def word_of(ctx: Lowering, e: hir.Expr) -> tuple[Value, TypeInfo]:
    """Return a pointer to the word that a scalar in a union occupies, and the type of the word.

    Report a scalar that does not occupy a word by itself.
    """
    place = _Place(ctx)
    union = place.find(e)
    words = unions.storage_of(union.operand.type)
    word = ctx.b.type_info(ctx.type(words.element))
    size = word.width // 8
    info = ctx.b.type_info(ctx.type(e.type))
    if not info.is_scalar or unions.extent(info)[0] != size or any(part % size for part in place.bytes()):
        what = f"an atomic operation on '{info.kind}' data that shares a word of a union with other data"
        ctx.fail(codes.FEATURE_UNSUPPORTED, e.pos, what=what)
    b, value = ctx.b, ctx.expr(union.operand)
    number = b.const_uint(place.offset // size)
    for index, stride in place.steps:
        number = b.binary(op.OpIAdd, b.u32(), number, b.binary(op.OpIMul, b.u32(), index, b.const_uint(stride // size)))
    if value.is_rvalue:
        return value, word
    return Value(b.access_chain(word.id, value.id, [b.const_i32(0), number]), value.type, False), word


class _Place:
    """The place of a part of a union: a constant number of bytes, and the variable indices with their strides."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.offset = 0
        self.steps: list[tuple[int, int]] = []

    def find(self, e: hir.Expr) -> hir.Cast:
        """Add the place of a part; return the member, of the outermost union."""
        if isinstance(e, hir.Cast) and not unions.is_member(e):
            return self.find(e.operand)
        if isinstance(e, hir.Cast):
            return self.find(e.operand) if is_in_union(e.operand) else e
        assert isinstance(e, (hir.Member, hir.Index, hir.Swizzle, hir.MatrixSwizzle))
        union = self.find(e.base)
        info = self.ctx.b.type_info(self.ctx.type(e.base.type))
        if isinstance(e, hir.Member):
            assert isinstance(e.base.type, Struct)
            self.offset += unions.parts(info)[access.member_index(self.ctx, e.base.type, e.field)[0]][1]
        elif isinstance(e, hir.MatrixSwizzle):
            self.offset += unions.matrix_offset(self.ctx, info, *e.elements[0])
        elif isinstance(e, hir.Swizzle):
            self.offset += e.components[0] * self._stride(e.base)
        else:
            self._step(e, self._stride(e.base))
        return union

    def _stride(self, e: hir.Expr) -> int:
        """Return the bytes from one element of an array, matrix or vector to the next."""
        info = self.ctx.b.type_info(self.ctx.type(e.type))
        if unions.is_matrix(e.type, info):
            return unions.matrix_offset(self.ctx, info, 1, 0)
        if isinstance(e, hir.Index):
            outer = self.ctx.b.type_info(self.ctx.type(e.base.type))
            if unions.is_matrix(e.base.type, outer):
                return unions.matrix_offset(self.ctx, outer, 0, 1)
        return unions.extent(info if info.is_scalar else info.elem)[0]

    def bytes(self) -> list[int]:
        """Return the constant number of bytes and the strides."""
        return [self.offset, *(stride for _, stride in self.steps)]

    def _step(self, e: hir.Index, stride: int) -> None:
        index = memory.load(self.ctx, self.ctx.expr(e.index)).id
        value = self.ctx.b.constant_value(index)
        if isinstance(value, int):
            self.offset += value * stride
        else:
            self.steps.append((index, stride))
