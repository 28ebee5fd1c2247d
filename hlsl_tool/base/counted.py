"""A number with its noun, for messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return ``1 file`` or ``2 files``, for nouns whose plural ends with ``s``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
