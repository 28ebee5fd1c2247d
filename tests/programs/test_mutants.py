"""The faults of `mutants.toml` still apply, and tests notice a few of them; the nightly run tries all."""

from __future__ import annotations

import ast
import os
import random

import pytest

from tests.programs.mutants import ROOT, SURVIVORS, Mutant, mutants, run

MUTANTS = mutants()
QUICK = 1
SEED = int(os.environ.get("HLSL_TOOL_MUTANTS_SEED", "1"))
PACKAGES = frozenset(
    path.name for path in (ROOT / "hlsl_tool").iterdir() if path.is_dir() and not path.name.startswith("_")
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_fault_applies(mutant: Mutant) -> None:
    text = mutant.applied(mutant.path(ROOT).read_text(encoding="utf-8"))
    ast.parse(text)
    for test in mutant.tests:
        assert (ROOT / "tests" / test).exists(), test


def test_a_place_that_is_not_unique_is_refused() -> None:
    mutant = Mutant("two", "version.py", "a", "b", ())
    for text in ("c", "aa"):
        with pytest.raises(ValueError, match="not once"):
            mutant.applied(text)


def test_faults_are_spread_over_the_packages() -> None:
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS) >= 100
    assert {mutant.id for mutant in MUTANTS} >= SURVIVORS
    assert PACKAGES - {mutant.file.partition("/")[0] for mutant in MUTANTS} <= {"headers"}


def cheap() -> list[Mutant]:
    """Return a few faults whose tests take only a second or two."""
    folders = {"unit/spirv", "unit/layout", "unit/preprocessor", "unit/pack", "unit/linking", "unit/lints", "passes"}
    return random.Random(SEED).sample([mutant for mutant in MUTANTS if set(mutant.tests) <= folders], QUICK)


def test_a_few_faults_are_noticed() -> None:
    outcomes = run(cheap(), 1, lambda outcome: None)
    assert [outcome.mutant.id for outcome in outcomes if not outcome.is_killed] == []


def test_a_change_without_effect_is_not_noticed() -> None:
    unchanged = Mutant(
        "none", "version.py", "imports nothing of", "imports nothing from", ("unit/layout/test_rules.py",)
    )
    (outcome,) = run([unchanged], 1, lambda outcome: None)
    assert not outcome.is_killed, outcome.detail


@pytest.mark.nightly
@pytest.mark.slow
def test_all_faults_are_noticed() -> None:
    """HLSL_TOOL_NIGHTLY=`all` tries every fault, which takes half an hour; a seed tries five."""
    seed = os.environ.get("HLSL_TOOL_NIGHTLY")
    chosen = MUTANTS if seed in (None, "all") else random.Random(seed).sample(MUTANTS, 5)
    outcomes = run(chosen, os.cpu_count() or 1, lambda outcome: None)
    assert {outcome.mutant.id for outcome in outcomes if not outcome.is_killed} <= SURVIVORS
