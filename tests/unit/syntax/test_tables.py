"""The grammar, its tables and its actions are consistent."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hlsl_tool.frontend.syntax
from hlsl_tool.frontend.syntax import build_tables, load_tables
from hlsl_tool.frontend.syntax.actions import ACTIONS, common, declarations, expressions, functions, statements, types
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES, OBJECTS
from hlsl_tool.frontend.syntax.kinds import BASE_CODES, MATRIX_HANDLE, TABLES, TYPE
from hlsl_tool.frontend.syntax.tables import GRAMMAR, read
from hlsl_tool.frontend.syntax.tables import TABLES as COMMITTED
from hlsl_tool.version import is_compiled


def test_the_committed_tables_are_those_of_the_grammar() -> None:
    """The tables in the repository equal those generated from the grammar.

    They are generated in lark's strict mode, in which a conflict is an error.
    """
    tables = build_tables.build(read(GRAMMAR))
    assert build_tables.render(tables) == read(COMMITTED), "run `python -m hlsl_tool.frontend.syntax.build_tables`"


def test_every_action_is_used() -> None:
    used = {rule[2].__name__ for rule in TABLES.rules if rule[2] is not None}
    helpers = {"new", "split_scopes", "add_quals"}
    for module in (common, declarations, expressions, functions, statements, types):
        for name, value in vars(module).items():
            if name.startswith("_") or isinstance(value, type) or name in helpers:
                continue
            if ACTIONS.get(name) is value:
                assert name in used, f"no rule has the alias {name}"


def test_lark_is_not_imported_to_parse() -> None:
    code = "import sys, hlsl_tool.frontend.syntax; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(is_compiled(), reason="native code calls `grammar_digest` itself, not what replaces it")
def test_tables_of_another_grammar_without_lark_are_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lark", None)
    monkeypatch.delitem(sys.modules, "hlsl_tool.frontend.syntax.build_tables")
    monkeypatch.delattr(hlsl_tool.frontend.syntax, "build_tables")
    monkeypatch.setattr(load_tables, "grammar_digest", lambda grammar: "0" * 16)
    with pytest.raises(ModuleNotFoundError, match=r"hlsl\.tables is not made from .*hlsl\.lark; install lark"):
        load_tables.load(ACTIONS)


def test_every_builtin_type_is_one_to_the_classifier() -> None:
    assert {name for name in BUILTIN_TYPES if BASE_CODES[name] not in (TYPE, MATRIX_HANDLE)} == set()
    assert {"float4", "int16_t3x2", "RWStructuredBuffer", "dword2", "min16float4x4", "void"} <= BUILTIN_TYPES
    assert OBJECTS["InputPatch"] == (2, 2)
