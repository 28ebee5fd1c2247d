"""What of a shader is not a function's body, and the bodies one by one.

Nothing that is said of a declaration depends on another function's body.  So where two shaders have the same shape,
what there was to say of one, apart from the bodies that differ, is to be said of the other.  Bodies are those of
functions at the top level; those of methods, and what is or might be a template, count as part of the shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from hlsl_tool.syntax import ast
from hlsl_tool.syntax.chunks import Chunk

SIZE = 16
"""Bytes of a digest."""


class Shape(NamedTuple):
    """Of a chunk."""

    rest: bytes
    """Digest of all but the body."""
    body: bytes
    """Digest; zeros where there is no body."""


def shape_of(chunk: Chunk) -> Shape:
    end = _head(chunk)
    if end is None:
        return Shape(_digest(chunk.tokens, b"whole"), bytes(SIZE))
    return Shape(_digest(chunk.tokens[:end], b"head"), _digest(chunk.tokens[end:], b"body"))


def _head(chunk: Chunk) -> int | None:
    """How many tokens stand before the body of the function that a chunk is; None for anything else."""
    if len(chunk.decls) != 1:
        return None
    d = chunk.decls[0]
    if not isinstance(d, ast.FunctionDecl) or d.body is None or d.template is not None or d.args is not None:
        return None
    # What is declared inside may be seen from outside: a type in the head.
    alone = all(effect.name == d.name for effect in chunk.effects)
    return d.body.pos if alone and d.name.isidentifier() and chunk.tokens[d.body.pos] == "{" else None


def _digest(tokens: Sequence[str], what: bytes) -> bytes:
    return blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=SIZE, person=what).digest()
