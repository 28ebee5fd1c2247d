"""Only `hlsl_tool/base/system` writes and deletes files; it follows no link out of a folder."""

from __future__ import annotations

import ast
import os
import pathlib
import re
import sys

import pytest

from hlsl_tool.base.system import atomic_write, user_folder
from hlsl_tool.base.system.atomic_write import (
    WriteError,
    append_own,
    remove_own,
    remove_tree,
    touch,
    write_all,
    write_own,
)
from hlsl_tool.base.system.replacing import written_by_program

ROOT = pathlib.Path(__file__).resolve().parents[3]

GATE = "hlsl_tool/base/system/"
GENERATORS = {
    "hlsl_tool/cli/compatible/document.py",
    "hlsl_tool/cli/project/template/draw.py",
    "hlsl_tool/base/diagnostics/clang_groups.py",
    "hlsl_tool/base/diagnostics/document.py",
    "hlsl_tool/reflection/generate_vulkan.py",
    "hlsl_tool/reflection/schema.py",
    "hlsl_tool/spirv/grammar/generate.py",
    "hlsl_tool/frontend/syntax/build_tables.py",
    "hlsl_tool/spirv/tools/bundle.py",
}
"""Programs of the developers, which write files of this repository, and a program of the user."""

SYSTEM = {
    "os": "chmod chown link makedirs mkdir mknod remove removedirs rename renames replace rmdir symlink truncate unlink"
    " utime",
    "shutil": "copy copy2 copyfile copytree move rmtree",
    "tempfile": "NamedTemporaryFile TemporaryDirectory mkdtemp mkstemp",
}
PATH = "hardlink_to rmdir rmtree symlink_to unlink write_bytes write_text"
"""Methods of `pathlib.Path`, as far as other classes have none of their names."""
NAMES = re.compile(rf"\b(?:open|{'|'.join(' '.join([*SYSTEM.values(), PATH]).split())})\(")
"""A call by any of these names; a file without one needs no parser."""


def writes(tree: ast.AST) -> list[ast.Call]:
    """Return the calls in a syntax tree that write to the file system, or delete from it."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_write(node)]


def is_write(call: ast.Call) -> bool:
    owner, name = "", ""
    if isinstance(call.func, ast.Attribute):
        owner, name = ast.unparse(call.func.value), call.func.attr
    elif isinstance(call.func, ast.Name):
        name = call.func.id
    modes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    mode = "".join(ast.unparse(each) for each in modes)
    if name == "open":
        opens = bool(set("wax+") & set(mode)) if owner in ("", "io") else owner == "os" and "O_RDONLY" not in mode
        return opens and "devnull" not in ast.unparse(call)
    if name == "bind" and owner in ("listener", "socket"):  # makes a file, if the address is a path
        return not isinstance(call.args[0], ast.Tuple)
    is_method = owner not in ("", "folder", "top") and name in PATH.split()
    return is_method or name in SYSTEM.get(owner, "").split()


def test_files_are_written_at_one_place() -> None:
    found = []
    for path in sorted(ROOT.glob("hlsl_tool/**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(GATE) and name not in GENERATORS:
            text = path.read_text("utf-8")
            calls = writes(ast.parse(text)) if NAMES.search(text) else []
            found += [f"{name}:{call.lineno}: {ast.unparse(call)}" for call in calls]
    assert not found, "call a function of hlsl_tool.base.system.atomic_write:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "os.remove(x)",
        "open(x, 'wb')",
        "os.open(x, os.O_WRONLY)",
        "shutil.rmtree(x)",
        "Path(x).write_text('')",
        "listener.bind(x)",
    ],
)
def test_calls_that_write_are_recognised(text: str) -> None:
    assert writes(ast.parse(text))
    assert not writes(ast.parse("listener.bind((host, port))"))
    assert not writes(ast.parse("open(x)\nos.open(x, os.O_RDONLY)\ntext.replace('a', 'b')\nopen(x, 'rb')"))


# ---------------------------------------------------------------- private folders


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_a_link_in_the_place_of_a_private_file_is_not_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "other").write_text("old")
    os.utime(tmp_path / "other", (0, 0))
    folder = tmp_path / "private"
    assert user_folder.make_private(str(folder))
    (folder / "file").symlink_to("../other")
    (folder / "new").symlink_to("../new")
    for change in (user_folder.open_private, user_folder.touch_private):
        for name in ("file", "new"):
            with pytest.raises(OSError):
                change(str(folder / name))
    assert ((tmp_path / "other").stat().st_mtime, (tmp_path / "new").exists()) == (0, False)
    user_folder.remove_private(str(folder / "file"))
    assert not os.path.lexists(folder / "file")
    (folder / "file").write_text("mine")
    user_folder.remove_private(str(folder / "file"))
    assert (folder / "file").read_text() == "mine"
    assert (tmp_path / "other").exists()
    folder.chmod(0o755)
    assert not user_folder.make_private(str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_what_a_program_writes_replaces_a_file_when_it_is_complete(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "library"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), written_by_program(str(path), 0o700) as scratch:
        pathlib.Path(scratch).write_text("half")
        raise ZeroDivisionError
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["library"])
    with written_by_program(str(path), 0o700) as scratch:
        pathlib.Path(scratch).write_text("new")
        assert path.read_text() == "old"
    assert (path.read_text(), os.listdir(tmp_path), path.stat().st_mode & 0o777) == ("new", ["library"], 0o700)


# ---------------------------------------------------------------- links

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need rights")


@pytest.fixture
def linked(tmp_path: pathlib.Path) -> pathlib.Path:
    """Create a project with links to a folder and a file outside of it, and to a folder inside."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("old")
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "out").symlink_to("../other")
    (root / "in").symlink_to("inner")
    (root / "file").symlink_to("../other/file")
    return root


@posix
def test_links_out_of_a_folder_are_refused(linked: pathlib.Path) -> None:
    root, path = str(linked), str(linked / "out/file")
    for write in (lambda: write_all({path: b"new"}, below=root), lambda: write_own(path, b"new", below=root)):
        with pytest.raises(WriteError, match="a symbolic link leads out of the project"):
            write()
    for change in (append_own, lambda path, below: remove_own(path, below=below), remove_tree):
        with pytest.raises(OSError, match="a symbolic link leads out"):
            change(path, below=root) if change is not append_own else append_own(path, b"new", below=root)
    before = os.stat(path).st_mtime_ns
    touch(path, below=root)
    assert os.stat(path).st_mtime_ns == before
    with pytest.raises(WriteError, match="leads out"):
        write_own(str(linked / "out/deep/er/file"), b"", below=root)
    assert os.listdir(linked / "out") == ["file"]
    assert (linked / "out/file").read_text() == "old"


@posix
def test_links_within_a_folder_are_entered(linked: pathlib.Path) -> None:
    write_own(str(linked / "in/deep/a"), b"new", below=str(linked))
    assert (linked / "inner/deep/a").read_bytes() == b"new"
    append_own(str(linked / "in/deep/a"), b"er", below=str(linked))
    assert (linked / "inner/deep/a").read_bytes() == b"newer"
    remove_tree(str(linked / "in/deep"), below=str(linked))
    assert os.listdir(linked / "inner") == []


@posix
def test_a_link_in_the_place_of_a_file(linked: pathlib.Path) -> None:
    path = str(linked / "file")
    with pytest.raises(OSError, match="something else"):
        append_own(path, b"new", below=str(linked))
    write_all({path: b"user"})
    assert (linked.parent / "other/file").read_text() == "user"  # a user who names a link means its target
    write_all({path: b"new"}, below="")
    assert not os.path.islink(path)
    assert (linked.parent / "other/file").read_text() == "user"
    with pytest.raises(OSError):
        remove_tree(str(linked / "in"), below=str(linked))


@posix
def test_a_link_that_appears_while_a_file_is_written(linked: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written outside of the project if a folder is replaced by a link during the write.

    The replacement happens when the folder is opened, or when the links before it are resolved.
    """
    (linked / "late").mkdir()
    (linked / "inner/late").mkdir()

    def replace_late(folder: str) -> None:
        if folder.endswith("late") and not os.path.islink(linked / "inner" / folder):
            for path in (linked / "late", linked / "inner/late"):
                os.rmdir(path)
                os.symlink(linked.parent / "other", path)

    opens, resolves = os.open, os.path.realpath

    def late_open(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        replace_late(str(path))
        return opens(path, flags, mode, dir_fd=dir_fd)

    def late_realpath(path: str, **options: bool) -> str:
        resolved = resolves(path, **options)
        replace_late(str(path))
        return resolved

    with monkeypatch.context() as patched:
        patched.setattr(atomic_write.os, "open", late_open)
        with pytest.raises(WriteError, match="leads out"):
            write_own(str(linked / "late/file"), b"new", below=str(linked))
    for path in (linked / "late", linked / "inner/late"):
        path.unlink()
        path.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(atomic_write.os.path, "realpath", late_realpath)
        with pytest.raises(WriteError, match="`late` is a link"):
            write_own(str(linked / "in/late/file"), b"new", below=str(linked))
    assert (linked.parent / "other/file").read_text() == "old"


@posix
def test_parent_folders_behind_links_count_from_their_targets(linked: pathlib.Path) -> None:
    (linked / "inner/deep").mkdir()
    (linked / "to").symlink_to("inner/deep")
    write_own(f"{linked}/to/../file", b"new", below=str(linked))
    assert (linked / "inner/file").read_bytes() == b"new"
    with pytest.raises(WriteError, match="leads out"):
        write_own(f"{linked}/out/../file", b"new", below=str(linked))
    assert not (linked.parent / "file").exists()


@posix
def test_a_folder_is_entered_with_one_call_for_each_part(linked: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing below a folder without links resolves no path: builds enter folders several times for each shader."""
    (linked / "build/shaders").mkdir(parents=True)
    monkeypatch.setattr(atomic_write.os.path, "realpath", lambda path: pytest.fail(f"{path} was resolved"))
    append_own(str(linked / "build/shaders/log"), b"line", below=str(linked))
    write_own(str(linked / "build/new/file"), b"new", below=str(linked))
    assert (linked / "build/new/file").read_bytes() == b"new"
