"""The examples of docs/how-to/reflection.md: shader, JSON, Python and C++."""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import shutil
import subprocess
from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.emit_json import to_dict
from hlsl_tool.reflection.reflection import Reflection

TEXT = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "how-to" / "reflection.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(found)


def reflected() -> Reflection:
    options = CompileOptions(target_env="vulkan1.1", validate="no")
    result = compile_shader(example("hlsl"), entry="PSMain", profile="ps_6_0", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.reflect()


def assert_part(part: Any, whole: Any, path: str = "") -> None:
    if isinstance(part, dict):
        for key, value in part.items():
            assert key in whole, f"{path}.{key}"
            assert_part(value, whole[key], f"{path}.{key}")
    elif isinstance(part, list) and part and isinstance(part[0], dict):
        by_name = {item["name"]: item for item in whole}
        for item in part:
            assert_part(item, by_name[item["name"]], f"{path}[{item['name']}]")
    else:
        assert part == whole, path


def test_json() -> None:
    assert_part(json.loads(example("json")), to_dict(reflected()))


def test_python() -> None:
    names: dict[str, Any] = {"source": example("hlsl")}
    exec(compile(example("python"), "docs/how-to/reflection.md", "exec"), names)
    assert len(names["data"]) == 144
    assert len(names["elements"]) == 32
    assert names["many"].nbytes == 16_000


def test_where_functions_are() -> None:
    (sentence,) = re.findall(r"In Python, (`to_json`.*?)\.\n\n", TEXT, re.DOTALL)
    for names, home in re.findall(r"((?:`\w+`(?:, | and )?)+) (?:are )?in\s+`(hlsl_tool[\w.]+)`", sentence):
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            assert callable(getattr(importlib.import_module(home), name)), name
    assert all(f"`{name}`" in sentence for name in ("from_json", "cpp_header", "reflection_text"))


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ on PATH")
def test_cpp(tmp_path: pathlib.Path) -> None:
    (tmp_path / "lit.PSMain.hpp").write_text(cpp_header(reflected(), namespace="lit_PSMain"))
    program = example("cpp") + "int main() { return make_frame().weights[1] == 0.5f ? 0 : 1; }\n"
    (tmp_path / "main.cpp").write_text(program)
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run(["./main"], cwd=tmp_path, check=False).returncode == 0
