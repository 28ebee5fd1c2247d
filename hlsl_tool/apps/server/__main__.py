"""`python -m hlsl_tool.apps.server [SECONDS]`: run the server of this installation, unless one is running.

It ends when no request has come for that many seconds.
"""

from __future__ import annotations

import contextlib
import os
import sys

from hlsl_tool.apps.server import lock, protocol


def main() -> int:
    """Run the server; return 1 if another server runs, or if there is no private folder for the socket."""
    os.umask(0o077)
    if protocol.why_impossible() or not lock.take():
        return 1
    from hlsl_tool.apps.server import serve  # loads the compiler, which takes longer than to see that a server runs

    loaded = serve.sources()
    try:
        serve.serve(protocol.socket_path(), loaded, idle=float(sys.argv[1]) if len(sys.argv) > 1 else serve.IDLE)
    except OSError:  # another file is in the place of the socket
        return 1
    return 0


def _close_files_of_parent() -> None:
    """Close the files of the process that started the server: `flock lock scons` waits until nothing has them open."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):
        return
    for number in numbers:
        if number > 2:
            with contextlib.suppress(OSError):  # that of the list
                os.close(number)


if __name__ == "__main__":
    _close_files_of_parent()
    sys.exit(main())
