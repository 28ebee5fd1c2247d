"""Select sources and entry points by patterns and exceptions, override their options, and name permutations."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.discovery import configurations, matches, sources
from hlsl_tool.project.config.expansion.entry_points import functions
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.packs import packed
from hlsl_tool.project.config.permutation import Project

EFFECT = b"""\
#include "common.h"
cbuffer Parameters : register(b0) { float4 color; };
static const float weights[2] = { 1, 2 };
Texture2D<float4> t : register(t0);
struct Out { float4 p : SV_Position; };
// float4 PSOld(float4 p) { }
float Helper(float x) { return PSInner(x); }
[RootSignature("CBV(b0)")]
Out VSBasic(float4 p : POSITION) { Out o; o.p = p; return o; }
#ifdef FOG
Out VSFog(float4 p : POSITION) {
#else
Out VSNoFog(float4 p : POSITION) {
#endif
    Out o; o.p = p; return o;
}
float4 PSBasic(Out i) : SV_Target0 { return color; }
float4 PSDeclared(Out i) : SV_Target0;
"""


class Folder:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        for name in ("a.hlsl", "post/blur.hlsl", "post/common.hlsl", "post/bloom.hlsl"):
            self.write(f"shaders/{name}", b"float4 main() : SV_Target { return 0; }")
        self.write("shaders/effect.fx", EFFECT)

    def write(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def load(self, text: str) -> tuple[Project, list[Diagnostic]]:
        self.write("config/shaders/x.yaml", text.encode())
        sink = Sink(error_limit=0)
        return load(str(self.root), ["config/shaders"], sink), sink.diagnostics

    def good(self, text: str) -> Project:
        project, messages = self.load(text)
        assert not messages, [spell(message) for message in messages]
        return project

    def names(self, text: str) -> list[str]:
        return [permutation.name for permutation in self.good(text).permutations]

    def options(self, text: str) -> dict[str, CompileOptions]:
        return {permutation.name: permutation.options for permutation in self.good(text).permutations}

    def bad(self, text: str) -> list[str]:
        return [spell(message) for message in self.load(text)[1]]


def spell(message: Diagnostic) -> str:
    at = message.location
    assert at is not None
    hint = f" ({message.hint})" if message.hint else ""
    return f"{at.line}:{at.col}: {message.message}{hint}"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Folder:
    return Folder(tmp_path)


# ---------------------------------------------------------------- selection


def test_a_pattern_minus_a_file(folder: Folder) -> None:
    text = "shaders: [{ source: post/*.hlsl, except: post/common.hlsl, profile: ps_6_0 }]\n"
    assert folder.names(text) == ["post/bloom.main", "post/blur.main"]
    text = 'shaders: [{ source: "**/*.hlsl", except: [post/b*.hlsl, a.hlsl], profile: ps_6_0 }]\n'
    assert folder.names(text) == ["post/common.main"]


def test_an_exception_that_leaves_nothing_out_is_an_error(folder: Folder) -> None:
    text = "shaders: [{ source: post/*.hlsl, except: post/cmmn.hlsl, profile: ps_6_0 }]\n"
    hint = "(did you mean `post/common.hlsl`?)"
    assert folder.bad(text) == [f"1:42: `post/cmmn.hlsl` leaves nothing out {hint}"]


def test_functions_of_a_source() -> None:
    assert functions(EFFECT) == ("Helper", "VSBasic", "VSFog", "VSNoFog", "PSBasic")


@pytest.mark.parametrize(
    "text", [b"", b"}}}}", b"((((", b"[[[", b"#endif\n#else\n", b"\xff\xfe{", b"/* never ends", b'"']
)
def test_a_scan_ends_for_any_text(text: bytes) -> None:
    assert functions(text) == ()


def test_entries_by_pattern(folder: Folder) -> None:
    text = """\
shaders:
  - source: effect.fx
    entries:
      - { entry: "VS*", except: VSNo*, profile: vs_6_0 }
      - { entry: "PS*", profile: ps_6_0 }
"""
    project = folder.good(text)
    assert [permutation.name for permutation in project.permutations] == [
        "effect.VSBasic",
        "effect.VSFog",
        "effect.PSBasic",
    ]
    assert project.scanned == [("shaders/effect.fx", functions(EFFECT))]


def test_a_pattern_of_entries_without_a_match_is_an_error(folder: Folder) -> None:
    text = 'shaders: [{ source: effect.fx, entry: "GS*", profile: gs_6_0 }]\n'
    assert folder.bad(text) == ["1:39: no function in `shaders/effect.fx` matches `GS*`"]
    text = "shaders: [{ source: a.hlsl, entries: [{ entry: main, except: main, profile: ps_6_0 }] }]\n"
    assert folder.bad(text) == [
        "1:62: `except` has no place in an entry without a pattern (it leaves functions out of a pattern in `entry`)"
    ]


def test_exceptions_may_overlap(folder: Folder) -> None:
    text = "shaders: [{ source: post/*.hlsl, except: [post/b*, post/bloom.hlsl], profile: ps_6_0 }]\n"
    assert folder.names(text) == ["post/common.main"]
    text = 'shaders: [{ source: effect.fx, entries: [{ entry: "VS*", except: [VSN*, VSNoFog], profile: vs_6_0 }] }]\n'
    assert folder.names(text) == ["effect.VSBasic", "effect.VSFog"]
    text = 'shaders: [{ source: effect.fx, entries: [{ entry: "VS*", except: ["*", VSFog], profile: vs_6_0 }] }]\n'
    assert folder.bad(text) == ["1:66: `except` leaves nothing"]


def test_exceptions_leave_something(folder: Folder) -> None:
    text = 'shaders: [{ source: post/*.hlsl, except: "post/*", profile: ps_6_0 }]\n'
    assert folder.bad(text) == ["1:42: `except` leaves nothing"]
    text = 'shaders: [{ source: effect.fx, entries: [{ entry: "VS*", except: ["*"], profile: vs_6_0 }] }]\n'
    assert folder.bad(text) == ["1:66: `except` leaves nothing"]


# ---------------------------------------------------------------- overrides


def test_options_change_with_a_permutation(folder: Folder) -> None:
    text = """\
shaders:
  - source: a.hlsl
    profile: ps_6_2
    defines: { HALF: [0, 1], SM: [62, 66] }
    overrides:
      - { if: { HALF: 1 }, enable_16bit_types: true }
      - { if: { SM: 66 }, profile: ps_6_6, defines: { WAVE: "[WaveSize(64)]" } }
"""
    options = folder.options(text)
    assert {(o.profile, o.enable_16bit_types) for o in options.values()} == {
        ("ps_6_2", False), ("ps_6_2", True), ("ps_6_6", False), ("ps_6_6", True)
    }  # fmt: skip
    assert options["a.main.HALF=1.SM=66"].defines == (("HALF", "1"), ("SM", "66"), ("WAVE", "[WaveSize(64)]"))
    assert options["a.main.HALF=1.SM=62"].defines == (("HALF", "1"), ("SM", "62"))


def test_one_file_of_a_pattern_is_overridden(folder: Folder) -> None:
    text = """\
overrides: [{ source: "**/blur.hlsl", defines: { TAPS: [3, 5] }, optimize: size }]
shaders:
  - source: post/*.hlsl
    profile: ps_6_0
    overrides: { entry: m*, source: post/blur.hlsl, optimize: none }
"""
    options = folder.options(text)
    assert list(options) == ["post/bloom.main", "post/blur.main.TAPS=3", "post/blur.main.TAPS=5", "post/common.main"]
    assert options["post/blur.main.TAPS=3"].optimize == "none"
    assert options["post/common.main"].optimize == "performance"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("{ source: b.hlsl, optimize: size }", "4:16: the override selects no shader"),
        ("{ if: { A: 3 }, optimize: size }", "4:16: the override selects no shader"),
        ("{ if: { B: 1 }, optimize: size }", "4:16: the override selects no shader"),
        ("{ optimize: size }", "4:16: the override lacks `source` (or `entry`, or `if`)"),
        ("{ if: 1, optimize: size }", "4:22: `if` wants {MACRO: value}, got `1`"),
        ("{ if: { A: 1 }, link: false }", "4:32: `link` has no place in an override"
         " (it belongs in a file of defaults or the file or a shader)"),
        ("{ if: { A: 1 }, defines: { A: 2 } }",
         "4:43: an override with `if` cannot give the permutation macro `A` another value"),
        ("{ if: { A: 1 }, defines: { B: [1, 2] } }", "4:43: `B` wants a value, got a list"
         " (an override with `if` is for permutations that exist: give it one value)"),
        ("7", "4:16: `overrides` wants a list such as [{ if: { HALF: 1 }, enable_16bit_types: true }], got `7`"),
        ("{ if: { A: 1 }, profile: xs_6_0 }", "4:41: no such profile: `xs_6_0`"
         " (a profile is a stage and a shader model, such as `ps_6_0`;"
         " the stages are `vs`, `hs`, `ds`, `gs`, `ps`, `cs`, `lib`, `ms`, `as`)"),
    ],
)  # fmt: skip
def test_bad_overrides(folder: Folder, override: str, message: str) -> None:
    text = (
        f"shaders:\n  - source: a.hlsl\n    profile: ps_6_0\n    overrides: {override}\n    defines: {{ A: [0, 1] }}\n"
    )
    assert folder.bad(text) == [message]


# ---------------------------------------------------------------- optional axes


def test_an_optional_axis(folder: Folder) -> None:
    text = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    defines: { FOG: [~, 1], LIGHT: [~, 1, 2] }
    exclude: [{ FOG: ~, LIGHT: 2 }]
    overrides: { if: { FOG: ~ }, optimize: size }
"""
    project = folder.good(text)
    jobs = {job.name: job for job in plan(project)}
    assert list(jobs) == ["a.main", "a.main.LIGHT=1", "a.main.FOG=1", "a.main.FOG=1.LIGHT=1", "a.main.FOG=1.LIGHT=2"]
    assert jobs["a.main"].options.defines == () and jobs["a.main"].permutation == ()
    assert jobs["a.main"].siblings == 5
    assert jobs["a.main.LIGHT=1"].options.defines == (("LIGHT", "1"),)
    assert [job.options.optimize for job in jobs.values()] == ["size"] * 2 + ["performance"] * 3


def test_a_zero_is_no_value(folder: Folder) -> None:
    text = 'shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { FOG: ["\\0", 1] } }]\n'
    assert folder.bad(text) == ["1:63: `FOG` wants a value on one line, got a zero"]


def test_undefined_is_for_lists(folder: Folder) -> None:
    text = "shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { FOG: ~ } }]\n"
    assert folder.bad(text) == [
        "1:62: `~` means null to YAML 1.1 readers; put it in quotes if it is text"
        " (`FOG: [~]` leaves the macro undefined, `FOG:` defines it as 1)"
    ]
    text = "shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { FOG: [1, 2] }, exclude: [{ FOG: ~ }] }]\n"
    assert folder.bad(text) == ["1:89: `FOG` is never `~` here (its values are 1, 2)"]


# ---------------------------------------------------------------- anchors


def test_keys_for_anchors(folder: Folder) -> None:
    text = """\
x-pixel: &pixel { profile: ps_6_0, defines: { A: [0, 1] } }
x-anything: [1, { on: yes }]
shaders:
  - { source: a.hlsl, <<: *pixel }
"""
    assert folder.names(text) == ["a.main.A=0", "a.main.A=1"]
    assert folder.bad("shaders: [{ source: a.hlsl, profile: ps_6_0, x-own: 1 }]\n") == [
        "1:46: unknown key `x-own` in a shader"
    ]


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("{stem}_{entry}", ["post/blur_main.A=0", "post/blur_main.A=1"]),
        ("/{stem}", ["blur.A=0", "blur.A=1"]),
        ("{source}_{permutation}", ["post/blur_A=0", "post/blur_A=1"]),
        ("{dir}/x/{stem}{A=1?_on}", ["post/x/blur", "post/x/blur_on"]),
        ("{stage}-{profile}-{A}", ["post/ps-ps_6_0-0", "post/ps-ps_6_0-1"]),
        ("plain", ["post/plain.A=0", "post/plain.A=1"]),
    ],
)
def test_name_templates(folder: Folder, name: str, expected: list[str]) -> None:
    text = f'shaders: [{{ source: post/blur.hlsl, profile: ps_6_0, name: "{name}", defines: {{ A: [0, 1] }} }}]\n'
    project = folder.good(text)
    assert [permutation.name for permutation in project.permutations] == expected
    assert len({permutation.stem for permutation in project.permutations}) == 1


def test_files_arrays_and_namespaces(folder: Folder) -> None:
    text = """\
files: { header: "inc/{name}.inc", spv: "{shader}/{permutation}.spirv" }
array: "g_{stem}_{entry}"
array_type: uint8_t
namespace: "{stem}"
shaders:
  - { source: post/blur.hlsl, profile: ps_6_0, outputs: [spv, header, cpp], defines: { A: [1] } }
"""
    (job,) = plan(folder.good(text))
    assert job.targets == {
        "spv": "build/shaders/post/blur.main/A=1.spirv",
        "header": "build/shaders/inc/post/blur.main.A=1.inc",
        "cpp": "build/shaders/post/blur.main.A=1.hpp",
    }
    assert (job.array, job.array_type, job.namespace) == ("g_blur_main", "uint8_t", "blur")
    assert {'array: "g_blur_main"', 'array_type: "uint8_t"', 'namespace: "blur"'} <= set(job.signature_lines())


def test_collisions_name_both_shaders(folder: Folder) -> None:
    text = 'shaders:\n  - { source: post/b*.hlsl, profile: ps_6_0, name: "x" }\n'
    assert "would be written twice" in folder.bad(text)[0]
    text = 'shaders:\n  - { source: post/b*.hlsl, profile: ps_6_0, name: "{entry}" }\n'
    both = "`shaders/post/bloom.hlsl` (main) and for `shaders/post/blur.hlsl` (main)"
    assert folder.bad(text) == [f"2:52: `post/main` would be written for {both}"]
    text = 'shaders:\n  - { source: a.hlsl, profile: ps_6_0, files: { spv: "A.spv" }, defines: { A: [~, 1] } }\n'
    both = "`shaders/a.hlsl` (main, A=~) and for `shaders/a.hlsl` (main, A=1)"
    assert folder.bad(text) == [f"2:54: `A.spv` would be written for {both}"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('name: "{stm}"', "1:53: `{stm}` in `name` stands for nothing here (did you mean `stem`?)"),
        ('name: "{B=1?x}"', "1:53: `{B}` in `name` stands for nothing here"),
        ('array: "{entri}"', "1:54: `{entri}` in `array` stands for nothing here (did you mean `entry`?)"),
        ('name: "{stem"', "1:53: `name` wants a name, got the text \"{stem\""
         " (it has letters, digits, `_.+-/`, and placeholders such as {stem}, {MACRO} and {MACRO=1?text})"),
        ('name: "a b"', "1:53: `name` wants a name, got the text \"a b\""
         " (it has letters, digits, `_.+-/`, and placeholders such as {stem}, {MACRO} and {MACRO=1?text})"),
        ('name: "../{stem}"', "1:11: `../a` is no name of a file below the output folder"),
        ('files: { spv: "../x.spv" }', "1:11: `../x.spv` is no name of a file below the output folder"),
        ('files: { reflection: "manifest.json" }',
         "1:68: `manifest.json` is the name of a file that builds write into the output folder"),
        ('files: { exe: "x" }', "1:56: unknown key `exe` in `files`"),
    ],
)  # fmt: skip
def test_bad_templates(folder: Folder, setting: str, message: str) -> None:
    assert folder.bad(f"shaders: [{{ source: a.hlsl, profile: ps_6_0,  {setting} }}]\n")[:1] == [message]


def test_a_blob_is_named_after_the_entry(folder: Folder) -> None:
    text = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    defines: { A: [0, 1], B: [0, 1] }
    name: "{stem}_{A}"
    overrides: { if: { B: 1 }, name: "{stem}_{A}_b" }
    outputs: [blob]
    files: { blob: "{shader}.bin", spv: "{name}.s" }
"""
    project = folder.good(text)
    assert {permutation.file("blob") for permutation in project.permutations} == {"a.bin"}
    assert [job.targets["spv"] for job in plan(project)] == [
        f"build/shaders/{name}.s" for name in ("a_0.B=0", "a_0_b.B=1", "a_1.B=0", "a_1_b.B=1")
    ]


@pytest.mark.parametrize("kind", ["spv", "blob", "blob_header", "cpp_structs"])
def test_files_of_builds_are_reserved(folder: Folder, kind: str) -> None:
    files = f"files: {{ {kind}: manifest.json }}"
    text = f"shaders: [{{ source: a.hlsl, profile: ps_6_0, outputs: [{kind}], {files} }}]\n"
    (message,) = folder.bad(text)
    assert "manifest.json" in message


@pytest.mark.parametrize(
    ("name", "pattern", "is_match"),
    [
        ("a", "a", True),
        ("a", "a/*", False),
        ("a", "a/**", False),
        ("a", "**", True),
        ("a/b", "**", True),
        ("a/b", "a/**", True),
        ("a", "**/**", True),
        ("a/b", "./a/*", True),
        ("a/b", "a//*", True),
        ("a/b", "a/**/*", True),
        ("a/b", "a/*", True),
        ("a/b", "*", False),
        ("a/b/c", "a/**", True),
        ("a/b/c", "**/c", True),
        ("c", "**/c", True),
        ("a/b/c", "a/**/c", True),
        ("a/c", "a/**/c", True),
        ("a/b/c", "a/*", False),
        ("a/B", "a/b", False),
    ],
)
def test_patterns_of_paths(name: str, pattern: str, is_match: bool, tmp_path: pathlib.Path) -> None:
    assert matches(name, pattern) is is_match
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    assert sources(str(tmp_path), "", pattern) == [name] * is_match
    assert sources(str(tmp_path), "b", pattern, [f"b/{name}"]) == [name] * is_match


def test_two_stars_at_the_end_stand_for_files(tmp_path: pathlib.Path) -> None:
    folder = Folder(tmp_path)
    text = 'shaders: [{ source: "post/**", profile: ps_6_0 }]\n'
    assert folder.names(text) == ["post/bloom.main", "post/blur.main", "post/common.main"]
    assert configurations(str(tmp_path), "config/**") == ["config/shaders/x.yaml"]


def test_inner_defaults_overrule_outer_ones(tmp_path: pathlib.Path) -> None:
    folder = Folder(tmp_path)
    folder.write("config/shaders/defaults.yaml", b"optimize: none\nhlsl_version: 2018\n")
    folder.write("config/shaders/post/defaults.yaml", b"optimize: size\n")
    folder.write("config/shaders/post/deep/y.yaml", b"shaders:\n  - { source: post/blur.hlsl, profile: ps_6_0 }\n")
    options = folder.options("shaders:\n  - { source: a.hlsl, profile: ps_6_0 }\n")
    assert {name: (o.optimize, o.hlsl_version) for name, o in options.items()} == {
        "a.main": ("none", 2018),
        "post/blur.main": ("size", 2018),
    }


def test_patterns_of_packs_may_have_backslashes(tmp_path: pathlib.Path) -> None:
    project = Folder(tmp_path).good(
        "packs: [{ name: all, shaders: ['post\\*'] }]\n"
        "shaders:\n  - { source: 'post/*.hlsl', profile: ps_6_0 }\n  - { source: a.hlsl, profile: ps_6_0 }\n"
    )
    (pack,) = project.packs
    assert [permutation.source for permutation in packed(pack, project)] == [
        f"shaders/post/{name}.hlsl" for name in ("bloom", "blur", "common")
    ]


def test_jobs_count_the_permutations_of_their_entry(tmp_path: pathlib.Path) -> None:
    project = Folder(tmp_path).good(
        "shaders:\n  - { source: a.hlsl, profile: ps_6_0 }\n"
        "  - { source: post/blur.hlsl, profile: ps_6_0, defines: { N: [0, 1, 2] } }\n"
        "  - { source: post/bloom.hlsl, profile: ps_6_0, defines: { N: [0] } }\n"
    )
    counts = {job.name: job.siblings for job in plan(project)}
    assert counts.pop("a.main") == 0
    assert {name: count for name, count in counts.items() if "blur" in name} == {
        f"post/blur.main.N={n}": 3 for n in range(3)
    }
