"""The standard streams.  Clients of the server import this module, so it imports next to nothing."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 128 + 2
"""The exit status that shells report for a program that SIGINT ended."""

STDIN = "-"
"""The source of a command line that stands for the standard input."""

STREAM_NAME = "<stdin>"
"""The name of a source from a stream, in diagnostics."""

_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_OPEN_FILES = ("/dev/fd/", "/proc/self/fd/")


def interrupted(program: str) -> tuple[int, str, str]:
    """Return (exit status, text for standard output, text for standard error) of a program that Ctrl-C ended."""
    return INTERRUPTED, "", f"{program}: interrupted\n"


def open_descriptor(name: str) -> int | None:
    """Return the descriptor in the name of an open file, such as 1 for `/dev/stdout` or `/dev/fd/1`; else `None`."""
    if name in _STANDARD:
        return _STANDARD[name]
    number = name.rpartition("/")[2]
    return int(number) if name.startswith(_OPEN_FILES) and number.isdecimal() else None


def concerns_this_process(argument: str) -> bool:
    """Return whether an argument is the name of an open file or a device, such as `/dev/stdin`.

    In the server process, the same name would refer to another file.
    """
    return argument == STDIN or "/dev/" in argument or "/proc/" in argument


def open_closed() -> None:
    """Open standard streams that are closed (`>&-`) on the null device.

    Python sets them to ``None``, and the next file that is opened would get their descriptor.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(number, True)
    sys.stdin = sys.stdin or open(0)  # noqa: SIM115  # for as long as the process lives
    sys.stdout = sys.stdout or open(1, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w")  # noqa: SIM115
    accept_all_text()


def accept_all_text() -> None:
    """Make the standard streams escape characters that their encoding lacks, such as cp1252 on Windows.

    If streams are wrapped, as SCons does, the original streams of Python are changed, too.
    """
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish(status: int, out: str, err: str) -> NoReturn:
    """Write both streams and end the process immediately, without the time that Python needs to free its objects."""
    open_closed()
    try:
        sys.stdout.write(out)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe (`| head`)
        pass
    except OSError as error:
        err += f"error: cannot write to the standard output: {error.strerror}\n"
        status = status or 1
    try:
        sys.stderr.write(err)
        sys.stderr.flush()
    finally:
        os._exit(status)
