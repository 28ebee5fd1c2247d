"""The stages of graphics pipelines, by HLSL's names, and which hands over to which."""

from __future__ import annotations

from collections.abc import Iterable

ORDER = ("vertex", "hull", "domain", "geometry", "amplification", "mesh", "pixel")


def before(stage: str, present: Iterable[str]) -> str:
    """The stage among those present that hands over to this one; empty where there is none."""
    if stage in ("mesh", "amplification", "vertex") or stage not in ORDER:
        return ""
    chain = ORDER[:4] if "vertex" in present or "mesh" not in present else ("mesh",)
    earlier = [s for s in chain if s in present and ORDER.index(s) < ORDER.index(stage)]
    return earlier[-1] if earlier else ""
