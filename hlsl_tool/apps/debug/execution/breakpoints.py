"""Breakpoints: the lines that have code, conditions, counts of hits, and log points."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.interpreter import Program

from ..symbols.debug_info import DebugInfo

_HITS = re.compile(r"\s*(==|=|>=|>|<=|<|%)?\s*(\d{1,9})\s*")


def same_file(name: str) -> str:
    """Return the path of a file in the form that paths are compared in."""
    try:
        return os.path.normcase(os.path.realpath(name))
    except ValueError:  # characters that no file has
        return name


@dataclass(slots=True)
class Breakpoint:
    """A breakpoint as a client sets it."""

    id: int
    line: int
    """The line that it stops at: the next one with code, or the given one."""
    condition: str = ""
    hit_condition: str = ""
    log_message: str = ""
    is_verified: bool = False
    problem: str = ""
    hits: int = 0
    function: str = ""
    """The function at whose first line it stops; empty for a breakpoint on a line."""
    path: str = ""
    """The file of the function."""

    def counts(self) -> bool:
        """Count a hit; return whether the condition of the number of hits holds."""
        self.hits += 1
        parsed = _HITS.fullmatch(self.hit_condition)
        if parsed is None:
            return True
        number, sign = int(parsed[2]), parsed[1] or ">="
        return {
            "=": self.hits == number,
            "==": self.hits == number,
            ">": self.hits > number,
            ">=": self.hits >= number,
            "<": self.hits < number,
            "<=": self.hits <= number,
            "%": number > 0 and self.hits % number == 0,
        }[sign]


def problem_of_hits(text: str) -> str:
    """Return the error in a condition of the number of hits; empty if it is correct."""
    if not text or _HITS.fullmatch(text):
        return ""
    return f"`{text}` is no number of hits, such as 5, > 5 or % 3"


class Lines:
    """The lines of a program that have code."""

    def __init__(self, program: Program, info: DebugInfo, folders: Sequence[str] = ()) -> None:
        self.folders = folders
        """The folders of files whose names in the debug information are relative."""
        self.by_file: dict[str, set[int]] = {}
        self.functions: dict[str, tuple[str, int]] = {}
        """Function → its first line with code: (path, line)."""
        self._names: dict[str, str] = {}
        for function in program.context.functions.values():
            for block in function.blocks:
                for inst, position in zip(block.instructions, block.positions, strict=True):
                    if position is not None and position.line and info.is_statement(inst):
                        path = self.path(position.file)
                        self.by_file.setdefault(path, set()).add(position.line)
                        self.functions.setdefault(info.functions_at(inst)[0].name, (path, position.line))

    def path(self, name: str) -> str:
        """Return the path of a file of a position, in the form that paths are compared in."""
        path = self._names.get(name)
        if path is None:
            path = self._names[name] = same_file(self.file(name))
        return path

    def file(self, name: str) -> str:
        """Return the path of a file of a position."""
        places = (os.path.join(folder, name) for folder in self.folders)
        return os.path.abspath(next((place for place in places if os.path.isfile(place)), name))

    def with_code(self, path: str, line: int) -> int:
        """Return the first line from a line on that has code; 0 if there is none."""
        return min((other for other in self.by_file.get(path, ()) if other >= line), default=0)


@dataclass(slots=True)
class Breakpoints:
    """The breakpoints of a session, by file."""

    files: dict[str, list[Breakpoint]] = field(default_factory=dict)
    """Path → breakpoints."""
    functions: list[Breakpoint] = field(default_factory=list)
    """Those that are set on functions."""
    _last: int = 0

    def next_id(self) -> int:
        """Return the id of a new breakpoint."""
        self._last += 1
        return self._last

    def at(self, path: str, line: int) -> Iterable[Breakpoint]:
        """Return the breakpoints at a line."""
        items = self.files.get(path, [])
        if self.functions:
            items = [*items, *(item for item in self.functions if item.path == path)]
        return [item for item in items if item.line == line and item.is_verified] if items else ()

    def place(self, lines: Lines) -> list[Breakpoint]:
        """Move all breakpoints to lines with code; return those that changed."""
        lists = [*self.files.items(), ("", self.functions)]
        return [item for path, items in lists for item in items if place(item, path, lines)]

    def forget_hits(self) -> None:
        """Set all counts of hits to 0, for a run from the start."""
        for items in (*self.files.values(), self.functions):
            for item in items:
                item.hits = 0


def place(item: Breakpoint, path: str, lines: Lines) -> bool:
    """Move a breakpoint to a line with code; return whether it changed."""
    before = (item.line, item.is_verified, item.problem)
    problem = problem_of_hits(item.hit_condition)
    if item.function:
        item.path, line = lines.functions.get(item.function, ("", 0))
    else:
        line = lines.with_code(path, item.line)
    if problem:
        item.is_verified, item.problem = False, problem
    elif line:
        item.line, item.is_verified, item.problem = line, True, ""
    else:
        what = f"the function `{item.function}`" if item.function else "code from this line on"
        item.is_verified, item.problem = False, f"the entry point does not execute {what}"
    return before != (item.line, item.is_verified, item.problem)
