"""Masking of instructions that spirv-opt does not support; removal of unused pointer variables."""

from __future__ import annotations

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.dead_pointers import remove_dead_pointers
from hlsl_tool.codegen.passes.masking import mask, unmask
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from tests.unit.passes.helpers import begin_main, body, code, end_main

MATRICES = """
#include <vk/khr/cooperative_matrix.h>
RWStructuredBuffer<float> data;
using C = vk::khr::CooperativeMatrixAccumulator<float, vk::ScopeSubgroup, 8, 4>;
[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
    C m = C::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 0, 4);
    for (uint n = 0; n < data[0]; n++) {
        m = m * m + C::Splat(n);
        m.Set(m.Get(n) * 2, n);
    }
    if (i < C::GetLength()) m.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 32, 4);
}
"""


def compiled(**options: object) -> bytes:
    chosen = CompileOptions(target_env="vulkan1.3", **options)  # type: ignore[arg-type]
    result = compile_shader(MATRICES, entry="main", profile="cs_6_0", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


def test_mask_and_unmask() -> None:
    data = compiled(codegen_only=True)
    module = decode(data)
    masked = mask(module, ModuleIndex(module))
    text = "\n".join(body(module))
    assert "CooperativeMatrixKHR" not in text.replace('"', "").replace("OpName", "")
    assert "OpTypeFloat 4096" in text
    assert decode(encode(module)) is not None
    unmask(module, masked)
    assert sorted(body(module)) == sorted(body(decode(data)))


LINKED = "RWStructuredBuffer<float4> a; void f(inout float x) {} export void g() { f(a[0].x); }"


def test_capabilities_of_modules_with_linkage() -> None:
    """A module with linkage declares only the capabilities that it uses, including those of masked instructions."""
    chosen = CompileOptions(target_env="universal1.5", fix_func_call_arguments=True, optimize="none")
    result = compile_shader(LINKED, entry="", profile="lib_6_3", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    text = [line for line in body(decode(result.spirv)) if line.startswith("OpCapability")]
    assert text == ["OpCapability Linkage", "OpCapability Shader"]


def test_restored_after_optimisation() -> None:
    text = "\n".join(body(decode(compiled())))
    assert "!masked" not in text
    assert "OpTypeInt 4096" not in text
    for wanted in ("LoadKHR", "StoreKHR", "LengthKHR"):
        assert text.count(f"OpCooperativeMatrix{wanted}") == 1, wanted
    matrix = next(line for line in text.split("\n") if "= OpTypeCooperativeMatrixKHR" in line).split(" = ")
    assert matrix[1] == "OpTypeCooperativeMatrixKHR %float %uint_3 %uint_8 %uint_4 %uint_2"
    for opcode in ("OpFMul", "OpFAdd", "OpCompositeConstruct"):
        assert f"{opcode} {matrix[0]}" in text


QUADS = """
RWStructuredBuffer<uint> o;
uint both(bool b) { return QuadAny(b) + 2 * QuadAll(b); }
[numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) { o[i] = both(i > 2); }
"""


def test_quad_control_is_optimised() -> None:
    """The module is inlined and promoted; afterwards capability, execution mode and instructions are restored."""
    options = CompileOptions(target_env="vulkan1.3", maximal_reconvergence=True)
    result = compile_shader(QUADS, entry="main", profile="cs_6_7", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    text = "\n".join(body(decode(result.spirv)))
    assert "OpFunctionCall" not in text
    assert "OpVariable %_ptr_Function" not in text
    condition = next(line for line in text.split("\n") if "OpUGreaterThan" in line).split(" = ")[0]
    for wanted in (
        "OpCapability QuadControlKHR",
        'OpExtension "SPV_KHR_quad_control"',
        'OpExtension "SPV_KHR_maximal_reconvergence"',
        "OpExecutionMode %main MaximallyReconvergesKHR",
        f"OpGroupNonUniformQuadAnyKHR %bool {condition}",
        f"OpGroupNonUniformQuadAllKHR %bool {condition}",
    ):
        assert text.count(wanted) == 1, wanted


def test_modes_return_to_their_entry_points() -> None:
    source = """
[WaveOpsIncludeHelperLanes] float4 main(float4 c : C) : SV_Target { return QuadAny(c.x > 0.5) ? c : 1; }"""
    options = CompileOptions(target_env="vulkan1.3")
    result = compile_shader(source, entry="main", profile="ps_6_7", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    modes = [line for line in body(decode(result.spirv)) if line.startswith("OpExecutionMode")]
    assert modes == [
        f"OpExecutionMode %main {m}" for m in ("OriginUpperLeft", "MaximallyReconvergesKHR", "RequireFullQuadsKHR")
    ]


def test_dead_pointers() -> None:
    b = ModuleBuilder()
    shared = b.global_variable(b.f32(), e.StorageClass.Workgroup, "shared")
    main = begin_main(b)
    pointer = b.type_id_of(shared)
    unread, read = b.local_variable(pointer, "unread"), b.local_variable(pointer, "read")
    number = b.local_variable(b.f32(), "number")
    b.store(unread, shared)
    b.store(read, shared)
    b.store(number, b.const_f32(1.0))
    b.emit(op.OpLoad, pointer, read)
    end_main(b, main, e.ExecutionModel.GLCompute)
    module = b.finalize()
    remove_dead_pointers(module)
    text = code(module)
    assert not any("unread" in line for line in body(module))
    assert [line for line in text if "OpStore" in line] == ["OpStore %read %shared", "OpStore %number %float_1"]
