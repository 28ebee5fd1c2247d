"""The variables of the module: buffers, textures, samplers, private and workgroup memory."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from . import raw
from .context import Context, Root
from .errors import Unsupported
from .layout import Context as LayoutContext
from .layout import Form, Inexpressible
from .usage import Usage

S, D = e.StorageClass, e.Decoration


def declare_globals(context: Context, usage: Usage) -> None:
    """Make the roots of all variables and write their declarations."""
    handles: list[int] = []
    context.handles.count_bindings()
    for entry in context.view.module.entry_points:
        reached = usage.reached(entry.id(1))
        for variable, users in usage.users.items():
            if users & reached:
                context.handles.entries.setdefault(variable, set()).add(entry.id(1))
    for inst in context.view.module.globals:
        if inst.op != op.OpVariable:
            continue
        space = inst.id(0)
        if space == S.UniformConstant:
            handles.append(inst.result_id)
        elif space in (S.Uniform, S.StorageBuffer):
            _buffer(context, usage, inst)
        elif space in (S.Private, S.Workgroup):
            _memory(context, usage, inst)
        elif space == S.PushConstant:
            _push_constant(context, usage, inst)
        elif space not in (S.Input, S.Output) and usage.users.get(inst.result_id):
            raise Unsupported("a variable of this storage class has no equivalent in WGSL", inst.result_id)
    context.handles.declare(handles)


def _form(context: Context, usage: Usage, number: int, type_id: int, *, uniform: bool, explicit: bool) -> Form | None:
    """The form of what a variable holds; None for a buffer of words."""
    atomics = frozenset(usage.atomics.get(number, ()))
    try:
        return context.layout.form(type_id, LayoutContext(uniform, explicit, atomics=atomics))
    except Inexpressible:
        return None


def _buffer(context: Context, usage: Usage, inst: Instruction) -> None:
    view, number = context.view, inst.result_id
    type_id = view.pointee(inst.type_id)
    kind = view.type(type_id)
    if kind.op != op.OpTypeStruct:
        if usage.users.get(number):
            raise Unsupported("WGSL has no arrays of buffers", number)
        return
    storage = inst.id(0) == S.StorageBuffer or view.has(type_id, D.BufferBlock)
    read_only = view.has(number, D.NonWritable) or all(
        D.NonWritable in view.member(type_id, index) for index in range(len(kind.operands))
    )
    hint = view.names.get(number, "") or view.names.get(type_id, "").removeprefix("type.")
    form = _form(context, usage, number, type_id, uniform=not storage, explicit=True)
    name = context.names.unique(hint, "buffer")
    space = "storage" if storage else "uniform"
    root = Root(name, type_id, space, constant=not storage or read_only)
    if form is None:
        root.raw, root.atomic = True, bool(usage.atomics.get(number))
        spelled = raw.declaration(view, type_id, uniform=not storage, atomic=root.atomic)
    else:
        root.form = None if form.plain else form
        spelled = form.spelled
    context.roots[number] = root
    access = "uniform" if not storage else "storage, read" if read_only else "storage, read_write"
    context.handles.declarations.append(
        f"{context.handles.attributes(number)}var<{access}> {name}: {spelled};\n"
    )  # fmt: skip


def _memory(context: Context, usage: Usage, inst: Instruction) -> None:
    """Private and workgroup variables."""
    view, number = context.view, inst.result_id
    if not usage.users.get(number):
        return
    type_id = view.pointee(inst.type_id)
    space = "private" if inst.id(0) == S.Private else "workgroup"
    atomics = bool(usage.atomics.get(number))
    form = _form(context, usage, number, type_id, uniform=False, explicit=False) if atomics else None
    spelled = form.spelled if form is not None else context.types.spell(type_id)
    name = context.names.unique(view.names.get(number, ""), space + "_")
    context.roots[number] = Root(name, type_id, space, form if form is not None and not form.plain else None)
    initial = ""
    if inst.operands[1:] and space == "private":
        value = context.constants.expr(inst.id(1))
        if value is None or not value.constant:
            raise Unsupported("a private variable starts with a value that is no constant in WGSL", number)
        initial = f" = {value.text}"
    context.handles.declarations.append(f"var<{space}> {name}: {spelled}{initial};\n")


def _push_constant(context: Context, usage: Usage, inst: Instruction) -> None:
    """WebGPU has no push constants: a uniform buffer in a group of its own."""
    view, number = context.view, inst.result_id
    if not usage.users.get(number):
        return
    type_id = view.pointee(inst.type_id)
    form = _form(context, usage, number, type_id, uniform=True, explicit=True)
    groups = [
        decorations[D.DescriptorSet][0]
        for decorations in view.decorations.values()
        if D.DescriptorSet in decorations and isinstance(decorations[D.DescriptorSet][0], int)
    ]
    group = max((group for group in groups if isinstance(group, int)), default=-1) + 1
    name = context.names.unique(view.names.get(number, ""), "push_constants")
    root = Root(name, type_id, "uniform", constant=True)
    if form is None:
        root.raw = True
        spelled = raw.declaration(view, type_id, uniform=True, atomic=False)
    else:
        root.form = None if form.plain else form
        spelled = form.spelled
    context.roots[number] = root
    context.handles.declarations.append(f"@group({group}) @binding(0) var<uniform> {name}: {spelled};\n")
