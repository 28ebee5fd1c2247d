"""Built-in headers: ``#include <vk/spirv.h>`` needs no file and no ``-I``.

They are HLSL files in this folder, with the names that DXC uses. A user's file of the same name takes precedence.
"""

from __future__ import annotations

import os
from functools import cache

NAMES = (
    "vk/spirv.h",
    "vk/opcode_selector.h",
    "vk/khr/cooperative_matrix.h",
    "vk/khr/bfloat16.h",
    "vk/ext/float8.h",
    "type_traits",
    "enable_if",
    "vector_utils",
    "dx/linalg.h",
)


@cache
def builtin_headers() -> tuple[tuple[str, str], ...]:
    """Return (name, text) of each built-in header, for ``PreprocessOptions.builtin_headers``."""
    return tuple((name, _text(name)) for name in NAMES)


def _text(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as stream:
        return stream.read()
