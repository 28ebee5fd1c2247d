"""Divergence of an entry point's inputs."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.lints.divergence_sets import ALL, GROUP, QUAD, WAVE, Divergence
from hlsl_tool.frontend.sema.model.annotations import Semantic, find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Scalar, Struct, Type, Vector

PIXEL_VALUES = {
    "sv_position": QUAD | WAVE,
    "sv_coverage": QUAD | WAVE,
    "sv_barycentrics": QUAD | WAVE,
    "sv_clipdistance": QUAD | WAVE,
    "sv_culldistance": QUAD | WAVE,
    "sv_isfrontface": WAVE,
    "sv_primitiveid": WAVE,
    "sv_sampleindex": WAVE,
}
"""System values of pixel shaders."""
OTHER_VALUES = {
    "sv_vertexid": WAVE,
    "sv_instanceid": WAVE,
    "sv_primitiveid": WAVE,
    "sv_outputcontrolpointid": WAVE,
    "sv_domainlocation": WAVE,
    "sv_gsinstanceid": WAVE,
}
"""System values of the stages before rasterisation."""
GROUP_STAGES = frozenset(("compute", "mesh", "amplification", "node"))
RAY_STAGES = frozenset(("raygeneration", "closesthit", "anyhit", "miss", "intersection", "callable"))
_SMALLEST_WAVE = 32
"""Invocations of a wave that a thread group is taken to have at least, where it has as many."""

Cause = Callable[[str], int]
"""Returns the number of a new cause, shifted, for the name of an input."""


@dataclass(slots=True)
class Inputs:
    """Computes the divergence of one entry point's parameters."""

    stage: str
    threads: tuple[int, int, int]
    cause: Cause

    def of_parameter(self, param: Param) -> Divergence:
        """Return the divergence of a parameter of the entry point; 0 for an output."""
        if param.direction == "out":
            return 0
        return self._of(param.type, param.semantic, param.quals, param.name)

    def _of(self, t: Type, semantic: Semantic | None, quals: tuple[str, ...], name: str) -> Divergence:
        if isinstance(t, Struct) and self.stage not in RAY_STAGES:
            return tuple([self._of(f.type, semantic or f.semantic, (*quals, *f.quals), f.name) for f in t.all_fields()])
        if self.stage in RAY_STAGES:
            return WAVE | self.cause(f"'{name}'")
        if semantic is None and not isinstance(t, (Array, ObjectType)):
            return 0
        return self._of_semantic(t, semantic.name if semantic else "", quals, name)

    def _of_semantic(self, t: Type, semantic: str, quals: tuple[str, ...], name: str) -> Divergence:
        key = semantic.lower().rstrip("0123456789")
        label = f"'{name}' ({semantic})" if semantic else f"'{name}'"
        if self.stage in GROUP_STAGES:
            divergence = self._thread_id(key, label)
            count = t.size if isinstance(t, Vector) else 1
            return divergence if isinstance(divergence, int) else divergence[:count] if count > 1 else divergence[0]
        if key.startswith("sv_"):
            bits = (PIXEL_VALUES if self.stage == "pixel" else OTHER_VALUES).get(key, 0)
        elif self.stage == "pixel":
            bits = 0 if "nointerpolation" in quals or not _is_float(t) else QUAD | WAVE
        else:
            bits = WAVE if _is_float(t) else 0  # an integer may be the same for all vertices of a draw
        return bits | self.cause(label) if bits else 0

    def _thread_id(self, key: str, label: str) -> Divergence:
        x, y, z = self.threads
        if key == "sv_groupindex":
            return ALL | self.cause(label) if x * y * z > 1 else 0
        if key not in ("sv_groupthreadid", "sv_dispatchthreadid"):
            return 0
        cause = self.cause(label)
        quads = QUAD if x % 2 == 0 and y % 2 == 0 else 0
        return (
            ALL | cause if x > 1 else 0,
            GROUP | quads | (WAVE if x < _SMALLEST_WAVE else 0) | cause if y > 1 else 0,
            GROUP | (WAVE if x * y < _SMALLEST_WAVE else 0) | cause if z > 1 else 0,
        )


def threads_of(entry: Function) -> tuple[int, int, int]:
    """Return the thread group size of an entry point; (1, 1, 1) if it has none."""
    attribute = find_attribute(entry.attributes, "numthreads")
    sizes = [arg for arg in attribute.args if isinstance(arg, int)] if attribute is not None else []
    return (sizes[0], sizes[1], sizes[2]) if len(sizes) == 3 else (1, 1, 1)


def thread_count(var: Variable, component: int, threads: tuple[int, int, int]) -> int:
    """Return how many values a thread index within the group can have; 0 if the variable is no such index."""
    semantic = var.semantic.name.lower() if var.semantic is not None else ""
    if semantic == "sv_groupindex":
        return threads[0] * threads[1] * threads[2]
    return threads[component] if semantic == "sv_groupthreadid" else 0


def _is_float(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.element
    if isinstance(t, (Vector, Matrix)):
        t = t.element
    return isinstance(t, Scalar) and t.category == "float"
