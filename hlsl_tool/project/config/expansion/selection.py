"""Select the sources and entry points that a shader of a configuration names."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.similar import did_you_mean, most_similar_file
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.paths import folded, folders_left
from hlsl_tool.project.config.discovery import is_pattern, matches, sources
from hlsl_tool.project.config.expansion.entry_points import functions, functions_of
from hlsl_tool.project.config.layers import Layer, Setting, read_patterns
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.yaml.nodes import Node, Scalar, Sequence, describe, is_text


class Selector:
    """Looks up names and patterns in the source folder of a project; records the files on which the plan depends.

    ``generated`` and ``read`` are the parameters of `load`.
    """

    def __init__(
        self,
        project: Project,
        sink: Sink,
        generated: Collection[str] | None = None,
        read: Callable[[str], bytes | None] | None = None,
    ) -> None:
        self.project = project
        self.sink = sink
        self.generated = generated
        self.read = read
        self.scanned: dict[str, tuple[str, ...]] = {}
        """Source → its functions, of the sources that were read for patterns."""

    def entries(self, source: str, layer: Layer) -> list[Layer]:
        """Return the settings of each function that matches the pattern in `entry`; without a pattern, [layer]."""
        entry, excluded = layer.settings.get("entry"), layer.parts.get("except")
        pattern = str(entry.value) if entry is not None else ""
        if entry is None or not is_pattern(pattern):
            if excluded is not None:
                where, hint = "an entry without a pattern", "it leaves functions out of a pattern in `entry`"
                self.sink.error(codes.MISPLACED_KEY, excluded.at, hint=hint, key="except", where=where)
            return [layer]
        names = [name for name in self.functions(source) if fnmatchcase(name, pattern)]
        if not names:
            likely = did_you_mean(pattern.strip("*?"), self.functions(source))
            if not os.path.isfile(os.path.join(self.project.root, source)):
                likely = "the file has to be there when configurations are read"
            self.sink.error(codes.NO_ENTRIES, entry.at, hint=likely, path=source, pattern=pattern)
        names = self.without(names, excluded, fnmatchcase)
        return [replace(layer, settings=layer.settings | {"entry": Setting(name, entry.at)}) for name in names]

    def functions(self, source: str) -> tuple[str, ...]:
        """Return the names of the functions that a source defines, and record the source as scanned."""
        if source not in self.scanned:
            unsaved = self.read(source) if self.read is not None else None
            names = functions_of(self.project.root, source) if unsaved is None else functions(unsaved)
            self.scanned[source] = names
            self.project.scanned.append((source, names))
        return self.scanned[source]

    def without(self, names: list[str], node: Node | None, is_match: Callable[[str, str], bool]) -> list[str]:
        """Return the names that no pattern in `except` matches.

        Report patterns that match none of ``names``, and the exclusion of all names.
        """
        left = names
        for pattern in read_patterns(node, "except", self.sink):
            if names and not any(is_match(name, pattern) for name in names) and node is not None:
                self.sink.error(codes.NOTHING_EXCEPTED, node.at, hint=did_you_mean(pattern, names), pattern=pattern)
            left = [name for name in left if not is_match(name, pattern)]
        if names and not left and node is not None:
            self.sink.error(codes.ALL_EXCEPTED, node.at)
        return left

    def sources(self, node: Node, excluded: Node | None) -> list[str]:
        """Return the sources that a value names, from the root; the matches of a pattern are sorted."""
        nodes = node.items if isinstance(node, Sequence) else [node]
        names: list[str] = []
        for item in nodes:
            if not isinstance(item, Scalar) or not item.text:
                self.sink.error(codes.WRONG_TYPE, item.at, key="source", wanted="a file", got=describe(item))
                continue
            text = item.text.replace("\\", "/")
            matching = self._matches(text, item.at) if is_pattern(text) else self._file(text, item.at)
            names += [name for name in matching if name not in names]
        prefix = self._prefix
        left = self.without([n.removeprefix(prefix) for n in names], excluded, matches)
        return [name for name in names if name.removeprefix(prefix) in left]

    @property
    def _prefix(self) -> str:
        """The source folder with a slash; empty for the root."""
        return "" if self.project.source_dir == "." else self.project.source_dir + "/"

    def _matches(self, pattern: str, at: Location) -> list[str]:
        """Return the sources that match a pattern, from the root; report a pattern without a match."""
        folder = self._prefix.rstrip("/")
        self.project.globs.append((folder, pattern))
        try:
            names = sources(self.project.root, self.project.source_dir, pattern, self.generated or ())
        except (ValueError, NotImplementedError, IndexError) as error:
            self.sink.error(codes.BAD_OPTION, at, message=str(error).lower())
            return []
        if not names:
            self.sink.error(codes.NO_SOURCES, at, pattern=pattern, folder=folder or ".")
        for name in names:
            if not is_text(name):
                shown = name.encode("utf-8", "backslashreplace").decode()
                self.sink.error(codes.NAME_NOT_UTF8, at, path=shown, pattern=pattern)
        return [self._prefix + name for name in names if is_text(name)]

    def _file(self, text: str, at: Location) -> list[str]:
        """Return [path from the root] of a named source; [] after reporting that it is missing.

        A missing source is not reported yet if a builder that is declared later may make it.
        """
        resolve = partial(folded, folder=self.project.root)
        self.project.looked_for += folders_left(self._prefix + text, resolve)
        name = resolve(self._prefix + text).replace(os.sep, "/")
        path = Path(self.project.root) / name
        if path.is_file() or name in (self.generated or ()):
            return [name]
        is_folder = path.is_dir()
        hint = "it is a folder; `*.hlsl` stands for files" if is_folder else likely_name(str(path), name)
        if self.generated is not None and not is_folder:
            self.project.unmade.append((name, at, hint))
            return [name]
        self.sink.error(codes.MISSING_SOURCE, at, hint=hint, path=name)
        return []


def likely_name(path: str, shown: str) -> str | None:
    """Return a hint about a missing file: a similar name in its folder, or that the folder is missing."""
    try:
        names = [entry.name for entry in Path(path).parent.iterdir()]
    except OSError:
        return f"there is no folder `{PurePosixPath(shown).parent}`"
    likely = most_similar_file(os.path.basename(path), sorted(names))
    return f"did you mean `{likely}`?" if likely is not None else None
