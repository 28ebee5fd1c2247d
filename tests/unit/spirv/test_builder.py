"""The module builder: order of instructions, sharing of types and constants, names, interfaces."""

from __future__ import annotations

import math

import pytest

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import NON_UNIFORM, PRECISE, Member, ModuleBuilder
from hlsl_tool.spirv.builder.constants import float_bits
from hlsl_tool.spirv.builder.images import ImageOperands
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.spirv.literal import Literal

from .helpers import begin_main, body, end_main, sample_builder

SAMPLE = """
OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %gl_FragCoord %out_var_SV_Target
OpExecutionMode %main OriginUpperLeft
OpName %type_StructuredBuffer_S "type.StructuredBuffer.S"
OpName %S "S"
OpMemberName %S 0 "a"
OpMemberName %S 1 "m"
OpName %buf "buf"
OpName %gl_FragCoord "gl_FragCoord"
OpName %out_var_SV_Target "out.var.SV_Target"
OpName %main "main"
OpName %bb_entry "bb.entry"
OpName %src_main "src.main"
OpName %pos "pos"
OpName %bb_entry_0 "bb.entry"
OpName %x "x"
OpName %if_true "if.true"
OpName %if_false "if.false"
OpName %if_merge "if.merge"
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 1
OpDecorate %gl_FragCoord BuiltIn FragCoord
OpDecorate %out_var_SV_Target Location 0
OpMemberDecorate %S 0 Offset 0
OpMemberDecorate %S 1 Offset 16
OpMemberDecorate %S 1 MatrixStride 16
OpMemberDecorate %S 1 ColMajor
OpDecorate %_runtimearr_S ArrayStride 80
OpMemberDecorate %type_StructuredBuffer_S 0 Offset 0
OpMemberDecorate %type_StructuredBuffer_S 0 NonWritable
OpDecorate %type_StructuredBuffer_S BufferBlock
%float = OpTypeFloat 32
%float_0_5 = OpConstant %float 0.5
%float_n1_5 = OpConstant %float -1.5
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%int_3 = OpConstant %int 3
%float_2 = OpConstant %float 2
%float_3 = OpConstant %float 3
%v4float = OpTypeVector %float 4
%mat4v4float = OpTypeMatrix %v4float 4
%S = OpTypeStruct %float %mat4v4float
%_runtimearr_S = OpTypeRuntimeArray %S
%type_StructuredBuffer_S = OpTypeStruct %_runtimearr_S
%_ptr_Uniform_type_StructuredBuffer_S = OpTypePointer Uniform %type_StructuredBuffer_S
%_ptr_Input_v4float = OpTypePointer Input %v4float
%_ptr_Output_v4float = OpTypePointer Output %v4float
%void = OpTypeVoid
%23 = OpTypeFunction %void
%28 = OpTypeFunction %v4float %v4float
%_ptr_Function_float = OpTypePointer Function %float
%bool = OpTypeBool
%_ptr_Uniform_float = OpTypePointer Uniform %float
%buf = OpVariable %_ptr_Uniform_type_StructuredBuffer_S Uniform
%gl_FragCoord = OpVariable %_ptr_Input_v4float Input
%out_var_SV_Target = OpVariable %_ptr_Output_v4float Output
%main = OpFunction %void None %23
%bb_entry = OpLabel
%25 = OpLoad %v4float %gl_FragCoord
%26 = OpFunctionCall %v4float %src_main %25
OpStore %out_var_SV_Target %26
OpReturn
OpFunctionEnd
%src_main = OpFunction %v4float None %28
%pos = OpFunctionParameter %v4float
%bb_entry_0 = OpLabel
%x = OpVariable %_ptr_Function_float Function
%33 = OpCompositeExtract %float %pos 0
%35 = OpFOrdLessThan %bool %33 %float_0_5
OpSelectionMerge %if_merge None
OpBranchConditional %35 %if_true %if_false
%if_true = OpLabel
OpStore %x %float_n1_5
OpBranch %if_merge
%if_false = OpLabel
%40 = OpAccessChain %_ptr_Uniform_float %buf %int_0 %int_3 %int_0
%41 = OpLoad %float %40
OpStore %x %41
OpBranch %if_merge
%if_merge = OpLabel
%42 = OpLoad %float %x
%43 = OpExtInst %float %1 FMix %42 %float_2 %float_3
%44 = OpCompositeConstruct %v4float %43 %43 %43 %43
OpReturnValue %44
OpFunctionEnd
"""


def test_order_of_everything() -> None:
    assert body(sample_builder().finalize()) == SAMPLE.strip().splitlines()


def test_finalize_twice_gives_the_same() -> None:
    b = sample_builder()
    assert encode(b.finalize()) == encode(b.finalize())


def test_storage_buffers_from_spirv_1_4_on() -> None:
    text = body(sample_builder((1, 4)).finalize())
    assert "OpDecorate %type_StructuredBuffer_S Block" in text
    assert "%buf = OpVariable %_ptr_StorageBuffer_type_StructuredBuffer_S StorageBuffer" in text
    assert "%40 = OpAccessChain %_ptr_StorageBuffer_float %buf %int_0 %int_3 %int_0" in text
    assert 'OpEntryPoint Fragment %main "main" %gl_FragCoord %out_var_SV_Target %buf' in text


def test_types_are_shared_unless_their_layouts_differ() -> None:
    b = ModuleBuilder()
    assert b.vector(b.f32(), 3) == b.vector(b.f32(), 3)
    assert b.vector(b.f32(), 1) == b.f32()
    plain = b.struct("S", [Member(b.f32(), "a")])
    laid_out = b.struct("S", [Member(b.f32(), "a", 0)])
    assert plain != laid_out
    assert plain == b.struct("S", (Member(b.f32(), "a"),))
    assert b.array(b.f32(), 4, 16) != b.array(b.f32(), 4)


def test_unused_types_are_not_written() -> None:
    b = ModuleBuilder()
    b.struct("Unused", [Member(b.f32(), "a")])
    main = begin_main(b)
    end_main(b, main)
    assert not [line for line in body(b.finalize()) if "Unused" in line or "OpTypeFloat" in line]


def test_array_length_comes_before_the_element() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    b.local_variable(b.array(b.f32(), 4), "a")
    end_main(b, main)
    text = body(b.finalize())
    assert text.index("%uint_4 = OpConstant %uint 4") < text.index("%float = OpTypeFloat 32")
    assert "%_arr_float_uint_4 = OpTypeArray %float %uint_4" in text


@pytest.mark.parametrize(
    ("width", "signed", "value", "words"),
    [
        (32, True, -1, [0xFFFFFFFF]),
        (16, True, -2, [0xFFFFFFFE]),
        (16, False, 0xFFFE, [0xFFFE]),
        (8, True, -1, [0xFFFFFFFF]),
        (64, True, -1, [0xFFFFFFFF, 0xFFFFFFFF]),
        (64, False, 1 << 40, [0, 256]),
        (32, False, (1 << 32) + 5, [5]),
    ],
)
def test_integer_constants(width: int, signed: bool, value: int, words: list[int]) -> None:
    b = ModuleBuilder()
    assert b.constants[b.const_int(value, b.int_type(width, signed))].operands == words


@pytest.mark.parametrize(
    ("width", "value", "words"),
    [
        (32, 1.0, [0x3F800000]),
        (32, -0.0, [0x80000000]),
        (32, math.inf, [0x7F800000]),
        (32, 1e300, [0x7F800000]),
        (16, 1.0, [0x3C00]),
        (16, 1e6, [0x7C00]),
        (64, 1.0, [0, 0x3FF00000]),
    ],
)
def test_float_constants(width: int, value: float, words: list[int]) -> None:
    b = ModuleBuilder()
    assert b.constants[b.const_float(value, b.float_type(width))].operands == words


def test_zeros_of_both_signs_are_two_constants_and_specialisation_constants_are_never_shared() -> None:
    b = ModuleBuilder()
    assert b.const_f32(0.0) != b.const_f32(-0.0)
    assert b.const_f32(1.0) == b.const_f32(1.0)
    assert b.spec_constant(b.i32(), 1, 3) != b.spec_constant(b.i32(), 1, 4)


def test_specialisation_constants() -> None:
    b = ModuleBuilder()
    spec = b.spec_constant(b.i32(), 7, 3)
    b.name(spec, "count")
    main = begin_main(b)
    double = b.spec_constant_op(op.OpIMul, b.i32(), spec, b.const_i32(2))
    b.store(b.local_variable(b.i32(), "x"), double)
    end_main(b, main)
    text = body(b.finalize())
    assert "OpDecorate %count SpecId 3" in text
    assert "%count = OpSpecConstant %int 7" in text
    assert any(line.endswith("OpSpecConstantOp %int IMul %count %int_2") for line in text)


def test_blocks_in_readable_order() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    # As for a loop: the merge block is made first and written last; a block without a way to it is not written.
    merge, header, check, inner, cont, dead = (b.new_block(n) for n in ("merge", "head", "check", "in", "cont", "dead"))
    b.branch(header)
    b.set_insert_point(header)
    b.loop_merge(merge, cont)
    b.branch(check)
    b.set_insert_point(check)
    b.emit_void(op.OpBranchConditional, b.const_bool(True), inner, merge)
    b.set_insert_point(inner)
    b.branch(cont)
    b.set_insert_point(cont)
    b.branch(header)
    b.set_insert_point(dead)
    b.ret()
    b.set_insert_point(merge)
    end_main(b, main)
    labels = [line.split(" ")[0] for line in body(b.finalize()) if line.endswith("OpLabel")]
    assert labels == ["%bb_entry", "%head", "%check", "%in", "%cont", "%merge"]


def test_cases_of_a_switch_in_source_order() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    merge, one, default, two = (b.new_block(name) for name in ("merge", "one", "default", "two"))
    b.switch(b.const_i32(5), default, [(1, one), (-2, two)], merge=merge)
    for block in (one, default, two):
        b.set_insert_point(block)
        b.branch(merge)
    b.set_insert_point(merge)
    end_main(b, main)
    text = body(b.finalize())
    assert "OpSwitch %int_5 %default 1 %one -2 %two" in text
    labels = [line.split(" ")[0] for line in text if line.endswith("OpLabel")]
    assert labels[1:] == ["%one", "%default", "%two", "%merge"]


def test_nothing_follows_a_terminator() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    b.ret()
    assert b.is_terminated
    b.kill()
    b.unary(op.OpFNegate, b.f32(), b.const_f32(1.0))
    end_main(b, main)
    assert not [line for line in body(b.finalize()) if "OpKill" in line or "OpFNegate" in line]


def test_marks_become_decorations_in_place() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    x = b.load(b.local_variable(b.f32(), "x"))
    y = b.binary(op.OpFMul, b.f32(), x, x)
    b.mark(x, PRECISE)
    b.mark(y, PRECISE | NON_UNIFORM)
    end_main(b, main)
    text = [line for line in body(b.finalize()) if line.startswith("OpDecorate")]
    assert [line.split(" ")[2] for line in text] == ["NonUniform", "NoContraction"]


def test_linked_structs() -> None:
    b = ModuleBuilder(version=(1, 3))
    pointer = b.forward_pointer(e.StorageClass.PhysicalStorageBuffer)
    node = b.struct("Node", [Member(b.i32(), "value", 0), Member(pointer, "next", 8)], interface="uniform")
    b.complete_pointer(pointer, node)
    assert b.pointer(e.StorageClass.PhysicalStorageBuffer, node) == pointer
    main = begin_main(b)
    b.local_variable(pointer, "p")
    end_main(b, main)
    text = body(b.finalize())
    forward = text.index("OpTypeForwardPointer %_ptr_PhysicalStorageBuffer_Node PhysicalStorageBuffer")
    struct = text.index("%Node = OpTypeStruct %int %_ptr_PhysicalStorageBuffer_Node")
    assert forward < struct < text.index("%_ptr_PhysicalStorageBuffer_Node = OpTypePointer PhysicalStorageBuffer %Node")


def test_image_operands_in_the_order_of_their_bits() -> None:
    words = ImageOperands(min_lod=9, const_offset=5, grad=(3, 4)).words()
    bits = e.ImageOperands
    assert words == [bits.Grad | bits.ConstOffset | bits.MinLod, 3, 4, 5, 9]
    assert ImageOperands().words() == [0]


def test_sparse_sampling_writes_the_residency_code() -> None:
    b = ModuleBuilder()
    image = b.image(b.f32(), e.Dim.Dim2D)
    texture = b.global_variable(image, e.StorageClass.UniformConstant, "t")
    sampler = b.global_variable(b.sampler(), e.StorageClass.UniformConstant, "s")
    main = begin_main(b)
    status = b.local_variable(b.u32(), "status")
    v4 = b.vector(b.f32(), 4)
    coordinate = b.zero(b.vector(b.f32(), 2))
    b.image_sample(v4, b.load(texture), b.load(sampler), coordinate, ImageOperands(), residency=status)
    end_main(b, main)
    text = "\n".join(body(b.finalize()))
    assert "OpImageSparseSampleImplicitLod %SparseResidencyStruct" in text
    assert 'OpMemberName %SparseResidencyStruct 0 "Residency.Code"' in text
    assert "OpStore %status" in text


def test_lines() -> None:
    b = ModuleBuilder()
    b.line_mode = "line"
    file = b.string("a.hlsl")
    main = begin_main(b)
    x = b.local_variable(b.f32(), "x")
    b.set_line(file, 3, 5)
    b.store(x, b.const_f32(1.0))
    b.store(x, b.const_f32(2.0))
    b.set_line(file, 4, 5)
    b.store(x, b.const_f32(3.0))
    b.set_line()
    end_main(b, main)
    module = b.finalize()
    text = body(module)
    start = text.index("OpLine %2 3 5")
    assert text[start + 3 : start + 7] == ["OpLine %2 4 5", "OpStore %x %float_3", "OpNoLine", "OpReturn"]
    assert encode(decode(encode(module))) == encode(module)


def test_decorations_of_dead_code_are_dropped() -> None:
    b = ModuleBuilder()
    dead = b.declare_function("never")
    b.decorate(dead, e.Decoration.RelaxedPrecision)
    main = begin_main(b)
    end_main(b, main)
    assert not [line for line in body(b.finalize()) if line.startswith("OpDecorate")]


def test_deep_nesting_needs_no_deep_stack() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    for _ in range(5000):
        true, merge = b.new_block(), b.new_block()
        b.branch_conditional(b.const_bool(True), true, merge, merge=merge)
        b.set_insert_point(merge)
        b.ret()
        b.set_insert_point(true)
    end_main(b, main)
    assert len(b.finalize().functions[0].blocks) == 10001


def test_inline_spirv_of_any_opcode_and_decoration() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    one = b.const_i32(1)
    result = b.emit_raw(65000, b.i32(), one, Literal(1), "text")
    b.decorate(result, 64000, 1, 2)
    b.emit_raw(op.OpBitReverse, b.i32(), result)
    end_main(b, main)
    module = b.finalize()
    raw, known, _ = module.functions[0].blocks[0].instructions
    definitions = module.definitions()
    assert isinstance(raw.operands[0], int)
    assert definitions[raw.operands[0]].op == op.OpConstant
    assert raw.operands[1:] == [1, "text"]
    assert known.operands == [raw.result_id]
    assert module.annotations[-1].operands == [raw.result_id, 64000, 1, 2]
    assert "Op65000" in "\n".join(body(module))


def test_debug_instructions_around_the_parameters() -> None:
    b = ModuleBuilder()
    debug = b.ext_set("OpenCL.DebugInfo.100")
    function, _ = b.begin_function("f", b.void_type(), [(b.f32(), "p"), (b.f32(), "q")])
    assert b.function is not None
    for place in (0, 2):
        b.function.header.append((place, Instruction(op.OpExtInst, b.void_type(), b.new_id(), [debug, 0])))
    b.set_insert_point(b.new_block())
    b.ret()
    b.end_function()
    b.decorate_linkage(function, "f", e.LinkageType.Export)
    module = b.finalize()
    text = body(module)
    start = next(index for index, line in enumerate(text) if " = OpFunction " in line)
    assert [line.split(" ")[2] for line in text[start : start + 6]] == [
        "OpFunction",
        "OpExtInst",
        "OpFunctionParameter",
        "OpFunctionParameter",
        "OpExtInst",
        "OpLabel",
    ]
    assert encode(decode(encode(module))) == encode(module)


@pytest.mark.parametrize(
    ("value", "width", "bits"),
    [
        (1e300, 32, 0x7F800000),
        (-1e300, 32, 0xFF800000),
        (70000.0, 16, 0x7C00),
        (-70000.0, 16, 0xFC00),
        (-1.5, 32, 0xBFC00000),
        (-1.5, 16, 0xBE00),
        (1.0, 64, 0x3FF0000000000000),
    ],
)
def test_bits_of_numbers(value: float, width: int, bits: int) -> None:
    assert float_bits(value, width) == bits


@pytest.mark.parametrize(
    ("width", "bits", "words"),
    [
        (16, 0x7E01, [0x7E01]),
        (32, 0x7FC00001, [0x7FC00001]),
        (64, 0x7FF8000000000001, [1, 0x7FF80000]),  # the low word comes first
    ],
)
def test_constants_by_their_bits(width: int, bits: int, words: list[int]) -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    number = b.const_bits(bits, b.float_type(width))
    b.store(b.global_variable(b.float_type(width), e.StorageClass.Private, "x"), number)
    end_main(b, main)
    (constant,) = [inst for inst in b.finalize().globals if inst.op == op.OpConstant]
    assert constant.ints() == words
