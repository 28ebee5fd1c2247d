"""Find a misspelt keyword near a syntax error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hlsl_tool.base.similar import most_similar
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.classified import Classified
from hlsl_tool.frontend.syntax.driver import Run

_NEVER_MEANT = frozenset((*K.RESERVED_WORDS, *K.CASTS, "__builtin_LinAlgMatrix", "fxgroup", "compile"))
WORDS: tuple[str, ...] = tuple(sorted({*K.KEYWORDS, *K.CONTEXTUAL_QUALIFIERS} - _NEVER_MEANT))
"""Keywords that a misspelt word may stand for."""

_ENDS = frozenset(("{", "}", ";"))
_CANDIDATES = 4
"""Number of names before the error that are tried: each costs a parse of the declaration."""


class Misspelt(NamedTuple):
    """A name that should be a keyword, and the tokens of the declaration with the keyword in its place."""

    at: int
    keyword: str
    tokens: tuple[str, ...]


def misspelt(run: Run, classified: Classified, parse: Callable[[tuple[str, ...]], Run]) -> Misspelt | None:
    """Return the misspelt keyword because of which a parse stopped, or ``None``.

    It resembles a keyword with which ``parse`` gets beyond the unexpected token.
    """
    for at, keyword in _candidates(run, classified):
        tokens = (*run.tokens[:at], keyword, *run.tokens[at + 1 :])
        trial = parse(tokens)
        if trial.at < 0 or trial.at > run.at + 1:
            return Misspelt(at, keyword, tokens)
    return None


def _candidates(run: Run, classified: Classified) -> Iterator[tuple[int, str]]:
    """Yield (index of a name, the keyword that it resembles) for the statement that contains the unexpected token.

    Names near the token come first.
    """
    tokens, count = run.tokens, 0
    for at, kind in reversed([pair for pair in classified.pairs() if pair[0] <= run.at]):
        if tokens[at] in _ENDS and at < run.at - 1:
            return
        if kind == K.IDENT and (keyword := most_similar(tokens[at], WORDS)) is not None:
            yield at, keyword
            count += 1
            if count == _CANDIDATES:
                return
