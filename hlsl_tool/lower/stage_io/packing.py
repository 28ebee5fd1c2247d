"""Stage variables that share locations (``-pack-optimized``): each goes where there is room for its components.

Vulkan asks more of variables in one location than that they do not overlap (specification, *Component Assignment*):
they must have one numerical type, width and interpolation, 64-bit components begin at 0 or 2, and matrices share their
locations with nobody.  Both stages must be compiled with the option.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Array, Matrix, Type
from hlsl_tool.system.dataclass import dataclass

FULL = 4

Family = tuple[object, ...]
"""What variables of one location must have in common."""


@dataclass(slots=True)
class _Location:
    number: int
    used: int
    """Components from the first on that are taken."""
    family: Family


class Packer:
    """The locations of one signature, as they fill up; ``take`` gives the first of some new ones in a row."""

    def __init__(self, take: Callable[[int], int]) -> None:
        self.take = take
        self.locations: list[_Location] = []

    def place(self, t: Type, count: int, family: Family) -> tuple[int, int | None]:
        """(location, component) of a variable that takes ``count`` locations; no component where it begins one."""
        components, is_wide = components_of(t)
        if not is_matrix(t):
            found = self._room(count, components, is_wide, family)
            if found is not None:
                at, component = found
                for n in range(at, at + count):
                    self.locations[n].used = component + components
                return self.locations[at].number, component
        first = self.take(count)
        used = FULL if is_matrix(t) else components
        self.locations += [_Location(first + n, used, family) for n in range(count)]
        return first, None

    def _room(self, count: int, components: int, is_wide: bool, family: Family) -> tuple[int, int] | None:
        """The first run of locations with room, and the component that is free in all of them."""
        for at in range(len(self.locations) - count + 1):
            run = self.locations[at : at + count]
            follow = all(each.number == run[0].number + n for n, each in enumerate(run))
            component = max(each.used for each in run)
            if is_wide:
                component = (component + 1) // 2 * 2
            if follow and component + components <= FULL and all(each.family == family for each in run):
                return at, component
        return None


def components_of(t: Type) -> tuple[int, bool]:
    """How many 32-bit components a variable takes in each of its locations, and whether it is of 64 bits."""
    while isinstance(t, Array):
        t = t.element
    element = ty.element_of(t)
    is_wide = element is not None and element.bits == 64
    width = t.cols if isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 else ty.component_count(t)
    return min(width * (2 if is_wide else 1), FULL), is_wide


def is_matrix(t: Type) -> bool:
    t = ty.innermost(t)
    return isinstance(t, Matrix) and t.rows > 1 and t.cols > 1
