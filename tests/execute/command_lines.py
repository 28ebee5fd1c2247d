"""Compile shaders as the command line does, at an optimisation level or with debug information."""

from __future__ import annotations

import pathlib

from hlsl_tool.cli import dxc


def compiled(source: str, level: str, folder: pathlib.Path) -> bytes:
    """Return the SPIR-V of a compute shader; ``level`` is an option such as `-O0` or `-fspv-debug=vulkan`."""
    (folder / "x.hlsl").write_text(source, encoding="utf-8")
    options = ["-T", "cs_6_2", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.1", "-HV", "2021", level]
    status, _, messages = dxc.run([*options, "x.hlsl", "-Fo", "x.spv"], str(folder))
    assert status == 0, messages
    return (folder / "x.spv").read_bytes()
