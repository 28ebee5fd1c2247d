"""Options of the conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.base.system.dataclass import dataclass


@dataclass(slots=True)
class Options:
    """Options of `convert`: those of the command line (table `WGSL`), and three that only the library has."""

    validate: bool = True
    spirv_val: str | None = None
    comments: bool = False

    immediates: str = WGSL["immediates"].default
    bindings: str = WGSL["bindings"].default
    unbounded_arrays: int = WGSL["unbounded_arrays"].default
    texel_buffers: str = WGSL["texel_buffers"].default
    point_size: str = WGSL["point_size"].default
    storage_formats: str = WGSL["storage_formats"].default
    texture_formats: str = WGSL["texture_formats"].default
    early_fragment_tests: str = WGSL["early_fragment_tests"].default
    subpass_inputs: str = WGSL["subpass_inputs"].default
    draw_parameters: str = WGSL["draw_parameters"].default
    atomic_textures: str = WGSL["atomic_textures"].default
    depth_textures: str = WGSL["depth_textures"].default
    pad_targets: bool = WGSL["pad_targets"].default
    naga: bool = WGSL["naga"].default

    @classmethod
    def read(cls, given: Mapping[str, Any] | None) -> Options:
        """Create the options from a mapping; raise `ValueError` for unknown names and values."""
        options = cls()
        for key, value in (given or {}).items():
            if key not in cls.__slots__:
                raise ValueError(f"there is no option `{key}` for WGSL")
            if key in WGSL and not WGSL[key].is_value(value):
                raise ValueError(f"the option `{key}` is {WGSL[key].describe_values()}")
            if key not in WGSL and isinstance(getattr(options, key), bool) and not isinstance(value, bool):
                raise ValueError(f"the option `{key}` is `True` or `False`")
            setattr(options, key, value)
        return options
