"""Declare the module's variables: buffers, textures, samplers, private and workgroup memory."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionModel, StorageClass
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.buffers import declare_buffers, form_of
from hlsl_tool.wgsl.interface.push_constants import declare_push_constant
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.writer.context import Context, Root


def declare_globals(context: Context, usage: Usage) -> None:
    """Create the roots (names and representations) of all variables, and write their declarations."""
    handles: list[int] = []
    buffers: list[Instruction] = []
    context.handles.count_bindings()
    for entry in context.view.module.entry_points:
        reached = usage.reached(entry.id(1))
        for variable, users in usage.users.items():
            if users & reached:
                context.handles.entries.setdefault(variable, set()).add(entry.id(1))
                if entry.id(0) == ExecutionModel.Vertex:
                    context.handles.vertex.add(variable)
    for inst in context.view.module.globals:
        if inst.op != op.OpVariable:
            continue
        space = inst.id(0)
        if space == StorageClass.UniformConstant:
            handles.append(inst.result_id)
        elif space in (StorageClass.Uniform, StorageClass.StorageBuffer):
            buffers.append(inst)
        elif space in (StorageClass.Private, StorageClass.Workgroup):
            _memory(context, usage, inst)
        elif space == StorageClass.PushConstant:
            declare_push_constant(context, usage, inst)
        elif space not in (StorageClass.Input, StorageClass.Output) and usage.users.get(inst.result_id):
            raise Unsupported("a variable of this storage class has no equivalent in WGSL", inst.result_id)
    declare_buffers(context, usage, buffers)
    context.handles.declare(handles)


def _constant(context: Context, number: int, type_id: int) -> None:
    """Declare a WGSL constant for the private variable ``number``, whose value never changes."""
    value = context.constants.expr(context.view.statics[number])
    assert value is not None
    name = context.names.unique(context.view.names.get(number, ""), "constant")
    head = "const" if value.constant else "var<private>"
    context.roots[number] = Root(name, type_id, "const" if value.constant else "private", constant=True)
    context.handles.declarations.append(f"{head} {name}: {context.types.spell(type_id)} = {value.text};\n")


def _memory(context: Context, usage: Usage, inst: Instruction) -> None:
    """Declare a private or workgroup variable."""
    view, number = context.view, inst.result_id
    if not usage.users.get(number):
        return
    type_id = view.pointee(inst.type_id)
    if number in view.statics:
        _constant(context, number, type_id)
        return
    space = "private" if inst.id(0) == StorageClass.Private else "workgroup"
    atomics = bool(usage.atomics.get(number))
    form = form_of(context, usage, number, type_id, uniform=False, explicit=False) if atomics else None
    if atomics and form is None:
        raise Unsupported("WGSL cannot lay out memory that atomics work on", number)
    spelled = form.spelled if form is not None and form.kind != "empty" else context.types.spell(type_id)
    name = context.names.unique(view.names.get(number, ""), space + "_")
    context.roots[number] = Root(name, type_id, space, form if form is not None and not form.plain else None)
    initial = ""
    if inst.operands[1:] and space == "private":
        value = context.constants.expr(inst.id(1))
        if value is None or not value.constant:
            raise Unsupported("a private variable starts with a value that is no constant in WGSL", number)
        initial = f" = {value.text}"
    context.handles.declarations.append(f"var<{space}> {name}: {spelled}{initial};\n")
