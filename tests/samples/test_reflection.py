"""The reflection of each sample shader follows the schema, is reproducible, and lists the resources of entry points."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
from functools import cache
from typing import Any

import jsonschema
import pytest

from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.emit_json import reflection_json, to_json
from hlsl_tool.reflection.load_json import from_json
from hlsl_tool.reflection.pipeline import pipeline_cpp, pipeline_of, pipelines_of_module, project_json, tables_json
from hlsl_tool.reflection.schema import PIPELINES_FILE, pipelines_schema, schema, shipped, text
from tests.samples.test_samples import MEMORY, compiled, one_of_each_source, pytestmark

__all__ = ["pytestmark"]


@cache
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_the_shipped_schema_is_current() -> None:
    advice = "run `python -m hlsl_tool.reflection.schema` and `python -m hlsl_tool schema --write`"
    assert shipped() == text(), advice
    assert shipped(PIPELINES_FILE) == text(pipelines_schema()), advice


@pytest.mark.parametrize("permutation", one_of_each_source(), ids=lambda permutation: permutation.name)
def test_reflection(permutation: Permutation) -> None:
    result = compiled(permutation, MEMORY)
    made = reflection_json(result.spirv, result.interface)
    assert reflection_json(result.spirv, result.interface) == made
    found = json.loads(made)
    validator().validate(found)
    validator().validate(json.loads(reflection_json(result.spirv)))
    entries = {entry["name"]: entry for entry in found["entry_points"]}
    for r in found["resources"]:
        for name in r["used_by"]:
            assert (r["set"], r["binding"]) in {(u["set"], u["binding"]) for u in entries[name]["resources"]}
    assert from_json(made) == result.reflect()
    assert to_json(from_json(made)) == made
    assert "unknown" not in found["requirements"]
    assert not [r["name"] for r in found["resources"] if r["kind"] == "other"]


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ on PATH")
def test_headers(tmp_path: pathlib.Path) -> None:
    """The C++ headers of all samples compile together in one program."""
    includes = []
    for number, permutation in enumerate(one_of_each_source()):
        header = cpp_header(compiled(permutation, MEMORY).reflect(), namespace=f"samples::n{number}")
        (tmp_path / f"n{number}.hpp").write_text(header)
        includes.append(f'#include "n{number}.hpp"\n')
    (tmp_path / "all.cpp").write_text("".join(includes))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "all.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    assert len(includes) > 40


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ on PATH")
def test_tables_of_pipelines(tmp_path: pathlib.Path) -> None:
    """The C++ tables of all samples compile together in one program, and their JSON follows the schema."""
    if not pathlib.Path("/usr/include/vulkan/vulkan_core.h").exists():
        pytest.skip("needs the headers of Vulkan")
    includes, named = [], []
    described = jsonschema.Draft202012Validator(pipelines_schema())
    for number, permutation in enumerate(one_of_each_source()):
        reflection = compiled(permutation, MEMORY).reflect()
        for index, entries in enumerate(pipelines_of_module(reflection)):
            tables = pipeline_of([reflection], [permutation.name], entries)
            header = pipeline_cpp(tables, namespace=f"samples::n{number}_{index}")
            (tmp_path / f"n{number}_{index}.hpp").write_text(header)
            includes.append(f'#include "n{number}_{index}.hpp"\n')
            described.validate(json.loads(tables_json(tables)))
            named.append((f"n{number}_{index}", tables))
    described.validate(json.loads(project_json(named)))
    (tmp_path / "all.cpp").write_text("".join(includes))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "all.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    assert len(includes) > 40
