"""Replacing a file that another program has open, as on Windows: attempts are repeated for a while."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.base.system import replacing
from hlsl_tool.base.system.atomic_write import WriteError, write_atomic
from hlsl_tool.base.system.replacing import DELAYS, replace_file


class Held(PermissionError):
    """Windows' error for a file that another program has open."""

    winerror = 32


def hold(monkeypatch: pytest.MonkeyPatch, attempts: int) -> list[float]:
    """Make the first attempts to replace a file fail; return the list of pauses between attempts."""
    pauses: list[float] = []
    real = os.replace
    left = [attempts]

    def replace(source: str, target: str) -> None:
        if left[0]:
            left[0] -= 1
            raise Held(13, "The process cannot access the file")
        real(source, target)

    monkeypatch.setattr(replacing.os, "replace", replace)
    monkeypatch.setattr(replacing.time, "sleep", pauses.append)
    return pauses


def test_a_file_that_is_closed_soon_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.spv").write_bytes(b"old")
    pauses = hold(monkeypatch, 3)
    write_atomic(str(tmp_path / "x.spv"), b"new")
    assert (tmp_path / "x.spv").read_bytes() == b"new"
    assert pauses == list(DELAYS[:3])
    assert [path.name for path in tmp_path.iterdir()] == ["x.spv"]


def test_a_file_that_stays_open_is_an_error_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.spv").write_bytes(b"old")
    pauses = hold(monkeypatch, 1000)
    with pytest.raises(WriteError, match="another program holds the file open, or it is read-only"):
        write_atomic(str(tmp_path / "x.spv"), b"new")
    assert pauses == list(DELAYS) and 1 < sum(DELAYS) < 3
    assert (tmp_path / "x.spv").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.spv"], "the temporary file is removed"


def test_other_errors_are_raised_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(replacing.time, "sleep", pauses.append)

    def refuse(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied")  # without Windows' number

    monkeypatch.setattr(replacing.os, "replace", refuse)
    with pytest.raises(PermissionError, match="Permission denied"):
        replace_file("a", "b")
    assert pauses == []
