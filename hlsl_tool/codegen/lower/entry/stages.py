"""The stages as data: profile, name in ``[shader("...")]``, execution model, signature points.

Sources: manual, *HLSL shader models* and the table of HLSL semantics; HLSL specification, *signature points*.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import ExecutionModel


@dataclass(slots=True, frozen=True)
class Stage:
    """A shader stage; ``name`` is the profile's prefix (``ps``), or the attribute's string without a profile."""

    name: str
    attribute: str
    """The name in ``[shader("...")]``."""
    model: int
    point_in: str
    """Signature point of plain input parameters."""
    point_out: str
    """Signature point of the result and of output parameters."""
    point_array: str = ""
    """Signature point of inputs for each vertex: patches, a geometry shader's primitives."""


GROUP_STAGES = frozenset(("cs", "as", "ms", "node"))
"""Names of the stages with thread groups."""
RAY_TRACING = {
    "raygeneration": ExecutionModel.RayGenerationKHR,
    "intersection": ExecutionModel.IntersectionKHR,
    "anyhit": ExecutionModel.AnyHitKHR,
    "closesthit": ExecutionModel.ClosestHitKHR,
    "miss": ExecutionModel.MissKHR,
    "callable": ExecutionModel.CallableKHR,
}
"""Name → execution model of the stages of ray tracing."""

STAGES: dict[str, Stage] = {
    s.name: s
    for s in (
        Stage("vs", "vertex", ExecutionModel.Vertex, "VSIn", "VSOut"),
        Stage("ps", "pixel", ExecutionModel.Fragment, "PSIn", "PSOut"),
        Stage("cs", "compute", ExecutionModel.GLCompute, "CSIn", "CSOut"),
        Stage("hs", "hull", ExecutionModel.TessellationControl, "HSIn", "HSCPOut", "HSCPIn"),
        Stage("ds", "domain", ExecutionModel.TessellationEvaluation, "DSIn", "DSOut", "DSCPIn"),
        *(Stage(name, name, model, "", "") for name, model in RAY_TRACING.items()),
        Stage("ms", "mesh", ExecutionModel.MeshEXT, "MSIn", "MSOut"),
        Stage("as", "amplification", ExecutionModel.TaskEXT, "ASIn", ""),
        Stage("node", "node", ExecutionModel.GLCompute, "CSIn", ""),
        Stage("gs", "geometry", ExecutionModel.Geometry, "GSIn", "GSOut", "GSVIn"),
    )
}
"""Name → stage."""

MESH_NV = {"as": ExecutionModel.TaskNV, "ms": ExecutionModel.MeshNV}
"""Name → execution model of NV_mesh_shader."""

BY_ATTRIBUTE: dict[str, Stage] = {s.attribute: s for s in STAGES.values()}

LIBRARY = "lib"
"""The profile of libraries, whose functions have their stage in an attribute."""
