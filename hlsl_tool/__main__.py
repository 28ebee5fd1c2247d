"""`python -m hlsl_tool` is `hlsl_tool`."""

from __future__ import annotations

from hlsl_tool.cli.__main__ import main

if __name__ == "__main__":
    main()
