"""The types of the option table: kinds of values, kinds of flags, rows.

Kinds only describe values. `command_line_values` and `flags` read and write them on the command line,
`project.config.yaml.kinds` in YAML.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass


class Kind:
    """The kind of an option's value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Bool(Kind):
    """true or false."""


@dataclass(frozen=True, slots=True)
class Tristate(Kind):
    """true, false, or, if not given, the compiler's choice."""


@dataclass(frozen=True, slots=True)
class Int(Kind):
    """An integer in a range."""

    low: int = 0
    high: int = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class HexInt(Kind):
    """An integer: hexadecimal on the command line (without 0x, as in DXC), in any base in YAML."""


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A text; ``what`` describes it in diagnostics, ``pattern`` restricts it in YAML."""

    what: str = "text"
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a fixed set of words."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list; in YAML, a single value is a list with one item."""

    item: Text | Choice
    may_be_empty: bool = True
    """Whether the list may be empty."""


@dataclass(frozen=True, slots=True)
class Version(Kind):
    """The HLSL version: a number, 202x or 202y."""


@dataclass(frozen=True, slots=True)
class Defines(Kind):
    """Macros; in YAML a mapping, in which a list of values creates permutations."""


@dataclass(frozen=True, slots=True)
class Shifts(Kind):
    """Register shifts: [shift, space or all], or a list of those."""


@dataclass(frozen=True, slots=True)
class Registers(Kind):
    """Bindings of single registers: in YAML {register, space, binding, set}."""


@dataclass(frozen=True, slots=True)
class Place(Kind):
    """A binding and a set: [binding, set]."""


@dataclass(frozen=True, slots=True)
class Debug(Kind):
    """true, false, or a list of categories."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Optimize(Kind):
    """none, size, performance, or a list of spirv-opt passes."""


@dataclass(frozen=True, slots=True)
class Validate(Kind):
    """true, false, or required."""


@dataclass(frozen=True, slots=True)
class Nothing(Kind):
    """No value: for a command-line flag that sets no field."""


# The forms of flags, with the names of LLVM's option library, which DXC uses.
FLAG = "flag"
JOINED = "joined"
SEPARATE = "separate"
EITHER = "joined or separate"
COMMAS = "comma joined"


@dataclass(frozen=True, slots=True)
class Flag:
    """One spelling of an option on the command line."""

    name: str
    """The name with its dash."""
    form: str = FLAG
    count: int = 1
    """The number of separate arguments, for the forms SEPARATE and EITHER."""
    sets: object = True
    """The value that a FLAG gives to the field."""
    slash: bool = False
    """Whether `/X` is an alternative spelling."""
    placeholder: str = ""
    ours: bool = False
    """Whether DXC lacks the flag."""


@dataclass(frozen=True, slots=True)
class Row:
    """An option: field of `CompileOptions`, YAML key, kind of value, description, and DXC's flags."""

    field: str
    key: str
    kind: Kind
    doc: str
    flags: tuple[Flag, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """A flag of DXC without a counterpart in `CompileOptions`.

    It is `accepted` without effect, `retired` (accepted with a warning that names its successor), or `refused` with an
    error that names it.
    """

    flag: Flag
    verdict: str
    why: str
