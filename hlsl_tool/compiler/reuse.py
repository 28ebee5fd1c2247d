"""Reuse results of earlier compilations; positions in their diagnostics are updated to the present source.

A result is stored under two keys, and the diagnostics of analysis under a third:

- The **token key** is a hash of all tokens of the preprocessed shader, computed before parsing.  Edits of comments, of
  white space, of code that the preprocessor skips, and macros that expand to the same text leave it unchanged; an
  edit of any token invalidates it.
- The **shape key** is a hash of all tokens but the bodies of top-level functions (`shape`), computed after parsing.
  It leads to the diagnostics of analysis and the digest of each body.  If it is cached, and so is the reach key, only
  bodies with new digests are analysed.  Edits outside of bodies invalidate it.
- The **reach key** is a hash of the tokens that the entry point can reach (`reach`).  Its result is valid only if
  analysis reports no errors, since an error in an unreached function is an error all the same.  Edits of unreached
  functions leave it unchanged; edits of reached tokens invalidate it.

All keys cover everything else that affects a result: the options, the toolchain (``Results.salt``), ``FORMAT`` and the
pragmas that affect tokens.  Debug information contains files and lines: with it the token key also covers the contents
of all files, and there is no shape key and no reach key.  Only results without errors are stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import PLACES, PREPROCESSING, CompileOptions, changed
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.compiler.reach import ReachedTokens, ReachMemory, reached_tokens
from hlsl_tool.compiler.replay import (
    NotStorable,
    pack_diagnostics,
    pack_interface,
    unpack_diagnostics,
    unpack_interface,
)
from hlsl_tool.compiler.shape import SIZE, Shape, shape_of
from hlsl_tool.frontend.preprocessor import TokenStream
from hlsl_tool.frontend.syntax.chunks import Chunk

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.frontend.sema.analysis import Places
    from hlsl_tool.frontend.syntax.parser import TranslationUnit

FORMAT = 2
"""Version of the data under a key, part of every key; incremented when the data changes."""

_ACTING = ("pack_matrix", "diagnostic")
"""Pragmas that act on the tokens behind them."""

WORTH_A_SHAPE = 2000
"""Least number of unreached tokens for a shape key: with fewer, analysis is as fast as the look-up."""

_CHUNK = 1 << 32

IsFaultless = Callable[[set[Chunk]], bool]
"""Returns whether analysis reports nothing about the functions in some declarations."""


class Results(Protocol):
    """The interface of a store of results; `project.build.workers.worker.StoredResults` implements it."""

    salt: str
    """The toolchain fingerprint: part of every key."""

    def get(self, key: str) -> tuple[Any, bytes] | None:
        """Return the data and the module under a key; ``None`` if the store does not have it."""

    def put(self, key: str, datum: Any, spirv: bytes) -> None:
        """Store data and a module under a key."""


@dataclass(slots=True)
class Reuse:
    """Looks up the result of one compilation under its keys, and stores it."""

    results: Results
    options: CompileOptions
    stream: TokenStream
    source: str
    """The name of the shader in diagnostics."""
    sink: Sink
    memory: ReachMemory
    token_key: str = ""
    reported_before_parsing: int = 0
    """The number of diagnostics when the token key was computed: later ones belong to its result."""
    shape_key: str = ""
    reported_before_analysis: int = 0
    """The number of diagnostics when the shape key was computed."""
    bodies: list[bytes] = field(default_factory=list, repr=False)
    """Digest of the body of each top-level declaration (`Shape.body`)."""
    unit: TranslationUnit | None = field(default=None, repr=False)
    """The parsed shader; ``None`` without a shape key."""
    reach_key: str = ""
    reported_before_lowering: int = 0
    """The number of diagnostics when the reach key was looked up."""
    reached: ReachedTokens | None = field(default=None, repr=False)
    """The tokens that the reach key covers; ``None`` before it was computed."""
    is_reach_key_absent: bool = False
    """Whether a look-up has shown that there is no result under the reach key."""

    def by_tokens(self, result: CompileResult) -> bool:
        """Look up the result under the token key (all tokens), after preprocessing; return whether it was found."""
        self.reported_before_parsing = len(self.sink.diagnostics)
        key = self._hash("tokens")
        self._add_pragmas(key, lambda token: token)
        _add(key, "tokens")
        key.update("\0".join(self.stream.tokens).encode("utf-8", "surrogatepass"))
        self.token_key = key.hexdigest()
        return self._get(self.token_key, result, lambda number: number if number < len(self.stream) else None, "tokens")

    def by_shape(self, unit: TranslationUnit, result: CompileResult, is_faultless: IsFaultless) -> bool:
        """Look up the result if both the shape key and the reach key are cached; return whether it was found.

        The shape key covers all tokens but function bodies, the reach key all tokens that the entry point can reach.
        Called after parsing without errors. ``is_faultless`` analyses the bodies that differ from those under the shape
        key.
        """
        if not self._has_reach():
            return False
        self.reported_before_analysis = len(self.sink.diagnostics)
        self._find_shape_key(unit)
        reached = self._find_reach_key(unit)
        analysis = self.results.get(self.shape_key)
        if analysis is None:
            return False
        cached = self.results.get(self.reach_key)
        self.is_reach_key_absent = cached is None
        if cached is None:
            return False
        try:
            bodies = _parts(bytes.fromhex(analysis[0]["bodies"]))
            changed = {at for at, body in enumerate(self.bodies) if bodies[at] != body}

            def index(number: int) -> int | None:
                chunk, offset = divmod(number, _CHUNK)
                return None if chunk in changed else unit.bases[chunk] + offset

            diagnostics = unpack_diagnostics(analysis[0]["messages"], index, self.stream.locate, self.source)
        except (NotStorable, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError):
            return False
        if changed and not is_faultless({unit.chunks[at] for at in changed}):
            return False
        self.sink.diagnostics += diagnostics
        self.reported_before_lowering = len(self.sink.diagnostics)
        if not self._fill(cached, self.reach_key, result, reached.index, "reach"):
            del self.sink.diagnostics[self.reported_before_analysis :]
            return False
        self.store(result, None, under_reach_key=False)
        return True

    def by_reach(self, unit: TranslationUnit, result: CompileResult) -> bool:
        """Look up the result under the reach key (all tokens that the entry point can reach), after analysis.

        Return whether it was found.
        """
        if not self._has_reach():
            return False
        self.reported_before_lowering = len(self.sink.diagnostics)
        reached = self._find_reach_key(unit)
        if self.is_reach_key_absent or not self._get(self.reach_key, result, reached.index, "reach"):
            return False
        self.store(result, None, under_reach_key=False)
        return True

    def store(self, result: CompileResult, places: Places | None, *, under_reach_key: bool = True) -> None:
        """Store a result under its keys; do nothing if it has errors.

        ``places`` maps declarations to tokens; ``None`` for a result that came from the store.
        """
        if not result.ok or self.sink.error_count:
            return
        self._put(self.token_key, result, self.reported_before_parsing, lambda index: index, places)
        self._store_shape()
        if under_reach_key and self.reached is not None:
            self._put(self.reach_key, result, self.reported_before_lowering, self.reached.number, places)

    def _has_reach(self) -> bool:
        """Return whether the shader has a reach key: a hash of only those tokens that the entry point can reach.

        It has none with debug information, which contains all lines, and for a library, which contains all functions.
        """
        return not (self.options.debug or self.options.profile.startswith("lib"))

    def _shape(self, chunk: Chunk) -> Shape:
        cached = self.memory.shapes.get(chunk)
        if cached is None:
            cached = self.memory.shapes[chunk] = shape_of(chunk)
        return cached

    def _store_shape(self) -> None:
        reached = self.reached.count if self.reached is not None else 0
        if self.unit is None or len(self.stream) - reached < WORTH_A_SHAPE:
            return
        analysis = self.sink.diagnostics[self.reported_before_analysis : self.reported_before_lowering]
        number = partial(_number_of_diagnostic, self.unit)
        try:
            messages = pack_diagnostics(analysis, number, self.stream.locate, self.source)
        except NotStorable:
            return
        self.results.put(self.shape_key, {"messages": messages, "bodies": b"".join(self.bodies).hex()}, b"")

    def _find_shape_key(self, unit: TranslationUnit) -> None:
        shapes = [self._shape(chunk) for chunk in unit.chunks]
        self.unit, self.bodies = unit, [shape.body for shape in shapes]
        key = self._hash("shape")
        self._add_pragmas(key, partial(_number, unit))
        _add(key, "chunks")
        key.update(b"".join([shape.rest for shape in shapes]))
        self.shape_key = key.hexdigest()

    def _find_reach_key(self, unit: TranslationUnit) -> ReachedTokens:
        if self.reached is not None:
            return self.reached
        reached = self.reached = reached_tokens(unit.chunks, unit.bases, self.options.entry.split("::"), self.memory)
        key = self._hash("reach")
        self._add_pragmas(key, reached.before)
        _add(key, "segments")
        for digest in reached.digests:
            key.update(digest)
        self.reach_key = key.hexdigest()
        return reached

    def _add_pragmas(self, key: Any, number: Callable[[int], int]) -> None:
        for token, name, arguments in self.stream.pragmas:
            if name in _ACTING:
                _add(key, "pragma", str(number(token)), name, *arguments)

    def _hash(self, kind: str) -> Any:
        """Return a hash object that was fed with everything that all keys cover."""
        key = sha256()
        _add(key, kind, str(FORMAT), self.results.salt)
        whole = bool(self.options.debug)
        for name, value in changed(self.options):
            if name not in PLACES and (whole or name not in PREPROCESSING):
                _add(key, name, repr(value))
        if whole:  # the module contains lines and texts
            for file in self.stream.trace.files:
                _add(key, "file", file.name, sha256(file.data).hexdigest())
        return key

    def _get(self, key: str, result: CompileResult, index: Callable[[int], int | None], level: str) -> bool:
        cached = self.results.get(key)
        return cached is not None and self._fill(cached, key, result, index, level)

    def _fill(
        self, cached: tuple[Any, bytes], key: str, result: CompileResult, index: Callable[[int], int | None], level: str
    ) -> bool:
        datum, spirv = cached
        try:
            diagnostics = unpack_diagnostics(datum["messages"], index, self.stream.locate, self.source)
            interface = unpack_interface(datum["interface"], index, self.stream.locate)
        except (NotStorable, KeyError, TypeError, ValueError, AttributeError, RecursionError):
            return False  # data of another version, or damaged
        self.sink.diagnostics += diagnostics
        result.ok, result.spirv, result.interface = True, spirv, interface
        result.reused, result.key = level, key
        return True

    def _put(
        self, key: str, result: CompileResult, first: int, number: Callable[[int], int | None], places: Places | None
    ) -> None:
        """Store a result under a key; do nothing if a position in it is not that of a token with a number.

        Of the sink's diagnostics, store those from index ``first`` on. ``number`` maps the index of a token in the
        stream to the number that is stored for it; ``places`` maps declarations to tokens.
        """
        diagnostics: list[Diagnostic] = self.sink.diagnostics[first:]
        try:
            datum = {
                "messages": pack_diagnostics(diagnostics, number, self.stream.locate, self.source),
                "interface": pack_interface(result.interface, number, places),
            }
        except NotStorable:
            return  # the shader is compiled again next time
        self.results.put(key, datum, result.spirv)


def _number(unit: TranslationUnit, index: int) -> int:
    """Return the number that is stored for a token under the shape key, given its index in the stream.

    The upper bits are the index of its declaration, the lower 32 bits count from the declaration's first token.
    """
    chunk = max(bisect_right(unit.bases, index) - 1, 0)
    return chunk * _CHUNK + index - (unit.bases[chunk] if unit.bases else 0)


def _number_of_diagnostic(unit: TranslationUnit, index: int) -> int | None:
    """Return the number of a diagnostic's token; ``None`` in a template, which other functions instantiate."""
    number = _number(unit, index)
    return None if not unit.chunks or "template" in unit.chunks[number // _CHUNK].identifiers else number


def _parts(digests: bytes) -> list[bytes]:
    return [digests[at : at + SIZE] for at in range(0, len(digests), SIZE)]


def _add(key: Any, *parts: str) -> None:
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        key.update(b"%d\0" % len(data))
        key.update(data)
