"""Stages by the names of files and functions: `x.vert`, `x.vs.hlsl`, `x_ps.hlsl`, `BlurCS.hlsl`, `VSMain`."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from itertools import pairwise

LIBRARY = "lib"

STAGE_SUFFIXES = {
    "vs": "vs", "vert": "vs", "vertex": "vs", "vsh": "vs",
    "hs": "hs", "tesc": "hs", "hull": "hs", "hsh": "hs",
    "ds": "ds", "tese": "ds", "domain": "ds", "dsh": "ds",
    "gs": "gs", "geom": "gs", "geometry": "gs", "gsh": "gs",
    "ps": "ps", "fs": "ps", "frag": "ps", "fragment": "ps", "pixel": "ps", "psh": "ps",
    "cs": "cs", "comp": "cs", "compute": "cs", "csh": "cs",
    "ms": "ms", "mesh": "ms", "msh": "ms",
    "as": "as", "task": "as", "ash": "as", "amplification": "as",
    "lib": LIBRARY, "rt": LIBRARY, "rgen": LIBRARY, "rchit": LIBRARY, "rmiss": LIBRARY, "rahit": LIBRARY,
    "rint": LIBRARY, "rcall": LIBRARY,
}  # fmt: skip
"""Part of a file's name between dots → stage."""

HEADER_SUFFIXES = (".hlsli", ".fxh", ".hlslh", ".hlsl.h", ".h.hlsl")
"""Ends of names of files that others include."""

OWN_SUFFIXES = (".hlsl", ".fx")
"""Ends of names of sources that can only be HLSL."""

SHARED_SUFFIXES = tuple(f".{word}" for word in STAGE_SUFFIXES if word not in (LIBRARY, "rt"))
"""Ends of names that HLSL shares with GLSL and with other formats."""

DOUBTFUL_SUFFIXES = (".vs", ".hs", ".ds", ".gs", ".ps", ".cs", ".ms", ".as", ".mesh", ".task", ".domain")
"""Ends of names that other languages and formats use more than HLSL does, such as C# and PostScript."""

_ABBREVIATIONS = {"vs": "vs", "hs": "hs", "ds": "ds", "gs": "gs", "ps": "ps", "fs": "ps", "cs": "cs", "ms": "ms"}
_LONG = {
    "vert": "vs", "vertex": "vs", "hull": "hs", "domain": "ds", "geom": "gs", "geometry": "gs", "frag": "ps",
    "fragment": "ps", "pixel": "ps", "comp": "cs", "compute": "cs", "amplification": "as",
}  # fmt: skip
_WORD = re.compile(r"^(?:[VHDGPC]S)(?=[A-Z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
"""A word of a name in camel case or with underscores; capitals after `VS` and the like begin a new word."""


def stem_of(path: str) -> str:
    """Return the name of a file up to its first dot."""
    return posixpath.basename(path).split(".", 1)[0]


def stage_of_suffix(path: str) -> str:
    """Return the stage that a dotted part of a file's name gives (`x.vert`, `x.vs.hlsl`); empty if none does."""
    parts = posixpath.basename(path).lower().split(".")[1:]
    return next((STAGE_SUFFIXES[part] for part in reversed(parts) if part in STAGE_SUFFIXES), "")


@cache
def stage_of_words(name: str) -> str:
    """Return the stage that a word of a name gives (`VSMain`, `blur_cs`, `SpritePixelShader`); empty if none does."""
    words = _WORD.findall(name)
    short = [_short(word) for word in words]
    for stage in (*short[:1], *short[-1:], *short):
        if stage:
            return stage
    lower = [word.lower() for word in words]
    before_shader = [word for word, following in pairwise(lower) if following.startswith("shader")]
    return next((_LONG[word] for word in (*before_shader, *lower) if word in _LONG), "")


def has_abbreviation(name: str) -> bool:
    """Return whether a name begins or ends with the abbreviation of a stage, as names of entry points do."""
    words = _WORD.findall(name)
    return any(_short(word) for word in (*words[:1], *words[-1:]))


def _short(word: str) -> str:
    """Return the stage of an abbreviation; `as` counts in capitals only, because it is a usual word."""
    return "as" if word == "AS" else _ABBREVIATIONS.get(word.lower(), "")


def stage_of_file(path: str) -> str:
    """Return the stage that a file's name gives, by a dotted part or a word; empty if none does."""
    return stage_of_suffix(path) or stage_of_words(stem_of(path))


def is_header(path: str) -> bool:
    """Return whether a file's name marks it as one that others include."""
    return path.lower().endswith(HEADER_SUFFIXES)
