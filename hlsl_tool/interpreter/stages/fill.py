"""Fill a picture by a pixel shader alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hlsl_tool.spirv.enums import BuiltIn, StorageClass

from ..images.formats import FORMATS
from ..images.image import Image
from ..program.program import Program
from ..program.resources import Resources
from ..runtime.values import Array, zeros
from .compute import Settings
from .draw import Draw, rasterize
from .interface import Slot, Values, collect, variables
from .launch import Stage
from .merging import Targets
from .pixel import PixelStage
from .primitives import Primitives
from .rasterizer import Bounds

_CORNERS = np.array([[-1, 3, -1], [-1, -1, 3], [0, 0, 0], [1, 1, 1]], np.float32)
"""A triangle that covers the picture: positions of its corners."""


def fill(
    program: Program,
    size: tuple[int, int],
    resources: Resources,
    settings: Settings | None = None,
    scissor: Bounds | None = None,
) -> dict[int, Image]:
    """Run a pixel shader for each pixel of a picture; return location → target, with four channels of 32 bits.

    With ``scissor`` (left, top, and behind the right and lower pixels) it runs for those pixels only.  All inputs with
    a location have the value (u, v, 0, 1): u and v go from 0 in the left upper corner to 1.
    """
    colours = wide_targets(program, size)
    inputs = _CORNERS.copy()
    inputs[:2] = inputs[:2] / 2 + 0.5
    slots: dict[Slot, Any] = dict.fromkeys(_slots(program, StorageClass.Input), inputs)
    one = np.arange(3)[None]
    vertices = Values(slots, {BuiltIn.Position: _CORNERS})
    primitives = Primitives(3, one, vertices, np.zeros(1, np.int64), np.zeros(1, np.int64))
    stage = PixelStage(Stage(program, resources, settings or Settings()), Targets(colours))
    with np.errstate(all="ignore"):
        rasterize(stage, primitives, Draw(3, size=size, scissor=scissor))
    return colours


def wide_targets(program: Program, size: tuple[int, int], samples: int = 1) -> dict[int, Image]:
    """Return location → target for each output of a pixel shader, with four channels of 32 bits."""
    colours = {}
    for slot, dtype in _slots(program, StorageClass.Output).items():
        form = FORMATS["Rgba32f" if dtype.kind == "f" else "Rgba32ui"]
        colours[slot[0]] = Image(form, (*size, 1), samples=samples)
    return colours


def pictures_of(colours: Mapping[int, Image]) -> dict[int, Array]:
    """Return location → array (height, width, channels) of targets."""
    return {
        location: image.buffer.bytes.view(image.format.number).reshape(image.size[1], image.size[0], -1)
        for location, image in colours.items()
    }


def _slots(program: Program, storage: int) -> dict[Slot, np.dtype[Any]]:
    """Return the inputs or outputs of the shader with the types of their components."""
    out = Values()
    for variable in variables(program, storage):
        collect(program, variable, variable.type, zeros(variable.type), out)
    return {slot: value.dtype for slot, value in out.slots.items()}
