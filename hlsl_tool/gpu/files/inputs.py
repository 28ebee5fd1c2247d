"""Arguments of kernels from a file: YAML, Python, or an archive of numpy."""

from __future__ import annotations

import json
import os
import types
import zipfile
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.diagnostics.internal import description
from hlsl_tool.base.system.regular_files import read_regular

from .values import SUFFIXES, archive

if TYPE_CHECKING:
    from hlsl_tool.project.config.yaml.nodes import Node


class InputsError(ValueError):
    """Raised for a file without arguments; the message is for the user."""


def read_inputs(path: str) -> dict[str, Any]:
    """Return name → argument; texts are values as those of `--bind`.  Raises ``InputsError``.

    A Python file is executed, and its global variables are the arguments; names with an underscore, modules and
    functions are left out.
    """
    try:
        if path.endswith(".py"):
            return _from_python(path)
        if path.endswith(".npz"):
            return _from_archive(path)
        return _from_yaml(path)
    except OSError as error:
        raise InputsError(f"cannot read `{path}`: {error.strerror or error}") from None


def _from_python(path: str) -> dict[str, Any]:
    import runpy

    read_regular(path)
    try:
        names = runpy.run_path(path)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the code of the user may raise anything
        raise InputsError(f"`{path}` failed: {description(error)}") from None
    left_out = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
    return {name: value for name, value in names.items() if name[0] != "_" and not isinstance(value, left_out)}


def _from_archive(path: str) -> dict[str, Any]:
    try:
        return dict(archive(path))
    except (ValueError, zipfile.BadZipFile):
        raise InputsError(f"`{path}` is no archive of arrays of numbers") from None


def _from_yaml(path: str) -> dict[str, Any]:
    from hlsl_tool.base.diagnostics.render import render
    from hlsl_tool.base.diagnostics.sink import Sink
    from hlsl_tool.project.config.yaml.nodes import Mapping, parse

    sink = Sink()
    root = parse(read_regular(path).decode("utf-8", "replace"), path, sink)
    if sink.diagnostics:
        raise InputsError(render(sink.diagnostics).rstrip("\n"))
    if not isinstance(root, Mapping):
        raise InputsError(f"`{path}` is not a mapping of names to values")
    folder = os.path.dirname(path)
    return {name.text: _text(node, folder) for name, node in root.entries}


def _text(node: Node, folder: str) -> str:
    """Return a value as `--bind` takes it; files are relative to the folder."""
    from hlsl_tool.project.config.yaml.nodes import Scalar

    if isinstance(node, Scalar):
        return os.path.join(folder, node.text) if node.text.endswith(SUFFIXES) else node.text
    return json.dumps(_plain(node))


def _plain(node: Node) -> Any:
    """Return a node as lists, mappings and numbers."""
    from hlsl_tool.project.config.yaml.nodes import Scalar, Sequence

    if isinstance(node, Scalar):
        try:
            return json.loads(node.text)
        except ValueError:
            return node.text
    if isinstance(node, Sequence):
        return [_plain(item) for item in node.items]
    return {name.text: _plain(value) for name, value in node.entries}
