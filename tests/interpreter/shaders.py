"""Compile and run compute shaders on numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.interpreter import Buffer, Program, Resources, Settings, dispatch


def program(source: str, profile: str = "cs_6_6", **options: Any) -> Program:
    """Return the program of the entry point ``main``."""
    chosen = CompileOptions(target_env="vulkan1.3", **options)
    result = compile_shader(source, entry="main", profile=profile, options=chosen)
    assert result.ok, result.diagnostics
    return Program(result.spirv)


def run(
    source: str,
    *arrays: Any,
    groups: tuple[int, int, int] = (1, 1, 1),
    settings: Settings | None = None,
    **options: Any,
) -> list[np.ndarray[Any, Any]]:
    """Run a shader whose buffers have the bindings 0, 1, … of set 0; return their contents afterwards."""
    buffers = [Buffer(array.copy()) for array in arrays]
    resources = Resources({(0, number): [buffer] for number, buffer in enumerate(buffers)})
    dispatch(program(source, **options), groups, resources, settings)
    return [buffer.bytes.view(array.dtype) for buffer, array in zip(buffers, arrays, strict=True)]
