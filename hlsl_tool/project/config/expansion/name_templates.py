"""Name templates: `{stem}_{entry}{HALF=1?_16bit}`.

A placeholder is a word of `WORDS`, or a macro, which is replaced by its value.  `{NAME=VALUE?TEXT}` is replaced by TEXT
if the macro NAME has that value, else by nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache

WORDS = {
    "source": "the source's path below the source folder, without its suffix",
    "dir": "the source's folder below the source folder",
    "stem": "the source's name without its suffix",
    "entry": "the entry point",
    "profile": "the profile, such as ps_6_0",
    "stage": "the stage in the profile, such as ps",
    "permutation": "the macros that vary, except those that the template mentions",
    "shader": "the output's name without the permutation, with its folder (not in `name`)",
    "name": "the output's name with its folder (not in `name`)",
}
"""Placeholder → its meaning."""

_LITERAL = r"[A-Za-z0-9_.+/-]"
_PLACEHOLDER = re.compile(rf"\{{([A-Za-z_][A-Za-z0-9_]*)(?:=([^{{}}?]*)\?({_LITERAL}*))?\}}")
_TEMPLATE = re.compile(rf"(?:{_LITERAL}|{_PLACEHOLDER.pattern})+")
PATTERN = _TEMPLATE.pattern


def is_template(text: str) -> bool:
    """Return whether a text is a valid template; it need not contain a placeholder."""
    return _TEMPLATE.fullmatch(text) is not None


@cache
def mentioned(template: str) -> frozenset[str]:
    """Return the names of words and macros in the placeholders of a template."""
    return frozenset(match[1] for match in _PLACEHOLDER.finditer(template))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders replaced; raise KeyError for a name that ``values`` lacks."""

    def replaced(match: re.Match[str]) -> str:
        name, value, text = match.groups()
        if value is None:
            return values[name]
        return str(text) if values[name] == value else ""

    return _PLACEHOLDER.sub(replaced, template)


@cache
def clean(value: str) -> str:
    """Make the value of a macro usable in a file name; if characters had to be replaced, append a hash."""
    text = re.sub(r"[^A-Za-z0-9_+-]+", "_", value)
    if text == value:
        return value
    return f"{text[:40]}~{hashlib.blake2b(value.encode(), digest_size=4).hexdigest()}"


@cache
def part(name: str, value: str | None) -> str:
    """Return the part of a file name that represents a macro: `SHADOWS=1`, or `SHADOWS` without a value."""
    return name if value is None else f"{name}={clean(value)}"


def shorten(name: str, limit: int) -> str:
    """Shorten the last component of a path to at most ``limit`` characters, which end with a hash."""
    folder, slash, base = name.rpartition("/")
    if len(base) <= limit:
        return name
    digest = hashlib.blake2b(base.encode(), digest_size=8).hexdigest()
    return f"{folder}{slash}{base[: limit - 17]}~{digest}"
