"""SPIR-V → WGSL: `convert(spirv, options)`, and `WgslError` for what cannot be expressed."""

from .convert import convert
from .errors import WgslError

__all__ = ["WgslError", "convert"]
