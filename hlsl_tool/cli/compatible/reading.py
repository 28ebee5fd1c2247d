"""Parse a command line with a table of options."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.cli.compatible.option_rows import (
    BASE,
    BASES,
    EITHER,
    FLAG,
    JOINED,
    REGISTERS,
    SEPARATE,
    STAGES,
    Option,
    Request,
    UsageError,
)


def read(
    words: Sequence[str], table: Sequence[Option], request: Request, add_input: Callable[[Request, str], None]
) -> None:
    """Apply the options in order and add the inputs; raise `UsageError` for an option that is not in the table."""
    spellings = [(name, option) for option in table for name in option.names]
    spellings.sort(key=lambda spelling: -len(spelling[0]))
    at = 0
    while at < len(words):
        word = words[at]
        if word == "-" or not word.startswith("-"):
            add_input(request, word)
            at += 1
            continue
        option, values, used = _match(words, at, spellings)
        option.action(request, values, option)
        at += used


def _match(words: Sequence[str], at: int, spellings: list[tuple[str, Option]]) -> tuple[Option, tuple[str, ...], int]:
    """Parse the option at index ``at``; return it, its values, and the number of words it takes."""
    word, missing = words[at], ""
    for name, option in spellings:
        if not _begins(word, name):
            continue
        rest = word[len(name) :]
        if option.form == JOINED or (option.form == EITHER and rest):
            if rest or name.endswith("="):
                return option, (rest,), 1
            missing = missing or word
        elif not rest:
            values, used = _following(words[at + 1 :], option.form)
            if used is None:
                problem = "missing" if option.form in (SEPARATE, EITHER) else "missing, or is no number"
                raise UsageError(f"an argument to '{word}' is {problem}")
            return option, values, 1 + used
    if missing:
        raise UsageError(f"the value of '{missing}' follows without a space")
    raise UsageError(_unknown(word, [name for name, _ in spellings]))


def _following(words: Sequence[str], form: str) -> tuple[tuple[str, ...], int | None]:
    """Return (values of an option, number of words that they take) from the words after the option.

    ``form`` is the kind of its arguments. The number is ``None`` if there are too few words.
    """
    if form == FLAG:
        return (), 0
    if form in (BASE, BASES, REGISTERS):
        return _numbers(words, form)
    return (words[0],) if words else (), 1 if words else None


def _numbers(words: Sequence[str], form: str) -> tuple[tuple[str, ...], int | None]:
    """Parse an optional stage, and after it one number, several pairs of numbers, or several register triples.

    A register triple is (register, set, binding). Return the values, of which the first is the stage or an empty text,
    and the number of words that they take; ``None`` if there are too few words.
    """
    size, texts = (3, 1) if form == REGISTERS else (2, 0)
    has_stage = bool(words) and (words[0] in STAGES if form == REGISTERS else not is_number(words[0]))
    start = end = int(has_stage)
    while form != BASE and len(words) >= end + size and all(map(is_number, words[end + texts : end + size])):
        end += size
    end = max(end, start + 1)
    if end > len(words):
        return (), None
    return (words[0] if has_stage else "", *words[start:end]), end


def is_number(word: str) -> bool:
    """Return whether a word is an unsigned number."""
    return word.isascii() and word.isdecimal()


def _begins(word: str, name: str) -> bool:
    """Return whether a word starts with the option ``name``; as in glslang, long options ignore case."""
    return word.startswith(name) or (name.startswith("--") and word[: len(name)].lower() == name.lower())


def _unknown(word: str, names: list[str]) -> str:
    from hlsl_tool.base.similar import most_similar  # start-up time

    close = most_similar(word.split("=")[0], names)
    return f"unknown argument: '{word}'" + (f" (did you mean '{close}'?)" if close is not None else "")
