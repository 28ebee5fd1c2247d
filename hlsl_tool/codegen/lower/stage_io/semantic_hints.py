"""Hints for system values that do not exist, or not at the stage where they are used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.base.similar import most_similar
from hlsl_tool.codegen.lower.stage_io.semantics import TABLE, Semantic

_SPELLINGS = (
    "Position", "VertexID", "InstanceID", "StartVertexLocation", "StartInstanceLocation", "Depth", "DepthGreaterEqual",
    "DepthLessEqual", "ClipDistance", "CullDistance", "IsFrontFace", "Target", "DispatchThreadID", "GroupID",
    "GroupThreadID", "GroupIndex", "OutputControlPointID", "PrimitiveID", "TessFactor", "InsideTessFactor",
    "DomainLocation", "GSInstanceID", "SampleIndex", "StencilRef", "Barycentrics", "RenderTargetArrayIndex",
    "ViewportArrayIndex", "Coverage", "ViewID", "InnerCoverage", "ShadingRate", "CullPrimitive",
)  # fmt: skip
SPELLING = {name.upper(): name for name in _SPELLINGS}
"""System value in upper case → its documented spelling."""

_STAGES = {
    "VS": "vertex shaders", "HSCP": "hull shaders", "HS": "hull shaders", "PC": "patch constant functions",
    "DSCP": "domain shaders", "DS": "domain shaders", "GSV": "geometry shaders", "GS": "geometry shaders",
    "PS": "pixel shaders", "CS": "compute shaders", "MS": "mesh shaders", "AS": "amplification shaders",
}  # fmt: skip
_POINT = re.compile("([A-Z]+)(In|Out)")


def invalid_semantic(semantic: Semantic, point: str, tokens: Sequence[str]) -> Advice | None:
    """Return the hint for a semantic that is not valid at ``point``; ``None`` without a helpful one.

    It suggests a similar name, or lists the stages that have the semantic. ``tokens`` are those of the declaration.
    """
    row = TABLE.get(semantic.system)
    if row is not None:
        return Advice(f"SV_{SPELLING[semantic.system]} is {_places(row)}")
    names = [f"SV_{SPELLING[system]}" for system, row in TABLE.items() if point in row] if semantic.system else []
    close = most_similar(semantic.name, names)
    if close is None:
        return Advice(f"{_stage(point)} have {', '.join(names)}") if names else None
    word = close + semantic.text[len(semantic.name) :]
    at = tokens.index(semantic.text, semantic.pos) if semantic.text in tokens[semantic.pos :] else None
    return Advice(f"did you mean '{word}'?", (Edit(word, at),) if at is not None else ())


def _places(row: dict[str, int]) -> str:
    """Describe the stages that have a system value: ``an input of compute shaders``."""
    parts = []
    for direction, words in (("In", "an input of"), ("Out", "an output of")):
        stages = dict.fromkeys(_stage(point) for point in row if point.endswith(direction))
        if stages:
            parts.append(f"{words} {', '.join(stages)}")
    return " and ".join(parts)


def _stage(point: str) -> str:
    matched = _POINT.match(point)
    return _STAGES.get(matched[1], point) if matched is not None else point
