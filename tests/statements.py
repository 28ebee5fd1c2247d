"""The statements of a Python file, for tests of the structure and of the prose."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield all statements of a file; expressions, which have none, are not visited."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, name, ())
        if isinstance(node, ast.stmt):
            yield node
