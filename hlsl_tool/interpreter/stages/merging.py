"""The output merger: targets with samples, the depth test, blending, write masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field

from ..errors import ExecutionError
from ..images.image import Image
from ..images.sampling import COMPARISONS
from ..runtime.values import Array

Place = tuple[Array, Array, Array, Array]
"""(layer, row, column, sample) of texels, an array each."""


@dataclass(frozen=True, slots=True)
class Blend:
    """How a fragment is combined with a target: ``op(source * colour, destination * target)``, alpha by itself.

    The names are those of WebGPU: ``src-alpha``, ``one-minus-src-alpha``, ``reverse-subtract`` and so on.
    """

    source: str = "one"
    destination: str = "zero"
    op: str = "add"
    alpha_source: str = ""
    """The factors and the operation of alpha; by default those of the colour."""
    alpha_destination: str = ""
    alpha_op: str = ""
    mask: str = "rgba"
    """The channels that are written."""

    def __post_init__(self) -> None:
        for name in self.factors:
            if name not in FACTORS:
                raise ExecutionError(f"there is no blend factor `{name}` (there are: {', '.join(FACTORS)})")
        for name in (self.op, self.alpha_op):
            if name and name not in OPERATIONS:
                raise ExecutionError(f"there is no blend operation `{name}` (there are: {', '.join(OPERATIONS)})")
        if set(self.mask) - set("rgba"):
            raise ExecutionError(f"`{self.mask}` is no mask of channels such as rgb")

    @property
    def factors(self) -> list[str]:
        """The names of all factors that are given."""
        names = (self.source, self.destination, self.alpha_source, self.alpha_destination)
        return [name for name in names if name]

    @property
    def replaces(self) -> bool:
        """Whether the source replaces the target."""
        whole = (self.source, self.destination, self.op)
        alpha = tuple(a or b for a, b in zip(self._alpha, whole, strict=True))
        return whole == alpha == ("one", "zero", "add")

    @property
    def _alpha(self) -> tuple[str, str, str]:
        return self.alpha_source, self.alpha_destination, self.alpha_op

    def combined(self, sources: Sources) -> Array:
        """Return four channels of the result."""
        colour = _combined(self.source, self.destination, self.op, sources)
        source, destination, op = self._alpha
        alpha = _combined(source or self.source, destination or self.destination, op or self.op, sources)
        return np.concatenate([colour[:3], alpha[3:]])


@dataclass(frozen=True, slots=True)
class Sources:
    """The operands of blending, four channels of fragments each."""

    colour: Array
    second: Array
    """The second colour of dual-source blending."""
    target: Array
    constant: Array


def _saturated(s: Sources) -> Array:
    factor = np.minimum(s.colour[3:], 1 - s.target[3:])
    return np.concatenate([factor, factor, factor, np.ones_like(factor)])


_OPERANDS: dict[str, Callable[[Sources], Array]] = {
    "src": lambda s: s.colour,
    "src-alpha": lambda s: s.colour[3:],
    "dst": lambda s: s.target,
    "dst-alpha": lambda s: s.target[3:],
    "constant": lambda s: s.constant,
    "src1": lambda s: s.second,
    "src1-alpha": lambda s: s.second[3:],
}
FACTORS: dict[str, Callable[[Sources], Any]] = {
    "zero": lambda _: np.float32(0),
    "one": lambda _: np.float32(1),
    "src-alpha-saturated": _saturated,
    **_OPERANDS,
    **{f"one-minus-{name}": lambda s, f=f: np.float32(1) - f(s) for name, f in _OPERANDS.items()},  # type: ignore[misc]
}
"""Name of a factor → the function that returns it."""
OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "reverse-subtract": lambda source, target: target - source,
    "min": np.minimum,
    "max": np.maximum,
}


def _combined(source: str, destination: str, op: str, sources: Sources) -> Array:
    if op in ("min", "max"):  # without factors
        return OPERATIONS[op](sources.colour, sources.target)
    return OPERATIONS[op](sources.colour * FACTORS[source](sources), sources.target * FACTORS[destination](sources))


@dataclass(slots=True)
class Targets:
    """The images into which fragments are written."""

    colours: dict[int, Image] = field(default_factory=dict)
    """Location → image."""
    depth: Image | None = None
    compare: str = "always"
    """The comparison of depths: ``less``, ``less-equal`` and so on."""
    blends: dict[int, Blend] = field(default_factory=dict)
    """Location → blending; without one the colour replaces that of the target."""
    constant: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """The constant of blending."""

    def __post_init__(self) -> None:
        if len({image.samples for image in self._images}) > 1:
            raise ExecutionError("the targets have different numbers of samples")

    @property
    def _images(self) -> list[Image]:
        return [*self.colours.values(), *([self.depth] if self.depth is not None else [])]

    @property
    def size(self) -> tuple[int, int] | None:
        """The width and height; ``None`` without an image."""
        images = self._images
        if not images:
            return None
        return min(image.size[0] for image in images), min(image.size[1] for image in images)

    @property
    def samples(self) -> int | None:
        """The number of samples of a pixel; ``None`` without an image."""
        images = self._images
        return images[0].samples if images else None

    @property
    def layers(self) -> int:
        """The number of layers that all images have."""
        return min((image.layers for image in self._images), default=1)

    def test_depth(self, place: Place, depth: Array) -> Array:
        """Return which fragments are visible, and store their depths."""
        image = self.depth
        if image is None:
            return np.ones(depth.shape, np.bool_)
        stored = texels(image)[place][..., 0]
        passed = np.broadcast_to(COMPARISONS[self.compare](depth, stored), depth.shape)
        texels(image)[tuple(axis[passed] for axis in place)] = depth[passed][:, None]
        return passed

    def put(self, location: int, place: Place, colour: Array, second: Array) -> None:
        """Write four channels of fragments, each at another place."""
        image, blend = self.colours[location], self.blends.get(location)
        form = image.format
        if blend is None or (blend.mask == "rgba" and (blend.replaces or form.is_integer)):
            texels(image)[place] = form.encode(colour).T
            return
        old = form.decode(np.ascontiguousarray(texels(image)[place].T))
        new = colour
        if not blend.replaces and not form.is_integer:
            constant = np.array(self.constant, np.float32)[:, None]
            limits = {"float": None, "snorm": (-1, 1)}.get(form.kind, (0, 1))
            operands = [colour.astype(np.float32), second.astype(np.float32), old, constant]
            if limits is not None and not form.kind.startswith("R11"):
                operands = [np.clip(operand, *limits) for operand in operands]
            new = blend.combined(Sources(*operands))
        written = np.array([channel in blend.mask for channel in "rgba"])[:, None]
        texels(image)[place] = form.encode(np.where(written, new, old.view(new.dtype))).T


def texels(image: Image) -> Array:
    """Return the numbers of the first level with axes for layer, row, column, sample and channel."""
    width, height, _ = image.size
    form = image.format
    shape = (image.layers, height, width, image.samples, form.count)
    return image.buffer.bytes[: int(np.prod(shape)) * form.number.itemsize].view(form.number).reshape(shape)


def resolved(image: Image) -> Image:
    """Return an image with one sample: the mean of all, or the first one of integers."""
    out = Image(image.format, image.size, layers=image.layers)
    channels = image.format.decode(np.ascontiguousarray(np.moveaxis(texels(image), -1, 0)))
    one = channels[..., 0] if image.format.is_integer else channels.astype(np.float64).mean(axis=-1)
    texels(out)[...] = np.moveaxis(image.format.encode(one.astype(channels.dtype)), 0, -1)[..., None, :]
    return out
