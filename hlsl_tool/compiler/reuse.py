"""Results of earlier compilations: found by what decides them, told again with today's positions.

Two keys, one after the other.  The **token key** is that of the whole preprocessed shader: found without parsing, equal
under edits of comments, of whitespace, of code that the preprocessor leaves out, and under other macros that come to
the same text.  The **reach key** leaves out functions that cannot be reached (`reach`); it is asked for when the shader
has been analysed, since an error in a function that nobody calls is an error all the same.

Everything else that can change a word or a message is in both keys: the options, the toolchain, the pragmas that act on
tokens.  Debug information tells of files and lines: with it the files themselves are in the token key, and there is no
reach key.  Only results without errors are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

from hlsl_tool.compiler.options import PLACES, CompileOptions, changed
from hlsl_tool.compiler.reach import Kept, ReachMemory, keep
from hlsl_tool.compiler.replay import Unkept, pack_interface, pack_messages, unpack_interface, unpack_messages
from hlsl_tool.diagnostics.sink import Sink

if TYPE_CHECKING:
    from hlsl_tool.compiler.compile import CompileResult
    from hlsl_tool.diagnostics.model import Diagnostic
    from hlsl_tool.preprocessor import TokenStream
    from hlsl_tool.sema.analysis import Places
    from hlsl_tool.syntax.parser import TranslationUnit

FORMAT = 1
"""Of the data under a key; raised when it changes."""

PREPROCESSING = frozenset({
    "include_dirs", "defines", "undefines", "ignore_line_directives", "case_insensitive_includes",
    "legacy_macro_expansion",
})  # fmt: skip
"""Options of which the tokens tell everything."""

_ACTING = ("pack_matrix", "diagnostic")
"""Pragmas that act on what is behind them."""


class Results(Protocol):
    """Where results are kept."""

    salt: str
    """The toolchain: part of every key."""

    def get(self, key: str) -> tuple[Any, bytes] | None: ...

    def put(self, key: str, datum: Any, spirv: bytes) -> None: ...


@dataclass(slots=True)
class Reuse:
    """One compilation's dealings with the results."""

    results: Results
    options: CompileOptions
    stream: TokenStream
    source: str
    """What messages call the shader."""
    sink: Sink
    memory: ReachMemory
    told: int = 0
    """Messages that were given before the part that the next key stands for."""
    token_key: str = ""
    told_before_parsing: int = 0
    reach_key: str = ""
    told_before_lowering: int = 0
    kept: Kept | None = field(default=None, repr=False)

    def by_tokens(self, result: CompileResult) -> bool:
        """After preprocessing: fill in the result if the token key is known."""
        self.told_before_parsing = len(self.sink.diagnostics)
        found = self._hash("tokens")
        for token, name, arguments in self.stream.pragmas:
            if name in _ACTING:
                _add(found, "pragma", str(token), name, *arguments)
        _add(found, "tokens")
        found.update("\0".join(self.stream.tokens).encode("utf-8", "surrogatepass"))
        self.token_key = found.hexdigest()
        return self._get(self.token_key, result, lambda number: number if number < len(self.stream) else None, "tokens")

    def by_reach(self, unit: TranslationUnit, result: CompileResult) -> bool:
        """After analysis without errors: fill in the result if the reach key is known."""
        options = self.options
        if options.debug or options.profile.startswith("lib"):
            return False
        self.told_before_lowering = len(self.sink.diagnostics)
        kept = self.kept = keep(unit.chunks, unit.bases, options.entry.split("::"), self.memory)
        found = self._hash("reach")
        for token, name, arguments in self.stream.pragmas:
            if name in _ACTING:
                _add(found, "pragma", str(kept.before(token)), name, *arguments)
        _add(found, "segments")
        for digest in kept.digests:
            found.update(digest)
        self.reach_key = found.hexdigest()
        if not self._get(self.reach_key, result, kept.index, "reach"):
            return False
        self.keep(result, None, reached=False)
        return True

    def keep(self, result: CompileResult, places: Places | None, *, reached: bool = True) -> None:
        """Put a good result under its keys."""
        if not result.ok or self.sink.error_count:
            return
        self._put(self.token_key, result, self.told_before_parsing, lambda index: index, places)
        if reached and self.kept is not None:
            self._put(self.reach_key, result, self.told_before_lowering, self.kept.number, places)

    # ---- inside

    def _hash(self, what: str) -> Any:
        found = sha256()
        _add(found, what, str(FORMAT), self.results.salt)
        whole = bool(self.options.debug)
        for name, value in changed(self.options):
            if name not in PLACES and (whole or name not in PREPROCESSING):
                _add(found, name, repr(value))
        if whole:  # lines and texts stand in the module
            for file in self.stream.trace.files:
                _add(found, "file", file.name, sha256(file.data).hexdigest())
        return found

    def _get(self, key: str, result: CompileResult, index: Callable[[int], int | None], level: str) -> bool:
        found = self.results.get(key)
        if found is None:
            return False
        datum, spirv = found
        try:
            told = unpack_messages(datum["messages"], index, self.stream.locate, self.source)
            interface = unpack_interface(datum["interface"], index, self.stream.locate)
        except (Unkept, KeyError, TypeError, ValueError, AttributeError, RecursionError):
            return False  # of another version, or worse
        self.sink.diagnostics += told
        result.ok, result.spirv, result.interface = True, spirv, interface
        result.reused, result.key = level, key
        return True

    def _put(
        self, key: str, result: CompileResult, told: int, number: Callable[[int], int | None], places: Places | None
    ) -> None:
        messages: list[Diagnostic] = self.sink.diagnostics[told:]
        try:
            datum = {
                "messages": pack_messages(messages, number, self.stream.locate, self.source),
                "interface": pack_interface(result.interface, number, places),
            }
        except Unkept:
            return  # it is compiled again next time
        self.results.put(key, datum, result.spirv)


def _add(found: Any, *parts: str) -> None:
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d\0" % len(data))
        found.update(data)
