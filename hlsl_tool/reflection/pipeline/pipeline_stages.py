"""The shader stages of Vulkan's pipelines, and the error for unsupported ones."""

from __future__ import annotations

STAGES = {
    "Vertex": "VERTEX",
    "TessellationControl": "TESSELLATION_CONTROL",
    "TessellationEvaluation": "TESSELLATION_EVALUATION",
    "Geometry": "GEOMETRY",
    "TaskEXT": "TASK",
    "MeshEXT": "MESH",
    "Fragment": "FRAGMENT",
    "GLCompute": "COMPUTE",
    "RayGenerationKHR": "RAYGEN",
    "AnyHitKHR": "ANY_HIT",
    "ClosestHitKHR": "CLOSEST_HIT",
    "MissKHR": "MISS",
    "IntersectionKHR": "INTERSECTION",
    "CallableKHR": "CALLABLE",
}
"""Execution model → stage, in the order in which stages follow each other."""

GRAPHICS = tuple(STAGES)[:7]
"""The execution models of graphics pipelines; a pipeline has one entry point of each at most."""
RAYS = tuple(STAGES)[8:]
"""The execution models of ray tracing pipelines, which have any number of each."""

_EXTENSIONS = {"TASK": "EXT", "MESH": "EXT", **dict.fromkeys((STAGES[model] for model in RAYS), "KHR")}


class PipelineError(Exception):
    """Raised for stages that do not fit together, or that no Vulkan pipeline supports."""


def stage_bit(model: str) -> str:
    """Return the enumerant for the stage of an execution model: ``VK_SHADER_STAGE_MESH_BIT_EXT``."""
    stage = STAGES[model]
    extension = _EXTENSIONS.get(stage)
    return f"VK_SHADER_STAGE_{stage}_BIT" + (f"_{extension}" if extension else "")
