"""Stage inputs and outputs: structures are flattened to variables, loaded and put together, taken apart and stored.

Manual: *HLSL semantic and Vulkan Location*, *Entry function wrapper*.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn

from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.layout.rules import Rule
from hlsl_tool.lower.core import casts, inline_spirv
from hlsl_tool.lower.core.context import Lowering, Unsupported
from hlsl_tool.lower.global_variables import module_init
from hlsl_tool.lower.interface import StageVariableRecord
from hlsl_tool.lower.stage_io import checks, clip_cull, semantics
from hlsl_tool.lower.stage_io.semantics import IO, Semantic
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.model import Attribute, vk_number
from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.sema.types import Array, Scalar, Struct, Type, Vector
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import PRECISE
from hlsl_tool.spirv.features import TARGET_ENVS

_SC = e.StorageClass


_INTERLOCK_MODES = {
    "SAMPLEINDEX": e.ExecutionMode.SampleInterlockOrderedEXT,
    "SHADINGRATE": e.ExecutionMode.ShadingRateInterlockOrderedEXT,
}
"""What the critical sections of rasterizer ordered views are of, where a shader has these inputs; else the pixel."""


@dataclass(slots=True)
class StageVariable:
    """One variable of the interface."""

    id: int
    semantic: Semantic
    point: str
    type: Type
    is_builtin: bool
    location: int | None
    index: int | None
    locations: int
    family: tuple[object, ...] = ()
    """What variables that share a location must have in common: kind and width of numbers, interpolation."""


@dataclass(slots=True)
class Item:
    """What is being mapped: a parameter, a result, a member."""

    name: str
    type: Type
    pos: int
    quals: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    semantic: Semantic | None
    array: int = 0
    """Elements of the outer array of tessellation and geometry stages; 0 for none."""
    chunk: SourceChunk | None = None
    """Where ``pos`` counts from, if not in the entry point's own declaration: that of a member's structure."""
    by_reference: bool = False
    """An ``out`` parameter; DXC then does not see that it holds integers, and leaves their interpolation as it is."""


@dataclass(slots=True)
class Leaf:
    """An output that is no structure: what a value of it is stored to."""

    item: Item
    semantic: Semantic
    point: str
    variable: StageVariable | None
    """``None`` for a part of the clip or cull distances."""


@dataclass(slots=True)
class StageIO:
    """The interface of one entry point."""

    ctx: Lowering
    wrapper: int = 0
    variables: list[StageVariable] = field(default_factory=list)
    clip_cull: clip_cull.ClipCull = field(default_factory=clip_cull.ClipCull)
    others: list[int] = field(default_factory=list)
    invocation: int | None = None
    """Hull shaders write one element of their output arrays: its index."""

    # --------------------------------------------------------------------------------------------------------- reading

    def read(self, item: Item, point: str) -> int:
        """Create the input variables of an item and give its value."""
        return self._read(item, point, [None])

    def _read(self, item: Item, point: str, inherited: list[Semantic | None]) -> int:
        """``inherited`` holds the semantic of an enclosing structure, whose index counts on from member to member."""
        ctx, b = self.ctx, self.ctx.b
        semantic = self._semantic(item, inherited, "input")
        t = item.type
        if isinstance(t, Struct):
            parts = [
                self._read(m, point, [semantic] if semantic is not None and inherited[0] is None else inherited)
                for m in members(ctx, t, item)
            ]
            if item.array:
                return self._transposed(t, parts, item.array)
            return b.construct(ctx.type(t), parts)
        assert semantic is not None
        if semantic.system in ("CLIPDISTANCE", "CULLDISTANCE") and self._builtin(item, semantic, point) != IO:
            value = self.clip_cull.read(ctx, semantic, t, point, item.array)
            semantic.index += 1
            return value
        v = self._create(item, semantic, point)
        if inherited[0] is not None:
            semantic.index += element_count(t)
        return self._fix_up(b.load(v.id), item, v)

    def _transposed(self, t: Struct, parts: list[int], n: int) -> int:
        """An array of structures from arrays of their members."""
        ctx, b = self.ctx, self.ctx.b
        elements = [b.construct(ctx.type(t), [b.extract(p, i) for p in parts]) for i in range(n)]
        return b.construct(b.array(ctx.type(t), n), elements)

    def _semantic(self, item: Item, inherited: list[Semantic | None], direction: str) -> Semantic | None:
        own, outer = item.semantic, inherited[0]
        if outer is not None:
            if own is not None:
                self.ctx.warn(codes.SEMANTIC_OVERRIDDEN, own.pos, chunk=own.chunk, inner=own.text, outer=outer.text)
            return outer
        if own is None and not isinstance(item.type, Struct):
            self.ctx.error(codes.SEMANTIC_MISSING, item.pos, chunk=item.chunk, direction=direction, name=item.name)
            raise Unsupported
        return own

    # --------------------------------------------------------------------------------------------------------- writing

    def write(self, item: Item, point: str, value: int | None) -> list[Leaf]:
        """Create the output variables of an item and store its value; ``None`` only creates them."""
        leaves: list[Leaf] = []
        self._write(item, point, value, [None], leaves)
        return leaves

    def _write(
        self, item: Item, point: str, value: int | None, inherited: list[Semantic | None], leaves: list[Leaf]
    ) -> None:
        ctx, b = self.ctx, self.ctx.b
        semantic = self._semantic(item, inherited, "output")
        t = item.type
        if isinstance(t, Struct):
            if semantic is not None and inherited[0] is None:
                inherited = [semantic]
            for i, m in enumerate(members(ctx, t, item)):
                self._write(m, point, b.extract(value, i) if value is not None else None, inherited, leaves)
            return
        assert semantic is not None
        is_distance = semantic.system in ("CLIPDISTANCE", "CULLDISTANCE")
        is_distance = is_distance and self._builtin(item, semantic, point) != IO
        variable = None if is_distance else self._create(item, semantic, point)
        leaf = Leaf(item, replace(semantic), point, variable)
        leaves.append(leaf)
        if is_distance:
            semantic.index += 1
        elif inherited[0] is not None:
            semantic.index += element_count(t)
        if value is not None:
            self.store(leaf, value)

    def write_again(self, leaves: list[Leaf], t: Type, value: int) -> None:
        """Store another value of the type for which the leaves were made."""
        todo = list(leaves)
        self._write_leaves(todo, t, value)
        assert not todo

    def _write_leaves(self, todo: list[Leaf], t: Type, value: int) -> None:
        if isinstance(t, Struct):
            for i, p in enumerate(self.ctx.types.placed(t, Rule.VOID)):
                self._write_leaves(todo, p.type, self.ctx.b.extract(value, i))
            return
        self.store(todo.pop(0), value)

    def store(self, leaf: Leaf, value: int) -> None:
        """Store the value of one output, in the form its variable has."""
        ctx, b, item, v = self.ctx, self.ctx.b, leaf.item, leaf.variable
        outer = [self.invocation] if item.array and self.invocation is not None else []
        if v is None:
            self.clip_cull.write(ctx, leaf.semantic, item.type, leaf.point, value, outer)
            return
        system = v.semantic.system
        if system == "POSITION" and ctx.options.invert_y and v.point in ("VSOut", "DSOut", "GSOut", "MSOut"):
            y = b.extract(value, 1)
            value = b.insert(b.unary(op.OpFNegate, b.f32(), y), value, 1)
        if _is_bool_variable(item, v.semantic, v.point):
            value = casts.numeric(ctx, value, item.type, ty.with_element(item.type, ty.UINT))
        if v.is_builtin and system in ("TESSFACTOR", "INSIDETESSFACTOR"):
            self._store_factors(v.id, item.type, value)
        elif system == "COVERAGE":
            if item.type is not ty.UINT:
                value = b.unary(op.OpBitcast, b.u32(), value)
            b.store(b.access_chain(b.type_id_of(value), v.id, [b.const_uint(0)]), value)
        elif outer:
            b.store(b.access_chain(b.type_id_of(value), v.id, outer), value)
        else:
            b.store(v.id, value)

    def load_output(self, leaf: Leaf, index: int) -> int:
        """What an invocation of the hull shader wrote to one output: ``index`` is that invocation's."""
        ctx, b, item, v = self.ctx, self.ctx.b, leaf.item, leaf.variable
        if v is None:
            return self.clip_cull.read_output(ctx, leaf.semantic, item.type, leaf.point, index)
        t, is_bool = item.type, _is_bool_variable(item, v.semantic, v.point)
        as_stored = ty.with_element(t, ty.UINT) if is_bool else t
        value = b.load(b.access_chain(ctx.type(as_stored), v.id, [index]))
        return casts.numeric(ctx, value, as_stored, t) if is_bool else value

    def _store_factors(self, variable: int, t: Type, value: int) -> None:
        """Tessellation levels: Vulkan's arrays have four and two elements for every domain."""
        b = self.ctx.b
        n = _factor_count(t)
        if isinstance(t, Array) and n == b.pointee_of(variable).count:
            b.store(variable, value)
            return
        for i in range(n):
            at = b.access_chain(b.f32(), variable, [b.const_uint(i)])
            b.store(at, b.extract(value, i) if not isinstance(t, Scalar) else value)

    # ------------------------------------------------------------------------------------------------------- variables

    def _builtin(self, item: Item, semantic: Semantic, point: str) -> int:
        """The built-in a semantic is at a point, ``IO`` for what has a location."""
        for a in item.attributes:
            if a.scope == "vk" and a.name == "builtin" and a.args and isinstance(a.args[0], str):
                return semantics.VULKAN_BUILTINS.get(a.args[0], IO)
        system = semantic.system
        if not system:
            if point in semantics.SYSTEM_VALUES_ONLY:
                self._invalid(semantic, item.pos)
            return IO
        row = semantics.TABLE.get(system)
        if row is None or point not in row:
            self._invalid(semantic, semantic.pos)
        if system == "BARYCENTRICS" and "noperspective" in item.quals:
            return e.BuiltIn.BaryCoordNoPerspKHR
        return row[point]

    def _invalid(self, semantic: Semantic, pos: int) -> NoReturn:
        self.ctx.fail(codes.SEMANTIC_INVALID, pos, name=semantic.text, profile=self.ctx.options.profile)

    def _create(self, item: Item, semantic: Semantic, point: str) -> StageVariable:
        ctx, b = self.ctx, self.ctx.b
        builtin = self._builtin(item, semantic, point)
        self._check_type(item, semantic, point)
        checks.check(ctx, item.attributes, item.type, semantic, point, item.pos, item.chunk)
        is_input = point.endswith("In")
        storage = _SC.Input if is_input else _SC.Output
        type_id = self._variable_type(item, semantic, point, builtin)
        if builtin == e.BuiltIn.HelperInvocation and not _has_helper_input(ctx):
            i = self._helper_invocation(type_id)
        elif builtin != IO:
            i = b.builtin_variable(type_id, storage, builtin)
            if is_input and semantic.system in _INTERLOCK_MODES:
                ctx.interlock_mode = _INTERLOCK_MODES[semantic.system]
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
            _family(item, point),
        )
        self.variables.append(v)
        ctx.positions[i] = (semantic.pos, semantic.chunk or ctx.chunk)
        if ctx.options.reflect_decorations:
            b.decorate_string(i, e.Decoration.UserSemantic, semantic.spelled)
        if semantic.system.startswith("DEPTH"):
            self._depth_modes(semantic.system)
        if point in ("PCOut", "DSIn") and semantic.system != "DOMAINLOCATION":
            b.decorate(i, e.Decoration.Patch)
        elif point == "MSPOut":
            b.decorate(i, e.Decoration.PerPrimitiveEXT)
        if point in ("PSIn", "VSOut", "MSOut") and self._is_global(i):
            self._interpolation(item, i, semantic)
        ctx.interface.stage_variables.append(
            StageVariableRecord(
                ctx.b.names.get(i, ""),
                semantic.spelled,
                "input" if is_input else "output",
                ty.display(item.type),
                builtin=builtin_name(builtin) if builtin != IO else None,
                interpolation=tuple(q for q in item.quals if q in _INTERPOLATIONS),
                token=(semantic.pos, semantic.chunk) if semantic.chunk else (item.pos, item.chunk or ctx.chunk),
            )
        )
        return self._with_base(v, item, point)

    def _helper_invocation(self, type_id: int) -> int:
        """Below Vulkan 1.3 the built-in keeps its first value when an invocation is demoted; what is asked first thing
        by SPV_EXT_demote_to_helper_invocation is the same, and is what DXC writes."""
        ctx, b = self.ctx, self.ctx.b
        b.extension("SPV_EXT_demote_to_helper_invocation")  # allowed by being asked for
        variable = b.global_variable(type_id, _SC.Private, "HelperInvocation")
        module_init.add(ctx, lambda: b.store(variable, b.emit(op.OpIsHelperInvocationEXT, b.bool_type())))
        return variable

    def _with_base(self, v: StageVariable, item: Item, point: str) -> StageVariable:
        """``SV_InstanceID`` counts from 0 in DX: the base is subtracted on demand."""
        ctx, b = self.ctx, self.ctx.b
        wanted = {
            "INSTANCEID": (ctx.options.support_nonzero_base_instance, e.BuiltIn.BaseInstance, "SV_InstanceID"),
            "VERTEXID": (ctx.options.support_nonzero_base_vertex, e.BuiltIn.BaseVertex, "SV_VertexID"),
        }
        row = wanted.get(v.semantic.system)
        if row is None or not row[0] or point != "VSIn":
            return v
        t = ctx.type(item.type)
        base = b.builtin_variable(t, _SC.Input, row[1])
        self.variables.append(StageVariable(base, v.semantic, point, item.type, True, None, None, 1))
        difference = b.local_variable(t, row[2])
        b.store(difference, b.binary(op.OpISub, t, b.load(v.id), b.load(base)))
        return StageVariable(difference, v.semantic, point, item.type, True, None, None, 1)

    def _depth_modes(self, system: str) -> None:
        b = self.ctx.b
        b.execution_mode(self.wrapper, e.ExecutionMode.DepthReplacing)
        if system == "DEPTHGREATEREQUAL":
            b.execution_mode(self.wrapper, e.ExecutionMode.DepthGreater)
        elif system == "DEPTHLESSEQUAL":
            b.execution_mode(self.wrapper, e.ExecutionMode.DepthLess)

    def _interpolation(self, item: Item, i: int, semantic: Semantic) -> None:
        b, quals = self.ctx.b, item.quals
        element = ty.element_of(ty.innermost(item.type))
        if element is not None and element.category != "float" and not item.by_reference:
            if any(q in quals for q in ("linear", "centroid", "noperspective", "sample")):
                self.ctx.error(codes.INTEGER_INTERPOLATION, item.pos, chunk=item.chunk)
            else:
                b.decorate(i, e.Decoration.Flat)
            return
        barycentric = semantic.system == "BARYCENTRICS"
        if "centroid" in quals:
            b.decorate(i, e.Decoration.Centroid)
        is_double_input = element is ty.DOUBLE and self.ctx.stage == "ps"  # Vulkan interpolates no 64-bit numbers
        if ("nointerpolation" in quals or is_double_input) and not barycentric:
            b.decorate(i, e.Decoration.Flat)
        if "noperspective" in quals and not barycentric:
            b.decorate(i, e.Decoration.NoPerspective)
        if "sample" in quals:
            b.decorate(i, e.Decoration.Sample)

    def _check_type(self, item: Item, semantic: Semantic, point: str) -> None:
        if semantic.system == "POSITION" and point == "VSOut":
            t = item.type
            if not (isinstance(t, Vector) and t.size == 4 and t.element.category == "float" and t.element.bits == 32):
                self.ctx.error(codes.POSITION_TYPE, semantic.pos, chunk=semantic.chunk)

    def _variable_type(self, item: Item, semantic: Semantic, point: str, builtin: int) -> int:
        """The SPIR-V type: that of the built-in where Vulkan fixes it, ``bool`` as uint elsewhere."""
        ctx, b, t = self.ctx, self.ctx.b, item.type
        system = semantic.system
        if system in ("DISPATCHTHREADID", "GROUPTHREADID", "GROUPID") and builtin != IO:
            element = ty.element_of(t) or ty.UINT
            made = b.vector(ctx.types.scalar(element), 3)
        elif system == "COVERAGE":
            made = b.array(b.u32(), 1)
        elif system == "INNERCOVERAGE":
            made = b.bool_type()
        elif system in ("BARYCENTRICS", "DOMAINLOCATION"):
            made = b.vector(b.f32(), 3)
        elif system == "TESSFACTOR":
            made = b.array(b.f32(), 4)
        elif system == "INSIDETESSFACTOR":
            made = b.array(b.f32(), 2)
        elif _is_bool_variable(item, semantic, point):
            made = ctx.type(ty.with_element(t, ty.UINT))
        else:
            made = ctx.type(t)
        return b.array(made, item.array) if item.array else made

    # ---------------------------------------------------------------------------------------------------------- fix-ups

    def _fix_up(self, value: int, item: Item, v: StageVariable) -> int:
        """The HLSL value from what the built-in holds."""
        ctx, b, t = self.ctx, self.ctx.b, item.type
        system, builtin = v.semantic.system, v.is_builtin
        if system in ("DISPATCHTHREADID", "GROUPTHREADID", "GROUPID") and builtin:
            n = ty.component_count(t)
            return value if n == 3 else b.extract(value, 0) if n == 1 else b.shuffle(value, value, range(n))
        if system == "COVERAGE":
            mask = b.extract(value, 0)
            return mask if t is ty.UINT else b.unary(op.OpBitcast, ctx.type(t), mask)
        if system == "INNERCOVERAGE":
            return b.select(value, b.const_uint(1), b.const_uint(0))
        if system == "BARYCENTRICS":
            x, y = b.extract(value, 0), b.extract(value, 1)
            z = b.binary(op.OpFSub, b.f32(), b.const_f32(1.0), b.binary(op.OpFAdd, b.f32(), x, y))
            return b.construct(b.vector(b.f32(), 3), [x, y, z])
        if system == "DOMAINLOCATION" and ty.component_count(t) != 3:
            return b.shuffle(value, value, [0, 1])
        if (
            builtin
            and system in ("TESSFACTOR", "INSIDETESSFACTOR")
            and not (isinstance(t, Array) and t.size == b.type_info(b.type_id_of(value)).count)
        ):
            parts = [b.extract(value, k) for k in range(_factor_count(t))]
            return parts[0] if isinstance(t, Scalar) else b.construct(ctx.type(t), parts)
        if system == "POSITION" and v.point == "PSIn" and ctx.options.use_dx_position_w:
            w = b.extract(value, 3)
            return b.insert(b.binary(op.OpFDiv, b.f32(), b.const_f32(1.0), w), value, 3)
        if _is_bool_variable(item, v.semantic, v.point):
            as_uint = ty.with_element(t, ty.UINT)
            if not item.array:
                return casts.numeric(ctx, value, as_uint, t)
            each = [casts.numeric(ctx, b.extract(value, k), as_uint, t) for k in range(item.array)]
            return b.construct(b.array(ctx.type(t), item.array), each)
        return value

    def add(self, variable: int) -> None:
        """A variable of the interface that has neither semantic nor location."""
        self.others.append(variable)
        self.variables.append(StageVariable(variable, Semantic("", "", 0, 0), "", ty.VOID, True, None, None, 0))

    def ids(self) -> list[int]:
        """All stage variables, in order, for the entry point's interface."""
        return list(dict.fromkeys([*self.clip_cull.ids(), *(v.id for v in self.variables if self._is_global(v.id))]))

    def _is_global(self, i: int) -> bool:
        return i in self.others or self.ctx.b.storage_of(i) in (_SC.Input, _SC.Output)


def _has_helper_input(ctx: Lowering) -> bool:
    return TARGET_ENVS[ctx.options.target_env].rank >= TARGET_ENVS["vulkan1.3"].rank


def element_count(t: Type) -> int:
    """How many indices of a semantic a member takes that a structure's semantic numbers: one for each element."""
    count = 1
    while isinstance(t, Array):
        count *= t.size or 1
        t = t.element
    return count


def _family(item: Item, point: str) -> tuple[object, ...]:
    """What variables of one location must have in common; interpolation counts between vertices and pixels."""
    element = ty.element_of(ty.innermost(item.type))
    if element is None:
        return (item.type,)
    is_float = element.category == "float"
    quals = [q for q in item.quals if q in _INTERPOLATIONS and q != "linear"] if is_float else ["nointerpolation"]
    kind = "float" if is_float else "uint" if element.category == "bool" else element.category
    bits = 32 if element.category == "bool" else element.bits
    return kind, bits, point, *sorted(quals)


_INTERPOLATIONS = ("linear", "centroid", "nointerpolation", "noperspective", "sample")


def builtin_name(builtin: int) -> str:
    """DXC's name of a built-in variable: ``gl_`` and GLSL's or SPIR-V's name."""
    for name, value in vars(e.BuiltIn).items():
        if value == builtin and not name.startswith("_"):
            return f"gl_{name.removesuffix('KHR').removesuffix('EXT') if builtin in _GL_SHORT else name}"
    return ""


_GL_SHORT: frozenset[int] = frozenset()


def members(ctx: Lowering, t: Struct, outer: Item) -> list[Item]:
    """The members of a structure as items; interpolation of the whole holds for them, too."""
    inherited = tuple(q for q in outer.quals if q in _INTERPOLATIONS)
    out: list[Item] = []
    for p in ctx.types.placed(t, Rule.VOID):
        f = p.field
        if f is None:
            out.append(Item("", p.type, outer.pos, inherited, (), None, outer.array, outer.chunk))
            continue
        s = f.semantic
        out.append(
            Item(
                f.name,
                f.type,
                f.pos,
                (*inherited, *f.quals),
                f.attributes,
                semantics.parse(s.name, f.pos, t.chunk) if s is not None else None,
                outer.array,
                t.chunk,
            )
        )
    return out


def _factor_count(t: Type) -> int:
    """How many tessellation levels a value has."""
    return (t.size or 1) if isinstance(t, Array) else ty.component_count(t)


def _is_bool_variable(item: Item, semantic: Semantic, point: str) -> bool:
    """Booleans that are no built-ins travel as uints."""
    element = ty.element_of(item.type) if isinstance(item.type, (Scalar, Vector)) else None
    if element is None or element.category != "bool":
        return False
    if any(a.scope == "vk" and a.name == "builtin" for a in item.attributes):
        return False
    return not ((semantic.system == "ISFRONTFACE" and point == "PSIn") or semantic.system == "CULLPRIMITIVE")


def location_count(t: Type) -> int:
    """Locations that a value takes (Vulkan specification, *Location Assignment*)."""
    if isinstance(t, Array):
        return (t.size or 1) * location_count(t.element)
    if isinstance(t, ty.Matrix):
        if t.rows > 1 and t.cols > 1:
            return t.rows * location_count(ty.vector(t.element, t.cols))
        return location_count(ty.vector(t.element, t.rows * t.cols))
    if isinstance(t, Struct):
        return sum(location_count(f.type) for f in t.all_fields())
    element = ty.element_of(t)
    return 2 if element is not None and element.bits == 64 and ty.component_count(t) >= 3 else 1
