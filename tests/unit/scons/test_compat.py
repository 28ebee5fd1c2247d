"""The undocumented names of SCons: only `compat.py` uses them, and the running SCons has all of them."""

from __future__ import annotations

import ast
import importlib.util
import pathlib

import pytest
import SCons
import SCons.Errors
import SCons.Node
import SCons.Tool

import hlsl_tool.scons
from hlsl_tool.scons import compat, session

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNDOCUMENTED = {
    "AliasNodeInfo",
    "BuildTask",
    "DB_Name",
    "DefaultToolpath",
    "Main",
    "QuestionTask",
    "Root",
    "SConsign",
    "Taskmaster",
    "arg2nodes_lookups",
    "default_ans",
    "interactive",
}
"""Names without an underscore that the manual does not have either."""


def files() -> list[pathlib.Path]:
    paths = [*(ROOT / "hlsl_tool/scons").rglob("*.py"), *(ROOT / "site_scons").rglob("*.py"), ROOT / "SConstruct"]
    return [path for path in paths if path.name != "compat.py"]


def own_names(trees: list[ast.Module]) -> set[str]:
    """Return the names that these modules define: functions, classes, and attributes of `self`."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stored = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return names | {node.attr for node in stored if ast.unparse(node.value) == "self"}


def is_undocumented(node: ast.Attribute, own: set[str]) -> bool:
    if node.attr.startswith("__"):
        return isinstance(node.ctx, ast.Store)  # SCons's classes and methods are replaced by `compat` only
    is_private = node.attr.startswith("_") and node.attr not in own and ast.unparse(node) != "sys._getframe"
    return is_private or node.attr in UNDOCUMENTED


def private_names(source: str, own: set[str]) -> list[str]:
    """Return the attributes and imports in a module that are undocumented names of SCons."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and is_undocumented(node, own):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if not UNDOCUMENTED.isdisjoint(alias.name.split("."))]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("SCons"):
            found += [alias.name for alias in node.names if alias.name.startswith("_") or alias.name in UNDOCUMENTED]
    return found


def test_only_compat_uses_undocumented_names() -> None:
    sources = {path: path.read_text() for path in files()}
    own = own_names([ast.parse(source) for source in sources.values()])
    found = {path.name: names for path, source in sources.items() if (names := private_names(source, own))}
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        "SCons.Action._null",
        "root._lookupDict.get(key)",
        "self._children_reset()",
        "SCons.Node.arg2nodes_lookups.append(f)",
        "import SCons.Script.Main",
        "from SCons.Node.FS import _my_normcase",
        "node.__class__ = Other",
        "SCons.Taskmaster.Taskmaster.stop = stop",
    ],
)
def test_the_search_finds_undocumented_names(line: str) -> None:
    assert private_names(line, set())


def test_the_running_scons_is_supported() -> None:
    compat.check_version()


@pytest.mark.parametrize(
    ("version", "is_supported"), [("4.4.0", False), ("4.5.2", True), ("4.11.1", True), ("5.0", False)]
)
def test_versions(monkeypatch: pytest.MonkeyPatch, version: str, is_supported: bool) -> None:
    monkeypatch.setattr(SCons, "__version__", version)
    if is_supported:
        compat.check_version()
        return
    with pytest.raises(SCons.Errors.UserError, match=f"needs SCons 4.5 or later, below 5.0; this is SCons {version}"):
        compat.check_version()


def test_a_name_that_scons_has_lost_is_an_error_with_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SCons.Node, "arg2nodes_lookups")
    with pytest.raises(SCons.Errors.UserError, match=r"it has no SCons\.Node\.arg2nodes_lookups$"):
        compat.check_version()


def test_importing_the_package_lets_scons_find_the_tool() -> None:
    assert SCons.Tool.DefaultToolpath.count(hlsl_tool.scons.TOOL_FOLDER) == 1
    compat.add_tool_folder(hlsl_tool.scons.TOOL_FOLDER)
    assert SCons.Tool.DefaultToolpath.count(hlsl_tool.scons.TOOL_FOLDER) == 1
    assert (pathlib.Path(hlsl_tool.scons.TOOL_FOLDER) / "hlsl.py").is_file()


def test_the_modules_that_are_imported_before_threads_exist() -> None:
    assert [name for name in session._THREADED if importlib.util.find_spec(name) is None] == []
