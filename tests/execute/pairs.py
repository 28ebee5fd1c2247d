"""Make up the other stage, in HLSL, for a vertex or pixel shader of which only the module is available."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.wgsl.module.view import View
from tests.execute.made_up import Unknown

D, S = e.Decoration, e.StorageClass

MODIFIERS = {
    D.Flat: "nointerpolation",
    D.NoPerspective: "noperspective",
    D.Centroid: "centroid",
    D.Sample: "sample",
}


@dataclass(frozen=True, slots=True)
class Slot:
    """An input or output variable with a location."""

    location: int
    scalar: str
    """float, int, uint"""
    count: int
    modifiers: tuple[str, ...]

    @property
    def format(self) -> str:
        """The format of a vertex attribute with this type."""
        return f"rgba32{self.scalar[0]}"

    @property
    def texel(self) -> str:
        """The format of a colour target for this output; WebGPU has none with three channels."""
        return f"{('r', 'rg', 'rg', 'rgba')[self.count - 1]}32{self.scalar[0]}"

    def declaration(self) -> str:
        modifiers = self.modifiers if self.scalar == "float" else ("nointerpolation",)
        spelled = " ".join((*modifiers, f"{self.scalar}{self.count}"))
        return f"[[vk::location({self.location})]] {spelled} v{self.location} : V{self.location};"


def slots(view: View, space: int) -> list[Slot]:
    """Return the inputs or outputs with locations, in order of location."""
    found: list[Slot] = []
    for inst in view.module.globals:
        if inst.op != op.OpVariable or inst.id(0) != space or view.has(inst.result_id, D.BuiltIn):
            continue
        location = view.literal(inst.result_id, D.Location)
        type_id = view.pointee(inst.type_id)
        kind = view.type(type_id)
        if D.BuiltIn in view.member(type_id, 0):
            continue
        count = 1
        if kind.op in (op.OpTypeArray, op.OpTypeMatrix):
            count = view.length(type_id) if kind.op == op.OpTypeArray else kind.id(1)
            type_id = kind.id(0)
        if location is None or view.has(inst.result_id, D.Index) or view.type(type_id).op == op.OpTypeStruct:
            raise Unknown("inputs or outputs of a kind that is not made up")
        scalar = view.scalar(type_id)
        name = "float" if scalar.op == op.OpTypeFloat else "int" if scalar.id(1) else "uint"
        modifiers = tuple(word for decoration, word in MODIFIERS.items() if view.has(inst.result_id, decoration))
        found += [Slot(location + k, name, view.components(type_id), modifiers) for k in range(count)]
    return sorted(found, key=lambda slot: slot.location)


def vertex_shader(inputs: list[Slot]) -> str:
    """Return a vertex shader whose triangle covers the picture; each input of the pixel shader is a different ramp."""
    lines = []
    for slot in inputs:
        for k in range(slot.count):
            a, b, c = ((slot.location * 7 + k * 3 + n * 5) % 9 / 8 for n in range(3))
            value = f"{a + 0.1} + {b - 0.4} * p.x + {c - 0.6} * p.y"
            if slot.scalar != "float":
                value = f"{slot.scalar}({(slot.location + k) % 4})"
            lines.append(f"  o.v{slot.location}[{k}] = {value};\n")
    members = " ".join(slot.declaration() for slot in inputs)
    return (
        f"struct Out {{ {members} float4 position : SV_Position; }};\n"
        "Out main(uint id : SV_VertexID) {\n  float2 p = float2(id & 1, id >> 1) * 4 - 1;\n  Out o;\n"
        f"{''.join(lines)}  o.position = float4(p, 0.3 + 0.1 * p.x, 1);\n  return o;\n}}\n"
    )


def pixel_shader(outputs: list[Slot]) -> str:
    """Return a pixel shader that combines all outputs of the vertex shader into a colour."""
    members = " ".join(slot.declaration() for slot in outputs)
    terms = [
        f"  c[{(slot.location + k) % 4}] += v.v{slot.location}[{k}] * {1 + (slot.location + k) % 3}.0;\n"
        for slot in outputs
        for k in range(slot.count)
    ]
    return (
        f"struct In {{ float4 position : SV_Position; {members} }};\n"
        f"float4 main(In v) : SV_Target {{\n  float4 c = v.position.z;\n{''.join(terms)}  return c;\n}}\n"
    )


def vertices(inputs: list[Slot], count: int) -> bytes:
    """Return made-up vertex data for the inputs of a vertex shader."""
    out = bytearray()
    for vertex in range(count):
        for slot in inputs:
            for k in range(4):
                number = (vertex * 37 + slot.location * 11 + k * 17 + vertex * vertex * 3) % 23
                if slot.scalar == "float":
                    out += struct.pack("<f", number / 11 - 1)
                else:
                    out += struct.pack("<I", number % 4)
    return bytes(out)
