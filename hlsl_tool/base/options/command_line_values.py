"""Convert the values of command-line options, with DXC's checks and messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hlsl_tool.base.digits import number_of
from hlsl_tool.base.options.checks import OptionError, check_debug, check_globals, check_place, check_shifts
from hlsl_tool.base.options.compile_options import DEBUG_EVERYTHING, version_number
from hlsl_tool.base.options.kinds import (
    COMMAS,
    FLAG,
    Choice,
    Defines,
    Flag,
    HexInt,
    Int,
    Kind,
    ListOf,
    Nothing,
    Place,
    Registers,
    Row,
    Shifts,
)
from hlsl_tool.base.options.matching import Match
from hlsl_tool.base.options.table import HLSL_VERSIONS
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Values:
    """The values of the options parsed so far, by field."""

    fields: dict[str, object] = field(default_factory=dict)
    lists: dict[str, list[object]] = field(default_factory=dict)
    """Values of options that may be repeated; ``finish_lists`` moves them to ``fields``."""

    def extend(self, name: str, values: Iterable[object]) -> None:
        """Append values to those of a repeatable option."""
        self.lists.setdefault(name, []).extend(values)


def apply(match: Match, row: Row, values: Values) -> None:
    """Convert the value of one option according to its kind, and store it in ``values``."""
    by_field = _BY_FIELD.get(row.field)
    if by_field is not None:
        by_field(match, row, values)
    elif match.flag.form == FLAG:
        _set_flag(match, row, values)
    else:
        _BY_KIND.get(type(row.kind), _set_text)(match, row, values)


def _set_flag(match: Match, row: Row, values: Values) -> None:
    if isinstance(row.kind, ListOf):
        values.extend(row.field, [match.flag.sets])
    else:
        _exclusive(row.field, match.flag.sets, values.fields)
        values.fields[row.field] = match.flag.sets


def _set_version(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = _version(match.values[0])


def _set_optimize(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = _optimize(match, values.fields)


def _add_debug(match: Match, row: Row, values: Values) -> None:
    values.extend(row.field, map(check_debug, match.values))
    values.fields.setdefault(row.field, DEBUG_EVERYTHING)


def _set_true(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = True


def _set_globals(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = check_globals(match.values)


def _add_define(match: Match, row: Row, values: Values) -> None:
    macro, equals, text = match.values[0].partition("=")
    if macro:
        values.extend(row.field, [(macro, text if equals else None)])


def _add_values(match: Match, row: Row, values: Values) -> None:
    values.extend(row.field, match.values)


def _add_items(match: Match, row: Row, values: Values) -> None:
    values.extend(row.field, filter(None, match.values))


def _set_place(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = check_place(match.flag.name, match.values)


def _set_hexadecimal(match: Match, row: Row, values: Values) -> None:
    message = f"{match.flag.name} must be an integer in hexadecimal format"
    values.fields[row.field] = _integer(match.values[0], 16, message)


def _set_integer(match: Match, row: Row, values: Values) -> None:
    message = f"Unsupported value '{match.values[0]}' for {_NAMES_IN_ERRORS.get(row.field, match.flag.name)}."
    values.fields[row.field] = _integer(match.values[0], 10, message)


def _set_choice(match: Match, row: Row, values: Values) -> None:
    assert isinstance(row.kind, Choice)
    values.fields[row.field] = _choose(row, row.kind, match.flag, match.values[0])


def _set_text(match: Match, row: Row, values: Values) -> None:
    values.fields[row.field] = match.values[0]


def _ignore(match: Match, row: Row, values: Values) -> None:
    """Store nothing: the option sets no field."""


_Handler = Callable[[Match, Row, Values], None]
_BY_FIELD: dict[str, _Handler] = {
    "hlsl_version": _set_version,
    "optimize": _set_optimize,
    "debug": _add_debug,
    "no_warn_ignored_features": _set_true,
    "no_warn_emulated_features": _set_true,
    "bind_globals": _set_globals,
}
"""Field → handler, for options with rules of their own."""
_BY_KIND: dict[type[Kind], _Handler] = {
    Defines: _add_define,
    Shifts: _add_values,
    Registers: _add_values,
    Place: _set_place,
    ListOf: _add_items,
    HexInt: _set_hexadecimal,
    Int: _set_integer,
    Choice: _set_choice,
    Nothing: _ignore,
}
"""Kind of value → handler, for options with arguments; the default is ``_set_text``."""

_NAMES_IN_ERRORS = {
    "auto_binding_space": "auto binding space",
    "denorm": "denorm option",
    "default_linkage": "-default-linkage option",
}

_EXCLUSIVE = {
    "matrix_layout": "Cannot specify /Zpr and /Zpc together, use /? to get usage information",
    "flow_control": "Cannot specify /Gfa and /Gfp together, use /? to get usage information",
    "signature_packing": "Cannot specify /pack_prefix_stable and /pack_optimized together, use /? to get usage"
    " information",
    "layout": "cannot specify more than one of -fvk-use-dx-layout, -fvk-use-gl-layout and -fvk-use-scalar-layout",
}


def _exclusive(name: str, value: object, fields: dict[str, object]) -> None:
    before = fields.get(name, value)
    if name in _EXCLUSIVE and before != value:
        if name == "layout" and "scalar" not in (before, value):
            raise OptionError("cannot specify both -fvk-use-dx-layout and -fvk-use-gl-layout")
        raise OptionError(_EXCLUSIVE[name])


def _version(value: str) -> int:
    if value not in HLSL_VERSIONS:
        raise OptionError(f"Unknown HLSL version: {value}. Valid versions: 2015, 2016, 2017, 2018, and 2021")
    if value == "2015":
        raise OptionError("HLSL Version 2015 is only supported for language services")
    return version_number(value)


def _optimize(match: Match, fields: dict[str, object]) -> object:
    """Return the new value of the field `optimize` after an optimisation option: a level, or a tuple of passes.

    Raise ``OptionError`` if `-O…` and `-Oconfig` are combined; `-Od` may be combined with both.
    """
    before = fields.get("optimize")
    if match.flag.form == COMMAS:
        if isinstance(before, tuple):
            raise OptionError("-Oconfig should not be specified more than once")
        if before is not None and before != "none":
            raise OptionError("-Oconfig should not be used together with -O")
        return tuple(value for value in match.values if value)
    if isinstance(before, tuple):
        if match.flag.name == "-Od":
            return before
        raise OptionError("-Oconfig should not be used together with -O")
    return match.flag.sets


def _integer(text: str, base: int, message: str) -> int:
    pattern = r"[0-9]+" if base == 10 else r"[0-9A-Fa-f]+"
    if not re.fullmatch(pattern, text):
        raise OptionError(message)
    return min(number_of(text) if base == 10 else int(text, base), 0xFFFFFFFF)


_CHOICE_ERRORS = {
    "denorm": "Unsupported value '{}' for denorm option.",
    "default_linkage": "Unsupported value '{}' for -default-linkage option.",
    "stage_io_order": "unknown Vulkan stage I/O location assignment order: {}",
    "target_env": "unknown SPIR-V target environment '{}'\nnote: allowed options are:\n {}",
}


def _choose(row: Row, kind: Choice, flag: Flag, value: str) -> str:
    lowered = value.lower() if row.field in ("denorm", "default_linkage") else value
    if lowered not in kind.values or (row.field == "default_linkage" and lowered == "default"):
        template = _CHOICE_ERRORS.get(row.field, f"invalid value '{{}}' for {flag.name} (one of {{}})")
        is_plain = row.field == "target_env"  # DXC's driver knows no environments: its code generator reports them
        raise OptionError(template.format(value, ("\n " if is_plain else ", ").join(kind.values)), plain=is_plain)
    return lowered


def finish_lists(collected: Values) -> None:
    """Check the values of repeatable options and move them to ``fields``."""
    fields, lists = collected.fields, collected.lists
    for letter in ("b", "t", "s", "u", "buffer"):
        values = [str(value) for value in lists.pop(f"shift_{letter}", [])]
        if values:
            fields[f"shift_{letter}"] = check_shifts(letter, values, bool(lists.get("bind_registers")))
    registers = [str(value) for value in lists.pop("bind_registers", [])]
    if registers:
        groups = [registers[at : at + 4] for at in range(0, len(registers), 4)]
        fields["bind_registers"] = tuple(_register(*group) for group in groups)
    for name, items in lists.items():
        if items:
            fields[name] = tuple(items)


def _register(register: str, space: str, binding: str, at: str) -> tuple[str, int, int, int]:
    if not re.fullmatch(r"[btsuBTSU][0-9]+", register):
        raise OptionError(f"invalid -fvk-bind-register register: {register}", plain=True)
    numbers = {"space": space, "binding": binding, "set": at}
    for part, text in numbers.items():
        if not re.fullmatch(r"[0-9]+", text):
            raise OptionError(f"invalid -fvk-bind-register {part} number: {text}", plain=True)
    return register.lower(), number_of(space), number_of(binding), number_of(at)
