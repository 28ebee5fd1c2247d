"""The words in which the option table is written: kinds of value, ways of spelling a flag, and a row.

Kinds are descriptions only.  The command line reads them in `command_line`, YAML in `config.values`, the JSON schema in
`config.schema` and the documentation in `config.document`; a test asserts that each of these knows every kind.
"""

from __future__ import annotations

from dataclasses import dataclass


class Kind:
    """What an option's value looks like."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Bool(Kind):
    pass


@dataclass(frozen=True, slots=True)
class Tristate(Kind):
    """true, false, or the compiler's choice when not given."""


@dataclass(frozen=True, slots=True)
class Int(Kind):
    low: int = 0
    high: int = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class HexInt(Kind):
    """Hexadecimal on the command line (without 0x, as DXC has it), any integer in YAML."""


@dataclass(frozen=True, slots=True)
class Text(Kind):
    what: str = "text"
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list; in YAML one value may stand for a list of one."""

    item: Text | Choice
    may_be_empty: bool = True
    """Whether it may have nothing in it."""


@dataclass(frozen=True, slots=True)
class Version(Kind):
    """The HLSL version: a number, or 202x."""


@dataclass(frozen=True, slots=True)
class Defines(Kind):
    """Macros: in YAML a mapping, in which a list of values means permutations."""


@dataclass(frozen=True, slots=True)
class Shifts(Kind):
    """Register shifts: [shift, space or all], or a list of those."""


@dataclass(frozen=True, slots=True)
class Registers(Kind):
    """Bindings of single registers: in YAML {register, space, binding, set}."""


@dataclass(frozen=True, slots=True)
class Place(Kind):
    """[binding, set]"""


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
    """A flag of the command line that has no value and stands for no field."""


# How a flag takes its values; the names are those of LLVM's option library, whose rules DXC follows.
FLAG = "flag"
JOINED = "joined"
SEPARATE = "separate"
EITHER = "joined or separate"
COMMAS = "comma joined"


@dataclass(frozen=True, slots=True)
class Flag:
    """One spelling on the command line."""

    name: str
    """With its dash."""
    form: str = FLAG
    count: int = 1
    """How many separate arguments it takes, where it takes any."""
    sets: object = True
    """What a FLAG sets the field to."""
    slash: bool = False
    """Whether `/X` is the same."""
    placeholder: str = ""
    ours: bool = False
    """DXC does not have it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One option: the field of `CompileOptions`, DXC's flags, the YAML key, the kind of value, and what it is for."""

    field: str
    key: str
    kind: Kind
    doc: str
    flags: tuple[Flag, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """A flag of DXC that stands for no choice of ours.

    It is `accepted` without effect, `retired` (accepted with a warning that names its successor), or `refused` by name.
    """

    flag: Flag
    verdict: str
    why: str
