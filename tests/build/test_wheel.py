"""The files in the wheel, and the README's SConstruct with only these files."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.build.conftest import SIMPLE

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder that contains only the files of the wheel."""
    pytest.importorskip("setuptools.command.bdist_wheel", reason="setuptools before 70.1 builds no wheels")
    folder = tmp_path_factory.mktemp("wheel")
    source, files = folder / "source", folder / "files"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "hlsl_tool", source / "hlsl_tool", ignore=ignored)
    shutil.copytree(ROOT / "site_scons", source / "site_scons", ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    run(source, "setup.py", "-q", "bdist_wheel", "--dist-dir", str(folder), path=os.environ.get("PYTHONPATH", ""))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(files)
    return files


def run(folder: pathlib.Path, *arguments: str, path: str = "") -> str:
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", "HLSL_TOOL_STORE": "off"}
    environment.pop("HLSL_TOOL_COMPILE", None)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_files_of_this_package_only(installed: pathlib.Path) -> None:
    paths = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    tops = {path.split("/")[0] for path in paths}
    assert "hlsl_tool" in tops
    assert {top for top in tops if not re.fullmatch(r"hlsl_tool(-.*\.dist-info)?", top)} == set()
    assert {"hlsl_tool/scons/tools/hlsl.py", "hlsl_tool/scons/compat.py", "hlsl_tool/py.typed"} <= paths
    assert {"hlsl_tool/frontend/syntax/hlsl.tables", "hlsl_tool/project/pack/hlsl_pack.h"} <= paths
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "hlsl_tool").rglob("*.py")}
    assert sources <= paths


def test_the_sconstruct_of_the_readme_works_with_the_wheel(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    readme = (ROOT / "README.md").read_text()
    script = re.search(r'```python title="SConstruct"\n(.*?)```', readme, re.DOTALL)
    assert script is not None
    shown = "import sys\nprint('TOOL', sys.modules['hlsl'].__file__)\n"
    (tmp_path / "SConstruct").write_text(script[1] + shown)
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "config/shaders/a.yaml").write_text(SIMPLE)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text("float4 main() : SV_Target { return 1; }\n")
    out = run(tmp_path, "-m", "SCons", "-Q", "shaders", path=str(installed))
    assert f"TOOL {installed / 'hlsl_tool/scons/tools/hlsl.py'}" in out
    assert "shaders: 1 built, 0 up to date, 0 failed" in out
    assert (tmp_path / "build/shaders/a.main.spv").is_file()
