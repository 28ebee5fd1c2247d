"""Caches of the parser, shared by the shaders of a process.

Three layers, the cheapest first.

* **Steps.**  The preprocessor returns the same list object for the same tokens.  A step is a run of such tokens
  together with the unfinished declaration before it (mostly none); it has the declarations that end in the run.
* **Results.**  How a step's declarations are classified depends on the types declared before, a ``State``.  A state
  caches the parsed declarations of its steps, so that a repeated header costs one lookup for each run.
* **Pieces.**  The tokens of a declaration, with one syntax tree for each classification that its names
  have had.

The caches are keyed by content and do not change results, which a test checks.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax.chunks import Chunk, Splitter
from hlsl_tool.frontend.syntax.environment import Effect, signs

MAX_STEPS = 500_000
"""Beyond, steps are forgotten: a resident process must not grow with every edit."""

MAX_RECENT = 128
"""Names in `State.recent`; with more, they join the base."""

Key = tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False)
class Piece:
    """The tokens of a top-level declaration, with its syntax tree for each set of type names it was parsed with."""

    tokens: tuple[str, ...]
    identifiers: frozenset[str]
    variants: dict[tuple[Key, Hashable], Chunk] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class State:
    """The types and templates that the declarations so far have declared, as a text for each name (`signs`).

    They decide how later tokens are classified. Entries of ``recent`` override those of ``base``, which many states
    share. A separate dictionary in every state would need memory quadratic in the number of types.
    """

    base: dict[str, str] = field(default_factory=dict)
    recent: dict[str, str] = field(default_factory=dict)
    digest: int = 0
    results: dict[tuple[Step, Hashable], Result] = field(default_factory=dict)
    following: dict[tuple[Effect, ...], State] = field(default_factory=dict)

    def key(self, identifiers: frozenset[str]) -> Key:
        """Return a hashable key of all that decides the classification of a declaration with these identifiers."""
        base, recent = self.base, self.recent
        if recent.keys().isdisjoint(identifiers) and base.keys().isdisjoint(identifiers):
            return ()
        histories = ((name, recent.get(name) or base.get(name)) for name in sorted(identifiers))
        return tuple((name, history) for name, history in histories if history)

    def histories(self) -> dict[str, str]:
        """Return name → text with the declarations that have affected the name's classification (`signs`).

        Names without such declarations are omitted.
        """
        return {**self.base, **self.recent}


class Result(NamedTuple):
    """The parsed declarations of a step (`Step`) that starts in a state (`State`), and the state after them."""

    chunks: list[Chunk]
    state: State
    effects: list[Effect]
    has_problems: bool


@dataclass(slots=True, eq=False)
class Step:
    """The top-level declarations that end in a run of tokens; the first may begin in an earlier run."""

    pieces: list[Piece]
    offsets: list[int]
    """Offsets of the pieces from the beginning of the unfinished declaration."""
    consumed: int
    node: Node


@dataclass(slots=True, eq=False)
class Node:
    """The tokens of the declaration that is unfinished at the end of a run of tokens, and the steps from there."""

    tail: tuple[str, ...]
    depth: int
    opened: int
    steps: dict[int, tuple[Sequence[str], Step]] = field(default_factory=dict)
    """Identity of the next run → (the run, the step to its node); the reference keeps the identity unique."""


class SyntaxMemory:
    """All caches of the parser; with empty ones the results are the same, but take longer."""

    __slots__ = ("_count", "_nodes", "_pieces", "_states", "root", "start")

    def __init__(self) -> None:
        self._pieces: dict[tuple[str, ...], Piece] = {}
        self._states: dict[int, list[State]] = {}
        self.forget_steps()

    def forget_steps(self) -> None:
        """Clear the caches keyed by the identity of token runs, and the states."""
        self.root = Node((), 0, -1)
        self._nodes: dict[tuple[tuple[str, ...], int, int], Node] = {}
        self.start = State()
        self._states.clear()
        self._states[0] = [self.start]
        self._count = 0

    def release(self) -> None:
        """Clear the caches that contain reference cycles, which only the garbage collector would free."""
        for node in (self.root, *self._nodes.values()):
            node.steps.clear()
        for states in self._states.values():
            for state in states:
                state.results.clear()
        self.forget_steps()

    def begin(self) -> None:
        """Clear the step caches if they are too large; called before a parse, when nothing refers to them."""
        if self._count > MAX_STEPS:
            self.forget_steps()

    def step(self, node: Node, run: Sequence[str]) -> Step:
        known = node.steps.get(id(run))
        if known is not None:
            return known[1]
        step = self._split(node, run)
        node.steps[id(run)] = run, step
        self._count += 1
        return step

    def _split(self, node: Node, run: Sequence[str]) -> Step:
        tokens = [*node.tail, *run] if node.tail else run
        splitter = Splitter(node.depth, node.opened)
        pieces, offsets = [], []
        start = 0
        for end in splitter.ends(tokens, len(node.tail)):
            pieces.append(self.piece(tuple(tokens[start:end])))
            offsets.append(start)
            start = end
        return Step(pieces, offsets, start, self._node(tuple(tokens[start:]), splitter))

    def _node(self, tail: tuple[str, ...], splitter: Splitter) -> Node:
        if not tail:
            return self.root
        key = tail, splitter.depth, splitter.opened
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(*key)
        return node

    def piece(self, tokens: tuple[str, ...]) -> Piece:
        piece = self._pieces.get(tokens)
        if piece is None:
            identifiers = frozenset(filter(str.isidentifier, set(tokens)))
            piece = self._pieces[tokens] = Piece(tokens, identifiers)
        return piece

    def next_state(self, state: State, effects: tuple[Effect, ...]) -> State:
        """Return the state after a top-level declaration with these effects; equal states are the same object."""
        known = state.following.get(effects)
        if known is None:
            known = state.following[effects] = self._derive(state, effects)
        return known

    def _derive(self, state: State, effects: tuple[Effect, ...]) -> State:
        base, recent = state.base, dict(state.recent)
        histories = ChainMap(recent, base)
        digest = state.digest
        for effect in effects:
            for name, addition in signs(effect, histories):
                before = histories.get(name, "")
                recent[name] = before + addition
                digest ^= hash((name, before)) ^ hash((name, before + addition))
        if len(recent) > MAX_RECENT:
            base, recent = {**base, **recent}, {}
        derived = State(base, recent, digest)
        same = self._states.setdefault(digest, [])
        for other in same:
            if other.histories() == derived.histories():
                return other
        same.append(derived)
        return derived

    def count(self) -> int:
        """Return the number of cached top-level declarations."""
        return sum(len(piece.variants) for piece in self._pieces.values())
