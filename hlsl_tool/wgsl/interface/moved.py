"""Move bindings into WebGPU's default limits: groups 0 to 3, and bindings below 1000.

Each stage of a pipeline is converted separately, but all share the bind groups. So a binding within the limits is
unchanged, which gives a resource the same binding in every stage; another one moves to a number that only its stage
uses.
"""

from __future__ import annotations

from collections.abc import Collection

from hlsl_tool.spirv.enums import ExecutionModel
from hlsl_tool.wgsl.arrays.binding_arrays import GROUPS
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import View

FIRST_MOVED = 500
"""Bindings from here on are for those that move."""

RANGES = {ExecutionModel.Vertex: (FIRST_MOVED, 700), ExecutionModel.Fragment: (700, 1000)}
"""Stage → range of its moved bindings in each group; that of other stages has both."""


class Moved:
    """A mapping from SPIR-V's bindings to WGSL's; without ``compact`` they are equal."""

    def __init__(self, view: View, *, compact: bool) -> None:
        self.compact = compact
        models = {model for _, model, _ in view.entry_points()}
        model = next(iter(models)) if len(models) == 1 else -1
        first, self.end = RANGES.get(model, (FIRST_MOVED, 1000))
        self.following = [first] * GROUPS
        self.places: dict[tuple[int, int], tuple[int, int]] = {}

    def place(
        self, variable: int, group: int, binding: int, count: int = 1, avoid: Collection[int] = ()
    ) -> tuple[int, int]:
        """Return the WGSL (group, binding) for SPIR-V's; raise ``Unsupported`` if no number is left.

        ``count`` is the number of consecutive bindings that the variable needs, ``avoid`` are groups to which it does
        not move.
        """
        if not self.compact or (group < GROUPS and binding + count <= FIRST_MOVED):
            return group, binding
        if (group, binding) not in self.places:
            self.places[group, binding] = self._next(variable, min(group, GROUPS - 1), count, avoid)
        return self.places[group, binding]

    def _next(self, variable: int, preferred: int, count: int, avoid: Collection[int]) -> tuple[int, int]:
        others = [group for group in reversed(range(GROUPS)) if group != preferred]
        for group in (preferred, *others):
            if group not in avoid and self.following[group] + count <= self.end:
                self.following[group] += count
                return group, self.following[group] - count
        raise Unsupported("a shader has more bindings than WebGPU has numbers for them", variable)
