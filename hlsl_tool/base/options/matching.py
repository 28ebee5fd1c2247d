"""Match command-line arguments with flags, by the rules of LLVM's option library."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.options.kinds import COMMAS, EITHER, FLAG, JOINED, SEPARATE, Flag, Other, Row
from hlsl_tool.base.options.table import OTHERS, OUTPUTS, TABLE
from hlsl_tool.base.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Match:
    """An option on the command line, with its flag and its row in the option table."""

    row: Row | Other
    flag: Flag
    values: tuple[str, ...]


def _spellings() -> list[tuple[str, Flag, Row | Other]]:
    """Return (spelling, flag, row) of all flags, the longest first: the order in which LLVM tries them."""
    spellings: list[tuple[str, Flag, Row | Other]] = []
    for row in (*TABLE, *OUTPUTS):
        spellings += [(flag.name, flag, row) for flag in row.flags]
    spellings += [(other.flag.name, other.flag, other) for other in OTHERS]
    spellings += [("/" + name[1:], flag, row) for name, flag, row in spellings if flag.slash]
    return sorted(spellings, key=lambda spelling: (-len(spelling[0]), spelling[0]))


_SPELLINGS = _spellings()


def match_all(words: list[str], is_file: Callable[[str], bool] | None) -> tuple[list[Match], list[str], list[str], str]:
    """Match the words of a command line with the option table.

    Return (matched options, input files, unknown arguments, name of the first option whose value is missing or "").
    """
    matches: list[Match] = []
    inputs: list[str] = []
    unknown: list[str] = []
    missing = ""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "-" or not word.startswith(("-", "/")):
            inputs.append(word)
            at += 1
            continue
        if word.startswith("/") and is_file is not None and is_file(word):
            inputs.append(word)
            at += 1
            continue
        matched = _match(words, at)
        if matched is None:
            (inputs if word.startswith("/") else unknown).append(word)
            at += 1
        elif isinstance(matched, str):
            missing = missing or matched
            break
        else:
            match, used = matched
            matches.append(match)
            at += used
    return matches, inputs, unknown, missing


def _match(words: list[str], at: int) -> tuple[Match, int] | str | None:
    """Return (option at the index ``at``, number of words that it takes).

    If the option's value is missing, return only the option's name; if the option is unknown, return ``None``.
    """
    word = words[at]
    for spelling, flag, row in _SPELLINGS:
        if not word.startswith(spelling):
            continue
        rest = word[len(spelling) :]
        if flag.form == FLAG:
            if not rest:
                return Match(row, flag, ()), 1
        elif flag.form == JOINED:
            return Match(row, flag, (rest,)), 1
        elif flag.form == COMMAS:
            return Match(row, flag, tuple(rest.split(","))), 1
        elif flag.form == EITHER and rest:
            return Match(row, flag, (rest,)), 1
        elif flag.form in (EITHER, SEPARATE) and not rest:
            values = tuple(words[at + 1 : at + 1 + flag.count])
            return (Match(row, flag, values), 1 + flag.count) if len(values) == flag.count else word
    return None


def unknown_argument(word: str) -> str:
    """Return the error message for an unknown argument, with the most similar option."""
    names = [spelling for spelling, _, row in _SPELLINGS if isinstance(row, Row)]
    from hlsl_tool.base.similar import most_similar  # start-up time

    close = most_similar(word.split("=")[0], names)
    hint = f" (did you mean '{close}'?)" if close is not None else ""
    return f"Unknown argument: '{word}'{hint}"
