"""Every permutation of every sample shader compiles without a diagnostic, is valid, and is reproducible."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import shutil

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Permutation, Project
from hlsl_tool.spirv.decode import decode
from tests.minimal import unneeded, vendors

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALIDATE = "required" if shutil.which("spirv-val") else "no"
MEMORY = Memory()

pytestmark = pytest.mark.skipif(not shutil.which("spirv-opt"), reason="spirv-opt, which legalises, is not on PATH")


@functools.cache
def project() -> Project:
    sink = Sink()
    found = load(str(ROOT), ["config/shaders"], sink)
    assert not sink.diagnostics, [f"{each.location}: {each.message}" for each in sink.diagnostics]
    return found


def one_of_each_source() -> list[Permutation]:
    return list({permutation.source: permutation for permutation in project().permutations}.values())


def compiled(permutation: Permutation, memory: Memory) -> CompileResult:
    path = ROOT / permutation.source
    source = SourceFile.from_bytes(permutation.source, str(path), path.read_bytes())
    options = dataclasses.replace(permutation.options, validate=VALIDATE)
    fs = CachedFileSystem(OSFileSystem(str(ROOT)))
    return compile_shader(source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=memory)


@pytest.mark.parametrize("permutation", project().permutations, ids=lambda permutation: permutation.name)
def test_compiles(permutation: Permutation) -> None:
    """Every sample compiles without a diagnostic, is valid, and declares nothing that it does not need."""
    result = compiled(permutation, MEMORY)
    assert [each.message for each in result.diagnostics] == []
    assert result.ok
    assert result.spirv
    module = decode(result.spirv)
    assert unneeded(module) == []
    assert vendors(module) == []


@pytest.mark.parametrize("permutation", one_of_each_source(), ids=lambda permutation: permutation.name)
def test_deterministic(permutation: Permutation) -> None:
    """A module is the same with caches that contain other shaders and with empty caches."""
    remembered = compiled(permutation, MEMORY).spirv
    assert remembered
    assert compiled(permutation, Memory()).spirv == remembered


def test_every_source_is_built() -> None:
    built = {permutation.source for permutation in project().permutations}
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "shaders").rglob("*.hlsl")}
    assert found == built


def test_breadth() -> None:
    """The samples use every layout, both matrix orders, and every stage that has a profile."""
    options = [permutation.options for permutation in project().permutations]
    stages = {each.profile.partition("_")[0] for each in options}
    assert stages == {"vs", "hs", "ds", "gs", "ps", "cs", "as", "ms", "lib"}
    assert {each.layout for each in options} == {"vulkan", "dx", "gl", "scalar"}
    assert {each.matrix_layout for each in options} == {"column_major", "row_major"}
