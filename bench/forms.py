"""Select the measured hlsl_tool: this checkout, or the package in $HLSL_TOOL_PACKAGE, such as a compiled one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(os.environ.get("HLSL_TOOL_PACKAGE") or ROOT).resolve()
"""The folder that contains the package `hlsl_tool`: the first on the path of every Python that is measured."""


def import_from_package() -> None:
    """Make this process import the selected package."""
    sys.path.insert(0, str(PACKAGE))
    sys.path.append(str(ROOT))  # the tests, which have DXC
