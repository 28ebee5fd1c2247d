"""The shader model of a profile, as a number."""

from __future__ import annotations


def shader_model(profile: str) -> int:
    """``ps_6_1`` → 610, which is what DXC gives as the version of the language."""
    parts = profile.split("_")
    minor = parts[2] if len(parts) > 2 else "0"
    return int(parts[1]) * 100 + (int(minor) * 10 if minor.isdigit() else 0)
