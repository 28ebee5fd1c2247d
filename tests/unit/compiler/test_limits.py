"""A shader beyond the limits of SPIR-V modules gives an error at its position."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader


def body(text: str, before: str = "") -> str:
    return f"{before}\nfloat4 main(nointerpolation int i : I, float4 c : C) : SV_Target {{\n{text}\n}}\n"


def repeated(count: int, text: str, separator: str = "") -> str:
    return separator.join(text.format(n) for n in range(count))


CASES = {
    "switch": (
        body("float r = 0;\nswitch (i) {" + repeated(16_384, "case {0}:") + " r = 1; }\nreturn r;"),
        "4:9: error: cases of a switch: 16384, and SPIR-V allows 16383",
    ),
    "constant array": (
        "static const int a[65533] = {" + repeated(65_533, "1", ",") + "};" + body("return a[i];"),
        "1:",
    ),
    "local array": (
        body("float a[65533] = {" + repeated(65_533, "c.x", ",") + "};\nreturn a[i];"),
        "elements of a composite: 65533, and SPIR-V allows 65532",
    ),
    "splat": (body("float a[70000] = (float[70000])c.x;\nreturn a[i];"), "3:"),
    "string": (body(f'printf("{"x" * 65_536}");\nreturn 1;'), "3:8: error: a string of 65536 bytes"),
    "global string": (f'string s = "{"x" * 70_000}";' + body("return 1;"), "1:12: error: a string of 70000 bytes"),
    "parameters": (
        body(
            "return f(" + repeated(256, "1", ",") + ");",
            "float f(" + repeated(256, "float a{0}", ",") + ") { return 1; }",
        ),
        "1:7: error: parameters of a function: 256, and SPIR-V allows 255",
    ),
    "name": (body(f"return {'x' * 300_000}();", f"float {'x' * 300_000}() {{ return 1; }}"), "1:7: error: the shader"),
    "semantic": (f"float4 main(float a : {'X' * 300_000}) : SV_Target {{ return a; }}", "1:23: error: the shader"),
    "members": (
        "struct S { " + repeated(16_384, "float m{0};") + " };" + body("return 1;"),
        "1:8: error: 'S' has 16384 members: SPIR-V allows 16383",
    ),
    "block": (
        "cbuffer B { " + repeated(16_384, "float m{0};") + " };" + body("return 1;"),
        "1:9: error: 'B' has 16384 members: SPIR-V allows 16383",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_excess(name: str) -> None:
    source, wanted = CASES[name]
    options = CompileOptions(codegen_only=True, validate="no", hlsl_version=2021)
    result = compile_shader(source, profile="ps_6_0", options=options)
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert not result.ok and len(errors) == 1
    at = errors[0].location
    assert at is not None
    assert wanted in f"{at.line}:{at.col}: error: {errors[0].message}"
