"""Archives that reproduce a compilation: the same bytes and messages elsewhere, and errors for other files."""

from __future__ import annotations

import io
import json
import os
import pathlib
import zipfile
from collections.abc import Callable

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.source import CachedFileSystem, MemoryFileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.source.recording import Recording
from hlsl_tool.cli.__main__ import run as hlsl_tool
from hlsl_tool.cli.dxc import execute_safely, run
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers.worker import Compiler
from hlsl_tool.project.repro import archive, make_repro, run_repro
from hlsl_tool.project.repro.archive import BadArchive, unpack
from hlsl_tool.project.repro.bundle import ReplayedFiles, _portable
from hlsl_tool.project.repro.record import record_job
from hlsl_tool.project.repro.replay import run_job, warnings_about

SOURCE = """\
#include "common/color.hlsli"
#include <grade.hlsli>
#if __has_include("local.hlsli")
#include "local.hlsli"
#endif
#ifdef WARM
#warning warm
#endif
float4 main(float4 c : COLOR) : SV_Target { return Tint(c) * GRADE; }
"""
ARGUMENTS = ["-T", "ps_5_0", "-I", "../lib", "-DWARM", "-Gpp", "x.hlsl"]


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A working folder with a source that includes files below it and outside of it."""
    folder = tmp_path / "game"
    (folder / "common").mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    (folder / "x.hlsl").write_text(SOURCE)
    (folder / "common/color.hlsli").write_text("float4 Tint(float4 c) { return c * 0.5; }\n")
    (tmp_path / "lib/grade.hlsli").write_text("#define GRADE 2\n")
    monkeypatch.chdir(folder)
    return folder


def elsewhere(tmp_path: pathlib.Path) -> str:
    folder = tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    return str(folder)


def remove(folder: pathlib.Path) -> None:
    for path in folder.rglob("*.hlsl*"):
        path.unlink()


def record(project: pathlib.Path, *arguments: str) -> str:
    path = str(project.parent / "a.zip")
    assert hlsl_tool(["repro", *arguments, "-o", path]) == 0
    return path


@pytest.mark.parametrize("change", ["", "float y = z;\n", "#error stop\n", '#include "nothing.h"\n', "f(\n"])
def test_a_replay_gives_the_same_bytes_and_messages(project: pathlib.Path, change: str) -> None:
    (project / "x.hlsl").write_text(change + SOURCE)
    want = run([*ARGUMENTS, "-Fo", "x.spv", "-Fc", "x.s"], str(project))
    path = record(project, *ARGUMENTS)
    remove(project.parent)
    folder = elsewhere(project.parent)
    assert run(["--repro", path, "-Fo", "x.spv", "-Fc", "x.s"], folder) == want
    for name in ("x.spv", "x.s"):
        assert (project / name).exists() == (not change)
        if not change:
            assert pathlib.Path(folder, name).read_bytes() == (project / name).read_bytes()


@pytest.mark.parametrize("name", ["Common/Color.hlsli", "common/colour.hlsli", "../LIB/grade.hlsli", "nowhere/x.hlsli"])
def test_hints_about_missing_files_need_no_other_names(name: str, project: pathlib.Path) -> None:
    for folder in (project, project / "common", project.parent):
        (folder / "private.txt").write_text("")
    (project / "common/color-old.hlsli").write_text("")
    (project / "x.hlsl").write_text(f'#include "{name}"\n')
    want = run(["-T", "ps_6_0", "x.hlsl"], str(project))
    path = record(project, "-T", "ps_6_0", "x.hlsl")
    assert "private" not in contents(pathlib.Path(path).read_bytes())["repro.json"].decode()
    remove(project.parent)
    assert run(["--repro", path], elsewhere(project.parent)) == want
    assert run([f"--repro={path}"], elsewhere(project.parent)) == want
    assert "hint" in want[2]


def test_an_archive_replaces_no_source(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target in ("x.hlsl", "common/../common/color.hlsli"):
        before = (project / target).read_bytes()
        assert hlsl_tool(["repro", *ARGUMENTS, "-o", target]) == 2
        assert "and `-o` name one file [HLSL0913]" in capsys.readouterr().err
        assert (project / target).read_bytes() == before


def test_names_of_archives_are_quoted_for_a_shell(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a b$.hlsl").write_text("float4 main() : SV_Target { return 1; }\n")
    assert hlsl_tool(["repro", "-T", "ps_6_0", "a b$.hlsl"]) == 0
    assert capsys.readouterr().out.endswith("; `hlsl2spirv --repro 'a b$.repro.zip'` runs it\n")
    assert (project / "a b$.repro.zip").exists()


def test_an_archive_of_the_standard_input(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.TextIOWrapper(io.BytesIO(b"float4 main() : SV_Target { return 1; }"))
    monkeypatch.setattr("sys.stdin", source)
    assert hlsl_tool(["repro", "-T", "ps_6_0", "-"]) == 0
    assert (project / "stdin.repro.zip").exists()


def test_messages_have_the_form_that_the_replay_asks_for(project: pathlib.Path) -> None:
    (project / "x.hlsl").write_text("float4 main() : SV_Target { return y; }\n")
    path = record(project, "-T", "ps_6_0", "x.hlsl")
    remove(project)
    status, out, err = run(["--repro", path, "--diagnostics=gcc"], elsewhere(project.parent))
    assert (status, out, err) == (1, "", "x.hlsl:1:36: error: use of undeclared identifier 'y' [HLSL0301]\n")


def test_equal_compilations_give_equal_archives(project: pathlib.Path) -> None:
    first = pathlib.Path(record(project, *ARGUMENTS)).read_bytes()
    os.utime(project / "x.hlsl", (0, 0))
    assert pathlib.Path(record(project, *ARGUMENTS)).read_bytes() == first
    with zipfile.ZipFile(io.BytesIO(first)) as members:
        names = members.namelist()
        assert names == sorted(names)
        assert {entry.date_time for entry in members.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        outside = f"outside{project.parent}/lib/grade.hlsli"
        assert names == ["files/common/color.hlsli", "files/x.hlsl", outside, "repro.json"]
        head = json.loads(members.read("repro.json"))
    assert head["options"]["defines"] == [["WARM", None]]
    assert set(head["versions"]) == {"hlsl_tool", "python", "system", "spirv_tools"}
    assert head["recording"]["reads"][str(project / "local.hlsli")] is None


def test_a_file_of_the_archive_may_be_edited(project: pathlib.Path) -> None:
    members = contents(pathlib.Path(record(project, *ARGUMENTS)).read_bytes())
    members["files/common/color.hlsli"] = b"float4 Tint(float4 c) { return y; }"
    result = run_repro(zipped(members, zipfile.ZIP_DEFLATED))
    assert [(d.message, d.location and d.location.file) for d in result.diagnostics if d.severity == "error"] == [
        ("use of undeclared identifier 'y'", "./common/color.hlsli")
    ]


def test_a_library_call() -> None:
    fs = MemoryFileSystem({"/i/a.h": "#define A 0.5\n"})
    source = "#include <a.h>\nfloat4 main() : SV_Target { return A; }"
    options = CompileOptions(include_dirs=("/i",), target_env="vulkan1.2")
    want = compile_shader(source, profile="ps_6_0", options=options, fs=fs, name="tint.hlsl")
    data = make_repro(source, profile="ps_6_0", options=options, fs=fs, name="tint.hlsl")
    got = run_repro(data)
    assert want.ok
    assert (got.ok, got.spirv) == (True, want.spirv)
    with pytest.raises(ValueError, match="target_env"):
        make_repro(source, profile="ps_6_0", options=CompileOptions(target_env="nothing"))


def test_a_shader_of_a_configuration(project: pathlib.Path) -> None:
    (project / "config/shaders").mkdir(parents=True)
    (project / "config/shaders/x.yaml").write_text(
        "source_dir: .\ninclude_dirs: [../lib]\noutput_dir: out\n"
        "shaders:\n  - source: x.hlsl\n    outputs: [spv, reflection, header]\n"
        "    entries: [{entry: main, profile: ps_6_0, defines: {WARM: [0, 1]}}]\n"
    )
    assert hlsl_tool(["build", "--quiet", "--store", "none"]) == 0
    assert hlsl_tool(["repro", "x.main"]) == 2
    path = record(project, "x.main.WARM=1")
    remove(project.parent)
    folder = elsewhere(project.parent)
    status, out, err = run(["--repro", path, "--outputs", "all", "-Fo", "x.spv"], folder)
    assert (status, out) == (0, "")
    assert "x.hlsl:7:2: warning: warm" in err
    for suffix in ("spv", "json", "h"):
        name = f"x.main.WARM=1.{suffix}"
        assert pathlib.Path(folder, "all", name).read_bytes() == next(project.rglob(name)).read_bytes()
    assert pathlib.Path(folder, "x.spv").read_bytes() == pathlib.Path(folder, "all/x.main.WARM=1.spv").read_bytes()


def test_an_internal_error_is_reproduced(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise LookupError("a bug of ours")

    monkeypatch.setattr("hlsl_tool.compiler.stages.Compilation.run", fail)
    status, _, err = execute_safely(["-T", "ps_6_0", "x.hlsl"], str(project)).delivered()
    assert status == 3
    assert "[HLSL0002]" in err
    assert "hlsl_tool repro" in err
    path = record(project, "-T", "ps_6_0", "x.hlsl")
    assert execute_safely(["--repro", path], str(project)).delivered() == (3, "", err)
    job = Job("x", "x.hlsl", CompileOptions(profile="ps_6_0"), {"spv": "x.spv"})
    bundle = record_job(str(project), job)
    assert bundle is not None
    remove(project)
    result, _ = run_job(bundle)
    assert [(d.code.id, d.hint) for d in result.diagnostics] == [
        ("HLSL0002", "please report it with the archive that `hlsl_tool repro x` makes")
    ]


def test_a_shader_without_a_source(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hlsl_tool(["repro", "none.hlsl", "-T", "ps_6_0"]) == 2
    assert capsys.readouterr().err == "hlsl_tool: error: cannot read `none.hlsl`: there is no such file\n"
    assert hlsl_tool(["repro", "x.hlsl", "-T", "ps_9_9"]) == 2
    assert hlsl_tool(["repro"]) == 2
    job = Job("x", "none.hlsl", CompileOptions(profile="ps_6_0"), {"spv": "x.spv"})
    assert record_job(str(project), job) is None


# ---------------------------------------------------------------- other files


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        return {name: members.read(name) for name in members.namelist()}


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as written:
        for name, data in members.items():
            written.writestr(name, data)
    return target.getvalue()


def good() -> bytes:
    return make_repro("float4 main() : SV_Target { return 1; }", profile="ps_6_0", fs=MemoryFileSystem({}))


def edited(change: Callable[[dict[str, object]], object]) -> bytes:
    members = contents(good())
    head = json.loads(members["repro.json"])
    change(head)
    return zipped(members | {"repro.json": json.dumps(head).encode()})


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "no archive": (lambda: b"hello", "HLSL1960"),
    "empty": (lambda: b"", "HLSL1960"),
    "truncated": (lambda: good()[:-30], "HLSL1960"),
    "truncated at the front": (lambda: good()[40:], "HLSL1960"),
    "another archive": (lambda: zipped({"x.hlsl": b""}), "HLSL1960"),
    "path above": (lambda: zipped(contents(good()) | {"../x": b""}), "HLSL1960"),
    "path above inside": (lambda: zipped(contents(good()) | {"files/../../x": b""}), "HLSL1960"),
    "absolute path": (lambda: zipped(contents(good()) | {"/etc/x": b""}), "HLSL1960"),
    "path of Windows": (lambda: zipped(contents(good()) | {"C:/x": b""}), "HLSL1960"),
    "no JSON": (lambda: zipped(contents(good()) | {"repro.json": b"{"}), "HLSL1960"),
    "deep JSON": (lambda: zipped(contents(good()) | {"repro.json": b"[" * 100000}), "HLSL1960"),
    "a list": (lambda: zipped(contents(good()) | {"repro.json": b"[]"}), "HLSL1960"),
    "other method": (lambda: zipped(contents(good()), zipfile.ZIP_LZMA), "HLSL1960"),
    "a file is missing": (lambda: zipped({"repro.json": contents(good())["repro.json"]}), "HLSL1960"),
    "unknown key": (lambda: edited(lambda head: head.update(more=1)), "HLSL1960"),
    "no source": (lambda: edited(lambda head: head.update(path="/other")), "HLSL1960"),
    "option": (lambda: edited(lambda head: head["options"].update(target_env="x")), "HLSL1960"),  # type: ignore[attr-defined]
    "pass": (lambda: edited(lambda head: head["options"].update(optimize=["-o", "x"])), "HLSL1960"),  # type: ignore[attr-defined]
    "format": (lambda: edited(lambda head: head.update(format=2)), "HLSL1961"),
    "no format": (lambda: edited(lambda head: head.pop("format")), "HLSL1961"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_one_error(name: str, tmp_path: pathlib.Path) -> None:
    make, code = BAD[name]
    (tmp_path / "a.zip").write_bytes(make())
    status, out, err = run(["--repro", "a.zip"], str(tmp_path))
    assert (status, out) == (1, "")
    assert err.count("error:") == 1
    assert f"[{code}]" in err
    assert "`a.zip`" in err
    with pytest.raises(BadArchive, match=r"`a\.zip`"):
        run_repro(make(), "a.zip")


def test_every_damaged_archive_is_refused_or_runs(tmp_path: pathlib.Path) -> None:
    data = good()
    for at in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[at] ^= 0x55
        try:
            run_repro(bytes(damaged))
        except BadArchive:
            continue


def test_a_huge_archive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(contents(good()) | {"files/zeros": bytes(1 << 20)}, zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(archive, "MAX_BYTES", 1 << 19)
    with pytest.raises(BadArchive, match="larger than"):
        run_repro(bomb)
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    with pytest.raises(BadArchive, match="larger than"):
        run_repro(good())
    monkeypatch.undo()
    monkeypatch.setattr(archive, "MAX_FILES", 1)
    with pytest.raises(BadArchive, match="more than 1 files"):
        run_repro(good())


def test_an_archive_names_no_program() -> None:
    bundle = unpack(edited(lambda head: head["options"].update(spirv_tools="/tmp/evil")), "a.zip")  # type: ignore[attr-defined]
    assert bundle.options.spirv_tools == ""


def test_other_tools_are_reported(tmp_path: pathlib.Path) -> None:
    old = edited(lambda head: head["versions"].update(hlsl_tool="0.0.1"))  # type: ignore[attr-defined]
    (tmp_path / "a.zip").write_bytes(old)
    status, out, err = run(["--repro", "a.zip"], str(tmp_path))
    assert status == 0
    assert out.startswith("; SPIR-V")
    assert "warning: the archive was made with other tools: hlsl_tool 0.0.1 (here " in err
    assert "[HLSL1962]" in err


def test_outputs_of_one_name_are_in_folders(project: pathlib.Path) -> None:
    targets = {"spv": "a/x.bin", "reflection": "b/X.bin", "spvasm": "x.txt"}
    bundle = record_job(
        str(project), Job("x", "x.hlsl", CompileOptions(profile="ps_6_0", include_dirs=("../lib",)), targets)
    )
    assert bundle is not None
    folder = pathlib.Path(elsewhere(project.parent))
    (folder / "a.zip").write_bytes(archive.pack(bundle))
    assert run(["--repro", "a.zip", "--outputs", "out"], str(folder))[0] == 0
    files = {path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*.*")}
    assert files == {"spv/x.bin", "reflection/X.bin", "x.txt"}


@pytest.mark.parametrize("targets", [{"../x": "x.spv"}, {"none": "x"}, {"spv": "a\0b"}])
def test_other_outputs_are_refused(targets: dict[str, str], project: pathlib.Path) -> None:
    job = Job("x", "x.hlsl", CompileOptions(profile="ps_6_0"), {"spv": "x.spv"})
    bundle = record_job(str(project), job)
    assert bundle is not None
    assert bundle.job is not None
    bundle.job.targets = targets
    with pytest.raises(BadArchive, match="is no output"):
        unpack(archive.pack(bundle), "a.zip")


def test_another_spirv_cross_is_reported(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.cross.library.signature", lambda: "spirv-cross 1")
    (project / "y.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    made = []
    for kind in ("msl", "spvasm"):
        job = Job("y", "y.hlsl", CompileOptions(profile="ps_6_0"), {kind: f"y.{kind}"})
        bundle = record_job(str(project), job)
        assert bundle is not None
        made.append(unpack(archive.pack(bundle), "a.zip"))
    assert [warnings_about(bundle, []) for bundle in made] == [[], []]
    monkeypatch.setattr("hlsl_tool.cross.library.signature", lambda: "spirv-cross 2")
    with_cross, without = (warnings_about(bundle, []) for bundle in made)
    assert [warning.message for warning in with_cross] == [
        "the archive was made with other tools: spirv-cross 1 (here spirv-cross 2)"
    ]
    assert not without


def test_files_that_were_not_recorded_are_reported(tmp_path: pathlib.Path) -> None:
    members = contents(good())
    members["files/shader.hlsl"] = b'#include "new.h"\nfloat4 main() : SV_Target { return 1; }'
    (tmp_path / "a.zip").write_bytes(zipped(members))
    status, _, err = run(["--repro", "a.zip"], str(tmp_path))
    assert status == 1
    assert "'new.h' file not found" in err
    assert "warning: the archive has no record of `/new.h` [-Wrepro-lacks] [HLSL1963]" in err


@pytest.mark.parametrize("words", ["-O0", "-DX", "y.hlsl", "-P", "-M", "-T vs_6_0"])
def test_options_of_the_compilation_are_refused(words: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.zip").write_bytes(good())
    status, _, err = run(["--repro", "a.zip", *words.split()], str(tmp_path))
    assert status == 1
    assert "[HLSL1964]" in err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--repro"], "error: --repro takes an archive that `hlsl_tool repro` made"),
        (["--repro", "none.zip"], "error: cannot read `none.zip`: No such file or directory [HLSL0902]"),
        (["--repro", "a.zip", "-Fo", "a.zip"], "error: cannot write 'a.zip': it is the source"),
        (["--repro", "a.zip", "--outputs"], "--outputs wants a folder"),
        (["--repro", "a.zip", "--outputs", "all"], "--outputs is for shaders of a configuration"),
        (["--repro", "a.zip", "--nonsense"], "Unknown argument: '--nonsense'"),
    ],
)
def test_a_wrong_command_line(words: list[str], problem: str, tmp_path: pathlib.Path) -> None:
    data = good()
    (tmp_path / "a.zip").write_bytes(data)
    status, _, err = run(words, str(tmp_path))
    assert status == 1
    assert problem in err
    assert (tmp_path / "a.zip").read_bytes() == data


# ---------------------------------------------------------------- other systems


def test_paths_of_windows_become_those_of_posix() -> None:
    recording = Recording(
        "C:\\game",
        {"C:\\game\\x.hlsl": "1", "C:\\lib\\a.h": "2"},
        {"C:\\lib": ["a.h"]},
    )
    files = ReplayedFiles(_portable(recording, is_windows=True), {"1": b"x", "2": b"a"})
    assert files.recording.root == "/C:/game"
    assert files.read("x.hlsl") == b"x"
    assert files.read("..\\lib\\a.h") == b"a"
    assert files.read("C:\\lib/a.h") == b"a"
    assert files.listdir("../lib") == ["a.h"]
    assert files.unknown == []


def test_a_file_behind_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "real/a.h").write_text("#define A 1\n")
    (tmp_path / "link").symlink_to("real/sub")
    text = b'#include "link/../a.h"\nfloat4 main() : SV_Target { return A; }'
    source = SourceFile.from_bytes("x.hlsl", str(tmp_path / "x.hlsl"), text)
    fs = CachedFileSystem(OSFileSystem(str(tmp_path)))
    data = make_repro(source, profile="ps_6_0", fs=fs)
    (tmp_path / "real/a.h").unlink()
    assert run_repro(data).ok


def test_a_job_equals_that_of_a_worker(project: pathlib.Path) -> None:
    targets = {"spv": "x.spv", "dep": "x.d"}
    job = Job("x", "x.hlsl", CompileOptions(profile="ps_6_0", include_dirs=("../lib",)), targets)
    want = Compiler(str(project)).run(job)
    bundle = record_job(str(project), job)
    assert bundle is not None
    remove(project.parent)
    got, unknown = run_job(bundle)
    assert (got.outputs, got.files, got.missing, unknown) == (want.outputs, want.files, want.missing, [])
