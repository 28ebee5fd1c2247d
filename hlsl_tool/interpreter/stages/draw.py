"""Draws: vertices through the stages of a graphics pipeline to pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode, ExecutionModel

from ..errors import ExecutionError, NotInterpretedError
from ..images.formats import Format
from ..program.program import Program
from ..program.resources import Resources
from ..runtime.values import Array
from .compute import Settings
from .geometry import geometry
from .interface import Slot, Values, outputs
from .launch import narrowed, prepare_lanes, run_lanes
from .mesh import mesh
from .pixel import PixelStage, Targets
from .primitives import Primitives, assembled, clipped
from .rasterizer import Bounds, Fragments, Viewport, joined, on_screen, rasterized
from .tessellation import tessellated

FRAGMENTS = 8192
"""The number of pixels that are shaded together, whole quads."""


@dataclass(slots=True)
class Attribute:
    """A vertex attribute: a part of each vertex in a buffer."""

    location: int
    format: Format
    data: Array
    """The bytes of the buffer."""
    offset: int = 0
    stride: int = 16
    per_instance: bool = False


@dataclass(slots=True)
class Draw:
    """A draw, without shaders and resources."""

    count: int
    """The number of vertices."""
    instances: int = 1
    topology: str = "triangles"
    """``points``, ``lines``, ``line strip``, ``triangles``, ``triangle strip`` or ``patches``."""
    patch: int = 0
    """The number of vertices of a patch."""
    attributes: list[Attribute] = field(default_factory=list)
    targets: Targets = field(default_factory=Targets)
    size: tuple[int, int] = (0, 0)
    """The width and height, needed without targets."""
    viewport: Viewport | None = None
    """By default the whole picture."""
    scissor: Bounds | None = None
    """The pixels outside of which nothing is drawn: left, top, and behind the right and lower ones."""
    clockwise_front: bool = False
    groups: tuple[int, int, int] = (1, 1, 1)
    """The number of groups of a mesh shader, or of the task shader before it."""


_STAGES = frozenset(
    (
        ExecutionModel.Vertex,
        ExecutionModel.TessellationControl,
        ExecutionModel.TessellationEvaluation,
        ExecutionModel.Geometry,
        ExecutionModel.TaskEXT,
        ExecutionModel.MeshEXT,
        ExecutionModel.Fragment,
    )
)


def draw(programs: Mapping[int, Program], given: Draw, resources: Resources, settings: Settings | None = None) -> None:
    """Draw; ``programs`` maps execution models to the programs of the stages.  Targets are changed in place."""
    settings = settings or Settings()
    for model in programs:
        if model not in _STAGES:
            raise NotInterpretedError(f"the execution model {model}")
    stage = None
    if ExecutionModel.Fragment in programs:
        stage = PixelStage(programs[ExecutionModel.Fragment], resources, given.targets, settings)
    with np.errstate(all="ignore"):
        for primitives in _primitives(programs, given, resources, settings):
            if stage is not None and len(primitives.corners):
                rasterize(stage, clipped(primitives, stage.linear), given)


def _primitives(
    programs: Mapping[int, Program], given: Draw, resources: Resources, settings: Settings
) -> Iterator[Primitives]:
    """Run the stages before the rasteriser, and yield the primitives in order."""
    if ExecutionModel.MeshEXT in programs:
        task = programs.get(ExecutionModel.TaskEXT)
        yield from mesh(task, programs[ExecutionModel.MeshEXT], given.groups, resources, settings)
        return
    if ExecutionModel.Vertex not in programs:
        raise ExecutionError("a draw needs a vertex or a mesh shader")
    vertices = _vertices(programs[ExecutionModel.Vertex], given, resources, settings)
    if ExecutionModel.TessellationControl in programs:
        stages = [programs[m] for m in (ExecutionModel.TessellationControl, ExecutionModel.TessellationEvaluation)]
        primitives = tessellated(stages[0], stages[1], vertices, given.patch, resources, settings)
    else:
        primitives = _assembled(given, vertices)
    if ExecutionModel.Geometry in programs:
        primitives = geometry(programs[ExecutionModel.Geometry], primitives, resources, settings)
    yield primitives


def _vertices(program: Program, given: Draw, resources: Resources, settings: Settings) -> Values:
    """Run the vertex shader for all vertices of all instances."""
    total = given.count * given.instances
    number = np.tile(np.arange(given.count), given.instances)
    instance = np.repeat(np.arange(given.instances), given.count)
    slots: dict[Slot, Array] = {}
    for attribute in given.attributes:
        slots[attribute.location, 0] = _fetched(attribute, instance if attribute.per_instance else number)
    built_ins: dict[int, Any] = {
        BuiltIn.VertexIndex: number.astype(np.uint32),
        BuiltIn.InstanceIndex: instance.astype(np.uint32),
        BuiltIn.VertexId: number.astype(np.uint32),
        BuiltIn.InstanceId: instance.astype(np.uint32),
    }
    state, registers, _ = prepare_lanes(program, total, Values(slots, built_ins), resources, settings)
    run_lanes(program, state, registers)
    return narrowed(outputs(program, registers), total)


def _fetched(attribute: Attribute, vertices: Array) -> Array:
    """Return an attribute of vertices; those beyond the buffer are 0."""
    form = attribute.format
    starts = vertices * attribute.stride + attribute.offset
    at = starts[:, None] + np.arange(form.size)
    inside: Any = (at < attribute.data.size).all(axis=1)
    raw = attribute.data[np.where(inside[:, None], at, 0)]
    numbers = np.ascontiguousarray(raw).view(form.number).T
    return form.decode(np.where(inside, numbers, numbers.dtype.type(0)))


def _assembled(given: Draw, vertices: Values) -> Primitives:
    size, corners = assembled(given.topology, given.count)
    starts = np.arange(given.instances) * given.count
    every = (starts[:, None, None] + corners).reshape(-1, 3)
    numbers = np.tile(np.arange(len(corners)), given.instances)
    return Primitives(size, every, vertices, every[:, 0].copy(), numbers)


def rasterize(stage: PixelStage, primitives: Primitives, given: Draw) -> None:
    """Find the pixels of primitives and shade them."""
    size = stage.targets.size or given.size
    viewport = given.viewport or Viewport(0, 0, size[0], size[1])
    left, top, right, bottom = given.scissor or (0, 0, *size)
    bounds = (max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1]))
    screen = on_screen(primitives.vertices.built_ins[BuiltIn.Position], viewport)
    waiting: list[Fragments] = []
    most = 1 if ExecutionMode.EarlyFragmentTests in stage.program.modes else FRAGMENTS
    for number in range(len(primitives.corners)):
        found = rasterized(primitives, number, screen, bounds, clockwise_front=given.clockwise_front)
        if found is not None:
            waiting.append(found)
        if sum(part.count for part in waiting) >= most:
            _shade(stage, waiting, primitives, screen)
            waiting = []
    if waiting:
        _shade(stage, waiting, primitives, screen)


def _shade(stage: PixelStage, waiting: list[Fragments], primitives: Primitives, screen: Array) -> None:
    """Shade pixels of primitives in their order, not more than `FRAGMENTS` together."""
    fragments = joined(waiting)
    for start in range(0, fragments.count, FRAGMENTS):
        with stage.resources.space.temporary():
            stage.shade(fragments.part(start, start + FRAGMENTS), primitives, screen)
