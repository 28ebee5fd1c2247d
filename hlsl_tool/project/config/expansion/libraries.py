"""Replace the names of libraries in `libraries` by their sources."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.project.config.expansion.selection import likely_name
from hlsl_tool.project.config.permutation import Project


def resolve_libraries(project: Project, generated: Collection[str] | None, sink: Sink) -> None:
    """Replace each item of `libraries` that names a library of the configurations by its source; report missing files.

    Names are those of outputs without permutation and suffix: `lib/noise`, or `lib/noise.lib` as without a `name`.
    The items are paths from the root: names have been taken for files in the source folder. ``generated`` is that of
    `load.load`.
    """
    users = [permutation for permutation in project.permutations if permutation.options.libraries]
    if not users:
        return
    libraries = [permutation for permutation in project.permutations if permutation.options.profile.startswith("lib")]
    sources = {stem: p.source for p in libraries for stem in (p.stem, p.stem.removesuffix(".lib"))}
    named = {f"{folder}/{stem}": source for folder in project.source_dirs for stem, source in sources.items()}
    named |= sources if "." in project.source_dirs else {}
    places: dict[tuple[str, str, int, int], Location] = {}
    for permutation in users:
        paths = tuple(named.get(name, name) for name in permutation.options.libraries)
        permutation.options = replace(permutation.options, libraries=paths)
        setting = permutation.layer.settings.get("libraries")
        for number, path in enumerate(paths):
            place = (setting.place(number) if setting is not None else None) or permutation.at
            places.setdefault((path, place.file, place.line, place.col), place)
    for (path, *_), place in places.items():
        _check(path, place, project, generated, sink)


def _check(path: str, at: Location, project: Project, generated: Collection[str] | None, sink: Sink) -> None:
    """Report a library that is no file, unless a builder that is declared later may make it."""
    if os.path.isfile(os.path.join(project.root, path)) or posixpath.normpath(path) in (generated or ()):
        return
    hint = likely_name(os.path.join(project.root, path), path)
    if generated is None:
        sink.error(codes.MISSING_SOURCE, at, hint=hint, path=path)
    else:
        project.unmade.append((path, at, hint))
