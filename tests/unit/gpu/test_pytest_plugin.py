"""Tests in comments of shaders, run by pytest in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool import gpu
from hlsl_tool.gpu.testing.directives import parse
from hlsl_tool.gpu.testing.expected_errors import TestError
from tests.patience import PATIENCE

SCALE = """\
StructuredBuffer<float> source;
RWStructuredBuffer<float> target;
float factor;

// gpu test: doubles every number
//   source = arange(8)
//   target = zeros(8)
//   factor = 2
//   groups: 1
//   expect: target == source * {factor}
//   expect: sum(target) == before(sum(target)) + 56
[numthreads(8, 1, 1)]
void main(uint i : SV_DispatchThreadID) { target[i] = source[i] * factor; }
"""


def run_pytest(folder: Path, *arguments: str, without_driver: bool = False) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "hlsl_tool.gpu.pytest_plugin", "--rootdir", str(folder)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "120"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    if without_driver:
        environment = {name: value for name, value in environment.items() if name != "HLSL_TOOL_GPU"}
        (folder / "without_driver.py").write_text(WITHOUT_DRIVER)
        arguments = (*arguments, "-p", "without_driver")
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


WITHOUT_DRIVER = """
from hlsl_tool.gpu import choice

opened = choice._opened


def open_library(library):
    if library != "cpu":
        raise choice.NoDeviceError(f"{library} has none")
    return opened(library)


choice._opened = open_library
"""
"""A plug-in that takes all drivers away."""


def project(folder: Path, **files: str) -> Path:
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"{name}.hlsl").write_text(text)
    return folder


def needs_device() -> None:
    if not gpu.devices():
        pytest.skip("no device for kernels; Debian: mesa-vulkan-drivers")


@pytest.mark.execute
def test_each_expectation_is_a_test(tmp_path: Path) -> None:
    needs_device()
    folder = project(tmp_path, scale=SCALE.replace("{factor}", "2"), ordinary="// test: nothing\nfloat x;\n")
    result = run_pytest(folder, "-vv")
    assert "scale.hlsl::doubles every number: target == source * 2 PASSED" in result.stdout
    assert "2 passed" in result.stdout


def test_without_a_driver_tests_run_on_the_interpreter_with_one_warning(tmp_path: Path) -> None:
    folder = project(tmp_path, scale=SCALE.replace("{factor}", "2"))
    result = run_pytest(folder, "-W", "error", without_driver=True)
    assert "2 passed, 1 warning" in result.stdout, result.stdout + result.stderr
    assert "kernels run on the interpreter, which is slow: vulkan has none; wgpu has none" in result.stdout


@pytest.mark.execute
def test_plug_ins_that_look_at_fixtures(tmp_path: Path) -> None:
    pytest.importorskip("pytest_lsp", reason="pytest-lsp is not installed")
    needs_device()
    project(tmp_path, good=SCALE.replace("{factor}", "2"))
    done = run_pytest(tmp_path, "-p", "pytest_lsp")
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.execute
def test_a_difference_has_a_place_and_values(tmp_path: Path) -> None:
    needs_device()
    result = run_pytest(project(tmp_path, scale=SCALE.replace("{factor}", "3, within 0.1")))
    assert "scale.hlsl:10:14: error: 7 of 8 elements differ\n    [1] 2.0, expected 3.0" in result.stdout
    assert "HLSL1799" in result.stdout
    assert "Traceback" not in result.stdout
    assert "1 failed, 1 passed" in result.stdout


@pytest.mark.execute
def test_settings(tmp_path: Path) -> None:
    needs_device()
    text = """
        #include "more.hlsli"
        RWTexture2D<float> target : register(u0);
        // gpu test: fills
        //   kernel: fill
        //   define: VALUE = 3
        //   profile: cs_6_0
        //   target = zeros((4, 4))
        //   threads: (4, 4)
        //
        //   expect: target[1:, 0] == VALUE_OF(3)
        //   expect: max(target) <= 3
        //   expect: target == full((4, 4), 3)
        [numthreads(8, 8, 1)] void fill(uint2 i : SV_DispatchThreadID) { target[i] = VALUE + NOTHING; }
    """
    folder = project(tmp_path, fill=text.replace("VALUE_OF(3)", "3"))
    (folder / "include").mkdir()
    (folder / "include" / "more.hlsli").write_text("#define NOTHING 0\n")
    (folder / "pytest.ini").write_text("[pytest]\nhlsl_include_dirs = include\n")
    result = run_pytest(folder)
    assert "3 passed" in result.stdout, result.stdout
    (folder / "pytest.ini").write_text("[pytest]\nhlsl_tests =\n")
    assert "no tests ran" in run_pytest(folder).stdout


@pytest.mark.execute
def test_errors_of_the_shader(tmp_path: Path) -> None:
    needs_device()
    result = run_pytest(project(tmp_path, scale=SCALE.replace("{factor}", "2").replace("source[i]", "sauce[i]")))
    assert "error: use of undeclared identifier 'sauce'" in result.stdout
    assert "Traceback" not in result.stdout


@pytest.mark.execute
def test_the_fixture(tmp_path: Path) -> None:
    needs_device()
    (tmp_path / "test_it.py").write_text("def test_it(gpu):\n    assert gpu.load\n")
    assert "1 passed" in run_pytest(project(tmp_path)).stdout
    missing = {"HLSL_TOOL_GPU": "vulkan:no such device"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(missing.items())))
        assert "1 skipped" in run_pytest(tmp_path).stdout


MISTAKES = [
    ("//  wanted: 1", 2, 5, "there is no setting `wanted`"),
    ("//  any text", 2, 5, "this line is none of a test"),
    ("//  a = 1\n//  a = 2", 3, 9, "`a` is given twice"),
    ("//  groups:", 2, 12, "`groups` has no value"),
    ("//  define: 3 = 4", 2, 13, "a macro is `define: NAME = VALUE`"),
    ("//  expect: a == 1, within x", 2, 28, "`x` is no number"),
    ("//  groups: 1", 1, 14, "a test needs a line `expect:`"),
    ("//  groups: 1\n//  threads: 1\n//  expect: a == 1", 1, 14, "a test needs either `groups:` or `threads:`"),
]


@pytest.mark.parametrize(("lines", "line", "column", "problem"), MISTAKES, ids=[row[3] for row in MISTAKES])
def test_mistakes_in_comments(lines: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(TestError) as error:
        parse("a.hlsl", f"// gpu test: name\n{lines}\n".encode())
    place = error.value.diagnostic.location
    assert error.value.diagnostic.code.id == "HLSL1798"
    assert error.value.diagnostic.message == problem
    assert place is not None
    assert (place.line, place.col) == (line, column)


EXPRESSIONS = [
    ("target == (1", 10, "this is no expression: '(' was never closed"),
    ("target == nothing", 10, "there is no array `nothing`"),
    ("target == open(1)", 10, "there is no function `open`"),
    ("target == source.size", 10, "expressions have numbers, arrays, operators and calls only"),
    ("target", 0, "an expectation is a comparison, such as `target == source * 2`"),
    ("target == arange(3)", 0, "the shapes (8,) and (3,) differ"),
    ("target == zeros(-1)", 10, "ValueError: negative dimensions are not allowed"),
]


@pytest.mark.execute
@pytest.mark.parametrize(("text", "column", "problem"), EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_mistakes_in_expressions(text: str, column: int, problem: str, tmp_path: Path) -> None:
    from hlsl_tool.gpu.testing.running import Run

    needs_device()
    source = SCALE.replace("target == source * {factor}", text)
    (tmp_path / "scale.hlsl").write_text(source)
    (test,) = parse("scale.hlsl", source.encode())
    with pytest.raises(TestError) as error:
        Run(test, tmp_path / "scale.hlsl", []).check(test.expectations[0])
    place = error.value.diagnostic.location
    assert error.value.diagnostic.message == problem
    assert place is not None
    assert place.col == 14 + column


CHECKED = """
RWStructuredBuffer<float> target;
groupshared float values[64];

// gpu test: turns the order around
//   target = arange(64)
//   threads: 64
//   check: {check}
//   expect: target == arange(64)
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID)
{
    values[i] = target[i];
    target[i] = 63 - values[63 - i];
}
"""


def test_checks_find_races(tmp_path: Path) -> None:
    from hlsl_tool.gpu.testing.running import Run

    (tmp_path / "turned.hlsl").write_text(CHECKED)

    def result(check: str) -> None:
        (test,) = parse("turned.hlsl", CHECKED.replace("{check}", check).encode())
        Run(test, tmp_path / "turned.hlsl", []).check(test.expectations[0])

    result("floats")
    with pytest.raises(TestError) as error:
        result("true")
    assert error.value.diagnostic.code.name == "race"
    assert error.value.diagnostic.location is not None
    assert error.value.diagnostic.location.line == 14
    with pytest.raises(TestError, match="there is no check `rates`"):
        result("rates")


def test_files_are_skipped_without_numpy(tmp_path: Path) -> None:
    folder = project(tmp_path, scale=SCALE.replace("{factor}", "2"))
    (folder / "conftest.py").write_text("import sys\nsys.modules['numpy'] = None\n")
    (folder / "test_it.py").write_text("def test_it(gpu):\n    pass\n")
    result = run_pytest(folder, "-rs")
    assert "2 skipped" in result.stdout
    assert result.stdout.count("needs numpy: pip install hlsl_tool[gpu]") == 2


def test_the_plugin_imports_pytest_only() -> None:
    code = (
        "import sys, hlsl_tool.gpu.pytest_plugin;"
        "names = 'numpy', 'vulkan', 'wgpu', 'hlsl_tool.compiler', 'hlsl_tool.reflection'\n"
        "print([name for name in names if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
