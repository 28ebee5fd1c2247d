"""Parse DXC's command line into a `Command`: sources, options and outputs.

Arguments match by the rules of LLVM's option library: the longest name wins, `-Tps_6_0` equals `-T ps_6_0`, and `/T`
works where DXC has it.  The checks, their order and their messages are DXC's (lib/DxcSupport/HLSLOptions.cpp), so that
scripts that search for a message find it.  `parse` accesses files only through `read`, for `@file`, and through
`is_file`, which distinguishes a path that starts with a slash from an option.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.base.options.checks import NotForSpirv, OptionError, check_inverted, check_profile
from hlsl_tool.base.options.command_line_values import Values, apply, finish_lists
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.kinds import COMMAS, JOINED, Other, Row
from hlsl_tool.base.options.matching import Match, match_all, unknown_argument
from hlsl_tool.base.options.response_files import expand_response_files
from hlsl_tool.base.options.table import FORMS, OUTPUTS
from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Command:
    """A parsed command line."""

    options: CompileOptions = field(default_factory=CompileOptions)
    inputs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    object: str = ""
    assembly: str = ""
    header: str = ""
    debug_file: str = ""
    variable: str = ""
    errors_file: str = ""
    preprocess: bool = False
    preprocess_file: str = ""
    dump_dependencies: bool = False
    write_dependencies: bool = False
    dependencies_file: str = ""
    dependency_target: str = ""
    show_includes: bool = False
    ast_dump: bool = False
    diagnostics: str = "text"
    dxc_format: str = ""
    color: bool | None = None
    show_option: bool | None = None
    time_report: bool = False
    time_trace: str = ""
    """The file for the trace of `-ftime-trace`; ``-`` for the standard output."""
    time_trace_granularity: int = 500
    """The least duration in a time trace, in microseconds."""
    help: bool = False
    help_all: bool = False
    version: bool = False
    print_pipeline: bool = False

    @property
    def source(self) -> str:
        """The source to compile: the last input, as in DXC."""
        return self.inputs[-1] if self.inputs else ""

    @property
    def main_output(self) -> str:
        """The output that a dependency rule describes; empty if the result is printed to standard output."""
        return self.object or self.header or self.assembly

    @property
    def dependencies_only(self) -> bool:
        """Whether dependencies are the only output: with `-M`, or without another output, as in DXC."""
        writes = self.write_dependencies or bool(self.dependencies_file)
        return self.dump_dependencies or (writes and not self.main_output)


def parse(
    arguments: Sequence[str],
    *,
    read: Callable[[str], str | None] | None = None,
    is_file: Callable[[str], bool] | None = None,
) -> Command:
    """Parse arguments to a command; raise ``OptionError`` with DXC's message for invalid ones."""
    words = expand_response_files(list(arguments), read)
    matches, inputs, unknown, missing = match_all(words, is_file)
    command = Command(inputs=inputs)
    values = Values()
    fields = values.fields
    names = {match.flag.name for match in matches}
    command.help = any(isinstance(m.row, Row) and m.row.field == "help" for m in matches)
    command.help_all = any(isinstance(m.row, Row) and m.row.field == "help_all" for m in matches)
    command.version = any(isinstance(m.row, Row) and m.row.field == "version" for m in matches)
    command.print_pipeline = any(isinstance(m.row, Row) and m.row.field == "print_pipeline" for m in matches)
    if command.help or command.help_all or command.version or command.print_pipeline:
        return command
    if missing:
        raise OptionError(f"Argument to '{missing}' is missing.")
    if unknown and "-Qunused-arguments" not in names:
        raise OptionError(unknown_argument(unknown[0]))
    for match in matches:
        if isinstance(match.row, Other):
            if match.row.verdict == "refused":
                raise NotForSpirv(match.flag.name)
            if match.row.verdict == "retired":
                command.warnings.append(f"{match.flag.name} is ignored: {match.row.why}")
            continue
        apply(match, match.row, values)
    finish_lists(values)
    for row in OUTPUTS:
        if row.field in fields:
            setattr(command, row.field, fields.pop(row.field))
    if isinstance(fields.get("optimize"), tuple) and "-O0" in names:
        raise OptionError("-Oconfig should not be used together with -O")
    check_profile(str(fields.get("profile", "")), fields, names, bool(command.preprocess))
    check_inverted(str(fields.get("profile", "")), names)
    _check_outputs(command, fields)
    categories = fields.get("debug", ())
    assert isinstance(categories, tuple)
    if any(category == "tool" or category.startswith("vulkan") for category in categories):
        fields["command_line"] = " ".join(word for match in matches for word in _spelled(match))
    command.options = dataclasses.replace(command.options, **fields)  # type: ignore[arg-type]  # checked row by row
    return command


def _spelled(match: Match) -> list[str]:
    """Return the command-line arguments of an option, which the module records; [] for options that name outputs."""
    if match.row in OUTPUTS or match.flag.name == "-Qembed_debug":
        return []
    name, values = match.flag.name, list(match.values)
    if match.flag.form in (JOINED, COMMAS):
        return [name + ",".join(values)]
    return [name, *values]


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
    elif command.dxc_format in FORMS:
        command.diagnostics = command.dxc_format
