"""Constant buffers whose contents are first copied to a private variable.

FXC's layout gives a matrix of one column (or row) a register for each number, so the block has an array where
expressions need a vector. As in DXC, ``module.init`` (`module_init.py`) copies such a block, number by number, to a
private variable without layout. All other code reads the copy, and the optimiser removes it.

A block is also copied if a member is in the padding after the last row of a row-major matrix. For spirv-val that
padding belongs to the matrix, but not to an array of rows, which the block has instead of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hlsl_tool.codegen.layout.rules import Placed, Rule, extent, is_row_major
from hlsl_tool.codegen.lower.core import casts, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.global_variables import module_init
from hlsl_tool.codegen.lower.global_variables.resource_types import storage_class_of
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.enums import StorageClass


def block_type(ctx: Lowering, placed: list[Placed], rule: Rule, lower: Callable[[], int]) -> tuple[int, bool]:
    """Return (type id of a block, whether it must be copied); ``lower`` creates the type from the members."""
    if has_members_in_padding(ctx, placed, rule):
        with ctx.types.rows_apart():
            return lower(), True
    return lower(), any(is_wanted(ctx, p.type, rule, p.row_major) for p in placed)


def has_members_in_padding(ctx: Lowering, placed: list[Placed], rule: Rule) -> bool:
    """Return whether a member is in the padding that SPIR-V adds after the last row of the preceding matrix."""
    if rule is not Rule.FXC_CBUFFER or ctx.options.codegen_only:
        return False
    members = sorted(placed, key=lambda p: p.offset)
    if any(p.offset + _padded_size(ctx, p.type, rule, p.row_major) > n.offset for p, n in pairwise(members)):
        return True
    structs = (inner for inner in (innermost(p.type) for p in members) if isinstance(inner, Struct))
    return any(has_members_in_padding(ctx, ctx.types.placed(s, rule), rule) for s in structs)


def _padded_size(ctx: Lowering, t: Type, rule: Rule, row_major: bool) -> int:
    """Return a member's size in bytes as spirv-val computes it, with padding after a matrix's last row."""
    default = ctx.types.default_row_major
    whole = extent(t, rule, row_major, default)
    if isinstance(t, Array) and t.size:
        return whole.stride * (t.size - 1) + _padded_size(ctx, t.element, rule, row_major)
    if isinstance(t, Struct):
        members = ctx.types.placed(t, rule)
        return max((p.offset + _padded_size(ctx, p.type, rule, p.row_major) for p in members), default=0)
    if isinstance(t, Matrix) and ctx.types.is_spirv_matrix(t) and row_major:
        return whole.stride * t.rows
    return whole.size


def is_wanted(ctx: Lowering, t: Type, rule: Rule, row_major: bool) -> bool:
    """Return whether the rule stores a matrix in this type as an array of numbers, so that the block must be copied."""
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
    """Declare the private copy of a block.

    ``types`` are the members' types, ``plain`` the struct type without layout.
    """
    copy = ctx.b.global_variable(plain, StorageClass.Private, name)
    module_init.add(ctx, lambda: _fill(ctx, block, copy, types))
    return copy


def declare_resource(ctx: Lowering, v: Variable, lower: Callable[[], int]) -> tuple[int, int]:
    """Declare a resource, of the type that ``lower`` creates; return (its variable, the variable to read).

    The second is the copy of a copied constant buffer, otherwise the resource's variable again.
    """
    t = v.type
    if not (isinstance(t, ObjectType) and t.name == "ConstantBuffer" and isinstance(t.element, Struct)):
        variable = ctx.b.global_variable(lower(), storage_class_of(innermost(t)), v.name)
        return variable, variable
    s, rule = t.element, ctx.types.cbuffer_rule
    block, is_copied = block_type(ctx, ctx.types.placed(s, rule), rule, lower)
    variable = ctx.b.global_variable(block, StorageClass.Uniform, v.name)
    if not is_copied:
        return variable, variable
    plain = ctx.b.struct(f"type.{t.name}.{s.name}", ctx.types.members(s, Rule.VOID))
    return variable, declare(ctx, variable, [p.stored_type for p in ctx.types.words(s)], plain, v.name)


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
    """Return the type that one index selects from an array or matrix.

    For a matrix it is a row, or a number if a row has only one.
    """
    if isinstance(t, Array):
        return t.element
    assert isinstance(t, Matrix)
    return casts.row_type(t) if casts.is_matrix(t) else t.element
