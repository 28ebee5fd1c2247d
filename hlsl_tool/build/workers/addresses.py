"""Addresses of executors, as configurations and command lines give them."""

from __future__ import annotations

import re

from hlsl_tool.config.secrets import masked


def checked_address(text: str) -> str:
    """Return the address of an executor: `local`, or a scheduler's.  Raise ValueError, for the user, for others."""
    if text in ("", "local") or re.fullmatch(r"dask://[^/\s]+", text):
        return text
    raise ValueError(f"{masked(text)}: it is `local` or an address such as dask://host:8786")


def is_remote(address: str) -> bool:
    """Whether the workers of a scheduler compile."""
    return address not in ("", "local")
