"""The stages of draws: which ones run before a shader, and whether their interfaces fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from hlsl_tool.base.diagnostics import Diagnostic, Sink, WarningOptions
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.interpreter.stages.primitives import TOPOLOGIES
from hlsl_tool.reflection.linking.matching import match
from hlsl_tool.reflection.linking.stage_interfaces import StageInterface, stage_interfaces
from hlsl_tool.spirv.decode import decode

from .backend import Code

STAGES = {
    "vertex": ("Vertex", "vs"),
    "hull": ("TessellationControl", "hs"),
    "domain": ("TessellationEvaluation", "ds"),
    "geometry": ("Geometry", "gs"),
    "amplification": ("TaskEXT", "as"),
    "mesh": ("MeshEXT", "ms"),
    "pixel": ("Fragment", "ps"),
}
"""Stage → its execution model and its profile, in the order of draws."""
SEMANTICS = {
    "Position": "SV_Position",
    "TessLevelOuter": "SV_TessFactor",
    "TessLevelInner": "SV_InsideTessFactor",
    "ClipDistance": "SV_ClipDistance",
    "CullDistance": "SV_CullDistance",
    "Layer": "SV_RenderTargetArrayIndex",
    "ViewportIndex": "SV_ViewportArrayIndex",
    "PrimitiveId": "SV_PrimitiveID",
    "CullPrimitiveEXT": "SV_CullPrimitive",
}
"""Built-in that a stage passes on → its semantic."""
_BY_MESHES = ("amplification", "mesh")
"""The stages of draws that begin with groups in place of vertices."""
NEEDS = {
    "Vertex": ("vertices",),
    "TessellationControl": ("vertices",),
    "TessellationEvaluation": ("vertices",),
    "Geometry": ("vertices",),
    "TaskEXT": ("groups", "threads"),
    "MeshEXT": ("groups", "threads"),
}
"""Execution model of the first stage of a draw → the sizes of which the draw needs one."""
_NOT_OF_DRAWS = frozenset((codes.STAGE_BINDING, codes.STAGE_BLOCK, codes.OUTPUT_UNUSED))
"""Problems of pipelines that draws of the interpreter do not have: each stage has bindings of its own."""


def checked_topology(name: str) -> str:
    """Return the name of a topology, which may be empty; raise ``ValueError`` for an unknown one."""
    if name and name not in TOPOLOGIES:
        hint = did_you_mean(name, TOPOLOGIES) or f"there are: {', '.join(TOPOLOGIES)}"
        raise ValueError(f"there is no topology `{name}`; {hint}")
    return name


def stages_before(names: Iterable[str], model: str) -> list[str]:
    """Return the stages before one with an execution model, in order; raise ``ValueError`` for an unknown name."""
    for name in names:
        if name not in STAGES:
            hint = did_you_mean(name, list(STAGES)) or f"there are: {', '.join(STAGES)}"
            raise ValueError(f"there is no stage `{name}`; {hint}")
    order = [other for other, _ in STAGES.values()]
    end = order.index(model) if model in order else 0
    return [name for name in list(STAGES)[:end] if name in names]


def stages_of_draw(names: Iterable[str], model: str, has: Callable[[str], object]) -> list[str] | None:
    """Return the stages that run before one; ``None`` if it is no stage of a draw.

    ``has`` returns whether a size is given.  Raises ``ValueError`` for what is missing.
    """
    before = stages_before(names, model)
    first = STAGES[before[0]][0] if before else model
    needed = NEEDS.get(first)
    if needed is None:
        return None
    _check_order([*before, hlsl_stage(model)])
    if not any(has(name) for name in needed):
        raise ValueError(f"a draw that begins with {_a_shader(hlsl_stage(first))} needs `{'` or `'.join(needed)}`")
    if model == "Fragment" and not has("size"):
        raise ValueError("a pixel shader needs the `size` of the picture")
    return before


def _check_order(stages: Sequence[str]) -> None:
    """Raise ``ValueError`` unless the stages of a draw, up to the last one, can follow each other."""
    last = stages[-1]
    of_meshes = [stage for stage in stages if stage in _BY_MESHES]
    of_vertices = [stage for stage in stages if stage not in (*_BY_MESHES, "pixel")]
    if of_meshes and of_vertices:
        raise ValueError(f"a draw has {_a_shader(of_vertices[0])} or {_a_shader(of_meshes[0])}, not both")
    if "domain" in stages and "hull" not in stages:
        raise ValueError("a domain shader needs its hull shader among the stages before it")
    for stage, following in (("hull", "domain"), ("amplification", "mesh")):
        if stage in stages and last not in (stage, following) and following not in stages:
            raise ValueError(f"{_a_shader(last)} behind {_a_shader(stage)} needs the {following} shader between them")


def _a_shader(stage: str) -> str:
    return f"{'an' if stage[0] in 'aeiou' else 'a'} {stage} shader"


def hlsl_stage(model: str) -> str:
    """Return the name that HLSL has for the stage of an execution model; others as they are."""
    return next((name for name, (other, _) in STAGES.items() if other == model), model)


def place_of(text: str, path: str) -> tuple[str, str]:
    """Return the file and the entry point of a stage, given as ``ENTRY`` or ``FILE:ENTRY``."""
    file, _, entry = text.rpartition(":")
    return file or path, entry


def stage_profile(stage: str, profile: str) -> str:
    """Return the profile of a stage with the version of another one: ``vs_6_2`` for ``hs_6_2``."""
    version = profile.partition("_")[2]
    return f"{STAGES[stage][1]}_{version or '6_0'}"


def interface_diagnostics(stages: Sequence[Code], warnings: WarningOptions) -> list[Diagnostic]:
    """Return the problems between the inputs and outputs of consecutive stages.

    Variables match by location, as in Vulkan.  That a value is of the primitive on one side only is no more than a
    warning: HLSL has no word for it in pixel shaders, and the interpreter passes the value on.
    """
    sink = Sink(warnings.with_flag(f"-Wno-error={codes.DECORATION_DIFFERS.name}"), error_limit=0)
    interfaces = [_interface(stage) for stage in stages]
    for producer, consumer in pairwise(interfaces):
        if producer.stage != "amplification":
            for problem in match(producer, consumer, widths_may_differ=True):
                if problem.code not in _NOT_OF_DRAWS:
                    problem.report(sink)
    return sink.diagnostics


def _interface(stage: Code) -> StageInterface:
    """Return the interface of a stage's entry point."""
    name = hlsl_stage(stage.reflection.entry_points[0].model)
    interfaces = stage_interfaces(decode(stage.spirv))
    return next(each for each in interfaces if (each.entry, each.stage) == (stage.entry, name))
