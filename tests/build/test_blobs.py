"""Blobs of permutations (`outputs: [blob, blob_header]`), read by a program in C++ as engines do."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

from hlsl_tool.project.pack.shadermake import permutation_key, write_blob
from tests.build.conftest import ROOT, SCONSTRUCT, Project

CONFIG = """\
outputs: [blob, blob_header]
files: { blob: "{shader}.bin", blob_header: "{shader}.spirv.h" }
array: "g_{stem}_{entry}_spirv"
name: "{source}_{entry}"
shaders:
  - { source: post/a.hlsl, profile: ps_6_0, defines: { FOG: [0, 1], AB: [~, x], A1: [2] } }
  - { source: post/a.hlsl, profile: ps_6_0, defines: { FOG: [3], A1: [2] } }
  - { source: one.hlsl, profile: cs_6_0 }
"""

needs_cpp = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler (package g++)")


def reader(folder: pathlib.Path, *options: str) -> str:
    program = str(folder / "reader")
    source = str(ROOT / "tests/unit/pack/blob_reader.cpp")
    subprocess.run(["g++", "-std=c++11", "-Wall", "-Werror", *options, source, "-o", program], check=True)
    return program


def look_up(program: str, path: pathlib.Path, *macros: str) -> bytes | None:
    run = subprocess.run([program, str(path), *macros], capture_output=True, check=False)
    return run.stdout if run.returncode == 0 else None


@pytest.fixture
def tree(project: Project) -> Project:
    project.write("config/shaders/all.yaml", CONFIG)
    project.write("shaders/post/a.hlsl", "int fog = FOG, other = A1;\n#ifdef AB\nint AB;\n#endif\n")
    project.write("shaders/one.hlsl", "int one;\n")
    return project


@needs_cpp
def test_permutations_are_found_by_their_macros(tree: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert tree.tool("build").status == 0
    outputs = tree.root / "build/shaders"
    program = reader(tmp_path_factory.mktemp("reader"))
    blob = outputs / "post/a_main.bin"
    found = set()
    for macros in (["FOG=0", "A1=2"], ["A1=2", "FOG=1"], ["FOG=0", "AB=x", "A1=2"], ["AB=x", "A1=2", "FOG=1"],
                   ["FOG=3", "A1=2"]):  # fmt: skip
        values = dict(macro.split("=") for macro in macros)
        name = ".".join(["a_main", *(f"{name}={values[name]}" for name in ("FOG", "AB", "A1") if name in values)])
        data = look_up(program, blob, *macros)
        assert data == (outputs / f"post/{name}.spv").read_bytes()
        found.add(data)
    assert len(found) == 5
    for macros in ([], ["FOG=0"], ["FOG=2", "A1=2"], ["FOG=0", "A1=2", "B=1"]):
        assert look_up(program, blob, *macros) is None
    assert look_up(program, outputs / "one_main.bin") == (outputs / "one_main.spv").read_bytes()


@needs_cpp
def test_headers_contain_the_blobs(tree: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert tree.tool("build").status == 0
    header = tree.root / "build/shaders/post/a_main.spirv.h"
    folder = tmp_path_factory.mktemp("reader")
    program = reader(folder, f'-DEMBEDDED="{header}"', "-DARRAY=g_a_main_spirv")
    data = (tree.root / "build/shaders/post/a_main.FOG=3.A1=2.spv").read_bytes()
    assert look_up(program, folder, "FOG=3", "A1=2") == data


@pytest.mark.parametrize("mode", ["single", "set"])
def test_scons_builds_the_same_blobs(tree: Project, mode: str) -> None:
    assert tree.tool("build").status == 0
    before = {name: data for name, data in tree.outputs().items() if name.endswith((".bin", ".spirv.h"))}
    assert len(before) == 4
    shutil.rmtree(tree.root / "build")
    tree.write("SConstruct", SCONSTRUCT)
    assert tree.scons(f"scons_nodes={mode}").status == 0
    assert {name: data for name, data in tree.outputs().items() if name in before} == before
    again = tree.scons(f"scons_nodes={mode}")
    assert again.compiled == []
    tree.write("shaders/one.hlsl", "int two;\n")
    tree.scons(f"scons_nodes={mode}", "build/shaders/one_main.bin")
    spv = (tree.root / "build/shaders/one_main.spv").read_bytes()
    assert (tree.root / "build/shaders/one_main.bin").read_bytes() == spv != before["build/shaders/one_main.bin"]


def test_a_removed_permutation_leaves_the_blob(tree: Project) -> None:
    tree.tool("build")
    tree.write("config/shaders/all.yaml", CONFIG.replace("FOG: [3]", "FOG: [4]"))
    tree.tool("build", "--prune")
    blob = (tree.root / "build/shaders/post/a_main.bin").read_bytes()
    assert b"A1=2 FOG=4" in blob and b"A1=2 FOG=3" not in blob
    tree.write("config/shaders/all.yaml", CONFIG.replace("[blob, blob_header]", "[spv]"))
    tree.tool("build", "--prune")
    assert not list(tree.root.rglob("*.bin")) and not list(tree.root.rglob("*.h"))


def test_keys_are_sorted_by_name() -> None:
    assert permutation_key([("B", "1"), ("A1", "x"), ("A", "y z")]) == "A=y z A1=x B=1"
    assert write_blob([("", b"abcd")]) == b"abcd"
    assert write_blob([("", b"abcd"), ("A=", b"efgh")]) == b"NVSP\0\0\0\0\4\0\0\0abcd\2\0\0\0\4\0\0\0A=efgh"
