"""Work graphs: node inputs and outputs, their records, and the methods of both (SPV_AMDX_shader_enqueue).

A node's inputs and outputs are payload arrays. Each parameter has its own array type, decorated with the parameter's
attributes. The value of such an object is a pointer to its array; helper functions take the pointer type of their
arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import declares, intrinsic, method, passes
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.hir import Param, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, Scope, StorageClass

_D, _SC = Decoration, StorageClass


def is_input(t: Type) -> bool:
    """Return whether a type is the input of a work graph node."""
    return isinstance(t, ObjectType) and "NodeInput" in t.name


# ------------------------------------------------------------------------------------------------- types of payloads


def payload_type(ctx: Lowering, p: Param, before: Sequence[Param]) -> int:
    """Return the payload array type for a work graph node's parameter, decorated by its attributes.

    ``before`` are the earlier parameters, which ``MaxRecordsSharedWith`` may name.
    """
    b, t = ctx.b, p.type
    assert isinstance(t, ObjectType)
    declared = ctx.node_payloads.get(p)
    if declared is not None:
        return declared
    payloads = ctx.node_payloads[p] = b.node_payload_array(_record(ctx, t), p)
    attributes = {a.name: a for a in p.attributes}

    def decorate(decoration: int, constant: int) -> None:
        b.decorate_type_id(payloads, decoration, constant)

    if not is_input(t):
        name, index = node_id(attributes.get("nodeid"), p.name)
        decorate(_D.PayloadNodeNameAMDX, b.const_string(name))
        if index:
            decorate(_D.PayloadNodeBaseIndexAMDX, b.lazy_uint(index))
    decorate(_D.NodeMaxPayloadsAMDX, b.lazy_uint(_integer(attributes.get("maxrecords"), 1)))
    if shared := attributes.get("maxrecordssharedwith"):
        decorate(_D.NodeSharesPayloadLimitsWithAMDX, _shared(ctx, shared, before))
    if "allowsparsenodes" in attributes or "unboundedsparsenodes" in attributes:
        b.decorate_type(payloads, _D.PayloadNodeSparseArrayAMDX)
    if size := attributes.get("nodearraysize"):
        decorate(_D.PayloadNodeArraySizeAMDX, b.lazy_uint(_integer(size, 0)))
    return payloads


def node_id(a: Attribute | None, name: str) -> tuple[str, int]:
    """Return the (name, index) of ``[NodeID("name", index)]``; without the attribute, (``name``, 0)."""
    if a is None or not a.args or not isinstance(a.args[0], str):
        return name, 0
    index = a.args[1] if len(a.args) > 1 else 0
    return a.args[0], index if isinstance(index, int) else 0


def _integer(a: Attribute | None, default: int) -> int:
    value = a.args[0] if a is not None and a.args else default
    return value if isinstance(value, int) else default


def _shared(ctx: Lowering, a: Attribute, before: Sequence[Param]) -> int:
    """Return the payload type of the parameter that ``MaxRecordsSharedWith`` names.

    A parameter that is not declared before is reported.
    """
    x = a.args[0] if a.args else None
    name = x.var.name if isinstance(x, hir.VarRef) else x
    for p in before:
        if p.name == name and p in ctx.node_payloads:
            return ctx.node_payloads[p]
    ctx.fail(codes.NODE_SHARED_WITH, a.pos, name=name)


def _record(ctx: Lowering, t: ObjectType) -> int:
    """Return the struct type of each payload; a struct without members for empty inputs and outputs."""
    b = ctx.b
    if not t.args:
        return b.struct("", [])
    record = t.element
    assert isinstance(record, Struct)
    struct = ctx.type(record, Rule.SCALAR)
    if any(a.name == "nodetrackrwinputsharing" for a in record.attributes):
        b.decorate(struct, _D.TrackFinishWritingAMDX)
    if is_input(t):
        _mark_grid(ctx, record)
    return struct


def _mark_grid(ctx: Lowering, s: Struct) -> bool:
    """Decorate the member (at any depth) that has ``SV_DispatchGrid``; return whether there is one."""
    for p in ctx.types.placed(s, Rule.SCALAR):
        f = p.field
        if f is not None and f.semantic is not None and f.semantic.name.upper() == "SV_DISPATCHGRID":
            ctx.b.decorate_member(ctx.type(s, Rule.SCALAR), p.index, _D.PayloadDispatchIndirectAMDX)
            return True
        if isinstance(p.type, Struct) and _mark_grid(ctx, p.type):
            return True
    return False


# ----------------------------------------------------------------------------------------- parameters and variables


def argument(ctx: Lowering, p: Param, before: Sequence[Param]) -> tuple[Value, int]:
    """Return (argument that the wrapper passes for a parameter, id of its interface variable or 0)."""
    b = ctx.b
    array = payload_type(ctx, p, before)
    if is_input(p.type):
        variable = b.global_variable(array, _SC.NodePayloadAMDX, f"in.var.{p.name}")
        ctx.owned_globals[variable] = ctx.wrapper
        ctx.node_parameters[p] = b.pointer(_SC.NodePayloadAMDX, array)
        return Value(variable, p.type, False), variable
    ctx.node_parameters[p] = b.pointer(_SC.Function, array)
    return Value(b.local_variable(array, f"param.var.{p.name}"), p.type, False), 0


@passes("node")
def _pass_on(ctx: Lowering, a: hir.Expr, p: Param) -> int:
    """Pass a node object's pointer to a function; report a parameter that receives objects of different nodes."""
    v = ctx.expr(a)
    b = ctx.b
    pointer = b.type_id_of(v.id)
    if ctx.node_parameters.setdefault(p, pointer) != pointer:
        ctx.fail(codes.FEATURE_UNSUPPORTED, a.pos, what="calling one function with records of several parameters")
    return v.id


@declares("node")
def _declare(ctx: Lowering, v: Variable) -> None:
    """Declare a local variable of records; its array type is that of the first value assigned to it."""
    b = ctx.b
    value = None
    if v.init is not None:
        pointer = ctx.expr(v.init)
        value, array = memory.load(ctx, pointer), b.pointee_of(pointer.id).id
    else:
        array = _assigned(ctx, v)
    ctx.locals[v] = Value(b.local_variable(array, v.name), v.type, False)
    if value is not None:
        memory.store(ctx, ctx.locals[v], value)


def _assigned(ctx: Lowering, v: Variable) -> int:
    """Return the payload type of the first value that the function assigns to a variable.

    A variable without assignment is reported.
    """
    body = ctx.function.body if ctx.function is not None else None
    for node in _nodes(body):
        if isinstance(node, hir.Assign) and isinstance(node.target, hir.VarRef) and node.target.var is v:
            source: hir.Expr = node.value
            while isinstance(source, (hir.Load, hir.Cast, hir.MethodCall)):
                source = source.object if isinstance(source, hir.MethodCall) else source.operand
            if isinstance(source, hir.VarRef) and source.var in ctx.locals:
                return ctx.b.pointee_of(ctx.locals[source.var].id).id
    ctx.fail(codes.FEATURE_UNSUPPORTED, v.pos, what="a variable for records that is never given any")


def _nodes(root: object) -> Iterator[object]:
    """Yield all HIR nodes of a body, in source order."""
    todo: list[object] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += reversed(node)
        elif (
            dataclasses.is_dataclass(node)
            and type(node).__module__ == hir.__name__
            and not isinstance(node, (Variable, hir.Function, hir.CBuffer))
        ):
            yield node
            todo += [getattr(node, f.name) for f in dataclasses.fields(node)][::-1]


# --------------------------------------------------------------------------------------------------------- methods


@method("node", "Get", "operator[]")
def _get(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Lower ``Get``: return one record as an l-value; its index is the argument, or 0 without one."""
    records = ctx.expr(c.object)
    index = memory.load(ctx, ctx.expr(c.args[0])).id if c.args else ctx.b.const_uint(0)
    return access.chain(ctx, records, [index], c.type)


def _output(ctx: Lowering, x: hir.Expr) -> tuple[Value, int]:
    """Return (pointer to the payload array, index of the node) for an output or an element of an output array."""
    if isinstance(x, hir.MethodCall) and x.name == "operator[]":
        index = memory.load(ctx, ctx.expr(x.args[0])).id
        return ctx.expr(x.object), index
    return ctx.expr(x), 0


def _allocate(ctx: Lowering, c: hir.MethodCall) -> Value:
    b = ctx.b
    output, index = _output(ctx, c.object)
    count = memory.load(ctx, ctx.expr(c.args[0])).id
    scope = Scope.Workgroup if "Group" in c.name else Scope.Invocation
    pointer = b.pointer(_SC.NodePayloadAMDX, b.pointee_of(output.id).id)
    payloads = b.emit(op.OpAllocateNodePayloadsAMDX, pointer, b.lazy_uint(scope), count, index or b.const_uint(0))
    return Value(payloads, c.type, False)


@method("node", "GetThreadNodeOutputRecords", "GetGroupNodeOutputRecords")
def _records(ctx: Lowering, c: hir.MethodCall) -> Value:
    return _allocate(ctx, c)


@method("node", "ThreadIncrementOutputCount", "GroupIncrementOutputCount")
def _increment(ctx: Lowering, c: hir.MethodCall) -> None:
    """Lower the method that increases the record count of a work graph output whose records have no contents."""
    _allocate(ctx, c)


@method("node", "IsValid")
def _is_valid(ctx: Lowering, c: hir.MethodCall) -> Value:
    b = ctx.b
    output, index = _output(ctx, c.object)
    if not index:
        x = c.object
        attributes = x.var.attributes if isinstance(x, hir.VarRef) else ()
        index = b.const_uint(node_id(next((a for a in attributes if a.name == "nodeid"), None), "")[1])
    return ctx.rvalue(b.emit(op.OpIsNodePayloadValidAMDX, b.bool_type(), output.id, index), c.type)


@method("node", "Count")
def _count(ctx: Lowering, c: hir.MethodCall) -> Value:
    return ctx.rvalue(ctx.b.emit(op.OpNodePayloadArrayLengthAMDX, ctx.b.u32(), ctx.expr(c.object).id), c.type)


@method("node", "FinishedCrossGroupSharing")
def _finished(ctx: Lowering, c: hir.MethodCall) -> Value:
    b = ctx.b
    return ctx.rvalue(b.emit(op.OpFinishWritingNodePayloadAMDX, b.bool_type(), ctx.expr(c.object).id), c.type)


@method("node", "OutputComplete")
def _complete(ctx: Lowering, c: hir.MethodCall) -> None:
    ctx.b.emit_void(op.OpEnqueueNodePayloadsAMDX, ctx.expr(c.object).id)


@intrinsic("GetRemainingRecursionLevels")
def _levels(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return ctx.rvalue(ctx.b.load(ctx.input_builtin(BuiltIn.RemainingRecursionLevelsAMDX, ctx.b.u32(), "")), ty.UINT)
