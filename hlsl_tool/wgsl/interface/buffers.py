"""Declare buffers: uniform, storage and push constants.

Variables with the same binding that an entry point uses together become one WGSL variable: an array of words if their
types differ.
"""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface import raw_layout as raw
from hlsl_tool.wgsl.interface.layout import Context as LayoutContext
from hlsl_tool.wgsl.interface.layout import Form, Inexpressible
from hlsl_tool.wgsl.interface.mixed_layout import mixed_form
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.context import Context, Root


def form_of(context: Context, usage: Usage, number: int, type_id: int, *, uniform: bool, explicit: bool) -> Form | None:
    """Return the WGSL representation of a buffer's contents; ``None`` if it must be an array of words.

    ``number`` is the variable's id and ``type_id`` its type. ``explicit``: the storage class has explicit layouts.
    """
    atomics = frozenset(usage.atomics.get(number, ()))
    try:
        return mixed_form(context.layout, type_id, LayoutContext(uniform, explicit, atomics=atomics))
    except Inexpressible:
        return None


def declare_buffers(context: Context, usage: Usage, variables: list[Instruction]) -> None:
    """Create the roots (names and representations) of the buffers in use, and write their declarations."""
    view = context.view
    groups: dict[tuple[int, int, bool, int], list[list[Instruction]]] = {}
    order: list[tuple[bool, list[Instruction]]] = []
    for inst in variables:
        number, type_id = inst.result_id, view.resource_type(inst.result_id)
        if not usage.users.get(number):
            continue
        if view.type(type_id).op != op.OpTypeStruct:
            raise Unsupported("WGSL has no buffers of this type", number)
        storage = inst.id(0) == StorageClass.StorageBuffer or view.has(type_id, Decoration.BufferBlock)
        element = view.elements[number].place if number in view.elements else 0
        place = (
            view.literal(number, Decoration.DescriptorSet) or 0,
            view.literal(number, Decoration.Binding) or 0,
            storage,
            element,
        )
        entries = context.handles.entries
        mine = entries.get(number, set())
        for group in groups.setdefault(place, []):
            if any(mine & entries.get(other.result_id, set()) for other in group):
                if storage and _read_only(context, inst) != _read_only(context, group[0]):
                    raise Unsupported(_one_binding(context, group[0], inst), number)
                group.append(inst)
                break
        else:
            groups[place].append([inst])
            order.append((storage, groups[place][-1]))
    for storage, group in order:
        _declare(context, usage, group, storage)


def _one_binding(context: Context, first: Instruction, second: Instruction) -> str:
    """Return the error message for a read-only and a writable buffer that share a binding."""
    view = context.view
    names = [f"`{view.names.get(inst.result_id) or f'%{inst.result_id}'}`" for inst in (first, second)]
    group, binding = (
        view.literal(first.result_id, place) or 0 for place in (Decoration.DescriptorSet, Decoration.Binding)
    )
    return (
        f"the buffers {' and '.join(names)} both have binding {binding} of group {group}, and one of them only is "
        "writable: WebGPU wants a binding for each"
    )


def _read_only(context: Context, inst: Instruction) -> bool:
    view = context.view
    type_id = view.resource_type(inst.result_id)
    return view.has(inst.result_id, Decoration.NonWritable) or all(
        Decoration.NonWritable in view.member(type_id, index) for index in range(len(view.type(type_id).operands))
    )


def _declare(context: Context, usage: Usage, group: list[Instruction], storage: bool) -> None:
    """Declare one WGSL variable for the buffers in ``group``, which have the same binding."""
    view, first = context.view, group[0]
    types = {inst.result_id: view.resource_type(inst.result_id) for inst in group}
    count = view.binding_arrays.get(first.result_id, 0)
    hint = view.names.get(first.result_id, "") or view.names.get(types[first.result_id], "").removeprefix("type.")
    name = context.names.unique(hint, "buffer")
    constant = not storage or _is_constant(context, usage, group)
    form: Form | None = None
    if len(set(types.values())) == 1:
        for inst in group[1:]:
            usage.atomics.setdefault(first.result_id, set()).update(usage.atomics.get(inst.result_id, ()))
        form = form_of(context, usage, first.result_id, types[first.result_id], uniform=not storage, explicit=True)
    atomic = any(usage.atomics.get(inst.result_id) for inst in group)
    for number, type_id in types.items():
        root = Root(name, type_id, "storage" if storage else "uniform", constant=constant, count=count)
        if form is None:
            root.raw, root.atomic = True, atomic
        else:
            root.form = None if form.plain else form
            root.unwrapped = storage and not count and _is_array_only(view, type_id)
        context.roots[number] = root
    if form is not None and form.kind == "empty":
        raise Unsupported("WGSL has no buffers without members", first.result_id)
    spelled = form.spelled if form is not None else _words(context, list(types.values()), storage, atomic)
    if form is not None and context.roots[first.result_id].unwrapped:
        spelled = form.members[0].spelled
    if count and form is None:
        spelled = context.types.declare(0, [("", "words", spelled)], name=f"{name}_words").name
    access, kind = _ACCESS[storage, constant]
    size = max(raw.least_size(view, type_id) for type_id in types.values())
    if form is not None:
        size = round_up(max(size, form.size), form.align)
    layout = {"buffer": {"type": kind, "minBindingSize": round_up(size, 16 if not storage else 4)}}
    attributes = context.handles.attributes(first.result_id, name, layout)
    spelled = context.handles.declared(first.result_id, spelled)
    context.handles.declarations.append(f"{attributes}var<{access}> {name}: {spelled};\n")


def _is_array_only(view: View, type_id: int) -> bool:
    """Return whether a block consists of one unnamed runtime array, as for HLSL's structured buffers."""
    members = view.type(type_id).ints()
    return (
        len(members) == 1
        and view.type(members[0]).op == op.OpTypeRuntimeArray
        and not view.member_names.get((type_id, 0))
        and not view.member_literal(type_id, 0, Decoration.Offset)
    )


_ACCESS = {
    (False, True): ("uniform", "uniform"),
    (True, True): ("storage, read", "read-only-storage"),
    (True, False): ("storage, read_write", "storage"),
}
"""(is a storage buffer, is constant) → (address space and access mode in WGSL, type of the binding in WebGPU)"""


def _is_constant(context: Context, usage: Usage, group: list[Instruction]) -> bool:
    """Return whether to declare the storage buffers in ``group``, which share a WGSL variable, as read-only.

    Raise ``Unsupported`` if the shader writes to one of them nevertheless.
    """
    written = any(inst.result_id in usage.written for inst in group)
    if all(_read_only(context, inst) for inst in group):
        if written:
            raise Unsupported("a buffer that is decorated NonWritable is written", group[0].result_id)
        return True
    if any(inst.result_id in context.handles.vertex for inst in group):
        if written:
            raise Unsupported("WebGPU's vertex shaders cannot write to buffers", group[0].result_id)
        return True
    return False


def _words(context: Context, types: list[int], storage: bool, atomic: bool) -> str:
    """Return the type of an array of words large enough for all of the types."""
    view = context.view
    runtime = [type_id for type_id in types if raw.has_runtime_array(view, type_id)]
    largest = runtime[0] if runtime else max(types, key=lambda type_id: raw.extent(view, type_id))
    return raw.declaration(view, largest, uniform=not storage, atomic=atomic)
