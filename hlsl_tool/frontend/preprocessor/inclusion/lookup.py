"""Find included files in a preprocessing run and record the dependencies of the search."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.base.system.paths import UP
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.inclusion.search import Candidate, candidates
from hlsl_tool.frontend.preprocessor.lexing.parsed import ParsedFile
from hlsl_tool.frontend.preprocessor.state import State

BUILTIN_PREFIX = "<built-in:hlsl>/"


class Found(NamedTuple):
    """A header that an `#include` found, and its path in messages."""

    file: ParsedFile
    shown: str


def load(state: State, path: str, shown: str) -> ParsedFile | None:
    """Return the parsed file at a resolved path; ``None`` if it does not exist."""
    if path in state.loaded:
        return state.loaded[path]
    data = state.fs.read(path)
    file = None if data is None else state.memory.parse(path, data, shown)
    state.loaded[path] = file
    return file


def is_missing(state: State, path: str) -> bool:
    """Return whether a path that an earlier run did not find still does not exist.

    For the path of a folder that ``..`` leaves (it ends with `base.system.paths.UP`), return whether it resolves to
    another path.
    """
    return state.fs.resolve(path) != path if path.endswith(UP) else load(state, path, path) is None


def places(state: State, name: str, *, angled: bool) -> list[Candidate]:
    """Return the candidate paths for an include name, in search order."""
    includers = [opened.directory for opened in reversed(state.open_files)]
    return candidates(name, angled=angled, includers=includers, search=state.search, fs=state.fs)


def find(state: State, name: str, *, angled: bool) -> Found | None:
    """Find the file of an include name, or ``None``.

    Candidates that do not exist, and folders that the path leaves by `..`, are recorded as dependencies.
    """
    if len(name) > limits.MAX_INCLUDE_NAME:
        return None
    name = name.replace("\\", "/")
    opened = state.open_files[-1]
    reach = 0
    for candidate in places(state, name, angled=angled):
        reach = max(reach, candidate.level)
        opened.missing.update(dict.fromkeys(candidate.left))
        file = load(state, candidate.path, candidate.shown)
        if file is not None:
            opened.reach = max(opened.reach, reach)
            return Found(file, candidate.shown)
        opened.missing[candidate.path] = None
    opened.reach = max(opened.reach, 0 if angled else len(state.open_files))
    return _builtin_header(state, name) if angled else None


def _builtin_header(state: State, name: str) -> Found | None:
    """Return the built-in header with this name, or ``None``; files of the user take precedence."""
    for header, text in state.options.builtin_headers:
        if header == name:
            path = BUILTIN_PREFIX + name
            if path not in state.loaded:
                state.loaded[path] = state.memory.parse(path, text.encode(), path)
            file = state.loaded[path]
            return Found(file, path) if file is not None else None
    return None
