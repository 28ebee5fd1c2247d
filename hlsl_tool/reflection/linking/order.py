"""The order of stages in graphics pipelines; stages have HLSL's names."""

from __future__ import annotations

from collections.abc import Collection

ORDER = ("vertex", "hull", "domain", "geometry", "amplification", "mesh", "pixel")
_BEFORE_PIXELS = (ORDER[:4], ORDER[4:6])
"""The two sequences of stages before the rasteriser."""


def earlier(stage: str, present: Collection[str]) -> list[str]:
    """Return the stages among ``present`` that come before a stage in its pipeline, the nearest first."""
    if stage not in ORDER:
        return []
    by_vertices, by_meshes = _BEFORE_PIXELS
    meshes = stage in by_meshes or (stage == "pixel" and "mesh" in present and "vertex" not in present)
    chain = by_meshes if meshes else by_vertices
    return [s for s in reversed(chain) if s in present and ORDER.index(s) < ORDER.index(stage)]


def before(stage: str, present: Collection[str]) -> str:
    """Return the stage among ``present`` whose outputs are a stage's inputs; ``""`` if there is none."""
    return next((s for s in earlier(stage, present) if s != "amplification"), "")
