"""Interpolation: the inputs of fragments, mixed from those of vertices at centres, centroids and samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass

from ..runtime.values import Array
from .interface import Slot, Values, at_vertices
from .primitives import Primitives
from .rasterizer import POSITIONS, Fragments


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the vertices at one position in each fragment."""

    perspective: Array
    """(3, fragments), with perspective."""
    screen: Array
    """(3, fragments), linear on the screen."""
    depth: Array
    inverse: Array
    """1 / w."""


@dataclass(frozen=True, slots=True)
class Modes:
    """The inputs that are not interpolated with perspective at the centre of the pixel."""

    flat: set[Slot]
    linear: set[Slot]
    centroid: set[Slot]
    sample: set[Slot]


class Interpolation:
    """The inputs of fragments."""

    def __init__(self, modes: Modes, primitives: Primitives, fragments: Fragments, screen: Array) -> None:
        self.modes, self.primitives, self.fragments, self.screen = modes, primitives, fragments, screen
        self.corners = primitives.corners[fragments.primitive].T
        self.provoking = primitives.provoking[fragments.primitive]
        self.centre = self.weights(fragments.weights)
        self.own = self.centre
        """The weights at the position that is shaded: the centre, or that of a sample."""
        self.centroid = self.centre
        if fragments.samples.shape[0] > 1:
            positions = POSITIONS[fragments.samples.shape[0]]
            if fragments.is_of_samples:
                self.own = self.moved(*positions[fragments.sample].T)
            self.centroid = self.own if fragments.is_of_samples else self._at_centroids(positions)

    def weights(self, screen: Array) -> Weights:
        """Return all weights for those that are linear on the screen."""
        scaled = self.screen[3][self.corners] * screen
        total = scaled.sum(axis=0)
        depth = (self.screen[2][self.corners] * screen).sum(axis=0)
        return Weights(scaled / total, screen, depth, total)

    def moved(self, x: Array, y: Array) -> Weights:
        """Return the weights at positions in the pixels, of which (0.5, 0.5) is the centre."""
        start = self.fragments.weights
        quads = start.reshape(3, -1, 4)
        across = np.repeat(quads[..., 1:2] - quads[..., :1], 4, axis=-1).reshape(3, -1)
        down = np.repeat(quads[..., 2:3] - quads[..., :1], 4, axis=-1).reshape(3, -1)
        return self.weights(start + across * (x - 0.5) + down * (y - 0.5))

    def _at_centroids(self, positions: Array) -> Weights:
        """Return the weights at the first covered sample of pixels that are covered in part, else at the centre."""
        covered = self.fragments.samples
        first = positions[covered.argmax(axis=0)].T
        partly = covered.any(axis=0) & ~covered.all(axis=0)
        return self.moved(*np.where(partly, first, 0.5))

    def values(self) -> dict[Slot, Array]:
        """Return the inputs with locations."""
        out = {slot: self.slot(slot, value) for slot, value in self.primitives.vertices.slots.items()}
        own = self.primitives.own.slots
        return out | {slot: at_vertices(value, self.fragments.primitive) for slot, value in own.items()}

    def slot(self, slot: Slot, value: Array, weights: Weights | None = None) -> Array:
        """Return an input of the fragments, by default at the position that its declaration asks for."""
        modes = self.modes
        if slot in modes.flat or value.dtype.kind != "f":
            return at_vertices(value, self.provoking)
        if weights is None:
            weights = self.own if slot in modes.sample else self.centroid if slot in modes.centroid else self.centre
        return self.mixed(value, weights.screen if slot in modes.linear else weights.perspective)

    def mixed(self, value: Array, weights: Array) -> Array:
        """Return values of vertices, mixed by weights."""
        if value.shape[-1] == 1:
            return value
        return (value[..., self.corners].astype(np.float64) * weights).sum(axis=-2).astype(value.dtype)

    def at(self, place: Any) -> Values:
        """Return all inputs with locations at positions (x, y) in the pixels, or at ``"centroid"``."""
        lanes, weights = self.fragments.count, self.centroid
        if not isinstance(place, str):
            x, y = (np.broadcast_to(axis, (max(axis.shape[-1], lanes),))[:lanes].astype(np.float64) for axis in place)
            weights = self.moved(x, y)
        return Values({slot: self.slot(slot, value, weights) for slot, value in self.primitives.vertices.slots.items()})
