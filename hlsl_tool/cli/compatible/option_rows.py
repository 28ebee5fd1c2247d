"""Types of the compatible command lines: options as rows of a table, and the request that they build up."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.options.kinds import EITHER, FLAG, JOINED, SEPARATE
from hlsl_tool.base.system.dataclass import dataclass, field

__all__ = ["BASE", "BASES", "EITHER", "FLAG", "JOINED", "REGISTERS", "SEPARATE"]

BASE = "base"
"""The form `[stage] number`."""
BASES = "bases"
"""The form `[stage] number`, or `[stage] (number set)…`."""
REGISTERS = "registers"
"""The form `[stage] set`, or `[stage] (register set binding)…`."""

PROFILES = {"vert": "vs", "tesc": "hs", "tese": "ds", "geom": "gs", "frag": "ps", "comp": "cs"}
"""Stage → the stage of its HLSL profile."""
LONG_NAMES = {
    "vertex": "vert",
    "tesscontrol": "tesc",
    "tesseval": "tese",
    "geometry": "geom",
    "fragment": "frag",
    "compute": "comp",
}
OTHER_STAGES = frozenset(("mesh", "task", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall"))
"""Stages that glslang has for GLSL only."""
STAGES = frozenset((*PROFILES, *LONG_NAMES, *OTHER_STAGES))


class UsageError(Exception):
    """Raised for a wrong command line, with the message for the user."""


@dataclass(slots=True)
class Input:
    """A source file with the settings that applied at its position on the command line."""

    path: str
    stage: str
    """A key of PROFILES; empty if the file's name has to decide."""
    entry: str
    is_hlsl: bool


@dataclass(slots=True)
class Request:
    """The parsed command line of glslc or glslang: sources, settings and outputs."""

    inputs: list[Input] = field(default_factory=list)
    fields: dict[str, object] = field(default_factory=dict)
    """Fields of `CompileOptions`."""
    include_dirs: list[str] = field(default_factory=list)
    defines: list[tuple[str, str | None]] = field(default_factory=list)
    undefines: list[str] = field(default_factory=list)
    stage: str = ""
    entry: str = ""
    stage_wins: bool = False
    """Whether a stage for all sources replaces the stages that options name, as with glslang's `-S`."""
    source_entry: str = ""
    """The function in the source, if the entry point has another name in the module."""
    is_hlsl: bool = False
    client: str = ""
    """The Vulkan version as a target environment: ``vulkan1.1``."""
    spirv: str = ""
    """The version of SPIR-V: ``1.3``."""
    is_iomap: bool = False
    shifts: list[tuple[str, str, int, int]] = field(default_factory=list)
    """(kind of resource, stage or empty for all, shift, set or ALL_SPACES)"""
    registers: list[tuple[str, str, int, int]] = field(default_factory=list)
    """(stage or empty for all, register, binding, set)"""
    default_sets: dict[str, int] = field(default_factory=dict)
    """Stage, or empty for all → the set of resources without a space."""
    output: str = ""
    reads_stdin: bool = False
    generates: bool = False
    """Whether glslang is to generate code: `-V` and what implies it."""
    separate: bool = False
    """`-c`: an output for each input."""
    result: str = "module"
    """``module``, ``listing``, ``preprocessed``, ``dependencies`` or ``help`` and ``version``."""
    form: str = "binary"
    """The form of a module: ``binary``, or a key of `words.FORMS`."""
    variable: str = ""
    prints_listing: bool = False
    is_silent: bool = False
    writes_dependencies: bool = False
    dependencies_file: str = ""
    dependency_target: str = ""

    def stage_named(self, name: str) -> str:
        """Return the stage with this long or short name; raise `UsageError` for an unknown one."""
        stage = LONG_NAMES.get(name, name)
        if stage in PROFILES:
            return stage
        if stage in OTHER_STAGES:
            raise UsageError(f"stage '{name}' has no HLSL in glslang; hlsl2spirv compiles it (-T ms_6_5, -T lib_6_3)")
        raise UsageError(f"stage not recognized: '{name}' (one of {', '.join(PROFILES)})")


Action = Callable[[Request, tuple[str, ...], "Option"], None]


@dataclass(frozen=True, slots=True)
class Option:
    """A row of an option table: the spellings of an option, the kind of its arguments, and its action."""

    names: tuple[str, ...]
    form: str
    action: Action
    value: object = None
    """The value that the action stores."""
    name: str = ""
    """The field that the action stores it in."""
    doc: str = ""
    """The effect in words; for a refused option the reason."""
