"""List the modules that register handlers; `lower.core.registry` imports them at the first look-up."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import EXPRESSIONS, STATEMENTS
from hlsl_tool.codegen.lower.core.registry import (
    ARGUMENTS,
    ASSIGNMENTS,
    DECLARATIONS,
    INTRINSICS,
    METHODS,
    MODES,
)
from hlsl_tool.frontend.sema.model import hir


def _modules(package: str, *names: str) -> tuple[str, ...]:
    return tuple(f"hlsl_tool.codegen.lower.{package}.{name}" for name in names)


EXPRESSIONS.searched = (
    *_modules("expressions", "operators", "variables", "conversions", "conditionals"),
    "hlsl_tool.codegen.lower.functions.calls",
    "hlsl_tool.codegen.lower.intrinsics",
    "hlsl_tool.codegen.lower.resources.buffers",
)
STATEMENTS.searched = _modules("functions", "control_flow", "loops", "switches")
ASSIGNMENTS.homes = {
    hir.Swizzle: "hlsl_tool.codegen.lower.expressions.operators",
    hir.MatrixSwizzle: "hlsl_tool.codegen.lower.expressions.operators",
    hir.MethodCall: "hlsl_tool.codegen.lower.resources.texels",
    **dict.fromkeys(
        (hir.Index, hir.Member, hir.Cast, hir.Assign, hir.CompoundAssign, hir.IncDec),
        "hlsl_tool.codegen.lower.expressions.value_lvalues",
    ),
}
ARGUMENTS.homes = {
    "node": "hlsl_tool.codegen.lower.intrinsics.nodes",
    "vertex": "hlsl_tool.codegen.lower.intrinsics.vertices",
}
DECLARATIONS.homes = {
    "node": "hlsl_tool.codegen.lower.intrinsics.nodes",
    "hit_object": "hlsl_tool.codegen.lower.resources.hit_objects",
}
INTRINSICS.searched = (
    *_modules(
        "intrinsics",
        *("elementwise", "math", "products", "bits", "derivatives", "barriers", "atomics", "waves", "debug"),
        *("interpolation", "packed", "raw_pointers", "vertices", "modes", "ray_tracing", "meshes", "nodes"),
    ),
    *_modules("linear_algebra", "cooperative", "matrices", "memory", "vectors"),
    "hlsl_tool.codegen.lower.entry.tessellation_factors",
)
MODES.homes = {
    stage: f"hlsl_tool.codegen.lower.entry.{module}"
    for stage, module in {
        "ps": "pixel",
        "cs": "compute",
        "hs": "tessellation",
        "ds": "tessellation",
        "gs": "geometry",
        "ms": "mesh",
        "as": "mesh",
        "node": "node",
    }.items()
}
METHODS.searched = (
    *_modules("resources", "textures", "buffers", "rayquery", "sample_positions", "buffer_pointers", "hit_objects"),
    "hlsl_tool.codegen.lower.entry.geometry",
    *_modules("intrinsics", "nodes", "byte_atomics"),
)
