"""Describe types and bindings of modules for diagnostics, in HLSL's words."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration, Dim
from hlsl_tool.spirv.ir import Instruction

_DIMS = {Dim.Dim1D: "1D", Dim.Dim2D: "2D", Dim.Dim3D: "3D", Dim.Cube: "Cube"}
_PREFIXES = {"type.ConstantBuffer.": "ConstantBuffer<{}>", "type.TextureBuffer.": "TextureBuffer<{}>",
             "type.StructuredBuffer.": "StructuredBuffer<{}>", "type.RWStructuredBuffer.": "RWStructuredBuffer<{}>",
             "type.PushConstant.": "{}", "type.": "{}"}  # fmt: skip

_OPTIONS = {
    "$Globals": "-fvk-bind-globals",
    "ResourceDescriptorHeap": "-fvk-bind-resource-heap",
    "SamplerDescriptorHeap": "-fvk-bind-sampler-heap",
    "counter.var.ResourceDescriptorHeap": "-fvk-bind-counter-heap",
}
"""Variable without a declaration in HLSL → the option that gives it a binding."""
_COUNTER = "counter.var."
HEAPS = frozenset(name for name in _OPTIONS if name.endswith("Heap"))
"""Variables of descriptor heaps."""


def type_text(index: ModuleIndex, number: int) -> str:
    """Return a type as HLSL spells it; a pointer is described by the type that it points to."""
    inst = index.definitions.get(number)
    if inst is None:
        return "?"
    if inst.op == op.OpTypePointer:
        return type_text(index, inst.id(1))
    if inst.op == op.OpTypeInt:
        size = "" if inst.id(0) == 32 else f"{inst.id(0)}_t"
        return f"{'int' if inst.id(1) else 'uint'}{size}"
    if inst.op == op.OpTypeFloat:
        return {16: "half", 64: "double"}.get(inst.id(0), "float")
    if inst.op in (op.OpTypeVector, op.OpTypeMatrix):
        element = type_text(index, inst.id(0))
        return f"{element}{inst.id(1)}" if inst.op == op.OpTypeVector else f"{element[:-1]}{inst.id(1)}x{element[-1]}"
    if inst.op == op.OpTypeArray:
        return f"{type_text(index, inst.id(0))}[{index.constant(inst.id(1)) or '?'}]"
    if inst.op == op.OpTypeRuntimeArray:
        return f"{type_text(index, inst.id(0))}[]"
    if inst.op == op.OpTypeStruct:
        return _struct_text(index, inst)
    if inst.op == op.OpTypeImage:
        return _image_text(index, inst)
    if inst.op == op.OpTypeFunction:
        parameters = ", ".join(type_text(index, operand) for operand in inst.ints()[1:])
        return f"{type_text(index, inst.id(0))}({parameters})"
    return {op.OpTypeVoid: "void", op.OpTypeBool: "bool", op.OpTypeSampler: "SamplerState"}.get(inst.op, "another type")


def _struct_text(index: ModuleIndex, inst: Instruction) -> str:
    name = index.names.get(inst.result_id, "struct")
    for prefix, form in _PREFIXES.items():
        if name.startswith(prefix):
            return form.format(name.removeprefix(prefix))
    return name


def _image_text(index: ModuleIndex, inst: Instruction) -> str:
    element, dim, _, arrayed, multisampled, sampled = (inst.id(at) for at in range(6))
    texel = type_text(index, element)
    if dim == Dim.SubpassData:
        return f"SubpassInput<{texel}>"
    writable = "RW" if sampled == 2 else ""
    if dim == Dim.Buffer:
        return f"{writable}Buffer<{texel}>"
    kind = f"{_DIMS.get(dim, '')}{'MS' if multisampled else ''}{'Array' if arrayed else ''}"
    return f"{writable}Texture{kind}<{texel}>"


def binding_text(index: ModuleIndex, number: int) -> str:
    """Return the binding of a variable in words."""
    decorations = index.decorations.get(number, {})
    if Decoration.Binding not in decorations:
        return "without a binding"
    set_number = decorations.get(Decoration.DescriptorSet, [0])[0]
    return f"at binding {decorations[Decoration.Binding][0]} of set {set_number}"


def binding_hint(name: str) -> str:
    """Return what gives a variable a binding that is declared nowhere; empty for a resource with a declaration."""
    if name in _OPTIONS:
        return f"`{_OPTIONS[name]}` gives '{name}' the same binding in all modules, where there is no other resource"
    return "`[[vk::counter_binding]]` gives the counter of a buffer a binding" if name.startswith(_COUNTER) else ""


def struct_difference(
    a: ModuleIndex, first: int, b: ModuleIndex, second: int, seen: frozenset[tuple[int, int]] = frozenset()
) -> str:
    """Return the first difference between structs of equal names in two types; empty if there is none.

    ``seen`` are the pairs of types that contain these ones through pointers.
    """
    one, other = a.definitions.get(first), b.definitions.get(second)
    if one is None or other is None or one.op != other.op or (first, second) in seen:
        return ""
    seen |= {(first, second)}
    if one.op != op.OpTypeStruct:
        pairs = zip(one.operands, other.operands, strict=False)
        differences = (
            struct_difference(a, x, b, y, seen) for x, y in pairs if isinstance(x, int) and isinstance(y, int)
        )
        has_types = one.op in (op.OpTypePointer, op.OpTypeArray, op.OpTypeRuntimeArray, op.OpTypeFunction)
        return next((text for text in differences if text), "") if has_types else ""
    name = _struct_text(a, one)
    if len(one.operands) != len(other.operands):
        return f"the struct '{name}' has {len(one.operands)} members in one, {len(other.operands)} in the other"
    for at, (x, y) in enumerate(zip(one.ints(), other.ints(), strict=True)):
        if nested := struct_difference(a, x, b, y, seen):
            return nested
        members = [_member_text(index, s.result_id, at, t) for index, s, t in ((a, one, x), (b, other, y))]
        if members[0] != members[1]:
            return f"the struct '{name}' has the member `{members[0]}` in one, `{members[1]}` in the other"
    return ""


def _member_text(index: ModuleIndex, struct: int, at: int, type_id: int) -> str:
    text = f"{type_text(index, type_id)} {index.member_names.get((struct, at), '')}".strip()
    decorations = index.member_decorations.get((struct, at), {})
    if Decoration.Offset in decorations:
        text += f" at offset {decorations[Decoration.Offset][0]}"
    if Decoration.RowMajor in decorations:  # SPIR-V's rows are HLSL's columns
        text += ", column_major"
    if Decoration.ColMajor in decorations:
        text += ", row_major"
    return text
