"""Constant buffers that are read through a copy.

FXC's layout gives a matrix of one column (or row) a register for each number, so the block has an array where
expressions need a vector.  As in DXC, such a block is copied into a private variable without layout, number by number,
in ``module.init`` (`module_init.py`).  All other code uses the copy, and the optimiser removes it.
"""

from __future__ import annotations

from hlsl_tool.layout.rules import Rule, is_row_major
from hlsl_tool.lower.core import casts, relayout
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.global_variables import module_init
from hlsl_tool.sema.hir import Variable
from hlsl_tool.sema.types import Array, Matrix, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.enums import StorageClass


def is_wanted(ctx: Lowering, t: Type, rule: Rule, row_major: bool) -> bool:
    """Return whether a type contains a matrix that the rule lays out as an array of numbers."""
    if rule is not Rule.FXC_CBUFFER:
        return False
    default = ctx.types.default_row_major
    t = innermost(t)
    if isinstance(t, Matrix):
        inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
        return inner == 1 and count > 1
    if isinstance(t, Struct):
        return any(is_wanted(ctx, base, rule, default) for base in t.bases) or any(
            is_wanted(ctx, f.type, rule, is_row_major(f.majorness, default)) for f in t.fields
        )
    return False


def declare(ctx: Lowering, block: int, types: list[Type], plain: int, name: str) -> int:
    """Declare the copy of a block with members of these types; ``plain`` is the block's struct without layout."""
    copy = ctx.b.global_variable(plain, StorageClass.Private, name)
    module_init.add(ctx, lambda: _fill(ctx, block, copy, types))
    return copy


def of_constant_buffer(ctx: Lowering, variable: int, v: Variable) -> int:
    """Return the copy of a ``ConstantBuffer<T>``, or its variable if it has no copy."""
    t = v.type
    if not (isinstance(t, ObjectType) and t.name == "ConstantBuffer" and isinstance(t.element, Struct)):
        return variable
    s = t.element
    if not is_wanted(ctx, s, ctx.types.cbuffer_rule, ctx.types.default_row_major):
        return variable
    plain = ctx.b.struct(f"type.{t.name}.{s.name}", ctx.types.members(s, Rule.VOID))
    return declare(ctx, variable, [p.stored_type for p in ctx.types.words(s)], plain, v.name)


def _fill(ctx: Lowering, block: int, copy: int, types: list[Type]) -> None:
    for index, t in enumerate(types):
        _copy(ctx, _member(ctx, block, index), _member(ctx, copy, index), t)


def _member(ctx: Lowering, pointer: int, index: int) -> int:
    info = ctx.b.pointee_of(pointer)
    inner = info.member_types[index] if info.kind == "struct" else info.elem
    return ctx.b.access_chain(inner.id, pointer, [ctx.b.const_uint(index)])


def _copy(ctx: Lowering, source: int, target: int, t: Type) -> None:
    b = ctx.b
    info = b.pointee_of(source)
    if info.kind == "array" and not info.is_columns:
        for i in range(info.count):
            _copy(ctx, _member(ctx, source, i), _member(ctx, target, i), _element(t))
    elif isinstance(t, Struct):
        for p in ctx.types.words(t):
            _copy(ctx, _member(ctx, source, p.index), _member(ctx, target, p.index), p.stored_type)
    else:
        b.store(target, relayout.to_type(ctx, b.load(source), t, b.pointee_of(target).id))


def _element(t: Type) -> Type:
    """Return the element type of an array, or of a matrix in SPIR-V: a row, or a number if it has one column."""
    if isinstance(t, Array):
        return t.element
    assert isinstance(t, Matrix)
    return casts.row_type(t) if casts.is_matrix(t) else t.element
