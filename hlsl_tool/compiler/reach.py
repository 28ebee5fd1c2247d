"""What of a shader can decide its words: everything but the bodies of functions that nothing kept mentions.

What a declaration means depends on its tokens and on the declarations behind the names it mentions; that is what
analysis is remembered by, too (`sema.analysis`).  So it is safe to leave out a function whose name nothing that is kept
mentions.  That is found by words alone, without regard to scopes and overloads: too much may be kept, never too little.
Variables, blocks, types and everything else stay, used or not: they decide bindings and layouts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from hlsl_tool.compiler.shape import Shape
from hlsl_tool.syntax import ast
from hlsl_tool.syntax.chunks import Chunk


class Segment(NamedTuple):
    """A part of a chunk that is kept or left out as a whole."""

    start: int
    end: int
    name: str
    """Of the function whose it is; empty for what is always kept."""
    digest: bytes
    words: frozenset[str]
    """What it mentions; what stands in strings counts (``[patchconstantfunc("f")]``)."""


@dataclass(slots=True)
class ReachMemory:
    """The segments of chunks seen before."""

    segments: dict[Chunk, tuple[Segment, ...]] = field(default_factory=dict)
    shapes: dict[Chunk, Shape] = field(default_factory=dict)


@dataclass(slots=True)
class Kept:
    """The kept tokens of a shader, numbered through, and where they stand among all."""

    digests: list[bytes] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    """Number of the first token of each kept segment."""
    starts: list[int] = field(default_factory=list)
    """Index of it in the stream."""
    count: int = 0

    def number(self, index: int) -> int | None:
        """The number of the token at an index; None if it was left out."""
        at = bisect_right(self.starts, index) - 1
        if at < 0:
            return None
        number = self.firsts[at] + index - self.starts[at]
        end = self.firsts[at + 1] if at + 1 < len(self.firsts) else self.count
        return number if number < end else None

    def before(self, index: int) -> int:
        """How many tokens are kept before an index."""
        at = bisect_right(self.starts, index) - 1
        if at < 0:
            return 0
        end = self.firsts[at + 1] if at + 1 < len(self.firsts) else self.count
        return min(self.firsts[at] + index - self.starts[at], end)

    def index(self, number: int) -> int | None:
        """The index of the token with a number."""
        if not 0 <= number < self.count:
            return None
        at = bisect_right(self.firsts, number) - 1
        return self.starts[at] + number - self.firsts[at]


def keep(chunks: Sequence[Chunk], bases: Sequence[int], roots: Iterable[str], memory: ReachMemory) -> Kept:
    """What can be reached from the roots' names and from everything that is no function."""
    parts = [(base, segment) for chunk, base in zip(chunks, bases, strict=True) for segment in segments(chunk, memory)]
    mentioned = reached(parts, roots)
    kept = Kept()
    for base, segment in parts:
        if segment.name and segment.name not in mentioned:
            continue
        kept.digests.append(segment.digest)
        kept.firsts.append(kept.count)
        kept.starts.append(base + segment.start)
        kept.count += segment.end - segment.start
    return kept


def reached(parts: Iterable[tuple[int, Segment]], roots: Iterable[str]) -> set[str]:
    """The names of the functions that are kept."""
    functions: dict[str, list[Segment]] = {}
    mentioned: set[str] = set(roots)
    for _, segment in parts:
        if segment.name:
            functions.setdefault(segment.name, []).append(segment)
        else:
            mentioned |= segment.words
    todo = list(mentioned & functions.keys())
    found = set(todo)
    while todo:
        for segment in functions[todo.pop()]:
            new = (functions.keys() & segment.words) - found
            found |= new
            todo += new
    return found


def segments(chunk: Chunk, memory: ReachMemory) -> tuple[Segment, ...]:
    known = memory.segments.get(chunk)
    if known is None:
        known = memory.segments[chunk] = tuple(_segments(chunk))
    return known


def _segments(chunk: Chunk) -> list[Segment]:
    found: list[Segment] = []
    at = 0
    bodies, names = _functions(chunk)
    for start, end, name in sorted(bodies):
        if start > at:
            found.append(_segment(chunk, at, start, "", names))
        found.append(_segment(chunk, start, end, name, names))
        at = end
    if at < len(chunk.tokens):
        found.append(_segment(chunk, at, len(chunk.tokens), "", names))
    return found


def _segment(chunk: Chunk, start: int, end: int, name: str, names: set[int]) -> Segment:
    """``names``: words that only say what is being declared."""
    tokens = chunk.tokens[start:end]
    digest = blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16, person=name.encode()[:16])
    words = {token for at, token in enumerate(tokens, start) if token.isidentifier() and at not in names}
    for token in tokens:
        if token.endswith('"'):
            words.update(token.strip('"').replace("::", " ").split())
    return Segment(start, end, name, digest.digest(), frozenset(words))


def _functions(chunk: Chunk) -> tuple[list[tuple[int, int, str]], set[int]]:
    """(start, end, function) of what may be left out, and where functions stand with their names to be declared."""
    if len(chunk.decls) != 1:
        return [], set()
    d = chunk.decls[0]
    if isinstance(d, ast.FunctionDecl) and d.body is not None:
        # A type that is declared in its head is a declaration of its own.
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
    """A function that is found by its name alone, and is nothing that a library exports."""
    return (
        f.name.isidentifier()
        and f.name != "operator"
        and "export" not in f.quals
        and not any(attribute.name == "shader" for attribute in f.attributes)
    )
