"""Shapes of declarations: a digest of everything but a function's body, and one of the body.

The diagnostics of a declaration do not depend on the body of another function.  So two shaders with the same shape have
the same diagnostics, except in bodies that differ.  Only bodies of functions at the top level are separate; those of
methods, and everything that is or may be a template, are part of the shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hlsl_tool.base.system.hashing import blake2b
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk

SIZE = 16
"""Bytes of a digest."""


class Shape(NamedTuple):
    """Two digests of a top-level declaration: of its function body, and of all other tokens."""

    rest: bytes
    """Digest of the tokens without the body."""
    body: bytes
    """Digest of the body; zeros for a declaration without one."""


def shape_of(chunk: Chunk) -> Shape:
    """Return two digests of a top-level declaration: of its function body, and of all other tokens."""
    end = _head(chunk)
    if end is None:
        return Shape(_digest(chunk.tokens, b"whole"), bytes(SIZE))
    return Shape(_digest(chunk.tokens[:end], b"head"), _digest(chunk.tokens[end:], b"body"))


def _head(chunk: Chunk) -> int | None:
    """Return the number of tokens before a function's body.

    ``None`` if the declaration is not a single plain function.
    """
    if len(chunk.decls) != 1:
        return None
    d = chunk.decls[0]
    if not isinstance(d, ast.FunctionDecl) or d.body is None or d.template is not None or d.args is not None:
        return None
    # A type that is declared in the head is visible outside.
    alone = all(effect.name == d.name for effect in chunk.effects)
    return d.body.pos if alone and d.name.isidentifier() and chunk.tokens[d.body.pos] == "{" else None


def _digest(tokens: Sequence[str], role: bytes) -> bytes:
    return blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=SIZE, person=role).digest()
