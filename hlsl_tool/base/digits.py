"""Read decimal numbers of any length."""

from __future__ import annotations

MAX_DIGITS = 40
"""Python refuses texts of more than 4300 digits; all limits on numbers are far below those of 40."""


def number_of(digits: str) -> int:
    """Return the number that decimal digits stand for; one of the first `MAX_DIGITS` digits if there are more.

    That one is too large for each limit as well.  Leading zeros do not count.
    """
    return int(digits.lstrip("0")[:MAX_DIGITS] or "0")
