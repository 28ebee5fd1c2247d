"""Blocks as C++ structs: explicit padding, and a ``static_assert`` for each offset and size."""

from .header import cpp_header

__all__ = ["cpp_header"]
