"""Chunks: the top-level declarations into which a token stream is split, the unit of parsing and of remembering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hlsl_tool.syntax import ast
from hlsl_tool.syntax.environment import Effect
from hlsl_tool.syntax.errors.problems import Problem


@dataclass(slots=True, eq=False)
class Chunk:
    """One top-level declaration, parsed once and shared by all shaders that contain it.

    Two chunks are the same if they are the same object: with one ``SyntaxMemory``, equal tokens that mean the same
    give the same chunk.  Nothing in a chunk may be changed.
    """

    tokens: tuple[str, ...]
    decls: list[ast.Decl]
    """Normally one; none where the declaration has a syntax error that left nothing of it."""
    identifiers: frozenset[str]
    """Every word among the tokens: what the chunk can refer to, keywords included."""
    problems: list[Problem] = field(default_factory=list)
    effects: tuple[Effect, ...] = ()
    """What it declares, as far as the classification of later chunks needs it."""

    @property
    def decl(self) -> ast.Decl | None:
        return self.decls[0] if self.decls else None

    @property
    def has_errors(self) -> bool:
        return any(not problem.is_warning for problem in self.problems)


_MARKS = frozenset(("{", "}", ";"))
_BLOCKS = frozenset(("namespace", "cbuffer", "tbuffer", "technique", "technique10", "technique11", "fxgroup", "{", ""))
"""What begins so ends with its brace."""


@dataclass(slots=True)
class Splitter:
    """Finds where declarations end in tokens that come piece by piece.

    What ends where depends on nothing behind it, so a piece that ends with a declaration can be remembered by itself.
    The price: the ``;`` behind ``cbuffer C { ... };`` is a declaration of its own, an empty one.
    """

    depth: int = 0
    """Open braces at the end."""
    opened: int = -1
    """Index of the declaration's first outermost brace; -1 before it."""

    def ends(self, tokens: Sequence[str], scanned: int) -> list[int]:
        """Ends of the declarations in ``tokens``; the first ``scanned`` ones, of the unfinished one, are known."""
        found = []
        start = 0
        depth, opened = self.depth, self.opened
        if scanned:
            marks = [at for at, text in enumerate(tokens[scanned:], scanned) if text in _MARKS]
        else:
            marks = [at for at, text in enumerate(tokens) if text in _MARKS]
        for at in marks:
            text = tokens[at]
            if text == "{":
                if depth == 0 and opened < 0:
                    opened = at
                depth += 1
                continue
            if text == "}":
                depth -= 1
                if depth > 0 or (depth == 0 and _goes_on(tokens, start, opened)):
                    continue
            elif depth > 0 or ("<" in tokens[start:at] and _inside_annotation(tokens, start, at)):
                continue
            found.append(at + 1)
            start = at + 1
            depth, opened = 0, -1
        self.depth = depth
        self.opened = opened - start if opened >= 0 else -1
        return found


def _goes_on(tokens: Sequence[str], start: int, opened: int) -> bool:
    """Behind the closing brace: does the declaration go on to a ``;``, as in ``struct { ... } s;``?

    Functions and ``_BLOCKS`` do not; initialisers, structs and ``SamplerState s { ... };`` do.
    """
    while start < opened and tokens[start] == "[":
        start = _behind_brackets(tokens, start)
    head = tokens[start:opened]
    if "=" in head:
        is_initialised = "(" not in head or head.index("=") < head.index("(") or head[-1] in _BEFORE_BRACES
        return is_initialised and "operator" not in head
    if "(" in head:
        return "register" in head and head[0] not in _BLOCKS
    return bool(head) and head[0] not in _BLOCKS


_BEFORE_BRACES = ("=", "sampler_state")
"""What an initialiser in braces follows."""


def _behind_brackets(tokens: Sequence[str], at: int) -> int:
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] == "[") - (tokens[at] == "]")
        at += 1
        if depth == 0:
            break
    return at


def _inside_annotation(tokens: Sequence[str], start: int, at: int) -> bool:
    """A ``;`` inside the legacy annotation ``< string s = "x"; >``."""
    for left in range(start, at - 3):
        if tokens[left] == "<" and tokens[left + 3] == "=" and tokens[left + 1].isidentifier():
            return ">" not in tokens[left:at]
    return False
