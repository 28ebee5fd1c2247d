"""Chunks: top-level declarations, the unit of parsing and caching."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.environment import Effect
from hlsl_tool.frontend.syntax.errors.problems import Problem


@dataclass(slots=True, eq=False)
class Chunk:
    """One top-level declaration, parsed once and shared by all shaders that contain it.

    Compared by identity: one ``SyntaxMemory`` returns the same object for equal tokens of which the same names are
    types. Immutable.
    """

    tokens: tuple[str, ...]
    decls: list[ast.Decl]
    """Normally one; empty if a syntax error left no declaration."""
    identifiers: frozenset[str]
    """All words among the tokens, keywords included: the names that the chunk can refer to."""
    problems: list[Problem] = field(default_factory=list)
    effects: tuple[Effect, ...] = ()
    """Declared names that affect the classification of later chunks."""
    splits: tuple[int, ...] = ()
    """Positions of the ``>>`` that close two lists of template arguments."""
    lost: frozenset[str] = frozenset()
    """Names whose declarations syntax errors may have discarded: uses of them are not reported."""

    @property
    def decl(self) -> ast.Decl | None:
        return self.decls[0] if self.decls else None

    @property
    def error_positions(self) -> frozenset[int]:
        """The token positions of the syntax errors."""
        return frozenset(problem.at for problem in self.problems if not problem.is_warning)

    @property
    def has_errors(self) -> bool:
        return any(not problem.is_warning for problem in self.problems)


_MARKS = frozenset(("{", "}", ";"))
_BLOCKS = frozenset((
    "namespace", "cbuffer", "tbuffer", "technique", "Technique", "technique10", "technique11", "fxgroup", "{", "",
))  # fmt: skip
"""First tokens of declarations that end with their closing brace."""


@dataclass(slots=True)
class Splitter:
    """Finds the ends of top-level declarations incrementally.

    An end never depends on later tokens, so each declaration can be cached by itself. Therefore the ``;`` after
    ``cbuffer C { ... };`` is a separate, empty declaration.
    """

    depth: int = 0
    """Number of open braces."""
    opened: int = -1
    """Index of the declaration's first top-level brace; -1 before it."""

    def ends(self, tokens: Sequence[str], scanned: int) -> list[int]:
        """Return the ends of the declarations in ``tokens``.

        An earlier call has scanned the first ``scanned`` tokens.
        """
        positions = []
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
                if depth > 0 or (depth == 0 and _continues(tokens, start, opened)):
                    continue
            elif depth > 0 or ("<" in tokens[start:at] and _inside_annotation(tokens, start, at)):
                continue
            positions.append(at + 1)
            start = at + 1
            depth, opened = 0, -1
        self.depth = depth
        self.opened = opened - start if opened >= 0 else -1
        return positions


def _continues(tokens: Sequence[str], start: int, opened: int) -> bool:
    """Return whether a declaration continues after its closing brace up to a ``;``, as in ``struct { ... } s;``.

    Functions, namespaces and blocks such as ``cbuffer`` end there; initialisers, structs and
    ``SamplerState s { ... };`` continue. ``start`` and ``opened`` are the indices of the declaration's first token and
    of its opening brace.
    """
    while start < opened and tokens[start] == "[":
        start = _behind_brackets(tokens, start)
    head = _without_annotations(tokens[start:opened])
    if "=" in head:
        is_initialised = "(" not in head or head.index("=") < head.index("(") or head[-1] in _BEFORE_BRACES
        return is_initialised and "operator" not in head
    if "(" in head:
        return "register" in head and head[0] not in _BLOCKS
    return bool(head) and head[0] not in _BLOCKS


_BEFORE_BRACES = ("=", "sampler_state")
"""Tokens before a braced initialiser."""


def _behind_brackets(tokens: Sequence[str], at: int) -> int:
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] == "[") - (tokens[at] == "]")
        at += 1
        if depth == 0:
            break
    return at


def _inside_annotation(tokens: Sequence[str], start: int, at: int) -> bool:
    """Return whether a ``;`` is inside a legacy annotation ``< string s = "x"; >``."""
    left = _annotation(tokens, start, at)
    return left >= 0 and _annotation_end(tokens, left, at) < 0


def _annotation(tokens: Sequence[str], start: int, end: int) -> int:
    """Return the index at which the last annotation in a range of tokens starts; -1 without one."""
    for left in range(end - 4, start, -1):
        if tokens[left] == "<" and tokens[left + 3] == "=" and tokens[left - 1] not in ("template", "="):
            return left if tokens[left + 1].isidentifier() and tokens[left + 2].isidentifier() else -1
    return -1


def _annotation_end(tokens: Sequence[str], left: int, end: int) -> int:
    """Return the end of the annotation that starts at ``left``: the first ``>`` after a ``;``; -1 without one."""
    return next((at + 1 for at in range(left, end) if tokens[at] == ">" and tokens[at - 1] == ";"), -1)


def _without_annotations(head: Sequence[str]) -> Sequence[str]:
    while "<" in head and (left := _annotation(head, 0, len(head))) >= 0:
        end = _annotation_end(head, left, len(head))
        if end < 0:
            break
        head = (*head[:left], *head[end:])
    return head
