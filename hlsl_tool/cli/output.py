"""Read the input of a verb and write its output: files, or the standard streams for ``-``."""

from __future__ import annotations

import sys
from collections.abc import Iterable

STANDARD_INPUT = STANDARD_OUTPUT = "-"


class Failed(Exception):
    """Ends a verb with exit status 2.  The message is printed; it is empty if diagnostics have already been shown."""


def write_output(name: str | None, data: str | bytes) -> None:
    """Write to the named file, or to the standard output for ``-`` and ``None``; raise `Failed` on errors."""
    from hlsl_tool.base.system.atomic_write import WriteError, write_atomic  # start-up time

    if name is not None and name != STANDARD_OUTPUT:
        try:
            write_atomic(name, data if isinstance(data, bytes) else data.encode())
        except WriteError as error:
            raise Failed(str(error)) from None
        return
    try:
        if isinstance(data, bytes):
            sys.stdout.buffer.write(data)
        else:
            sys.stdout.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failed(f"cannot write to standard output: {error.strerror}") from None


def read_input(name: str) -> bytes:
    """Return the content of a file, or of the standard input for ``-``; raise `Failed` if it cannot be read."""
    from hlsl_tool.base.system.regular_files import read_regular  # start-up time

    try:
        return sys.stdin.buffer.read() if name == STANDARD_INPUT else read_regular(name)
    except OSError as error:
        raise Failed(f"cannot read `{name}`: {error.strerror or error}") from None


def check_apart(*outputs: tuple[str, str | None], inputs: Iterable[str] = ()) -> None:
    """Raise `Failed` if two of these outputs (option, path), or an output and one of its inputs, are the same file."""
    from hlsl_tool.base.system.regular_files import shared_file  # start-up time

    written = [(option, name) for option, name in outputs if name and name != STANDARD_OUTPUT]
    for others in ([], *([(name, name)] for name in inputs if name != STANDARD_INPUT)):
        names = shared_file([*others, *written])
        if names is not None:
            raise Failed(shared_file_message(*names))


def shared_file_message(first: str, second: str) -> str:
    """Return the error message about two options or outputs that name the same file."""
    from hlsl_tool.base.diagnostics.catalogue.build import SHARED_FILE  # start-up time

    return f"{SHARED_FILE.template.format(first=first, second=second)} [{SHARED_FILE.id}]"


def require_file(option: str, name: str | None) -> None:
    """Raise `Failed` if an option that needs a file, because it is read again, names the standard output."""
    if name == STANDARD_OUTPUT:
        raise Failed(f"{option} cannot be the standard output: name a file (`./-` for one of this name)")
