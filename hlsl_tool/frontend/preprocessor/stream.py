"""The output of the preprocessor: tokens, and their locations on demand."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from itertools import chain as concatenated
from typing import NamedTuple

from hlsl_tool.base.diagnostics import Location
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor.inclusion.visit import (
    Chain,
    Define,
    Event,
    IncludeStacks,
    Joined,
    Pragma,
    Slice,
    Source,
    Step,
    Visit,
    walk,
)
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile, TextRun
from hlsl_tool.frontend.preprocessor.lexing.tokens import PragmaMark, Traced
from hlsl_tool.frontend.preprocessor.locations import Definitions, location
from hlsl_tool.frontend.preprocessor.macros.definitions import BUILTINS, Macro
from hlsl_tool.frontend.preprocessor.memory import Prelude


class IncludeTrace:
    """The dependencies of a preprocessed shader."""

    __slots__ = ("_parsed", "_prelude", "asked", "files", "missing", "pastes_line")

    def __init__(
        self,
        files: list[SourceFile],
        asked: list[SourceFile],
        missing: list[str],
        parsed: list[ParsedFile],
        prelude: Prelude,
        pastes_line: bool,
    ) -> None:
        self.files = files
        """All files read, without duplicates, in order of first use; the main file first."""
        self.asked = asked
        """Files that only ``__has_include`` found; deleting one changes the shader."""
        self.missing = missing
        """Paths searched without success, in order; creating a file at one of them changes the shader."""
        self.pastes_line = pastes_line
        """Whether ``##`` made a ``__LINE__``, which no text contains."""
        self._parsed = parsed
        self._prelude = prelude

    @classmethod
    def empty(cls) -> IncludeTrace:
        """Return the trace of no file at all, to which others are added."""
        return cls([], [], [], [], Prelude({}, ()), False)

    @classmethod
    def of_file(cls, file: SourceFile) -> IncludeTrace:
        """Return the trace of a file that is not preprocessed, such as a module."""
        return cls([file], [], [], [], Prelude({}, ()), False)

    def add(self, other: IncludeTrace) -> None:
        """Add the dependencies of another source that becomes part of the same shader."""
        for mine, theirs in ((self.files, other.files), (self.asked, other.asked)):
            paths = {file.path for file in mine}
            mine += [file for file in theirs if file.path not in paths]
        self.missing += [path for path in other.missing if path not in self.missing]
        self.pastes_line = self.pastes_line or other.pastes_line
        self._parsed = [*self._parsed, *other._parsed]
        if not self._prelude.macros:
            self._prelude = other._prelude

    def parsed(self, path: str) -> ParsedFile | None:
        """Return a file that was read, as split into directives and texts; ``None`` for any other path."""
        return next((file for file in self._parsed if file.source.path == path), None)

    @property
    def macros_read(self) -> list[str]:
        """Return the sorted names whose external definition (by ``-D`` or the profile) may affect the result.

        These are the names that conditions test, except include guards, and the externally defined macros that the text
        mentions.  Conditions in skipped text count, too, so the set is conservative.
        """
        asked: set[str] = set()
        given = self._prelude.macros.keys() - BUILTINS.keys()
        for file in self._parsed:
            asked |= file.tested
            asked |= file.ids & given
        todo = [name for name in asked if name in given]
        while todo:
            more = (self._prelude.macros[todo.pop()].ids & given) - asked
            asked |= more
            todo.extend(more)
        return sorted(asked - {"defined", "__has_include", "true", "false", ""} - BUILTINS.keys())


class PragmaUse(NamedTuple):
    """A pragma that takes effect before the token with index ``token``."""

    token: int
    name: str
    arguments: tuple[str, ...]


class Segment(NamedTuple):
    """Consecutive output tokens, from index ``start`` on.

    Shaders compiled in one process may share the list ``tokens``, which is not changed after it was created.
    """

    start: int
    tokens: list[str]


class TokenStream:
    """The preprocessed shader.  Immutable, because other streams share its lists."""

    __slots__ = (
        "_definitions",
        "_history",
        "_legacy",
        "_macros",
        "_main",
        "_prelude",
        "_runs",
        "_sources",
        "_stacks",
        "_starts",
        "_tokens",
        "_traced",
        "trace",
    )

    def __init__(
        self,
        *,
        runs: list[list[str]],
        sources: list[Source],
        visit: Visit,
        prelude: Prelude,
        macros: dict[str, Macro],
        trace: IncludeTrace,
        legacy: bool = False,
    ) -> None:
        self._legacy = legacy
        self._runs = runs
        self._sources = sources
        self._main = visit
        self._prelude = prelude
        self._macros = macros
        self.trace = trace
        self._starts: list[int] | None = None
        self._tokens: list[str] | None = None
        self._definitions = Definitions((*prelude.visits, visit))
        self._stacks = IncludeStacks(visit)
        self._history = MacroHistory(visit, prelude.macros)
        self._traced: dict[int, list[Traced]] = {}

    @property
    def tokens(self) -> list[str]:
        """The spellings of all tokens."""
        if self._tokens is None:
            self._tokens = list(concatenated.from_iterable(self._runs))
        return self._tokens

    def __len__(self) -> int:
        starts = self._run_starts()
        return starts[-1]

    @property
    def runs(self) -> list[list[str]]:
        """The tokens, as a list of runs of consecutive tokens; shaders share the runs of a cached include."""
        return self._runs

    @property
    def segments(self) -> list[Segment]:
        return list(map(Segment, self._run_starts(), self._runs))

    @property
    def macros(self) -> dict[str, Macro]:
        """The macros that are defined at the end of the shader."""
        return self._macros

    @property
    def pragmas(self) -> list[PragmaUse]:
        """The pragmas for later stages: ``pack_matrix``, ``message``, ``diagnostic``, ``region`` and the like."""
        if not self._main.notable:
            return []
        starts = self._run_starts()
        return [
            PragmaUse(starts[run], event.name, event.arguments)
            for run, event, _ in walk(self._main, 0, ())
            if isinstance(event, Pragma) and event.name
        ]

    def _run_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = list(accumulate(map(len, self._runs), initial=0))
        return self._starts

    def text(self) -> str:
        """Return the text that ``-P`` prints."""
        from hlsl_tool.frontend.preprocessor.printer import Printer  # start-up time

        return Printer(self).print()

    @property
    def main(self) -> Visit:
        """The record of the pass through the main file: its directives and texts in order."""
        return self._main

    # ------------------------------------------------------------------------------------------------------- positions

    def locate(self, index: int) -> Location:
        """Return the location of a token, with the macro expansions around it.

        ``len(tokens)`` is the end of the main file.
        """
        starts = self._run_starts()
        if index >= starts[-1]:
            return self._end_of_file()
        run = bisect_right(starts, index) - 1
        steps = self._stacks.at(run)
        token = self.traced_run(run, steps)[index - starts[run]]
        return location(steps, token.offset, index=index, frames=token.frames, definitions=self._definitions)

    def _end_of_file(self) -> Location:
        text = self._main.file.clean
        return location((Step(self._main, -1),), len(text), length=0, index=self._run_starts()[-1])

    def origin(self, index: int) -> tuple[ParsedFile, Traced]:
        """Return the file of a token, and the token with its offset there; ``index`` must be that of a token."""
        starts = self._run_starts()
        run = bisect_right(starts, index) - 1
        steps = self._stacks.at(run)
        return steps[-1].visit.file, self.traced_run(run, steps)[index - starts[run]]

    def runs_by_file(self) -> dict[str, list[tuple[int, Chain]]]:
        """Return path of a file → (index, include stack) of each run of tokens that comes from the file."""
        runs: dict[str, list[tuple[int, Chain]]] = {}
        for run in range(len(self._runs)):
            steps = self._stacks.at(run)
            runs.setdefault(steps[-1].visit.file.source.path, []).append((run, steps))
        return runs

    def run_start(self, run: int) -> int:
        """Return the index of the first token of a run."""
        return self._run_starts()[run]

    def definition_of(self, macro: Macro) -> tuple[ParsedFile, int] | None:
        """Return (file, offset) of a macro's definition; ``None`` for a built-in macro."""
        place = self._definitions.find(macro)
        return None if place is None else (place[0][-1].visit.file, place[1])

    def traced_run(self, run: int, steps: Chain) -> list[Traced]:
        """Lex and expand the text of a run again; return its tokens with their expansion histories."""
        traced = self._traced.get(run)
        if traced is None:
            traced = self._traced[run] = self._trace_run(run, steps)
        return traced

    def _trace_run(self, run: int, steps: Chain) -> list[Traced]:
        source = self._sources[run]
        visit = steps[-1].visit
        clean = visit.file.clean
        text = source.text if isinstance(source, Slice) else source
        parts = text.parts if isinstance(text, Joined) else (text,)
        tokens = lexer.lex_traced(clean, parts[0].start, parts[0].end)
        if self._runs[run] is parts[0].run.tokens:
            return tokens
        macros, inner = self._macros_at(run, steps, parts[0])
        following = iter(parts[1:])

        def more() -> list[Traced] | None:
            part = next(following, None)
            if part is None:
                return None
            while inner and inner[0].start < part.start:
                _apply(inner.pop(0), macros)
            return lexer.lex_traced(clean, part.start, part.end)

        from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander  # start-up time

        expander = TracingExpander(macros, Replay(self, steps))
        expander.more = more
        expander.legacy = self._legacy
        result = expander.expand_traced(tokens)
        first = source.first if isinstance(source, Slice) else 0
        end = next((index for index in range(first, len(result)) if isinstance(result[index], PragmaMark)), len(result))
        return result[first:end]

    def _macros_at(self, run: int, steps: Chain, text: TextRun) -> tuple[dict[str, Macro], list[Directive]]:
        """Return the macro table at the start of a text, and the definitions inside of its macro invocations."""
        macros, at_run = self._history.before(run)
        inner: list[Directive] = []
        for directive, inside in at_run:
            if inside == steps and directive.start > text.start:
                inner.append(directive)
            else:
                _apply(directive, macros)
        return macros, inner


class MacroHistory:
    """Reconstructs the macro table before any run; efficient if runs are queried in order."""

    __slots__ = ("_at_run", "_events", "_following", "_macros", "_main", "_predefined", "_run")

    def __init__(self, main: Visit, predefined: dict[str, Macro]) -> None:
        self._main = main
        self._predefined = predefined
        self._begin()

    def _begin(self) -> None:
        self._macros = dict(self._predefined)
        self._events = walk(self._main, 0, (Step(self._main, -1),))
        self._following: tuple[int, Event, Chain] | None = next(self._events, None)
        self._run = -1
        self._at_run: list[tuple[Directive, Chain]] = []
        """Definitions directly before the run ``_run``, with their include stacks; not yet applied to ``_macros``.

        A file that is included twice can have one visit, so the visit alone does not tell its two passes apart.
        """

    def before(self, run: int) -> tuple[dict[str, Macro], list[tuple[Directive, Chain]]]:
        """Return (macro table before a run of tokens, definitions between the preceding run and this one).

        The table does not contain these definitions.
        """
        if run < self._run:
            self._begin()
        if run > self._run:
            self._advance(run)
        return dict(self._macros), self._at_run

    def _advance(self, run: int) -> None:
        for directive, _ in self._at_run:
            _apply(directive, self._macros)
        self._run, self._at_run = run, []
        while self._following is not None and self._following[0] <= run:
            index, event, chain = self._following
            if isinstance(event, Define) and index == run:
                self._at_run.append((event.directive, chain))
            elif isinstance(event, Define):
                _apply(event.directive, self._macros)
            self._following = next(self._events, None)


def _apply(directive: Directive, macros: dict[str, Macro]) -> None:
    if isinstance(directive.definition, Macro):
        macros[directive.definition.name] = directive.definition
    else:
        macros.pop(directive.name, None)


class Replay:
    """``trace.Surroundings`` for an expansion that is repeated only to get locations."""

    __slots__ = ("_steps", "_stream")

    def __init__(self, stream: TokenStream, steps: Chain) -> None:
        self._stream = stream
        self._steps = steps

    def line(self, offset: int) -> int:
        return self._steps[-1].visit.presented(offset)[1]

    def file_name(self, offset: int) -> str:
        return self._steps[-1].visit.presented(offset)[0]

    def level(self) -> int:
        return len(self._steps) - 1

    def base_name(self) -> str:
        return self._steps[0].visit.presented(0)[0]

    def next_counter(self) -> int:
        return 0  # the spelling does not matter here

    def is_defined(self, name: str) -> bool:
        return False

    def has_include(self, name: str, *, angled: bool) -> bool:
        return False
