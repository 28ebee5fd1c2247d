"""The printed pipeline lists the passes that `compiler/finishing.py` and `compiler/stages.py` run."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest

from hlsl_tool.compiler import finishing, stages
from hlsl_tool.passes import pipeline

LISTED = {id(step) for _, steps in pipeline.steps() for step in steps}


def source(module: ModuleType) -> ast.Module:
    """Return the syntax tree of a module's source, which is also installed beside a compiled module."""
    path = Path(str(module.__file__))
    return ast.parse(path.with_name(path.name.partition(".")[0] + ".py").read_text(encoding="utf-8"))


def sequences(module: ModuleType) -> set[str]:
    """Return the names of the sequences that a module runs: ``pipeline.NAME``."""
    return {
        node.attr
        for node in ast.walk(source(module))
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
    assert f"`{name}`" in str(ast.get_docstring(source(pipeline)))
