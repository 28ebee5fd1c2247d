"""`python -m hlsl_tool` is `hlsl_tool`."""

from __future__ import annotations

import contextlib
import os
import sys

if __name__ == "__main__":
    # `-m` puts the current folder first: a `struct.py` of the project would be run in place of Python's.
    with contextlib.suppress(FileNotFoundError):  # the current folder was removed: it holds no module
        if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
            del sys.path[0]
    from hlsl_tool.cli.__main__ import main

    main()
