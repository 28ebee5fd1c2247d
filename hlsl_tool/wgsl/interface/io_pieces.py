"""Pieces of the stage interface: parameters and results of WGSL's entry points."""

from __future__ import annotations

from math import prod

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.writer.context import Root


@dataclass(slots=True)
class Piece:
    """A parameter or result of an entry point: a scalar or vector with a location, or a built-in value."""

    attributes: str
    spelled: str
    suffix: str
    """Appended to the name of the variable."""
    name: str
    into: str = "{}"
    """Format string that converts the value of WGSL to that of the variable."""
    back: str = "{}"
    second: bool = False
    """Whether it is the second colour of dual-source blending."""


@dataclass(slots=True)
class Variable:
    """An interface variable, or a member of an interface block, with the pieces that it consists of in WGSL."""

    key: int
    name: str
    type_id: int
    pieces: list[Piece]
    root: Root
    initial: str = ""


def workgroup_sizes(texts: list[str], sizes: list[int]) -> str:
    """Return the arguments of ``@workgroup_size``; raise ``Unsupported`` for an impossible size."""
    if any(not 0 < size < 1 << 31 for size in sizes) or prod(sizes) > 0xFFFFFFFF:
        raise Unsupported(f"a workgroup cannot have a size of {' × '.join(map(str, sizes))}")
    return ", ".join(texts)


def interpolation(decorations: dict[int, list[int | str]], integer: bool) -> str:
    """Return the ``@interpolate`` attribute for decorations, with a leading space; ``""`` for the default."""
    if integer or Decoration.Flat in decorations:
        return " @interpolate(flat)"
    kind = "linear" if Decoration.NoPerspective in decorations else "perspective"
    for decoration, sampling in ((Decoration.Centroid, "centroid"), (Decoration.Sample, "sample")):
        if decoration in decorations:
            return f" @interpolate({kind}, {sampling})"
    return " @interpolate(linear)" if kind == "linear" else ""


_ZERO_ONE = {"f": ("0.0f", "1.0f"), "i": ("0i", "1i"), "u": ("0u", "1u"), "h": ("0.0h", "1.0h")}


def pad_target(piece: Piece) -> None:
    """Widen a colour output to four components: WebGPU requires as many as the target's format has."""
    letter = piece.spelled[-1] if piece.spelled.startswith("vec") else piece.spelled[0]
    count = int(piece.spelled[3]) if piece.spelled.startswith("vec") else 1
    if piece.spelled == "f16":
        letter = "h"
    if count < 4 and letter in _ZERO_ONE:
        zero, one = _ZERO_ONE[letter]
        piece.spelled = f"vec4{letter}"
        piece.back = f"vec4{letter}({{}}, {', '.join([zero] * (3 - count) + [one])})"
