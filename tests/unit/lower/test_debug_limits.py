"""Texts of 64 KiB and more in debug information: SPIR-V allows 65,535 bytes for a string."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.options.compile_options import DEBUG_EVERYTHING, CompileOptions
from hlsl_tool.base.source import MemoryFileSystem
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv import op, shader_debug
from hlsl_tool.spirv.builder.limits import MAX_STRING
from hlsl_tool.spirv.ir import Module

MAIN = "float4 main(float x : X) : SV_Target { return x; }\n"
FORMS = [("vulkan-with-source",), ("rich-with-source",), ("file", "source"), DEBUG_EVERYTHING]


def compiled(source: str, debug: tuple[str, ...], files: dict[str, str] | None = None, **more: str) -> CompileResult:
    options = CompileOptions(debug=debug, target_env="vulkan1.1", validate="required", **more)  # type: ignore[arg-type]
    fs = MemoryFileSystem(files or {})
    return compile_shader(source, name="main.hlsl", profile="ps_6_0", entry=options.entry, options=options, fs=fs)


def strings(module: Module) -> dict[int, str]:
    return {inst.result_id: inst.text(0) for inst in module.sources if inst.op == op.OpString}


def source_texts(module: Module) -> list[str]:
    """Return the texts of OpSource and DebugSource, joined with their continuations."""
    names = strings(module)
    texts: list[str] = []
    for inst in module.sources:
        if inst.op == op.OpSource and len(inst.operands) > 3:
            texts.append(inst.text(3))
        elif inst.op == op.OpSourceContinued:
            texts[-1] += inst.text(0)
    for inst in module.globals:
        if inst.op != op.OpExtInst or inst.id(1) not in (shader_debug.DebugSource, shader_debug.DebugSourceContinued):
            continue
        if inst.id(1) == shader_debug.DebugSourceContinued:
            texts[-1] += names[inst.id(2)]
        elif len(inst.operands) > 3:
            texts.append(names[inst.id(3)])
    return texts


@pytest.mark.parametrize("size", [65_400, 66_000, 300_000])
@pytest.mark.parametrize("debug", FORMS)
def test_long_sources_are_continued(debug: tuple[str, ...], size: int) -> None:
    comment = "// " + "é" * (size // 2) + "\n"
    included = "float twice(float x) { return 2 * x; }" + comment
    main = '#include "long.hlsli"\n' + MAIN.replace("return x", "return twice(x)") + comment
    result = compiled(main, debug, {"long.hlsli": included})
    assert result.ok, result.diagnostics
    assert result.module is not None
    assert sorted(source_texts(result.module)) == sorted([main, included])
    assert all(len(text.encode()) <= MAX_STRING for text in strings(result.module).values())


@pytest.mark.parametrize("debug", [*FORMS, ("vulkan",), ("rich",), ("tool",)])
def test_long_command_lines(debug: tuple[str, ...]) -> None:
    command = "-T ps_6_0 " + "-D A=1 " * 50_000
    result = compiled(MAIN, debug, command_line=command)
    assert result.ok, result.diagnostics
    assert result.module is not None
    parts = [inst.text(0) for inst in result.module.processed]
    if parts:
        assert "".join(part.removeprefix("dxc-cl-option: ") for part in parts) == f"main.hlsl {command}".rstrip()


@pytest.mark.parametrize("source", [f'#line 1 "{"f" * 300_000}"\n' + MAIN, MAIN.replace("main(", "v" * 70_000 + "(")])
@pytest.mark.parametrize("debug", [("vulkan",), ("rich",)])
def test_names_too_long_for_a_string(source: str, debug: tuple[str, ...]) -> None:
    entry = "main" if "main" in source else "v" * 70_000
    result = compiled(source, debug, entry=entry)
    assert [diagnostic.code.id for diagnostic in result.diagnostics if diagnostic.severity != "warning"] == ["HLSL0721"]
