"""The list of DXC's intrinsics in features.md has every name, with a reason for each that is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from tests.execute.intrinsics.refused import REFUSED

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    """Return `docs/reference/intrinsics.py` as a module."""
    path = ROOT / "docs" / "reference" / "intrinsics.py"
    spec = importlib.util.spec_from_file_location("intrinsics_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = _load()


def test_no_hole_is_unnamed() -> None:
    assert PAGE.holes() == []


def test_reasons_are_for_names_that_do_not_work() -> None:
    assert set(PAGE.reasons()) <= set(PAGE.names())
    assert [name for name in PAGE.reasons() if PAGE.works(name)] == []
    assert {status for status, _ in PAGE.reasons().values()} <= {"refused", "internal", "works"}


def test_the_page_has_the_list() -> None:
    text = (ROOT / "docs" / "reference" / "features.md").read_text("utf-8")
    assert "\n".join(PAGE.section()) in text, "run `python docs/reference/features.py`"


def test_refused_functions_are_those_of_the_table_of_errors() -> None:
    refused = {name for entry in REFUSED for name in entry.names}
    assert refused <= {name for name, (status, _) in PAGE.reasons().items() if status == "refused"}


POINTERS = """
struct A { float a; }; struct B : A { float b; };
struct Q { vk::BufferPointer<B> p; }; [[vk::push_constant]] Q q;
float main() : SV_Target { return %s; }
"""
ERRORS = {
    "RWTexture2DMS<float4, 4> t; float2 main() : SV_Target { return t.GetSamplePosition(1); }": "HLSL0604",
    "vk::SampledTexture2DArray<uint> t; uint4 main() : SV_Target { return t.GatherRaw(float3(0, 0, 0)); }": "HLSL0604",
    "sampler2D s; float4 main() : SV_Target { return tex2D(s, 0.xx); }": "HLSL0372",
    "float4 main() : SV_Target { AllocateRayQuery(0); return 0; }": "HLSL0301",
    POINTERS % "vk::static_pointer_cast<A>(q.p).Get().a": "",
    POINTERS % "vk::reinterpret_pointer_cast<A>(q.p).Get().a": "",
}
"""Shader → the error that the list names for what it calls; none for what works"""


@pytest.mark.parametrize("source", ERRORS)
def test_reasons_are_right(source: str) -> None:
    result = compile_shader(source, profile="ps_6_6", options=CompileOptions(target_env="vulkan1.3"))
    assert {d.code.id for d in result.diagnostics if d.severity == "error"} == ({ERRORS[source]} - {""})
