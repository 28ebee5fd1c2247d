"""`compile_shader`: its results and its caches, which do not affect results."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.spirv.ir import MAGIC


def simple(body: str) -> str:
    return f"float4 main(float4 c : C) : SV_Target {{ {body} }}"


def test_words_of_spirv() -> None:
    result = compile_shader(simple("return c * 2;"), profile="ps_6_0")
    assert result.ok
    assert struct.unpack("<2I", result.spirv[:8]) == (MAGIC, 0x10000)
    assert len(result.spirv) % 4 == 0


def test_text_and_bytes_are_one() -> None:
    text = simple("return c * 2;")
    assert compile_shader(text.encode(), profile="ps_6_0").spirv == compile_shader(text, profile="ps_6_0").spirv
    marked = b"\xef\xbb\xbf" + text.encode()
    assert compile_shader(marked, profile="ps_6_0").ok
    found = compile_shader("// \udc80 is no character\n" + text, profile="ps_6_0")
    assert found.ok
    assert found.diagnostics == []


@pytest.mark.parametrize("source", [None, 3, ["float x;"]])
def test_a_source_of_another_type_is_a_type_error(source: object) -> None:
    with pytest.raises(TypeError, match=r"the source is a SourceFile, text or bytes, not (NoneType|int|list)"):
        compile_shader(source, profile="ps_6_0")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environment", "version"),
    [
        ("vulkan1.0", 0x10000),
        ("vulkan1.1", 0x10300),
        ("vulkan1.2", 0x10500),
        ("vulkan1.3", 0x10600),
        ("vulkan1.4", 0x10600),
    ],
)
def test_version_of_the_target(environment: str, version: int) -> None:
    result = compile_shader(simple("return c;"), profile="ps_6_0", options=CompileOptions(target_env=environment))
    assert struct.unpack("<2I", result.spirv[:8])[1] == version


def test_an_error_gives_no_words() -> None:
    result = compile_shader(simple("return d;"), profile="ps_6_0")
    assert not result.ok
    assert result.spirv == b""
    assert result.diagnostics[0].severity == "error"


def test_memory_changes_nothing() -> None:
    memory = Memory()
    texts = [simple(f"return c * {n};") for n in (1, 2, 1)]
    options = CompileOptions(validate="no")
    remembered = [compile_shader(text, profile="ps_6_0", options=options, memory=memory).spirv for text in texts]
    fresh = [compile_shader(text, profile="ps_6_0", options=options).spirv for text in texts]
    assert remembered == fresh
    assert remembered[0] == remembered[2]


def test_errors_are_remembered_as_errors() -> None:
    memory = Memory()
    first, second = (compile_shader(simple("return d;"), profile="ps_6_0", memory=memory) for _ in range(2))
    assert [d.message for d in first.diagnostics] == [d.message for d in second.diagnostics] != []


def test_entry_and_profile_of_the_call_win() -> None:
    options = CompileOptions(entry="other", profile="vs_6_0")
    result = compile_shader(
        "float4 pixel() : SV_Target { return 1; }", entry="pixel", profile="ps_6_0", options=options
    )
    assert result.ok
    assert result.interface.entry == "pixel"


def test_names_of_entry_points() -> None:
    options = CompileOptions(entry_point_name="renamed", validate="no")
    result = compile_shader(simple("return c;"), profile="ps_6_0", options=options)
    assert result.module is not None
    assert result.module.entry_points[0].text(2) == "renamed"


def test_optimisation_makes_it_smaller() -> None:
    body = "float4 t = 0; for (int i = 0; i < 3; i++) t += c * i; return t;"
    sizes = [
        len(compile_shader(simple(body), profile="ps_6_0", options=replace(CompileOptions(), optimize=kind)).spirv)
        for kind in ("none", "performance", "size")
    ]
    assert sizes[1] < sizes[0]
    assert sizes[2] < sizes[0]


def test_defines() -> None:
    options = CompileOptions(defines=(("SCALE", "3"), ("FLAG", None)), codegen_only=True)
    text = "#ifndef FLAG\n#error no flag\n#endif\n" + simple("return c * SCALE;")
    assert compile_shader(text, profile="ps_6_0", options=options).ok
    assert not compile_shader(text, profile="ps_6_0").ok


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "std140"}, "layout cannot be 'std140'; it is one of vulkan, dx, gl, scalar"),
        ({"target_env": "vulkan9"}, "target_env cannot be 'vulkan9'; it is one of vulkan1.0, "),
        ({"optimize": "fast"}, "optimize cannot be 'fast'; it is one of none, size, performance"),
        ({"validate": False}, "validate cannot be False; it is one of yes, required, no"),
        ({"defines": {"A": "1"}}, 'defines wants a tuple such as (("NAME", "1"), ("OTHER", None)), got a dict'),
        ({"warnings": "padding"}, "warnings wants a tuple, got a str"),
        ({"include_dirs": ["a"]}, "include_dirs wants a tuple, got a list"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    given = CompileOptions(**options)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ValueError, match=re.escape(message)):
        compile_shader("float4 main() : SV_Target { return 1; }", profile="ps_6_0", options=given)


def test_an_error_cannot_be_reflected() -> None:
    with pytest.raises(ValueError, match="the shader has errors"):
        compile_shader("float4 main() : SV_Target { return x; }", profile="ps_6_0").reflect()


def test_unknown_warnings_are_reported() -> None:
    """A warning option with a name that neither this compiler nor clang has is reported (HLSL0757)."""
    source = "float4 main() : SV_Target { return 1; }"
    options = CompileOptions(warnings=("error=binding-colision", "no-paddin", "frobnicate", "shadow", "no-conversion"))
    result = compile_shader(source, profile="ps_6_0", options=options)
    assert [(d.message, d.hint) for d in result.diagnostics] == [
        ("unknown warning option '-Werror=binding-colision'", "did you mean 'binding-collision'?"),
        ("unknown warning option '-Wno-paddin'", "did you mean 'padding'?"),
        ("unknown warning option '-Wfrobnicate'", None),
    ]
