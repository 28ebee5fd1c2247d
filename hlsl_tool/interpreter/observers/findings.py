"""Findings: faults with their place in the HLSL, the call stack, and the thread that has them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic, Location
from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.system.dataclass import dataclass

from ..runtime.code import Function, Position
from ..runtime.masks import Mask
from ..runtime.quads import wide
from ..runtime.state import Frame, State
from ..runtime.values import Array

MOST = 100
"""The number of findings after which a sanitizer records no others."""
NO_SOURCE = "compile with line information (-fspv-debug=line) for the places in the HLSL"


@dataclass(frozen=True, slots=True)
class Call:
    """A function on the call stack, and the place in it."""

    function: str
    position: Position | None


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction, with the calls that led to it: the innermost function is the first."""

    calls: tuple[Call, ...]

    @property
    def position(self) -> Position | None:
        """The place in the HLSL, if the module has line information."""
        return self.calls[0].position


@dataclass(frozen=True, slots=True)
class Thread:
    """A lane as HLSL names it."""

    kind: str
    """``thread`` (an ``SV_DispatchThreadID``), or what the stage runs for: one of ``_NAMES``, else ``lane``."""
    id: tuple[int, ...]
    group: tuple[int, ...] = ()
    """The ``SV_GroupID``; empty in stages without groups."""

    def __str__(self) -> str:
        group = f" of group ({', '.join(map(str, self.group))})" if self.group else ""
        number = ", ".join(map(str, self.id))
        return f"{self.kind} ({number}){group}" if len(self.id) > 1 else f"{self.kind} {number}"


@dataclass(frozen=True, slots=True)
class Note:
    """A further place of a finding, such as the other access of a race."""

    message: str
    site: Site


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that lanes have at one instruction, and the first of these lanes."""

    code: Code
    message: str
    """The fault with the values of the lane."""
    site: Site
    lane: Thread
    notes: tuple[Note, ...] = ()
    hint: str | None = None

    @property
    def kind(self) -> str:
        """The name of the kind, such as ``read-outside``."""
        return self.code.name

    @property
    def position(self) -> Position | None:
        """The place in the HLSL, if the module has line information."""
        return self.site.position

    @property
    def calls(self) -> tuple[str, ...]:
        return tuple(call.function for call in self.site.calls)

    @property
    def thread(self) -> tuple[int, ...]:
        """The ``SV_DispatchThreadID``, the pixel, or the number of the lane."""
        return self.lane.id

    def diagnostic(self) -> Diagnostic:
        """Return the finding as a diagnostic; the calls and further places are notes."""
        message = f"{self.message} ({self.lane})"
        main = Diagnostic(self.code, "error", message, _location(self.position), hint=self.hint)
        main.notes += _calls(self.code, self.site)
        for note in self.notes:
            main.notes.append(Diagnostic(self.code, "note", note.message, _location(note.site.position)))
            main.notes += _calls(self.code, note.site)
        if self.position is None and self.hint is None:
            main.hint = NO_SOURCE
        return main

    def __str__(self) -> str:
        return render([self.diagnostic()]).rstrip("\n")


def _calls(code: Code, site: Site) -> list[Diagnostic]:
    """Return a note for each call that led to a site."""
    notes = []
    for callee, call in zip(site.calls, site.calls[1:], strict=False):
        text = f"`{callee.function}` is called by `{call.function}` here"
        notes.append(Diagnostic(code, "note", text, _location(call.position)))
    return notes


@cache
def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _location(position: Position | None) -> Location | None:
    if position is None:
        return None
    lines = _lines(os.path.abspath(position.file))
    text = lines[position.line - 1] if 0 < position.line <= len(lines) else ""
    return Location(position.file, position.line, position.column, position.end, text)


class Reporter:
    """Records findings: each kind once for an instruction."""

    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = kinds
        self.findings: list[Finding] = []
        self.suspects: set[int] = set()
        """The ids of pointers with an index out of bounds: what is at them is no finding of its own."""
        self._seen: set[tuple[object, ...]] = set()
        self._sites: dict[tuple[int, int, int], tuple[int, Function]] = {}
        """Identity of a function, block and step → the number of the site, and the function."""
        self.sites: list[Site] = []
        """The sites that have numbers."""

    def wants(self, *codes: Code) -> bool:
        """Return whether any of some kinds is checked."""
        return any(code.name in self._kinds for code in codes)

    def record(
        self,
        code: Code,
        state: State,
        lane: int,
        *,
        site: Site | None = None,
        notes: tuple[Note, ...] = (),
        hint: str | None = None,
        **fields: Any,
    ) -> None:
        """Add a finding for a lane, unless the kind is not checked or was found at this place; see ``Code.template``.

        ``site`` is by default the current instruction.
        """
        if code.name not in self._kinds or len(self.findings) >= MOST:
            return
        place = site or here(state)
        where, frame = place.position, state.running
        identity: tuple[object, ...] = (code.name, id(frame.function), frame.block, frame.step)
        if where is not None:
            identity = (code.name, where.file, where.line, where.column)
        if identity not in self._seen:
            self._seen.add(identity)
            message = code.template.format(**fields)
            self.findings.append(Finding(code, message, place, named_lane(state.extra, lane), notes, hint))

    def number(self, state: State) -> int:
        """Return a number for the current instruction, for tables of accesses."""
        frame = state.running
        key = (id(frame.function), frame.block, frame.step)
        if key not in self._sites:
            self._sites[key] = len(self.sites), frame.function
            self.sites.append(here(state))
        return self._sites[key][0]


def here(state: State) -> Site:
    """Return the current instruction with its calls."""
    frame = state.running
    return site_of(frame, frame.block, frame.step)


def site_of(frame: Frame, block: int, step: int) -> Site:
    """Return an instruction of a frame with its calls."""
    calls: list[Call] = []
    position = _position(frame, block, step)
    current: Frame | None = frame
    while current is not None:
        while position is not None and position.inlined is not None:
            calls.append(Call(position.inlined.function, position))
            position = position.inlined.call
        name = current.function.name.removeprefix("src.")
        if not calls or calls[-1].function != name:  # the wrapper of an entry point has its name
            calls.append(Call(name, position))
        current = current.caller
        if current is not None:
            position = _position(current, current.block, current.step)
    return Site(tuple(calls))


def _position(frame: Frame, block: int, step: int) -> Position | None:
    """Return the place of an instruction; that of the nearest one in the block if a compiler has left it out."""
    positions = frame.function.blocks[block].positions
    near = (*reversed(positions[: step + 1]), *positions[step + 1 :])
    return next((position for position in near if position is not None), None)


_NAMES = {
    "thread": "threads",
    "pixel": "pixels",
    "vertex": "vertices",
    "point": "points",
    "primitive": "primitives",
}
"""Kind of a lane → what the stage stores of it in the state."""


def named_lane(extra: Mapping[str, Any], lane: int) -> Thread:
    """Return how HLSL names a lane, given what the stage has stored in the state."""
    for kind, name in _NAMES.items():
        ids = extra.get(name)
        if ids is not None:
            groups = extra.get("groups")
            return Thread(kind, _column(ids, lane), () if groups is None else _column(groups, lane))
    return Thread("lane", (lane,))


def _column(ids: Sequence[Array], lane: int) -> tuple[int, ...]:
    return tuple(int(axis[lane if axis.size > 1 else 0]) for axis in ids)


def lanes_with(bits: Array, mask: Mask) -> Array:
    """Return which lanes of a mask have any of some bits."""
    lanes = mask.bits.size
    found: Array = np.asarray(wide(bits, lanes).reshape(-1, lanes).any(axis=0)) & mask.bits
    return found


def first(lanes: Array) -> int | None:
    """Return the first of some lanes; ``None`` if there is none."""
    return int(np.argmax(lanes)) if bool(lanes.any()) else None


def shown(value: Array, state: State, lane: int) -> str:
    """Return the value of a lane as text, without the details of numpy."""
    part = wide(value, state.shape.lanes)[..., lane]
    return str(part.item()) if part.ndim == 0 else f"({', '.join(str(item) for item in part.reshape(-1).tolist())})"
