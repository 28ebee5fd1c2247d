"""Helpers of the parser's tests: a tokenizer without a preprocessor, and a compact notation for syntax trees."""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from typing import Any

from hlsl_tool.base.diagnostics import Location, Sink
from hlsl_tool.frontend.syntax import SyntaxMemory, SyntaxOptions, TranslationUnit, ast, parse

_TOKEN = re.compile(
    r"""[A-Za-z_]\w* | (?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?\w* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
      | <<= | >>= | -> | :: | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%&|^]= | \S""",
    re.VERBOSE,
)


class Stream:
    """Tokens as the preprocessor returns them; the location of a token is its index (as the column) and its line."""

    def __init__(self, text: str, *, pieces: int = 1) -> None:
        matches = list(_TOKEN.finditer(text))
        self.tokens = [match[0] for match in matches]
        ends = [at for at, character in enumerate(text) if character == "\n"]
        self.lines = [bisect_right(ends, match.start()) + 1 for match in matches]
        size = max(1, -(-len(self.tokens) // pieces))
        self.runs = [self.tokens[start : start + size] for start in range(0, len(self.tokens), size)]

    def locate(self, index: int) -> Location:
        line = self.lines[index] if index < len(self.lines) else (self.lines[-1] if self.lines else 1)
        return Location("test.hlsl", line, index, index + 1)


def parse_text(
    text: str, *, memory: SyntaxMemory | None = None, options: SyntaxOptions | None = None, pieces: int = 1
) -> tuple[TranslationUnit, Sink]:
    sink = Sink()
    unit = parse(Stream(text, pieces=pieces), memory=memory or SyntaxMemory(), sink=sink, options=options)
    return unit, sink


def decls(text: str) -> list[ast.Decl]:
    """Parse a text, which must have no errors; return its declarations."""
    unit, sink = parse_text(text)
    assert not sink.diagnostics, [diagnostic.message for diagnostic in sink.diagnostics]
    return [decl for chunk in unit.chunks for decl in chunk.decls]


def decl(text: str) -> ast.Decl:
    (only,) = decls(text)
    return only


def body(text: str) -> list[ast.Stmt]:
    """Return the statements in the body of the text's function."""
    *_, function = decls(f"void f() {{ {text} }}")
    assert isinstance(function, ast.FunctionDecl) and function.body is not None
    return function.body.statements


def expression(text: str, *, before: str = "") -> ast.Expr:
    *_, function = decls(f"{before} void f() {{ x = {text}; }}")
    assert isinstance(function, ast.FunctionDecl) and function.body is not None
    (statement,) = function.body.statements
    assert isinstance(statement, ast.ExprStmt) and isinstance(statement.expr, ast.Assign)
    return statement.expr.value


def errors(text: str) -> list[str]:
    return [diagnostic.message for diagnostic in parse_text(text)[1].diagnostics]


def show(node: Any) -> str:
    """Return a tree as one line: operators infix, all other nodes as ``Class(field=value)`` without empty fields."""
    match node:
        case ast.NamePart(name, args):
            return name if args is None else f"{name}<{', '.join(map(show, args))}>"
        case ast.Name(parts, _, is_global):
            return ("::" if is_global else "") + "::".join(map(show, parts))
        case ast.NamedType(parts, _, is_global, quals, dims):
            name = " ".join([*quals, ("::" if is_global else "") + "::".join(map(show, parts))])
            return f"`{name}{''.join(f'[{show(dim) if dim else str()}]' for dim in dims)}`"
        case ast.Number(text):
            return text
        case ast.Binary(op, left, right) | ast.Assign(op, left, right):
            return f"({show(left)} {op} {show(right)})"
        case ast.Unary(op, operand):
            return f"({op}{show(operand)})"
        case ast.Postfix(op, operand):
            return f"({show(operand)}{op})"
        case ast.Ternary(cond, then, otherwise):
            return f"({show(cond)} ? {show(then)} : {show(otherwise)})"
        case ast.Call(callee, args):
            return f"{show(callee)}({', '.join(map(show, args))})"
        case ast.Construct(target, args):
            return f"{show(target)}({', '.join(map(show, args))})"
        case ast.Cast(target, operand, _, kind):
            return f"{'' if kind == 'c' else kind}({show(target)}){show(operand)}"
        case ast.Index(base, index):
            return f"{show(base)}[{show(index)}]"
        case ast.Member(base, name, _, scope, arrow):
            return f"{show(base)}{'->' if arrow else '.'}{''.join(show(part) + '::' for part in scope)}{show(name)}"
        case ast.InitList(items):
            return "{" + ", ".join(map(show, items)) + "}"
        case list():
            return "[" + ", ".join(map(show, node)) + "]"
        case str():
            return repr(node)
    if dataclasses.is_dataclass(node):
        fields = [
            f"{field.name}={show(getattr(node, field.name))}"
            for field in dataclasses.fields(node)
            if field.compare and getattr(node, field.name) not in (None, [], False, "")
        ]
        return f"{type(node).__name__}({', '.join(fields)})"
    return str(node)
