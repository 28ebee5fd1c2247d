"""The time that each stage of a compilation took.  Only statistics depend on it."""

from __future__ import annotations

import time

STAGES = ("preprocess", "look up", "parse", "analyse", "lower", "optimise", "validate", "check", "outputs")
"""Names of laps, in the order of a compilation."""


class Stopwatch:
    """Measures consecutive stages."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        """Stage → milliseconds."""
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to ``stage``."""
        now = time.perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now
