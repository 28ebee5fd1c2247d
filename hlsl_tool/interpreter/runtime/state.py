"""The state of lanes that run together: registers' masks, frames, memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.ir import Instruction

from .code import Edge, Function
from .masks import Bits, Mask
from .memory import Access, AddressSpace, Report
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


@dataclass(slots=True, eq=False)
class State:
    """The lanes that run together, and all that they share."""

    shape: Shape
    mask: Mask
    """The lanes that execute the current instruction."""
    memory: AddressSpace
    observer: Observer | None = None
    frame: Frame | None = None
    dead: Bits | None = None
    """The lanes that ended before the entry point returned."""
    helpers: Bits | None = None
    """The lanes whose writes have no effect."""
    report: Report | None = None
    """A function that is called for each access to memory, if there is an observer."""
    follow: Follow | None = None
    """An observer may set it: a function that is called when lanes arrive at a block with phis."""
    limit: int = 0
    """The number of blocks after which a run is an error; 0 for no limit."""
    steps: int = 0
    """The number of blocks that were executed."""
    private: dict[int, Any] = field(default_factory=dict)
    """Variable → its cells."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What single stages need, by name."""

    def __post_init__(self) -> None:
        if self.observer is not None:
            self.report = partial(self.observer.access, self)

    @property
    def program(self) -> Any:
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

    def end_lanes(self) -> None:
        """End the lanes of the mask: they take part in nothing that follows."""
        self.dead = self.mask.bits if self.dead is None else self.dead | self.mask.bits
        self.mask = self.mask.without(self.mask.bits)

    def demote_lanes(self) -> None:
        """Make the lanes of the mask helpers."""
        self.helpers = self.mask.bits if self.helpers is None else self.helpers | self.mask.bits
