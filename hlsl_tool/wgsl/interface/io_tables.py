"""Built-in values of SPIR-V and WGSL (specification, 13.3.1.1)."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.spirv import enums as e

B = e.BuiltIn

STAGES = {
    e.ExecutionModel.Vertex: "vertex",
    e.ExecutionModel.Fragment: "fragment",
    e.ExecutionModel.GLCompute: "compute",
}


class Builtin(NamedTuple):
    """A built-in value of WGSL: name, type, and the extension that it needs."""

    name: str
    spelled: str
    enable: str = ""


INPUTS: dict[tuple[str, int], Builtin] = {
    ("vertex", B.VertexIndex): Builtin("vertex_index", "u32"),
    ("vertex", B.InstanceIndex): Builtin("instance_index", "u32"),
    ("fragment", B.FragCoord): Builtin("position", "vec4f"),
    ("fragment", B.FrontFacing): Builtin("front_facing", "bool"),
    ("fragment", B.SampleId): Builtin("sample_index", "u32"),
    ("fragment", B.SampleMask): Builtin("sample_mask", "u32"),
    ("fragment", B.PrimitiveId): Builtin("primitive_index", "u32", "primitive_index"),
    ("compute", B.LocalInvocationId): Builtin("local_invocation_id", "vec3u"),
    ("compute", B.LocalInvocationIndex): Builtin("local_invocation_index", "u32"),
    ("compute", B.GlobalInvocationId): Builtin("global_invocation_id", "vec3u"),
    ("compute", B.WorkgroupId): Builtin("workgroup_id", "vec3u"),
    ("compute", B.NumWorkgroups): Builtin("num_workgroups", "vec3u"),
    ("compute", B.SubgroupSize): Builtin("subgroup_size", "u32", "subgroups"),
    ("fragment", B.SubgroupSize): Builtin("subgroup_size", "u32", "subgroups"),
    ("compute", B.NumSubgroups): Builtin("num_subgroups", "u32", "subgroups"),
    ("compute", B.SubgroupId): Builtin("subgroup_id", "u32", "subgroups"),
    ("compute", B.SubgroupLocalInvocationId): Builtin("subgroup_invocation_id", "u32", "subgroups"),
    ("fragment", B.SubgroupLocalInvocationId): Builtin("subgroup_invocation_id", "u32", "subgroups"),
}

OUTPUTS: dict[tuple[str, int], Builtin] = {
    ("vertex", B.Position): Builtin("position", "vec4f"),
    ("vertex", B.ClipDistance): Builtin("clip_distances", "", "clip_distances"),
    ("fragment", B.FragDepth): Builtin("frag_depth", "f32"),
    ("fragment", B.SampleMask): Builtin("sample_mask", "u32"),
}

LEFT_OUT = "vertex", B.PointSize
"""WebGPU draws points of size 1: a store of 1.0 is left out, others are errors."""

POINT_SIZE = "WebGPU draws points of one size: only 1.0 can be stored to PointSize"
