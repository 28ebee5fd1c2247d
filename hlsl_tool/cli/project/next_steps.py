"""The configuration and the commands that both forms of `init` name."""

from __future__ import annotations

import os
import shlex

from hlsl_tool.cli.common import DEFAULT_CONFIG

CONFIGURATION = f"{DEFAULT_CONFIG}/shaders.yaml"
"""The configuration that is written for the shaders of a folder, unless -o names another one."""


def enter(folder: str) -> list[str]:
    """Return the command that enters a folder; none for the current one."""
    place = shlex.quote(os.path.join(".", folder) if folder.startswith("-") else folder)
    return [] if os.path.abspath(folder) == os.getcwd() else [f"cd {place}"]
