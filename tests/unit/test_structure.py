"""The shape of the package: import circles, sizes of folders and functions (docs/adr/0014 gives the reasons)."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.glob("hlsl_tool/**/*.py"))
}

CIRCLES = [
    {"hlsl_tool.sema.hir", "hlsl_tool.sema.types"},  # a struct has methods, a function has types
    {  # the context holds handlers and hooks, which take the context
        "hlsl_tool.lower.core.context",
        "hlsl_tool.lower.core.hooks",
        "hlsl_tool.lower.core.limits",
        "hlsl_tool.lower.core.registry",
        "hlsl_tool.lower.core.state",
    },
]
"""Modules that may import each other, for their types only."""

MAX_FILES = 20
MAX_LINES = 60
LOOPS = {"hlsl_tool/syntax/driver.py: feed"}
"""Interpreter loops, whose speed depends on local variables."""


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for name in node.names:
                submodule = f"{node.module}.{name.name}"
                names.add(submodule if submodule in MODULES else node.module)
        elif isinstance(node, ast.Import):
            names.update(name.name for name in node.names)
    return names & MODULES.keys()


def _circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that reach each other, by the transitive closure."""
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


def test_modules_import_each_other_in_two_places_only() -> None:
    graph = {module: _imports(path) - {module} for module, path in MODULES.items()}
    unexpected = [sorted(circle) for circle in _circles(graph) if circle not in CIRCLES]
    assert not unexpected


def test_a_circle_is_noticed() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]


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
