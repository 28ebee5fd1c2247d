"""Snapshots store the instruction counts and sizes of shaders; comparisons with limits of growth."""

from __future__ import annotations

import pathlib
import struct

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.apps.report.comparison import Limits, as_json, as_markdown, as_text, compare
from hlsl_tool.apps.report.snapshot import BadSnapshot, Weight, take, text, weigh
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble

SOURCE = """\
Texture2D t; SamplerState s; RWBuffer<float> b;
float4 main(float2 uv : UV) : SV_Target {
  float4 c = t.Sample(s, uv);
  if (c.x > 0.5) c += t.Load(int3(1, 2, 0));
  b[0] = c.y;
  return c;
}
"""


def module(**options: object) -> bytes:
    result = compile_shader(SOURCE, profile="ps_6_0", options=CompileOptions(validate="no", **options))  # type: ignore[arg-type]
    assert result.ok, result.diagnostics
    return result.spirv


def test_instructions_are_counted_by_kind() -> None:
    data = module()
    weight = weigh(data)
    assert weight.bytes == len(data)
    assert (weight.texture, weight.branches, weight.calls) == (3, 1, 0)
    body = disassemble(decode(data)).partition("OpFunction ")[2].splitlines()[1:]
    words = [next((word for word in line.split() if word.startswith("Op")), "") for line in body]
    silent = ("", "OpLabel", "OpFunctionEnd", "OpSelectionMerge", "OpVariable")
    assert weight.instructions == sum(word not in silent for word in words)
    assert weight.memory == sum(word in ("OpLoad", "OpStore") for word in words)


def test_debug_information_is_no_instruction() -> None:
    plain = weigh(module(optimize="none"))
    for debug in (("line",), ("rich",), ("vulkan-with-source",)):
        found = weigh(module(optimize="none", debug=debug))
        assert found.instructions == plain.instructions
        assert found.bytes > plain.bytes


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        struct.pack("<6I", 0x07230203, 0, 0, 1, 0, 0),
        b"\x03\x02\x23\x07" * 5 + b"x",
        struct.pack("<6I", 0x07230203, 0, 0, 1, 0, 9 << 16 | 54),
    ],
)
def test_data_that_are_no_module_are_refused(data: bytes) -> None:
    with pytest.raises(BadSnapshot):
        weigh(data)


def test_a_snapshot_comes_back_from_its_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.spv").write_bytes(module())
    (tmp_path / "b.spv").write_bytes(module(optimize="none"))
    taken = take(str(tmp_path))
    assert sorted(taken) == ["b", "in/a"]
    path = tmp_path / "snapshot.json"
    path.write_text(text(taken))
    assert take(str(path)) == taken
    assert take(str(tmp_path / "b.spv")) == {"b": taken["b"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", "neither"),
        ("nonsense", "neither"),
        ('{"snapshot": 9, "shaders": {}}', "version 9"),
        ('{"snapshot": 1, "shaders": {"a": {"bytes": "x"}}}', "neither"),
        ('{"shaders": [1]}', "no manifest"),
        ('{"shaders": [{"name": "a", "outputs": {"spv": "a.spv"}}]}', "has been built"),
    ],
)
def test_a_file_that_is_no_snapshot_is_refused(tmp_path: pathlib.Path, content: str, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadSnapshot, match=words):
        take(str(path))


BEFORE = {"a": Weight(1000, 100), "b": Weight(1000, 100), "gone": Weight(1, 1), "same": Weight(8, 8)}
AFTER = {"a": Weight(1040, 100), "b": Weight(900, 120), "new": Weight(1, 1), "same": Weight(8, 8)}


@pytest.mark.parametrize(
    ("limits", "regressed"),
    [
        (Limits(), {"a": ["bytes"], "b": ["instructions"]}),
        (Limits(growth=0.04), {"b": ["instructions"]}),
        (Limits(growth=0.2), {}),
        (Limits(least=20), {"a": ["bytes"]}),
        (Limits(metrics=("instructions",)), {"b": ["instructions"]}),
        (Limits(metrics=("memory",)), {}),
    ],
)
def test_limits(limits: Limits, regressed: dict[str, list[str]]) -> None:
    found = compare(BEFORE, AFTER, limits)
    assert {change.name: change.regressions for change in found.regressed} == regressed
    assert found.ok is not bool(regressed)
    assert (found.added, found.removed, found.same) == (["new"], ["gone"], 1)


def test_all_together() -> None:
    assert compare(BEFORE, AFTER, Limits(growth=9, total=0.0)).total_regressions == ["instructions"]
    assert compare(BEFORE, AFTER, Limits(growth=9, total=0.1)).ok


def test_the_forms() -> None:
    found = compare(BEFORE, AFTER, Limits(growth=0.05))
    assert as_text(found).splitlines() == [
        "total  bytes 2008 → 1948 (-3.0 %)  instructions 208 → 228 (+9.6 %)",
        "b      bytes 1000 → 900 (-10.0 %)  instructions 100 → 120 (+20.0 %)  REGRESSION: instructions",
        "a      bytes 1000 → 1040 (+4.0 %)  instructions 100",
        "new: new",
        "gone: gone",
        "regression: 2 of 3 shaders changed, 1 grew by more than 5 %",
    ]
    assert "| `b` | 1000 → 900 (-10.0 %) | **100 → 120 (+20.0 %)** |" in as_markdown(found)
    assert '"regressions": [\n    "instructions"' in as_json(found)
    assert "… and 1 more that changed" in as_text(found, 1)
    assert as_text(compare(BEFORE, BEFORE, Limits())).splitlines()[-1] == "no regression: 0 of 4 shaders changed"
