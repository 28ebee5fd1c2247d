"""The locations in which SPIRV-Tools are searched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.spirv.tools import locate, package


def program(path: Path) -> str:
    """Create an executable file and return its path."""
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\necho v2099.1\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
def test_the_vulkan_sdk_comes_after_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "installed", lambda: None)
    on_path, in_sdk = program(tmp_path / "path/spirv-val"), program(tmp_path / "sdk/bin/spirv-val")
    sdk = {"VULKAN_SDK": str(tmp_path / "sdk")}
    assert locate.locate("spirv-val", env={"PATH": "", **sdk}) == in_sdk
    assert locate.locate("spirv-val", env={"PATH": os.path.dirname(on_path), **sdk}) == on_path
    assert locate.locate("spirv-val", env={"PATH": ""}) is None
    assert locate.locate("spirv-val", str(tmp_path / "none"), {"PATH": "", **sdk}) is None, "the option is explicit"


@pytest.mark.skipif(package.installed() is None, reason="no SPIRV-Tools in a package")
def test_the_library_and_the_program_of_a_package_have_different_identities(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may write different modules, so a result of one is not valid for the other."""
    installed = package.installed()
    assert installed is not None
    path = installed.program("spirv-opt")
    identities = set()
    for library in (None, "/folder/one.so", "/folder/two.so"):
        monkeypatch.setattr(locate, "shared_library", lambda library=library: library)
        identities.add(locate.identity(path))
    assert len(identities) == 3
