"""`hlsl2spirv`: the command line of dxc.

Without `-Fo` (or `-Fc`, `-Fh`) the disassembly is printed to standard output; diagnostics are printed to standard error
as `file:line:col: error: …`; the exit status is 0 if there is no error.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.options.checks import OptionError, modern_profile, split_profile
from hlsl_tool.base.options.command_line import Command, parse
from hlsl_tool.base.options.kinds import FLAG, JOINED, Flag, Row
from hlsl_tool.base.options.table import OTHERS, OUTPUTS, TABLE
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular, shared_file
from hlsl_tool.base.system.streams import STDIN, STREAM_NAME, open_descriptor
from hlsl_tool.cli.outputs import STREAM, write_outputs

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.base.source import FileSystem, SourceFile
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.frontend.preprocessor.stream import IncludeTrace, TokenStream


DXC = "dxc"
"""The name of the program that this one can stand in for: under this name it has DXC's words for all errors."""

BATCH = "--batch"
STEP = "--step"
REPRO = "--repro"

INTERNAL = 3
"""Exit status after an internal error."""

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)


@dataclass(slots=True)
class Run:
    """The state of one call: its working folder, and its output to files and to the standard streams."""

    cwd: str
    memory: Memory | None = None
    source: str = ""
    """The path of the source, which no output may overwrite."""
    status: int = 0
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    """The outputs, by their names from the folder."""
    program: str = DXC
    """The name with which messages about the command line begin; for `DXC` they have DXC's words."""
    is_refused: bool = False
    """Whether an output would overwrite the source or another output; no output is written then."""

    def fail(self, text: str) -> Run:
        """Add an error message, and raise the exit status to 1."""
        self.err.append(text if text.endswith("\n") else text + "\n")
        self.status = max(self.status, 1)
        return self

    @property
    def prefix(self) -> str:
        """The beginning of messages without a place in a source."""
        return "" if self.program == DXC else f"{self.program}: "

    def error(self, text: str) -> Run:
        """Add an error about a file, and raise the exit status to 1."""
        return self.fail(f"{self.prefix}error: {text}")

    def refuse(self, text: str) -> Run:
        """Add an error about the command line, and raise the exit status to 1."""
        return self.fail(f"dxc failed : {text}") if self.program == DXC else self.error(text)

    def path(self, name: str) -> str:
        """Return a path of the command line, resolved against the folder of the call."""
        return os.path.join(self.cwd, name)

    def read_stream(self, name: str) -> bytes:
        """Read all of the standard input (`-`) or of another open file descriptor; raise ``OSError``."""
        descriptor = open_descriptor(name) or 0
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            self.source = f"/dev/fd/{descriptor}"
        data = bytearray()
        while len(data) <= MAX_SIZE and (part := os.read(descriptor, 1 << 20)):
            data += part
        return bytes(data)

    def are_apart(self, outputs: Iterable[tuple[str, str]]) -> bool:
        """Return whether all ``outputs`` (option, name) are different files; report two that are the same."""
        shared = shared_file((option, self.path(name)) for option, name in outputs)
        if shared is not None:
            from hlsl_tool.cli.output import shared_file_message  # start-up time

            self.error(f"{shared_file_message(*shared)}")
        return shared is None

    def write(self, name: str, data: bytes) -> None:
        """Add an output file.

        If it would overwrite the source or another output, report an error and drop all outputs.
        """
        if self.is_refused:
            return
        if name != STREAM and self.source and _same_file(self.path(name), self.source):
            self.error(f"cannot write '{name}': it is the source")
            self.is_refused = True
        elif not self.are_apart((written, written) for written in (*self.files, name)):
            self.is_refused = True
        else:
            self.files[name] = data
            return
        self.files.clear()

    def deliver(self) -> None:
        """Write all output files; report an error if that fails."""
        problem = write_outputs(self.files, self.cwd)
        if problem:
            self.fail(self.prefix + problem)

    def delivered(self) -> tuple[int, str, str]:
        """Write all output files; return (exit status, standard output, standard error)."""
        self.deliver()
        return self.status, "".join(self.out), "".join(self.err)


def run(argv: Sequence[str], cwd: str = ".", memory: Memory | None = None) -> tuple[int, str, str]:
    """Run a command line (without the program's name); return (exit status, standard output, standard error).

    Calls in the same folder may share the compiler caches ``memory``.  All messages have DXC's words.
    """
    return execute(argv, cwd, memory).delivered()


def execute(argv: Sequence[str], cwd: str = ".", memory: Memory | None = None, *, program: str = DXC) -> Run:
    """Run a command line like `run`, but do not write output files: the caller does.

    Messages about the command line begin with the name of the ``program``.  Only batches and build commands of
    generated rules (``--step``) write their files themselves.
    """
    state = Run(os.path.abspath(cwd), memory, program=program)
    argv = split_words(argv)
    if argv[:1] == [BATCH]:
        _run_batch(argv[1:], state)
    elif argv[:1] == [STEP]:
        from hlsl_tool.project.exchange.step import run_step

        state.status, text = run_step(argv[1:], state.cwd, memory)
        state.err.append(text)
    elif REPRO in argv:
        _run_repro(list(argv), state)
    else:
        _run(list(argv), state)
    return state


def split_words(argv: Sequence[str]) -> list[str]:
    """Return the arguments with ``--repro=FILE`` and ``--batch=FILE`` as two words."""
    out: list[str] = []
    for argument in argv:
        word, equals, value = argument.partition("=")
        out += [word, value] if equals and word in (BATCH, REPRO) else [argument]
    return out


def _run_batch(argv: Sequence[str], state: Run) -> None:
    """Run each line of a file as a command line, with shared compiler caches.

    Continue after failures and internal errors; the exit status is the highest of all.
    """
    from hlsl_tool.compiler.result import Memory

    if len(argv) != 1:
        state.error(f"{BATCH} takes one file with a command line on each line")
        return
    try:
        data = state.read_stream(STDIN) if argv[0] == STDIN else read_regular(state.path(argv[0]), MAX_SIZE)
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        state.error(f"'{argv[0]}' is no UTF-8 text")
        return
    except OSError as error:
        state.error(f"cannot read '{argv[0]}': {error.strerror}")
        return
    memory = state.memory or Memory()
    for number, line in enumerate(lines, 1):
        place = f"{argv[0]}:{number}: "
        try:
            words = _words(line)
        except ValueError as error:
            state.fail(f"{place}error: {error}")
            continue
        if BATCH in words:
            state.fail(f"{place}error: {BATCH} cannot be used inside a batch")
        elif words:
            status, out, err = execute_safely(words, state.cwd, memory, program=state.program).delivered()
            if status == INTERNAL:  # the error may have left the caches incomplete
                memory = Memory()
            state.status = max(state.status, status)
            state.out.append(out)
            # A message without a place of its own gets that of the command line.
            begins = ("dxc ", f"{state.prefix}error:", f"{state.prefix}warning:", "warning:")
            state.err.append(place + err if err.startswith(begins) else err)


def _run_repro(argv: list[str], state: Run) -> None:
    """Run the compilation in an archive of `hlsl_tool repro`; the other options name outputs and forms of messages."""
    from hlsl_tool.cli.running.replaying import RefusedReplay, read_replay

    place = argv.index(REPRO)
    archive = argv[place + 1 : place + 2]
    if not archive:
        state.error(f"{REPRO} takes an archive that `hlsl_tool repro` made")
        return
    try:
        replay = read_replay(archive[0], state.path(archive[0]), [*argv[:place], *argv[place + 2 :]])
    except RefusedReplay as problem:
        if problem.diagnostics:
            _messages(problem.command, problem.diagnostics, state)
        else:
            state.refuse(str(problem))
        state.status = 1
        return
    command, state.source = replay.command, state.path(archive[0])
    if not state.are_apart((option, name) for option, name in _files(command) if name):
        return
    _report_warnings(command, state)
    if replay.bundle.job is None:
        compile_command(command, replay.source, replay.files, state)
        _messages(command, replay.warnings(), state)
        return
    job = replay.run_job()
    _messages(command, job.diagnostics, state)
    for name, data in job.files.items():
        state.write(name, data)
    spirv = job.spirv
    if spirv is None:
        state.status = INTERNAL if job.is_internal_error else 1
    elif command.main_output or not job.files:
        _write_module(command, spirv, lambda: _disassembly(spirv), state)


def _words(line: str) -> list[str]:
    """Split a command line into words; quotes group, and a backslash has no special meaning."""
    import shlex

    lexer = shlex.shlex(line, posix=True, punctuation_chars="")
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", "#"
    return [word for word in lexer if word != "--no-server"]


def run_safely(argv: Sequence[str], cwd: str, *, program: str = DXC) -> tuple[int, str, str]:
    """Call `run`; convert an exception, which is a bug in hlsl_tool, to a message with a reproduction and status 3."""
    return execute_safely(argv, cwd, program=program).delivered()


def execute_safely(argv: Sequence[str], cwd: str, memory: Memory | None = None, *, program: str = DXC) -> Run:
    """Call `execute`.

    Convert an exception, which is a bug in hlsl_tool, to a message with a reproduction and status 3.
    """
    try:
        return execute(argv, cwd, memory, program=program)
    except MemoryError:
        from hlsl_tool.base.diagnostics.internal import out_of_memory

        return Run(os.path.abspath(cwd), status=INTERNAL, err=[f"{out_of_memory()}\n"])
    except Exception as error:  # noqa: BLE001  # the last resort: a traceback helps no user
        from hlsl_tool.base.diagnostics.internal import internal_error

        advice = "hint: please report it with the archive that `hlsl_tool repro` makes of the same arguments"
        text = f"{internal_error(error)} [HLSL0002]\n{advice}\n"
        return Run(os.path.abspath(cwd), status=INTERNAL, err=[text])


def _same_file(a: str, b: str) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def called_as() -> str:
    """Return the name with which messages of this process begin: `dxc` if the program is started under this name."""
    return DXC if os.path.basename(sys.argv[0]).removesuffix(".exe") == DXC else "hlsl2spirv"


def main() -> None:
    """Run the command line of the process, and exit."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack
    from hlsl_tool.base.system.paths import reason_of
    from hlsl_tool.base.system.streams import finish, open_closed

    open_closed()
    try:
        answer = with_deep_stack(lambda: run_safely(sys.argv[1:], os.getcwd(), program=called_as()))
    except OSError as error:
        answer = 1, "", f"hlsl2spirv: error: {reason_of(error)}\n"
    finish(*answer)


def _run(argv: list[str], state: Run) -> None:
    def read(name: str) -> str | None:
        try:
            return read_regular(state.path(name), MAX_SIZE).decode("utf-8-sig")
        except (OSError, ValueError):
            return None

    try:
        command = parse(argv, read=read, is_file=lambda name: os.path.isfile(state.path(name)))
    except OptionError as error:
        (state.error if error.plain else state.refuse)(error.text)
        return
    if command.help or command.help_all:
        state.out.append(usage(is_whole=command.help_all))
        return
    if command.version:
        from hlsl_tool.version import version_line  # start-up time

        state.out.append(version_line("hlsl2spirv"))
        return
    if command.print_pipeline:
        from hlsl_tool.compiler.pipeline.listing import as_text

        state.out.append(as_text())
        return
    if command.debug_file and not command.options.debug:
        state.refuse("-Fd is not supported with -spirv unless -Zi or -fspv-debug= asks for debug information")
        return
    if not state.are_apart((option, name) for option, name in _files(command) if name):
        return
    _report_warnings(command, state)
    _compile(command, state)


def _report_warnings(command: Command, state: Run) -> None:
    begin = "dxc warning : " if state.program == DXC else f"{state.prefix}warning: "
    state.err += [f"{begin}{warning}\n" for warning in command.warnings]


def _compile(command: Command, state: Run) -> None:
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem  # start-up time

    fs = CachedFileSystem(OSFileSystem(state.cwd))
    source = read_source(command, fs, state)
    if source is not None:
        compile_command(command, source, fs, state)


def compile_command(command: Command, source: SourceFile, fs: FileSystem, state: Run) -> None:
    """Compile or preprocess a source; report its diagnostics, and add its outputs."""
    version = split_profile(command.options.profile)
    if version is not None and version[1] < 6:
        state.err.append("warning: Promoting older shader model profile to 6.0 version.\n")
    if command.preprocess:
        _preprocess(command, source, fs, state)
        return
    if command.ast_dump:
        state.error("-ast-dump: the syntax tree of this compiler is not clang's; there is no dump of it")
        return
    result = compile_source(command, source, fs, state)
    if command.show_includes:
        state.err += [f"; Opening file [{file.name}]\n" for file in result.trace.files[1:]]
    if command.dependencies_only:
        write_dependencies(command, result.trace, state)
    elif result.ok:
        _outputs(command, result, state)
        result.watch.lap("outputs")
        if state.status == 0 and (command.write_dependencies or command.dependencies_file):
            write_dependencies(command, result.trace, state)
    _report_times(command, result, state)


def _report_times(command: Command, result: CompileResult, state: Run) -> None:
    """Print or write the durations of the compiler's stages in the formats that the command selects."""
    from hlsl_tool.compiler import stopwatch  # start-up time

    if command.time_trace:
        text = stopwatch.trace(result.watch, command.source, command.time_trace_granularity)
        if command.time_trace == "-":
            state.out.append(text)
        else:
            state.write(command.time_trace, text.encode())
    if command.time_report:
        state.err.append(stopwatch.report(result.watch, command.source))


def read_source(command: Command, fs: FileSystem, state: Run) -> SourceFile | None:
    """Return the source file of a command; report an error and return ``None`` if it cannot be read."""
    from hlsl_tool.base.source import SourceFile  # start-up time

    if command.source == STDIN or open_descriptor(command.source) is not None:
        try:
            text = state.read_stream(command.source)
            if len(text) > MAX_SIZE:
                raise OSError(errno.EFBIG, f"it is larger than {MAX_SIZE >> 20} MiB")
        except OSError as error:
            state.error(f"cannot read '{command.source}': {error.strerror}")
            return None
        return SourceFile.from_bytes(STREAM_NAME, fs.resolve(STREAM_NAME), text)
    path = fs.resolve(command.source)
    data = fs.read(path)
    if data is None:
        reason = fs.why_unreadable(path) or "no such file or directory"
        state.error(f"cannot read '{command.source}': {reason}")
        return None
    state.source = state.path(command.source)
    return SourceFile.from_bytes(command.source, path, data)


def compile_source(command: Command, source: SourceFile, fs: FileSystem, state: Run) -> CompileResult:
    """Compile a source and report its diagnostics; after errors the exit status is 1."""
    from hlsl_tool.compiler.compile import compile_shader

    options = command.options
    result = compile_shader(
        source,
        entry=options.entry,
        profile=modern_profile(options.profile),
        options=options,
        fs=fs,
        memory=state.memory,
    )
    if result.printed:
        state.err.append(result.printed)
    _messages(command, result.diagnostics, state)
    if not result.ok:
        state.status = max(state.status, 1)
    return result


def _messages(command: Command, diagnostics: list[Diagnostic], state: Run) -> None:
    if not diagnostics and command.diagnostics not in ("json", "sarif"):
        return
    from hlsl_tool.project.build.ui.diagnostics import render_messages  # start-up time

    if command.show_option is False:
        diagnostics = [replace(diagnostic, flag="") for diagnostic in diagnostics]
    text = render_messages(diagnostics, command.diagnostics, color=bool(command.color))
    if command.errors_file:
        state.write(command.errors_file, text.encode("utf-8", "surrogateescape"))
    else:
        state.err.append(text)


def _preprocess(command: Command, source: SourceFile, fs: FileSystem, state: Run) -> None:
    stream = preprocess_source(command, source, fs, state)
    if stream is not None:
        target = command.preprocess_file or os.path.splitext(command.source)[0] + ".i"
        state.write(target, stream.text().encode("utf-8", "surrogateescape"))


def preprocess_source(command: Command, source: SourceFile, fs: FileSystem, state: Run) -> TokenStream | None:
    """Preprocess a source and report diagnostics; after errors return ``None``, and the exit status is 1."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.compiler.preprocessing import preprocess_options, warning_options
    from hlsl_tool.frontend.preprocessor import PreprocessorMemory, preprocess

    sink = Sink(warning_options(command.options), error_limit=command.options.error_limit)
    stream = preprocess(source, preprocess_options(command.options), fs=fs, memory=PreprocessorMemory(), sink=sink)
    _messages(command, sink.diagnostics, state)
    if sink.error_count:
        state.status = max(state.status, 1)
        return None
    return stream


def write_dependencies(command: Command, trace: IncludeTrace, state: Run) -> None:
    """Write a rule that lists the files that were read; print it if the command names no file for it."""
    from hlsl_tool.project.build.outputs.make_rule import CONFLICTING, escape_name, make_rule  # start-up time

    target = command.dependency_target
    if not target:
        name = command.main_output or os.path.splitext(os.path.basename(command.source))[0] + ".o"
        if CONFLICTING.search(name):
            state.err.append(f"warning: make misreads the target '{name}' of the dependencies; -MT gives it another\n")
        target = escape_name(name)
    rule = make_rule(target, [file.name for file in trace.files if file.name != STREAM_NAME])
    path = _dependencies_file(command)
    if path:
        state.write(path, rule.encode("utf-8", "surrogateescape"))
    else:
        state.out.append(rule)


def _outputs(command: Command, result: CompileResult, state: Run) -> None:
    if command.debug_file:
        from hlsl_tool.compiler.stripping import stripped  # start-up time

        state.write(_debug_file(command), result.spirv)
        result = stripped(result)
    _write_module(command, result.spirv, lambda: listing(result), state)


def _write_module(command: Command, spirv: bytes, disassemble: Callable[[], str], state: Run) -> None:
    """Add a module in all forms that a command names; print its disassembly if the command names none."""
    if command.object:
        state.write(command.object, spirv)
    if command.object and not (command.assembly or command.header):
        return
    text = disassemble()
    if command.header:
        from hlsl_tool.project.build.outputs.render import c_header  # start-up time

        variable = command.variable or f"g_{command.options.entry or 'lib'}"
        comment = "#if 0\n" + on_lines(text) + "#endif\n\n"
        state.write(command.header, (comment + c_header(spirv, variable)).encode("utf-8", "surrogateescape"))
    if command.assembly:
        state.write(command.assembly, text.encode("utf-8", "surrogateescape"))
    if not (command.header or command.assembly):
        state.out.append(text)


def _debug_file(command: Command) -> str:
    """Return the path of the file for debug information.

    If the command names only a folder, the file in it has the name of the output, with the suffix `.debug.spv`.
    """
    if not command.debug_file.endswith(("/", os.sep)):
        return command.debug_file
    stem = os.path.splitext(os.path.basename(command.main_output or command.source))[0]
    return f"{command.debug_file}{stem}.debug.spv"


def _files(command: Command) -> list[tuple[str, str]]:
    """Return (option, file) for each file that a command writes."""
    return [
        ("-Fe", command.errors_file),
        ("-Fo", command.object),
        ("-Fc", command.assembly),
        ("-Fh", command.header),
        ("-Fd", _debug_file(command) if command.debug_file else ""),
        ("-MF" if command.dependencies_file else "-MD", _dependencies_file(command)),
        ("-ftime-trace", "" if command.time_trace == "-" else command.time_trace),
    ]


def _dependencies_file(command: Command) -> str:
    """Return the path of the file for the dependency rule; empty if the command writes none.

    It is the path that the command names, else that of the output with the suffix `.d`.
    """
    stem = os.path.splitext(command.main_output or command.source)[0]
    return command.dependencies_file or (stem + ".d" if command.write_dependencies else "")


def listing(result: CompileResult) -> str:
    """Return the disassembly of the module of a result."""
    from hlsl_tool.spirv.text import disassemble

    return disassemble(result.module) if result.module is not None else _disassembly(result.spirv)


def _disassembly(spirv: bytes) -> str:
    """Return the disassembly of a module."""
    from hlsl_tool.spirv.decode import decode
    from hlsl_tool.spirv.text import disassemble

    return disassemble(decode(spirv))


def on_lines(text: str) -> str:
    """Return a listing with line breaks removed from strings, so that each instruction takes one line.

    A source line inside of a string could otherwise be a directive to a C compiler.
    """
    return _STRINGS.sub(lambda string: string[0].replace("\r", "\\r").replace("\n", "\\n"), text)


# ---------------------------------------------------------------- help


FIRST = (
    "profile", "entry", "defines", "include_dirs", "hlsl_version", "object", "assembly", "header", "preprocess",
    "write_dependencies", "target_env", "optimize", "debug", "matrix_layout", "layout", "shift_t", "invert_y",
    "enable_16bit_types", "warnings", "warnings_as_errors",
)  # fmt: skip
"""The rows that people use first, in the order of `--help`."""


def usage(*, is_whole: bool) -> str:
    """Return the text of `--help`, or with ``is_whole`` that of `--help-all`."""
    lines = ["hlsl2spirv: HLSL to SPIR-V, with the command line of dxc", ""]
    lines += ["usage: hlsl2spirv -T ps_6_0 -E main x.hlsl", "       hlsl2spirv @options.txt"]
    if not is_whole:
        rows = {row.field: row for row in (*OUTPUTS, *TABLE)}
        lines += ["", "Options:", *(line for name in FIRST for line in _help(rows[name]))]
        lines += ["", "The source - is the standard input, and an output - the standard output.", ""]
        lines += ["`hlsl2spirv --help-all` lists all options.  `hlsl_tool --help` lists the other verbs."]
        return "\n".join(lines) + "\n"
    lines += ["       hlsl2spirv --batch FILE", "       hlsl2spirv --step FILE", "       hlsl2spirv --repro FILE", ""]
    lines += ["Calls:"]
    lines += [
        f"  {'--batch <file>':<34} run the command lines of a file, one on each line, in this process",
        f"  {'--step <file>':<34} build the jobs of a jobs file that `hlsl_tool generate` wrote",
        f"  {'--repro <file>':<34} run the compilation in an archive of `hlsl_tool repro`",
        f"  {'--no-server':<34} compile in this process (hlsl_tool server; HLSL_TOOL_SERVER=no for all calls)",
        "",
        "Output:",
    ]
    lines += [line for row in OUTPUTS for line in _help(row)]
    group = ""
    for row in TABLE:
        if not row.flags:
            continue
        if row.group != group:
            group = row.group
            lines += ["", f"{group.capitalize()}:"]
        lines += _help(row)
    names = sorted({other.flag.name for other in OTHERS if other.verdict == "accepted"}, key=str.lower)
    lines += ["", "Accepted without effect:", *_wrapped(names)]
    names = sorted({other.flag.name for other in OTHERS if other.verdict == "refused"}, key=str.lower)
    lines += ["", "Refused, since SPIR-V has no counterpart:", *_wrapped(names)]
    return "\n".join(lines) + "\n"


def _help(row: Row) -> list[str]:
    names = ", ".join(_spelled(flag) for flag in row.flags)
    if len(names) > 34:
        return [f"  {names}", f"  {'':34} {row.doc}"]
    return [f"  {names:<34} {row.doc}"]


def _spelled(flag: Flag) -> str:
    if flag.form == FLAG:
        return flag.name
    return flag.name + ("" if flag.form == JOINED or flag.name.endswith("=") else " ") + (flag.placeholder or "<value>")


def _wrapped(names: list[str]) -> list[str]:
    import textwrap

    text = " ".join(names)
    return textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


if __name__ == "__main__":
    main()
