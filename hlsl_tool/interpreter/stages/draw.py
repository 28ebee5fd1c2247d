"""Draws: vertices through the stages of a graphics pipeline to pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode, ExecutionModel

from ..errors import ExecutionError, NotInterpretedError
from ..images.formats import Format
from ..program.program import Program
from ..program.resources import Resources
from ..runtime.values import Array
from .compute import Settings
from .geometry import geometry, input_topology
from .interface import Slot, Values, at_vertices, outputs
from .launch import Stage, narrowed, prepare_lanes, run_lanes
from .merging import Targets
from .mesh import mesh
from .pixel import PixelStage
from .primitives import Primitives, assembled, clipped, without_adjacency
from .rasterizer import POSITIONS, Bounds, Fragments, Viewport, joined, on_screen, rasterized
from .tessellation import controlled, patch_length, tessellated

MOST_IN_PATCH = 32
"""The length of the arrays over a patch's vertices in modules of GLSL, whose patches may be shorter."""
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
    topology: str = ""
    """One of ``TOPOLOGIES``; by default that of the geometry shader's input, or ``triangles``.  Not for patches."""
    patch: int = 0
    """The number of vertices of a patch; by default that of the control stage's input."""
    attributes: list[Attribute] = field(default_factory=list)
    inputs: Values = field(default_factory=Values)
    """Further inputs of the first stage, whose last axis are the vertices of an instance."""
    indices: Array | None = None
    """The vertices in the order in which they form primitives; by default each one once."""
    targets: Targets = field(default_factory=Targets)
    size: tuple[int, int] = (0, 0)
    """The width and height, needed without targets."""
    samples: int = 1
    """The number of samples of a pixel without targets: 1, 2, 4, 8 or 16."""
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
    chosen = settings or Settings()
    if not {ExecutionModel.Vertex, ExecutionModel.MeshEXT} & programs.keys():
        raise ExecutionError("a draw needs a vertex or a mesh shader")
    draw_stages({model: Stage(program, resources, chosen) for model, program in programs.items()}, given)


def draw_stages(stages: Mapping[int, Stage], given: Draw) -> list[Primitives]:
    """Draw with stages that have resources and settings of their own; targets are changed in place.

    The first stages and the last ones may be missing: without a vertex shader the vertices are those of
    ``Draw.inputs``.  Return the primitives before they are rasterised, those of each run of the mesh shader by
    themselves.  Behind a control stage without an evaluation stage they are its control points.
    """
    for model in stages:
        if model not in _STAGES:
            raise NotInterpretedError(f"the execution model {model}")
    pixel = None
    if ExecutionModel.Fragment in stages:
        pixel = PixelStage(stages[ExecutionModel.Fragment], given.targets)
    out = []
    with np.errstate(all="ignore"):
        for primitives in _primitives(stages, given):
            out.append(primitives)
            if pixel is not None and len(primitives.corners):
                rasterize(pixel, clipped(primitives, pixel.modes.linear), given)
    return out


def _primitives(stages: Mapping[int, Stage], given: Draw) -> Iterator[Primitives]:
    """Run the stages before the rasteriser, and yield the primitives in order."""
    if ExecutionModel.MeshEXT in stages:
        with _temporary(stages):
            yield from mesh(stages.get(ExecutionModel.TaskEXT), stages[ExecutionModel.MeshEXT], given.groups)
        return
    with _temporary(stages):
        vertices = _vertices(stages.get(ExecutionModel.Vertex), given)
        if given.indices is not None:
            vertices = _indexed(vertices, given, given.indices)
            given = replace(given, count=len(given.indices), indices=None)
        control, evaluation = (stages.get(model) for model in _TESSELLATION)
        if control is not None:
            primitives = _tessellated(control, evaluation, vertices, given)
        elif evaluation is not None:
            raise ExecutionError("a domain shader needs a hull shader")
        else:
            primitives = _assembled(stages, given, vertices)
        if ExecutionModel.Geometry in stages:
            primitives = geometry(stages[ExecutionModel.Geometry], primitives)
    yield primitives


def _indexed(vertices: Values, given: Draw, indices: Array) -> Values:
    """Return the vertices in the order of the indices, for each instance."""
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < given.count:
        wrong = indices[(indices < 0) | (indices >= given.count)][0]
        raise ExecutionError(f"the index {wrong} is outside of the {given.count} vertices of the draw")
    starts = np.arange(given.instances)[:, None] * given.count
    order = (starts + indices.astype(np.int64)).reshape(-1)
    slots = {slot: at_vertices(value, order) for slot, value in vertices.slots.items()}
    built_ins = {number: at_vertices(value, order) for number, value in vertices.built_ins.items()}
    return narrowed(Values(slots, built_ins), len(order))


_TESSELLATION = (ExecutionModel.TessellationControl, ExecutionModel.TessellationEvaluation)


def _temporary(stages: Mapping[int, Stage]) -> ExitStack:
    """Return the context of a run of stages, at whose end the memory that they allocate is free."""
    context = ExitStack()
    for space in {id(stage.resources.space): stage.resources.space for stage in stages.values()}.values():
        context.enter_context(space.temporary())
    return context


def _tessellated(control: Stage, evaluation: Stage | None, vertices: Values, given: Draw) -> Primitives:
    """Run the tessellation stages; without an evaluation stage return the control points."""
    read = patch_length(control.program)
    patch = given.patch or read or given.count
    if patch != read and read not in (0, MOST_IN_PATCH):
        raise ExecutionError(f"the hull shader reads patches of {read} vertices, and those of the draw have {patch}")
    each = np.arange(given.count // patch) * patch
    starts = (np.arange(given.instances)[:, None] * given.count + each).reshape(-1)
    patches = controlled(control, vertices, starts, patch, given.instances)
    if evaluation is None:
        none = np.zeros(0, np.int64)
        return Primitives(1, np.zeros((0, 3), np.int64), patches.points, none, none, patches.own)
    return tessellated(control.program, evaluation, patches)


def _vertices(stage: Stage | None, given: Draw) -> Values:
    """Run the vertex shader for all vertices of all instances; without one, return the inputs."""
    total = given.count * given.instances
    number = np.tile(np.arange(given.count), given.instances)
    instance = np.repeat(np.arange(given.instances), given.count)
    slots: dict[Slot, Array] = {slot: value[..., number] for slot, value in given.inputs.slots.items()}
    if stage is None:
        own = {which: value[..., number] for which, value in given.inputs.built_ins.items()}
        return narrowed(Values(slots, own), total)
    for attribute in given.attributes:
        slots[attribute.location, 0] = _fetched(attribute, instance if attribute.per_instance else number)
    built_ins: dict[int, Any] = {
        BuiltIn.VertexIndex: number.astype(np.uint32),
        BuiltIn.InstanceIndex: instance.astype(np.uint32),
        BuiltIn.VertexId: number.astype(np.uint32),
        BuiltIn.InstanceId: instance.astype(np.uint32),
    }
    places = {"vertices": (number, instance) if given.instances > 1 else (number,)}
    state, registers, _ = prepare_lanes(stage, total, Values(slots, built_ins), places=places)
    run_lanes(stage, state, registers)
    return narrowed(outputs(stage.program, registers), total)


def _fetched(attribute: Attribute, vertices: Array) -> Array:
    """Return an attribute of vertices; those beyond the buffer are 0."""
    form = attribute.format
    starts = vertices * attribute.stride + attribute.offset
    at = starts[:, None] + np.arange(form.size)
    inside: Any = (at < attribute.data.size).all(axis=1)
    raw = attribute.data[np.where(inside[:, None], at, 0)]
    numbers = np.ascontiguousarray(raw).view(form.number).T
    return form.decode(np.where(inside, numbers, numbers.dtype.type(0)))


def _assembled(stages: Mapping[int, Stage], given: Draw, vertices: Values) -> Primitives:
    """Return the primitives of the vertices, without those beside them if no geometry shader reads these."""
    reader = stages.get(ExecutionModel.Geometry)
    topology = given.topology or (input_topology(reader.program) if reader is not None else "triangles")
    size, corners = assembled(topology, given.count)
    if reader is None:
        size, corners = (size // 2 if size > 3 else size), without_adjacency(topology, corners)
    starts = np.arange(given.instances) * given.count
    every = (starts[:, None, None] + corners).reshape(-1, corners.shape[1])
    numbers = np.tile(np.arange(len(corners)), given.instances)
    return Primitives(size, every, vertices, every[:, 0].copy(), numbers)


def rasterize(stage: PixelStage, primitives: Primitives, given: Draw) -> None:
    """Find the pixels of primitives and shade them."""
    size = stage.targets.size or given.size
    viewport = given.viewport or Viewport(0, 0, size[0], size[1])
    left, top, right, bottom = given.scissor or (0, 0, *size)
    bounds = (max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1]))
    screen = on_screen(primitives.vertices.built_ins[BuiltIn.Position], viewport)
    samples = stage.targets.samples or given.samples
    if samples not in POSITIONS:
        raise NotInterpretedError(f"targets of {samples} samples (there are: {', '.join(map(str, POSITIONS))})")
    waiting: list[Fragments] = []
    count = 0
    most = 1 if ExecutionMode.EarlyFragmentTests in stage.program.modes else FRAGMENTS
    for number in range(len(primitives.corners)):
        found = rasterized(primitives, number, screen, bounds, clockwise_front=given.clockwise_front, samples=samples)
        if found is not None:
            waiting.append(found)
            count += found.count
        if count >= most:
            _shade(stage, waiting, primitives, screen)
            waiting, count = [], 0
    if waiting:
        _shade(stage, waiting, primitives, screen)


def _shade(stage: PixelStage, waiting: list[Fragments], primitives: Primitives, screen: Array) -> None:
    """Shade pixels of primitives in their order, not more than `FRAGMENTS` together."""
    fragments = joined(waiting)
    if stage.shades_samples and fragments.samples.shape[0] > 1:
        fragments = fragments.of_samples()
    for start in range(0, fragments.count, FRAGMENTS):
        with stage.stage.resources.space.temporary():
            stage.shade(fragments.part(start, start + FRAGMENTS), primitives, screen)
