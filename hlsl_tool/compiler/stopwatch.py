"""How long each stage of a compilation took.  Nothing that is written for users but statistics depends on it."""

from __future__ import annotations

import time

STAGES = ("preprocess", "look up", "parse", "analyse", "lower", "optimise", "validate", "check", "outputs")
"""In the order in which they come."""


class Stopwatch:
    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        """Stage → milliseconds."""
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """A stage ends here; it began where the one before did."""
        now = time.perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now
