"""Configurations are found from the root of a project and from folders inside of it."""

from __future__ import annotations

import argparse
import pathlib

import pytest

from hlsl_tool.cli.common import configs


def test_configurations_are_found_from_the_root_and_from_here(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "SConstruct").touch()
    for folder in ("config", "sub"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.yaml").touch()
    monkeypatch.chdir(tmp_path / "sub")
    options = argparse.Namespace(root=None, config=["sub.yaml", "config/config.yaml", "missing.yaml"])
    assert configs(options) == [str(pathlib.Path("sub") / "sub.yaml"), "config/config.yaml", "missing.yaml"]
    assert configs(argparse.Namespace(root=None, config=None)) == ["config/shaders"]
