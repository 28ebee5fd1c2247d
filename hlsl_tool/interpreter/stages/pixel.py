"""The pixel stage: interpolate inputs, shade fragments, and write the targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass

from ..program.program import Variable
from ..runtime.cells import CellPointer, set_cells
from ..runtime.state import Registers, State
from ..runtime.values import Array, zeros
from .interface import Slot, Values, at_vertices, collect, input_value, outputs, variables, vertex_array
from .interpolation import Interpolation, Modes
from .launch import Stage, prepare_lanes, run_lanes, widened
from .merging import Place, Targets
from .primitives import Primitives
from .rasterizer import POSITIONS, Fragments


class PixelStage:
    """The pixel shader of a draw."""

    def __init__(self, stage: Stage, targets: Targets) -> None:
        self.stage, self.program, self.targets = stage, stage.program, targets
        self.inputs = variables(self.program, StorageClass.Input)
        decorations = (Decoration.Flat, Decoration.NoPerspective, Decoration.Centroid, Decoration.Sample)
        self.modes = Modes(*(self._decorated(decoration) for decoration in decorations))
        self.is_early = ExecutionMode.EarlyFragmentTests in self.program.modes
        built_ins = {variable.built_in for variable in self.inputs}
        self.shades_samples = bool(self.modes.sample or built_ins & {BuiltIn.SampleId, BuiltIn.SamplePosition})
        """Whether the shader runs for each sample."""
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
        inputs = Interpolation(self.modes, primitives, fragments, screen)
        if self.is_early:
            fragments = self._tested(fragments, inputs)
        values = Values(inputs.values(), self._built_ins(fragments, inputs))
        state, registers, lanes = prepare_lanes(self.stage, fragments.count, values)
        for variable in self.per_vertex:
            value = vertex_array(self.program, variable, primitives.vertices, list(inputs.corners))
            set_cells(registers[variable.id].node, value)
        state.helpers = ~widened(fragments.covered, lanes)
        axes = (fragments.x, fragments.y, *([fragments.sample] if fragments.is_of_samples else []))
        state.extra["pixels"] = tuple(widened(axis, lanes) for axis in axes)
        state.extra["interpolate"] = self._interpolator(registers, inputs)
        state.extra["samples"] = POSITIONS[fragments.samples.shape[0]]
        run_lanes(self.stage, state, registers)
        self._write(fragments, inputs, state, registers)

    # ---- inputs

    def _built_ins(self, fragments: Fragments, inputs: Interpolation) -> dict[int, Any]:
        primitives, own = inputs.primitives, inputs.own
        flat, whole = primitives.vertices.built_ins, primitives.own.built_ins
        positions = POSITIONS[fragments.samples.shape[0]]
        at = positions[fragments.sample].T if fragments.is_of_samples else np.full((2, 1), 0.5)
        bits = np.uint32(1) << np.arange(len(positions), dtype=np.uint32)
        mask = (fragments.samples * bits[:, None]).sum(axis=0, dtype=np.uint32)
        place = (fragments.x + at[0], fragments.y + at[1], own.depth, own.inverse)
        built_ins: dict[int, Any] = {
            BuiltIn.FragCoord: np.stack(place).astype(np.float32),
            BuiltIn.FrontFacing: fragments.front,
            BuiltIn.HelperInvocation: ~fragments.covered,
            BuiltIn.SampleId: np.maximum(fragments.sample, 0).astype(np.uint32),
            BuiltIn.SampleMask: mask[None],
            BuiltIn.SamplePosition: at.astype(np.float32),
            BuiltIn.BaryCoordKHR: inputs.centre.perspective.astype(np.float32),
            BuiltIn.BaryCoordNoPerspKHR: inputs.centre.screen.astype(np.float32),
            BuiltIn.PrimitiveId: primitives.numbers[fragments.primitive].astype(np.uint32),
        }
        for number in (BuiltIn.Layer, BuiltIn.ViewportIndex, BuiltIn.PrimitiveId):
            if number in flat:
                built_ins[number] = at_vertices(flat[number], inputs.provoking)
            if number in whole:
                built_ins[number] = at_vertices(whole[number], fragments.primitive)
        for number in (BuiltIn.ClipDistance, BuiltIn.CullDistance):
            if number in flat:
                built_ins[number] = inputs.mixed(flat[number], inputs.centre.perspective)
        return built_ins

    def _interpolator(self, registers: Registers, inputs: Interpolation) -> Any:
        """Return the function that interpolates an input at positions in the pixels, or at ``"centroid"``."""

        def interpolate(pointer: CellPointer, place: Any) -> Any:
            for variable in self.inputs:
                own = registers[variable.id]
                if isinstance(own, CellPointer) and own.node is pointer.node:
                    return input_value(self.program, variable, variable.type, inputs.at(place))
            return pointer.load()

        return interpolate

    # ---- outputs

    def _write(self, fragments: Fragments, inputs: Interpolation, state: State, registers: Registers) -> None:
        count, lanes = fragments.count, state.shape.lanes
        out, second = outputs(self.program, registers), outputs(self.program, registers, index=1)
        alive = fragments.samples.copy()
        for gone in (state.dead, state.helpers):
            if gone is not None:
                alive &= ~gone[:count]
        if BuiltIn.SampleMask in out.built_ins:
            masks = np.broadcast_to(out.built_ins[BuiltIn.SampleMask][0], (lanes,))[:count]
            alive &= (masks >> np.arange(len(alive), dtype=np.uint32)[:, None] & 1) != 0
        depth = out.built_ins.get(BuiltIn.FragDepth)
        written = None if depth is None else np.broadcast_to(depth, (max(depth.shape[-1], count),))[:count]
        depths = self._depths(fragments, inputs, written)
        colours = {n: [_colour(v, n, lanes)[:, :count] for v in (out, second)] for n in self.targets.colours}
        for chosen, place in self._places(fragments, inputs, alive):
            passed = np.ones(chosen.shape, np.bool_)
            if not self.is_early:
                passed = self.targets.test_depth(place, depths[place[3], chosen])
            for location, (colour, other) in colours.items():
                where = place[0][passed], place[1][passed], place[2][passed], place[3][passed]
                self.targets.put(location, where, colour[:, chosen[passed]], other[:, chosen[passed]])

    def _places(self, fragments: Fragments, inputs: Interpolation, alive: Array) -> Iterator[tuple[Array, Place]]:
        """Yield the fragments of each primitive that have samples to be written, one at each place of a target.

        Fragments in layers that the targets lack are dropped.
        """
        layers = self._layers(fragments, inputs)
        alive = alive & (layers >= 0) & (layers < self.targets.layers)
        starts = np.flatnonzero(np.diff(fragments.primitive, prepend=-1))
        for start, end in zip(starts, [*starts[1:], fragments.count], strict=True):
            samples, chosen = np.nonzero(alive[:, start:end])
            chosen = chosen + start
            yield chosen, (layers[chosen], fragments.y[chosen], fragments.x[chosen], samples)

    def _layers(self, fragments: Fragments, inputs: Interpolation) -> Array:
        primitives = inputs.primitives
        layer: Any = np.zeros(1, np.int64)
        if BuiltIn.Layer in primitives.vertices.built_ins:
            layer = at_vertices(primitives.vertices.built_ins[BuiltIn.Layer], inputs.provoking)
        if BuiltIn.Layer in primitives.own.built_ins:
            layer = at_vertices(primitives.own.built_ins[BuiltIn.Layer], fragments.primitive)
        return np.broadcast_to(layer, (fragments.count,)).astype(np.int64)

    def _depths(self, fragments: Fragments, inputs: Interpolation, written: Array | None) -> Array:
        """Return (samples, fragments): the depths that the shader writes, or those of the primitives at the samples."""
        shape = fragments.samples.shape
        if written is not None:
            return np.broadcast_to(written, shape)
        if shape[0] == 1 or self.targets.depth is None:
            return np.broadcast_to(inputs.centre.depth.astype(np.float32), shape)
        return np.stack([inputs.moved(x, y).depth for x, y in POSITIONS[shape[0]]]).astype(np.float32)

    def _tested(self, fragments: Fragments, inputs: Interpolation) -> Fragments:
        """Return the fragments with the samples that pass the depth test before the shader runs."""
        depths, covered = self._depths(fragments, inputs, None), np.zeros_like(fragments.samples)
        for chosen, place in self._places(fragments, inputs, fragments.samples):
            passed = self.targets.test_depth(place, depths[place[3], chosen])
            covered[place[3][passed], chosen[passed]] = True
        return replace(fragments, samples=covered)


def _colour(out: Values, location: int, lanes: int) -> Array:
    """Return four channels of an output; those that the shader does not write are 0."""
    parts = {slot[1]: value for slot, value in out.slots.items() if slot[0] == location}
    kinds = [value.dtype for value in parts.values()]
    colour = np.zeros((4, lanes), kinds[0] if kinds else np.float32)
    for component, value in parts.items():
        rows = value if value.ndim > 1 else value[None]
        colour[component : component + rows.shape[0]] = rows
    return colour
