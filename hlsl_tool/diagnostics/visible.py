"""Escape text from files and file names for printing."""

from __future__ import annotations

import re
from typing import Final, TextIO

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return the text with control characters escaped, since a terminal would interpret them."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_name(name: str) -> str:
    """Return a file name as one line."""
    return visible(name).replace("\n", "\\n")


def write_text(stream: TextIO, text: str) -> None:
    """Write to a stream; escape characters that its encoding lacks."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
