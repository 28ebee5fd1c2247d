"""The headers that come with the compiler: ``#include <vk/spirv.h>`` needs no file and no ``-I``.

They are HLSL, in this folder, by the names that shaders written for DXC include.  A file of the user's own by such a
name goes first.
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
    """(name, text) of each, as ``PreprocessOptions.builtin_headers`` takes them."""
    here = Path(__file__).parent
    return tuple((name, (here / name).read_text("utf-8")) for name in NAMES)
