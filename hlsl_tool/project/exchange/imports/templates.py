"""Find a template that reproduces the names of a block's permutations (`project.config.expansion.name_templates`)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise

from hlsl_tool.project.config.expansion import name_templates as names
from hlsl_tool.project.exchange.imports.axes import UNDEFINED, Macros

LONGEST = 64
"""Characters of a value that are looked for around the place where names differ."""


def template(rows: Sequence[tuple[Macros, str]]) -> str | None:
    """Return a name template that gives the name in each row of (macros, name) for the macros in that row.

    `None` if no such template is found.
    """
    base, text = rows[0]
    varying = [name for name in base if any(macros[name] != base[name] for macros, _ in rows)]
    spans = []
    for axis in varying if any(name != text for _, name in rows) else []:
        alike = [(m[axis], n) for m, n in rows if all(m[other] == base[other] for other in base if other != axis)]
        span = _span(axis, alike, text)
        if span is None:
            return None
        if span[0] < span[1] or span[2]:
            spans.append(span)
    spans.sort()
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        return None
    parts, at = [], 0
    for start, end, placeholder in spans:
        parts += [text[at:start], placeholder]
        at = end
    result = "".join(parts) + text[at:]
    return result if gives(result, rows, {}) else None


def _span(axis: str, alike: Sequence[tuple[str, str]], text: str) -> tuple[int, int, str] | None:
    """Find the part of the name ``text`` that depends on the macro ``axis``.

    ``alike`` are (value of the macro, name) of permutations that differ only in this macro. Return (start, end,
    placeholder that replaces the part), or `None` if no placeholder gives all names.
    """
    texts = [name for _, name in alike]
    before = _alike(texts)
    rest = [name[before:] for name in texts]
    after = _alike([name[::-1] for name in rest])
    ends = [len(name) - after for name in texts]
    if all(name == text for name in texts):
        return 0, 0, ""
    for left in range(min(before, LONGEST) + 1):
        for right in range(min(after, LONGEST) + 1):
            pieces = [name[before - left : end + right] for name, end in zip(texts, ends, strict=True)]
            if all(piece == _shown(value) for piece, (value, _) in zip(pieces, alike, strict=True)):
                return before - left, ends[0] + right, f"{{{axis}}}"
    pieces = [name[before:end] for name, end in zip(texts, ends, strict=True)]
    shown = [(_shown(value), piece) for (value, _), piece in zip(alike, pieces, strict=True) if piece]
    choice = "".join(f"{{{axis}={value}?{piece}}}" for value, piece in shown)
    return (before, ends[0], choice) if names.is_template(choice) else None


def _alike(texts: Sequence[str]) -> int:
    """Return the length of the common prefix of all texts."""
    count = 0
    for letters in zip(*texts, strict=False):
        if len(set(letters)) > 1:
            break
        count += 1
    return count


def _shown(value: str) -> str:
    return "" if value == UNDEFINED else names.clean(value)


def gives(text: str, rows: Sequence[tuple[Macros, str]], words: Macros) -> bool:
    """Return whether a template produces the name in each of ``rows``."""
    if not names.is_template(text):
        return False
    try:
        return all(
            names.fill(text, {macro: _shown(value) for macro, value in macros.items()} | words) == name
            for macros, name in rows
        )
    except KeyError:  # a row lacks a macro of the template
        return False


def generalized(text: str, source: str, entry: str, folder: str) -> str:
    """Replace the names of source, folder and entry point in a template by placeholders, so that others can share it.

    ``source`` and ``folder`` are relative to the source folder, the template ``text`` to the output folder.
    """
    stem = posixpath.splitext(posixpath.basename(source))[0]
    place, _, base = text.rpartition("/")
    if place == folder:
        return _with_words(base, stem, entry)
    path = posixpath.splitext(source)[0]
    if folder and text.startswith(path):
        return "{source}" + _with_words(text[len(path) :], "", entry)
    return (f"{place}/" if place else "./") + _with_words(base, stem, entry)


def generalized_array(text: str, source: str, entry: str) -> str:
    """Replace the names of source and entry point anywhere in the template of an array's name by placeholders."""
    stem = re.sub(r"[^A-Za-z0-9]", "_", posixpath.splitext(posixpath.basename(source))[0])
    for word, placeholder in ((stem, "{stem}"), (entry, "{entry}")):
        pattern = rf"(?<![A-Za-z0-9{{=]){re.escape(word)}(?![A-Za-z0-9}}=?])"
        if word and (word != "main" or text.endswith("_main")):
            text = re.sub(pattern, placeholder, text, count=1)
    return text


def _with_words(text: str, stem: str, entry: str) -> str:
    """Replace ``stem`` at the start of the text, and then ``entry`` where it is a separate word, by placeholders."""
    start = ""
    if stem and text.startswith(stem):
        start, text = "{stem}", text[len(stem) :]
    pattern = rf"(?<![A-Za-z0-9{{=]){re.escape(entry)}(?![A-Za-z0-9}}=?])"
    if entry and (entry != "main" or re.fullmatch(r"[._-]main", text)):
        text = re.sub(pattern, "{entry}", text, count=1)
    return start + text
