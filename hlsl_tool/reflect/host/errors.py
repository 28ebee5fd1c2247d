"""Errors that name the member, and the import of numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType


class PackError(ValueError):
    """A value does not fit a block; ``path`` says which: ``Frame.lights[2].color``."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


def numpy() -> ModuleType:
    """numpy, or an ImportError that says how to get it."""
    try:
        import numpy as np
    except ImportError as error:
        raise ImportError("packing blocks needs numpy: pip install hlsl_tool[numpy]") from error
    return np


Array = Any
"""An array of numpy, whose types are not asked for where it may be absent."""
