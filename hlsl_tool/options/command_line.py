"""DXC's command line → `Command`: what to compile, how, and what to write.

The rules by which arguments are matched are those of LLVM's option library (the longest name wins; `-Tps_6_0` and
`-T ps_6_0` are one; `/T` where DXC has it), the checks and their words are DXC's (lib/DxcSupport/HLSLOptions.cpp), in
DXC's order, so that scripts that look for a message find it.  `parse` touches no file, except through `read` for
`@file` and `is_file`, by which a path that starts with a slash is told from an option.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hlsl_tool.options.checks import OptionError, check_debug, check_globals, check_place, check_profile, check_shifts
from hlsl_tool.options.kinds import (
    COMMAS,
    EITHER,
    FLAG,
    JOINED,
    SEPARATE,
    Choice,
    Defines,
    Flag,
    HexInt,
    Int,
    ListOf,
    Nothing,
    Other,
    Place,
    Registers,
    Row,
    Shifts,
)
from hlsl_tool.options.model import DEBUG_EVERYTHING, HLSL_202X, CompileOptions
from hlsl_tool.options.table import HLSL_VERSIONS, OTHERS, OUTPUTS, TABLE


@dataclass(slots=True)
class Command:
    """A command line, read."""

    options: CompileOptions = field(default_factory=CompileOptions)
    inputs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    object: str = ""
    assembly: str = ""
    header: str = ""
    variable: str = ""
    errors_file: str = ""
    preprocess: bool = False
    preprocess_file: str = ""
    dump_dependencies: bool = False
    write_dependencies: bool = False
    dependencies_file: str = ""
    show_includes: bool = False
    ast_dump: bool = False
    diagnostics: str = "text"
    dxc_format: str = ""
    color: bool | None = None
    show_option: bool | None = None
    help: bool = False
    version: bool = False
    print_pipeline: bool = False

    @property
    def source(self) -> str:
        """DXC takes the last."""
        return self.inputs[-1] if self.inputs else ""


@dataclass(frozen=True, slots=True)
class _Match:
    row: Row | Other
    flag: Flag
    values: tuple[str, ...]


def _spellings() -> list[tuple[str, Flag, Row | Other]]:
    """(spelling, flag, row), the longest first: the order in which LLVM tries them."""
    found: list[tuple[str, Flag, Row | Other]] = []
    for row in (*TABLE, *OUTPUTS):
        found += [(flag.name, flag, row) for flag in row.flags]
    found += [(other.flag.name, other.flag, other) for other in OTHERS]
    found += [("/" + name[1:], flag, row) for name, flag, row in found if flag.slash]
    return sorted(found, key=lambda spelling: (-len(spelling[0]), spelling[0]))


_SPELLINGS = _spellings()


def parse(
    arguments: Sequence[str],
    *,
    read: Callable[[str], str | None] | None = None,
    is_file: Callable[[str], bool] | None = None,
) -> Command:
    """The command that the arguments tell, or an OptionError with DXC's words."""
    words = _expand(list(arguments), read)
    matches, inputs, unknown, missing = _match_all(words, is_file)
    command = Command(inputs=inputs)
    fields: dict[str, object] = {}
    lists: dict[str, list[object]] = {}
    names = {match.flag.name for match in matches}
    command.help = any(isinstance(m.row, Row) and m.row.field == "help" for m in matches)
    command.version = any(isinstance(m.row, Row) and m.row.field == "version" for m in matches)
    command.print_pipeline = any(isinstance(m.row, Row) and m.row.field == "print_pipeline" for m in matches)
    if command.help or command.version or command.print_pipeline:
        return command
    if missing:
        raise OptionError(f"Argument to '{missing}' is missing.")
    if unknown and "-Qunused-arguments" not in names:
        raise OptionError(_unknown(unknown[0]))
    for match in matches:
        if isinstance(match.row, Other):
            if match.row.verdict == "refused":
                raise OptionError(f"{match.flag.name} is not supported with -spirv")
            if match.row.verdict == "retired":
                command.warnings.append(f"{match.flag.name} is ignored: {match.row.why}")
            continue
        _apply(match, match.row, fields, lists)
    _finish_lists(fields, lists, matches)
    for row in OUTPUTS:
        if row.field in fields:
            setattr(command, row.field, fields.pop(row.field))
    if isinstance(fields.get("optimize"), tuple) and "-O0" in names:
        raise OptionError("-Oconfig should not be used together with -O")
    check_profile(str(fields.get("profile", "")), fields, names, bool(command.preprocess))
    _check_outputs(command, fields)
    categories = fields.get("debug", ())
    assert isinstance(categories, tuple)
    if any(category == "tool" or category.startswith("vulkan") for category in categories):
        fields["command_line"] = " ".join(word for match in matches for word in _spelled(match))
    command.options = dataclasses.replace(command.options, **fields)  # type: ignore[arg-type]  # checked row by row
    return command


def _spelled(match: _Match) -> list[str]:
    """An option as words again, for the record in a module; what only says where output goes has no place there."""
    if match.row in OUTPUTS or match.flag.name == "-Qembed_debug":
        return []
    name, values = match.flag.name, list(match.values)
    if match.flag.form in (JOINED, COMMAS):
        return [name + ",".join(values)]
    return [name, *values]


def _match_all(
    words: list[str], is_file: Callable[[str], bool] | None
) -> tuple[list[_Match], list[str], list[str], str]:
    matches: list[_Match] = []
    inputs: list[str] = []
    unknown: list[str] = []
    missing = ""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "-" or not word.startswith(("-", "/")):
            inputs.append(word)
            at += 1
            continue
        if word.startswith("/") and is_file is not None and is_file(word):
            inputs.append(word)
            at += 1
            continue
        found = _match(words, at)
        if found is None:
            (inputs if word.startswith("/") else unknown).append(word)
            at += 1
        elif isinstance(found, str):
            missing = missing or found
            break
        else:
            match, used = found
            matches.append(match)
            at += used
    return matches, inputs, unknown, missing


def _match(words: list[str], at: int) -> tuple[_Match, int] | str | None:
    """The option at a place and how many words it takes; its name if a value is missing; None for an unknown one."""
    word = words[at]
    for spelling, flag, row in _SPELLINGS:
        if not word.startswith(spelling):
            continue
        rest = word[len(spelling) :]
        if flag.form == FLAG:
            if not rest:
                return _Match(row, flag, ()), 1
        elif flag.form == JOINED:
            return _Match(row, flag, (rest,)), 1
        elif flag.form == COMMAS:
            return _Match(row, flag, tuple(rest.split(","))), 1
        elif flag.form == EITHER and rest:
            return _Match(row, flag, (rest,)), 1
        elif flag.form in (EITHER, SEPARATE) and not rest:
            values = tuple(words[at + 1 : at + 1 + flag.count])
            return (_Match(row, flag, values), 1 + flag.count) if len(values) == flag.count else word
    return None


def _unknown(word: str) -> str:
    names = [spelling for spelling, _, row in _SPELLINGS if isinstance(row, Row)]
    close = difflib.get_close_matches(word.split("=")[0], names, n=1, cutoff=0.8)
    hint = f" (did you mean '{close[0]}'?)" if close else ""
    return f"Unknown argument: '{word}'{hint}"


# ---------------------------------------------------------------- one option


def _apply(match: _Match, row: Row, fields: dict[str, object], lists: dict[str, list[object]]) -> None:
    name, kind, values = row.field, row.kind, match.values
    collected = lists.setdefault(name, [])
    if name == "hlsl_version":
        fields[name] = _version(values[0], fields)
    elif name == "optimize":
        fields[name] = _optimize(match, fields)
    elif name == "debug":
        collected += [check_debug(value) for value in values]
        fields.setdefault("debug", DEBUG_EVERYTHING)
    elif match.flag.form == FLAG and isinstance(kind, ListOf):
        collected.append(match.flag.sets)
    elif match.flag.form == FLAG:
        _exclusive(name, match.flag.sets, fields)
        fields[name] = match.flag.sets
    elif name in ("no_warn_ignored_features", "no_warn_emulated_features"):
        fields[name] = True
    elif isinstance(kind, Defines):
        macro, equals, text = values[0].partition("=")
        if macro:
            collected.append((macro, text if equals else None))
    elif isinstance(kind, (Shifts, Registers)):
        collected += values
    elif name == "bind_globals":
        fields[name] = check_globals(values)
    elif isinstance(kind, Place):
        fields[name] = check_place(match.flag.name, values)
    elif isinstance(kind, ListOf):
        collected += [value for value in values if value]
    elif isinstance(kind, HexInt):
        fields[name] = _integer(values[0], 16, f"{match.flag.name} must be an integer in hexadecimal format")
    elif isinstance(kind, Int):
        wrong = f"Unsupported value '{values[0]}' for {_SAID.get(name, match.flag.name)}."
        fields[name] = _integer(values[0], 10, wrong)
    elif isinstance(kind, Choice):
        fields[name] = _choose(row, kind, match.flag, values[0])
    elif not isinstance(kind, Nothing):
        fields[name] = values[0]


_SAID = {
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
    if name in _EXCLUSIVE and fields.get(name, value) != value:
        raise OptionError(_EXCLUSIVE[name])


def _version(value: str, fields: dict[str, object]) -> int:
    if value not in HLSL_VERSIONS:
        raise OptionError(f"Unknown HLSL version: {value}. Valid versions: 2015, 2016, 2017, 2018, and 2021")
    if value == "2015":
        raise OptionError("HLSL Version 2015 is only supported for language services")
    return HLSL_202X if value == "202x" else int(value)


def _optimize(match: _Match, fields: dict[str, object]) -> object:
    """`-O…` and `-Oconfig` exclude each other, as in DXC; `-Od` goes with both."""
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


def _integer(text: str, base: int, wrong: str) -> int:
    pattern = r"[0-9]+" if base == 10 else r"[0-9A-Fa-f]+"
    if not re.fullmatch(pattern, text):
        raise OptionError(wrong)
    return min(int(text, base), 0xFFFFFFFF)


_CHOICE_ERRORS = {
    "denorm": "Unsupported value '{}' for denorm option.",
    "default_linkage": "Unsupported value '{}' for -default-linkage option.",
    "stage_io_order": "unknown Vulkan stage I/O location assignment order: {}",
    "target_env": "unknown SPIR-V target environment '{}'; allowed are {}",
}


def _choose(row: Row, kind: Choice, flag: Flag, value: str) -> str:
    lowered = value.lower() if row.field in ("denorm", "default_linkage") else value
    if lowered not in kind.values or (row.field == "default_linkage" and lowered == "default"):
        template = _CHOICE_ERRORS.get(row.field, f"invalid value '{{}}' for {flag.name} (one of {{}})")
        raise OptionError(template.format(value, ", ".join(kind.values)), plain=row.field == "target_env")
    return lowered


# ---------------------------------------------------------------- after the last option


def _finish_lists(fields: dict[str, object], lists: dict[str, list[object]], matches: list[_Match]) -> None:
    for letter in "btsu":
        values = [str(value) for value in lists.pop(f"shift_{letter}", [])]
        if values:
            fields[f"shift_{letter}"] = check_shifts(letter, values, bool(lists.get("bind_registers")))
    registers = [str(value) for value in lists.pop("bind_registers", [])]
    if registers:
        groups = [registers[at : at + 4] for at in range(0, len(registers), 4)]
        fields["bind_registers"] = tuple(_register(*group) for group in groups)
    for name, collected in lists.items():
        if collected:
            fields[name] = tuple(collected)


def _register(register: str, space: str, binding: str, at: str) -> tuple[str, int, int, int]:
    if not re.fullmatch(r"[btsuBTSU][0-9]+", register):
        raise OptionError(f"invalid -fvk-bind-register register: {register}", plain=True)
    numbers = {"space": space, "binding": binding, "set": at}
    for what, text in numbers.items():
        if not re.fullmatch(r"[0-9]+", text):
            raise OptionError(f"invalid -fvk-bind-register {what} number: {text}", plain=True)
    return register.lower(), int(space), int(binding), int(at)


def _check_outputs(command: Command, fields: dict[str, object]) -> None:
    if not command.inputs:
        raise OptionError("Required input file argument is missing. use -help to get more information.")
    if not command.header and command.variable:
        raise OptionError("Cannot specify a header variable name when not writing a header.")
    if command.variable and not command.variable.isidentifier():
        raise OptionError(f"-Vn: '{command.variable}' is not the name of a C array", plain=True)
    if command.preprocess and (command.header or command.object or command.errors_file or fields.get("no_warnings")):
        command.header = command.object = command.errors_file = ""
        fields.pop("no_warnings", None)
        command.warnings.append("Warning: compiler options ignored with Preprocess.")
    if not command.preprocess and not fields.get("profile"):
        raise OptionError("Target profile argument is missing")
    if command.dxc_format.startswith("msvc"):
        command.diagnostics = "msvc"


# ---------------------------------------------------------------- @file


def _expand(words: list[str], read: Callable[[str], str | None] | None, depth: int = 0) -> list[str]:
    """Response files: their words stand where `@file` stood; they may name further ones."""
    if read is None or not any(word.startswith("@") for word in words):
        return words
    if depth > 20:
        raise OptionError("response files are nested too deeply")
    found: list[str] = []
    for word in words:
        if not word.startswith("@"):
            found.append(word)
            continue
        text = read(word[1:])
        if text is None:
            raise OptionError(f"cannot read the response file '{word[1:]}'")
        found += _expand(split_words(text), read, depth + 1)
    return found


_WORD = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_PART = re.compile(r"""([^"']+)|"((?:\\.|[^"\\])*)"|'([^']*)'""")


def split_words(text: str) -> list[str]:
    """White space separates, quotes hold together; a backslash escapes only a quote or itself inside double quotes,
    so that Windows paths stay whole."""
    words = []
    for word in _WORD.findall(text):
        parts = []
        for plain, double, single in _PART.findall(word):
            parts.append(plain or single or re.sub(r'\\(["\\])', r"\1", double))
        words.append("".join(parts))
    return words
