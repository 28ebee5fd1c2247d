"""The names of HLSL in those that its compilers give to SPIR-V."""

from __future__ import annotations

HLSL_PREFIXES = ("in.var.", "out.var.", "param.var.", "temp.var.", "var.", "src.", "type.", "param.")
"""Prefixes that DXC and this compiler add to HLSL's names."""


def name_of_hlsl(text: str) -> str:
    """Return a name without the prefixes that HLSL compilers add, such as ``in.var.``."""
    for prefix in HLSL_PREFIXES:
        if text.startswith(prefix):
            return text[len(prefix) :]
    return text
