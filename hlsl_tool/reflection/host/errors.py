"""An error that names the member of a block, and the import of numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType


class PackError(ValueError):
    """Raised if a value does not fit a block; ``path`` names the member: ``Frame.lights[2].color``."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


def numpy() -> ModuleType:
    """Import numpy; if it is missing, raise an ``ImportError`` with the command that installs it."""
    try:
        import numpy as np
    except ImportError as error:
        raise ImportError("packing blocks needs numpy: pip install hlsl_tool[numpy]") from error
    return np


Array = Any
"""A numpy array or type; ``Any``, because numpy is optional when types are checked."""
