"""Replace the names of libraries in `libraries` by their sources."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.project.config.permutation import Project


def resolve_libraries(project: Project) -> None:
    """Replace each item of `libraries` that names a library of the configurations by its source.

    Names are those of outputs without permutation and suffix: `lib/noise`, or `lib/noise.lib` as without a `name`.
    The items are paths from the root: names have been taken for files in the source folder.
    """
    users = [permutation for permutation in project.permutations if permutation.options.libraries]
    if not users:
        return
    libraries = [permutation for permutation in project.permutations if permutation.options.profile.startswith("lib")]
    sources = {stem: p.source for p in libraries for stem in (p.stem, p.stem.removesuffix(".lib"))}
    named = {f"{folder}/{stem}": source for folder in project.source_dirs for stem, source in sources.items()}
    named |= sources if "." in project.source_dirs else {}
    for permutation in users:
        paths = tuple(named.get(name, name) for name in permutation.options.libraries)
        permutation.options = replace(permutation.options, libraries=paths)
