"""Writing of files, the log, plan, messages and outputs of a build, tested without SCons."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from hlsl_tool.base.diagnostics import Code, Diagnostic, Location
from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.atomic_write import WriteError, write_all, write_atomic
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.base.system.paths import relative
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.build.currency.log import Record, Records
from hlsl_tool.project.build.digest import key_of
from hlsl_tool.project.build.engine import Engine
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import c_header, compile_job, disk, variable_name
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.ui.console import Console, summary
from hlsl_tool.project.build.workers.executors import Inline


def job(name: str = "a.main", **options) -> Job:
    macros = tuple(tuple(part.split("=")) for part in name.split(".")[2:])
    return Job(name, "shaders/a.hlsl", CompileOptions(profile="ps_6_0", **options), {"spv": f"out/{name}.spv"}, macros)


# ---------------------------------------------------------------- files


def test_writing_replaces_and_leaves_nothing_else(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x" / "y.spv"
    write_atomic(str(path), b"one")
    write_atomic(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert [name.name for name in path.parent.iterdir()] == ["y.spv"]


def test_a_failed_write_keeps_every_old_file(tmp_path: pathlib.Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(b"old")
    bad.mkdir()
    with pytest.raises(WriteError) as problem:
        write_all({str(good): b"new", str(bad): b"new"})
    assert problem.value.reason == "there is a folder of this name"
    assert good.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "good"]


def test_a_folder_that_is_a_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(WriteError) as problem:
        write_atomic(str(tmp_path / "x" / "y"), b"")
    assert problem.value.reason


# ---------------------------------------------------------------- records


def test_the_last_line_of_a_job_wins_and_torn_ones_are_passed_over(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "log"
    records = Records(str(log))
    records.put("a", Record(key="1", files={"f": "x"}, missing=["m"], outputs={"o": "y"}))
    records.put("a", Record(key="2"))
    records.put("b", Record(key="3"))
    log.write_text(log.read_text() + '{"v":1,"name":"b","ke')
    again = Records(str(log))
    assert again.get("a") == Record(key="2")
    assert again.get("b") == Record(key="3")
    assert again.get("c") is None


def test_settling(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "log"
    records = Records(str(log))
    for name in "abc":
        records.put(name, Record(key=name))
    other = Records(str(log))
    other.put("c", Record(key="a watcher's"))
    records.confirm(["a", "c"])
    again = Records(str(log))
    assert [again.by_name[name].is_confirmed for name in "abc"] == [True, False, False]
    assert again.by_name["c"].key == "a watcher's"


def test_a_half_written_job_is_never_settled(tmp_path: pathlib.Path) -> None:
    records = Records(str(tmp_path / "log"))
    records.put("a", Record())
    records.confirm(["a"])
    assert not Records(records.path).by_name["a"].is_confirmed


def test_keys_depend_on_everything() -> None:
    keys = {
        key_of("d", {"f": "1"}, ["m"]),
        key_of("e", {"f": "1"}, ["m"]),
        key_of("d", {"f": "2"}, ["m"]),
        key_of("d", {"g": "1"}, ["m"]),
        key_of("d", {"f": "1"}, []),
    }
    assert len(keys) == 5
    assert key_of("d", {"f": "1", "g": "2"}, ["a", "b"]) == key_of("d", {"g": "2", "f": "1"}, ["b", "a"])


# ---------------------------------------------------------------- plan


def test_the_signature_names_what_differs_from_the_defaults() -> None:
    assert job(layout="dx").signature_lines() == [
        'layout: "dx"',
        'outputs: ["spv"]',
        'profile: "ps_6_0"',
        'source: "shaders/a.hlsl"',
    ]
    assert job(spirv_tools="/opt").signature_lines() == job().signature_lines()


def test_the_cache_key_depends_on_options_and_toolchain() -> None:
    first, second, third = job(), job(layout="dx"), job()
    third.fingerprint = "other"
    assert len({each.cache_key() for each in (first, second, third)}) == 3


# ---------------------------------------------------------------- messages

CODE = Code("TEST001", "test", "error", "wrong")


def shown(*reports: tuple[str, int], expected: int, urgent: bool = False) -> str:
    out: list[str] = []
    console = Console(out.append, lambda found: f"a.hlsl:{found[0].location.line}: error: wrong\n")
    console.expect([job()] * expected)
    for name, line in reports:
        console.add(job(name), [Diagnostic(CODE, "error", "wrong", Location("a.hlsl", line))], urgent=urgent)
    console.finish()
    return "".join(out)


def test_one_message_names_all_its_permutations() -> None:
    text = shown(("a.main.N=2", 1), ("a.main.N=1", 1), ("a.PS.N=1", 1), ("a.PS.N=1", 2), expected=4)
    assert text == (
        "a.hlsl:1: error: wrong\n  in a.PS: N=1\n  in a.main: N=1, N=2\na.hlsl:2: error: wrong\n  in a.PS: N=1\n"
    )


@pytest.mark.parametrize(
    ("siblings", "line"),
    [
        (3, "  in all 3 permutations of a.main\n"),
        (4, "  in a.main: N=0, N=1, N=2\n"),
        (0, "  in a.main: N=0, N=1, N=2\n"),
    ],
)
def test_all_permutations_are_counted(siblings: int, line: str) -> None:
    out: list[str] = []
    console = Console(out.append, lambda found: "error: wrong\n")
    jobs = [job(f"a.main.N={number}") for number in range(3)]
    console.expect(jobs)
    for each in jobs:
        each.siblings = siblings
        console.add(each, [Diagnostic(CODE, "error", "wrong")], urgent=False)
    console.finish()
    assert "".join(out) == "error: wrong\n" + line


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_documents_name_shader_and_permutation(form: str) -> None:
    out: list[str] = []
    console = Console(out.append, lambda found: "", whole=True)
    jobs = [job("a.main.N=1"), job("a.main.N=0"), job("a.VS")]
    console.expect(jobs)
    for each in jobs:
        each.siblings = 2
        console.add(each, [Diagnostic(CODE, "error", "wrong")], urgent=True)
    console.finish()
    assert out == []
    document = json.loads(render(console.complete(), form))
    (entry,) = document["diagnostics"] if form == "json" else document["runs"][0]["results"]
    assert (entry if form == "json" else entry["properties"])["occurrences"] == [
        {"shader": "a.VS", "permutation": {}},
        {"shader": "a.main", "permutation": {"N": "0"}},
        {"shader": "a.main", "permutation": {"N": "1"}},
    ]


def test_a_message_that_cannot_wait() -> None:
    assert shown(("a.main.N=1", 1), ("a.main.N=2", 1), expected=9, urgent=True) == (
        "a.hlsl:1: error: wrong\n  in a.main: N=1\na.hlsl:1: error: wrong\n  also in a.main: N=2\n"
    )


def test_messages_of_unfinished_jobs_are_not_waited_for() -> None:
    assert shown(("a.main", 1), expected=5) == "a.hlsl:1: error: wrong\n  in a.main\n"


def test_the_summary() -> None:
    assert summary(1, 2, 3, 0, 1.25) == "shaders: 1 built, 2 up to date, 3 failed (1.2 s)"
    assert summary(0, 0, 1, 4, 0) == "shaders: 0 built, 0 up to date, 1 failed, 4 not built (0.0 s)"


# ---------------------------------------------------------------- outputs


def test_header() -> None:
    text = c_header(bytes.fromhex("03022307") + b"\1\0\0\0", "lit_ps")
    assert "static const uint32_t lit_ps[2] = {\n    0x07230203, 0x00000001\n};\n" in text
    assert variable_name("lit/pbr.PS.N=1") == "lit_pbr_PS_N_1"
    assert variable_name("3d.PS") == "_3d_PS"


def test_cpp_output(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text("cbuffer C { float x; }; float4 PS() : SV_Target { return x; }")
    options = CompileOptions(entry="PS", profile="ps_6_0", validate="no")
    targets = {"cpp": "out/a.PS.N=1.hpp"}
    job = Job("a.PS.N=1", "a.hlsl", options, targets)
    result = compile_job(job, str(tmp_path), disk(str(tmp_path)), Memory())
    text = result.outputs["cpp"].decode()
    assert "namespace a_PS_N_1 {" in text
    assert 'static_assert(sizeof(C) == 4, "size of C");' in text
    renamed = Job("b", "a.hlsl", options, targets)
    assert renamed.cache_key() != job.cache_key()


def test_a_source_that_is_gone_or_no_file_is_an_error(tmp_path: pathlib.Path) -> None:
    (tmp_path / "folder.hlsl").mkdir()
    for name, reason in (("gone.hlsl", "no such file"), ("folder.hlsl", "folder")):
        job = Job("a", name, CompileOptions(profile="ps_6_0"), {"spv": "a.spv"})
        result = compile_job(job, str(tmp_path), disk(str(tmp_path)), Memory())
        (error,) = result.diagnostics
        assert (result.ok, result.outputs, error.code.id) == (False, {}, "HLSL0902")
        assert name in error.message and reason in error.message


def test_debug_output(tmp_path: pathlib.Path) -> None:
    """The module with debug information is a separate file; the other outputs are stripped."""
    (tmp_path / "a.hlsl").write_text("float4 PS(float4 a : A) : SV_Target { return a * 2; }")
    options = CompileOptions(entry="PS", profile="ps_6_0", debug=("line",))
    both = {"debug": "out/a.PS.debug.spv", "spv": "out/a.PS.spv", "spvasm": "out/a.PS.spvasm"}
    alone = {"spv": "out/a.PS.spv"}
    outputs, whole = (
        compile_job(Job("a.PS", "a.hlsl", options, targets), str(tmp_path), disk(str(tmp_path)), Memory()).outputs
        for targets in (both, alone)
    )
    assert outputs["debug"] == whole["spv"]
    assert len(outputs["spv"]) < len(outputs["debug"])
    assert b"OpLine" not in outputs["spvasm"]


def test_paths_are_relative_to_the_root() -> None:
    root = os.path.abspath("root")
    assert relative(os.path.join(root, "a", "b.h"), root) == "a/b.h"
    assert relative(os.path.abspath("c.h"), root) == "../c.h"


# ---------------------------------------------------------------- stacks


def test_a_deep_stack() -> None:
    def depth(number: int) -> int:
        return 0 if number == 0 else 1 + depth(number - 1)

    assert with_deep_stack(lambda: depth(15_000)) == 15_000
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: 1 // 0)


def test_wgsl_output(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text("cbuffer C { float x; }; float4 PS() : SV_Target { return x; }")
    options = CompileOptions(entry="PS", profile="ps_6_0", validate="no")
    job = Job("a.PS", "a.hlsl", options, {"wgsl": "out/a.PS.wgsl", "wgsl_bindings": "out/a.PS.wgsl.json"})
    result = compile_job(job, str(tmp_path), disk(str(tmp_path)), Memory())
    assert result.ok
    assert json.loads(result.outputs["wgsl_bindings"])["bindGroups"][0]["entries"] == [
        {
            "binding": 0,
            "visibility": 2,
            "buffer": {"type": "uniform", "minBindingSize": 16},
            "name": "C",
            "from": {"name": "C", "set": 0, "binding": 0},
        }
    ]
    assert "@fragment\nfn PS() -> @location(0) vec4f {" in result.outputs["wgsl"].decode()


READABLE = """
float square(float x) { return x * x; }
float3 PS(float2 uv : UV) : SV_Target { return square(uv.x); }
"""


def wgsl_of(folder: pathlib.Path, text: str, profile: str = "ps_6_0", **options: object) -> str:
    """Build a shader and return its WGSL."""
    (folder / "a.hlsl").write_text(text)
    chosen = CompileOptions(entry="PS", profile=profile, validate="no", **options)  # type: ignore[arg-type]
    job = Job("a.PS", "a.hlsl", chosen, {"wgsl": "out/a.PS.wgsl"})
    result = compile_job(job, str(folder), disk(str(folder)), Memory())
    assert result.ok, result.diagnostics
    return result.outputs["wgsl"].decode()


def test_wgsl_is_written_from_the_unoptimised_module(tmp_path: pathlib.Path) -> None:
    assert "fn square(x: f32) -> f32 {" in wgsl_of(tmp_path, READABLE)
    assert "square" not in wgsl_of(tmp_path, READABLE, wgsl_optimized=True)


def test_wgsl_is_written_from_the_optimised_module_if_only_that_can_be(tmp_path: pathlib.Path) -> None:
    """WGSL is converted from the optimised module if the unoptimised module cannot be converted.

    Here the unoptimised module reads clip distances that the shader does not use.
    """
    text = """
    struct Input { float4 position : SV_Position; float2 clip : SV_ClipDistance; float2 uv : UV; };
    float4 PS(Input i) : SV_Target { return float4(i.uv, 0, 1); }
    """
    assert "clip" not in wgsl_of(tmp_path, text)


def test_options_of_wgsl_reach_the_converter(tmp_path: pathlib.Path) -> None:
    assert "-> @location(0) vec3f {" in wgsl_of(tmp_path, READABLE)
    assert "-> @location(0) vec4f {" in wgsl_of(tmp_path, READABLE, wgsl_pad_targets=True)


def test_code_that_wgsl_cannot_express_is_an_error_at_its_line(tmp_path: pathlib.Path) -> None:
    """A double makes the WGSL output fail: the error, HLSL0905, names the reason and the line."""
    body = "  double d = b.Load<double>(0);\n  b.Store(0, d * 2);\n"
    source = f"RWByteAddressBuffer b;\n[numthreads(1, 1, 1)] void CS() {{\n{body}}}"
    (tmp_path / "a.hlsl").write_text(source)
    options = CompileOptions(entry="CS", profile="cs_6_0", validate="no")
    job = Job("a.CS", "a.hlsl", options, {"spv": "out/a.CS.spv", "wgsl": "out/a.CS.wgsl"})
    result = compile_job(job, str(tmp_path), disk(str(tmp_path)), Memory())
    assert not result.ok
    assert not result.outputs
    found = result.diagnostics[-1]
    assert found.code.name == "no-output"
    assert "WGSL has no 64-bit float type" in found.message
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("a.hlsl", 3)


def test_a_store_that_is_known_later(tmp_path: pathlib.Path) -> None:
    """An engine without a store can be given one later.

    This happens if a SConstruct calls `HlslShader`, which has no configuration, before `HlslShaders`.
    """
    executor = Inline(str(tmp_path))
    engine = Engine(str(tmp_path), "build", executor)
    assert engine.store is None
    engine.equip(executor, StoreOptions((str(tmp_path / "store"),), texts="none"))
    assert engine.store is not None
    assert engine.store_options.texts == "none"
