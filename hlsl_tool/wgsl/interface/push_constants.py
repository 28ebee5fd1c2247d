"""Push constants: immediates of WebGPU, or a uniform buffer."""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.arrays.binding_arrays import GROUPS
from hlsl_tool.wgsl.interface import raw_layout as raw
from hlsl_tool.wgsl.interface.bind_group_layouts import IMMEDIATE, Binding
from hlsl_tool.wgsl.interface.buffers import form_of
from hlsl_tool.wgsl.interface.layout import Form
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.writer.context import Context, Root

MAX_IMMEDIATE = 64
"""Bytes of immediates that every device has (`maxImmediateSize`)."""


def declare_push_constant(context: Context, usage: Usage, inst: Instruction) -> None:
    """Declare push constants as immediates if possible, otherwise as a uniform buffer."""
    view, number = context.view, inst.result_id
    if not usage.users.get(number):
        return
    type_id = view.pointee(inst.type_id)
    name = context.names.unique(view.names.get(number, ""), "push_constants")
    if context.options.wgsl_immediates == "auto" and _immediate(context, usage, number, type_id, name):
        return
    form = form_of(context, usage, number, type_id, uniform=True, explicit=True)
    root = Root(name, type_id, "uniform", constant=True)
    if form is None:
        root.raw = True
        spelled = raw.declaration(view, type_id, uniform=True, atomic=False)
    else:
        root.form = None if form.plain else form
        spelled = form.spelled
    context.roots[number] = root
    size = max(raw.least_size(view, type_id), form.size if form is not None else 0)
    layout = {"buffer": {"type": "uniform", "minBindingSize": round_up(size, 16)}}
    avoid = context.handles.groups_without_uniforms()
    group, binding = context.handles.moved.place(number, _free_group(context), 0, avoid=avoid)
    context.handles.bindings.append(Binding(group, binding, name, number, layout))
    context.handles.declarations.append(f"@group({group}) @binding({binding}) var<uniform> {name}: {spelled};\n")


def _immediate(context: Context, usage: Usage, number: int, type_id: int, name: str) -> bool:
    """Declare push constants as immediates; return false if that is not possible.

    Immediates cannot contain arrays: neither those of the shader, nor the arrays of words that replace a layout which
    WGSL cannot express.
    """
    form = form_of(context, usage, number, type_id, uniform=True, explicit=True)
    size = round_up(max(raw.least_size(context.view, type_id), form.size), 4) if form is not None else 0
    if form is None or size > MAX_IMMEDIATE or _has_arrays(form):
        return False
    context.roots[number] = Root(name, type_id, "immediate", None if form.plain else form, constant=True)
    context.handles.bindings.append(Binding(IMMEDIATE, 0, name, number, {"size": size}))
    context.handles.declarations.append(f"var<immediate> {name}: {form.spelled};\n")
    return True


def _has_arrays(form: Form) -> bool:
    """Return whether a representation contains an array."""
    return form.kind == "words" or "array<" in form.spelled or any(_has_arrays(member) for member in form.members)


def _free_group(context: Context) -> int:
    """Return the number after the module's last group (at least 4 if bindings are moved)."""
    groups = [
        decorations[Decoration.DescriptorSet][0]
        for decorations in context.view.decorations.values()
        if Decoration.DescriptorSet in decorations
    ]
    last = max((group for group in groups if isinstance(group, int)), default=-1)
    return max(last + 1, GROUPS) if context.options.wgsl_bindings == "compact" else last + 1
