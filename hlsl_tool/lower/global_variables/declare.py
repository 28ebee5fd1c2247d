"""Global variables: resources, blocks, ``$Globals``, push constants, specialisation constants, statics, groupshared.

Manual: *HLSL Variables and Resources*.
"""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.diagnostics.catalogue import vulkan as vulkan_codes
from hlsl_tool.layout.rules import Member as LayoutMember
from hlsl_tool.layout.rules import Rule, is_row_major, place_members
from hlsl_tool.lower.core import constants, inline_spirv, memory
from hlsl_tool.lower.core.context import Lowering, Unsupported
from hlsl_tool.lower.core.spans import Spans, first_token
from hlsl_tool.lower.core.values import SplitStruct, Value
from hlsl_tool.lower.global_variables import (
    block_copies,
    block_members,
    block_records,
    reflection_decorations,
    variable_checks,
)
from hlsl_tool.lower.global_variables.bindings import Binder, Resource, register_of
from hlsl_tool.lower.global_variables.resource_structs import Splitter, holds_buffers, holds_resources, only_resources
from hlsl_tool.lower.interface import ResourceRecord
from hlsl_tool.lower.types import images
from hlsl_tool.lower.types.kinds import (
    has_counter,
    is_append_consume,
    is_opaque,
    is_structured_or_byte_buffer,
    is_value_object,
)
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.model import Attribute, vk_attribute
from hlsl_tool.sema.constants import evaluate
from hlsl_tool.sema.hir import CBuffer, Variable
from hlsl_tool.sema.types import (
    Array,
    Field,
    Majorness,
    Matrix,
    ObjectType,
    Scalar,
    Struct,
    Type,
    display,
    innermost,
)
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv.builder import INTERFACE_STORAGE, INTERFACE_UNIFORM, PRECISE, Member

_SC = e.StorageClass


def element_and_dims(t: Type) -> tuple[Type, list[int | None]]:
    """What an array is of, and its dimensions, the outermost first."""
    dims: list[int | None] = []
    while isinstance(t, Array):
        dims.append(t.size)
        t = t.element
    return t, dims


def has_integer_columns(t: Type, majorness: Majorness | None, row_major: bool) -> bool:
    """Whether a type contains a column-major matrix of integers or booleans.  DXC refuses those."""
    t = innermost(t)
    if isinstance(t, Matrix):
        return t.rows > 1 and t.cols > 1 and t.element.category != "float" and not is_row_major(majorness, row_major)
    if isinstance(t, Struct):
        return any(has_integer_columns(f.type, f.majorness, row_major) for f in t.all_fields())
    if isinstance(t, ObjectType) and t.name.endswith(("StructuredBuffer", "ConstantBuffer", "TextureBuffer")):
        return has_integer_columns(t.element, t.majorness, row_major)
    return False


class Resources:
    """Declares a program's global variables in order; resources are bound at the end."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.bound: list[Resource] = []
        self.has_push_constant = False
        self.globals_done = False
        self.statics_done = False
        self.counters: dict[Variable, int] = {}
        self.heaps: set[Variable] = set()
        self.split: dict[Variable, tuple[SplitStruct, list[Variable]]] = {}
        self.members = ctx.block_members
        ctx.resources = self

    # --------------------------------------------------------------------------------------------------- all of them

    def declare_all(self) -> None:
        ctx = self.ctx
        for g in ctx.program.globals:
            ctx.chunk, ctx.pos = g.chunk, g.pos
            if isinstance(g, CBuffer):
                self._cbuffer(g)
            else:
                self._variable(g)

    def bind_all(self) -> None:
        Binder(self.ctx, self.bound).run()
        if self.ctx.options.reflect_decorations:
            reflection_decorations.write(self.ctx, self.bound)

    def late(self, ctx: Lowering, v: Variable) -> Value:
        """A variable that was not declared in its turn: a static member, a member of an instantiated template."""
        self._variable(v)
        if v not in ctx.globals:  # in error, and told so
            if isinstance(innermost(v.type), ObjectType):
                raise Unsupported  # a resource has no value to go on with
            # anything of the type will do to go on
            if not any(m.chunk is v.chunk for m in ctx.messages):
                ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"a global variable of type '{v.type}'")
            ctx.globals[v] = Value(
                ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), _SC.Private, v.name), v.type), v.type, False
            )
        return ctx.globals[v]

    def _variable(self, v: Variable) -> None:
        ctx = self.ctx
        if v in ctx.globals:
            return
        if v.type is ty.STRING:
            constants.declare_string(ctx, v)
            return
        if not variable_checks.check_variable(ctx, v):
            return
        self._declare(v)
        inline_spirv.require(ctx, v.attributes)
        declared = ctx.globals.get(v)
        if declared is not None and not declared.is_rvalue and vk_attribute(v.attributes, "push_constant") is None:
            inline_spirv.decorate_variable(ctx, declared.id, v)

    def _declare(self, v: Variable) -> None:
        ctx = self.ctx
        is_pointer = isinstance(v.type, ObjectType) and v.type.name == "vk::BufferPointer"
        if is_pointer and v.init is None and vk_attribute(v.attributes, "push_constant") is None:
            ctx.error(inline_codes.NO_DEFAULT_POINTER, v.pos)
            return
        if inline_spirv.is_builtin(v):
            inline_spirv.declare_builtin(ctx, v)
        elif inline_spirv.storage_class(v) is not None:
            i = ctx.b.global_variable(ctx.type(v.type), inline_spirv.storage_class(v) or 0, v.name)
            ctx.globals[v] = Value(i, v.type, False)
        elif vk_attribute(v.attributes, "constant_id") is not None:
            self._spec_constant(v)
        elif vk_attribute(v.attributes, "push_constant") is not None:
            self._push_constant(v)
        elif _record_attribute(v.attributes) is not None:
            self._shader_record(v)
        elif v.storage == "static":
            self._static(v)
        elif v.storage == "groupshared":
            storage = _SC.TaskPayloadWorkgroupEXT if v is ctx.payload else _SC.Workgroup
            i = ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), storage, v.name), v.type)
            ctx.globals[v] = Value(i, v.type, False)
            if v.init is not None:
                ctx.warn(codes.EXTERNAL_INITIALIZER, v.pos, chunk=v.chunk)
        else:
            self._external(v)

    # --------------------------------------------------------------------------------------------------------- statics

    def _static(self, v: Variable) -> None:
        """A file-scope variable: Private, initialised at the start of the entry point; a constant one is folded."""
        ctx = self.ctx
        constant = self._constant_value(v)
        if constant is not None:
            ctx.globals[v] = constant
            return
        init: int | None = None
        if self.statics_done:  # the entry point has begun: what comes now must bring its value with it
            init = constants.folded(ctx, v.init) if v.init is not None else ctx.b.const_null(ctx.type(v.type))
            if init is None:
                ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"the initial value of '{v.name}', no constant, in a template")
        i = ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), _SC.Private, v.name, init=init), v.type)
        if "precise" in v.quals:
            ctx.b.mark(i, PRECISE)
        ctx.globals[v] = Value(i, v.type, False, is_alias=memory.is_alias_type(ctx, v.type))
        ctx.to_initialize.append(v)
        if holds_resources(v.type):
            ctx.needs_legalization()

    def _constant_value(self, v: Variable) -> Value | None:
        """Return the value of a constant scalar, which DXC's code generation makes no variable of."""
        ctx = self.ctx
        if not ctx.options.codegen_only or not v.is_const or v.init is None:
            return None
        if not isinstance(v.type, ty.Scalar) or v.type.is_min_precision:
            return None
        folded = constants.folded(ctx, v.init)
        return None if folded is None else ctx.rvalue(folded, v.type)

    def initialize_statics(self) -> None:
        """At the start of the entry point: initialisers in order, zeros for what has none."""
        ctx = self.ctx
        self.statics_done = True
        for v in ctx.to_initialize:
            ctx.chunk = v.chunk
            target = ctx.globals[v]
            if v.init is not None:
                ctx.heap_coherent = "globallycoherent" in v.quals
                memory.store(ctx, target, memory.load(ctx, ctx.expr(v.init)))
                ctx.hooks.on_init(v, v.init)
            elif not isinstance(innermost(v.type), ObjectType):
                ctx.b.store(target.id, ctx.b.const_null(ctx.type(v.type)))

    def static_local(self, ctx: Lowering, v: Variable) -> None:
        """A function's static variable: initialised once, when control first comes by (manual: *Variables*)."""
        b = ctx.b
        constant = self._constant_value(v)
        if constant is not None:
            ctx.locals[v] = ctx.globals[v] = constant
            return
        i = ctx.relaxed(b.global_variable(ctx.type(v.type), _SC.Private, v.name), v.type)
        value = ctx.locals[v] = ctx.globals[v] = Value(i, v.type, False, is_alias=memory.is_alias_type(ctx, v.type))
        if v.init is None and isinstance(innermost(v.type), ObjectType):
            return
        done = b.global_variable(b.bool_type(), _SC.Private, f"init.done.{v.name}", init=b.const_bool(False))
        if v.init is not None:
            ctx.at_begin(v.init)
        was_done = b.load(done)
        todo, after = b.new_block("if.init.todo"), b.new_block("if.init.done")
        b.branch_conditional(was_done, after, todo, merge=after)
        b.set_insert_point(todo)
        if v.init is not None:
            memory.store(ctx, value, memory.load(ctx, ctx.expr(v.init)))
        else:
            b.store(i, b.const_null(ctx.type(v.type)))
        b.store(done, b.const_bool(True))
        b.branch(after)
        b.set_insert_point(after)

    # ------------------------------------------------------------------------------------------------------- resources

    def _record(
        self,
        name: str,
        kind: str,
        variable: int,
        decl: Variable | CBuffer | None,
        layout: str = "",
        at: Variable | None = None,
    ) -> ResourceRecord:
        reg = register_of(decl, self.ctx.stage)
        where = decl if decl is not None else at
        record = ResourceRecord(name, kind, variable, layout=layout, type=kind)
        if where is not None:
            record.token = (where.pos, where.chunk)
        if isinstance(decl, Variable):
            record.type = ty.display(decl.type)
        if reg is not None:
            record.register = f"{reg.letter}{reg.number}" if reg.letter else None
            record.space = reg.space
        self.ctx.interface.resources.append(record)
        return record

    def _external(self, v: Variable) -> None:
        ctx = self.ctx
        inner = innermost(v.type)
        if ctx.options.codegen_only and has_integer_columns(v.type, v.majorness, ctx.options.row_major):
            ctx.error(codes.INTEGER_COLUMNS, v.pos)
            return
        if isinstance(inner, Struct) and holds_resources(inner):
            if not only_resources(inner) or holds_buffers(inner):
                self._resource_struct(v)
                return
            ctx.flatten_resources = True
            ctx.needs_legalization()
        elif not isinstance(inner, ObjectType) or is_value_object(inner):
            self._globals_block(v)
            return
        if isinstance(inner, ObjectType) and inner.name.startswith("FeedbackTexture"):
            ctx.error(codes.FEEDBACK_TEXTURE, v.pos, name=inner.name)
            return
        i = ctx.relaxed(ctx.b.global_variable(self._resource_type(v), self._storage(inner), v.name), v.type)
        seen = block_copies.of_constant_buffer(ctx, i, v)
        ordered = isinstance(inner, ObjectType) and inner.name.startswith("Rasterizer")
        ctx.globals[v] = Value(seen, v.type, False, rasterizer_ordered=ordered)
        if isinstance(v.type, Array) and isinstance(v.type.element, Array):
            ctx.needs_legalization()
        layout = self._layout(inner)
        record = self._record(v.name, inner.name if isinstance(inner, ObjectType) else "struct", i, v, layout)
        record.declared = display(v.type)
        if isinstance(inner, ObjectType):
            block_records.variable(ctx, v)
        own = any(v in found[1] for found in self.split.values())
        self.bound.append(Resource(i, v.type, v, record=record, takes_all=own))
        if vk_attribute(v.attributes, "combinedImageSampler") is not None:
            ctx.combined_image_samplers.append(record)
            ctx.needs_legalization()
        attachment = vk_attribute(v.attributes, "input_attachment_index")
        if attachment is not None and isinstance(attachment.args[0], int):
            ctx.b.decorate(i, e.Decoration.InputAttachmentIndex, attachment.args[0])
        if "globallycoherent" in v.quals:
            ctx.b.decorate(i, e.Decoration.Coherent)
        if is_append_consume(inner):
            self.counter(v)

    def _resource_struct(self, v: Variable) -> None:
        """A struct with buffers, or with resources and numbers: a variable for each resource."""
        ctx, inner = self.ctx, innermost(v.type)
        if ctx.options.codegen_only:  # as DXC
            mixed = not only_resources(inner)
            ctx.error(codes.GLOBAL_STRUCT_MIXED if mixed else codes.GLOBAL_STRUCT_BUFFERS, v.pos)
            return
        _, resources = self._split(v)
        if not only_resources(inner):
            self._globals_block(v)
        for resource in resources:
            self._external(resource)

    def _split(self, v: Variable) -> tuple[SplitStruct, list[Variable]]:
        """The parts of a struct with resources, and the variables of its resources; made once."""
        found = self.split.get(v)
        if found is None:
            splitter = Splitter(v)
            part = splitter.run()
            found = self.split[v] = part, splitter.resources
            self.ctx.resource_structs[v] = part
        return found

    def _loose(self) -> list[Variable]:
        """What ``$Globals`` consists of: loose uniforms, and the numbers of structs that hold resources, too."""
        found: list[Variable] = []
        for g in self.ctx.program.globals:
            if not isinstance(g, Variable):
                continue
            if _is_loose(g):
                found.append(g)
            elif _is_external(g) and isinstance(innermost(g.type), Struct) and not only_resources(g.type):
                numbers = self._split(g)[0].numbers if holds_resources(g.type) else None
                if isinstance(numbers, hir.VarRef):
                    found.append(numbers.var)
        return found

    def _layout(self, inner: Type) -> str:
        """The rule that places what lies in a buffer."""
        types = self.ctx.types
        if is_structured_or_byte_buffer(inner):
            return types.sbuffer_rule.value
        blocks = {"ConstantBuffer": types.cbuffer_rule, "TextureBuffer": types.tbuffer_rule}
        rule = blocks.get(inner.name) if isinstance(inner, ObjectType) else None
        return rule.value if rule is not None else ""

    def _storage(self, inner: Type) -> int:
        if is_structured_or_byte_buffer(inner):
            return _SC.Uniform
        if isinstance(inner, ObjectType) and inner.name in ("ConstantBuffer", "TextureBuffer"):
            return _SC.Uniform
        return _SC.UniformConstant

    def _resource_type(self, v: Variable) -> int:
        """The type of a resource variable: buffers as blocks, arrays of anything without strides."""
        ctx, t = self.ctx, v.type
        t, dims = element_and_dims(t)
        if is_structured_or_byte_buffer(t):
            assert isinstance(t, ObjectType)
            made = ctx.types.buffer_block(t)
        elif isinstance(t, ObjectType) and is_opaque(t):
            made = self._image_type(v, t)
        else:
            made = ctx.type(t)
        return self._in_arrays(made, dims)

    def _in_arrays(self, made: int, dims: list[int | None]) -> int:
        """Arrays without strides around a type, as descriptors have them."""
        b = self.ctx.b
        for n in reversed(dims):
            made = b.runtime_array(made) if n is None else b.array(made, n)
        return made

    def _image_type(self, v: Variable, t: ObjectType) -> int:
        """The image type, with the format that an attribute gives."""
        ctx = self.ctx
        made = ctx.type(t)
        sampled = ctx.b.type_info(made).element
        is_half = sampled is not None and sampled.kind == "float" and sampled.width < 32
        if is_half and ctx.options.target_env.startswith("vulkan"):  # only with -fcgl, as DXC
            ctx.error(codes.HALF_TEXELS, v.pos, chunk=v.chunk)
        fmt = vk_attribute(v.attributes, "image_format")
        if fmt is not None and fmt.args and isinstance(fmt.args[0], str):
            number = images.image_format_by_name(fmt.args[0])
            info = ctx.b.type_info(made)
            if number is not None and info.kind == "image":
                assert info.element is not None
                if v.type is t and not images.format_fits(number, images.component(t.element)):
                    ctx.error(vulkan_codes.IMAGE_FORMAT_TYPE, v.pos, chunk=v.chunk)
                made = ctx.b.image(
                    info.element.id,
                    info.dim,
                    depth=info.depth,
                    arrayed=info.arrayed,
                    ms=info.ms,
                    sampled=info.sampled,
                    format=number,
                )
                ctx.needs_legalization()
        return made

    def heap(self, v: Variable) -> None:
        """An array of descriptors out of a heap (``descriptor_heap`` makes the variable)."""
        ctx = self.ctx
        t = innermost(v.type)
        assert isinstance(t, ObjectType)
        i = ctx.b.global_variable(self._resource_type(v), self._storage(t), v.name)
        ctx.globals[v] = Value(i, v.type, False)
        self.bound.append(Resource(i, v.type, v, record=self._record(v.name, t.name, i, v), heap=v.name))
        self.heaps.add(v)
        if "globallycoherent" in v.quals:
            ctx.b.decorate(i, e.Decoration.Coherent)
        if is_append_consume(t):
            self.counter(v)

    def _heap_of(self, v: Variable) -> str:
        return v.name if v in self.heaps else ""

    def counter_type(self, t: Type) -> int:
        """The type of the counter of a buffer, or of an array of them."""
        b = self.ctx.b
        block = b.struct("type.ACSBuffer.counter", [Member(b.i32(), "counter", 0)], interface=INTERFACE_STORAGE)
        return self._in_arrays(block, element_and_dims(t)[1])

    def counter(self, v: Variable) -> int:
        """The counter of a structured buffer, made at its first use (an append or consume buffer always has one)."""
        found = self.counters.get(v)
        if found is not None:
            return found
        ctx, b = self.ctx, self.ctx.b
        owner = ctx.globals[v].id if v in ctx.globals else None
        i = self.counters[v] = b.global_variable(
            self.counter_type(v.type), _SC.Uniform, f"counter.var.{v.name}", before=owner
        )
        record = self._record(f"counter.var.{v.name}", "counter", i, None, at=v)
        record.counter_of = v.name
        resource = Resource(i, v.type, v, is_counter=True, record=record, heap=self._heap_of(v))
        own = next((n for n, r in enumerate(self.bound) if r.decl is v), len(self.bound) - 1)
        if is_append_consume(innermost(v.type)):
            self.bound.insert(own + 1, resource)
        else:
            self.bound.append(resource)
        if not has_counter(innermost(v.type)):
            ctx.error(codes.FEATURE_UNSUPPORTED, v.pos, what="a counter of this buffer type")
        return i

    # ---------------------------------------------------------------------------------------------------------- blocks

    def _block(
        self,
        members: list[Variable],
        type_name: str,
        variable_name: str,
        rule: Rule,
        *,
        interface: str,
        read_only: bool,
        storage: int,
        kind: str,
        decl: CBuffer | None = None,
    ) -> int:
        """A block variable whose members are variables; gives its id, members become access chains into it."""
        ctx = self.ctx
        default = ctx.types.default_row_major
        fields: list[LayoutMember] = []
        offsets: dict[int, int] = {}
        order = list(range(len(members)))
        use_registers = kind == "$Globals"
        if use_registers:
            order = block_members.sorted_by_register(members)
        for n in order:
            v = members[n]
            f = Field(v.name, v.type, v.pos, v.majorness, v.quals, v.semantic, v.registers, v.packoffset, v.attributes)
            fields.append((f, v.type, is_row_major(v.majorness, default)))
            at = block_members.register_c(v) if use_registers else None
            if at is not None:
                offsets[len(fields) - 1] = at
        block_records.members(ctx, variable_name, kind, rule, fields, offsets, [members[n] for n in order], decl)
        placed = place_members(fields, rule, default, offsets)
        block_members.check_overlaps(ctx, placed, [members[n] for n in order], use_registers=use_registers)
        by_declaration = [placed[order.index(n)] for n in range(len(members))]
        for n, p in enumerate(by_declaration):
            p.index = n
        lowered = ctx.types.lower_members(by_declaration, rule)
        block = ctx.b.struct(type_name, lowered, interface=interface, read_only=read_only)
        variable = seen = ctx.b.global_variable(block, storage, variable_name)
        if any(block_copies.is_wanted(ctx, t, rule, row_major) for _, t, row_major in fields):
            plain = ctx.b.struct(type_name, ctx.types.lower_members(by_declaration, Rule.VOID))
            seen = block_copies.declare(ctx, variable, [v.type for v in members], plain, variable_name)
        for n, v in enumerate(members):
            ctx.globals[v] = Value(seen, v.type, False)
            self.members[v] = (seen, n)
        return variable

    def _cbuffer(self, g: CBuffer) -> None:
        ctx = self.ctx
        if not g.members:  # nothing, or resources only, which stand by themselves: no block, and no binding
            return
        is_texture = g.keyword == "tbuffer"
        for m in g.members:
            if ctx.options.codegen_only and has_integer_columns(m.type, m.majorness, ctx.options.row_major):
                ctx.error(codes.INTEGER_COLUMNS, m.pos, chunk=m.chunk)
            if m.init is not None and not ctx.options.no_warn_ignored_features:
                ctx.warn(codes.CBUFFER_INITIALIZER, m.init.pos, chunk=m.chunk, what=g.keyword)
        members, resources = self._without_resources(g.members)
        for resource in resources:
            self._external(resource)
        if not members:
            return
        rule = ctx.types.tbuffer_rule if is_texture else ctx.types.cbuffer_rule
        record_attr = _record_attribute(g.attributes)
        if record_attr is not None and vk_attribute(g.attributes, "binding") is not None:
            ctx.error(codes.SHADER_RECORD_BINDING, record_attr.pos, name=record_attr.name)
        push = vk_attribute(g.attributes, "push_constant")
        storage = _SC.ShaderRecordBufferKHR if record_attr else _SC.PushConstant if push else _SC.Uniform
        if record_attr or push:
            rule = ctx.types.sbuffer_rule
        suffix = "NV" if record_attr is not None and record_attr.name.endswith("nv") else "KHR"
        prefix = f"type.ShaderRecordBuffer{suffix}." if record_attr else "type."
        kind = "shader_record" if record_attr else "push_constant" if push else g.keyword
        i = self._block(
            members,
            f"{prefix}{g.name}",
            g.name,
            rule,
            interface=INTERFACE_STORAGE if is_texture and storage == _SC.Uniform else INTERFACE_UNIFORM,
            read_only=is_texture,
            storage=storage,
            kind=kind,
            decl=g,
        )
        record = self._record(g.name, kind, i, g, rule.value)
        if not (record_attr or push):
            self.bound.append(Resource(i, None, g, record=record))

    def _without_resources(self, members: list[Variable]) -> tuple[list[Variable], list[Variable]]:
        """The members of a block with the numbers of each only, and variables for the resources in its structs."""
        kept: list[Variable] = []
        resources: list[Variable] = []
        for m in members:
            if self.ctx.options.codegen_only or not holds_resources(m.type):
                kept.append(m)
                continue
            part, own = self._split(m)
            resources += own
            if isinstance(part.numbers, hir.VarRef):
                kept.append(part.numbers.var)
        return kept, resources

    def _globals_block(self, v: Variable) -> None:
        """All loose uniforms together make ``$Globals``, at the first of them."""
        if self.globals_done:
            return
        self.globals_done = True
        ctx = self.ctx
        members = self._loose()
        for m in members:
            if m.init is not None and not ctx.options.no_warn_ignored_features:
                ctx.warn(codes.GLOBALS_INITIALIZER, m.init.pos, chunk=m.chunk, name=m.name)
            binding = vk_attribute(m.attributes, "binding")
            if binding is not None:
                ctx.error(codes.GLOBALS_BINDING, binding.pos, chunk=m.chunk, name=m.name)
                return
        i = self._block(
            members,
            "type.$Globals",
            "$Globals",
            ctx.types.cbuffer_rule,
            interface=INTERFACE_UNIFORM,
            read_only=False,
            storage=_SC.Uniform,
            kind="$Globals",
        )
        record = self._record("$Globals", "$Globals", i, None, ctx.types.cbuffer_rule.value, at=v)
        self.bound.append(Resource(i, None, None, is_globals=True, record=record))

    def _push_constant(self, v: Variable) -> None:
        """``[[vk::push_constant]] S s;``: a block of the structure's members, laid out as a structured buffer."""
        ctx, b = self.ctx, self.ctx.b
        t = v.type
        if isinstance(t, ObjectType) and t.name == "vk::BufferPointer":
            ctx.error(inline_codes.PUSH_CONSTANT_POINTER, v.pos)
            return
        kind = "PushConstant"
        if isinstance(t, ObjectType) and t.name == "ConstantBuffer":
            t, kind = t.element, "ConstantBuffer"
        if not isinstance(t, Struct):
            ctx.error(codes.PUSH_CONSTANT_TYPE, v.pos)
            return
        if self.has_push_constant:
            ctx.error(codes.PUSH_CONSTANT_TWICE, v.pos)
        self.has_push_constant = True
        block = b.struct(
            f"type.{kind}.{'' if t.is_anonymous else t.name}",
            ctx.types.members(t, ctx.types.sbuffer_rule),
            interface=INTERFACE_UNIFORM,
        )
        i = b.global_variable(block, _SC.PushConstant, v.name)
        ctx.globals[v] = Value(i, v.type, False)
        self._record(v.name, "push_constant", i, v, ctx.types.sbuffer_rule.value)
        block_records.variable(ctx, v, "push_constant")

    def _shader_record(self, v: Variable) -> None:
        """``[[vk::shader_record_ext]] ConstantBuffer<S> s;``: what lies behind a ray tracing shader's handle."""
        ctx, b, t = self.ctx, self.ctx.b, v.type
        attribute = _record_attribute(v.attributes)
        assert attribute is not None
        if vk_attribute(v.attributes, "binding") is not None:
            ctx.error(codes.SHADER_RECORD_BINDING, attribute.pos, name=attribute.name)
        if not (isinstance(t, ObjectType) and t.name == "ConstantBuffer" and isinstance(t.element, Struct)):
            ctx.error(codes.SHADER_RECORD_TYPE, attribute.pos, name=attribute.name)
            return
        rule = ctx.types.sbuffer_rule
        block = b.struct(
            f"type.ConstantBuffer.{t.element.name}", ctx.types.members(t.element, rule), interface=INTERFACE_UNIFORM
        )
        i = b.global_variable(block, _SC.ShaderRecordBufferKHR, v.name)
        ctx.globals[v] = Value(i, t, False)
        self._record(v.name, "shader_record", i, v, rule.value)
        block_records.variable(ctx, v, "shader_record")

    def _spec_constant(self, v: Variable) -> None:
        """Declare ``[[vk::constant_id(n)]] const int x = 1;``: a scalar of any width, as SPIR-V has them."""
        ctx = self.ctx
        a = vk_attribute(v.attributes, "constant_id")
        assert a is not None
        t = v.type.underlying if isinstance(v.type, ty.Enum) else v.type
        if not isinstance(t, Scalar) or (ctx.options.codegen_only and t not in variable_checks.SPEC_CONSTANT_TYPES):
            at = v.pos if v.chunk is None else Spans(v.chunk.tokens).declaration(v.pos)
            ctx.error(codes.SPEC_CONSTANT_TYPE, at)
            return
        if v.init is None:
            ctx.error(codes.SPEC_CONSTANT_INIT, v.pos)
            return
        value = evaluate(v.init)
        if value is None or isinstance(value, (list, str)):
            ctx.error(codes.SPEC_CONSTANT_LITERAL, first_token(v.chunk, v.init))
            return
        number = a.args[0] if a.args and isinstance(a.args[0], int) else 0
        i = ctx.b.spec_constant(ctx.types.scalar(t), value, number)
        ctx.b.name(i, v.name)
        ctx.globals[v] = Value(i, v.type, True)


def _record_attribute(attributes: tuple[Attribute, ...]) -> Attribute | None:
    """``shader_record_ext``, or its older name."""
    return vk_attribute(attributes, "shader_record_ext") or vk_attribute(attributes, "shader_record_nv")


def _is_external(v: Variable) -> bool:
    """Whether the host gives a global its value through descriptors."""
    return not (
        v.storage != "global"
        or vk_attribute(v.attributes, "constant_id")
        or vk_attribute(v.attributes, "push_constant")
        or inline_spirv.storage_class(v) is not None
        or inline_spirv.is_builtin(v)
    )


def _is_loose(v: Variable) -> bool:
    """A global that goes into ``$Globals``."""
    inner = innermost(v.type)
    return (
        _is_external(v)
        and (not isinstance(inner, ObjectType) or is_value_object(inner))
        and inner is not ty.STRING
        and not holds_resources(inner)
    )
