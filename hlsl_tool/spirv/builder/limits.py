"""Check SPIR-V's universal limits (section 2.17 of the specification)."""

from __future__ import annotations

MAX_COMPONENTS = 4
"""Components of a vector without an extension or capability."""
MAX_PARTS = 0xFFFF - 3
"""Constituents of a composite: an instruction has at most 65,535 words."""
MAX_CASES = 16_383
MAX_MEMBERS = 16_383
MAX_PARAMETERS = 255
MAX_STRING = 65_535
"""Bytes of a literal string."""


class TooLarge(ValueError):
    """Raised for a request beyond a limit of SPIR-V."""

    def __init__(self, what: str, count: int, limit: int) -> None:
        super().__init__(f"{what}: {count}, and SPIR-V allows {limit}")
        self.what = what
        self.count = count
        self.limit = limit


def check_size(what: str, count: int, limit: int) -> None:
    """Raise ``TooLarge`` if a count exceeds its limit."""
    if count > limit:
        raise TooLarge(what, count, limit)
