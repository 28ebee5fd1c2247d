"""Files that differ only in comments and white space, and look-ups of results by their normalised hashes."""

from __future__ import annotations

import pathlib
from dataclasses import replace

import pytest

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.currency.digests import Digests
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, compile_job, disk, message
from hlsl_tool.project.build.store import direct_mode as direct
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.normalised_hash import normalised_hash
from hlsl_tool.project.build.store.results import Result, Store

PLAIN = '#define F(x) #x\n#include <a  b.hlsli>\nfloat f(int i) { return i / 2; }\nstatic string s = "a // b";\n'


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("\n", "\r\n"),
        "// first\n\n" + PLAIN,
        PLAIN + "/* last\n\n */ \n",
        PLAIN.replace("int i", "int  i"),
        PLAIN.replace("return", "return /* half\n of it */"),
        PLAIN.replace("{", "\\\n {"),
        PLAIN.replace(";", "; "),
        PLAIN.replace("float", "// x \\\n y\nfloat"),
        PLAIN.replace("#define", "#  define").replace("#  d", "#d"),
    ],
)
def test_comments_and_white_space_mean_nothing(other: str) -> None:
    assert normalised_hash(other.encode()) == normalised_hash(PLAIN.encode()) != ""


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("F(x)", "F (x)"),
        PLAIN.replace("a  b", "a b"),
        PLAIN.replace('"a // b"', '"a //  b"'),
        PLAIN.replace("i / 2", "i // 2"),
        PLAIN.replace("#define F(x) #x\n", "#define F(x) #x"),
        PLAIN.replace("int i", "inti"),
        PLAIN.replace("#x\n", "#x \\\n"),
        PLAIN.replace("/ 2", "/* 2"),
    ],
)
def test_whatever_else_differs_counts(other: str) -> None:
    assert normalised_hash(other.encode()) != normalised_hash(PLAIN.encode())


@pytest.mark.parametrize(
    "text",
    [
        b"int a = __LINE__;",
        b"int a = __LI\\\nNE__;",
        b"int a; /* open",
        b"int a; // \xff",
        b"int a; // \0",
    ],
)
def test_files_of_which_more_counts_have_none(text: bytes) -> None:
    assert normalised_hash(text) == ""


def test_line_numbers_in_comments_are_no_matter() -> None:
    assert normalised_hash(b"int a; // __LINE__") == normalised_hash(b"int a;")


class Project:
    """A source with a header, and its result in a store."""

    def __init__(self, root: pathlib.Path, *, told: bool = False, **fields: object) -> None:
        self.root = root
        options = CompileOptions(profile="ps_6_0", debug=fields.pop("debug", ()), defines=fields.pop("defines", ()))
        self.job = replace(Job("a", "a.hlsl", options, {"spv": "out/a.spv"}), **fields)  # type: ignore[arg-type]
        self.store: Store = StoreOptions((str(root / "store"),)).open()
        (root / "a.hlsl").write_text('#include "b.hlsli"\n')
        (root / "b.hlsli").write_text("int b;\n")
        digests = Digests(str(root))
        files = {name: digests.digest_fresh(name) for name in ("a.hlsl", "b.hlsli")}
        result = JobResult(dict.fromkeys(self.job.targets, b"data"), files=files, missing=["c.hlsli"])
        if told:
            result.diagnostics.append(message(codes.CANNOT_READ, None, path="x", reason="y"))
        direct.put(self.store, self.job, str(root), result)

    def find(self) -> str:
        found = direct.lookup(self.store, self.job, str(self.root), Digests(str(self.root)).digest_stat)
        if found is None:
            return ""
        assert found.outputs == dict.fromkeys(self.job.targets, b"data")
        assert found.files["b.hlsli"] == Digests(str(self.root)).digest_fresh("b.hlsli")
        return found.reused


def test_results_are_found_by_the_meanings_of_files(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path)
    assert project.find() == "files"
    (tmp_path / "b.hlsli").write_text("// of b\nint  b;\n")
    assert project.find() == "meanings"
    (tmp_path / "b.hlsli").write_text("// of b\nint bb;\n")
    assert project.find() == ""
    (tmp_path / "b.hlsli").write_text("int b; // of b\n")
    (tmp_path / "c.hlsli").write_text("")
    assert project.find() == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"debug": ("line",)},
        {"defines": (("L", "__LINE__"),)},
        {"is_linked": True},
        {"targets": {"wgsl": "out/a.wgsl"}},
        {"told": True},
    ],
)
def test_outputs_with_source_positions_need_identical_files(tmp_path: pathlib.Path, fields: dict[str, object]) -> None:
    """After an edit of a comment, results with source positions are not found.

    Positions occur in debug lines, `__LINE__`, link checks, errors of WGSL, and diagnostics (here HLSL0902).
    """
    project = Project(tmp_path, **fields)  # type: ignore[arg-type]
    assert project.find() == "files"
    (tmp_path / "b.hlsli").write_text("// of b\nint b;\n")
    assert project.find() == ""


def test_a_source_with_another_comment_is_found(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "a.hlsl").write_text('// a\n#include "b.hlsli"\n')
    assert project.find() == "meanings"
    (tmp_path / "b.hlsli").write_text("int b; // too\n")
    assert project.find() == "meanings"
    (tmp_path / "a.hlsl").write_text('// a\n#include "b.hlsli"\nint a;\n')
    assert project.find() == ""


def test_only_files_that_changed_are_read(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path)
    (tmp_path / "b.hlsli").write_text("int b; // of b\n")
    direct._normalised.clear()
    read, normalised = [], direct._normalised_hash

    def logged(root: str, name: str, content: str) -> str:
        read.append(name)
        return normalised(root, name, content)

    monkeypatch.setattr(direct, "_normalised_hash", logged)
    assert project.find() == "meanings"
    assert set(read) == {"b.hlsli"}


def test_a_list_of_another_version_is_a_miss(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path, debug=("line",))
    key = direct._list_key(project.job, Digests(str(tmp_path)).digest_fresh("a.hlsl"))
    [listed] = direct._candidates(project.store.get(key))
    for datum in ([], None, [3], [[{}, []]], [[listed.files, [], {"a.hlsl": "x"}]], [[listed.files, 3, {}]]):
        project.store.put(key, Result(datum))
        assert project.find() == ""
    project.store.put(key, Result([list(listed)]))
    assert project.find() == "files"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("#define JOIN(a, b) a##b\n#define CAT(a, b) JOIN(a, b)\n", "meanings"),
        ("#define CAT(a, b) a##b\n", ""),
    ],
)
def test_a_pasted_line_number_is_one(tmp_path: pathlib.Path, header: str, found: str) -> None:
    """A result is not found after an added line if the shader forms `__LINE__` by pasting tokens with `##`."""
    project = Project(tmp_path)
    (tmp_path / "b.hlsli").write_text(header)
    pasted = "CAT(__LI, NE__)" if not found else "CAT(1, 2)"
    (tmp_path / "a.hlsl").write_text(f'#include "b.hlsli"\nfloat4 main() : SV_Target {{ return {pasted}; }}\n')
    result = compile_job(project.job, str(tmp_path), disk(str(tmp_path)), None)
    assert result.ok
    result.outputs = {"spv": b"data"}
    direct.put(project.store, project.job, str(tmp_path), result)
    assert project.find() == "files"
    (tmp_path / "a.hlsl").write_text("\n" + (tmp_path / "a.hlsl").read_text())
    assert project.find() == found
