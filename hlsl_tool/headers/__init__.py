"""Built-in headers: ``#include <vk/spirv.h>`` needs no file and no ``-I``.

They are HLSL files in this folder, under the names that DXC uses.  A user's file of the same name takes precedence.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

NAMES = (
    "vk/spirv.h",
    "vk/opcode_selector.h",
    "vk/khr/cooperative_matrix.h",
    "type_traits",
    "enable_if",
    "vector_utils",
    "dx/linalg.h",
)


@cache
def builtin_headers() -> tuple[tuple[str, str], ...]:
    """Return (name, text) of all headers, for ``PreprocessOptions.builtin_headers``."""
    here = Path(__file__).parent
    return tuple((name, (here / name).read_text("utf-8")) for name in NAMES)
