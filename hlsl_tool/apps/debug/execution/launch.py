"""Launch configurations: the shader, its options, its arguments, and what stops."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.gpu.checking import DEFAULT, chosen
from hlsl_tool.gpu.draw_stages import checked_topology, stages_before
from hlsl_tool.gpu.drawing import Merging, merging_of

from .lanes import Chosen


class LaunchError(Exception):
    """Raised for a launch configuration that cannot be run; the message is for the user."""


@dataclass(slots=True)
class Launch:
    """A launch configuration; the names are those of ``launch.json``."""

    program: str
    entry: str = ""
    profile: str = ""
    arguments: list[str] = field(default_factory=list)
    """Options of ``hlsl_tool compile``."""
    groups: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    size: tuple[int, ...] = ()
    vertices: int = 0
    instances: int = 1
    stages: dict[str, str] = field(default_factory=dict)
    """Stage → its entry point, such as ``vertex`` → ``VSMain``: the stages that run before the shader."""
    indices: Any = None
    """The vertices in the order in which they form primitives: a list or a file; ``None`` for each one once."""
    topology: str = ""
    patch: int = 0
    """The number of vertices of a patch."""
    merging: Merging = field(default_factory=Merging)
    """``samples``, ``blend`` and ``depth``."""
    rays: tuple[int, ...] = ()
    scene: dict[str, Any] = field(default_factory=dict)
    """``triangles`` and ``boxes`` of the scene that rays hit."""
    tables: dict[str, list[Any]] = field(default_factory=dict)
    """``miss``, ``hit`` and ``callable``: the shaders that rays call, if the configuration names them."""
    bind: dict[str, Any] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    """Semantic → input of the first stage."""
    elements: int = 0
    seed: int | None = None
    chosen: Chosen | None = None
    """The lane of ``thread``, ``pixel``, ``vertex`` and so on."""
    alone: bool = False
    """Run only the group of the chosen thread, or the pixels around the chosen one."""
    stop_on_entry: bool = False
    check: str = ""
    """The checks of the sanitizer, as those of ``hlsl_tool run --check``; empty for none."""
    wave: int = 32
    folder: str = ""
    """The folder of relative paths."""
    of_draws: list[str] = field(default_factory=list)
    """The attributes that are given and for draws only."""


_OWNERS = {
    "thread": ("groups", "threads"),
    "pixel": ("size",),
    "vertex": ("vertices",),
    "point": ("vertices",),
    "primitive": ("vertices",),
    "ray": ("rays",),
}
"""Lane that a configuration can choose → the sizes with which it is one."""
_LANES = (*_OWNERS, "lane")
_TABLES = ("miss", "hit", "callable")
_OF_DRAWS = ("attributes", "indices", "instances", "topology", "patch", "samples", "blend", "depth")
_DIGITS = re.compile(r"\s*\d{1,12}\s*")
MOST = (1 << 31) - 1
"""The greatest number of a configuration."""
SIZES = ("groups", "threads", "vertices", "rays", "size")
"""The attributes of which a configuration has one; a pixel shader behind other stages has `size` beside another one."""
ATTRIBUTES = {
    "program", "entry", "profile", "arguments", "groups", "threads", "size", "vertices", "bind", "inputs",
    "attributes", "instances", "indices", "stages", "topology", "patch", "samples", "blend", "depth", "rays", "scene",
    "elements", "seed", "alone", "stopOnEntry", "check", "wave", "cwd",
    *_TABLES, *_LANES,
}  # fmt: skip
_OF_CLIENTS = {
    "type", "request", "name", "noDebug", "debugServer", "preLaunchTask", "postDebugTask", "presentation", "console",
    "internalConsoleOptions", "serverReadyAction", "suppressMultipleSessionWarning", "debugAdapterPath", "restart",
}  # fmt: skip
"""Attributes that clients send along."""


def launch_of(given: Mapping[str, Any]) -> Launch:
    """Return the launch configuration that a client sends; raise ``LaunchError`` for a wrong one."""
    for name, value in given.items():
        if name not in ATTRIBUTES and name not in _OF_CLIENTS and not name.startswith("_"):
            hint = did_you_mean(name, sorted(ATTRIBUTES))
            raise LaunchError(f"`{name}` is no attribute of a launch configuration" + (f"; {hint}" if hint else ""))
        _check_characters(name, value)
    folder = _text(given, "cwd") or os.getcwd()
    program = _text(given, "program")
    if not program:
        raise LaunchError("`program` is missing: the path of the shader")
    launch = Launch(os.path.join(folder, program), _text(given, "entry"), _text(given, "profile"), folder=folder)
    if not os.path.isfile(launch.program):
        raise LaunchError(f"`program`: there is no file `{launch.program}`")
    launch.arguments = [str(word) for word in _list(given, "arguments")]
    for name in ("groups", "threads", "size", "rays"):
        setattr(launch, name, _numbers(given, name, 1))
    launch.scene = _mapping(given, "scene")
    launch.tables = {name: list(_list(given, name)) for name in _TABLES if given.get(name) is not None}
    for name, default in (("vertices", 0), ("instances", 1), ("patch", 0), ("elements", 0), ("wave", 32)):
        setattr(launch, name, _number(given, name, 1) or default)
    if launch.wave not in (4, 8, 16, 32, 64, 128):
        raise LaunchError("`wave` is a power of two from 4 to 128")
    launch.bind, launch.attributes = _mapping(given, "bind"), _mapping(given, "attributes")
    launch.indices = given.get("indices")
    launch.of_draws = [name for name in _OF_DRAWS if given.get(name)]
    launch.topology, launch.stages, launch.merging = _topology(given), _stages(given), _merging(given)
    launch.inputs = [os.path.join(folder, str(path)) for path in _list(given, "inputs")]
    launch.seed = _number(given, "seed", 0)
    launch.stop_on_entry, launch.check = _bool(given, "stopOnEntry"), _checks(given)
    launch.chosen = _chosen(given)
    launch.alone = _bool(given, "alone", launch.chosen is not None and launch.chosen.word == "pixel")
    _check_size(launch)
    return launch


def _check_characters(name: str, value: Any) -> None:
    """Raise ``LaunchError`` for texts that no file or name has: with a null, or with halves of characters."""
    if isinstance(value, str):
        if "\0" in value or (not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)):
            raise LaunchError(f"`{name}` has characters that are not allowed: {value!a}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_characters(name, key)
            _check_characters(name, inner)
    elif isinstance(value, list):
        for inner in value:
            _check_characters(name, inner)


def _check_size(launch: Launch) -> None:
    sizes = [name for name in SIZES if getattr(launch, name)]
    if len(sizes) > (2 if launch.stages and launch.size else 1):
        raise LaunchError(f"`{sizes[0]}` and `{sizes[1]}` exclude each other")
    if not sizes:
        raise LaunchError(
            "one of these is missing: `groups` or `threads` of a compute shader, `size` of the picture of a pixel"
            " shader, `vertices` of a draw, `rays` of a ray generation shader"
        )
    if launch.size and len(launch.size) != 2:
        raise LaunchError("`size` is [width, height]")
    if launch.chosen is not None:
        owner = _OWNERS.get(launch.chosen.word, sizes)
        if not set(owner) & set(sizes):
            raise LaunchError(f"`{launch.chosen.word}` is for `{owner[0]}`, and this configuration has `{sizes[0]}`")


def _chosen(given: Mapping[str, Any]) -> Chosen | None:
    words = [word for word in _LANES if given.get(word) is not None]
    if not words:
        return None
    if len(words) > 1:
        raise LaunchError(f"`{words[0]}` and `{words[1]}` exclude each other")
    return Chosen(words[0], _numbers(given, words[0], 0))


def _topology(given: Mapping[str, Any]) -> str:
    try:
        return checked_topology(_text(given, "topology"))
    except ValueError as error:
        raise LaunchError(f"`topology`: {error}") from None


def _merging(given: Mapping[str, Any]) -> Merging:
    samples = _number(given, "samples", 1) or 1
    try:
        return merging_of(samples, given.get("blend"), _text(given, "depth"))
    except ValueError as error:
        raise LaunchError(str(error)) from None


def _stages(given: Mapping[str, Any]) -> dict[str, str]:
    stages = _mapping(given, "stages", '{ "vertex": "VSMain" }')
    for name, entry in stages.items():
        if not isinstance(entry, str) or not entry:
            raise LaunchError(f"`stages`: `{name}` is the name of an entry point, not {entry!r}")
    try:
        stages_before(stages, "")
    except ValueError as error:
        raise LaunchError(f"`stages`: {error}") from None
    return stages


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise LaunchError(f"`{name}` is a text, not {_shown(value)}")
    return value or ""


def _bool(given: Mapping[str, Any], name: str, default: bool = False) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise LaunchError(f"`{name}` is true or false, not {_shown(value)}")
    return value


def _checks(given: Mapping[str, Any]) -> str:
    value = given.get("check", False)
    if isinstance(value, bool):
        return DEFAULT if value else ""
    if not isinstance(value, str):
        raise LaunchError(f'`check` is true, false, or a text such as "strict", not {value!r}')
    try:
        chosen(value)
    except ValueError as error:
        raise LaunchError(f"`check`: {error}") from None
    return value


def _list(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = given.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise LaunchError(f"`{name}` is a list, not {_shown(value)}")
    return value


def _mapping(given: Mapping[str, Any], name: str, example: str = '{ "In": "data.npy" }') -> dict[str, Any]:
    value = given.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise LaunchError(f"`{name}` is a mapping of names to values, such as {example}")
    return value


def _number(given: Mapping[str, Any], name: str, least: int) -> int | None:
    """Return one whole number; ``None`` if it is not given."""
    numbers = _numbers(given, name, least)
    if len(numbers) > 1:
        raise LaunchError(f"`{name}` is one number, not {given[name]!r}")
    return numbers[0] if numbers else None


def _numbers(given: Mapping[str, Any], name: str, least: int) -> tuple[int, ...]:
    """Return one to three whole numbers, given as a number, a list, or a text with commas."""
    value = given.get(name)
    if value is None:
        return ()
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    out = []
    for item in items:
        number = int(item) if isinstance(item, str) and _DIGITS.fullmatch(item) else item
        if not isinstance(number, int) or isinstance(number, bool) or number < least:
            raise LaunchError(f"`{name}` has whole numbers from {least} on, not {_shown(value)}")
        if number > MOST:
            raise LaunchError(f"`{name}` has whole numbers up to {MOST}, not {_shown(value)}")
        out.append(number)
    if not 1 <= len(out) <= 3:
        raise LaunchError(f"`{name}` has one to three numbers, not {_shown(value)}")
    return tuple(out)


def _shown(value: Any) -> str:
    """Return a value as text, cut if it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
