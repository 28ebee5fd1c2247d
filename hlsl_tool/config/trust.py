"""The user's switch for configurations that reach out of their project.  Knows no YAML, as `found`."""

from __future__ import annotations

import os

VARIABLE = "HLSL_TOOL_ALLOW_OUTSIDE"


def is_on(text: str) -> bool:
    """The value of a switch in the environment or on SCons's command line."""
    return text not in ("", "0", "false", "no")


def outside_is_allowed() -> bool:
    """Whether the user lets configurations name folders outside the project, and programs."""
    return is_on(os.environ.get(VARIABLE, ""))


def allow_outside() -> None:
    """Allow it in this process and in those that it starts."""
    os.environ[VARIABLE] = "1"
