"""Hit objects of shader execution reordering: tracing a ray, reordering threads and calling shaders are separate steps.

Hit objects are values in HLSL, but in SPIR-V they exist only in variables, which no instruction copies. So each one is
created in a new variable and copied by loads and stores, which ``codegen/passes/hit_objects`` removes by merging
variables.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import METHODS, declares, method
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import rayquery
from hlsl_tool.codegen.lower.resources.ray_data import ray_variable, variable_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import AddressingModel, StorageClass

NV, EXT = "SPV_NV_shader_invocation_reorder", "SPV_EXT_shader_invocation_reorder"

QUERIES: dict[str, str] = {
    "IsMiss": "IsMiss",
    "IsHit": "IsHit",
    "IsNop": "IsEmpty",
    "GetRayFlags": "GetRayFlags",
    "GetRayTMin": "GetRayTMin",
    "GetRayTCurrent": "GetRayTMax",
    "GetWorldRayOrigin": "GetWorldRayOrigin",
    "GetWorldRayDirection": "GetWorldRayDirection",
    "GetObjectRayOrigin": "GetObjectRayOrigin",
    "GetObjectRayDirection": "GetObjectRayDirection",
    "GetObjectToWorld3x4": "GetObjectToWorld",
    "GetObjectToWorld4x3": "GetObjectToWorld",
    "GetWorldToObject3x4": "GetWorldToObject",
    "GetWorldToObject4x3": "GetWorldToObject",
    "GetGeometryIndex": "GetGeometryIndex",
    "GetInstanceIndex": "GetInstanceId",
    "GetInstanceID": "GetInstanceCustomIndex",
    "GetPrimitiveIndex": "GetPrimitiveIndex",
    "GetHitKind": "GetHitKind",
    "GetShaderTableIndex": "GetShaderBindingTableRecordIndex",
    "TriangleObjectPositions": "GetIntersectionTriangleVertexPositions",
}
"""Method without arguments → instruction, ``OpHitObject…EXT`` or ``…NV``."""


def require(ctx: Lowering, what: str, pos: int) -> None:
    """Report an error and abandon the statement if no extension with hit objects may be used; request legalisation."""
    if not ctx.is_enabled(NV):
        ctx.require_extension(EXT, what, pos)
    ctx.needs_legalization()


def opcode(ctx: Lowering, name: str) -> int:
    """Return the opcode of the extension in use for an instruction; report one that only the other extension has."""
    suffix, other = ("NV", EXT) if ctx.is_enabled(NV) else ("EXT", NV)
    number = getattr(op, name + suffix, None)
    if not isinstance(number, int):
        ctx.fail(codes.HIT_OBJECT_EXTENSION, name=name, extension=other)
    return number


def pointer(ctx: Lowering, e: hir.Expr) -> int:
    """Return a pointer to a hit object (or query); store an r-value in a new variable."""
    while isinstance(e, hir.Load):
        e = e.operand
    v = ctx.expr(e)
    return memory.temporary(ctx, v, "temp.var.HitObject").id if v.is_rvalue else v.id


def _new(ctx: Lowering, c: hir.MethodCall) -> int:
    require(ctx, f"dx::HitObject::{c.name}", c.pos)
    return ctx.b.local_variable(ctx.type(c.type), "temp.var.HitObject")


def _value(ctx: Lowering, variable: int, t: Type) -> Value:
    return Value(ctx.b.load(variable), t, True)


def _operands(ctx: Lowering, args: list[hir.Expr]) -> list[int]:
    return [memory.load(ctx, ctx.expr(a)).id for a in args]


def _ray(ctx: Lowering, e: hir.Expr) -> list[int]:
    """Return the operands of a ``RayDesc``: origin, minimum distance, direction, maximum distance."""
    ray = memory.load(ctx, ctx.expr(e)).id
    return [ctx.b.extract(ray, i) for i in range(4)]


def empty(ctx: Lowering, t: Type) -> int:
    """Return an empty hit object, as ``dx::HitObject()`` does."""
    require(ctx, "dx::HitObject", ctx.pos)
    variable = ctx.b.local_variable(ctx.type(t), "temp.var.HitObject")
    ctx.b.emit_void(opcode(ctx, "OpHitObjectRecordEmpty"), variable)
    return ctx.b.load(variable)


@declares("hit_object")
def _declare(ctx: Lowering, v: hir.Variable) -> None:
    """Declare a local hit object; without an initialiser it is empty."""
    require(ctx, "dx::HitObject", v.pos)
    ctx.locals[v] = variable = memory.local(ctx, v.type, v.name)
    if v.init is None or (isinstance(v.init, hir.InitList) and not v.init.items):
        ctx.b.emit_void(opcode(ctx, "OpHitObjectRecordEmpty"), variable.id)
        return
    ctx.hooks.on_declaration(v)
    memory.store(ctx, variable, memory.load(ctx, ctx.expr(v.init)))
    ctx.hooks.on_init(v, v.init)


@method("hit_object", "MakeNop")
def _make_nop(ctx: Lowering, c: hir.MethodCall) -> Value:
    variable = _new(ctx, c)
    ctx.b.emit_void(opcode(ctx, "OpHitObjectRecordEmpty"), variable)
    return _value(ctx, variable, c.type)


@method("hit_object", "MakeMiss")
def _make_miss(ctx: Lowering, c: hir.MethodCall) -> Value:
    variable = _new(ctx, c)
    flags, index = _operands(ctx, c.args[:2])
    rayquery.declare_micromaps(ctx, flags)
    ray = _ray(ctx, c.args[2])
    operands = [index, *ray] if ctx.is_enabled(NV) else [flags, index, *ray]
    ctx.b.emit_void(opcode(ctx, "OpHitObjectRecordMiss"), variable, *operands)
    return _value(ctx, variable, c.type)


@method("hit_object", "TraceRay")
def _trace(ctx: Lowering, c: hir.MethodCall) -> Value:
    b, variable = ctx.b, _new(ctx, c)
    payload = ctx.expr(c.args[7])
    data, _ = ray_variable(ctx, StorageClass.RayPayloadKHR, c.args[7].type, variable_name(c.args[7]))
    ray = _ray(ctx, c.args[6])
    b.store(data, memory.load(ctx, payload).id)
    arguments = _operands(ctx, c.args[:6])
    rayquery.declare_pipeline_flags(ctx, arguments[1])
    b.emit_void(opcode(ctx, "OpHitObjectTraceRay"), variable, *arguments, *ray, data)
    memory.store(ctx, payload, Value(b.load(data), payload.type, True))
    return _value(ctx, variable, c.type)


@method("hit_object", "Invoke")
def _invoke(ctx: Lowering, c: hir.MethodCall) -> None:
    require(ctx, "dx::HitObject::Invoke", c.pos)
    b = ctx.b
    hit = pointer(ctx, c.args[0])
    payload = ctx.expr(c.args[1])
    data, _ = ray_variable(ctx, StorageClass.RayPayloadKHR, c.args[1].type, variable_name(c.args[1]))
    b.store(data, memory.load(ctx, payload).id)
    b.emit_void(opcode(ctx, "OpHitObjectExecuteShader"), hit, data)
    memory.store(ctx, payload, Value(b.load(data), payload.type, True))


@method("hit_object", "FromRayQuery")
def _from_query(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Create a hit object from the committed hit of a ray query; it is empty if there is no such hit."""
    b, variable = ctx.b, _new(ctx, c)
    record = opcode(ctx, "OpHitObjectRecordFromQuery")
    query = pointer(ctx, c.args[0])
    t = c.args[2].type if len(c.args) > 2 else ty.vector(ty.FLOAT, 2)
    data = _attributes(ctx, t, variable_name(c.args[2]) if len(c.args) > 2 else "")
    kinds = []
    if len(c.args) > 2:
        kinds = _operands(ctx, c.args[1:2])
        b.store(data, memory.load(ctx, ctx.expr(c.args[2])).id)
    status = b.emit(op.OpRayQueryGetIntersectionTypeKHR, b.u32(), query, b.const_uint(1))
    is_hit = b.binary(op.OpINotEqual, b.bool_type(), status, b.const_uint(0))
    hit, nothing, end = b.new_block("if.hit"), b.new_block("if.nothing"), b.new_block("if.merge")
    b.selection_merge(end)
    b.branch_conditional(is_hit, hit, nothing)
    b.set_insert_point(hit)
    b.emit_void(record, variable, query, b.const_uint(0), data, *kinds)
    b.branch(end)
    b.set_insert_point(nothing)
    b.emit_void(opcode(ctx, "OpHitObjectRecordEmpty"), variable)
    b.branch(end)
    b.set_insert_point(end)
    return _value(ctx, variable, c.type)


def _attributes(ctx: Lowering, t: Type, name: str) -> int:
    storage = StorageClass.HitObjectAttributeNV if ctx.is_enabled(NV) else StorageClass.HitObjectAttributeEXT
    return ray_variable(ctx, storage, t, name)[0]


@method("hit_object", "GetAttributes")
def _get_attributes(ctx: Lowering, c: hir.MethodCall) -> Value | None:
    """Lower ``GetAttributes``: return the attributes, or store them to the argument."""
    require(ctx, "dx::HitObject::GetAttributes", c.pos)
    b, hit = ctx.b, pointer(ctx, c.object)
    t = c.args[0].type if c.args else c.type
    data = _attributes(ctx, t, variable_name(c.args[0]) if c.args else "")
    b.emit_void(opcode(ctx, "OpHitObjectGetAttributes"), hit, data)
    value = Value(b.load(data), t, True)
    if not c.args:
        return value
    memory.store(ctx, ctx.expr(c.args[0]), value)
    return None


def _query(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Return a property of a hit object; a 3x4 matrix is the transpose of SPIR-V's 4x3 result."""
    require(ctx, f"dx::HitObject::{c.name}", c.pos)
    b, t = ctx.b, c.type
    number = opcode(ctx, f"OpHitObject{QUERIES[c.name]}")
    hit = pointer(ctx, c.object)
    if isinstance(t, ty.Struct):
        return rayquery.positions(ctx, b.emit(number, b.array(b.vector(b.f32(), 3), 3), hit), t)
    transposed = isinstance(t, ty.Matrix) and t.rows == 3
    value = b.emit(number, ctx.type(ty.matrix(ty.FLOAT, 4, 3) if transposed else t), hit)
    return ctx.rvalue(b.unary(op.OpTranspose, ctx.type(t), value) if transposed else value, t)


for _name in QUERIES:
    METHODS["hit_object", _name] = _query


@method("hit_object", "GetClusterID")
def _cluster(ctx: Lowering, c: hir.MethodCall) -> Value:
    require(ctx, "dx::HitObject::GetClusterID", c.pos)
    ctx.require_extension("SPV_NV_cluster_acceleration_structure", "dx::HitObject::GetClusterID", c.pos)
    if not ctx.is_enabled(NV):
        ctx.fail(codes.HIT_OBJECT_EXTENSION, c.pos, name="dx::HitObject::GetClusterID", extension=NV)
    return ctx.rvalue(ctx.b.emit(op.OpHitObjectGetClusterIdNV, ctx.b.u32(), pointer(ctx, c.object)), c.type)


@method("hit_object", "SetShaderTableIndex")
def _set_record(ctx: Lowering, c: hir.MethodCall) -> None:
    require(ctx, "dx::HitObject::SetShaderTableIndex", c.pos)
    number = opcode(ctx, "OpHitObjectSetShaderBindingTableRecordIndex")
    ctx.b.emit_void(number, pointer(ctx, c.object), *_operands(ctx, c.args))


@method("hit_object", "LoadLocalRootTableConstant")
def _local_constant(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Load a number from the shader record: the data after the shader's handle in memory."""
    require(ctx, "dx::HitObject::LoadLocalRootTableConstant", c.pos)
    b = ctx.b
    pair = b.vector(b.u32(), 2)
    handle = b.emit(opcode(ctx, "OpHitObjectGetShaderRecordBufferHandle"), pair, pointer(ctx, c.object))
    u64 = b.int_type(64, False)
    address = b.unary(op.OpBitcast, u64, handle)
    offset = b.unary(op.OpUConvert, u64, _operands(ctx, c.args)[0])
    place = b.binary(op.OpIAdd, u64, address, offset)
    b.promote_addressing_model(AddressingModel.PhysicalStorageBuffer64)
    number = b.unary(op.OpConvertUToPtr, b.pointer(StorageClass.PhysicalStorageBuffer, b.u32()), place)
    return ctx.rvalue(b.load(number, align=4), c.type)
