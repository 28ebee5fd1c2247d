"""Find the name that a misspelt word most likely means; every "did you mean" hint comes from here."""

from __future__ import annotations

from collections.abc import Iterable


def most_similar(word: str, names: Iterable[str]) -> str | None:
    """Return the name that differs least from ``word``, or ``None`` if none is near; the first of equally near names.

    A name is near if at most a third of the letters differ: one of three to five letters, two of six to eight, and so
    on; of one or two letters only the case may differ. Names whose numbers differ are different names, not mistakes.
    """
    folded = word.lower()
    letters, digits = frozenset(folded), _digits(word)
    limit = _limit(len(folded))
    best: tuple[int, bool, str] | None = None
    for name in names:
        if name == word:
            continue
        candidate = name.lower()
        if abs(len(candidate) - len(folded)) > limit or len(letters.symmetric_difference(candidate)) > 2 * limit:
            continue
        distance = _distance(folded, candidate, limit)
        if distance <= limit and not _is_renumbered(digits, _digits(name)):
            rank = (distance, distance == 0 or name[:1] != word[:1], name)
            if best is None or rank[:2] < best[:2]:
                best = rank
    return best[2] if best is not None else None


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """Return a hint with the name that differs least from ``word``; ``None`` if none is near."""
    name = most_similar(word, names)
    return f"did you mean `{name}`?" if name is not None else None


def most_similar_file(name: str, names: Iterable[str]) -> str | None:
    """Return the file name that differs least from ``name``, or ``None``.

    The names without their suffixes are compared; with another suffix, they have to be the same.
    """
    stem, dot, suffix = name.rpartition(".")
    if not stem:
        return most_similar(name, names)
    end = dot + suffix
    others = list(names)
    same = most_similar(stem, [other.removesuffix(end) for other in others if other.endswith(end)])
    if same is not None:
        return same + end
    return next((other for other in others if other != name and other.rpartition(".")[0].lower() == stem.lower()), None)


def _limit(length: int) -> int:
    """Return how many letters of a word may be wrong."""
    return 0 if length < 3 else max(1, length // 3)


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _is_renumbered(digits: str, others: str) -> bool:
    return digits != others and len(digits) == len(others)


def _distance(first: str, second: str, limit: int) -> int:
    """Return the number of changes between two words: letters inserted, removed, replaced or swapped with a neighbour.

    The result is only exact up to ``limit``.
    """
    before_last: list[int] = []
    last = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            cost = letter != other
            distance = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
            if cost and row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                distance = min(distance, before_last[column - 2] + 1)
            current.append(distance)
        if min(current) > limit:
            return limit + 1
        before_last, last = last, current
    return last[-1]
