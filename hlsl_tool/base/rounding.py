"""Multiples of numbers, such as offsets that are aligned."""

from __future__ import annotations


def round_up(value: int, multiple: int) -> int:
    """Return ``value`` rounded up to a multiple of ``multiple``."""
    return -(-value // multiple) * multiple
