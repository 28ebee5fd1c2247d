"""Built-in values in SPIR-V and WGSL (specification, 13.3.1.1)."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.spirv.enums import BuiltIn, ExecutionModel

STAGES = {
    ExecutionModel.Vertex: "vertex",
    ExecutionModel.Fragment: "fragment",
    ExecutionModel.GLCompute: "compute",
}


class Builtin(NamedTuple):
    """A built-in value of WGSL: its name, its type, and the extension that it needs."""

    name: str
    spelled: str
    enable: str = ""


INPUTS: dict[tuple[str, int], Builtin] = {
    ("vertex", BuiltIn.VertexIndex): Builtin("vertex_index", "u32"),
    ("vertex", BuiltIn.InstanceIndex): Builtin("instance_index", "u32"),
    ("fragment", BuiltIn.FragCoord): Builtin("position", "vec4f"),
    ("fragment", BuiltIn.FrontFacing): Builtin("front_facing", "bool"),
    ("fragment", BuiltIn.SampleId): Builtin("sample_index", "u32"),
    ("fragment", BuiltIn.SampleMask): Builtin("sample_mask", "u32"),
    ("fragment", BuiltIn.PrimitiveId): Builtin("primitive_index", "u32", "primitive_index"),
    ("compute", BuiltIn.LocalInvocationId): Builtin("local_invocation_id", "vec3u"),
    ("compute", BuiltIn.LocalInvocationIndex): Builtin("local_invocation_index", "u32"),
    ("compute", BuiltIn.GlobalInvocationId): Builtin("global_invocation_id", "vec3u"),
    ("compute", BuiltIn.WorkgroupId): Builtin("workgroup_id", "vec3u"),
    ("compute", BuiltIn.NumWorkgroups): Builtin("num_workgroups", "vec3u"),
    ("compute", BuiltIn.SubgroupSize): Builtin("subgroup_size", "u32", "subgroups"),
    ("fragment", BuiltIn.SubgroupSize): Builtin("subgroup_size", "u32", "subgroups"),
    ("compute", BuiltIn.NumSubgroups): Builtin("num_subgroups", "u32", "subgroups"),
    ("compute", BuiltIn.SubgroupId): Builtin("subgroup_id", "u32", "subgroups"),
    ("compute", BuiltIn.SubgroupLocalInvocationId): Builtin("subgroup_invocation_id", "u32", "subgroups"),
    ("fragment", BuiltIn.SubgroupLocalInvocationId): Builtin("subgroup_invocation_id", "u32", "subgroups"),
}

OUTPUTS: dict[tuple[str, int], Builtin] = {
    ("vertex", BuiltIn.Position): Builtin("position", "vec4f"),
    ("vertex", BuiltIn.ClipDistance): Builtin("clip_distances", "", "clip_distances"),
    ("fragment", BuiltIn.FragDepth): Builtin("frag_depth", "f32"),
    ("fragment", BuiltIn.SampleMask): Builtin("sample_mask", "u32"),
}

LEFT_OUT = "vertex", BuiltIn.PointSize
"""WebGPU draws points of size 1: a store of 1.0 is left out, others are errors."""

POINT_SIZE = "WebGPU draws points of one size: only 1.0 can be stored to PointSize (`point_size: drop` drops others)"
