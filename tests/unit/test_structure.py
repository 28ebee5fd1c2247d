"""The structure of the package: import cycles, sizes of folders and functions (docs/adr/0014 gives the reasons)."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.glob("hlsl_tool/**/*.py"))
}

MAX_FILES = 20
MAX_LINES = 60
LOOPS = {"hlsl_tool/syntax/driver.py: feed"}
"""Interpreter loops, whose speed depends on local variables."""


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(module: str, *, is_package: bool, tree: ast.Module, modules: Collection[str]) -> set[str]:
    """Return the modules that a module imports: absolutely, relatively, in functions, and for type checkers."""
    package = module if is_package else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            for name in node.names:
                submodule = f"{origin}.{name.name}"
                names.add(submodule if submodule in modules else origin)
    return names & set(modules)


def _circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other in a cycle, by transitive closure."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        todo = list(graph[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo += graph[module]
        reached[start] = seen
    circles: list[set[str]] = []
    for module, seen in reached.items():
        circle = {other for other in seen if module in reached[other]}
        if len(circle) > 1 and circle not in circles:
            circles.append(circle)
    return circles


def test_modules_do_not_import_each_other() -> None:
    graph = {
        module: _imports(module, is_package=path.name == "__init__.py", tree=_tree(path), modules=MODULES) - {module}
        for module, path in MODULES.items()
    }
    assert not [sorted(circle) for circle in _circles(graph)]


def test_a_circle_of_imports_is_found() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]


@pytest.mark.parametrize(
    ("module", "statement", "imported"),
    [
        ("p.q.m", "import p.q.n", {"p.q.n"}),
        ("p.q.m", "from p.q.n import f", {"p.q.n"}),
        ("p.q.m", "from p.q import n, f", {"p.q", "p.q.n"}),
        ("p.q.m", "from . import n", {"p.q.n"}),
        ("p.q.m", "from .n import f", {"p.q.n"}),
        ("p.q.m", "from ..r.s import f", {"p.r.s"}),
        ("p.q.m", "from ..r import s", {"p.r.s"}),
        ("p.q", "from .n import f", {"p.q.n"}),
        ("p.q.m", "if TYPE_CHECKING:\n    from .n import f", {"p.q.n"}),
        ("p.q.m", "def g():\n    from .n import f", {"p.q.n"}),
        ("p.q.m", "import os", set()),
    ],
)
def test_imports_of_each_form_are_counted(module: str, statement: str, imported: set[str]) -> None:
    modules = {"p", "p.q", "p.q.m", "p.q.n", "p.r", "p.r.s"}
    is_package = module == "p.q"
    assert _imports(module, is_package=is_package, tree=ast.parse(statement), modules=modules) == imported


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES.values()}), ids=lambda f: f.name)
def test_a_folder_has_at_most_twenty_files(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MAX_FILES


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{path.relative_to(ROOT).as_posix()}: {node.name}"
        for path in MODULES.values()
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MAX_LINES
    ]
    assert set(long) <= LOOPS
