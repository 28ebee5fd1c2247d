"""Load the parser tables of the grammar; rebuild them after an edit of the grammar."""

from __future__ import annotations

import os
from pathlib import Path

from hlsl_tool.syntax.tables import GRAMMAR, TABLES, Action, Tables, grammar_digest


def load(actions: dict[str, Action]) -> Tables:
    """Return the tables of the grammar in this package.

    The stored tables are used if their digest matches the grammar.  After an edit of the grammar they are rebuilt once
    and cached by the grammar's digest among the compiled files.
    """
    digest = grammar_digest(GRAMMAR.read_text(encoding="utf-8"))
    for path in (TABLES, _cached(digest)):
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        if f'"grammar":"{digest}"' in text[: text.find("\n")]:
            return Tables(text, actions)
    return Tables(_rebuild(digest), actions)


def _cached(digest: str) -> Path:
    return GRAMMAR.parent / "__pycache__" / f"hlsl-{digest}.tables"


def _rebuild(digest: str) -> str:
    from hlsl_tool.syntax import build_tables  # importing lark takes as long as compiling a small shader

    text = build_tables.render(build_tables.build(GRAMMAR.read_text(encoding="utf-8")))
    path = _cached(digest)
    scratch = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        scratch.write_text(text, encoding="utf-8")
        os.replace(scratch, path)
    except OSError:  # read-only package: the tables are rebuilt in each process
        scratch.unlink(missing_ok=True)
    return text
