"""List the files of a folder: shaders, lists of other tools, and the files that includes may name."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hlsl_tool.base.diagnostics.visible import visible_name
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.discovery.names import HEADER_SUFFIXES, OWN_SUFFIXES, SHARED_SUFFIXES

MAX_FILES = 500_000
"""Limit on the files of a folder; one with more is refused, because it is hardly a project."""

MAX_SHADERS = 20_000
"""Limit on the shaders of a folder."""

BUILD_MARKS = ("CMakeCache.txt", "pyvenv.cfg", "build.ninja", ".ninja_log")
"""Files that mark a folder as made by a tool: only includes are looked for in it."""

FOREIGN_FOLDERS = ("node_modules", "__pycache__")
"""Folders that no shader of a project is in."""


class FolderError(Exception):
    """Raised for a folder that cannot be searched; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, with the reason."""

    path: str
    reason: str


@dataclass(slots=True)
class Folder:
    """The files of a folder.  Paths are relative to it, with slashes, and sorted."""

    root: str
    files: list[str] = field(default_factory=list)
    """All files, those of build folders included."""
    shaders: list[str] = field(default_factory=list)
    """Files whose names are those of HLSL, outside of build folders."""
    own: list[str] = field(default_factory=list)
    """All files outside of build folders."""
    skipped: list[Skipped] = field(default_factory=list)


def read_folder(root: str) -> Folder:
    """List the files below a folder; raise `FolderError` if it cannot be read, or has too many files.

    Links to folders are not followed, so that each file is found once, and links in circles do no harm.
    """
    folder = Folder(root)
    for path, is_built in _walk(folder):
        folder.files.append(path)
        if len(folder.files) > MAX_FILES:
            raise FolderError(f"the folder has more than {MAX_FILES} files: name a folder inside of it")
        if not is_built:
            folder.own.append(path)
    folder.own.sort()
    folder.skipped.sort(key=lambda item: item.path)
    folder.shaders = [path for path in folder.own if _is_shader(path)]
    if len(folder.shaders) > MAX_SHADERS:
        raise FolderError(f"the folder has more than {MAX_SHADERS} shaders: name a folder inside of it")
    folder.files.sort()
    return folder


def _walk(folder: Folder) -> Iterator[tuple[str, bool]]:
    """Yield (file, whether it is in a build folder) for all files below a folder."""
    todo = [("", False)]
    while todo:
        path, is_built = todo.pop()
        entries = _entries(folder, path)
        is_built = is_built or any(entry.name in BUILD_MARKS for entry in entries)
        for entry in entries:
            name = f"{path}/{entry.name}" if path else entry.name
            problem = _problem_of_name(entry.name)
            if problem:
                if _is_shader(name) or _is_folder(entry):
                    folder.skipped.append(Skipped(visible_name(ascii(name)[1:-1]), problem))
            elif entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in FOREIGN_FOLDERS:
                    todo.append((name, is_built))
            elif _is_folder(entry):
                folder.skipped.append(Skipped(name, "links to folders are not followed"))
            else:
                yield name, is_built


def _entries(folder: Folder, path: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, sorted; none if it cannot be read; raise `FolderError` for the root."""
    try:
        with os.scandir(os.path.join(folder.root, path)) as listing:
            return sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        if not path:
            raise FolderError(f"cannot read `{folder.root}`: {error.strerror}") from None
        folder.skipped.append(Skipped(path, error.strerror or "it cannot be read"))
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder, or a link to one; a link that leads in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


PATTERN_CHARACTERS = "*?[]$\\"
"""Characters that have a meaning in the names of a configuration."""


def _problem_of_name(name: str) -> str:
    """Return why a configuration cannot have the name of a file or folder; empty if it can."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return "the name is not UTF-8"
    if not name.isprintable():
        return "the name has characters that cannot be printed"
    letter = next((letter for letter in name if letter in PATTERN_CHARACTERS), "")
    return f"in a configuration, `{letter}` in a name has a meaning" if letter else ""


def _is_shader(path: str) -> bool:
    return path.lower().endswith((*OWN_SUFFIXES, *HEADER_SUFFIXES, *SHARED_SUFFIXES))
