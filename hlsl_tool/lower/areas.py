"""Imports every area, so that its handlers are registered."""

from __future__ import annotations

from hlsl_tool.lower import (
    access,
    buffer_pointers,
    buffers,
    conditionals,
    control_flow,
    conversions,
    expressions,
    functions,
    intrinsics,
    meshes,
    nodes,
    rayquery,
    raytracing,
    sample_positions,
    textures,
)

__all__ = [
    "access",
    "buffer_pointers",
    "buffers",
    "conditionals",
    "control_flow",
    "conversions",
    "expressions",
    "functions",
    "intrinsics",
    "meshes",
    "nodes",
    "rayquery",
    "raytracing",
    "sample_positions",
    "textures",
]
