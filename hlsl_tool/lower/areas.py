"""Import every area, so that its handlers are registered."""

from __future__ import annotations

from hlsl_tool.lower import intrinsics
from hlsl_tool.lower.expressions import conditionals, conversions, variables
from hlsl_tool.lower.expressions import operators as expressions
from hlsl_tool.lower.functions import calls as functions
from hlsl_tool.lower.functions import control_flow, loops, switches
from hlsl_tool.lower.intrinsics import meshes, nodes
from hlsl_tool.lower.intrinsics import ray_tracing as raytracing
from hlsl_tool.lower.resources import buffer_pointers, buffers, rayquery, sample_positions, textures

__all__ = [
    "buffer_pointers",
    "buffers",
    "conditionals",
    "control_flow",
    "conversions",
    "expressions",
    "functions",
    "intrinsics",
    "loops",
    "meshes",
    "nodes",
    "rayquery",
    "raytracing",
    "sample_positions",
    "switches",
    "textures",
    "variables",
]
