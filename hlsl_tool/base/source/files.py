"""A source file: name, identity, text, and the mapping from offsets to lines and columns."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.hashing import blake2b

DIGEST_SIZE = 20

# Encodings by byte order mark.  Longer marks come first, because that of UTF-32 (little endian) begins with that of
# UTF-16.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# A lone carriage return ends a line too.  It is replaced by one character, so offsets stay valid.
_LONE_CR = re.compile(r"\r(?!\n)")


@dataclass(slots=True)
class Decoded:
    """The text of a file, and the offsets of invalid bytes in it."""

    text: str
    invalid: int = -1
    """Offset in ``text`` of the first byte that is not UTF-8 (decoded as Latin-1), -1 if there is none."""
    nul: int = -1
    """Offset in ``text`` of the first NUL: the file is binary."""


def decode(data: bytes) -> Decoded:
    """Decode a file by its byte order mark; without one as UTF-8, and invalid bytes as Latin-1.

    Comments in old headers are often Latin-1 or Windows-1252, so invalid bytes are decoded too; the caller decides (the
    preprocessor warns, and rejects them outside comments and strings).
    """
    encoding = "utf-8"
    for mark, name in _MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], name
            break
    invalid = -1
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            invalid = len(data[: error.start].decode("utf-8"))
            text = _decode_mixed(data)
        else:
            text = data.decode(encoding, "replace")
            invalid = max(text.find("�"), 0)
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    return Decoded(text, invalid, text.find("\0"))


def _decode_mixed(data: bytes) -> str:
    parts: list[str] = []
    position = 0
    while position < len(data):
        try:
            parts.append(data[position:].decode("utf-8"))
            break
        except UnicodeDecodeError as error:
            bad, end = position + error.start, position + error.end
            parts.append(data[position:bad].decode("utf-8"))
            parts.append(data[bad:end].decode("latin-1"))
            position = end
    return "".join(parts)


class SourceFile:
    """The content of a file; ``name`` is used in diagnostics and ``__FILE__``, ``path`` identifies the file."""

    __slots__ = ("_digest", "_starts", "data", "decoded", "name", "path", "text")

    def __init__(self, name: str, path: str, text: str, *, data: bytes | None = None, decoded: Decoded | None = None):
        self.name = name
        self.path = path
        self.text = text
        self.data = data if data is not None else text.encode("utf-8", "surrogatepass")
        self.decoded = decoded if decoded is not None else Decoded(text, -1, text.find("\0"))
        self._digest: bytes | None = None
        self._starts: list[int] | None = None

    @classmethod
    def from_bytes(cls, name: str, path: str, data: bytes) -> SourceFile:
        decoded = decode(data)
        return cls(name, path, decoded.text, data=data, decoded=decoded)

    def renamed(self, name: str) -> SourceFile:
        """Return the same file with another name; text, digest and line table are shared."""
        if name == self.name:
            return self
        other = SourceFile(name, self.path, self.text, data=self.data, decoded=self.decoded)
        other._digest, other._starts = self._digest, self._starts
        return other

    @property
    def digest(self) -> bytes:
        """The blake2b digest of the bytes on disk."""
        if self._digest is None:
            self._digest = blake2b(self.data, digest_size=DIGEST_SIZE).digest()
        return self._digest

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._starts

    @property
    def line_count(self) -> int:
        return len(self._line_starts())

    def line_start(self, line: int) -> int:
        """Return the offset of a line's first character; lines are counted from 1."""
        return self._line_starts()[line - 1]

    def line_col(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset, both counted from 1."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Return a line (counted from 1) without its line break; ``""`` past the end of the file."""
        starts = self._line_starts()
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")

    def __repr__(self) -> str:
        return f"SourceFile({self.name!r}, {len(self.text)} characters)"
