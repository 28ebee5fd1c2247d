"""Print statements as text."""

from __future__ import annotations

from functools import partial

from hlsl_tool.wgsl.writer.loops import Head, Mentions, assignment, loop_head
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

INDENT = "  "


def print_scope(scope: Scope, out: list[str], indent: str) -> None:
    """Append the lines of a scope's statements, each with a line break."""
    declarations = sorted(scope.declarations, key=lambda entry: entry[0])
    following = 0
    statements = scope.statements
    mentions = Mentions(statements)
    for place, statement in enumerate(statements):
        count = len(declarations)
        while following < count and declarations[following][0] <= place:
            out.append(f"{indent}{declarations[following][1]}\n")
            following += 1
        if isinstance(statement, LoopStatement):
            before = statements[place - 1] if place else None
            declared = following and declarations[following - 1][0] == place
            head = loop_head(statement, None if declared else before, partial(mentions.is_behind, place))
            if head is not None:
                if head.takes_before:
                    out.pop()
                _headed_loop(statement, head, out, indent)
                continue
        _statement(statement, out, indent)
    for _, text in declarations[following:]:
        out.append(f"{indent}{text}\n")


def _statement(statement: Statement, out: list[str], indent: str) -> None:
    if isinstance(statement, Line):
        out.append(f"{indent}{statement.text}\n")
    elif isinstance(statement, Let):
        if statement.head:
            out.append(f"{indent}{statement.head}{statement.name} = {statement.text};\n")
        else:
            out.append(f"{indent}{assignment(statement.name, statement.text)};\n")
    elif isinstance(statement, IfStatement):
        _if(statement, out, indent)
    elif isinstance(statement, SwitchStatement):
        out.append(f"{indent}switch {statement.selector} {{\n")
        for label, body in statement.cases:
            only = body.statements[0] if len(body.statements) == 1 and not body.declarations else None
            if isinstance(only, Line) and only.text.startswith("return"):
                out.append(f"{indent}{INDENT}{label} {{ {only.text} }}\n")
                continue
            out.append(f"{indent}{INDENT}{label} {{\n")
            print_scope(body, out, indent + INDENT * 2)
            out.append(f"{indent}{INDENT}}}\n")
        out.append(f"{indent}}}\n")
    elif isinstance(statement, ForStatement):
        name = statement.variable
        out.append(f"{indent}for (var {name} = 0u; {name} < {statement.count}; {name}++) {{\n")
        print_scope(statement.body, out, indent + INDENT)
        out.append(f"{indent}}}\n")
    else:
        _loop(statement, out, indent)


def _is_empty(scope: Scope) -> bool:
    return not scope.statements and not scope.declarations


def _if(statement: IfStatement, out: list[str], indent: str) -> None:
    out.append(f"{indent}if {statement.condition} {{\n")
    print_scope(statement.then, out, indent + INDENT)
    otherwise = statement.otherwise
    while not _is_empty(otherwise):
        only = otherwise.statements[0] if len(otherwise.statements) == 1 and not otherwise.declarations else None
        if not isinstance(only, IfStatement):
            out.append(f"{indent}}} else {{\n")
            print_scope(otherwise, out, indent + INDENT)
            break
        out.append(f"{indent}}} else if {only.condition} {{\n")
        print_scope(only.then, out, indent + INDENT)
        otherwise = only.otherwise
    out.append(f"{indent}}}\n")


def _headed_loop(statement: LoopStatement, head: Head, out: list[str], indent: str) -> None:
    """Print a `while` or `for` loop; its first statement, which tests the condition, is in the head."""
    body = statement.body
    statements = body.statements[1 : -1 if head.takes_last else None]
    rest = Scope(statements=statements, declarations=[(place - 1, text) for place, text in body.declarations])
    out.append(f"{indent}{head.text} {{\n")
    print_scope(rest, out, indent + INDENT)
    out.append(f"{indent}}}\n")


def _loop(statement: LoopStatement, out: list[str], indent: str) -> None:
    out.append(f"{indent}loop {{\n")
    print_scope(statement.body, out, indent + INDENT)
    if statement.continuing is not None or statement.break_if:
        out.append(f"{indent}{INDENT}continuing {{\n")
        if statement.continuing is not None:
            print_scope(statement.continuing, out, indent + INDENT * 2)
        if statement.break_if:
            out.append(f"{indent}{INDENT * 2}break if {statement.break_if};\n")
        out.append(f"{indent}{INDENT}}}\n")
    out.append(f"{indent}}}\n")
