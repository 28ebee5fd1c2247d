"""Inputs that determine which files are read are checked before a stored result is used."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cross.library import locate
from hlsl_tool.project.config.output_kinds import CROSS_KINDS, SUFFIXES
from tests.properties.trees import Tree, new_job

OPTIONS = CompileOptions(optimize="none", validate="no", profile="ps_6_0", include_dirs=("near", "far"))
KINDS = [kind for kind in SUFFIXES if kind not in CROSS_KINDS or locate() is not None]
"""All kinds of output that this machine can make."""
MAIN = '#include "k.h"\nfloat4 main(float2 uv : TEXCOORD0) : SV_Target { return uv.x * K; }\n'


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> Iterator[Tree]:
    found = Tree(tmp_path / "tree", [new_job("a", "shaders/a.hlsl", OPTIONS, *KINDS)], (str(tmp_path / "store"),))
    found.write("shaders/a.hlsl", MAIN)
    found.write("far/k.h", "#define K 2.0\n")
    yield found
    found.restart()


def build(tree: Tree) -> str:
    [found] = tree.build().values()
    return found.state


def there_and_back(tree: Tree, there: Callable[[], None], back: Callable[[], None]) -> None:
    """Make an edit (`there`) that changes the SPIR-V, undo it (`back`), and repeat it; build after each step.

    The last two builds must take their results from the store.
    """
    assert build(tree) == "compiled"
    assert build(tree) == "current"
    there()
    assert build(tree) == "compiled"
    back()
    assert build(tree) == "files"
    there()
    assert build(tree) == "files"
    assert build(tree) == "current"


@pytest.mark.parametrize("place", ["shaders/k.h", "near/k.h"])
def test_a_header_that_is_found_first(tree: Tree, place: str) -> None:
    there_and_back(tree, lambda: tree.write(place, "#define K 3.0\n"), (tree.root / place).unlink)


def test_a_folder_of_a_headers_name_is_none(tree: Tree) -> None:
    (tree.root / "near/k.h").mkdir(parents=True)
    assert build(tree) == "compiled"
    (tree.root / "near/k.h").rmdir()
    assert build(tree) == "current"
    tree.write("near/k.h", "#define K 3.0\n")
    assert build(tree) == "compiled"


def test_a_link_that_leads_elsewhere(tree: Tree) -> None:
    for number in (3, 4):
        tree.write(f"v{number}/k.h", f"#define K {number}.0\n")

    def lead(name: str) -> None:
        (tree.root / "near").unlink(missing_ok=True)
        os.symlink(f"../{name}" if name.startswith("/") else name, tree.root / "near")

    lead("v3")
    there_and_back(tree, lambda: lead("v4"), lambda: lead("v3"))


def test_a_header_that_is_a_link(tree: Tree) -> None:
    (tree.root / "near").mkdir()
    for number in (3, 4):
        tree.write(f"v{number}.h", f"#define K {number}.0\n")

    def lead(name: str) -> None:
        (tree.root / "near/k.h").unlink(missing_ok=True)
        os.symlink(f"../{name}", tree.root / "near/k.h")

    lead("v3.h")
    there_and_back(tree, lambda: lead("v4.h"), lambda: lead("v3.h"))


def test_a_header_that_is_only_asked_for(tree: Tree) -> None:
    asks = '#if __has_include("asked.h")\n#define K 3.0\n#endif\n'
    tree.write("shaders/a.hlsl", asks + MAIN.replace('"k.h"', '"n.h"'))
    tree.write("far/n.h", "#ifndef K\n#define K 2.0\n#endif\n")
    asked = tree.root / "near/asked.h"
    there_and_back(tree, lambda: tree.write("near/asked.h", ""), asked.unlink)


def test_the_order_of_folders(tree: Tree) -> None:
    tree.write("near/k.h", "#define K 3.0\n")
    [first] = tree.jobs
    other = replace(first, options=replace(OPTIONS, include_dirs=("far", "near")), _cache_key="")
    there_and_back(tree, lambda: tree.jobs.__setitem__(0, other), lambda: tree.jobs.__setitem__(0, first))


@pytest.mark.skipif(os.name == "nt" or not os.path.exists("/proc"), reason="names differ by case")
@pytest.mark.parametrize("other", ["K.H", "K.h", "kk/../K.h"])
def test_names_without_case(tree: Tree, other: str) -> None:
    [first] = tree.jobs
    tree.jobs[0] = replace(first, options=replace(OPTIONS, case_insensitive_includes=True), _cache_key="")
    tree.write("shaders/a.hlsl", MAIN.replace("k.h", "k.H"))
    (tree.root / "far/kk").mkdir()
    assert build(tree) == "compiled"
    tree.write(f"far/{other}", "#define K 3.0\n")  # comes before `k.h` in the folder's list
    assert build(tree) == "compiled"
    (tree.root / f"far/{other}").unlink()
    build(tree)
    (tree.root / "far/k.h").rename(tree.root / "far/k.H")
    build(tree)


def test_a_file_outside_is_not_that_of_another_root(tree: Tree, tmp_path: pathlib.Path) -> None:
    """A project does not get a stored result for another root: `../../out/k.h` is a different file there."""
    outside = tmp_path / "out/k.h"
    tree.root = tmp_path / "one"
    tree.write("shaders/a.hlsl", MAIN.replace("k.h", str(outside).replace("\\", "/")))
    tree.write("../out/k.h", "#define K 2.0\n")
    assert build(tree) == "compiled"
    tree.restart()
    tree.root = tmp_path / "deep/two"
    tree.write("shaders/a.hlsl", MAIN.replace("k.h", str(outside).replace("\\", "/")))
    tree.write("../out/k.h", "#define K 2.0\n")  # has what the right one had
    outside.write_text("#define K 3.0\n")
    assert build(tree) == "compiled"


def test_another_root_shares_what_lies_inside(tree: Tree, tmp_path: pathlib.Path) -> None:
    assert build(tree) == "compiled"
    tree.restart()
    tree.root.rename(tmp_path / "moved")
    tree.root = tmp_path / "moved"
    assert build(tree) == "current"
    (tree.root / "build/.hlsl_tool.log").unlink()
    assert build(tree) == "files"


def test_another_build_of_a_tool(tree: Tree, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "spirv-opt"

    def replaced(commit: str) -> None:
        tool.write_text(f"#!/bin/sh\necho SPIRV-Tools v2023.1  # {commit}\n")
        tool.chmod(0o755)
        tree.restart()

    monkeypatch.setenv("SPIRV_OPT", str(tool))
    replaced("a")
    there_and_back(tree, lambda: replaced("b"), lambda: replaced("a"))
    tree.restart()


def test_a_tool_that_is_replaced_while_a_watcher_runs(
    tree: Tree, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results of a changed tool are valid, but must not be stored under the fingerprint of the old one."""
    from hlsl_tool.base.diagnostics.catalogue import build as codes

    tool = tmp_path / "spirv-opt"
    tool.write_text("#!/bin/sh\necho SPIRV-Tools v1  # a\n")
    tool.chmod(0o755)
    monkeypatch.setenv("SPIRV_OPT", str(tool))
    tree.restart()
    assert build(tree) == "compiled"
    tool.write_text("#!/bin/sh\necho SPIRV-Tools v1  # another\n")
    tree.write("far/k.h", "#define K 5.0\n")
    with pytest.raises(AssertionError, match="built"):  # the warning does not belong to the shader
        build(tree)
    before = sorted((tmp_path / "store/ac").rglob("*"))
    tree.write("far/k.h", "#define K 6.0\n")
    with pytest.raises(AssertionError, match="built"):
        build(tree)
    assert sorted((tmp_path / "store/ac").rglob("*")) == before
    assert codes.TOOLCHAIN_CHANGED.of_environment
    tree.restart()
    assert build(tree) == "compiled"
    assert build(tree) == "current"


def test_the_name_of_a_shader_counts_where_it_is_written(tree: Tree) -> None:
    """A stored result is not used for another shader name if the output contains the name or the source's name."""
    tree.write("shaders/other.hlsl", MAIN)
    sources = {"a": "shaders/a.hlsl", "b": "shaders/a.hlsl", "c": "shaders/other.hlsl"}
    for kind in KINDS:
        if not kind.startswith("wgsl"):
            tree.jobs = [new_job(f"{name}.{kind}", source, OPTIONS, kind) for name, source in sources.items()]
            found = [built.state for built in tree.build(kind).values()]
            assert found[0] in ("compiled", "tokens")
            assert found[1] == ("tokens" if kind in ("header", "cpp", "dep", "bindings") else "files")
            assert found[2] == "tokens"


def test_stored_warnings_are_reported_again(tree: Tree) -> None:
    """A build that compiles nothing reports the warnings, too; `Tree` compares them with those of a compilation."""
    tree.write("far/k.h", "float w(float2 x) { return x; }\n#define K w(uv)\n")
    assert build(tree) == "compiled"
    (tree.root / "build/.hlsl_tool.log").unlink()
    assert build(tree) == "files"
    tree.write("far/k.h", "// a line more\nfloat w(float2 x) { return x; }\n#define K w(uv)\n")
    assert build(tree) == "tokens"
    [first] = tree.jobs
    tree.jobs[0] = replace(first, options=replace(OPTIONS, warnings_as_errors=True), _cache_key="")
    assert build(tree) == "failed"
    assert build(tree) == "failed"
    tree.jobs[0] = first
    assert build(tree) == "current"  # a shader that fails leaves its last good outputs
