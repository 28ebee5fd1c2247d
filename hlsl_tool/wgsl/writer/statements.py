"""WGSL statements as data, and their scopes."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlsl_tool.system.dataclass import dataclass, field

_WORD = re.compile(r"\w+")


@dataclass(slots=True, eq=False)
class Scope:
    """A brace-enclosed list of statements.  ``place`` is its index in the statements of its parent."""

    parent: Scope | None = None
    place: int = 0
    depth: int = 0
    continuing: bool = False
    """Whether it is the `continuing` part of a loop, a child of the loop's body, whose declarations it can use."""
    in_loop: bool = False
    statements: list[Statement] = field(default_factory=list)
    declarations: list[tuple[int, str]] = field(default_factory=list)
    """(index of a statement, text) of declarations that are inserted afterwards."""

    def child(self, *, continuing: bool = False, loop: bool = False) -> Scope:
        """Return a scope inside; the continuing part is at the start of the body, because `continue` skips the rest."""
        place = 0 if continuing else len(self.statements)
        return Scope(self, place, self.depth + 1, continuing, loop or self.in_loop)


@dataclass(slots=True, eq=False)
class Line:
    """A statement of one line, with its semicolon."""

    text: str


@dataclass(slots=True, eq=False)
class Let:
    """A named value: declared here, or only assigned here if its uses are outside of this scope."""

    name: str
    text: str
    head: str = "let "
    """``let ``, ``var ``, or empty for an assignment."""


@dataclass(slots=True, eq=False)
class IfStatement:
    """An `if` with both of its scopes; an empty ``otherwise`` is not printed."""

    condition: str
    then: Scope
    otherwise: Scope
    opposite: str = ""
    """The negated condition, for loops that the condition ends."""


@dataclass(slots=True, eq=False)
class SwitchStatement:
    """A `switch`: the selector, and each case with its label."""

    selector: str
    cases: list[tuple[str, Scope]]


@dataclass(slots=True, eq=False)
class ForStatement:
    """A counting loop that the converter adds."""

    variable: str
    count: str
    body: Scope


@dataclass(slots=True, eq=False)
class LoopStatement:
    """A `loop` with its continuing scope."""

    body: Scope
    continuing: Scope | None
    break_if: str


Statement = Line | Let | IfStatement | SwitchStatement | LoopStatement | ForStatement


@dataclass(slots=True, eq=False)
class Variable:
    """A name while its function is written: its declaration, and the innermost scope with all its uses."""

    name: str
    kind: int | str
    """The type: a SPIR-V id, or WGSL text."""
    scope: Scope
    place: int
    let: Let | None = None
    """The only assignment, if there is only one."""
    defined: Scope | None = None
    forced: bool = False
    stays: bool = False
    """Whether it preserves its value between iterations of a loop."""
    initial: str = ""

    def mention(self, scope: Scope) -> None:
        """Widen the scope to include another use."""
        mine, other = self.scope, scope
        if mine is other:
            return
        skipped = False
        while mine.depth > other.depth:
            skipped = mine.continuing
            self.place = mine.place
            mine = parent_of(mine)
        while other.depth > mine.depth:
            skipped = other.continuing
            other = parent_of(other)
        while mine is not other:
            skipped = mine.continuing or other.continuing
            self.place = mine.place
            mine, other = parent_of(mine), parent_of(other)
        if skipped:
            self.place = 0
            self.forced = True
        self.scope = mine

    def declare(self, spell: Callable[[int], str]) -> None:
        """Add the declaration, unless an assignment is the declaration; called at the end of the function."""
        if self.let is not None and not self.forced and self.scope is self.defined:
            return
        while self.stays and self.scope.in_loop:
            self.place = self.scope.place
            self.scope = parent_of(self.scope)
        if self.let is not None:
            self.let.head = ""
        first = self._first_assignment()
        if first is not None and not self.initial:
            first.head = "var "
            return
        spelled = spell(self.kind) if isinstance(self.kind, int) else self.kind
        initial = f" = {self.initial}" if self.initial else ""
        self.scope.declarations.append((self.place, f"var {self.name}: {spelled}{initial};"))

    def _first_assignment(self) -> Let | None:
        """Return the assignment that can be the declaration, because no statement before it uses the variable."""
        for statement in self.scope.statements[self.place : self.place + 8]:
            if not isinstance(statement, Let):
                return None
            if self.name in statement.text and self.name in _WORD.findall(statement.text):
                return None
            if statement.name == self.name:
                return None if statement.head else statement
        return None


def parent_of(scope: Scope) -> Scope:
    """Return the enclosing scope, which every scope but a function's has."""
    assert scope.parent is not None
    return scope.parent
