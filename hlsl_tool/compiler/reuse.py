"""Results of earlier compilations: found by what decides them, told again with today's positions.

Keys, one after the other.  The **token key** is that of the whole preprocessed shader: found without parsing, equal
under edits of comments, of whitespace, of code that the preprocessor leaves out, and under other macros that come to
the same text.  The **reach key** leaves out functions that cannot be reached (`reach`); it is asked for when the shader
has been analysed, since an error in a function that nobody calls is an error all the same.  Analysis is most of what
that takes; so under the **shape key**, that of everything but the bodies of functions (`shape`), is kept what analysis
had to say, and the digest of each body: where both keys are known, only bodies that are new are analysed.

Everything else that can change a word or a message is in both keys: the options, the toolchain, the pragmas that act on
tokens.  Debug information tells of files and lines: with it the files themselves are in the token key, and there is no
reach key.  Only results without errors are kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

from hlsl_tool.compiler.reach import Kept, ReachMemory, keep
from hlsl_tool.compiler.replay import Unkept, pack_interface, pack_messages, unpack_interface, unpack_messages
from hlsl_tool.compiler.shape import SIZE, Shape, shape_of
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.options.model import PLACES, CompileOptions, changed
from hlsl_tool.preprocessor import TokenStream
from hlsl_tool.syntax.chunks import Chunk

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.diagnostics.model import Diagnostic
    from hlsl_tool.sema.analysis import Places
    from hlsl_tool.syntax.parser import TranslationUnit

FORMAT = 2
"""Of the data under a key; raised when it changes."""

PREPROCESSING = frozenset(
    {
        "include_dirs",
        "defines",
        "undefines",
        "ignore_line_directives",
        "case_insensitive_includes",
        "legacy_macro_expansion",
    }
)
"""Options of which the tokens tell everything."""

_ACTING = ("pack_matrix", "diagnostic")
"""Pragmas that act on what is behind them."""


WORTH_A_SHAPE = 2000
"""Tokens that are not kept: with fewer, analysis takes no longer than to look up what it said."""

_CHUNK = 1 << 32

IsFaultless = Callable[[set[Chunk]], bool]
"""Whether analysis says nothing of functions in some chunks."""


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
    shape_key: str = ""
    told_before_analysis: int = 0
    bodies: list[bytes] = field(default_factory=list, repr=False)
    """Digest of each chunk's body, where it has one."""
    unit: TranslationUnit | None = field(default=None, repr=False)
    """What was parsed, where a shape is kept."""
    reach_key: str = ""
    told_before_lowering: int = 0
    kept: Kept | None = field(default=None, repr=False)
    is_unreached: bool = False
    """Whether it was found out that nothing is under the reach key."""

    def by_tokens(self, result: CompileResult) -> bool:
        """After preprocessing: fill in the result if the token key is known."""
        self.told_before_parsing = len(self.sink.diagnostics)
        found = self._hash("tokens")
        self._add_pragmas(found, lambda token: token)
        _add(found, "tokens")
        found.update("\0".join(self.stream.tokens).encode("utf-8", "surrogatepass"))
        self.token_key = found.hexdigest()
        return self._get(self.token_key, result, lambda number: number if number < len(self.stream) else None, "tokens")

    def by_shape(self, unit: TranslationUnit, result: CompileResult, is_faultless: IsFaultless) -> bool:
        """After parsing without errors: fill in the result if its reach key and what analysis would say are known."""
        if not self._has_reach():
            return False
        self.told_before_analysis = len(self.sink.diagnostics)
        shapes = [self._shape(chunk) for chunk in unit.chunks]
        self.unit, self.bodies = unit, [shape.body for shape in shapes]
        found = self._hash("shape")
        self._add_pragmas(found, partial(_number, unit))
        _add(found, "chunks")
        found.update(b"".join([shape.rest for shape in shapes]))
        self.shape_key = found.hexdigest()
        kept = self._find_reach_key(unit)
        said = self.results.get(self.shape_key)
        if said is None:
            return False
        reached = self.results.get(self.reach_key)
        self.is_unreached = reached is None
        if reached is None:
            return False
        try:
            bodies = _parts(bytes.fromhex(said[0]["bodies"]))
            changed = {at for at, body in enumerate(self.bodies) if bodies[at] != body}

            def index(number: int) -> int | None:
                chunk, offset = divmod(number, _CHUNK)
                return None if chunk in changed else unit.bases[chunk] + offset

            told = unpack_messages(said[0]["messages"], index, self.stream.locate, self.source)
        except (Unkept, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError):
            return False
        if changed and not is_faultless({unit.chunks[at] for at in changed}):
            return False
        self.sink.diagnostics += told
        self.told_before_lowering = len(self.sink.diagnostics)
        if not self._fill(reached, self.reach_key, result, kept.index, "reach"):
            del self.sink.diagnostics[self.told_before_analysis :]
            return False
        self.keep(result, None, reached=False)
        return True

    def by_reach(self, unit: TranslationUnit, result: CompileResult) -> bool:
        """After analysis without errors: fill in the result if the reach key is known."""
        if not self._has_reach():
            return False
        self.told_before_lowering = len(self.sink.diagnostics)
        kept = self._find_reach_key(unit)
        if self.is_unreached or not self._get(self.reach_key, result, kept.index, "reach"):
            return False
        self.keep(result, None, reached=False)
        return True

    def keep(self, result: CompileResult, places: Places | None, *, reached: bool = True) -> None:
        """Put a good result under its keys."""
        if not result.ok or self.sink.error_count:
            return
        self._put(self.token_key, result, self.told_before_parsing, lambda index: index, places)
        self._keep_shape()
        if reached and self.kept is not None:
            self._put(self.reach_key, result, self.told_before_lowering, self.kept.number, places)

    # ---- inside

    def _has_reach(self) -> bool:
        """Debug information tells of all lines, and a library may be asked for all that is in it."""
        return not (self.options.debug or self.options.profile.startswith("lib"))

    def _shape(self, chunk: Chunk) -> Shape:
        known = self.memory.shapes.get(chunk)
        if known is None:
            known = self.memory.shapes[chunk] = shape_of(chunk)
        return known

    def _keep_shape(self) -> None:
        if self.unit is None or len(self.stream) - (self.kept.count if self.kept is not None else 0) < WORTH_A_SHAPE:
            return
        said = self.sink.diagnostics[self.told_before_analysis : self.told_before_lowering]
        try:
            messages = pack_messages(said, partial(_number_of_message, self.unit), self.stream.locate, self.source)
        except Unkept:
            return
        self.results.put(self.shape_key, {"messages": messages, "bodies": b"".join(self.bodies).hex()}, b"")

    def _find_reach_key(self, unit: TranslationUnit) -> Kept:
        if self.kept is not None:
            return self.kept
        kept = self.kept = keep(unit.chunks, unit.bases, self.options.entry.split("::"), self.memory)
        found = self._hash("reach")
        self._add_pragmas(found, kept.before)
        _add(found, "segments")
        for digest in kept.digests:
            found.update(digest)
        self.reach_key = found.hexdigest()
        return kept

    def _add_pragmas(self, found: Any, number: Callable[[int], int]) -> None:
        for token, name, arguments in self.stream.pragmas:
            if name in _ACTING:
                _add(found, "pragma", str(number(token)), name, *arguments)

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
        return found is not None and self._fill(found, key, result, index, level)

    def _fill(
        self, found: tuple[Any, bytes], key: str, result: CompileResult, index: Callable[[int], int | None], level: str
    ) -> bool:
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


def _number(unit: TranslationUnit, index: int) -> int:
    """What stands for a token under the shape key: its chunk, and where in that it stands."""
    chunk = max(bisect_right(unit.bases, index) - 1, 0)
    return chunk * _CHUNK + index - (unit.bases[chunk] if unit.bases else 0)


def _number_of_message(unit: TranslationUnit, index: int) -> int | None:
    """The same; None in a template, of which other functions' bodies decide what there is to say."""
    number = _number(unit, index)
    return None if not unit.chunks or "template" in unit.chunks[number // _CHUNK].identifiers else number


def _parts(digests: bytes) -> list[bytes]:
    return [digests[at : at + SIZE] for at in range(0, len(digests), SIZE)]


def _add(found: Any, *parts: str) -> None:
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d\0" % len(data))
        found.update(data)
