"""Who compiles, as configurations and command lines say it."""

from __future__ import annotations

import re

from hlsl_tool.config.secrets import masked


def checked_address(text: str) -> str:
    """``local``, or what stands for a scheduler; ValueError says what is wrong."""
    if text in ("", "local") or re.fullmatch(r"dask://[^/\s]+", text):
        return text
    raise ValueError(f"{masked(text)}: it is `local` or an address such as dask://host:8786")


def is_remote(address: str) -> bool:
    return address not in ("", "local")
