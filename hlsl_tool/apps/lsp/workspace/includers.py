"""Find the shaders that may include a header, by searching the texts of files without the preprocessor.

Conditions are not evaluated, so the result may contain too many shaders; an analysis shows which of them read the
header.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Mapping

from hlsl_tool.apps.lsp.workspace.documents import Documents
from hlsl_tool.apps.lsp.workspace.targets import Target

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]', re.MULTILINE)


class Includers:
    """The include graph of all configured sources."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.by_source: Mapping[str, list[Target]] = {}
        self._names: dict[str, tuple[bytes, list[str]]] = {}
        """Path → its text and the names that it includes."""

    def follow(self, by_source: Mapping[str, list[Target]]) -> None:
        """Use the sources of a new configuration."""
        self.by_source = by_source

    def of(self, header: str) -> list[str]:
        """Return the sources that may include a header.

        Sources in the header's folder come first, then those with the shortest chain of includes.
        """
        candidates: list[tuple[int, int, str]] = []
        for source, targets in self.by_source.items():
            steps = self._steps(source, header, targets[0].options.include_dirs)
            if steps is not None:
                is_far = os.path.dirname(source) != os.path.dirname(header)
                candidates.append((is_far, steps, source))
        return [source for _, _, source in sorted(candidates)]

    def _steps(self, source: str, header: str, folders: tuple[str, ...]) -> int | None:
        """Return the length of the shortest chain of includes from a source to a header; ``None`` if there is none."""
        seen = {source}
        todo = deque([(source, 0)])
        while todo:
            path, steps = todo.popleft()
            for name in self._included(path):
                for folder in (os.path.dirname(path), *folders):
                    inner = self.documents.resolve(os.path.join(folder, name))
                    if inner == header:
                        return steps + 1
                    if inner not in seen and (inner in self._names or os.path.isfile(inner)):
                        seen.add(inner)
                        todo.append((inner, steps + 1))
                        break
        return None

    def _included(self, path: str) -> list[str]:
        data = self.documents.read(path)
        if data is None:
            return []
        cached = self._names.get(path)
        if cached is None or cached[0] is not data:
            names = [match.decode("utf-8", "replace") for match in _INCLUDE.findall(data)]
            cached = self._names[path] = (data, names)
        return cached[1]
