"""Diagnostic codes whose shaders are too long for a file or contain invalid bytes: the tests generate them."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import MemoryFileSystem

MAIN = "float4 main() : SV_Target { return 0; }\n"
DOUBLING = "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 30))
GROWING = "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define T0 xxxxxxxx\n" + "".join(
    f"#define T{n} CAT(T{n - 1}, T{n - 1})\n" for n in range(1, 26)
)
DEEP = "#define F(x) x\nfloat f = " + "F(" * 1000 + "1" + ")" * 1000 + ";\n"
SOURCES: dict[str, str | bytes] = {
    "HLSL0109": '#include "twice.hlsli"\n' + MAIN,
    "HLSL0110": b"float a;\0\1\2\3" + MAIN.encode(),
    "HLSL0111": b"// caf\xe9\n" + MAIN.encode(),
    "HLSL0113": "float a =\u00a01;\n" + MAIN,
    "HLSL0164": "#if " + "(" * 300 + "1" + ")" * 300 + "\n#endif\n" + MAIN,
    "HLSL0186": DOUBLING + "A29\n" + MAIN,
    "HLSL0187": GROWING + "T25\n" + MAIN,
    "HLSL0188": DEEP + MAIN,
    "HLSL0721": f"float4 main(float a : {'X' * 300_000}) : SV_Target {{ return a; }}",
    "HLSL1090": b'static const string s = "\xff";\n' + MAIN.encode(),
    "HLSL1161": f'#include "{"a" * 5000}"\n' + MAIN,
    "HLSL1163": f'string s = "{"a" * 70_000}";\n' + MAIN.replace("return", "printf(s); return"),
    "HLSL1164": "struct S { " + "float a; ".join(["", *(f"float m{n}; " for n in range(17_000))]) + "};\n" + MAIN,
}


@pytest.mark.parametrize("code", SOURCES)
def test_limits(code: str) -> None:
    files = {f"i{n}.hlsli": f'#include "i{n + 1}.hlsli"\n#include "i{n + 1}.hlsli"\n' for n in range(20)}
    files |= {"twice.hlsli": '#include "i0.hlsli"\n', "i20.hlsli": ""}
    options = CompileOptions(warnings=("invalid-source-encoding",))
    result = compile_shader(SOURCES[code], profile="ps_6_0", options=options, fs=MemoryFileSystem(files))
    assert code in [diagnostic.code.id for diagnostic in result.diagnostics]


def test_without_spirv_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("hlsl_tool.spirv.tools.locate.installed", lambda: None)
    result = compile_shader(MAIN, profile="ps_6_0")
    assert {diagnostic.code.id for diagnostic in result.diagnostics} == {"HLSL0750"}
    assert result.ok
