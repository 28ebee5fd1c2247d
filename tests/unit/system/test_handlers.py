"""Registries of handlers import the modules of handlers on demand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hlsl_tool.base.system.handlers import HandlerTable


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandlerTable[str, object]:  # type: ignore[type-var]
    table: HandlerTable[str, object] = HandlerTable()  # type: ignore[type-var]
    for name, keys in {"first_area": ("a",), "second_area": ("b", "c"), "third_area": ("d",)}.items():
        text = f"import test_handler_table as t\n@t.TABLE.register({keys!r})\ndef handler(): return {name!r}\n"
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "test_handler_table.py").write_text("TABLE = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "test_handler_table", raising=False)
    import test_handler_table  # type: ignore[import-not-found]

    test_handler_table.TABLE = table
    return table


def _loaded() -> set[str]:
    return {"first_area", "second_area", "third_area"} & sys.modules.keys()


def test_modules_are_searched_in_order_until_one_has_a_handler(modules: HandlerTable[str, object]) -> None:  # type: ignore[type-var]
    modules.searched = ("first_area", "second_area", "third_area")
    assert not _loaded()
    assert modules["b"]() == "second_area"  # type: ignore[operator]
    assert _loaded() == {"first_area", "second_area"}
    assert modules.find("e") is None
    assert _loaded() == {"first_area", "second_area", "third_area"}
    with pytest.raises(KeyError):
        modules["e"]


def test_a_key_with_a_home_loads_that_module_only(modules: HandlerTable[str, object]) -> None:  # type: ignore[type-var]
    modules.homes = {"d": "third_area"}
    assert modules.find("a") is None and not _loaded()
    assert modules["d"]() == "third_area"  # type: ignore[operator]
    assert _loaded() == {"third_area"}


def test_a_key_has_one_handler(modules: HandlerTable[str, object]) -> None:  # type: ignore[type-var]
    modules.searched = ("first_area", "second_area", "third_area")
    modules.load()
    assert set(modules) == {"a", "b", "c", "d"}
    with pytest.raises(AssertionError, match="c has two handlers"):
        modules.register(("c",))(print)
