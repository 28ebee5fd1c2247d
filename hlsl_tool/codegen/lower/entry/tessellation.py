"""Hull and domain shaders (manual: *Hull Entry Point Attributes*, *Hull Shader Stage*, *Patch Constant Function*).

A hull shader's function runs once for each control point, and each invocation writes one element of the output arrays.
After a barrier, the invocation of control point 0 calls the patch constant function.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.function_names import spirv_name
from hlsl_tool.codegen.lower.core.registry import writes_modes
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.entry.items import as_input, item_of, number, semantic_of, used_params, word
from hlsl_tool.codegen.lower.entry.stages import STAGES
from hlsl_tool.codegen.lower.functions import calls as functions
from hlsl_tool.codegen.lower.stage_io import semantics
from hlsl_tool.codegen.lower.stage_io.stage_io import StageIO
from hlsl_tool.codegen.lower.stage_io.stage_items import Item, Leaf
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionMode, MemorySemantics, Scope

DOMAINS = {"tri": ExecutionMode.Triangles, "quad": ExecutionMode.Quads, "isoline": ExecutionMode.Isolines}
PARTITIONINGS = {
    "fractional_even": ExecutionMode.SpacingFractionalEven,
    "fractional_odd": ExecutionMode.SpacingFractionalOdd,
    "integer": ExecutionMode.SpacingEqual,
}
TOPOLOGIES: dict[str, int | None] = {
    "point": ExecutionMode.PointMode,
    "triangle_cw": ExecutionMode.VertexOrderCw,
    "triangle_ccw": ExecutionMode.VertexOrderCcw,
    "line": None,
}
"""Output topology → execution mode; lines, of which isolines consist, have none."""


@writes_modes("hs", "ds")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes; a domain shader has only the domain, a hull shader all others."""
    b = ctx.b
    domain = word(f, "domain")
    if domain is not None:
        b.execution_mode(wrapper, DOMAINS[domain])
    if ctx.stage == "ds":
        return
    scheme = word(f, "partitioning")
    if scheme is not None:
        if scheme == "pow2":
            ctx.fail(codes.PARTITIONING_POW2, _place(f, "partitioning"))
        b.execution_mode(wrapper, PARTITIONINGS[scheme])
    topology = word(f, "outputtopology")
    if topology not in TOPOLOGIES:
        ctx.fail(codes.TOPOLOGY_UNKNOWN, _place(f, "outputtopology"), stage="hull")
    mode = TOPOLOGIES[topology]
    if mode is not None:
        b.execution_mode(wrapper, mode)
    count = number(f, "outputcontrolpoints")
    assert count is not None
    b.execution_mode(wrapper, ExecutionMode.OutputVertices, count)


def _place(f: Function, name: str) -> int:
    a = find_attribute(f.attributes, name)
    return a.pos if a is not None else f.pos


@dataclass(slots=True)
class Hull:
    """The part of a hull shader's wrapper that calls the patch constant function."""

    ctx: Lowering
    function: Function
    io: StageIO
    patch_function: Function = field(init=False)
    patches: dict[str, Value] = field(default_factory=dict)
    """Parameters that both functions may have, by semantic, or by the name of the patch's type."""
    control_point_id: int | None = None

    def __post_init__(self) -> None:
        self.patch_function = self._patch_function()

    def _patch_function(self) -> Function:
        ctx, a = self.ctx, find_attribute(self.function.attributes, "patchconstantfunc")
        assert a is not None
        name = a.args[0]
        candidates = [f for f in ctx.program.functions if f.name == name and f.has_body and f.owner is None]
        if not candidates:
            ctx.fail(codes.PATCH_FUNCTION_MISSING, a.pos, name=name)
        f = ctx.definition(candidates[-1])
        self._check_patches(f)
        return f

    def _check_patches(self, f: Function) -> None:
        """Report patch parameters of the patch constant function whose type or size differs from the hull shader's."""
        ctx, hull = self.ctx, self.function
        outer, ctx.chunk = ctx.chunk, f.chunk
        inputs = [p.type.args for p in hull.params if isinstance(p.type, ObjectType) and p.type.name == "InputPatch"]
        outputs = (hull.return_type, number(hull, "outputcontrolpoints"))
        for p in f.params:
            if not isinstance(p.type, ObjectType) or p.type.name not in ("InputPatch", "OutputPatch"):
                continue
            is_input = p.type.name == "InputPatch"
            if is_input and not inputs:
                continue  # reported when the argument is missing
            element, count = inputs[0] if is_input else outputs
            side = "input" if is_input else "output"
            if p.type.args[1] != count and count:
                ctx.fail(codes.PATCH_SIZE, p.pos, side=side, wanted=count, actual=p.type.args[1])
            if p.type.args[0] is not element:
                ctx.fail(codes.PATCH_ELEMENT, p.pos, side=side, wanted=element, actual=p.type.args[0])
        ctx.chunk = outer

    def wants(self, p: Param) -> bool:
        """Return whether the patch constant function, too, uses the input that this hull shader parameter receives."""
        key = _key(p)
        return key != "" and any(_key(q) == key for q in used_params(self.patch_function))

    def record(self, p: Param, holder: Value, value: int) -> None:
        """Record a hull shader parameter's variable, ``holder``, and the id of its value, ``value``.

        They are passed to the patch constant function later.
        """
        self.patches[_key(p)] = holder
        if _key(p) == "OUTPUTCONTROLPOINTID":
            self.control_point_id = value

    def control_point(self) -> int:
        """Return the index of this invocation's control point.

        Add an input for it if the hull shader does not have one.
        """
        if self.control_point_id is None:
            variables = [v for v in self.io.variables if v.semantic.system == "OUTPUTCONTROLPOINTID"]
            if variables:  # a member of a structure
                self.control_point_id = self.ctx.b.load(variables[0].id)
            elif self.ctx.options.codegen_only:
                self.ctx.fail(codes.CONTROL_POINT_ID, self.function.pos)
            else:
                semantic = semantics.parse("SV_OutputControlPointID", self.function.pos)
                item = Item("controlPointID", ty.UINT, self.function.pos, (), (), semantic)
                self.control_point_id = self.io.read(item, STAGES["hs"].point_in)
        return self.control_point_id

    def finish(self, leaves: list[Leaf]) -> None:
        """Call the patch constant function in one invocation, after all have written their control points."""
        ctx, b, f = self.ctx, self.ctx.b, self.patch_function
        b.barrier(Scope.Invocation, MemorySemantics.None_, Scope.Workgroup)
        if any(_key(p) == "OutputPatch" for p in f.params):
            self.patches["OutputPatch"] = self._output_patch(leaves)
        first = b.binary(op.OpIEqual, b.bool_type(), self.control_point(), b.const_uint(0))
        then, merge = b.new_block("if.true"), b.new_block("if.merge")
        b.branch_conditional(first, then, merge, merge=merge)
        b.set_insert_point(then)
        ctx.chunk = f.chunk
        arguments = [self._argument(p) for p in f.params]
        ctx.functions.setdefault(f, b.declare_function())
        value = b.call(ctx.functions[f], ctx.type(f.return_type), [a.id for a in arguments])
        self.io.invocation = None
        if f.return_type is not ty.VOID:
            result = Item(f.name, f.return_type, f.pos, f.quals, f.attributes, semantic_of(f.semantic))
            self.io.write(result, "PCOut", value)
        for p, holder in zip(f.params, arguments, strict=True):
            if p.direction == "out":
                self.io.write(item_of(p), "PCOut", b.load(holder.id))
        b.branch(merge)
        b.set_insert_point(merge)
        ctx.chunk = self.function.chunk

    def define(self) -> None:
        """Write the patch constant function, placed between the wrapper and the hull shader's function."""
        f = self.patch_function
        functions.define(self.ctx, f, name=spirv_name(f), function=self.ctx.functions[f])

    def _argument(self, p: Param) -> Value:
        ctx, b, key = self.ctx, self.ctx.b, _key(p)
        if p.direction == "out":
            return memory.local(ctx, p.type, f"param.var.{p.name}")
        if key in self.patches and key:
            return self.patches[key]
        if key in ("PRIMITIVEID", "VIEWID"):
            holder = self.patches[key] = memory.local(ctx, p.type, f"param.var.{p.name}")
            b.store(holder.id, self.io.read(*as_input(p, STAGES["hs"])))
            return holder
        ctx.fail(codes.PATCH_PARAMETER_UNKNOWN, p.pos, name=p.name)

    def _output_patch(self, leaves: list[Leaf]) -> Value:
        """Return a patch of all invocations' control points, loaded from the output variables."""
        ctx, b, t = self.ctx, self.ctx.b, self.function.return_type
        n = number(self.function, "outputcontrolpoints") or 0
        patch = memory.local(ctx, ty.array(t, n), "temp.var.hullMainRetVal")
        for i in range(n):
            at = b.access_chain(ctx.type(t), patch.id, [b.const_uint(i)])
            self._copy(list(leaves), t, at, b.const_uint(i))
        return patch

    def _copy(self, todo: list[Leaf], t: Type, target: int, index: int) -> None:
        ctx, b = self.ctx, self.ctx.b
        if not isinstance(t, Struct):
            b.store(target, self.io.load_output(todo.pop(0), index))
            return
        for p in ctx.types.words(t):
            self._copy(todo, p.type, b.access_chain(ctx.type(p.type), target, [b.const_uint(p.index)]), index)


def _key(p: Param) -> str:
    """Return the key that identifies an input of both functions: the patch type's name, or the system value."""
    if isinstance(p.type, ObjectType):
        return p.type.name
    semantic = semantic_of(p.semantic)
    return semantic.system if semantic is not None else ""
