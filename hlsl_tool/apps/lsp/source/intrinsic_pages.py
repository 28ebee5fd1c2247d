"""What each intrinsic function does, and the names of its parameters, for hovers and completion.

`intrinsics.txt` has the pages. A line is `name | parameters | sentence`; the parameters are those of the longest
overload, and the name of a method begins with a point. A line in brackets begins a section of a manual: `[title |
address]`, where `{}` in the address stands for the name in lower case.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_name("intrinsics.txt")


class Page(NamedTuple):
    """What is written about an intrinsic function."""

    parameters: tuple[str, ...]
    sentence: str
    section: str
    """Title of the section of the manual."""
    address: str

    def note(self) -> str:
        """Return the sentence and the section of the manual as Markdown."""
        return f"{self.sentence}\n\nManual: [{self.section}]({self.address})"


@cache
def _pages() -> dict[str, Page]:
    pages: dict[str, Page] = {}
    section = address = ""
    for line in DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section, address = line.strip("[]").split(" | ")
            continue
        name, parameters, sentence = (part.strip() for part in line.split(" |", 2))
        pages[name] = Page(tuple(parameters.split()), sentence, section, address.format(name.lower().removeprefix(".")))
    return pages


def page_of(name: str) -> Page | None:
    """Return what is written about an intrinsic function; ``None`` if nothing is."""
    return _pages().get(name)


def with_names(signature: str, names: tuple[str, ...]) -> str:
    """Return a signature of types with names of parameters; unchanged if it has more parameters than names."""
    start, end = signature.find("(") + 1, signature.rfind(")")
    parameters = _split(signature[start:end])
    if len(parameters) > len(names):
        return signature
    named = [type_ if type_ == "..." else f"{type_} {name}" for type_, name in zip(parameters, names, strict=False)]
    return signature[:start] + ", ".join(named) + signature[end:]


def _split(text: str) -> list[str]:
    """Split a list at its commas, except those in brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
