"""The stored hash of the compiler's code is used only while no file of the package has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hlsl_tool
from hlsl_tool.project.build.currency import toolchain


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package instead of ours, whose files are old enough for their hash to be stored."""
    folder = tmp_path / "package"
    for name in ("a.py", "sema/b.py", "sema/deep/c.py", "headers/vk/d", "sema/__pycache__/b.pyc", "sema/notes.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.setattr(hlsl_tool, "__file__", str(folder / "__init__.py"))
    monkeypatch.setattr(toolchain, "RENDERING", ("a.py",))
    monkeypatch.setattr(toolchain, "PACKAGES", ("sema", "headers"))
    monkeypatch.setattr(toolchain, "AT_REST", -(10**12))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def fingerprint() -> str:
    toolchain.compiler_fingerprint.cache_clear()
    try:
        return toolchain.compiler_fingerprint()
    finally:
        toolchain.compiler_fingerprint.cache_clear()


def stored_at(package: Path) -> Path:
    (path,) = (package.parent / "cache" / "hlsl_tool").glob("fingerprint-*")
    return path


def mark(package: Path) -> None:
    """Replace the package's stored hash by the text `stored`, so that a test can detect its use."""
    path = stored_at(package)
    stamps, _ = path.read_text().split()
    path.write_text(f"{stamps} stored\n")


def test_the_second_process_reads_no_file(package: Path) -> None:
    first = fingerprint()
    mark(package)
    assert fingerprint() == "stored"
    stored_at(package).unlink()
    assert fingerprint() == first


@pytest.mark.parametrize("name", ["a.py", "sema/b.py", "sema/deep/c.py", "headers/vk/d"])
def test_a_write_that_restores_time_and_size_is_seen(package: Path, name: str) -> None:
    first = fingerprint()
    path = package / name
    status = path.stat()
    path.write_text(path.read_text()[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert fingerprint() not in (first, "stored")


def test_new_removed_and_renamed_files_are_seen(package: Path) -> None:
    seen = {fingerprint()}
    for change in (
        lambda: (package / "sema/new.json").write_text(""),
        lambda: (package / "sema/new.json").rename(package / "sema/other.json"),
        lambda: (package / "sema/other.json").unlink(),
    ):
        change()
        seen.add(fingerprint())
    assert len(seen) == 3


def test_files_that_are_not_code_do_not_matter(package: Path) -> None:
    first = fingerprint()
    mark(package)
    (package / "sema/notes.txt").write_text("more")
    (package / "sema/__pycache__/b.pyc").write_text("more")
    assert fingerprint() == "stored"
    stored_at(package).unlink()
    assert fingerprint() == first


def test_a_file_that_others_may_write_is_not_read(package: Path) -> None:
    first = fingerprint()
    mark(package)
    stored_at(package).chmod(0o666)
    assert fingerprint() == first


@pytest.mark.parametrize("text", ["", "x", "a b c", "\xff\xfe", "{stamps}"])
def test_damaged(package: Path, text: str) -> None:
    first = fingerprint()
    stored_at(package).write_bytes(text.encode("latin-1"))
    assert fingerprint() == first


def test_files_that_were_just_written_are_not_stored(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "AT_REST", 10**15)
    assert fingerprint() == fingerprint()
    assert not (package.parent / "cache").exists()


def test_without_a_place_to_store(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package.parent / "cache").write_text("a file")
    assert fingerprint() == fingerprint()
