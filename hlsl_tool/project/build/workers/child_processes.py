"""Environment and command line of the Python processes that a build starts."""

from __future__ import annotations

import os
import sys

import hlsl_tool


def package_environment() -> dict[str, str]:
    """Return the environment of this process with the folder that contains hlsl_tool added to `PYTHONPATH`."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(hlsl_tool.__file__)))
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def isolated_python() -> list[str]:
    """Return the command line of a Python that imports nothing from its working folder, which belongs to a project.

    With `-m` alone, a `struct.py` in the project would be imported instead of Python's.
    """
    return [sys.executable, "-P"]
