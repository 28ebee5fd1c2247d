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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name or source line may not fit the encoding
