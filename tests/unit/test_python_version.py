"""Older versions of Python: a checkout that they start ends with one clear line."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hlsl_tool

PACKAGE = Path(hlsl_tool.__file__).parent


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "hlsl2spirv.py"])
def test_files_that_are_read_first_suit_old_parsers(name: str) -> None:
    text = (PACKAGE / name).read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 6))
    assert "from __future__ import annotations" not in text


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Import the package in a process that pretends to be an older Python."""
    text = f"import sys; sys.version_info = (3, 9, 2, 'final', 0); sys.argv = {list(arguments)}; import hlsl_tool"
    return subprocess.run([sys.executable, "-c", text], cwd=PACKAGE.parent, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not (PACKAGE / "__init__.py").exists(), reason="the package is compiled")
def test_a_program_ends_with_one_line() -> None:
    run = started("-m")
    assert run.returncode == 1
    assert run.stderr.startswith("hlsl_tool needs Python 3.11 or later; ")
    assert run.stderr.count("\n") == 1


def test_an_import_raises_import_error() -> None:
    assert "ImportError: hlsl_tool needs Python 3.11 or later; " in started("program.py").stderr
