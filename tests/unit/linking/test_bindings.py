"""The binding table: the rule for each binding, free bindings, and the formats of the report."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import textwrap

import pytest

from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.linking.binding_table import Binding, binding_table, blocks_agree, merged, rule_words
from hlsl_tool.spirv.decode import decode
from tests.unit.linking.support import needs_optimizer

pytestmark = needs_optimizer

TEXT = """\
struct Light { float4 colour; };
float4 loose;
[[vk::binding(7, 2)]] Texture2D<float2> bound[4];
Texture2D registered : register(t3, space1);
SamplerState automatic;
[[vk::counter_binding(9)]] RWStructuredBuffer<Light> counted : register(u5);
ConstantBuffer<Light> unused : register(b8);
[[vk::push_constant]] Light pushed;
Texture2D<float4> bindless[] : register(t0, space4);
float4 main(float2 uv : UV) : SV_Target
{
    return loose + bound[1].Sample(automatic, uv).xyxy + registered.Sample(automatic, uv) + pushed.colour
        + counted[counted.IncrementCounter()].colour + bindless[uint(uv.x)].Load(0);
}
"""


def table(text: str, **options: object) -> dict[str, Binding]:
    given = CompileOptions(validate="no", **options)  # type: ignore[arg-type]  # options by name
    result = compile_shader(text, profile="ps_6_0", options=given)
    assert result.module is not None, [d.message for d in result.diagnostics]
    return {row.resource: row for row in binding_table(result.module, result.interface)}


def test_every_rule() -> None:
    rows = table(TEXT, shift_t=((20, ALL_SPACES),))
    told = {
        name: (row.type, row.register, row.space, rule_words(row), row.set, row.binding, row.count, row.descriptor)
        for name, row in rows.items()
    }
    assert told == {
        "pushed": ("Light", None, None, "push constant", None, None, 1, "push_constant"),
        "$Globals": ("$Globals", None, None, "automatic", 0, 0, 1, "uniform_buffer"),
        "automatic": ("SamplerState", None, None, "automatic", 0, 1, 1, "sampler"),
        "counted": ("RWStructuredBuffer<Light>", "u5", None, "register", 0, 5, 1, "storage_buffer"),
        "counter.var.counted": ("counter", None, None, "vk::counter_binding", 0, 9, 1, "storage_buffer"),
        "registered": ("Texture2D<float4>", "t3", 1, "register + 20", 1, 23, 1, "sampled_image"),
        "bound": ("Texture2D<float2>[4]", None, None, "vk::binding", 2, 7, 4, "sampled_image"),
        "bindless": ("Texture2D<float4>[]", "t0", 4, "register + 20", 4, 20, None, "sampled_image"),
        "unused": ("ConstantBuffer<Light>", "b8", None, "register", 0, 8, None, ""),
    }
    assert [name for name, row in rows.items() if not row.used] == ["unused"]
    assert {name: row.place for name, row in rows.items()}["counter.var.counted"] == "shader.hlsl:6"
    assert rows["$Globals"].place == "shader.hlsl:2"


def test_rules_of_options() -> None:
    text = "float4 k; Texture2D t : register(t1); float4 main() : SV_Target { return k + t.Load(0); }"
    rows = table(text, bind_registers=(("t1", 0, 4, 2),), bind_globals=(3, 1))
    assert {name: (rule_words(row), row.set, row.binding) for name, row in rows.items()} == {
        "t": ("-fvk-bind-register", 2, 4),
        "$Globals": ("-fvk-bind-globals", 1, 3),
    }
    shifted = table(
        "Texture2D t; float4 main() : SV_Target { return t.Load(0); }", shift_t=((9, 0),), auto_shift_bindings=True
    )
    assert rule_words(shifted["t"]) == "automatic, from 9 on"


def test_flattened_arrays_have_a_row_for_each_element() -> None:
    text = "Texture2D t[3] : register(t1); float4 main() : SV_Target { return t[0].Load(0) + t[2].Load(0); }"
    rows = table(text, flatten_resource_arrays=True)
    assert {name: (row.binding, row.used) for name, row in rows.items()} == {"t[0]": (1, True), "t[2]": (3, True)}


def test_a_preserved_resource_is_listed_as_unused() -> None:
    text = "Texture2D a : register(t0); Texture2D b : register(t1); float4 main() : SV_Target { return a.Load(0); }"
    rows = table(text, preserve_bindings=True)
    assert {name: (row.used, row.descriptor) for name, row in rows.items()} == {
        "a": (True, "sampled_image"),
        "b": (False, "sampled_image"),
    }


def test_a_foreign_module_has_the_bindings_of_its_decorations() -> None:
    result = compile_shader(TEXT, profile="ps_6_0", options=CompileOptions(validate="no"))
    rows = {row.resource: row for row in binding_table(decode(result.spirv))}
    assert (rows["registered"].set, rows["registered"].binding, rows["registered"].rule) == (1, 3, "")
    assert "unused" not in rows


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ([".a 0 float", ".b 4 float2"], [".b 4 float2"], True),  # what a stage does not use is gone
        ([".a 0 float", ".b 4 float2"], [".b 8 float2"], False),
        ([".b 4 float2"], [".b 4 float3"], False),
        ([".a 0 float"], [".b 0 float"], False),
        ([".c[16] 16 float4"], [".c[16] 16 float4"], True),
        ([".c[16] 16 float"], [".c[4] 16 float"], False),
    ],
)
def test_blocks_agree(one: list[str], other: list[str], agree: bool) -> None:
    assert blocks_agree(one, other) is agree


# ------------------------------------------------------------------------------------------------------ command line

CONFIG = """\
outputs: [spv, bindings]
shaders:
  - source: a.hlsl
    entries: [{ entry: vs, profile: vs_6_0 }, { entry: ps, profile: ps_6_0, defines: { Q: [0, 1] } }]
"""
SHADER = """\
float4 k;
Texture2D t : register(t2);
float4 vs() : SV_Position { return k; }
#if Q
float4 ps() : SV_Target { return t.Load(0) + k; }
#else
float4 ps() : SV_Target { return t.Load(0); }
#endif
"""


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "config/shaders/a.yaml").write_text(CONFIG)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text(SHADER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bindings", "shaders/a.hlsl", "-T", "ps_6_0", "-E", "ps", "-fvk-t-shift", "4", "0"]) == 0
    assert capsys.readouterr().out == textwrap.dedent("""\
        a.hlsl  (shaders/a.hlsl, ps_6_0)
          set  binding  resource  type               register  rule          count  descriptor     place
            0        6  t         Texture2D<float4>  t2        register + 4  1      sampled image  shaders/a.hlsl:2
            0        0  $Globals  $Globals                     automatic            unused         shaders/a.hlsl:1
    """)


def test_csv(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bindings", "shaders/a.hlsl", "-T", "ps_6_0", "-E", "ps", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["resource"], row["set"], row["binding"], row["used"], row["count"]) for row in rows] == [
        ("t", "0", "2", "true", "1"),
        ("$Globals", "0", "0", "false", ""),
    ]


def test_a_whole_configuration(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bindings", "--config", "config/shaders", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [shader["name"] for shader in content["shaders"]] == ["a.vs", "a.ps.Q=0", "a.ps.Q=1"]
    (group,) = content["groups"]
    assert {row["resource"]: row["used_by"] for row in group["bindings"]} == {
        "$Globals": ["a.vs", "a.ps.Q=1"],
        "t": ["a.ps.Q=0", "a.ps.Q=1"],
    }
    assert run(["bindings", "--config", "config/shaders", "a.ps"]) == 0
    assert "a: all entries" in capsys.readouterr().out


def test_as_an_output(project: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build"]) == 0
    content = json.loads((project / "build/shaders/a.ps.Q=0.bindings.json").read_text())
    assert content["shaders"][0]["bindings"][0]["place"] == "shaders/a.hlsl:2"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["bindings"], 2, "no shader is named"),
        (["bindings", "nowhere.hlsl", "-T", "ps_6_0"], 2, "cannot read `nowhere.hlsl`"),
        (["bindings", "shaders/a.hlsl"], 2, "profile"),
        (["bindings", "shaders/a.hlsl", "-T", "ps_6_0", "-E", "none"], 1, "none"),
        (["bindings", "--config", "config/shaders", "zzz"], 2, "no shader is called `zzz`"),
        (["bindings", "--config", "config/shaders", "-fvk-t-shift"], 2, "goes with a shader"),
    ],
)
def test_mistakes(
    project: pathlib.Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, text: str
) -> None:
    assert run(words) == status
    assert text in capsys.readouterr().err


def test_merged_rows_name_each_table_once() -> None:
    row = Binding("t", "Texture2D", set=0, binding=1, descriptor="sampled_image")
    unused = Binding("u", "Texture2D", set=0, binding=2, used=False)
    shared = merged([("a", [row, row, unused]), ("b", [row]), ("a", [row])])
    assert [(one.row.resource, one.used_by) for one in shared] == [("t", ["a", "b"])]
