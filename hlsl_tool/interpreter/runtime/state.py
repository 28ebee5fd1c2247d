"""The state of lanes that run together: registers' masks, frames, memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.ir import Instruction

from .code import Edge, Function
from .masks import Bits, Mask
from .memory import Access, AddressSpace
from .values import Value

Registers = list[Any]
"""Result id → value."""
Follow = Callable[[Edge, Mask, Registers], None]


@dataclass(slots=True)
class Frame:
    """A call of a function: its lanes, and where they wait."""

    function: Function
    entry: Mask
    """The lanes that called."""
    caller: Frame | None
    pending: dict[int, Mask]
    """Index of a block → the lanes that wait to execute it."""
    result: Value = None
    block: int = 0
    step: int = 0
    """The index of the step in the block, which only observed runs maintain."""

    @property
    def instruction(self) -> Instruction:
        """The instruction that is executed, in observed runs."""
        inst: Instruction = self.function.blocks[self.block].instructions[self.step]
        return inst


class Observer(Protocol):
    """Watches a run, as sanitizers and debuggers do.  Without one, a run has no overhead for it."""

    def step(self, state: State, registers: Registers) -> None:
        """Handle the instruction that is executed next, the step of ``state.frame``."""

    def access(self, state: State, access: Access) -> None:
        """Handle an access to a buffer, an image or shared memory, before it happens."""


@dataclass(slots=True)
class Shape:
    """How lanes form groups, waves and quads; lanes of a group follow each other, and so do those of a wave."""

    lanes: int
    group_of_lane: npt.NDArray[np.int64]
    groups: int = 1
    wave: int = 1
    """The number of lanes of a wave."""


class State:
    """The lanes that run together, and all that they share."""

    __slots__ = (
        "dead", "extra", "follow", "frame", "helpers", "limit", "mask", "memory", "observer", "private", "report",
        "shape", "steps",
    )  # fmt: skip

    def __init__(self, shape: Shape, mask: Mask, memory: AddressSpace, observer: Observer | None = None) -> None:
        self.shape = shape
        self.mask = mask
        """The lanes that execute the current instruction."""
        self.memory = memory
        self.frame: Frame | None = None
        self.dead: Bits | None = None
        """The lanes that ended before the entry point returned."""
        self.helpers: Bits | None = None
        """The lanes whose writes have no effect."""
        self.observer = observer
        self.report = self._access if observer is not None else None
        self.follow: Follow | None = None
        """An observer may set it: a function that is called when lanes arrive at a block with phis."""
        self.limit = 0
        """The number of blocks after which a run is an error; 0 for no limit."""
        self.steps = 0
        """The number of blocks that were executed."""
        self.private: dict[int, Any] = {}
        """Variable → its cells."""
        self.extra: dict[str, Any] = {}
        """What single stages need, by name."""

    @property
    def program(self) -> Any:
        """The ``Program`` that runs."""
        return self.extra["program"]

    @property
    def running(self) -> Frame:
        """The call that executes an instruction."""
        assert self.frame is not None
        return self.frame

    @property
    def writers(self) -> Mask:
        """The lanes whose writes have an effect."""
        return self.mask if self.helpers is None else self.mask.without(self.helpers)

    def _access(self, access: Access) -> None:
        assert self.observer is not None
        self.observer.access(self, access)

    def end_lanes(self) -> None:
        """End the lanes of the mask: they take part in nothing that follows."""
        self.dead = self.mask.bits if self.dead is None else self.dead | self.mask.bits
        self.mask = self.mask.without(self.mask.bits)

    def demote_lanes(self) -> None:
        """Make the lanes of the mask helpers."""
        self.helpers = self.mask.bits if self.helpers is None else self.helpers | self.mask.bits
