"""Pack stage variables into shared locations (``-pack-optimized``).

A variable takes the first location with enough free components.  Vulkan also requires that variables at one location
have the same numerical type, width and interpolation, that 64-bit components begin at 0 or 2, and that matrices do not
share locations (specification, *Component Assignment*).  Both stages must be compiled with the option.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, Type

FULL = 4

Family = tuple[object, ...]
"""The properties that variables at one location must share."""


@dataclass(slots=True)
class _Location:
    number: int
    used: int
    """The number of components in use, from the first on."""
    family: Family


class Packer:
    """Packs variables into the locations of one signature; ``take`` reserves new consecutive locations."""

    def __init__(self, take: Callable[[int], int]) -> None:
        self.take = take
        self.locations: list[_Location] = []

    def place(self, t: Type, count: int, family: Family) -> tuple[int, int | None]:
        """Return (location, component) for a variable of ``count`` locations.

        The component is ``None`` for new locations.
        """
        components, is_wide = components_of(t)
        if not is_matrix(t):
            room = self._room(count, components, is_wide, family)
            if room is not None:
                at, component = room
                for n in range(at, at + count):
                    self.locations[n].used = component + components
                return self.locations[at].number, component
        first = self.take(count)
        used = FULL if is_matrix(t) else components
        self.locations += [_Location(first + n, used, family) for n in range(count)]
        return first, None

    def _room(self, count: int, components: int, is_wide: bool, family: Family) -> tuple[int, int] | None:
        """Return (first location index, component) of consecutive used locations with enough free components.

        The result is ``None`` if there are none.
        """
        for at in range(len(self.locations) - count + 1):
            run = self.locations[at : at + count]
            follow = all(each.number == run[0].number + n for n, each in enumerate(run))
            component = max(location.used for location in run)
            if is_wide:
                component = (component + 1) // 2 * 2
            if follow and component + components <= FULL and all(location.family == family for location in run):
                return at, component
        return None


def components_of(t: Type) -> tuple[int, bool]:
    """Return (number of 32-bit components in each location, whether components are 64-bit) of a type."""
    while isinstance(t, Array):
        t = t.element
    element = ty.element_of(t)
    is_wide = element is not None and element.bits == 64
    width = t.cols if isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 else ty.component_count(t)
    return min(width * (2 if is_wide else 1), FULL), is_wide


def is_matrix(t: Type) -> bool:
    """Return whether a type is a matrix with several rows and columns, or an array of such matrices."""
    t = ty.innermost(t)
    return isinstance(t, Matrix) and t.rows > 1 and t.cols > 1
