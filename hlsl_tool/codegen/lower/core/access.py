"""Access chains (manual: *Expressions*).

A sequence of member accesses and subscripts collapses into one OpAccessChain. As in DXC, an array element that no
member access follows, and a member of a constant buffer used by itself, start a separate chain. Indices are evaluated
from the outermost object inwards, before the object itself.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import memory, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import is_rasterizer_ordered
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import holds_resources, is_structured_or_byte_buffer, type_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Array, Enum, Field, Matrix, ObjectType, Struct, Type, Vector
from hlsl_tool.spirv.builder import TypeInfo


def member_index(ctx: Lowering, s: Struct, f: Field) -> tuple[int, tuple[int, int] | None]:
    """Return the index of a field's SPIR-V member, and its (bit offset, width) if it is a bit-field."""
    p = ctx.types.placed_field(s, f)
    return p.index, (p.bit_offset, p.bits) if p.bits is not None else None


def base_indices(ctx: Lowering, s: Struct, base: Struct) -> list[int]:
    """Return the SPIR-V member indices that lead from a struct to a direct or indirect base class."""
    for i, b in enumerate(s.bases):
        if b is base:
            return [i]
        if b.derives_from(base):
            return [i, *base_indices(ctx, b, base)]
    raise KeyError(base.name)


def is_one_vector(t: Type) -> bool:
    """Return whether indexing a type gives the whole value: a vector of one component, a matrix of one row."""
    return (isinstance(t, Vector) and t.size == 1) or (isinstance(t, Matrix) and t.rows == 1)


def is_structured_element(e: hir.Expr) -> bool:
    """Return whether an expression is ``buffer[i]`` of a structured buffer."""
    return isinstance(e, hir.MethodCall) and e.name == "operator[]" and is_structured_or_byte_buffer(e.object.type)


def index_of(ctx: Lowering, e: hir.Index) -> int:
    """Lower the index of ``e`` and return its id.

    If it is not constant, and selects a struct with resources or a resource in a struct, set
    ``ctx.local_resource_arrays``.
    """
    source = e.index  # DXC converts no enumeration here
    if isinstance(source, hir.Cast) and source.kind == "noop" and isinstance(source.operand.type, Enum):
        source = source.operand
    index = memory.load(ctx, ctx.expr(source)).id
    if not ctx.b.is_constant(index) and holds_resources(e.type) and (isinstance(e.type, Struct) or _is_in_struct(e)):
        ctx.local_resource_arrays = True
    return index


def _is_in_struct(e: hir.Index) -> bool:
    """Return whether an element belongs to an array (of any number of dimensions) that is a member of a struct."""
    base: hir.Expr = e
    while isinstance(base, hir.Index):
        base = base.base
    return isinstance(base, hir.Member)


def collect(ctx: Lowering, e: hir.Expr, indices: list[int]) -> hir.Expr:
    """Append the evaluated indices of a chain of accesses to ``indices``.

    Return the object that the chain starts from.
    """
    b = ctx.b
    if isinstance(e, hir.Member):
        base = collect(ctx, e.base, indices)
        s = e.base.type
        assert isinstance(s, Struct)
        indices.append(b.const_i32(member_index(ctx, s, e.field)[0]))
        return base
    if isinstance(e, hir.Index):
        base = collect(ctx, e.base, indices)
        if not is_one_vector(e.base.type):
            indices.append(index_of(ctx, e))
        return base
    if isinstance(e, hir.MethodCall):
        t = e.object.type
        assert isinstance(t, ObjectType)
        element = is_structured_element(e)
        if element or (t.name in ("StructuredBuffer", "RWStructuredBuffer") and e.name == "Load" and len(e.args) == 1):
            indices.append(b.const_i32(0))  # a chain of its own begins at a buffer, also in an array of buffers
            indices.append(memory.load(ctx, ctx.expr(e.args[0])).id)
            return e.object
        if t.name in ("InputPatch", "OutputPatch") or (e.name == "operator[]" and t.name.endswith("Records")):
            base = collect(ctx, e.object, indices)
            indices.append(memory.load(ctx, ctx.expr(e.args[0])).id)
            return base
        return e
    if isinstance(e, hir.Cast) and e.kind in ("contents", "const"):
        return collect(ctx, e.operand, indices)
    if isinstance(e, hir.Cast) and e.kind == "derived_to_base":
        base = collect(ctx, e.operand, indices)
        s = e.operand.type
        assert isinstance(s, Struct) and isinstance(e.type, Struct)
        indices.extend(b.const_i32(i) for i in base_indices(ctx, s, e.type))
        return base
    return e


def step_into(ctx: Lowering, info: TypeInfo, index: int) -> TypeInfo:
    """Return the type that one index of an access chain selects from a composite type."""
    if info.kind == "struct":
        value = ctx.b.constant_value(index)
        assert isinstance(value, int)
        return info.member_types[value]
    return info.elem


def chain(ctx: Lowering, base: Value, indices: list[int], t: Type, name: str = "") -> Value:
    """Return a pointer to the element of ``base`` that the indices select.

    For an r-value, return the element itself.
    """
    b = ctx.b
    if not base.is_rvalue:
        pointer, row = _pointer(ctx, base, indices)
        return Value(
            pointer,
            t,
            False,
            is_alias=memory.is_alias_type(ctx, t) and _is_pointer_alias(ctx, base, indices),
            rasterizer_ordered=base.rasterizer_ordered or is_rasterizer_ordered(base.type),
            row=row,
        )
    holder = Value(
        b.local_variable(b.type_id_of(base.id), f"temp.var.{name or _holder_name(base.type)}"), base.type, False
    )
    b.store(holder.id, base.id)
    loaded = b.load(_pointer(ctx, holder, indices)[0])
    if is_structured_or_byte_buffer(t):
        return Value(loaded, t, False)
    return ctx.rvalue(relayout.plain(ctx, loaded, t), t)


def _holder_name(t: Type) -> str:
    return "" if isinstance(t, Array) else type_name(t)


def _is_pointer_alias(ctx: Lowering, base: Value, indices: list[int]) -> bool:
    info = ctx.b.pointee_of(base.id)
    for i in indices:
        info = step_into(ctx, info, i)
    return info.kind == "pointer"


def _pointer(ctx: Lowering, base: Value, indices: list[int]) -> tuple[int, int | None]:
    """Return (pointer to the element, ``None``); for a row of a matrix stored by columns (matrix pointer, row)."""
    if not indices:
        return base.id, base.row
    info = ctx.b.pointee_of(base.id)
    row = base.row
    path: list[int] = []
    for i in indices:
        if row is not None:
            path += [i, row]
            info, row = info.elem.elem, None
        elif info.is_columns:
            row = i
        else:
            info = step_into(ctx, info, i)
            path.append(i)
    return (ctx.b.access_chain(info.id, base.id, path) if path else base.id), row


def object_pointer(ctx: Lowering, e: hir.Expr) -> Value:
    """Return the pointer to an object; for a local alias, load the pointer from the alias's variable."""
    v = ctx.expr(e)
    if v.is_alias and not v.is_rvalue:
        t = v.type
        return Value(ctx.b.load(v.id), t, False)
    return v


def is_repeatable(x: hir.Expr) -> bool:
    """Return whether an expression may be evaluated twice, because it has no side effects."""
    if isinstance(x, (hir.Literal_, hir.VarRef)):
        return True
    if isinstance(x, (hir.Load, hir.Cast, hir.Unary)):
        return is_repeatable(x.operand)
    if isinstance(x, (hir.Member, hir.Swizzle)):
        return is_repeatable(x.base)
    if isinstance(x, (hir.Binary, hir.Index)):
        parts = (x.left, x.right) if isinstance(x, hir.Binary) else (x.base, x.index)
        return all(map(is_repeatable, parts))
    if isinstance(x, hir.IntrinsicCall):
        return all(d == "in" for d in x.directions) and all(map(is_repeatable, x.args))
    return False
