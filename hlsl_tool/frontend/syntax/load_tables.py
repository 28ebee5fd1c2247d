"""Load the parser tables of the grammar; rebuild them after an edit of the grammar."""

from __future__ import annotations

import contextlib
import os

from hlsl_tool.base.system.atomic_write import WriteError, write_own
from hlsl_tool.frontend.syntax.tables import GRAMMAR, TABLES, Action, Tables, grammar_digest, read


def load(actions: dict[str, Action]) -> Tables:
    """Return the parser tables, bound to the action functions.

    The stored tables are used if their digest matches the grammar. After a change of the grammar they are rebuilt once
    and cached by the grammar's digest among the compiled files; that needs lark, a development dependency.
    """
    digest = grammar_digest(read(GRAMMAR))
    for path in (TABLES, _cached(digest)):
        try:
            text = read(path)
        except FileNotFoundError:
            continue
        if text.startswith(digest + "\n"):
            return Tables(text, actions)
    return Tables(_rebuild(digest), actions)


def _cached(digest: str) -> str:
    return os.path.join(os.path.dirname(GRAMMAR), "__pycache__", f"hlsl-{digest}.tables")


def _rebuild(digest: str) -> str:
    try:
        from hlsl_tool.frontend.syntax import build_tables  # importing lark takes as long as compiling a small shader
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{TABLES} is not made from {GRAMMAR}; install lark to make it anew", name=error.name
        ) from None
    text = build_tables.render(build_tables.build(read(GRAMMAR)))
    path = _cached(digest)
    with contextlib.suppress(WriteError):  # read-only package: the tables are rebuilt in each process
        write_own(path, text.encode())
    return text
