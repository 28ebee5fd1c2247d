"""The structure of the package: import cycles, sizes of folders and functions (docs/adr/0014 gives the reasons)."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp
import pytest

from tests.statements import statements

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.glob("hlsl_tool/**/*.py"))
}

MAX_FILES = 20
MAX_LINES = 60
LAZY = {
    "__main__": "an interrupt is answered with one line while modules are imported, too",
    "apps/report": "reports need extras such as Jinja2, and each format a module",
    "apps/server": "a client of the server starts in a third of the time of the compiler",
    "base": "modules of the standard library that take milliseconds, for rare cases",
    "cli": "a verb loads only what it needs",
    "codegen": "a compilation loads only what its shader uses",
    "compiler": "a compilation loads only what its shader uses",
    "cross": "a build without such outputs needs neither hashes nor the name of the processor",
    "frontend": "a compilation loads only what its shader uses",
    "gpu": "devices need extras, and pytest imports the plug-in in every run",
    "hlsl2spirv": "an interrupt is answered with one line while modules are imported, too",
    "project": "a build with nothing to do loads neither the compiler nor YAML",
    "reflection/host": "numpy is an extra",
    "reflection/linking": "the compiler checks bindings, and needs names and words for errors only",
    "scons": "SCons loads the tool in each run, also in one with nothing to do",
    "spirv/tools": "a process that runs no tool needs neither ctypes nor subprocess",
}
"""Package → the reason for imports inside of functions: time to start, or libraries that may be missing."""
LOOPS = {"hlsl_tool/frontend/syntax/driver.py: feed"}
"""Interpreter loops, whose speed depends on local variables."""


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
    imports = grimp.build_graph("hlsl_tool", cache_dir=None)
    graph = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}
    assert not [sorted(circle) for circle in _circles(graph)]


def test_a_circle_of_imports_is_found() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]


@pytest.mark.parametrize(
    "statement",
    [
        "import p.q.n",
        "from p.q.n import f",
        "from p.q import n, f",
        "from . import n",
        "from .n import f",
        "from ..q.n import f",
        "if TYPE_CHECKING:\n    from .n import f",
        "def g():\n    from .n import f",
    ],
)
def test_imports_of_each_form_are_counted(statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "p" / "q"
    folder.mkdir(parents=True)
    for name, text in {"m": statement, "n": "", "__init__": "", "../__init__": ""}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "p.q.n" in grimp.build_graph("p", cache_dir=None).find_modules_directly_imported_by("p.q.m")


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES.values()}), ids=lambda f: f.name)
def test_a_folder_has_at_most_twenty_files(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MAX_FILES


def test_imports_inside_of_functions_have_a_reason() -> None:
    lazy = set()
    for path in MODULES.values():
        name = path.relative_to(ROOT / "hlsl_tool").with_suffix("").as_posix()
        for function in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = statements(ast.Module(function.body, []))
                if any(isinstance(statement, ast.Import | ast.ImportFrom) for statement in inner):
                    lazy.add(name)
    reasons = {name: [folder for folder in LAZY if f"{name}/".startswith(f"{folder}/")] for name in lazy}
    assert not [name for name, folders in reasons.items() if not folders]
    assert set(LAZY) == {folder for folders in reasons.values() for folder in folders}


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{path.relative_to(ROOT).as_posix()}: {node.name}"
        for path in MODULES.values()
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MAX_LINES
    ]
    assert set(long) <= LOOPS
