"""Names of lanes: their thread, pixel or vertex, and which lane has one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.interpreter.runtime.state import State
from hlsl_tool.spirv.enums import ExecutionModel

_WORDS = {
    ExecutionModel.GLCompute: "thread",
    ExecutionModel.Fragment: "pixel",
    ExecutionModel.Vertex: "vertex",
    ExecutionModel.TessellationControl: "point",
    ExecutionModel.TessellationEvaluation: "vertex",
    ExecutionModel.Geometry: "primitive",
    ExecutionModel.RayGenerationKHR: "ray",
    ExecutionModel.TaskEXT: "thread",
    ExecutionModel.MeshEXT: "thread",
}


_PLACES = ("threads", "pixels", "rays", "vertices", "points", "primitives")
"""What stages store of their lanes; each has one of these."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The lane that a launch configuration chooses."""

    word: str
    """``thread``, ``pixel``, ``vertex``, ``point``, ``primitive``, ``ray`` or ``lane``."""
    place: tuple[int, ...]

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.place))
        return f"{self.word} ({numbers})" if len(self.place) > 1 else f"{self.word} {numbers}"


def places(state: State) -> npt.NDArray[np.int64]:
    """Return the place of each lane, such as its thread, its pixel or the number of its vertex; a row for each axis."""
    named = (state.extra.get(name) for name in _PLACES)
    axes = next((axes for axes in named if axes is not None), [np.arange(state.shape.lanes)])
    return np.stack([np.broadcast_to(np.asarray(axis), (state.shape.lanes,)) for axis in axes]).astype(np.int64)


def lane_at(state: State, chosen: Chosen) -> int | None:
    """Return the lane with a place; ``None`` if it is not among these lanes."""
    if chosen.word == "lane":
        return chosen.place[0] if chosen.place[0] < state.shape.lanes else None
    axes = places(state)
    given = (*chosen.place, 0, 0)[: len(axes)]
    hits = np.flatnonzero((axes == np.array(given)[:, None]).all(axis=0))
    return int(hits[0]) if hits.size else None


def name_of(state: State, lane: int) -> str:
    """Return the name of a lane, such as ``thread (5, 0, 0)``."""
    place = tuple(int(number) for number in places(state)[:, lane])
    name = str(Chosen(_WORDS.get(state.extra["program"].model, "lane"), place))
    is_helper = state.helpers is not None and bool(state.helpers[lane])
    return f"{name}, a helper" if is_helper else name


def ranges(lanes: npt.NDArray[np.intp]) -> str:
    """Return numbers of lanes as text, such as ``0–4, 6``."""
    out: list[str] = []
    cuts = np.flatnonzero(np.diff(lanes) != 1) + 1
    for part in np.split(lanes, cuts):
        if part.size:
            out.append(f"{part[0]}" if part.size == 1 else f"{part[0]}–{part[-1]}")
    return ", ".join(out[:8]) + (", …" if len(out) > 8 else "")
