"""Response files: files with command-line arguments, given as `@file`."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlsl_tool.base.options.checks import OptionError


def expand_response_files(words: list[str], read: Callable[[str], str | None] | None, depth: int = 0) -> list[str]:
    """Replace each `@file` by the arguments in that file, recursively; raise ``OptionError``."""
    if read is None or not any(word.startswith("@") for word in words):
        return words
    if depth > 20:
        raise OptionError("response files are nested too deeply")
    expanded: list[str] = []
    for word in words:
        if not word.startswith("@"):
            expanded.append(word)
            continue
        text = read(word[1:])
        if text is None:
            raise OptionError(f"cannot read the response file '{word[1:]}'")
        expanded += expand_response_files(split_words(text), read, depth + 1)
    return expanded


_WORD = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_PART = re.compile(r"""([^"']+)|"((?:\\.|[^"\\])*)"|'([^']*)'""")


def split_words(text: str) -> list[str]:
    """Split the text of a response file at white space outside of quotes.

    A backslash escapes only a quote or itself, inside double quotes, so that Windows paths are preserved.
    """
    words = []
    for word in _WORD.findall(text):
        parts = []
        for plain, double, single in _PART.findall(word):
            parts.append(plain or single or re.sub(r'\\(["\\])', r"\1", double))
        words.append("".join(parts))
    return words
