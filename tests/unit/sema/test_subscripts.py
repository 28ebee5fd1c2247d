"""Indices of objects, and variables to which ``GetDimensions`` writes."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

FRAME = """struct S {{ int a; }};
Texture2D<float4> tex; Texture2DArray<float4> layers; RWTexture1D<float> row; StructuredBuffer<float> list;
Buffer<float4> texels; RWStructuredBuffer<S> items;
float4 main(float f : A) : SV_Target {{
    S s = (S)0; uint1 u1 = 0; uint2 u2 = 0; uint3 u3 = 0; bool b = true; uint width, height, depth; float4 r = 0;
    {statement}
    return r;
}}
"""


def errors(statement: str) -> list[tuple[str, str]]:
    """Return (code, text) of each error."""
    text = FRAME.format(statement=statement)
    options = CompileOptions(validate="no", codegen_only=True)
    result = compile_shader(text, profile="ps_6_0", options=options)
    return [(d.code.id, d.message) for d in result.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    "index",
    ["tex[u2]", "tex[(float2)f]", "row[f]", "row[b]", "row[u1]", "list[u1]", "texels[0]", "items[b].a",
     "tex.mips[0][u2]", "tex.mips[u1][u2]", "layers[u3]", "layers.mips[1][u3]"],
)  # fmt: skip
def test_index_with_as_many_components_as_dimensions(index: str) -> None:
    assert errors(f"r += {index};") == []


@pytest.mark.parametrize(
    "index",
    ["tex[s]", "tex[u3]", "tex[u1]", "tex[f]", "tex[0]", "row[u2]", "list[u2]", "list[s]", "texels[u3]", "items[u2].a",
     "tex.mips[0][f]", "tex.mips[0][u3]", "tex.mips[u2][u2]", "tex.mips[s][u2]", "layers[u2]"],
)  # fmt: skip
def test_index_with_other_components_is_refused(index: str) -> None:
    """An index with a wrong number of components is the error HLSL1280; its note is HLSL1281."""
    ((code, message),) = errors(f"r += {index};")
    assert code == "HLSL1280"
    assert message.startswith("no viable overloaded operator[] for type '")


def test_refused_index_names_both_types() -> None:
    text = FRAME.format(statement="r += row[u2];")
    result = compile_shader(text, profile="ps_6_0", options=CompileOptions(validate="no"))
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    (note,) = error.notes
    assert note.code.id == "HLSL1281"
    assert "no known conversion from 'uint2' to 'unsigned int' for 1st argument" in note.message


@pytest.mark.parametrize(
    "call", ["tex.GetDimensions(0, 1, height, depth)", "tex.GetDimensions(width, 20)", "layers.GetDimensions(1, 2, 3)"]
)
def test_dimensions_go_to_variables(call: str) -> None:
    assert errors(f"{call};") == [("HLSL1282", "Output argument must be an l-value")]
