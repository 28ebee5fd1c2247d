"""Blocks and numpy: ``pack`` converts values to bytes, ``unpack`` the reverse; ``dtype`` describes whole blocks.

Needs numpy (``pip install hlsl_tool[numpy]``), which is imported when one of the functions is called.
"""

from .errors import PackError
from .records import dtype
from .transfer import pack, unpack

__all__ = ["PackError", "dtype", "pack", "unpack"]
