"""What a run and its client exchange: stops, the commands that continue, the goals of replays."""

from __future__ import annotations

from enum import Enum
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.interpreter.runtime.state import Registers, State


class Mode(Enum):
    """What a run does until it stops."""

    CONTINUE = "continue"
    INTO = "step into"
    OVER = "step over"
    OUT = "step out"


@dataclass(frozen=True, slots=True)
class Focus:
    """The lane that is shown: its batch, which are the lanes that run together, and its number there."""

    batch: int
    lane: int


@dataclass(slots=True)
class Goal:
    """The end of a replay: a run from the start in which nothing else stops."""

    clock: int
    """The number of the instruction at which the replay stops; 0 for the first line of the lane."""
    focus: Focus
    reason: str = "step"
    depth: int = 0
    searches: str = ""
    """``step`` or ``breakpoint``: the replay does not stop, but searches for the last one before ``clock``."""
    last: int = 0
    """The instruction that a search found last; 0 for none."""
    found: Focus | None = None
    """The lane that is shown there."""


class Restart(BaseException):
    """Raised in a run that is replaced by a replay."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal


class Ended(BaseException):
    """Raised in a run that the client ends."""


@dataclass(slots=True)
class Stop:
    """A run that has stopped."""

    state: State
    registers: Registers
    lane: int
    reason: str
    """A reason of the protocol: ``step``, ``breakpoint``, ``exception`` and so on."""
    text: str = ""
    breakpoints: list[int] = field(default_factory=list)
    place: Any = None
    """The position that is shown for the innermost function, if it is not that of the next instruction."""


@dataclass(slots=True)
class Resume:
    """The command that continues a run that has stopped."""

    mode: Mode = Mode.CONTINUE
    goal: Goal | None = None
    ends: bool = False
