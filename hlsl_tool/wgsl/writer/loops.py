"""Write loops as `while` and `for`, and assignments as `+=`.

Before: ``loop { if !(i < n) { break; } … continuing { i = i + 1u; } }``. After: ``for (; i < n; i++) { … }``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.wgsl.writer.statements import (
    ForStatement,
    IfStatement,
    Let,
    Line,
    LoopStatement,
    Scope,
    Statement,
    SwitchStatement,
)

ONES = ("1u", "1i")
"""Operands with which an addition is printed as `++`, which WGSL has for scalars only."""

_WORD = re.compile(r"\w+")
_OPERATORS = re.compile(r" (?:[-+*/%&|^<>]|<<|>>|&&|\|\||[<>=!]=) ")


def assignment(name: str, text: str) -> str:
    """Return the assignment of the expression ``text`` to ``name``, as a compound one (`+=`, `++`) if possible.

    The result has no semicolon.
    """
    head = f"{name} "
    if text.startswith(head) and text[len(head) + 1 : len(head) + 2] == " " and text[len(head)] in "+-*/&|^":
        operator, operand = text[len(head)], _unwrapped(text[len(head) + 2 :])
        if operator in "+-" and operand in ONES:
            return name + operator * 2
        tighter = {"*", "/", "%"} if operator in "+-" else set()
        if operand != text[len(head) + 2 :] or _at_top(operand) <= tighter:
            return f"{name} {operator}= {operand}"
    return f"{name} = {text}"


def _unwrapped(text: str) -> str:
    """Return a text without parentheses around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[1:-1] if index == len(text) - 1 else text
    return text


def _at_top(text: str) -> set[str]:
    """Return the binary operators that are outside of all brackets."""
    depth = start = 0
    operators: set[str] = set()
    for match in _OPERATORS.finditer(text):
        between = text[start : match.start()]
        depth += sum(map(between.count, "([")) - sum(map(between.count, ")]"))
        if not depth:
            operators.add(match[0].strip())
        start = match.start()
    return operators


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a `while` or `for` statement."""

    text: str
    takes_before: bool = False
    """Whether it contains the statement before the loop."""
    takes_last: bool = False
    """Whether it contains the last statement of the body."""


def loop_head(loop: LoopStatement, before: Statement | None, is_used_after: Callable[[str], bool]) -> Head | None:
    """Return the head for a loop that can be a `while` or `for`; ``None`` for other loops.

    ``before`` is the statement before the loop in its scope; ``is_used_after`` returns whether the statements after it
    contain an identifier.
    """
    first = loop.body.statements[0] if loop.body.statements else None
    if loop.break_if or not isinstance(first, IfStatement) or not first.opposite or first.otherwise.statements:
        return None
    if (
        len(first.then.statements) != 1
        or first.then.declarations
        or any(place == 0 for place, _ in loop.body.declarations)
    ):
        return None
    only = first.then.statements[0]
    if not isinstance(only, Line) or only.text != "break;":
        return None
    step = loop.continuing
    last = step is None or not (step.statements or step.declarations)
    if last:
        update = loop.body.statements[-1]
        if not _is_step(update, first.opposite) or _continues(loop.body) or loop.body.declarations:
            return Head(f"while {first.opposite}")
    else:
        assert step is not None
        update = step.statements[0]
        if len(step.statements) > 1 or step.declarations:
            return None
    if not isinstance(update, Let) or update.head or _declared(loop.body) & set(_WORD.findall(update.text)):
        return Head(f"while {first.opposite}") if last else None
    head = f"; {first.opposite}; {assignment(update.name, update.text)})"
    declares = isinstance(before, Let) and before.head == "var " and before.name == update.name
    if isinstance(before, Let) and declares and not is_used_after(update.name):
        return Head(f"for (var {before.name} = {before.text}{head}", takes_before=True, takes_last=last)
    return Head(f"while {first.opposite}") if last else Head(f"for ({head}")


def _is_step(statement: Statement, condition: str) -> bool:
    """Return whether a statement updates a variable that occurs in a condition."""
    return (
        isinstance(statement, Let)
        and not statement.head
        and statement.name in _WORD.findall(condition)
        and statement.name in _WORD.findall(statement.text)
    )


def _continues(scope: Scope) -> bool:
    """Return whether a loop body contains a `continue` of this loop."""
    for statement in scope.statements:
        if isinstance(statement, Line):
            if statement.text == "continue;":
                return True
        elif isinstance(statement, IfStatement):
            if _continues(statement.then) or _continues(statement.otherwise):
                return True
        elif isinstance(statement, SwitchStatement) and any(_continues(body) for _, body in statement.cases):
            return True
    return False


def _declared(scope: Scope) -> set[str]:
    names = {statement.name for statement in scope.statements if isinstance(statement, Let) and statement.head}
    for statement in scope.statements:
        if isinstance(statement, Line) and statement.text.startswith(("let ", "var ")):
            names.update(_WORD.findall(statement.text)[1:2])
    for _, text in scope.declarations:
        names.update(_WORD.findall(text)[1:2])
    return names


class Mentions:
    """Which identifiers the statements of a scope contain; each statement is read once, when it is first needed."""

    def __init__(self, statements: list[Statement]) -> None:
        self.statements = statements
        self.last: dict[str, int] = {}
        """Identifier → index of the last statement that contains it, of those that were read."""
        self.first = len(statements)
        """Index of the first statement that was read."""

    def is_behind(self, place: int, name: str) -> bool:
        """Return whether a statement after index ``place`` contains the identifier ``name``."""
        while self.first > place + 1:
            self.first -= 1
            for text in _texts(self.statements[self.first]):
                for word in _WORD.findall(text):
                    self.last.setdefault(word, self.first)
        return self.last.get(name, -1) > place


def _texts(statement: Statement) -> Iterator[str]:
    """Yield the texts of a statement, nested ones included."""
    pending: list[Statement] = [statement]
    while pending:
        current = pending.pop()
        scopes: list[Scope] = []
        if isinstance(current, Line):
            yield current.text
        elif isinstance(current, Let):
            yield current.name
            yield current.text
        elif isinstance(current, IfStatement):
            yield current.condition
            scopes = [current.then, current.otherwise]
        elif isinstance(current, SwitchStatement):
            yield current.selector
            scopes = [body for _, body in current.cases]
        elif isinstance(current, ForStatement):
            yield current.count
            scopes = [current.body]
        else:
            yield current.break_if
            scopes = [current.body] if current.continuing is None else [current.body, current.continuing]
        for scope in scopes:
            pending += scope.statements
