"""Compile the sources of a request and write the outputs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.system.streams import STDIN
from hlsl_tool.cli import dxc
from hlsl_tool.cli.compatible.command import command_for
from hlsl_tool.cli.compatible.option_rows import Input, Request, UsageError
from hlsl_tool.cli.compatible.words import FORMS

if TYPE_CHECKING:
    from hlsl_tool.base.options.command_line import Command
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.frontend.preprocessor.stream import IncludeTrace


class Console(dxc.Run):
    """The state of one call: its working folder, memory and streams; the standard output is collected as bytes."""

    __slots__ = ("stdin", "stdout")

    def __init__(self, cwd: str, stdin: Callable[[], bytes]) -> None:
        super().__init__(cwd)
        self.stdin = stdin
        self.stdout = b""

    def read_stream(self, name: str) -> bytes:
        """Return the bytes of the standard input that the caller passed, or of another open stream."""
        return self.stdin() if name == STDIN else super().read_stream(name)

    def write(self, name: str, data: bytes) -> None:
        """Write an output file; the name `-` is the standard output."""
        if name == STDIN:
            self.stdout += data
        else:
            super().write(name, data)


Program = Callable[[Sequence[str], Console], None]


def run(
    program: Program, arguments: Sequence[str], cwd: str, stdin: bytes | None = None, memory: Memory | None = None
) -> tuple[int, bytes, str]:
    """Run a command line; return (exit status, standard output, standard error)."""
    console = Console(os.path.abspath(cwd), lambda: sys.stdin.buffer.read() if stdin is None else stdin)
    console.memory = memory
    try:
        program(arguments, console)
    except UsageError as error:
        console.fail(f"error: {error}")
    console.deliver()
    out = console.stdout + _encoded("".join(console.out))
    return console.status, out, "".join(console.err)


def run_verb(program: Program, arguments: Sequence[str]) -> int:
    """Run a command line with the streams of this process; return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    status, out, err = with_deep_stack(lambda: run(program, arguments, os.getcwd()))
    sys.stdout.buffer.write(out)
    sys.stderr.write(err)
    return status


def compile_input(request: Request, item: Input, output: str, console: Console, dependencies_of: str) -> None:
    """Compile one source and write the module to ``output``, a file name or `-`.

    If the request asks for a dependency rule, it is written, too, with the target ``dependencies_of``.
    """
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem  # start-up time

    files = ("-o", output), ("-MF", _dependencies_file(request, dependencies_of))
    if request.writes_dependencies and output != STDIN and not console.are_apart(files):
        return
    command = command_for(request, item)
    fs = CachedFileSystem(OSFileSystem(console.cwd))
    source = dxc.read_source(command, fs, console)
    if source is None:
        return
    if request.result in ("preprocessed", "dependencies"):
        stream = dxc.preprocess_source(command, source, fs, console)
        if stream is not None and request.result == "preprocessed":
            console.write(output, _encoded(stream.text()))
        if stream is not None and request.writes_dependencies:
            _write_dependencies(request, command, dependencies_of, stream.trace, console)
        return
    before = len(console.err)
    result = dxc.compile_source(command, source, fs, console)
    if request.is_silent:
        del console.err[before:]
    if not result.ok:
        return
    console.write(output, _rendered(request, result))
    if request.writes_dependencies and console.status == 0:
        _write_dependencies(request, command, dependencies_of, result.trace, console)
    if request.prints_listing:
        console.write(STDIN, _encoded(dxc.listing(result)))


def _dependencies_file(request: Request, target: str) -> str:
    return request.dependencies_file or (target + ".d" if request.result != "dependencies" else "")


def _write_dependencies(request: Request, command: Command, target: str, trace: IncludeTrace, console: Console) -> None:
    """Write the dependency rule: by default to a file beside the output; with `-M` to the standard output."""
    command.object = target
    command.dependency_target = request.dependency_target
    command.dependencies_file = _dependencies_file(request, target)
    dxc.write_dependencies(command, trace, console)


def _rendered(request: Request, result: CompileResult) -> bytes:
    if request.result == "listing":
        return _encoded(dxc.listing(result))
    if request.form == "binary":
        return result.spirv
    return FORMS[request.form](result.spirv, request.variable).encode()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
