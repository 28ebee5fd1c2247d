"""The printed pipeline lists what `compiler/finishing.py` and `compiler/stages.py` run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hlsl_tool.compiler import finishing, stages
from hlsl_tool.passes import pipeline

LISTED = {id(step) for _, steps in pipeline.steps() for step in steps}


def sequences(module: object) -> set[str]:
    """Return the names of the sequences that a module runs: ``pipeline.NAME``."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pipeline"
    }


def test_every_sequence_that_runs_is_listed() -> None:
    names = {name for name in sequences(finishing) | sequences(stages) if name.isupper()}
    assert {"BEFORE_ANY_TOOL", "AFTER_PROMOTION", "LAST"} <= names
    for name in names:
        assert {id(step) for step in getattr(pipeline, name)} <= LISTED, name


def test_every_sequence_runs() -> None:
    defined = {name for name, value in vars(pipeline).items() if name.isupper() and isinstance(value, tuple) and value}
    used_inside = {"MARKS", "MEND_DEBUG_INFO"}  # `prepare` runs the one, other sequences contain the other
    assert defined - used_inside <= sequences(finishing) | sequences(stages)


@pytest.mark.parametrize("name", ["MARKS", "LAST", "AFTER_OPTIMIZER"])
def test_the_table_of_sequences_names_them(name: str) -> None:
    assert pipeline.__doc__ is not None and f"`{name}`" in pipeline.__doc__
