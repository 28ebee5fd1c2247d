"""Convert SPIR-V to WGSL: `convert(spirv, options)`; `WgslError` for modules that WGSL cannot express."""

from hlsl_tool.wgsl.interface.bind_group_layouts import Binding, bindings_json

from .convert import Conversion, convert, convert_module
from .errors import WgslError

__all__ = ["Binding", "Conversion", "WgslError", "bindings_json", "convert", "convert_module"]
