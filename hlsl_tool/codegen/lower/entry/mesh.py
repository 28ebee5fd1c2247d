"""Mesh and amplification shaders: execution modes and the interface (manual: *Mesh and Amplification Shaders*).

The module uses SPV_EXT_mesh_shader if it is available (from SPIR-V 1.4 on), else SPV_NV_mesh_shader.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import writes_modes
from hlsl_tool.codegen.lower.entry import compute
from hlsl_tool.codegen.lower.entry.items import as_output, mesh_role, word
from hlsl_tool.codegen.lower.entry.stages import STAGES
from hlsl_tool.codegen.lower.intrinsics import meshes
from hlsl_tool.codegen.lower.intrinsics.meshes import EXT
from hlsl_tool.codegen.lower.stage_io.stage_io import StageIO
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.types import Array, Struct
from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode, StorageClass

_MODE, _B, _SC = ExecutionMode, BuiltIn, StorageClass

TOPOLOGIES: dict[str, tuple[int, ty.Type, str]] = {
    "point": (_MODE.OutputPoints, ty.UINT, "uint"),
    "line": (_MODE.OutputLinesEXT, ty.vector(ty.UINT, 2), "uint2"),
    "triangle": (_MODE.OutputTrianglesEXT, ty.vector(ty.UINT, 3), "uint3"),
}
"""Topology → execution mode and type of the indices of a primitive."""

INDICES = {1: _B.PrimitivePointIndicesEXT, 2: _B.PrimitiveLineIndicesEXT, 3: _B.PrimitiveTriangleIndicesEXT}


@writes_modes("ms", "as")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes of a mesh or amplification shader.

    Report a missing or unknown ``outputtopology``, missing or repeated output arrays, and wrong sizes of them.
    """
    b = ctx.b
    compute.execution_modes(ctx, f, wrapper)
    _check_directions(ctx, f)
    if ctx.stage == "as":
        return
    topology = word(f, "outputtopology")
    if topology is None:
        ctx.fail(codes.ATTRIBUTE_MISSING, f.pos, stage="mesh", attribute="outputtopology")
    if topology not in TOPOLOGIES:
        a = find_attribute(f.attributes, "outputtopology")
        ctx.fail(codes.TOPOLOGY_UNKNOWN, a.pos if a is not None else f.pos, stage="mesh")
    mode, index_type, spelled = TOPOLOGIES[topology]
    b.execution_mode(wrapper, mode)
    sizes: dict[str, int] = {}
    for p in f.params:
        what = mesh_role(p)
        if not what:
            continue
        if what in sizes:
            ctx.fail(codes.MESH_TWICE, p.pos, role=what)
        sizes[what] = _size(ctx, p, what, index_type, spelled)
    for what in ("vertices", "indices"):
        if what not in sizes:
            ctx.fail(codes.MESH_MISSING, f.pos, role=what)
    if sizes.get("primitives", sizes["indices"]) != sizes["indices"]:
        ctx.fail(codes.MESH_PRIMITIVES, f.pos)
    b.execution_mode(wrapper, _MODE.OutputVertices, sizes["vertices"])
    b.execution_mode(wrapper, _MODE.OutputPrimitivesEXT, sizes["indices"])


def _check_directions(ctx: Lowering, f: Function) -> None:
    """Report parameters whose direction does not fit their role, such as ``in vertices``, and ``out`` without a role.

    The roles are ``vertices``, ``indices``, ``primitives`` and ``payload``.
    """
    for p in f.params:
        what = mesh_role(p)
        if not what and p.direction != "in":
            name = p.semantic.name if p.semantic is not None else p.name
            ctx.fail(codes.SEMANTIC_INVALID, p.pos, name=name, profile=ctx.stage)
        direction = {"": p.direction, "payload": "in"}.get(what, "out")
        if p.direction != direction:
            ctx.fail(codes.MESH_DIRECTION, _beginning(f, p), role=what, direction=direction)


def _beginning(f: Function, p: Param) -> int:
    """Return the index of a parameter's first token, which is its first qualifier."""
    if f.chunk is None:
        return p.pos
    tokens, at, angles = f.chunk.tokens, p.pos, 0
    while at and (angles or tokens[at - 1] not in ("(", ",", "]")):
        at -= 1
        angles += {">": 1, "<": -1}.get(tokens[at], 0)
    return at


def _size(ctx: Lowering, p: Param, what: str, index_type: ty.Type, spelled: str) -> int:
    t = p.type
    if what == "payload":
        if not isinstance(t, Struct):
            ctx.fail(codes.MESH_PAYLOAD, p.pos)
        return 0
    if not isinstance(t, Array) or not t.size:
        ctx.fail(codes.MESH_ARRAY, p.pos)
    if what == "indices":
        if t.element is not index_type:
            ctx.fail(codes.MESH_ELEMENT, p.pos, element=spelled)
    elif not isinstance(t.element, Struct):
        ctx.fail(codes.MESH_ELEMENT, p.pos, element="struct")
    return t.size


def declare(ctx: Lowering, io: StageIO, p: Param) -> None:
    """Declare the output variables of a parameter; the function's body stores to them directly."""
    t = p.type
    if not isinstance(t, Array):
        ctx.fail(codes.MESH_ARRAY, p.pos)
    b, n = ctx.b, t.size or 0
    if mesh_role(p) != "indices":
        ctx.mesh_outputs[p] = meshes.Output(io, t.element, io.write(*as_output(p, STAGES["ms"]), None))
        return
    count = ty.component_count(t.element)
    if ctx.is_enabled(EXT):
        variable = b.builtin_variable(ctx.type(t), _SC.Output, INDICES[count])
    else:
        variable = b.builtin_variable(b.array(b.u32(), n * count), _SC.Output, _B.PrimitiveIndicesNV)
    io.add(variable)
    ctx.mesh_outputs[p] = meshes.Output(io, t.element, indices=variable)


def read_payload(ctx: Lowering, io: StageIO, p: Param) -> int:
    """Create the input variables for the amplification shader's payload, and return its value."""
    b, t = ctx.b, p.type
    assert isinstance(t, Struct)
    if ctx.is_enabled(EXT):
        v = b.global_variable(ctx.type(t), _SC.TaskPayloadWorkgroupEXT, f"in.var.{p.name}")
        io.add(v)
        ctx.owned_globals[v] = ctx.wrapper
        return b.load(v)
    value, variables = meshes.read_payload(ctx, t)
    for v in variables:
        io.add(v)
    return value


def find_payload(ctx: Lowering) -> Variable | None:
    """Return the groupshared variable that a call of ``DispatchMesh`` passes; ``None`` without such a call.

    EXT_mesh_shader has a storage class for it, which must be set before the variable's first use.
    """
    if not ctx.is_enabled(EXT):
        return None
    for f in ctx.program.reachable:
        for node in _nodes(f.body):
            if isinstance(node, hir.IntrinsicCall) and node.name == "DispatchMesh":
                return meshes.payload_of(node)
    return None


_SYMBOLS = (Variable, Function, hir.CBuffer)


def _nodes(root: object) -> Iterator[object]:
    todo: list[object] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += node
        elif (
            dataclasses.is_dataclass(node) and type(node).__module__ == hir.__name__ and not isinstance(node, _SYMBOLS)
        ):
            yield node
            todo += [getattr(node, f.name) for f in dataclasses.fields(node)]
