"""The graph of includes of a folder's shaders, and the include folders that it needs."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.discovery.reading.sources import Include, Sources, includes_of


@dataclass(frozen=True, slots=True)
class Target:
    """The file of an include, and the include folder by which it is found; empty beside the file that includes it."""

    path: str
    folder: str = ""
    ignores_case: bool = False


@dataclass(slots=True)
class IncludeGraph:
    """The includes of all sources.  Paths are relative to the root."""

    targets: dict[Include, Target | None] = field(default_factory=dict)
    """Include → its file; `None` if the folder has no such file."""
    of_file: dict[str, list[Include]] = field(default_factory=dict)
    folders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → its include folders, in order."""
    examples: dict[str, Include] = field(default_factory=dict)
    """Include folder → an include that needs it."""

    def closure(self, source: str) -> list[str]:
        """Return a source and all files that it includes, directly or not."""
        files = {source: None}
        todo = [source]
        while todo:
            for include in self.of_file.get(todo.pop(), ()):
                target = self.targets[include]
                if target is not None and target.path not in files:
                    files[target.path] = None
                    todo.append(target.path)
        return list(files)

    def included(self) -> frozenset[str]:
        """Return the files that others include."""
        return frozenset(
            target.path for include, target in self.targets.items() if target and target.path != include.file
        )

    def ignores_case(self, source: str) -> bool:
        """Return whether an include of a source differs from the file's name in the case of letters."""
        return any(
            target is not None and target.ignores_case
            for file in self.closure(source)
            for target in map(self.targets.get, self.of_file.get(file, ()))
        )


class _Index:
    """The files of a folder by their names, for includes that are not beside the file that has them."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = frozenset(files)
        self.by_name: dict[str, list[str]] = {}
        for path in sorted(self.files):
            self.by_name.setdefault(posixpath.basename(path).lower(), []).append(path)
        self.folded = {path.lower(): path for path in sorted(self.files, reverse=True)}

    def find(self, include: Include) -> Target | None:
        here = posixpath.dirname(include.file)
        beside = posixpath.normpath(posixpath.join(here, include.name))
        if not include.is_angled and beside in self.files:
            return Target(beside)
        if not include.is_angled and beside.lower() in self.folded:
            return Target(self.folded[beside.lower()], ignores_case=True)
        for ignores_case in (False, True):
            candidates = list(self._candidates(include.name, ignores_case=ignores_case))
            if candidates:
                return min(candidates, key=lambda target: _distance(here, target))
        return None

    def _candidates(self, name: str, *, ignores_case: bool) -> Iterator[Target]:
        """Yield the files that an include name may mean, each with the include folder that it needs."""
        plain = posixpath.normpath(name)
        tail = plain.lower() if ignores_case else plain
        if tail.startswith(("..", "/")):
            return
        for path in self.by_name.get(posixpath.basename(tail).lower(), ()):
            spelled = path.lower() if ignores_case else path
            if spelled == tail or spelled.endswith(f"/{tail}"):
                yield Target(path, path[: len(path) - len(tail)].rstrip("/") or ".", ignores_case)


def _distance(here: str, target: Target) -> tuple[int, int, str]:
    """Return a sort key: the include folder that shares most of its path with the including file comes first."""
    parts, others = here.split("/"), target.folder.split("/")
    shared = 0
    for part, other in zip(parts, others, strict=False):
        if part != other:
            break
        shared += 1
    return -shared, len(others), target.path


def read_includes(sources: Sources) -> IncludeGraph:
    """Find the file of every include of the shaders, and of the files that they include."""
    graph = IncludeGraph()
    index = _Index(sources.folder.files)
    todo = list(reversed(sources.shaders))
    while todo:
        path = todo.pop()
        if path in graph.of_file:
            continue
        parsed = sources.read(path)
        includes = [] if parsed is None else list(includes_of(path, parsed))
        graph.of_file[path] = includes
        for include in includes:
            if include not in graph.targets:
                target = graph.targets[include] = index.find(include)
                if target is not None:
                    todo.append(target.path)
    _choose_folders(graph, sources.shaders, index)
    return graph


def _choose_folders(graph: IncludeGraph, shaders: list[str], index: _Index) -> None:
    """Set the include folders of all shaders: one list for all if it gives each include its file, else lists."""
    counts: Counter[str] = Counter()
    for include, target in graph.targets.items():
        if target is not None and target.folder:
            counts[target.folder] += 1
            graph.examples.setdefault(target.folder, include)
    shared = tuple(sorted(counts, key=lambda folder: (-counts[folder], folder)))
    if all(_finds(shared, include, target, index) for include, target in graph.targets.items()):
        graph.folders = dict.fromkeys(shaders, shared)
        return
    for source in shaders:
        targets = [graph.targets[include] for file in graph.closure(source) for include in graph.of_file.get(file, ())]
        graph.folders[source] = tuple(dict.fromkeys(target.folder for target in targets if target and target.folder))


def _finds(folders: tuple[str, ...], include: Include, target: Target | None, index: _Index) -> bool:
    """Return whether a search along include folders finds the file of an include."""
    if target is None or (not target.folder and not target.ignores_case):
        return True
    paths = (posixpath.normpath(posixpath.join(folder, include.name)) for folder in folders)
    path = next((path for path in paths if path in index.files), "")
    return not path if target.ignores_case else path == target.path
