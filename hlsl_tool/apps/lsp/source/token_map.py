"""Map the tokens of an analysed shader to positions in files, and the reverse."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor import TokenStream
from hlsl_tool.frontend.preprocessor.lexing.parsed import ParsedFile
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced


class Origin(NamedTuple):
    """The source range of a token in a file."""

    file: SourceFile
    start: int
    end: int
    is_written: bool
    """False for a token from the body of a macro: the place is that of the invocation then."""


class Written(NamedTuple):
    """A token that occurs in a file: its range there, and its index in the stream."""

    start: int
    end: int
    number: int
    """Index of the token in the token stream."""


class TokenMap:
    """Maps tokens to source ranges, and ranges to tokens; the tokens of a file are traced at its first use."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._files: dict[str, list[Written]] = {}
        self._runs = None if stream is None else stream.runs_by_file()

    def origin(self, index: int) -> Origin:
        file, token = self.stream.origin(index)
        start, end = _span(file, token)
        return Origin(file.source, start, end, _is_written(file, token))

    def written(self, path: str) -> list[Written]:
        """Return the tokens that come from a file, sorted by position.

        Several tokens may have the same position, because the argument of a macro may be repeated.
        """
        tokens = self._files.get(path)
        if tokens is None:
            tokens = self._files[path] = self._trace(path)
        return tokens

    def at(self, path: str, offset: int) -> list[Written]:
        """Return the tokens at an offset; those that start there come before those that end there."""
        tokens = self.written(path)
        last = bisect_right(tokens, offset, key=lambda token: token.start)
        around: list[Written] = []
        while last and tokens[last - 1].end >= offset:
            last -= 1
            around.append(tokens[last])
        return sorted(around, key=lambda token: (-token.start, token.number))

    def _trace(self, path: str) -> list[Written]:
        tokens: list[Written] = []
        for run, steps in (self._runs or {}).get(path, ()):
            first = self.stream.run_start(run)
            file = steps[-1].visit.file
            for number, token in enumerate(self.stream.traced_run(run, steps)):
                if _is_written(file, token):
                    tokens.append(Written(*_span(file, token), first + number))
        return sorted(tokens)


def _is_written(file: ParsedFile, token: Traced) -> bool:
    """Return whether a token occurs in the file at its offset.

    False for a token from a macro's body, or one that ``##`` formed.
    """
    if not token.frames:
        return True
    return token.offset != token.root and file.clean.startswith(str(token), token.offset)


def _span(file: ParsedFile, token: Traced) -> tuple[int, int]:
    start = file.physical(token.offset)
    return start, file.physical(token.offset + len(token) - 1) + 1
