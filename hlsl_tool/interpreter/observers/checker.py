"""The base class of the checks: tables of functions that look at instructions before and after they are executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.ir import Instruction

from ..runtime.masks import Mask
from ..runtime.memory import Access
from ..runtime.state import Frame, Registers, State
from ..runtime.values import Array
from .findings import Reporter, Site, first, lanes_with, shown, site_of
from .names import Names


@dataclass(slots=True)
class Executed:
    """An instruction that was executed, with the lanes that did."""

    inst: Instruction
    mask: Mask
    frame: Frame
    block: int
    step: int
    checks: tuple[After, ...]

    @property
    def site(self) -> Site:
        """The place of the instruction."""
        return site_of(self.frame, self.block, self.step)


Before = Callable[[State, Registers, Instruction], None]
"""Looks at an instruction that is executed next."""
After = Callable[[State, Registers, Executed], None]
"""Looks at the result of an instruction."""


EACH = -1
"""In the place of an opcode: all of them."""


class Checker:
    """A group of checks; subclasses fill the tables that they need."""

    names: Names
    """The names of the program that runs."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.before: dict[int, Before] = {}
        """Opcode → function; that of ``EACH`` looks at all instructions."""
        self.after: dict[int, After] = {}

    def enter(self, state: State, registers: Registers) -> None:
        """Prepare for a state that is seen for the first time: other lanes, perhaps of another program."""

    def check(self, code: Code, state: State, wrong: Array, done: Executed | None = None, **fields: Any) -> bool:
        """Record a fault of the first lane that has any wrong bit, and return whether one has; arrays show its value.

        The instruction is the current one, or one that is done.
        """
        lane = first(lanes_with(wrong, state.mask if done is None else done.mask))
        if lane is None:
            return False
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                fields[name] = shown(value, state, lane)
        self.reporter.record(code, state, lane, site=None if done is None else done.site, **fields)
        return True

    def accessed(self, state: State, access: Access) -> str:
        """Return the text for what an access reads or writes."""
        inst = state.running.instruction
        text = self.names.of(inst.id(0)) if access.image is None and inst.op not in EXT_INSTS else ""
        text = text or access.buffer.name
        return f"`{text}`" if text else "a buffer"

    def access(self, state: State, access: Access) -> None:
        """Look at an access to memory before it happens."""
