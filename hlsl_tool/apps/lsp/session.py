"""The state of one connection: documents, configurations, analyses and published diagnostics.

Only one thread at a time may call it, because the compiler's caches are not thread-safe.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lsprotocol import types as lsp
from pygls import uris

from hlsl_tool.apps.lsp.features import diagnostics as conversion
from hlsl_tool.apps.lsp.source.analysis import Analyser, Analysis
from hlsl_tool.apps.lsp.source.text import edited
from hlsl_tool.apps.lsp.workspace.documents import Documents
from hlsl_tool.apps.lsp.workspace.project import Workspace, find_root
from hlsl_tool.apps.lsp.workspace.targets import Target, free_target
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.paths import absolute
from hlsl_tool.project.build.ui.fixing import is_improved

CANDIDATES = 6
"""Number of shaders that are tried for a header before it is analysed by itself."""
SECONDS = 20.0
"""Limit on the time for the analysis of all shaders that read a file."""
OTHERS = 16
"""Limit on the other permutations that are analysed for a document when nothing is typed."""

SHADERS = 8
"""Limit on the other shaders that are analysed for a header when nothing is typed."""

Published = dict[str, list[lsp.Diagnostic]]


@dataclass(slots=True)
class Settings:
    """The client's settings (`initializationOptions`)."""

    root: str = ""
    configs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    """Options for files that no configuration names, as on the command line."""
    has_menu: bool = False
    """Whether the client shows a menu of permutations (`permutationMenu`)."""
    all_permutations: bool = True
    """Whether the other permutations are analysed, too, when nothing is typed."""


def settings_of(options: object) -> Settings:
    """Parse the client's settings; values of a wrong type are ignored."""
    settings = Settings()
    if isinstance(options, dict):
        if isinstance(options.get("root"), str):
            settings.root = options["root"]
        settings.configs = _texts(options.get("configs"))
        settings.arguments = _texts(options.get("arguments"))
        if isinstance(options.get("permutationMenu"), bool):
            settings.has_menu = options["permutationMenu"]
        if isinstance(options.get("allPermutations"), bool):
            settings.all_permutations = options["allPermutations"]
    return settings


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def path_of_uri(uri: str) -> str:
    """Convert a ``file:`` URI to a path; return other URIs, such as ``untitled:``, unchanged."""
    path = uris.to_fs_path(uri)
    return os.path.normpath(path) if path else uri


def uri_of_path(path: str) -> str:
    """Convert an absolute path to a ``file:`` URI; return other names, such as those of built-in headers, unchanged."""
    return (uris.from_fs_path(path) if os.path.isabs(path) else None) or path


class Session:
    """Analyses documents, and stores the diagnostics that were published."""

    def __init__(self, folder: str, settings: Settings, log: Callable[[str], None]) -> None:
        self.log = log
        self.settings = settings
        root = absolute(settings.root, folder) if settings.root else find_root(folder)
        self.documents = Documents(root)
        self.workspace = Workspace(root, list(settings.configs), self.documents)
        self.analyser = Analyser(self.documents, log)
        self.active: dict[str, str] = {}
        """Source → the name of the target that the user chose."""
        self._shader_of: dict[str, str] = {}
        """Header → the source under which it is analysed."""
        self._reported: dict[str, Published] = {}
        """Target → path → diagnostics that its analysis has given; the configurations are the target ``""``."""
        self._target_of: dict[str, str] = {}
        """Document → the target under which it was last analysed."""
        self._others: dict[str, Published] = {}
        """Document → path → diagnostics that only other permutations have."""

    @property
    def root(self) -> str:
        return self.workspace.root

    def open(self, path: str, text: str) -> None:
        """Set the text of an open document."""
        self.documents.open(path, text)
        self.workspace.is_stale |= self.workspace.is_configuration(path)

    # ---- targets

    def choices(self, path: str) -> list[Target]:
        """Return the configured shaders and permutations with which a file can be analysed.

        For a header, these are the shaders that may include it; the one as part of which it is analysed now comes
        first.
        """
        own = self.workspace.by_source.get(path)
        if own:
            return own
        source = self._shader_of.get(path)
        includers = self.workspace.includers.of(path)
        ordered = [source, *includers] if source in includers else includers
        return [target for name in dict.fromkeys(ordered) for target in self.workspace.by_source.get(name or "", ())]

    def target(self, path: str) -> Target:
        """Return the target of a document: the selected one, else the first in the configurations, else a library."""
        choices = self.workspace.by_source.get(path)
        if not choices:
            source = self._includer(path)
            choices = self.workspace.by_source.get(source, []) if source else []
        if choices:
            source = choices[0].source
            chosen = self.workspace.targets.get(self.active.get(path) or self.active.get(source) or "")
            return chosen if chosen is not None else choices[0]
        includer = self._open_includer(path)
        if includer is not None:
            return includer
        data = self.documents.read(path)
        text = data.decode("utf-8", "replace") if data is not None else ""
        return free_target(path, text, self.root, self.settings.arguments)

    def _open_includer(self, path: str) -> Target | None:
        """Return the target of an open, unconfigured shader whose last analysis read the file ``path``; or ``None``."""
        for analysis in reversed(self.analyser.all_recent()):
            source = analysis.target.source
            is_candidate = source != path and not analysis.target.is_configured
            if is_candidate and path in analysis.files and self.documents.is_open(source):
                return analysis.target
        return None

    def _includer(self, path: str) -> str:
        """Return the source of the shader with which the header ``path`` is analysed; empty if no shader includes it.

        It is the shader that the user has selected, else an open one, else one that includes the header.
        """
        chosen = self.workspace.targets.get(self.active.get(path, ""))
        if chosen is not None:
            return chosen.source
        cached = self._shader_of.get(path)
        if cached in self.workspace.by_source and cached is not None:
            return cached
        sources = self.workspace.includers.of(path)
        sources.sort(key=lambda source: not self.documents.is_open(source))
        for source in sources[:CANDIDATES]:
            analysis = self.analyser.analyse(self._chosen(source))
            if analysis is not None and path in analysis.files:
                self._shader_of[path] = source
                return source
        return ""

    def _chosen(self, source: str) -> Target:
        targets = self.workspace.by_source[source]
        chosen = self.workspace.targets.get(self.active.get(source, ""))
        return chosen if chosen is not None and chosen.source == source else targets[0]

    def choose(self, path: str, name: str) -> bool:
        """Make a target the active one of a file; return whether a target of that name exists."""
        if name not in self.workspace.targets:
            return False
        self.active[path] = name
        return True

    # ---- analyses

    def analysis(self, path: str) -> tuple[Analysis, SourceFile] | None:
        """Analyse a document; return the analysis and the document's text, or ``None`` if it cannot be read."""
        if self.workspace.is_configuration(path):
            return None
        analysis = self.analyser.analyse(self.target(path))
        if analysis is None:
            return None
        file = analysis.files.get(path)
        if file is None:  # the shader no longer includes it
            self._shader_of.pop(path, None)
            source = self.documents.source(path)
            if source is None:
                return None
            analysis = self.analyser.analyse(free_target(path, source.text, self.root, self.settings.arguments))
            file = analysis.files.get(path) if analysis is not None else None
        return (analysis, file) if analysis is not None and file is not None else None

    def related(self, path: str, seconds: float = SECONDS) -> Iterator[Analysis | None]:
        """Yield an analysis of each shader that reads a file; then ``None`` if ``seconds`` did not suffice for all."""
        end = time.monotonic() + seconds
        sources = [path] if path in self.workspace.by_source else []
        for source in (*sources, *self.workspace.includers.of(path)):
            if time.monotonic() > end:
                yield None
                return
            analysis = self.analyser.analyse(self._chosen(source))
            if analysis is not None and path in analysis.files:
                yield analysis

    def published(self, path: str) -> list[lsp.Diagnostic]:
        """Return the diagnostics of a file that were sent to the client."""
        return self._merged([path])[path]

    def helps(self, path: str, diagnostic: lsp.Diagnostic, changes: Mapping[str, Sequence[lsp.TextEdit]]) -> bool:
        """Return whether edits leave a document with fewer errors and no new one; those for a warning add no error.

        The first target of the document that has the error is analysed with them.
        """
        texts: dict[str, str] = {}
        for uri, edits in changes.items():
            file = self.documents.source(path_of_uri(uri))
            if file is None:
                return False
            texts[file.path] = edited(file, edits)
        is_error = diagnostic.severity == lsp.DiagnosticSeverity.Error
        for target in (self.target(path), *self.other_targets(path)):
            analysis = self.analyser.analyse(target)
            before = analysis.errors_in(path) if analysis is not None else Counter()
            if is_error and (diagnostic.range.start.line + 1, diagnostic.code) not in {key[:2] for key in before}:
                continue
            trial = self.analyser.trial(target, texts)
            if trial is None:
                return False
            after = trial.errors_in(path)
            return is_improved(before, after) if is_error else not after - before
        return False

    def entries(self) -> frozenset[str]:
        """Return the names of the entry points that the configurations name."""
        return frozenset(target.options.entry for target in self.workspace.targets.values())

    def forget(self, path: str) -> Published:
        """Close a document; return the changed diagnostics to publish."""
        self.documents.close(path)
        self._target_of.pop(path, None)
        return self._merged({path} | self._drop_unused() | set(self._others.pop(path, {})))

    def _drop_unused(self) -> set[str]:
        """Drop the diagnostics of targets with which no open document is analysed any more.

        Return the paths of the files to which the dropped diagnostics belong.
        """
        used = {"", *self._target_of.values()}
        paths: set[str] = set()
        for name in [name for name in self._reported if name not in used]:
            paths |= self._reported.pop(name).keys()
        return paths

    def affected(self, path: str) -> list[str]:
        """Return the open documents to analyse again after a change of the file ``path``.

        If the file itself is open, it comes first.
        """
        documents = [path] if self.documents.is_open(path) else []
        for other in self.documents.paths():
            if other != path and not self.workspace.is_configuration(other):
                last = self.analyser.last(self.target(other))
                if last is None or path in last.files or path in last.stream.trace.missing:
                    documents.append(other)
        return documents

    def check(self, path: str) -> Published:
        """Analyse a document; return path → diagnostics to publish."""
        if self.workspace.is_configuration(path):
            return self.check_configurations()
        for published in (*self._reported.values(), *self._others.values()):
            published.pop(path, None)  # their places are those of an older text
        return self._take(path, self.analysis(path))

    def _take(self, path: str, result: tuple[Analysis, SourceFile] | None) -> Published:
        """Store the diagnostics of a document's analysis; return those to publish."""
        if result is None:
            self._target_of.pop(path, None)
            return self._merged({path} | self._drop_unused())
        name = result[0].target.name
        self._target_of[path] = name
        before = set(self._reported.get(name, {})) | self._drop_unused()
        self._reported[name] = self._converted(result[0])
        target = result[0].target
        if target.problem:
            self._reported[name].setdefault(target.source, []).append(conversion.on_line(target.line, target.problem))
        return self._merged({path} | before | set(self._reported[name]))

    def check_configurations(self) -> Published:
        """Read the configurations again; return the diagnostics to publish."""
        before = set(self._reported.get("", {}))
        self.workspace.load()
        path_of = conversion.absolute(self.root, {}, self.root)
        grouped = conversion.Converter(path_of, uri_of_path).by_path(self.workspace.diagnostics, self.root)
        self._reported[""] = grouped
        return self._merged(before | set(grouped) | self.workspace.files)

    def check_lowered(self, path: str) -> Published:
        """Also lower the shader of a document; return the diagnostics to publish, including those of the lowering."""
        self.analyser.rest()
        result = self.analysis(path)
        if result is None or result[0].interface() is None:
            return {}
        return self._take(path, result)

    def other_targets(self, path: str) -> list[Target]:
        """Return further targets to analyse for a document when the user is not typing.

        These are the other permutations of its shader and, for a header, one permutation of each other shader.
        """
        if not self.settings.all_permutations or self.workspace.is_configuration(path):
            return []
        present = self.target(path)
        same = self.workspace.by_source.get(present.source, ())
        targets = [target for target in same if target is not present][:OTHERS]
        if path != present.source:
            sources = self.workspace.includers.of(path)
            targets += [self._chosen(source) for source in sources if source != present.source][:SHADERS]
        return targets

    def check_others(self, path: str, targets: Iterable[Target]) -> Published:
        """Analyse further targets; return the diagnostics to publish, including those that only these targets have."""
        before = set(self._others.get(path, {}))
        reported = self._reported.get(self._target_of.get(path, ""), {})
        seen = {_key(name, item) for name, items in reported.items() for item in items}
        added: Published = {}
        for target in targets:
            analysis = self.analyser.analyse(target)
            if analysis is None or path not in analysis.files:
                continue
            for name, items in self._converted(analysis, f"{target.shown}: {target.label}").items():
                for item in items:
                    if _key(name, item) not in seen:
                        seen.add(_key(name, item))
                        added.setdefault(name, []).append(item)
        self._others[path] = added
        return self._merged(before | set(added))

    def _converted(self, analysis: Analysis, label: str = "") -> Published:
        files = {file.name: file for file in analysis.stream.trace.files}
        names = {name: file.path for name, file in files.items()}
        path_of = conversion.absolute(self.root, names, analysis.target.source)
        converter = conversion.Converter(path_of, uri_of_path, files, label)
        return converter.by_path(analysis.diagnostics, analysis.target.source)

    def _merged(self, paths: Iterable[str]) -> Published:
        """Return path → diagnostics of the analyses of all documents, without duplicates."""
        merged: Published = {}
        for path in paths:
            items: dict[object, lsp.Diagnostic] = {}
            for source in (self._reported, self._others):
                for published in source.values():
                    for item in published.get(path, ()):
                        items.setdefault(_key(path, item), item)
            merged[path] = list(items.values())
        return merged


def _key(path: str, item: lsp.Diagnostic) -> tuple[object, ...]:
    start = item.range.start
    return path, start.line, start.character, item.code, item.message.split("\n(in ", 1)[0]
