"""Data types of the uniformity analysis: divergence at a point, in an open construct, and after a call."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.ir import Instruction

Cause = int
"""The id of a divergent value, which may differ between invocations, or 0 for none."""
State = dict[int, Cause]
"""Variable, phi or flag → cause; without a key the cause is 0."""


class Barrier(Exception):
    """Raised for a barrier that is not in uniform control flow."""

    def __init__(self, inst: Instruction, cause: Cause) -> None:
        super().__init__()
        self.inst = inst
        self.cause = cause


class Summary(NamedTuple):
    """The divergent values on which a call's result and the memory behind its pointer arguments depend.

    It is valid for one combination of uniform and divergent arguments.
    """

    returned: Cause
    contents: tuple[Cause, ...]
    """For each parameter that is a pointer: the cause of its contents after the call."""


@dataclass(slots=True)
class Frame:
    """An open construct, with the states of variables at its breaks and continues."""

    loop: bool
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class End:
    """The state at the end of a list of statements."""

    cause: Cause
    """The cause of control flow that is not uniform."""
    state: State | None
    """The state; ``None`` if control does not reach the end."""
    behaviours: set[str] = field(default_factory=set)
    """How the list may end early: ``break``, ``continue``, ``return``."""


def join(*states: State | None) -> State | None:
    """Merge the states of paths that meet; return ``None`` if no path reaches the point."""
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    out: State = {}
    for state in reached:
        for key, cause in state.items():
            if cause:
                out.setdefault(key, cause)
    return out
