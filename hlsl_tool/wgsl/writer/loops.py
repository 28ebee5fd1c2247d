"""Spell loops as `while` and `for`, and assignments as `+=`.

Before: ``loop { if !(i < n) { break; } … continuing { i = i + 1u; } }``.  After: ``for (; i < n; i++) { … }``.
"""

from __future__ import annotations

import re

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

_WORD = re.compile(r"\w+")
_OPERATORS = re.compile(r" (?:[-+*/%&|^<>]|<<|>>|&&|\|\||[<>=!]=) ")


def assignment(name: str, text: str) -> str:
    """Return an assignment without its semicolon, in the short form if there is one."""
    head = f"{name} "
    if text.startswith(head) and text[len(head) + 1 : len(head) + 2] == " " and text[len(head)] in "+-*/&|^":
        operator, operand = text[len(head)], _unwrapped(text[len(head) + 2 :])
        if operator in "+-" and operand in ("1u", "1i"):
            return name + operator * 2
        if operand != text[len(head) + 2 :] or not _at_top(operand):
            return f"{name} {operator}= {operand}"
    return f"{name} = {text}"


def _unwrapped(text: str) -> str:
    """Return a text without the parentheses around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[1:-1] if index == len(text) - 1 else text
    return text


def _at_top(text: str) -> bool:
    """Return whether a binary operator is outside of all brackets."""
    depth = start = 0
    for match in _OPERATORS.finditer(text):
        between = text[start : match.start()]
        depth += sum(map(between.count, "([")) - sum(map(between.count, ")]"))
        if not depth:
            return True
        start = match.start()
    return False


def loop_head(loop: LoopStatement, before: Statement | None, after: list[Statement]) -> tuple[str, bool] | None:
    """Return (the head of a `while` or `for`, whether that includes the statement before it); ``None`` for others.

    ``after`` are the statements behind the loop in its scope.
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
    if step is None or not (step.statements or step.declarations):
        return f"while {first.opposite}", False
    update = step.statements[0] if len(step.statements) == 1 and not step.declarations else None
    if not isinstance(update, Let) or update.head or _declared(loop.body) & set(_WORD.findall(update.text)):
        return None
    head = f"; {first.opposite}; {assignment(update.name, update.text)})"
    declares = isinstance(before, Let) and before.head == "var " and before.name == update.name
    if isinstance(before, Let) and declares and not any(mentions(statement, update.name) for statement in after):
        return f"for (var {before.name} = {before.text}{head}", True
    return f"for ({head}", False


def _declared(scope: Scope) -> set[str]:
    """Return the names that a scope declares."""
    names = {statement.name for statement in scope.statements if isinstance(statement, Let) and statement.head}
    for statement in scope.statements:
        if isinstance(statement, Line) and statement.text.startswith(("let ", "var ")):
            names.update(_WORD.findall(statement.text)[1:2])
    for _, text in scope.declarations:
        names.update(_WORD.findall(text)[1:2])
    return names


def mentions(statement: Statement, name: str) -> bool:
    """Return whether a statement contains a name."""
    texts: list[str] = []
    pending: list[Statement] = [statement]
    while pending:
        current = pending.pop()
        scopes: list[Scope] = []
        if isinstance(current, Line):
            texts = [current.text]
        elif isinstance(current, Let):
            texts = [current.name, current.text]
        elif isinstance(current, IfStatement):
            texts, scopes = [current.condition], [current.then, current.otherwise]
        elif isinstance(current, SwitchStatement):
            texts, scopes = [current.selector], [body for _, body in current.cases]
        elif isinstance(current, ForStatement):
            texts, scopes = [current.count], [current.body]
        else:
            texts, scopes = [current.break_if], [current.body]
            scopes += [current.continuing] if current.continuing is not None else []
        if any(name in text and name in _WORD.findall(text) for text in texts):
            return True
        for scope in scopes:
            pending += scope.statements
    return False
