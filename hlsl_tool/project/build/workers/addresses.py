"""Addresses of executors, as in configurations and on the command line."""

from __future__ import annotations

import re

from hlsl_tool.project.config.secrets import masked


def checked_address(text: str) -> str:
    """Return the address of an executor if it is valid: `local`, or that of a scheduler.

    Raise ValueError for others.
    """
    if text in ("", "local") or re.fullmatch(r"dask://[^/\s]+", text):
        return text
    raise ValueError(f"{masked(text)}: it is `local` or an address such as dask://host:8786")


def is_remote(address: str) -> bool:
    """Return whether an address is that of a scheduler, whose workers compile."""
    return address not in ("", "local")
