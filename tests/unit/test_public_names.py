"""`dir` shows what a package has to offer, and nothing private."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hlsl_tool
from hlsl_tool import gpu, reflection


@pytest.mark.parametrize("package", [hlsl_tool, gpu, reflection])
def test_dir_shows_public_names(package: object) -> None:
    names = dir(package)
    assert set(package.__all__) <= set(names)  # type: ignore[attr-defined]
    assert [name for name in names if name.startswith("_") and name != "__version__"] == []
    assert all(getattr(package, name) is not None for name in names)


def test_packages_are_found_without_an_import() -> None:
    text = (
        "import sys, hlsl_tool\n"
        "assert {'gpu', 'compile_shader', '__version__'} <= set(dir(hlsl_tool)), dir(hlsl_tool)\n"
        "assert not [name for name in sys.modules if name.startswith('hlsl_tool.gpu')]\n"
        "assert 'load' in dir(hlsl_tool.gpu)\n"
        "assert not hasattr(hlsl_tool, 'nothing')\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
