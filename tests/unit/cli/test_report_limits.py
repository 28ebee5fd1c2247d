"""Limits of growth require an earlier build, and valid numbers."""

from __future__ import annotations

import argparse

import pytest

from hlsl_tool.cli.common import Failed
from hlsl_tool.cli.reports.report import _limits

DEFAULTS = {"metric": None, "max_growth": "0", "max_total": None, "ignore_below": 0, "against": None}


def limits(**options: object) -> object:
    return _limits(argparse.Namespace(**{**DEFAULTS, **options}))


@pytest.mark.parametrize("options", [{"max_growth": "5%"}, {"max_total": "5%"}, {"ignore_below": 3}])
def test_each_limit_needs_an_earlier_build(options: dict[str, object]) -> None:
    with pytest.raises(Failed, match="give --against"):
        limits(**options)
    assert limits(**options, against="old.json")


def test_without_limits_no_earlier_build_is_needed() -> None:
    assert limits()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ignore_below": -1, "against": "x"}, "it is 0 or more"), ({"metric": ["weight"]}, "`weight` is none of")],
)
def test_wrong_numbers(options: dict[str, object], message: str) -> None:
    with pytest.raises(Failed, match=message):
        limits(**options)
