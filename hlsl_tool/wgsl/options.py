"""Options of the conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Options:
    """Options of `convert`: those of the table `WGSL`, and three that only the library has."""

    validate: bool = True
    spirv_val: str | None = None
    comments: bool = False
    compilation: CompileOptions = field(default_factory=CompileOptions)
    """The options of the table `WGSL`, in fields that begin with `wgsl_`."""

    @classmethod
    def read(cls, given: Mapping[str, Any] | None) -> Options:
        """Create the options from a mapping; raise `ValueError` for unknown names and values."""
        own: dict[str, Any] = {}
        settings: dict[str, Any] = {}
        for key, value in (given or {}).items():
            if key in WGSL:
                if not WGSL[key].is_value(value):
                    raise ValueError(f"the option `{key}` is {WGSL[key].describe_values()}")
                settings[f"wgsl_{key}"] = value
            elif key in ("validate", "spirv_val", "comments"):
                if key != "spirv_val" and not isinstance(value, bool):
                    raise ValueError(f"the option `{key}` is `True` or `False`")
                own[key] = value
            else:
                raise ValueError(f"there is no option `{key}` for WGSL")
        return cls(compilation=CompileOptions(**settings), **own)
