"""Options of the conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.system.dataclass import dataclass

CHOICES: dict[str, tuple[str, ...]] = {
    "immediates": ("auto", "uniform"),
    "bindings": ("as_given", "compact"),
    "texel_buffers": ("exact", "expanded"),
    "point_size": ("error", "drop"),
    "storage_formats": ("widened", "exact"),
}
"""Option → its values, the default first."""


MAX_ELEMENTS = 256
"""The largest number of elements of an array of resources: no device binds more textures to a shader."""


@dataclass(slots=True)
class Options:
    """Options of `convert`."""

    validate: bool = True
    spirv_val: str | None = None
    comments: bool = False
    immediates: str = "auto"
    """`auto`: push constants are ``var<immediate>`` where WGSL can declare them; `uniform`: always a uniform buffer."""
    bindings: str = "as_given"
    """`compact`: move bindings that WebGPU's default limits refuse, to groups 0 to 3 and bindings below 1000."""
    unbounded_arrays: int = 0
    """The number of elements of arrays without a length that are indexed at run time; 0 refuses them."""
    texel_buffers: str = "exact"
    """`expanded`: texel buffers of other than 32-bit formats are storage buffers of their values as 32-bit numbers."""
    point_size: str = "error"
    """`drop`: leave out stores to PointSize whatever the value."""
    storage_formats: str = "widened"
    """`exact`: refuse textures that WebGPU can read and write in a format with more components only."""
    pad_targets: bool = False
    """Whether colours of less than four components get the missing ones: 0, and 1 for the last."""

    naga: bool = False
    """Whether directives are left out that naga (wgpu, Firefox) does not know although it knows what they ask for."""

    @classmethod
    def read(cls, given: Mapping[str, Any] | None) -> Options:
        """Return the options; raise `ValueError` for unknown names and values."""
        options = cls()
        for key, value in (given or {}).items():
            if key not in cls.__slots__:
                raise ValueError(f"there is no option `{key}` for WGSL")
            if key in CHOICES and value not in CHOICES[key]:
                raise ValueError(f"the option `{key}` is {' or '.join(f'`{choice}`' for choice in CHOICES[key])}")
            if key == "unbounded_arrays" and not (type(value) is int and 0 <= value <= MAX_ELEMENTS):
                raise ValueError(f"the option `{key}` is a whole number from 0 to {MAX_ELEMENTS}")
            if isinstance(getattr(options, key), bool) and not isinstance(value, bool):
                raise ValueError(f"the option `{key}` is `True` or `False`")
            setattr(options, key, value)
        return options
