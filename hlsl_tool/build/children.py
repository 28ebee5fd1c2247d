"""What processes that we start are given."""

from __future__ import annotations

import os

import hlsl_tool


def package_environment() -> dict[str, str]:
    """Ours, in which a new Python finds this package, whoever loaded it here and from where."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(hlsl_tool.__file__)))
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
