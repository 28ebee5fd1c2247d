"""Check that docstrings, comments, documentation, explanations and test names use plain words.

`FAULTS` are habits of our prose that are hard to read.  Each area may have `MOST` of them in 1,000 sentences, because a
pattern also matches a few good sentences.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hlsl_tool.base.diagnostics.catalogue.registry import all_codes
from tests.statements import statements

ROOT = Path(__file__).resolve().parents[2]
MOST = 10
"""Faults that an area may have, for each 1,000 sentences."""
GENERATED = {"config.md", "diagnostics.md", "features.md"}
"""Pages whose texts come from elsewhere."""

PERSONS = ("nobody", "somebody", "someone", "whoever")
ACTS = ("asks", "calls", "comes", "compiles", "has", "is", "looks", "needs", "reads", "wants", "waits", "writes")
TALK = ("say", "says", "said to", "is said", "are said", "tell", "tells", "told")
IDIOMS = ("as it is", "as it was", "none of its", "put by", "put off", "see above", "stands? for", "taken apart")


def _any_of(phrases: tuple[str, ...], before: str = "") -> re.Pattern[str]:
    return re.compile(rf"\b{before}(?:{'|'.join(phrases)})\b", re.IGNORECASE)


FAULTS = (
    _any_of(PERSONS),
    _any_of(ACTS, before="who "),
    _any_of(TALK),
    _any_of(IDIOMS),
    # A sentence that starts with a clause or a genitive instead of its subject; questions may start so
    re.compile(r"(?:^|(?<=[.:!?] ))(?:Who|Whose|What|Those of|Of (?:an?|the|this|those|them|which))\b(?![^.!?]*\?)"),
)
"""Persons instead of the thing's name, programs that talk, idioms, sentences without a subject in front."""
COMMENT = re.compile(r"(?:^ *|  )# (?!fmt:|mypy:|noqa|ruff:|shellcheck|type:)(.*)$", re.MULTILINE)


TEST = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)


def faults(text: str) -> list[str]:
    """Return the phrases in a text that match a pattern of `FAULTS`."""
    text = re.sub(r"\s+", " ", text).strip()
    return [match[0] for pattern in FAULTS for match in pattern.finditer(text)]


def sentences(text: str) -> int:
    """Return the number of sentences in a text, at least 1: a heading or a name counts as one."""
    return max(1, len(re.findall(r"[.!?](?:\s|$)", text)))


def prose_of_python(path: Path) -> Iterator[str]:
    """Yield the docstrings and comments in a file."""
    source = path.read_text(encoding="utf-8")
    yield from COMMENT.findall(source)
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def prose_of_folder(name: str) -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / name).rglob("*.py")):
        for text in prose_of_python(path):
            yield path.relative_to(ROOT).as_posix(), text


def pages() -> Iterator[tuple[str, str]]:
    """Yield (file, text) of the documentation, without code blocks."""
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if path.name not in GENERATED:
            text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
            yield path.relative_to(ROOT).as_posix(), text


def explanations() -> Iterator[tuple[str, str]]:
    for code in all_codes().values():
        if code.doc:
            yield code.id, code.doc


def names_of_tests() -> Iterator[tuple[str, str]]:
    """Yield (file, name) of each test, as a sentence: `test_a_file_is_read` is "A file is read"."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for name in TEST.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), name.replace("_", " ").capitalize()


AREAS = {
    "package": lambda: prose_of_folder("hlsl_tool"),
    "tests": lambda: prose_of_folder("tests"),
    "bench": lambda: prose_of_folder("bench"),
    "documentation": pages,
    "explanations": explanations,
    "names of tests": names_of_tests,
}


@pytest.mark.parametrize("area", AREAS)
def test_sentences_use_plain_words(area: str) -> None:
    count = 0
    hits: list[str] = []
    for place, text in AREAS[area]():
        count += sentences(text)
        hits += [f"{place}: {phrase}" for phrase in faults(text)]
    assert count > 100
    assert 1000 * len(hits) <= MOST * count, "\n".join(hits)


@pytest.mark.parametrize(
    "text",
    [
        "Of a worker to which the server talks.",
        "Reads the file. What is out of date is compiled again.",
        "The outputs that nobody needs.",
        "The message tells the reason.",
        "Bookkeeping that is put off until later.",
    ],
)
def test_a_riddle_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "Return the exit status of a worker whose connection was closed.",
        "What does the compiler do with such a file?",
        "Bookkeeping deferred until `catch_up()`; `None` when nothing is deferred.",
    ],
)
def test_a_plain_sentence_has_no_faults(text: str) -> None:
    assert faults(text) == []
