"""Create the variables of the stage interface (manual: *HLSL semantic and Vulkan Location*)."""

from __future__ import annotations

from typing import NoReturn

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.options.environments import is_at_least
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering, Unsupported
from hlsl_tool.codegen.lower.global_variables import module_init
from hlsl_tool.codegen.lower.interface import StageVariableRecord
from hlsl_tool.codegen.lower.stage_io import checks, semantics
from hlsl_tool.codegen.lower.stage_io.semantics import IO, Semantic
from hlsl_tool.codegen.lower.stage_io.stage_items import (
    INTERPOLATIONS,
    Item,
    StageVariable,
    is_bool_variable,
    location_count,
)
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import vk_number
from hlsl_tool.frontend.sema.model.types import Vector
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import PRECISE
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass

_INTERLOCK_MODES = {
    "SAMPLEINDEX": ExecutionMode.SampleInterlockOrderedEXT,
    "SHADINGRATE": ExecutionMode.ShadingRateInterlockOrderedEXT,
}
"""Input → granularity of the critical sections of rasterizer ordered views; without such an input it is the pixel."""


@dataclass(slots=True)
class StageVariables:
    """Creates the SPIR-V variables of one entry point's interface."""

    ctx: Lowering
    wrapper: int = 0
    variables: list[StageVariable] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    """Variables without a semantic and a location."""
    barycentrics: dict[str, int] = field(default_factory=dict)
    """Interpolation of a barycentric input → its semantic index."""

    def builtin_of(self, item: Item, semantic: Semantic, point: str) -> int:
        """Return the built-in for a semantic at a signature point; ``IO`` for a variable with a location."""
        for a in item.attributes:
            if a.scope == "vk" and a.name == "builtin" and a.args and isinstance(a.args[0], str):
                return semantics.VULKAN_BUILTINS.get(a.args[0], IO)
        system = semantic.system
        if not system:
            if point in semantics.SYSTEM_VALUES_ONLY:
                self._invalid(semantic, point, item)
            return IO
        row = semantics.TABLE.get(system)
        if row is None or point not in row:
            self._invalid(semantic, point, item)
        if system == "BARYCENTRICS" and "noperspective" in item.quals:
            return BuiltIn.BaryCoordNoPerspKHR
        return row[point]

    def _invalid(self, semantic: Semantic, point: str, item: Item) -> NoReturn:
        """Report an invalid semantic at the position of its declaration; raise `Unsupported`."""
        ctx = self.ctx
        from hlsl_tool.codegen.lower.stage_io.semantic_hints import invalid_semantic  # start-up time

        chunk = semantic.chunk or ctx.chunk
        hint = invalid_semantic(semantic, point, chunk.tokens if chunk is not None else ())
        fields = {"name": semantic.text, "profile": ctx.options.profile}
        ctx.error(codes.SEMANTIC_INVALID, item.pos, chunk=item.chunk, hint=hint, **fields)
        raise Unsupported

    def create(self, item: Item, semantic: Semantic, point: str) -> StageVariable:
        ctx, b = self.ctx, self.ctx.b
        builtin = self.builtin_of(item, semantic, point)
        self._check_type(item, semantic, point)
        checks.check(ctx, item.attributes, item.type, semantic, point, item.pos, item.chunk)
        is_input = point.endswith("In")
        storage = StorageClass.Input if is_input else StorageClass.Output
        type_id = self._variable_type(item, semantic, point, builtin)
        if builtin == BuiltIn.HelperInvocation and not _has_helper_input(ctx):
            i = self._helper_invocation(type_id)
        elif builtin != IO:
            i = b.builtin_variable(type_id, storage, builtin)
            if is_input and semantic.system in _INTERLOCK_MODES:
                ctx.interlock_modes[self.wrapper] = _INTERLOCK_MODES[semantic.system]
        else:
            i = b.global_variable(type_id, storage, f"{'in' if is_input else 'out'}.var.{semantic.spelled}")
        ctx.relaxed(i, item.type)
        if "precise" in item.quals:
            b.mark(i, PRECISE)
        placed = inline_spirv.decorate(ctx, i, item.attributes)
        location = vk_number(item.attributes, "location")
        index = vk_number(item.attributes, "index")
        v = StageVariable(
            i,
            replace(semantic),
            point,
            item.type,
            placed or builtin != IO,
            location,
            index,
            location_count(item.type),
            family_of(item, point),
        )
        self.variables.append(v)
        ctx.positions[i] = (semantic.pos, semantic.chunk or ctx.chunk)
        if ctx.options.reflect_decorations:
            b.decorate_string(i, Decoration.UserSemantic, semantic.spelled)
        if semantic.system.startswith("DEPTH"):
            self._depth_modes(semantic.system)
        if point in ("PCOut", "DSIn") and semantic.system != "DOMAINLOCATION":
            b.decorate(i, Decoration.Patch)
        elif point == "MSPOut":
            b.decorate(i, Decoration.PerPrimitiveEXT)
        if point in ("PSIn", "VSOut", "MSOut") and self.is_global(i):
            self._interpolation(item, i, semantic, point)
        ctx.interface.stage_variables.append(
            StageVariableRecord(
                ctx.b.names.get(i, ""),
                semantic.spelled,
                "input" if is_input else "output",
                ty.display(item.type),
                builtin=builtin_name(builtin) if builtin != IO else None,
                interpolation=tuple(q for q in item.quals if q in INTERPOLATIONS),
                token=(semantic.pos, semantic.chunk) if semantic.chunk else (item.pos, item.chunk or ctx.chunk),
            )
        )
        return self._with_base(v, item, point)

    def _helper_invocation(self, type_id: int) -> int:
        """Create a Private variable that the entry point initialises with OpIsHelperInvocationEXT, as DXC does.

        Below Vulkan 1.3 the built-in keeps its initial value when an invocation is demoted, so the two are equal.
        """
        ctx, b = self.ctx, self.ctx.b
        if not ctx.options.extensions:  # the input requests the extension unless the option has a list
            b.extension("SPV_EXT_demote_to_helper_invocation")
        variable = b.global_variable(type_id, StorageClass.Private, "HelperInvocation")
        module_init.add(ctx, lambda: b.store(variable, b.emit(op.OpIsHelperInvocationEXT, b.bool_type())))
        return variable

    def _with_base(self, v: StageVariable, item: Item, point: str) -> StageVariable:
        """Subtract the base from ``SV_InstanceID`` or ``SV_VertexID`` if an option is set; in D3D they start at 0."""
        ctx, b = self.ctx, self.ctx.b
        bases = {
            "INSTANCEID": (ctx.options.support_nonzero_base_instance, BuiltIn.BaseInstance, "SV_InstanceID"),
            "VERTEXID": (ctx.options.support_nonzero_base_vertex, BuiltIn.BaseVertex, "SV_VertexID"),
        }
        row = bases.get(v.semantic.system)
        if row is None or not row[0] or point != "VSIn":
            return v
        t = ctx.type(item.type)
        base = b.builtin_variable(t, StorageClass.Input, row[1])
        self.variables.append(StageVariable(base, v.semantic, point, item.type, True, None, None, 1))
        difference = b.local_variable(t, row[2])
        b.store(difference, b.binary(op.OpISub, t, b.load(v.id), b.load(base)))
        return StageVariable(difference, v.semantic, point, item.type, True, None, None, 1)

    def _depth_modes(self, system: str) -> None:
        b = self.ctx.b
        b.execution_mode(self.wrapper, ExecutionMode.DepthReplacing)
        if system == "DEPTHGREATEREQUAL":
            b.execution_mode(self.wrapper, ExecutionMode.DepthGreater)
        elif system == "DEPTHLESSEQUAL":
            b.execution_mode(self.wrapper, ExecutionMode.DepthLess)

    def _interpolation(self, item: Item, i: int, semantic: Semantic, point: str) -> None:
        b, quals = self.ctx.b, item.quals
        if self.ctx.vertex_values is not None and point == "PSIn" and "nointerpolation" in quals:
            self.ctx.vertex_values.pointers.add(i)
        element = ty.element_of(ty.innermost(item.type))
        if element is not None and element.category != "float" and not item.by_reference:
            if any(q in quals for q in ("linear", "centroid", "noperspective", "sample")):
                self.ctx.error(codes.INTEGER_INTERPOLATION, item.pos, chunk=item.chunk)
            else:
                b.decorate(i, Decoration.Flat)
            return
        barycentric = semantic.system == "BARYCENTRICS"
        if barycentric:
            checks.check_barycentrics(self.ctx, item, semantic, self.barycentrics)
        if "centroid" in quals:
            b.decorate(i, Decoration.Centroid)
        # Vulkan interpolates no 64-bit numbers, but DXC leaves the decoration out
        is_double_input = element is ty.DOUBLE and self.ctx.stage == "ps" and not self.ctx.options.codegen_only
        if ("nointerpolation" in quals or is_double_input) and not barycentric:
            b.decorate(i, Decoration.Flat)
        if "noperspective" in quals and not barycentric:
            b.decorate(i, Decoration.NoPerspective)
        if "sample" in quals:
            b.decorate(i, Decoration.Sample)

    def _check_type(self, item: Item, semantic: Semantic, point: str) -> None:
        if semantic.system == "POSITION" and point == "VSOut":
            t = item.type
            if not (isinstance(t, Vector) and t.size == 4 and t.element.category == "float" and t.element.bits == 32):
                self.ctx.error(codes.POSITION_TYPE, semantic.pos, chunk=semantic.chunk)

    def _variable_type(self, item: Item, semantic: Semantic, point: str, builtin: int) -> int:
        """Return the type id of a stage variable: the type that Vulkan fixes for a built-in.

        A ``bool`` with a location has the type uint.
        """
        ctx, b, t = self.ctx, self.ctx.b, item.type
        system = semantic.system
        if system in ("DISPATCHTHREADID", "GROUPTHREADID", "GROUPID") and builtin != IO:
            element = ty.element_of(t) or ty.UINT
            type_id = b.vector(ctx.types.scalar(element), 3)
        elif system == "COVERAGE":
            type_id = b.array(b.u32(), 1)
        elif system == "INNERCOVERAGE":
            type_id = b.bool_type()
        elif system in ("BARYCENTRICS", "DOMAINLOCATION"):
            type_id = b.vector(b.f32(), 3)
        elif system == "TESSFACTOR":
            type_id = b.array(b.f32(), 4)
        elif system == "INSIDETESSFACTOR":
            type_id = b.array(b.f32(), 2)
        elif is_bool_variable(item, semantic, point):
            type_id = ctx.type(ty.with_element(t, ty.UINT))
        else:
            type_id = ctx.type(t)
        return b.array(type_id, item.array) if item.array else type_id

    def add(self, variable: int) -> None:
        """Add a variable with neither semantic nor location to the interface."""
        self.others.append(variable)
        self.variables.append(StageVariable(variable, Semantic("", "", 0, 0), "", ty.VOID, True, None, None, 0))

    def is_global(self, i: int) -> bool:
        return i in self.others or self.ctx.b.storage_of(i) in (StorageClass.Input, StorageClass.Output)


def _has_helper_input(ctx: Lowering) -> bool:
    return is_at_least(ctx.options.target_env, "vulkan1.3")


def family_of(item: Item, point: str) -> tuple[object, ...]:
    """Return a key that variables sharing a location must have in common: kind and width of numbers, interpolation."""
    element = ty.element_of(ty.innermost(item.type))
    if element is None:
        return (item.type,)
    is_float = element.category == "float"
    quals = [q for q in item.quals if q in INTERPOLATIONS and q != "linear"] if is_float else ["nointerpolation"]
    kind = "float" if is_float else "uint" if element.category == "bool" else element.category
    bits = 32 if element.category == "bool" else element.bits
    return kind, bits, point, *sorted(quals)


def builtin_name(builtin: int) -> str:
    """Return DXC's name for a built-in variable: ``gl_`` and SPIR-V's name; ``""`` for an unknown number."""
    for name, value in vars(BuiltIn).items():
        if value == builtin and not name.startswith("_"):
            return f"gl_{name}"
    return ""
