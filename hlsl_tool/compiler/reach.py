"""Find the declarations that an entry point can reach, for the reach key (`reuse`).

The analysis of a declaration depends on its tokens and on the declarations of the names that it mentions (the cache of
`frontend.sema.analysis` has the same rule). So a function can be ignored if no reached declaration mentions its name.
Names are compared as words, without scopes and overloads: the result may contain too much, but never too little.
Variables, blocks, types and everything else always count as reached, because they affect bindings and layouts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.hashing import blake2b
from hlsl_tool.compiler.shape import Shape
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk


class Segment(NamedTuple):
    """A range of a declaration's tokens: a function, a body in a namespace or struct, or the tokens around bodies.

    All of its tokens are part of the reach key, or none.
    """

    start: int
    end: int
    name: str
    """The function that the segment belongs to; empty for a segment that is always reached."""
    digest: bytes
    words: frozenset[str]
    """The identifiers that it mentions, also in strings (``[patchconstantfunc("f")]``)."""


@dataclass(slots=True)
class ReachMemory:
    """Caches of the segments and of the shape of each top-level declaration."""

    segments: dict[Chunk, tuple[Segment, ...]] = field(default_factory=dict)
    shapes: dict[Chunk, Shape] = field(default_factory=dict)


@dataclass(slots=True)
class ReachedTokens:
    """The tokens that the entry point can reach, numbered consecutively, with their indices in the token stream."""

    digests: list[bytes] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    """Number of the first token of each segment."""
    starts: list[int] = field(default_factory=list)
    """Index in the stream of the first token of each segment."""
    count: int = 0
    """The number of reached tokens."""

    def number(self, index: int) -> int | None:
        """Return the number of the token at an index of the stream; ``None`` if the entry point cannot reach it."""
        at = bisect_right(self.starts, index) - 1
        if at < 0:
            return None
        number = self.firsts[at] + index - self.starts[at]
        end = self.firsts[at + 1] if at + 1 < len(self.firsts) else self.count
        return number if number < end else None

    def before(self, index: int) -> int:
        at = bisect_right(self.starts, index) - 1
        if at < 0:
            return 0
        end = self.firsts[at + 1] if at + 1 < len(self.firsts) else self.count
        return min(self.firsts[at] + index - self.starts[at], end)

    def index(self, number: int) -> int | None:
        """Return the index in the stream of the token with a number; ``None`` if there is no such number."""
        if not 0 <= number < self.count:
            return None
        at = bisect_right(self.firsts, number) - 1
        return self.starts[at] + number - self.firsts[at]


def reached_tokens(
    chunks: Sequence[Chunk], bases: Sequence[int], roots: Iterable[str], memory: ReachMemory
) -> ReachedTokens:
    """Return the tokens that are reachable from the names in ``roots`` and from everything that is not a function.

    ``bases`` are the indices in the stream of the first tokens of the declarations.
    """
    parts = [(base, segment) for chunk, base in zip(chunks, bases, strict=True) for segment in segments(chunk, memory)]
    mentioned = reached_names(parts, roots)
    tokens = ReachedTokens()
    for base, segment in parts:
        if segment.name and segment.name not in mentioned:
            continue
        tokens.digests.append(segment.digest)
        tokens.firsts.append(tokens.count)
        tokens.starts.append(base + segment.start)
        tokens.count += segment.end - segment.start
    return tokens


def reached_names(parts: Iterable[tuple[int, Segment]], roots: Iterable[str]) -> set[str]:
    """Return the names of functions that are in ``roots``, or that reached tokens mention.

    ``parts`` are all segments of the shader's declarations. Segments outside of functions are always reached, those of
    a function if its name is in the result.
    """
    functions: dict[str, list[Segment]] = {}
    mentioned: set[str] = set(roots)
    for _, segment in parts:
        if segment.name:
            functions.setdefault(segment.name, []).append(segment)
        else:
            mentioned |= segment.words
    todo = list(mentioned & functions.keys())
    reached = set(todo)
    while todo:
        for segment in functions[todo.pop()]:
            new = (functions.keys() & segment.words) - reached
            reached |= new
            todo += new
    return reached


def segments(chunk: Chunk, memory: ReachMemory) -> tuple[Segment, ...]:
    """Divide a declaration into segments: functions that may be unreachable, and the tokens around them.

    The segments are in order. They come from the cache if possible.
    """
    cached = memory.segments.get(chunk)
    if cached is None:
        cached = memory.segments[chunk] = tuple(_segments(chunk))
    return cached


def _segments(chunk: Chunk) -> list[Segment]:
    parts: list[Segment] = []
    at = 0
    bodies, names = _functions(chunk)
    for start, end, name in sorted(bodies):
        if start > at:
            parts.append(_segment(chunk, at, start, "", names))
        parts.append(_segment(chunk, start, end, name, names))
        at = end
    if at < len(chunk.tokens):
        parts.append(_segment(chunk, at, len(chunk.tokens), "", names))
    return parts


def _segment(chunk: Chunk, start: int, end: int, name: str, names: set[int]) -> Segment:
    """Return the segment from token ``start`` to ``end``; ``name`` is its function, empty for other tokens.

    ``names`` are the indices of tokens that declare functions, which do not count as mentions.
    """
    tokens = chunk.tokens[start:end]
    digest = blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16, person=name.encode()[:16])
    words = {token for at, token in enumerate(tokens, start) if token.isidentifier() and at not in names}
    for token in tokens:
        if token.endswith('"'):
            words.update(token.strip('"').replace("::", " ").split())
    return Segment(start, end, name, digest.digest(), frozenset(words))


def _functions(chunk: Chunk) -> tuple[list[tuple[int, int, str]], set[int]]:
    """Return (start, end, function) of the parts that may be unreached, and the indices of function name tokens."""
    if len(chunk.decls) != 1:
        return [], set()
    d = chunk.decls[0]
    if isinstance(d, ast.FunctionDecl) and d.body is not None:
        # A type that is declared in the head is a declaration of its own, which is always reached.
        alone = all(effect.name == d.name for effect in chunk.effects)
        return ([(0, len(chunk.tokens), d.name)] if _is_plain(d) and alone else []), set()
    bodies: list[tuple[int, int, str]] = []
    names: set[int] = set()
    todo: list[object] = [d]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.FunctionDecl):
            if _is_plain(item) and chunk.tokens[item.pos] == item.name:
                names.add(item.pos)
                if item.body is not None and item.body.end > item.body.pos:
                    bodies.append((item.body.pos, item.body.end + 1, item.name))
        elif isinstance(item, ast.NamespaceDecl | ast.StructDecl):
            todo += item.members or ()
    return bodies, names


def _is_plain(f: ast.FunctionDecl) -> bool:
    """Return whether a function can only be referred to by its name, and is no export of a library."""
    return (
        f.name.isidentifier()
        and f.name != "operator"
        and "export" not in f.quals
        and not any(attribute.name == "shader" for attribute in f.attributes)
    )
