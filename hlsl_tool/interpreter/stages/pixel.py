"""The pixel stage: interpolate inputs, shade fragments, and write the targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass

from ..images.image import Image
from ..images.sampling import COMPARISONS
from ..program.program import Variable
from ..runtime.cells import CellPointer, set_cells
from ..runtime.state import Registers, State
from ..runtime.values import Array, zeros
from .interface import Slot, Values, at_vertices, collect, input_value, outputs, variables, vertex_array
from .launch import Stage, prepare_lanes, run_lanes, widened
from .primitives import Primitives
from .rasterizer import Fragments


@dataclass(slots=True)
class Targets:
    """The images into which fragments are written."""

    colours: dict[int, Image] = field(default_factory=dict)
    """Location → image."""
    depth: Image | None = None
    compare: str = "always"
    """The comparison of depths: ``less``, ``less-equal`` and so on."""

    @property
    def size(self) -> tuple[int, int] | None:
        """The width and height; ``None`` without an image."""
        images = [*self.colours.values(), *([self.depth] if self.depth is not None else [])]
        if not images:
            return None
        return min(image.size[0] for image in images), min(image.size[1] for image in images)


class PixelStage:
    """The pixel shader of a draw."""

    def __init__(self, stage: Stage, targets: Targets) -> None:
        self.stage, self.program, self.targets = stage, stage.program, targets
        self.inputs = variables(self.program, StorageClass.Input)
        self.flat, self.linear = self._decorated(Decoration.Flat), self._decorated(Decoration.NoPerspective)
        self.per_vertex = [v for v in self.inputs if Decoration.PerVertexKHR in v.decorations]

    def _decorated(self, decoration: int) -> set[Slot]:
        found: set[Slot] = set()
        for variable in self.inputs:
            if decoration in variable.decorations:
                found |= self._slots(variable)
        return found

    def _slots(self, variable: Variable) -> set[Slot]:
        out = Values()
        collect(self.program, variable, variable.type, zeros(variable.type), out)
        return set(out.slots)

    def shade(self, fragments: Fragments, primitives: Primitives, screen: Array) -> None:
        """Run the shader for fragments of one or more primitives, in their order, and write the targets."""
        inputs = self._inputs(fragments, primitives, screen)
        state, registers, lanes = prepare_lanes(self.stage, fragments.count, inputs.values)
        for variable in self.per_vertex:
            value = vertex_array(self.program, variable, primitives.vertices, list(inputs.corners))
            set_cells(registers[variable.id].node, value)
        state.helpers = ~widened(fragments.covered, lanes)
        state.extra["pixels"] = (widened(fragments.x, lanes), widened(fragments.y, lanes))
        state.extra["moved"] = self._mover(registers, inputs)
        run_lanes(self.stage, state, registers)
        self._write(fragments, primitives, inputs, state, outputs(self.program, registers))

    # ---- inputs

    def _inputs(self, fragments: Fragments, primitives: Primitives, screen: Array) -> Interpolation:
        corners = primitives.corners[fragments.primitive].T
        inverse = screen[3][corners] * fragments.weights
        total = inverse.sum(axis=0)
        depth = (screen[2][corners] * fragments.weights).sum(axis=0)
        place = np.stack([fragments.x + 0.5, fragments.y + 0.5, depth, total]).astype(np.float32)
        provoking = primitives.provoking[fragments.primitive]
        inputs = Interpolation(self, primitives, corners, provoking, inverse / total, fragments.weights)
        inputs.values.slots = {slot: inputs.slot(slot, value) for slot, value in primitives.vertices.slots.items()}
        own = primitives.own
        inputs.values.slots |= {slot: at_vertices(value, fragments.primitive) for slot, value in own.slots.items()}
        flat = primitives.vertices.built_ins
        built_ins: dict[int, Any] = {
            BuiltIn.FragCoord: place,
            BuiltIn.FrontFacing: fragments.front,
            BuiltIn.HelperInvocation: ~fragments.covered,
            BuiltIn.SampleId: np.zeros(1, np.uint32),
            BuiltIn.SampleMask: fragments.covered.astype(np.uint32)[None],
            BuiltIn.SamplePosition: np.full((2, 1), 0.5, np.float32),
            BuiltIn.BaryCoordKHR: inputs.perspective.astype(np.float32),
            BuiltIn.BaryCoordNoPerspKHR: inputs.weights.astype(np.float32),
            BuiltIn.PrimitiveId: primitives.numbers[fragments.primitive].astype(np.uint32),
        }
        for number in (BuiltIn.Layer, BuiltIn.ViewportIndex, BuiltIn.PrimitiveId):
            if number in flat:
                built_ins[number] = at_vertices(flat[number], provoking)
            if number in own.built_ins:
                built_ins[number] = at_vertices(own.built_ins[number], fragments.primitive)
        for number in (BuiltIn.ClipDistance, BuiltIn.CullDistance):
            if number in flat:
                built_ins[number] = inputs.mixed(flat[number], inputs.perspective)
        inputs.values.built_ins = built_ins
        return inputs

    def _mover(self, registers: Registers, inputs: Interpolation) -> Any:
        """Return the function that interpolates an input at offsets from the centres of pixels."""

        def moved(pointer: CellPointer, offset: Array) -> Any:
            for variable in self.inputs:
                own = registers[variable.id]
                if isinstance(own, CellPointer) and own.node is pointer.node:
                    return inputs.at(offset, variable)
            return pointer.load()

        return moved

    # ---- outputs

    def _write(
        self, fragments: Fragments, primitives: Primitives, inputs: Interpolation, state: State, out: Values
    ) -> None:
        count = fragments.count
        alive = fragments.covered.copy()
        for gone in (state.dead, state.helpers):
            if gone is not None:
                alive &= ~gone[:count]
        if BuiltIn.SampleMask in out.built_ins:
            masks = np.broadcast_to(out.built_ins[BuiltIn.SampleMask][0], (state.shape.lanes,))
            alive &= (masks[:count] & 1) != 0
        depth = out.built_ins.get(BuiltIn.FragDepth, inputs.values.built_ins[BuiltIn.FragCoord][2])
        depth = np.broadcast_to(depth, (max(depth.shape[-1], count),))[:count]
        layer = inputs.values.built_ins.get(BuiltIn.Layer, np.zeros(1, np.int64))
        layers = np.broadcast_to(layer, (count,)).astype(np.int64)
        colours = {location: _colour(out, location, state.shape.lanes)[:, :count] for location in self.targets.colours}
        starts = np.flatnonzero(np.diff(fragments.primitive, prepend=-1))
        for start, end in zip(starts, [*starts[1:], count], strict=True):
            chosen = np.arange(start, end)[alive[start:end]]
            place = (layers[chosen], fragments.y[chosen], fragments.x[chosen])
            passed = self._test_depth(place, depth[chosen])
            chosen, place = chosen[passed], (place[0][passed], place[1][passed], place[2][passed])
            for location, colour in colours.items():
                _put(self.targets.colours[location], place, colour[:, chosen])

    def _test_depth(self, place: tuple[Array, Array, Array], depth: Array) -> Array:
        """Return which fragments are visible, and store their depths."""
        image = self.targets.depth
        if image is None:
            return np.ones(depth.shape, np.bool_)
        stored = _texels(image)[place][..., 0]
        passed = np.broadcast_to(COMPARISONS[self.targets.compare](depth, stored), depth.shape)
        _texels(image)[(place[0][passed], place[1][passed], place[2][passed])] = depth[passed][:, None]
        return passed


class Interpolation:
    """The weights of the vertices for each fragment, and the inputs that they give."""

    def __init__(
        self,
        stage: PixelStage,
        primitives: Primitives,
        corners: Array,
        provoking: Array,
        perspective: Array,
        weights: Array,
    ) -> None:
        self.stage, self.primitives, self.corners, self.provoking = stage, primitives, corners, provoking
        self.perspective, self.weights = perspective, weights
        self.values = Values()

    def slot(self, slot: Slot, value: Array, moved: tuple[Array, Array] | None = None) -> Array:
        """Return an input of the fragments; ``moved`` are other weights, with and without perspective."""
        if slot in self.stage.flat or value.dtype.kind != "f":
            return at_vertices(value, self.provoking)
        perspective, weights = moved or (self.perspective, self.weights)
        return self.mixed(value, weights if slot in self.stage.linear else perspective)

    def mixed(self, value: Array, weights: Array) -> Array:
        """Return values of vertices, mixed by weights."""
        if value.shape[-1] == 1:
            return value
        return (value[..., self.corners].astype(np.float64) * weights).sum(axis=-2).astype(value.dtype)

    def at(self, offset: Array, variable: Variable) -> Any:
        """Return an input at an offset from the centre of each pixel."""
        lanes = self.weights.shape[-1]
        x, y = (np.broadcast_to(axis, (max(axis.shape[-1], lanes),))[:lanes].astype(np.float64) for axis in offset)

        def moved(weights: Array) -> Array:
            quads = weights.reshape(3, -1, 4)
            across = np.repeat(quads[..., 1:2] - quads[..., :1], 4, axis=-1).reshape(3, -1)
            down = np.repeat(quads[..., 2:3] - quads[..., :1], 4, axis=-1).reshape(3, -1)
            return weights + across * x + down * y

        weights = moved(self.weights)
        inverse = self.perspective / np.where(self.weights == 0, 1, self.weights)
        inverse = np.where(self.weights == 0, 1, inverse)
        scaled = weights * inverse
        both = scaled / scaled.sum(axis=0), weights
        slots = {slot: self.slot(slot, value, both) for slot, value in self.primitives.vertices.slots.items()}
        return input_value(self.stage.program, variable, variable.type, Values(slots))


def _colour(out: Values, location: int, lanes: int) -> Array:
    """Return four channels of an output; those that the shader does not write are 0."""
    parts = {slot[1]: value for slot, value in out.slots.items() if slot[0] == location}
    kinds = [value.dtype for value in parts.values()]
    colour = np.zeros((4, lanes), kinds[0] if kinds else np.float32)
    for component, value in parts.items():
        rows = value if value.ndim > 1 else value[None]
        colour[component : component + rows.shape[0]] = rows
    return colour


def _texels(image: Image) -> Array:
    """Return the numbers of the first level with axes for layer, row, column and channel."""
    width, height, _ = image.size
    form = image.format
    used = image.layers * height * width * form.size
    return image.buffer.bytes[:used].view(form.number).reshape(image.layers, height, width, form.count)


def _put(image: Image, place: tuple[Array, Array, Array], colour: Array) -> None:
    _texels(image)[place] = image.format.encode(colour).T
