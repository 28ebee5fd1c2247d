"""Numbers as WGSL literals: each has exactly the value of its bits, and no compiler rejects one as too large."""

from __future__ import annotations

import random
import re
import struct

import pytest

from hlsl_tool.wgsl import WgslError, convert
from hlsl_tool.wgsl.writer.constant_expressions import float_literal, integer_literal

from .conversion import assemble, compute

LARGEST = {16: 65504.0, 32: (2 - 2.0**-23) * 2.0**127}


def bits_of(literal: str, width: int) -> int:
    number = float(literal.rstrip("fh"))
    assert abs(number) <= LARGEST[width]
    pack, word = ("<e", "<H") if width == 16 else ("<f", "<I")
    return int(struct.unpack(word, struct.pack(pack, number))[0])


@pytest.mark.parametrize(
    ("bits", "literal"),
    [
        (0x7F7FFFFF, "3.402823466e+38f"),
        (0xFF7FFFFF, "-3.402823466e+38f"),
        (0x7F7FFFFE, "3.4028233e+38f"),
        (0x00800000, "1.1754944e-38f"),
        (0x00000001, "1e-45f"),
        (0x80000000, "-0.0f"),
        (0x3F800000, "1.0f"),
        (0x4B800000, "16777216.0f"),
        (0x7F800000, None),
        (0xFFC00000, None),
    ],
)
def test_literals(bits: int, literal: str | None) -> None:
    assert float_literal(bits, 32) == literal


@pytest.mark.parametrize("width", [16, 32])
def test_literals_have_the_value_of_their_bits(width: int) -> None:
    numbers = random.Random(1)
    sample = [numbers.randrange(1 << width) for _ in range(2000)] if width == 32 else range(0, 1 << 16, 7)
    edges = [0x7BFF, 0xFBFF, 1, 0x3FF, 0x400] if width == 16 else [0x7F7FFFFF - k for k in range(200)]
    for bits in (*sample, *edges):
        literal = float_literal(bits, width)
        assert literal is None or bits_of(literal, width) == bits


def test_infinities_of_16_bits_are_made_of_bits() -> None:
    body = """
%p = OpVariable %ptr_half Function
%q = OpAccessChain %ptr_word %out %i0 %u0
%h = OpLoad %half %p
%i = OpFAdd %half %h %inf
%w = OpFConvert %float %i
%u = OpBitcast %uint %w
OpStore %q %u
OpReturn"""
    types = "%half = OpTypeFloat 16\n%ptr_half = OpTypePointer Function %half\n%inf = OpConstant %half 0x1p+16\n"
    text = compute(body, types).replace("OpCapability Shader", "OpCapability Shader\nOpCapability Float16", 1)
    assert "half_from_bits(0x7c00u)" in convert(assemble(text))


def test_an_override_that_is_infinite_is_an_error() -> None:
    body = "%q = OpAccessChain %ptr_word %out %i0 %u0\n%u = OpBitcast %uint %inf\nOpStore %q %u\nOpReturn"
    text = compute(body, "%inf = OpSpecConstant %float 0x1p+128\n").replace(
        "%void = ", "OpDecorate %inf SpecId 3\n%void = ", 1
    )
    with pytest.raises(WgslError, match="no override that is an infinity"):
        convert(assemble(text))


SPEC = "%a = OpSpecConstant %uint 5\n%b = OpSpecConstant {0}\n"


def specialised(second: str, number: int) -> str:
    body = "%q = OpAccessChain %ptr_word %out %i0 %u0\n%s = OpIAdd %uint %a %b\nOpStore %q %s\nOpReturn"
    ids = f"OpDecorate %a SpecId {number}\nOpDecorate %b SpecId {number}\n%void = "
    return convert(assemble(compute(body, SPEC.format(second)).replace("%void = ", ids, 1)))


def test_constants_with_one_number_are_one_override() -> None:
    text = specialised("%uint 5", 3)
    assert text.count("override") == 1
    assert text.count("constant_3") == 3


def test_constants_with_one_number_and_different_defaults_are_two_overrides() -> None:
    text = specialised("%uint 6", 3)
    assert "@id(3) override constant_3: u32 = 5u;\n// also has SpecId 3, but another default" in text
    assert "\noverride constant_3_1: u32 = 6u;" in text


def test_numbers_of_constants_that_wgsl_lacks_are_errors() -> None:
    with pytest.raises(WgslError, match="no override beyond 65535"):
        specialised("%uint 5", 70000)


@pytest.mark.parametrize(
    ("bits", "signed", "literal"),
    [
        (0, True, "0i"),
        (1, True, "1i"),
        (0x7FFFFFFF, True, "2147483647i"),
        (0x80000001, True, "-2147483647i"),
        (0xFFFFFFFF, True, "-1i"),
        (-1, True, "-1i"),
        (0x80000000, True, "i32(-2147483648)"),  # WGSL has no literal of it: the minus is an operator
        (-(1 << 31), True, "i32(-2147483648)"),
        (0x80000000, False, "2147483648u"),
        (-1, False, "4294967295u"),
    ],
)
def test_integers(bits: int, signed: bool, literal: str) -> None:
    assert integer_literal(bits, signed) == literal


@pytest.mark.parametrize(
    ("comparison", "opposite"),
    [("Equal", "!="), ("LessThan", ">="), ("LessThanEqual", ">"), ("GreaterThan", "<="), ("GreaterThanEqual", "<")],
)
def test_unordered_comparisons_are_negated_opposites(comparison: str, opposite: str) -> None:
    """An unordered comparison becomes the negation of the opposite comparison in WGSL.

    It is true for NaN, for which all comparisons in WGSL except `!=` are false.
    """
    body = f"""
%p0 = OpAccessChain %ptr_word %out %i0 %u0
%p1 = OpAccessChain %ptr_word %out %i0 %u1
%w0 = OpLoad %uint %p0
%w1 = OpLoad %uint %p1
%a = OpBitcast %float %w0
%b = OpBitcast %float %w1
%c = OpFUnord{comparison} %bool %a %b
%r = OpSelect %uint %c %u3 %u4
OpStore %p0 %r
OpReturn"""
    text = convert(assemble(compute(body)))
    match = re.search(r"!\((.*?)\)+;|!\((.*)\)", text)
    assert match is not None, text
    assert re.search(rf" {opposite} ", match[0]), text


def test_an_array_of_the_first_elements_is_no_copy_of_the_whole() -> None:
    globals_ = """
%three = OpTypeArray %uint %u3
%two = OpTypeArray %uint %u2
%ptr_three = OpTypePointer Private %three
%ptr_two = OpTypePointer Private %two
%whole = OpVariable %ptr_three Private
%part = OpVariable %ptr_two Private
"""
    body = """
%loaded = OpLoad %three %whole
%e0 = OpCompositeExtract %uint %loaded 0
%e1 = OpCompositeExtract %uint %loaded 1
%first = OpCompositeConstruct %two %e0 %e1
OpStore %part %first
%kept = OpLoad %two %part
%word = OpCompositeExtract %uint %kept 1
%p0 = OpAccessChain %ptr_word %out %i0 %u0
OpStore %p0 %word
OpReturn"""
    text = compute(body, globals_).replace(' %main "main"', ' %main "main" %out %whole %part', 1)
    assert re.search(r"\w+ = array<u32, 2>\(\w+\[0\], \w+\[1\]\)", convert(assemble(text, "vulkan1.2")))


@pytest.mark.parametrize(
    ("signed", "extend", "fits"),
    [(0, "ZeroExtend", True), (1, "SignExtend", True), (0, "SignExtend", False), (1, "ZeroExtend", False)],
)
def test_a_texel_has_the_sign_of_its_texture(signed: int, extend: str, fits: bool) -> None:
    scalar = "%int" if signed else "%uint"
    globals_ = f"""
%vec = OpTypeVector {scalar} 4
%v2int = OpTypeVector %int 2
%image = OpTypeImage {scalar} 2D 2 0 0 1 Unknown
%ptr_image = OpTypePointer UniformConstant %image
%texture = OpVariable %ptr_image UniformConstant
%where = OpConstantComposite %v2int %i0 %i0
"""
    body = f"""
%loaded = OpLoad %image %texture
%texel = OpImageFetch %vec %loaded %where Lod|{extend} %i0
%x = OpCompositeExtract {scalar} %texel 0
%word = OpBitcast %uint %x
%p0 = OpAccessChain %ptr_word %out %i0 %u0
OpStore %p0 %word
OpReturn"""
    text = compute(body, globals_)
    text = text.replace(
        "%void = OpTypeVoid", "OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 1\n%void = OpTypeVoid"
    )
    text = text.replace(' %main "main"', ' %main "main" %out %texture', 1)
    spirv = assemble(text, "vulkan1.2")
    if fits:
        assert "textureLoad(" in convert(spirv)
    else:
        with pytest.raises(WgslError, match="another sign"):
            convert(spirv)
