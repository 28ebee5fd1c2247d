"""Reading of source files: encodings, line ends, caches and file systems in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.base.source import CachedFileSystem, MemoryFileSystem, OSFileSystem, SourceFile, decode


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-8"])
def test_byte_order_marks(encoding: str) -> None:
    assert decode("größe\n".encode(encoding)).text == "größe\n"


def test_wrong_bytes_are_latin_1() -> None:
    decoded = decode(b"ok \xc3\xa9 \xe9 \xc3\xa9")
    assert decoded.text == "ok é é é"
    assert decoded.invalid == 5
    assert decode(b"ok").invalid == -1


def test_nul() -> None:
    assert decode(b"ab\0c").nul == 2
    assert decode(b"abc").nul == -1


def test_lines() -> None:
    file = SourceFile("a.hlsl", "/a.hlsl", "one\r\n\nthree")
    assert [file.line_col(offset) for offset in (0, 2, 5, 6, 10)] == [(1, 1), (1, 3), (2, 1), (3, 1), (3, 5)]
    assert [file.line_text(line) for line in (0, 1, 2, 3, 4)] == ["", "one", "", "three", ""]
    assert file.line_count == 3
    assert file.line_start(3) == 6


def test_lone_carriage_return_ends_a_line() -> None:
    assert SourceFile.from_bytes("a", "/a", b"x\ry\r\nz").line_text(2) == "y"


def test_renaming_shares_the_content() -> None:
    file = SourceFile.from_bytes("a", "/a", b"x")
    other = file.renamed("./a")
    assert (other.name, other.path, other.digest) == ("./a", "/a", file.digest)
    assert file.renamed("a") is file
    assert SourceFile.from_bytes("a", "/a", b"y").digest != file.digest


def test_memory() -> None:
    fs = MemoryFileSystem({"a/b.h": "x", "/c.h": b"y"})
    assert fs.read("/a/../a/./b.h") == b"x"
    assert fs.read("c.h") == b"y"
    assert fs.read("C.h") is None
    assert fs.listdir("/") == ["a", "c.h"]
    assert fs.listdir("none") is None


def test_disk(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.h").write_bytes(b"x")
    fs = OSFileSystem(str(tmp_path))
    path = fs.resolve("sub/../sub/a.h")
    assert path == str(tmp_path / "sub" / "a.h")
    assert fs.read(path) == b"x"
    assert fs.listdir(str(tmp_path)) == ["sub"]
    for missing in ("sub", "none", "sub/a.h/x", "x" * 5000, "a\0b"):
        assert fs.read(str(tmp_path) + "/" + missing) is None
    assert fs.listdir(str(tmp_path / "none")) is None


def test_cached_files_are_kept_until_forget() -> None:
    inner = MemoryFileSystem({"a": "1"})
    fs = CachedFileSystem(inner)
    assert (fs.read("a"), fs.read("b"), fs.listdir("/")) == (b"1", None, ["a"])
    inner.write("a", "2")
    inner.write("b", "3")
    assert (fs.read("/a"), fs.read("b"), fs.listdir("/")) == (b"1", None, ["a"])
    fs.forget(["a", "b"])
    assert (fs.read("a"), fs.read("b"), fs.listdir("/")) == (b"2", b"3", ["a", "b"])
