"""`python -m hlsl_tool.apps.server [SECONDS]`: run the server of this installation, unless one is running.

It ends when no request has come for that many seconds.
"""

from __future__ import annotations

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


if __name__ == "__main__":
    # Files of the process that started the server would stay open, and locked, as long as it runs: `flock lock scons`.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.exit(main())
