"""Locations of errors that are found after the module was built."""

from __future__ import annotations

from hlsl_tool.cli import dxc


def messages(tmp_path: object, text: str, *arguments: str) -> str:
    path = f"{tmp_path}/x.hlsl"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return dxc.run([*arguments, path], ".")[2]


def test_extension_that_is_not_permitted_points_at_the_semantic(tmp_path: object) -> None:
    text = "float4 main(\n  uint view : SV_ViewID) : B { return view; }"
    heard = messages(tmp_path, text, "-T", "vs_6_1", "-E", "main", "-fspv-extension=SPV_KHR_16bit_storage")
    assert ":2:15: error: SPIR-V extension 'SPV_KHR_multiview' required for SV_ViewID" in heard


TAKEN = """[[vk::location(3)]] float main([[vk::location(1)]] float m : M, [[vk::location(3)]] out float x : X) : R
{ x = m; return 1; }
"""


def test_taken_location_names_the_taker(tmp_path: object) -> None:
    heard = messages(tmp_path, TAKEN, "-T", "vs_6_0", "-E", "main")
    assert "stage output location #3 already consumed by semantic 'R'" in heard
    heard = messages(tmp_path, TAKEN, "-T", "vs_6_0", "-E", "main", "-fcgl")
    assert "stage output location #3 already consumed by semantic 'M'" in heard  # as DXC


MISPLACED = """struct Pair { float a, b; };
struct Item { float2 a; [[vk::offset(8)]] Pair b; };
cbuffer Block { Item items[10]; };
[numthreads(1, 1, 1)] void main() { Item item = items[0]; }
"""


def test_code_generation_is_validated_where_a_member_is_misplaced(tmp_path: object) -> None:
    common = ("-T", "cs_6_0", "-E", "main", "-fcgl")
    assert "error: generated SPIR-V is invalid" in messages(tmp_path, MISPLACED, *common)
    assert "error" not in messages(tmp_path, MISPLACED, *common, "-fvk-use-scalar-layout")
    assert "error" not in messages(tmp_path, MISPLACED, *common, "-Vd")
