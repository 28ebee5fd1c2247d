"""Replace variables in the lists of other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_VALUE = 1 << 20
"""Limit on the characters that the variables of one text add to it."""


def with_values(text: str, pattern: re.Pattern[str], values: Mapping[str, str]) -> str:
    """Return a text in which each match of a pattern is replaced by the value of the variable that its group names.

    Variables without a value stay.  So does the text if its values are longer than `MAX_VALUE` together: variables
    that contain each other several times would grow without an end.
    """
    size = sum(len(values.get(match[1], "")) for match in pattern.finditer(text))
    return text if size > MAX_VALUE else pattern.sub(lambda match: values.get(match[1], match[0]), text)
