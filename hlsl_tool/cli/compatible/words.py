"""Print SPIR-V modules as numbers in text."""

from __future__ import annotations

from collections.abc import Iterator


def as_list(spirv: bytes, variable: str = "") -> str:
    """Return the words separated by commas, four in a line."""
    return "".join(_lines(spirv, 4, ""))


def as_initializer(spirv: bytes, variable: str = "") -> str:
    """Return the words as the initialiser of a C array."""
    return "{" + as_list(spirv).rstrip("\n") + "}\n"


def as_hexadecimal(spirv: bytes, variable: str = "") -> str:
    """Return the words as `glslang -x` prints them, eight in a line; with ``variable``, as a header that defines it."""
    body = "".join(_lines(spirv, 8, "\t"))
    if not variable:
        return body
    return f"#pragma once\n#include <stdint.h>\nstatic const uint32_t {variable}[] = {{\n{body}}};\n"


FORMS = {"num": as_list, "c": as_initializer, "hexadecimal": as_hexadecimal}
"""Form of a module → its text."""


def _lines(spirv: bytes, count: int, indent: str) -> Iterator[str]:
    words = [f"0x{int.from_bytes(spirv[at : at + 4], 'little'):08x}" for at in range(0, len(spirv), 4)]
    for at in range(0, len(words), count):
        end = ",\n" if at + count < len(words) else "\n"
        yield indent + ",".join(words[at : at + count]) + end
