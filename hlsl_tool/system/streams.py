"""The standard streams."""

from __future__ import annotations

import io
import os
import sys


def open_closed() -> None:
    """Open closed standard streams (`>&-`) on the null device.

    Python has ``None`` for them, and the next file that is opened would get their number.
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
    """Let the standard streams escape what their encoding lacks: Windows has cp1252 behind a pipe, a name has any text.

    The streams may be wrapped, as SCons does; the ones that Python opened are changed, too.
    """
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
