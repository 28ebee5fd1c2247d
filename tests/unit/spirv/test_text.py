"""The disassembler prints what spirv-dis prints."""

from __future__ import annotations

import shutil
import struct
import subprocess

import pytest

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import Member, ModuleBuilder
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.grammar import core
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.numbers import format_float, hex_float
from hlsl_tool.spirv.text import disassemble, generator_name

from .helpers import begin_main, body, end_main, sample_builder

SPIRV_DIS = shutil.which("spirv-dis")
needs_spirv_dis = pytest.mark.skipif(SPIRV_DIS is None, reason="spirv-dis is not installed")


def spirv_dis(module: Module) -> str:
    done = subprocess.run(["spirv-dis", "-"], input=encode(module), capture_output=True, check=True)
    return done.stdout.decode()


@needs_spirv_dis
def test_sample_is_the_same() -> None:
    module = sample_builder().finalize()
    assert disassemble(module) == spirv_dis(module)


@needs_spirv_dis
def test_names() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    for text in ("a b", "a.b", "a_b", "ä", "1", "if.true", "if.true", "x[0]"):
        b.local_variable(b.f32(), text)
    for type_id in (b.int_type(8, False), b.int_type(16), b.int_type(64, False), b.float_type(16), b.float_type(64)):
        b.local_variable(b.array(b.vector(type_id, 3), 2))
    b.local_variable(b.struct("", [Member(b.bool_type())]))
    for image in (b.image(b.f32(), e.Dim.Cube, arrayed=True), b.image(b.u32(), e.Dim.Buffer, sampled=2, format=33)):
        b.global_variable(image, e.StorageClass.UniformConstant)
    end_main(b, main)
    module = b.finalize()
    assert disassemble(module) == spirv_dis(module)


@needs_spirv_dis
def test_built_ins_are_named() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    for number in (*range(44), *range(4416, 4421), 4424, 4426, 4440, 5014):
        if number in core.ENUMERANTS["BuiltIn"]:
            b.builtin_variable(b.f32(), e.StorageClass.Input, number)
    end_main(b, main)
    module = b.finalize()
    assert [line.split()[0] for line in disassemble(module).splitlines() if "OpVariable" in line] == [
        line.split()[0] for line in spirv_dis(module).splitlines() if "OpVariable" in line
    ]


@needs_spirv_dis
def test_numbers() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    for width in (16, 32, 64):
        type_id = b.float_type(width)
        mantissa = {16: 10, 32: 23, 64: 52}[width]
        top = 1 << (width - 1)
        exponent = (top - 1) ^ ((1 << mantissa) - 1)
        one = exponent >> 1 & ~((1 << mantissa) - 1)
        for bits in (0, top, 1, 3, (1 << mantissa) - 1, 1 << mantissa, exponent, exponent | top, exponent | 5, one):
            b.const_bits(bits, type_id)
        for value in (1.0, -1.5, 0.1, 1 / 3, 65504.0, 1e-6, 123456.789, 1e-45):
            b.const_float(value, type_id)
    for width in (8, 16, 32, 64):
        for signed in (False, True):
            for value in (0, 1, -1, 1 << (width - 1), (1 << (width - 1)) - 1):
                b.const_int(value, b.int_type(width, signed))
    end_main(b, main)
    module = b.finalize()
    assert disassemble(module) == spirv_dis(module)


@needs_spirv_dis
def test_switches_with_wide_and_narrow_literals() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    for type_id in (b.int_type(64), b.int_type(64, False), b.int_type(16), b.u32()):
        case, merge = b.new_block(), b.new_block()
        b.switch(b.const_int(7, type_id), merge, [(-1, case), (5, case)], merge=merge)
        b.set_insert_point(case)
        b.branch(merge)
        b.set_insert_point(merge)
    end_main(b, main)
    module = b.finalize()
    assert disassemble(module) == spirv_dis(module)
    assert encode(decode(encode(module))) == encode(module)


@needs_spirv_dis
@pytest.mark.parametrize("tool", range(32))
def test_generators(tool: int) -> None:
    data = struct.pack("<5I", 0x07230203, 0x00010300, tool << 16 | 3, 1, 0)
    done = subprocess.run(["spirv-dis", "-"], input=data, capture_output=True, check=True)
    printed = done.stdout.decode().replace("Google MLIR", "LLVM MLIR")  # renamed in the registry
    assert f"; Generator: {generator_name(tool << 16 | 3)}" in printed.splitlines()


def test_current_names_of_the_registry() -> None:
    b = ModuleBuilder(version=(1, 4))
    main = begin_main(b)
    b.builtin_variable(b.vector(b.u32(), 3), e.StorageClass.Input, e.BuiltIn.LaunchIdKHR, "id")
    end_main(b, main)
    assert "OpDecorate %id BuiltIn LaunchIdKHR" in body(b.finalize())


def test_debug_printf_by_number() -> None:
    b = ModuleBuilder()
    text = b.string("hello")
    main = begin_main(b)
    b.ext_inst("NonSemantic.DebugPrintf", b.void_type(), 1, text)
    end_main(b, main)
    assert any("OpExtInst %void %1 1 %" in line for line in body(b.finalize()))


def test_strings_are_quoted() -> None:
    b = ModuleBuilder()
    b.string('say "hi" \\ bye')
    main = begin_main(b)
    end_main(b, main)
    assert any(line.endswith('OpString "say \\"hi\\" \\\\ bye"') for line in body(b.finalize()))


@pytest.mark.parametrize(
    ("bits", "width", "text"),
    [
        (0x3C00, 16, "0x1p+0"),
        (0x3E00, 16, "0x1.8p+0"),
        (0x0001, 16, "0x1p-24"),
        (0x8000, 16, "-0x0p+0"),
        (0x7F800000, 32, "0x1p+128"),
        (0x00000001, 32, "0x1p-149"),
    ],
)
def test_hexadecimal_floats(bits: int, width: int, text: str) -> None:
    assert hex_float(bits, width) == text
    assert format_float(bits, width) == text


def test_masks_and_memory_operands() -> None:
    b = ModuleBuilder(version=(1, 5))
    main = begin_main(b)
    x = b.local_variable(b.f32(), "x")
    mask = e.MemoryAccess.Volatile | e.MemoryAccess.Aligned
    b.emit(op.OpLoad, b.f32(), x, mask, 16)
    end_main(b, main)
    assert any(line.endswith("OpLoad %float %x Volatile|Aligned 16") for line in body(b.finalize()))
