"""Mesh and amplification shaders: assignments to output arrays, ``SetMeshOutputCounts`` and ``DispatchMesh``.

An output of a mesh shader is several array variables, one for each member of the structure. An assignment to an
element, or to a member of one, stores to them directly (manual: *Mesh and Amplification Shaders*).
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.layout.rules import Placed
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.stage_io.stage_io import StageIO
from hlsl_tool.codegen.lower.stage_io.stage_items import Leaf
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, MemorySemantics, Scope, StorageClass

EXT = "SPV_EXT_mesh_shader"


@dataclass(slots=True)
class Output:
    """An array parameter: of vertices or primitives (with a ``Leaf`` per member), or of indices (with one variable)."""

    io: StageIO
    type: Type
    leaves: list[Leaf] = field(default_factory=list)
    indices: int = 0

    def assign(self, ctx: Lowering, target: hir.Expr, value: Value) -> None:
        """Store to an element of the array, or to a member or component of an element."""
        _assign(ctx, self, target, value)


def _assign(ctx: Lowering, output: Output, target: hir.Expr, value: Value) -> None:
    path: list[hir.Index | hir.Member | hir.Swizzle] = []
    node = target
    while isinstance(node, (hir.Index, hir.Member, hir.Swizzle)):
        path.insert(0, node)
        node = node.base
    assert isinstance(node, hir.VarRef)
    if not path or not isinstance(path[0], hir.Index):
        ctx.fail(codes.MESH_WHOLE, target.pos, name=node.var.name)
    index = memory.load(ctx, ctx.expr(path[0].index)).id
    if output.indices:
        _assign_indices(ctx, output, index, path[1:], value)
        return
    leaves, t, at = list(output.leaves), output.type, 1
    while at < len(path) and isinstance(t, Struct):
        step = path[at]
        assert isinstance(step, hir.Member)
        leaves, t = _member(ctx, leaves, t, step)
        at += 1
    if isinstance(t, Struct):
        _whole(ctx, output.io, leaves, t, index, value.id)
    else:
        _part(ctx, output.io, leaves[0], index, path[at:], value)


def _count(ctx: Lowering, t: Type) -> int:
    """Return the number of members of a type, at all depths, that are not structs themselves."""
    return sum(_count(ctx, p.type) for p in ctx.types.words(t)) if isinstance(t, Struct) else 1


def _member(ctx: Lowering, leaves: list[Leaf], t: Struct, step: hir.Member) -> tuple[list[Leaf], Type]:
    """Return (variables for one member of ``t``, its type); ``step`` may name an inherited member."""
    start = 0
    if step.field.bits is not None:
        ctx.fail(codes.FEATURE_UNSUPPORTED, step.pos, what="an assignment to a bit-field of a mesh shader's output")
    for p in ctx.types.words(t):
        n = _count(ctx, p.type)
        if p.field is step.field:
            return leaves[start : start + n], p.type
        if p.field is None and isinstance(p.type, Struct) and step.field in p.type.all_fields():
            return _member(ctx, leaves[start : start + n], p.type, step)
        start += n
    raise KeyError(step.field.name)


def _whole(ctx: Lowering, io: StageIO, leaves: list[Leaf], t: Type, index: int, value: int) -> None:
    """Store a complete value to element ``index``, member by member."""
    io.invocation = index
    io.write_again(leaves, t, value)
    io.invocation = None


def _part(
    ctx: Lowering, io: StageIO, leaf: Leaf, index: int, path: list[hir.Index | hir.Member | hir.Swizzle], value: Value
) -> None:
    """Store to one member of element ``index``, or to the array element or components of it that ``path`` selects."""
    if not path:
        _whole(ctx, io, [leaf], leaf.item.type, index, value.id)
        return
    b, t = ctx.b, leaf.item.type
    steps: list[int] = []
    for step in path[:-1] if isinstance(path[-1], hir.Swizzle) else path:
        if not isinstance(step, hir.Index):
            ctx.fail(codes.FEATURE_UNSUPPORTED, step.pos, what="this assignment to a mesh shader's output")
        t = step.type
        steps.append(memory.load(ctx, ctx.expr(step.index)).id)
    last = path[-1]
    if isinstance(last, hir.Swizzle) and ty.component_count(last.base.type) > 1:
        element = ty.element_of(t)
        assert element is not None
        for k, component in enumerate(last.components):
            one = b.extract(value.id, k) if len(last.components) > 1 else value.id
            _store(ctx, io, leaf, [index, *steps, b.const_uint(component)], element, one)
        return
    _store(ctx, io, leaf, [index, *steps], t, value.id)


def _store(ctx: Lowering, io: StageIO, leaf: Leaf, chain: list[int], t: Type, value: int) -> None:
    """Store a value to a part of an output variable; ``chain`` are the ids of the indices that lead to the part."""
    b, v, held = ctx.b, leaf.variable, leaf.item.type
    if v is None:
        if isinstance(held, Array) and not isinstance(held.element, ty.Scalar):
            ctx.fail(codes.FEATURE_UNSUPPORTED, what="assigning to a part of an array of clip distances")
        variable, offset = io.clip_cull.place(leaf.semantic, leaf.point)
        place = b.binary(op.OpIAdd, b.u32(), chain[-1], b.const_uint(offset))
        b.store(b.access_chain(b.f32(), variable, [chain[0], place]), value)
        return
    if leaf.semantic.system == "POSITION" and ctx.options.invert_y:
        component = b.constant_value(chain[-1])
        if not isinstance(component, int):
            ctx.fail(codes.FEATURE_UNSUPPORTED, what="inverting a component of a position that is chosen at run time")
        value = b.unary(op.OpFNegate, b.f32(), value) if component == 1 else value
    stored = t
    if ty.element_of(t) is ty.BOOL and b.pointee_of(v.id).scalar.kind != "bool":
        stored = ty.with_element(t, ty.UINT)
        value = casts.numeric(ctx, value, t, stored)
    b.store(b.access_chain(ctx.type(stored), v.id, chain), value)


def _assign_indices(
    ctx: Lowering, output: Output, index: int, path: list[hir.Index | hir.Member | hir.Swizzle], value: Value
) -> None:
    """Store the vertex indices of primitive ``index``, or the component of them that ``path`` selects.

    With EXT_mesh_shader the output has one vector for each primitive, otherwise consecutive numbers.
    """
    b, n, u32 = ctx.b, ty.component_count(output.type), ctx.b.u32()
    flat = not ctx.is_enabled(EXT) and n > 1
    constant = b.constant_value(index)
    if flat and isinstance(constant, int):
        index = b.const_uint(constant)

    def pointer(component: int) -> int:
        if flat:
            start = b.binary(op.OpIMul, u32, index, b.const_uint(n))
            return b.access_chain(u32, output.indices, [b.binary(op.OpIAdd, u32, start, component)])
        return b.access_chain(u32, output.indices, [index, component])

    if not path:
        if flat:
            start = b.binary(op.OpIMul, u32, index, b.const_uint(n))
            for i in range(n):
                at = b.binary(op.OpIAdd, u32, start, b.const_uint(i)) if i else start
                b.store(b.access_chain(u32, output.indices, [at]), b.extract(value.id, i))
        else:
            b.store(b.access_chain(ctx.type(output.type), output.indices, [index]), value.id)
        return
    step = path[0]
    if isinstance(step, hir.Swizzle) and n > 1:
        for k, component in enumerate(step.components):
            one = b.extract(value.id, k) if len(step.components) > 1 else value.id
            b.store(pointer(b.const_uint(component)), one)
    elif isinstance(step, hir.Index):
        b.store(pointer(memory.load(ctx, ctx.expr(step.index)).id), value.id)
    else:
        b.store(b.access_chain(u32, output.indices, [index]), value.id)


@intrinsic("SetMeshOutputCounts")
def _set_counts(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    b = ctx.b
    if ctx.is_enabled(EXT):
        vertices, primitives = (memory.load(ctx, ctx.expr(a)).id for a in c.args)
        b.emit_void(op.OpSetMeshOutputsEXT, vertices, primitives)
        return
    count = b.builtin_variable(b.u32(), StorageClass.Output, BuiltIn.PrimitiveCountNV)
    ctx.extra_inputs[count] = None
    b.store(count, memory.load(ctx, ctx.expr(c.args[1])).id)


@intrinsic("DispatchMesh")
def _dispatch(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``DispatchMesh``: a barrier, then the payload is stored and the mesh shaders are launched."""
    b = ctx.b
    semantics = MemorySemantics.WorkgroupMemory | MemorySemantics.AcquireRelease
    b.barrier(Scope.Workgroup, semantics, Scope.Workgroup)
    source = _source(c.args[3])
    if not isinstance(source, hir.VarRef) or source.var.storage != "groupshared":
        ctx.fail(codes.PAYLOAD_GROUPSHARED, c.args[3].pos)
    payload = ctx.expr(source)
    value = b.load(payload.id)
    if ctx.is_enabled(EXT):
        b.store(payload.id, value)
        x, y, z = (memory.load(ctx, ctx.expr(a)).id for a in c.args[:3])
        b.emit_void(op.OpEmitMeshTasksEXT, x, y, z, payload.id)
        b.set_insert_point(b.new_block())
        return
    t = payload.type
    assert isinstance(t, Struct)
    _write_payload(ctx, t, value)
    x, y, z = (memory.load(ctx, ctx.expr(a)).id for a in c.args[:3])
    count = b.builtin_variable(b.u32(), StorageClass.Output, BuiltIn.TaskCountNV)
    ctx.extra_inputs[count] = None
    b.store(count, b.binary(op.OpIMul, b.u32(), x, b.binary(op.OpIMul, b.u32(), y, z)))


def payload_of(c: hir.IntrinsicCall) -> hir.Variable | None:
    """Return the variable that a call of ``DispatchMesh`` passes as its payload; ``None`` for another expression."""
    x = _source(c.args[3])
    return x.var if isinstance(x, hir.VarRef) else None


def _source(x: hir.Expr) -> hir.Expr:
    while isinstance(x, (hir.Load, hir.Cast)):
        x = x.operand
    return x


def read_payload(ctx: Lowering, t: Struct, offset: int = 0) -> tuple[int, list[int]]:
    """Return the value of a payload, or of a structure at an offset of it, and the input variables of its members.

    NV_mesh_shader requires one variable for each member, also for those of structures.
    """
    b = ctx.b
    values: list[int] = []
    variables: list[int] = []
    for p in ctx.types.words(t, ctx.types.sbuffer_rule):
        if isinstance(p.type, Struct):
            value, inner = read_payload(ctx, p.type, offset + p.offset)
            variables += inner
        else:
            variable = _payload_member(ctx, p, StorageClass.Input, offset)
            value = b.load(variable)
            variables.append(variable)
        values.append(value)
    return b.construct(ctx.type(t), values), variables


def _write_payload(ctx: Lowering, t: Struct, payload: int, offset: int = 0) -> None:
    """Store a payload, or a structure at an offset of it, to one output variable for each member."""
    for i, p in enumerate(ctx.types.words(t, ctx.types.sbuffer_rule)):
        value = ctx.b.extract(payload, i)
        if isinstance(p.type, Struct):
            _write_payload(ctx, p.type, value, offset + p.offset)
        else:
            variable = _payload_member(ctx, p, StorageClass.Output, offset)
            ctx.b.store(variable, value)
            ctx.extra_inputs[variable] = None


def _payload_member(ctx: Lowering, p: Placed, storage: int, offset: int) -> int:
    """Declare the variable of a member of a payload, in a structure at an offset."""
    b = ctx.b
    prefix = "in.var" if storage == StorageClass.Input else "out.var"
    v = b.global_variable(ctx.type(p.type), storage, f"{prefix}.{p.field.name if p.field is not None else ''}")
    b.decorate(v, Decoration.PerTaskNV)
    b.decorate(v, Decoration.Offset, offset + p.offset)
    return v
