"""Run the front end of the compiler for an editor; no code is generated, and no external tool runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property

from hlsl_tool.apps.lsp.source.shader_declarations import DeclarationTable, forget_indexes
from hlsl_tool.apps.lsp.source.token_map import TokenMap
from hlsl_tool.apps.lsp.source.typed import TypedTable
from hlsl_tool.apps.lsp.workspace.documents import Documents
from hlsl_tool.apps.lsp.workspace.targets import LIBRARY, Target
from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.source import FileSystem, OverlayFileSystem, SourceFile
from hlsl_tool.base.system.collection import paused_collection
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.compiler.result import Memory
from hlsl_tool.compiler.stages import Compilation
from hlsl_tool.frontend.sema.analysis import Places
from hlsl_tool.project.build.ui.fixing import ErrorKey, errors_in

RECENT = 24
"""Number of analyses that are kept."""
RUNS = 1000
"""Number of analyses for which one memory serves: each edit of a large shader leaves some 0.4 MB behind."""
ERRORS = 1000
"""Limit on errors: an editor shows all of them."""


class Analysis:
    """The front end's results for one target, with look-ups of declarations, types and positions."""

    def __init__(self, target: Target, compilation: Compilation) -> None:
        self.target = target
        self.compilation = compilation
        self.diagnostics: list[Diagnostic] = list(compilation.sink.diagnostics)
        self.is_complete = False
        """Whether the front end reported no error, so that code could be generated."""
        self.stream = compilation.stream
        self.files: dict[str, SourceFile] = {file.path: file for file in self.stream.trace.files}
        """All files that were read, by path."""
        self.unit = compilation.unit
        self.program = compilation.program
        self._lowered: InterfaceRecord | None = None

    @cached_property
    def tokens(self) -> TokenMap:
        """Maps token indices to positions in files, and the reverse."""
        return TokenMap(self.stream)

    @cached_property
    def places(self) -> Places:
        """Maps positions in declarations to token indices."""
        return Places(self.unit)

    @cached_property
    def declarations(self) -> DeclarationTable:
        """All declarations outside of functions."""
        return DeclarationTable(self.unit)

    @cached_property
    def typed(self) -> TypedTable:
        """The typed expressions of all function bodies."""
        return TypedTable(self.program)

    def errors_in(self, path: str) -> Counter[ErrorKey]:
        """Return how often a file has each error; the shader is lowered if it is complete, and has an entry point."""
        if self.target.options.profile != LIBRARY:
            self.interface()
        file = self.files.get(path)
        return errors_in(self.diagnostics, file.name) if file is not None else Counter()

    def is_current(self, documents: Documents) -> bool:
        """Return whether a new analysis would read the same texts."""
        trace = self.stream.trace
        read = all(_same(documents.read(file.path), file.data) for file in (*trace.files, *trace.asked))
        return read and all(documents.read(path) is None for path in trace.missing)

    def interface(self) -> InterfaceRecord | None:
        """Lower the shader (once) and return its blocks and bindings; ``None`` if it has errors."""
        if self._lowered is None and self.is_complete:
            before = len(self.compilation.sink.diagnostics)
            with paused_collection():
                self.compilation.lower()
            lowering: Lowering | None = getattr(self.compilation, "lowering", None)  # none where it is too deep
            if lowering is not None:
                lowering.release()
            self.diagnostics += self.compilation.sink.diagnostics[before:]
            self._lowered = self.compilation.result.interface
        return self._lowered


def _same(now: bytes | None, before: bytes) -> bool:
    return now is before or now == before


class Analyser:
    """Analyses targets with shared compiler caches; recent analyses are cached.  Not thread-safe."""

    def __init__(self, documents: Documents, log: Callable[[str], None]) -> None:
        self.documents = documents
        self.memory = Memory()
        self._recent: dict[str, Analysis] = {}
        self._log = log
        self._runs = 0

    def analyse(self, target: Target) -> Analysis | None:
        """Return an analysis of a target with the current texts; ``None`` if its source does not exist."""
        recent = self._recent.get(target.name)
        if recent is not None and recent.target == target and recent.is_current(self.documents):
            return recent
        source = self.documents.source(target.source, target.shown)
        if source is None:
            return None
        analysis = self.run(target, source)
        self._recent.pop(target.name, None)
        self._recent[target.name] = analysis
        while len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]
        return analysis

    def last(self, target: Target) -> Analysis | None:
        """Return the last analysis of a target, possibly of older texts; ``None`` if there is none."""
        return self._recent.get(target.name)

    def all_recent(self) -> list[Analysis]:
        """Return the cached analyses, the most recent last."""
        return list(self._recent.values())

    def count(self) -> None:
        """Count an analysis; after very many without a pause for `rest`, clear the caches, to which each one adds."""
        self._runs += 1
        if self._runs > 4 * RUNS:  # there was no such moment
            self.forget()

    def rest(self) -> None:
        """Clear the caches after many analyses; called when the user is not typing."""
        if self._runs > RUNS:
            self.forget()

    def forget(self) -> None:
        """Clear the caches and drop all analyses."""
        self._runs = 0
        self.memory = Memory()
        self._recent.clear()
        forget_indexes()

    def trial(self, target: Target, texts: Mapping[str, str]) -> Analysis | None:
        """Analyse a target with ``texts`` (path → text) in place of files; ``None`` if its source does not exist."""
        fs = OverlayFileSystem(self.documents, {path: text.encode() for path, text in texts.items()})
        data = fs.read(target.source)
        if data is None:
            return None
        path = self.documents.resolve(target.source)
        return self.run(target, SourceFile.from_bytes(target.shown or path, path, data), fs)

    def run(self, target: Target, source: SourceFile, fs: FileSystem | None = None) -> Analysis:
        """Analyse a text for a target; do not cache the result.  Includes are read from ``fs``, else the documents."""
        self.count()
        try:
            with paused_collection():
                return _run(Compilation(source, target.options, fs or self.documents, self.memory), target)
        except Exception:
            self.forget()  # the memory may be damaged
            raise


def _run(compilation: Compilation, target: Target) -> Analysis:
    compilation.sink.error_limit = ERRORS
    is_preprocessed = compilation.preprocess()
    reported = compilation.sink.diagnostics
    if not is_preprocessed:  # the compiler stops here: what follows would be consequences, but names are of use
        compilation.sink = Sink(error_limit=0)
    compilation.parse()
    is_complete = compilation.analyse()
    if not is_preprocessed:
        compilation.sink.diagnostics = reported
    analysis = Analysis(target, compilation)
    analysis.is_complete = is_complete and is_preprocessed
    return analysis
