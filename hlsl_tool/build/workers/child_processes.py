"""What processes that we start are given."""

from __future__ import annotations

import os
import sys

import hlsl_tool


def package_environment() -> dict[str, str]:
    """Ours, in which a new Python finds this package, whoever loaded it here and from where."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(hlsl_tool.__file__)))
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def isolated_python() -> list[str]:
    """The command of a Python that imports nothing from the folder it runs in, which is that of a project.

    With `-m` alone a `struct.py` of the project would be run in place of Python's.
    """
    return [sys.executable, "-P"]
