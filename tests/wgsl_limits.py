"""Tests whose shader WGSL cannot express: a list with reasons, which must be exact in both directions.

A listed test ends as an expected failure if the conversion reports the listed reason.  It fails if the reason differs,
or if the shader is converted; a test that is not listed fails if its shader is rejected.  `pytest --update-golden
tests/execute tests/unit/gpu` writes the list.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("wgsl_limits.txt")


def _read() -> dict[str, str]:
    """Return id of a test → reason, for the listed tests."""
    rows: dict[str, str] = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        test, _, reason = line.partition("  # ")
        rows[test] = reason
    return rows


LISTED = _read()


class Limit:
    """The list entry of one test."""

    def __init__(self, test: str, update: bool) -> None:
        self.test = test
        self.update = update
        self.is_reached = False
        self.is_converted = False
        """True once a shader of the test has been converted."""

    def reach(self, reason: object) -> None:
        """End the test because its shader was rejected for this reason.

        It is expected to fail if the reason is listed.
        """
        self.is_reached = True
        text = re.sub(r" \(in `.*`\)$", "", str(reason).partition("\n")[0])
        if self.update:
            LISTED[self.test] = text
        assert LISTED.get(self.test) == text, f"WGSL lacks what the test needs, and the list has another reason: {text}"
        pytest.xfail(f"not in WGSL: {text}")

    def check(self) -> None:
        """Called after the test: fail if it is listed although its shader was converted."""
        if self.is_converted and not self.is_reached and self.test in LISTED:
            if not self.update:
                pytest.fail(f"{self.test} is converted now: run `pytest --update-golden` for it", pytrace=False)
            del LISTED[self.test]

    def write(self) -> None:
        if self.update:
            FILE.write_text("".join(f"{test}  # {reason}\n" for test, reason in sorted(LISTED.items())))
