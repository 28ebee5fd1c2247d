"""Wheels contain SPIRV-Tools: programs, library and a description with the hash of each file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool.spirv.tools import bundle, package

pytestmark = pytest.mark.skipif(package.installed() is None, reason="SPIRV-Tools is neither bundled nor installed")


def copy_of(folder: Path) -> Path:
    """Create a bundle in a folder: a copy of this package's bundle, or a fake one."""
    target = folder / "spirv_tools"
    if package.cmeel_package() is not None:
        assert bundle.bundle(str(target))
    else:
        target.symlink_to(package.BUNDLE)
    return target


def test_a_bundle_is_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "BUNDLE", str(copy_of(tmp_path)))
    bundled = package.installed.__wrapped__()
    assert bundled is not None and bundled.version.startswith("v20")
    for name in bundle.PROGRAMS:
        path = bundled.program(name)
        assert os.access(path, os.X_OK) and bundled.digest(path)
    text = subprocess.run([bundled.program("spirv-val"), "--version"], capture_output=True, text=True, check=True)
    assert bundled.version in text.stdout


def test_a_changed_program_has_no_recorded_hash(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "spirv-opt"
    program.parent.mkdir()
    program.write_bytes(b"12345")
    copy = package.Package(str(tmp_path), "v2099.1", {"bin/spirv-opt": ("abc", 5)})
    assert copy.digest(str(program)) == "abc"
    program.write_bytes(b"123456")
    assert copy.digest(str(program)) == ""
    assert copy.digest(str(tmp_path / "bin")) == ""


def test_without_a_bundle_the_other_package_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "BUNDLE", str(tmp_path / "none"))
    assert package.installed.__wrapped__() == package.cmeel_package()


def test_a_bundle_has_the_hashes_of_its_files(tmp_path: Path) -> None:
    target = copy_of(tmp_path)
    version, *lines = (target / package.DESCRIPTION).read_text().splitlines()
    files = {name: (digest, int(size)) for name, digest, size in (line.split(",") for line in lines)}
    assert version.startswith("v20")
    assert {name for name in files if name.startswith("bin/")} == {f"bin/{n}" for n in bundle.PROGRAMS}
    for name, (digest, size) in files.items():
        assert (target / name).stat().st_size == size and len(digest) >= len("sha256=") + 43


def test_building_imports_the_standard_library_only() -> None:
    program = (
        "import sys, hlsl_tool.spirv.tools.bundle\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('yaml', 'lark')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
