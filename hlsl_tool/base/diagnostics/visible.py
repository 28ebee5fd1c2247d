"""Escape text from files and file names before it is printed."""

from __future__ import annotations

import re
from typing import Final, TextIO

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Escape control characters in a text, which a terminal would interpret."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_name(name: str) -> str:
    """Escape a file name for printing, including line feeds."""
    return visible(name).replace("\n", "\\n")


def write_text(stream: TextIO, text: str) -> None:
    """Write to a stream; escape characters that its encoding cannot represent."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
