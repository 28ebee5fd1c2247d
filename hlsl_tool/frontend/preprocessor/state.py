"""State of one preprocessing run: the open files, the macro table and the output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.base.diagnostics import Code, Diagnostic, Location, Replacement, Sink
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.diagnostics.warnings import Level
from hlsl_tool.base.source import FileSystem
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.inclusion.search import Directory
from hlsl_tool.frontend.preprocessor.inclusion.visit import Chain, Event, Source, Step, Visit, Warned
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile, TextRun
from hlsl_tool.frontend.preprocessor.lexing.tokens import Frame, Traced
from hlsl_tool.frontend.preprocessor.locations import Definitions, location
from hlsl_tool.frontend.preprocessor.macros.definitions import BUILTINS, Macro
from hlsl_tool.frontend.preprocessor.memory import IncludeKey, PreprocessorMemory
from hlsl_tool.frontend.preprocessor.options import PreprocessOptions


class Stop(Exception):
    """Raised if a limit is exceeded; preprocessing ends, and the output so far is returned."""


class Clause:
    """An open ``#if``."""

    __slots__ = ("opened", "seen_else", "taken")

    def __init__(self, opened: Directive, *, taken: bool) -> None:
        self.opened = opened
        self.taken = taken
        self.seen_else = False


class OpenFile:
    """A file that is currently read."""

    __slots__ = (
        "asked",
        "asked_once",
        "base",
        "clauses",
        "directory",
        "file",
        "files",
        "in_arguments",
        "includes_before",
        "index",
        "key",
        "levels_before",
        "missing",
        "offset",
        "old",
        "once",
        "pasted",
        "reach",
        "tokens_before",
        "visit",
        "volatile",
    )

    def __init__(self, visit: Visit, offset: int, directory: Directory, base: int) -> None:
        self.visit = visit
        self.file: ParsedFile = visit.file
        self.offset = offset
        """Offset of the ``#include`` in the including file."""
        self.directory = directory
        self.base = base
        """Index of the first run of this file."""
        self.index = 0
        self.clauses: list[Clause] = []
        self.in_arguments = False
        """Whether the current directives are inside the arguments of a macro invocation."""
        self.key: IncludeKey | None = None
        self.old: dict[str, Macro | None] = {}
        """Earlier definitions of the names that were defined or undefined since the file began."""
        self.once: set[str] = set()
        self.asked_once: set[str] = set()
        self.reach = 0
        """Number of including directories, above this file's own, that were searched for includes."""
        self.pasted: set[str] = set()
        """Identifiers made by ``##``: looked up as macros although no text mentions them."""
        self.files: dict[str, tuple[ParsedFile, str]] = {visit.file.source.path: (visit.file, visit.name)}
        self.asked: dict[str, ParsedFile] = {}
        """Existing files that ``__has_include`` asked for."""
        self.missing: dict[str, None] = {}
        self.volatile = False
        """The result of this file must not be cached."""
        self.levels_before = 0
        """Number of pushed warning levels at the start of the file."""
        self.includes_before = 0
        self.tokens_before = 0


class State:
    """The state of one preprocessing run."""

    __slots__ = (
        "_definitions",
        "advance",
        "counter",
        "fs",
        "includes",
        "level_stack",
        "levels",
        "loaded",
        "macros",
        "main_visit",
        "memoise",
        "memory",
        "once",
        "open_files",
        "options",
        "prelude_visits",
        "reports_undefined",
        "runs",
        "search",
        "sink",
        "sources",
        "tokens",
    )

    def __init__(
        self,
        options: PreprocessOptions,
        fs: FileSystem,
        memory: PreprocessorMemory,
        sink: Sink,
        search: tuple[Directory, ...],
        advance: Callable[[State, OpenFile], TextRun | None],
    ) -> None:
        self.advance = advance
        """Executes the next directives of a file; returns the text after them, ``None`` at the end."""
        self.options = options
        self.fs = fs
        self.memory = memory
        self.sink = sink
        self.search = search
        self.memoise = not options.legacy_macro_expansion and not options.ignore_line_directives
        """Whether caches are used; two rare options change the expansion of text and disable them."""
        self.reports_undefined = sink.may_warn(codes.UNDEFINED_IDENTIFIER)
        """Whether undefined identifiers in conditions may be reported.  They are common and recorded only then; results
        of files are cached separately."""
        self.macros: dict[str, Macro] = dict(BUILTINS)
        self.once: set[str] = set()
        self.runs: list[list[str]] = []
        self.sources: list[Source] = []
        self.tokens = 0
        self.includes = 0
        self.counter = 0
        self.open_files: list[OpenFile] = []
        self.loaded: dict[str, ParsedFile | None] = {}
        """Parsed files by path, so that a run sees a single state of every file."""
        self.main_visit: Visit | None = None
        self.prelude_visits: tuple[Visit, ...] = ()
        self._definitions: Definitions | None = None
        self.levels: dict[str, Level] = {}
        """Warning levels set by ``#pragma dxc diagnostic``."""
        self.level_stack: list[dict[str, Level]] = []

    # ------------------------------------------------------------------------------------------------------- output

    def emit(self, tokens: list[str], source: Source) -> None:
        if tokens:
            self.runs.append(tokens)
            self.sources.append(source)
            self.tokens += len(tokens)
            if self.tokens > limits.MAX_TOKENS:
                self.too_many_tokens()

    def too_many_tokens(self) -> None:
        self.error(codes.TOO_MANY_TOKENS, 0, limit=limits.MAX_TOKENS)
        raise Stop

    def event(self, opened: OpenFile, event: Event) -> None:
        opened.visit.events.append((len(self.runs) - opened.base, event))

    # ------------------------------------------------------------------------------------------------------- macros

    def define(self, opened: OpenFile, macro: Macro) -> None:
        name = macro.name
        if name not in opened.old:
            opened.old[name] = self.macros.get(name)
        self.macros[name] = macro

    def undefine(self, opened: OpenFile, name: str) -> None:
        if name not in opened.old:
            opened.old[name] = self.macros.get(name)
        self.macros.pop(name, None)

    # -------------------------------------------------------------------------------------------------- diagnostics

    def chain(self) -> Chain:
        return tuple(Step(opened.visit, opened.offset) for opened in self.open_files)

    def place(self, offset: int, *, length: int | None = None, frames: tuple[Frame, ...] = ()) -> Location:
        """Return the location of an offset in the innermost open file.

        ``length`` is the number of characters to underline, by default those of the token at the offset; ``frames`` are
        the macro expansions around it.
        """
        return location(
            self.chain(),
            offset,
            length=length,
            index=self.tokens,
            frames=frames,
            definitions=self.definitions() if frames else None,
        )

    def definitions(self) -> Definitions:
        """Return an index of the locations of all macro definitions so far."""
        visits = self.prelude_visits if self.main_visit is None else (*self.prelude_visits, self.main_visit)
        if self._definitions is None or self._definitions.visits != visits:
            self._definitions = Definitions(visits)
        return self._definitions

    def error(
        self,
        code: Code,
        at: int | Traced,
        /,
        *,
        notes: tuple[Diagnostic, ...] = (),
        hint: str | None = None,
        fixes: tuple[Replacement, ...] = (),
        length: int | None = None,
        **fields: Any,
    ) -> None:
        """Report an error at an offset of the innermost open file, or at a token."""
        if self.open_files:
            self.open_files[-1].volatile = True
        where = self.place(at.offset, frames=at.frames) if isinstance(at, Traced) else self.place(at, length=length)
        self.sink.error(code, where, notes=notes, hint=hint, fixes=fixes, **fields)

    def warning(self, code: Code, at: int | Traced, /, *, notes: tuple[Diagnostic, ...] = (), **fields: Any) -> None:
        """Report a warning and record it, so that it is reported again when the file is replayed from the cache."""
        opened = self.open_files[-1]
        if notes or isinstance(at, Traced):
            opened.volatile = True
            where = self.place(at.offset, frames=at.frames) if isinstance(at, Traced) else self.place(at)
            self.sink.warning(code, where, notes=notes, **fields)
            return
        opened.visit.notable = True
        self.event(opened, Warned(code, at, fields))
        self.sink.warning(code, lambda: self.place(at), **fields)
