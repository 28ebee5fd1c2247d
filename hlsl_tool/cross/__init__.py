"""Convert SPIR-V to MSL, GLSL, ESSL and HLSL by SPIRV-Cross: `convert(spirv, "msl", {"version": "2.1"})`.

This package finds the library of SPIRV-Cross and runs it in a process of its own; docs/how-to/cross.md describes it.
"""

from hlsl_tool.cross.convert import Converted, CrossError, CrossMissing, convert, convert_all, slots_json

__all__ = ["Converted", "CrossError", "CrossMissing", "convert", "convert_all", "slots_json"]
