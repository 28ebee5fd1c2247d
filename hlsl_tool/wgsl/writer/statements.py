"""WGSL statements as data, and their scopes."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass, field

_WORD = re.compile(r"\w+")


@dataclass(slots=True, eq=False)
class Scope:
    """A list of statements in braces; ``place`` is its index in the parent's statements."""

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
        """Return a new inner scope.

        A continuing part is placed at the body's start, because `continue` skips the rest.
        """
        place = 0 if continuing else len(self.statements)
        return Scope(self, place, self.depth + 1, continuing, loop or self.in_loop)


@dataclass(slots=True, eq=False)
class Line:
    """A statement on one line, including its semicolon."""

    text: str


@dataclass(slots=True, eq=False)
class Let:
    """A named value: declared by this statement, or only assigned if its uses extend beyond this scope."""

    name: str
    text: str
    head: str = "let "
    """``let ``, ``var ``, or empty for an assignment."""


@dataclass(slots=True, eq=False)
class IfStatement:
    """An `if` with two scopes; an empty ``otherwise`` is not printed."""

    condition: str
    then: Scope
    otherwise: Scope
    opposite: str = ""
    """The negated condition, for loops that the condition ends."""


@dataclass(slots=True, eq=False)
class SwitchStatement:
    """A `switch`: its selector, and the label and scope of each case."""

    selector: str
    cases: list[tuple[str, Scope]]


@dataclass(slots=True, eq=False)
class ForStatement:
    """A counting loop added by the converter."""

    variable: str
    count: str
    body: Scope


@dataclass(slots=True, eq=False)
class LoopStatement:
    """A `loop` with its body and continuing scope."""

    body: Scope
    continuing: Scope | None
    break_if: str


Statement = Line | Let | IfStatement | SwitchStatement | LoopStatement | ForStatement


@dataclass(slots=True, eq=False)
class Variable:
    """A name in a function under construction: its declaration, and the innermost scope with all its uses."""

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
        """Record a use in a scope: widen the variable's scope to the nearest one that contains both."""
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
        """Insert the variable's declaration, unless an assignment serves as one; called at the end of the function.

        ``spell`` returns the WGSL name of a type, given the type's SPIR-V id.
        """
        if self.let is not None and not self.forced and self.scope is self.defined:
            return
        first = self._first_assignment() if self.stays and not self.initial else None
        if first is not None:  # no iteration of a loop around uses the value of the one before
            first.head = "var "
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
        """Return the assignment that can serve as declaration, because no earlier statement uses the variable."""
        for statement in self.scope.statements[self.place : self.place + 8]:
            if not isinstance(statement, Let):
                return None
            if statement.name == self.name and self.name not in _WORD.findall(statement.text):
                return None if statement.head else statement
            if self.name in _WORD.findall(f"{statement.name} {statement.text}"):
                return None
        return None


def parent_of(scope: Scope) -> Scope:
    """Return the enclosing scope; a function's own scope has none and must not be passed."""
    assert scope.parent is not None
    return scope.parent
