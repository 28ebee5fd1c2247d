"""The user's switch for configurations that use files and programs outside of their project.

Like `discovery`, the module does not import YAML.
"""

from __future__ import annotations

import os

VARIABLE = "HLSL_TOOL_ALLOW_OUTSIDE"


def is_on(text: str) -> bool:
    """Return the value of a switch in the environment or on SCons's command line."""
    return text not in ("", "0", "false", "no")


def outside_is_allowed() -> bool:
    """Return whether the user allows configurations to name programs, and folders outside of the project."""
    return is_on(os.environ.get(VARIABLE, ""))


def allow_outside() -> None:
    """Turn the switch on for this process and its child processes."""
    os.environ[VARIABLE] = "1"
