"""Find permutation macros that have no effect on the modules."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.permutation import Permutation


@dataclass(frozen=True, slots=True)
class DeadAxis:
    """A macro of a shader that has no effect: all of its values give the same modules, for all entry points."""

    name: str
    """The shader of the configuration."""
    axis: str
    count: int
    """The number of permutations that are compiled needlessly."""
    first: int
    """The number of the shader's first job that has the macro."""


def dead_axes(
    permutations: Sequence[Permutation], jobs: Sequence[Job], digests: Sequence[Hashable | None]
) -> list[DeadAxis]:
    """Return the macros without effect, according to the digests of modules.

    A shader is skipped if one of its modules has no digest (``None``).
    """
    groups: dict[str, list[int]] = {}
    for number, permutation in enumerate(permutations):
        groups.setdefault(permutation.group or permutation.stem, []).append(number)
    dead: list[DeadAxis] = []
    for name, numbers in groups.items():
        if any(digests[number] is None for number in numbers):
            continue
        axes = dict.fromkeys(axis for number in numbers for axis, _ in jobs[number].permutation)
        for axis in axes:
            modules: dict[object, list[Hashable]] = {}
            for number in numbers:
                others = tuple(pair for pair in jobs[number].permutation if pair[0] != axis)
                modules.setdefault((jobs[number].stem, others), []).append(digests[number])
            count = sum(len(several) - 1 for several in modules.values())
            if count and all(len(set(several)) == 1 for several in modules.values()):
                first = next(number for number in numbers if axis in dict(jobs[number].permutation))
                dead.append(DeadAxis(name, axis, count, first))
    return dead
