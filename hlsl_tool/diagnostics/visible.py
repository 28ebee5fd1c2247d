"""Text from files and their names, made safe to print."""

from __future__ import annotations

import re
from typing import Final, TextIO

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return the text with control characters spelled out: a terminal would act on them."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_name(name: str) -> str:
    """Return the name of a file as one line."""
    return visible(name).replace("\n", "\\n")


def write_text(stream: TextIO, text: str) -> None:
    """Write to a stream; characters that its encoding lacks are spelled out."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
