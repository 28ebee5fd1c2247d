"""The user's switch for configurations that use files and programs outside of their project.

Like `discovery`, the module does not import YAML.
"""

from __future__ import annotations

import os

from hlsl_tool.system.paths import absolute

VARIABLE = "HLSL_TOOL_ALLOW_OUTSIDE"


def is_on(text: str) -> bool:
    """Return the value of a switch in the environment or on SCons's command line."""
    return text not in ("", "0", "false", "no")


def outside_is_allowed() -> bool:
    """Return whether the user allows configurations to name programs, and folders outside of the project."""
    return is_on(os.environ.get(VARIABLE, ""))


def fence(root: str, output_dir: str) -> str:
    """Return the folder that no output may leave by a link; empty if the user allows links to lead anywhere.

    It is the project's root, or an output folder elsewhere, which the user has named.
    """
    if outside_is_allowed():
        return ""
    root, folder = absolute(root), absolute(output_dir, root)
    return root if f"{folder}{os.sep}".startswith(root.rstrip(os.sep) + os.sep) else folder


def allow_outside() -> None:
    """Turn the switch on for this process and its child processes."""
    os.environ[VARIABLE] = "1"
