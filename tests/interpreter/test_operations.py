"""Instructions that are one operation: results against known values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import Program
from hlsl_tool.interpreter.instructions.context import BUILDERS, GLSL_BUILDERS
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.enums import ExecutionMode
from hlsl_tool.spirv.ir import Instruction
from tests.interpreter.shaders import program


class PlainContext:
    """A context for instructions that look nothing up."""

    def __init__(self, *, flushes: bool = False) -> None:
        self.flushes = flushes

    def numbers_of(self, _: Instruction) -> Any:
        return np.dtype(np.uint32)


def computed(table: dict[int, Any], number: int, operands: tuple[Any, ...], skip: int, *, flushes: bool = False) -> Any:
    """Return the result of an instruction for operands that are arrays."""
    registers: dict[int, Any] = dict(enumerate(operands, start=1))
    words = [*[0] * skip, *registers]
    step = table[number](PlainContext(flushes=flushes), Instruction(number, 0, 99, words))
    with np.errstate(all="ignore"):
        step(registers, None)
    return registers[99]


def words(*values: int) -> Any:
    return np.array([value & 0xFFFFFFFF for value in values], np.uint32)


def shorts(*values: int) -> Any:
    return np.array([value & 0xFFFF for value in values], np.uint16)


def singles(*values: float) -> Any:
    return np.array(values, np.float32)


def halves(x: float, y: float) -> Any:
    return np.array([[x], [y]], np.float16)


NAN, INF = float("nan"), float("inf")
LEAST = -(1 << 31)
CORE = [
    ("OpIAdd", (words(0xFFFFFFFF, 1), words(2)), words(1, 3)),
    ("OpFmaKHR", (singles(1 + 2**-12), singles(1 - 2**-12), singles(-1.0)), singles(-(2**-24))),
    ("OpFDot2MixAcc32VALVE", (halves(300, 2), halves(300, 0.5), singles(0.25)), singles(90001.25)),
    ("OpIMul", (shorts(300), shorts(300)), shorts(90000)),
    ("OpSDiv", (words(-7, 7, -8), words(2, -2, 2)), words(-3, -3, -4)),
    ("OpSRem", (words(-7, 7), words(2, -2)), words(-1, 1)),
    ("OpSMod", (words(-7, 7), words(2, -2)), words(1, -1)),
    ("OpUDiv", (words(7, 7), words(2, 0)), words(3, -1)),
    ("OpUMod", (words(7, 7), words(4, 0)), words(3, -1)),
    ("OpShiftRightArithmetic", (words(-8, -8), words(1, 33)), words(-4, -4)),
    ("OpShiftRightLogical", (words(-8), words(28)), words(15)),
    ("OpShiftLeftLogical", (shorts(0x0101), words(8)), shorts(0x0100)),
    ("OpBitFieldInsert", (words(0, -1), words(5), words(4), words(3, 32)), words(0x50, 0x5F)),
    ("OpBitFieldUExtract", (words(0xABCD), words(4), words(8)), words(0xBC)),
    ("OpBitFieldSExtract", (words(0xABCD), words(4, 0), words(8, 0)), words(-0x44, 0)),
    ("OpBitReverse", (words(1, 6),), words(1 << 31, 3 << 29)),
    ("OpBitCount", (words(0, 0xFF01),), words(0, 9)),
    ("OpIAddCarry", (words(-1), words(2)), [words(1), words(1)]),
    ("OpISubBorrow", (words(1), words(2)), [words(-1), words(1)]),
    ("OpUMulExtended", (words(-1), words(-1)), [words(1), words(-2)]),
    ("OpSMulExtended", (words(-1), words(2)), [words(-2), words(-1)]),
    ("OpSLessThan", (words(-1), words(0)), np.array([True])),
    ("OpULessThan", (words(-1), words(0)), np.array([False])),
    ("OpFOrdNotEqual", (singles(NAN, 1), singles(1, 2)), np.array([False, True])),
    ("OpFUnordEqual", (singles(NAN, 1), singles(1, 2)), np.array([True, False])),
    ("OpFUnordLessThan", (singles(NAN, 1), singles(1, 2)), np.array([True, True])),
    ("OpFRem", (singles(-5.5), singles(2)), singles(-1.5)),
    ("OpFMod", (singles(-5.5), singles(2)), singles(0.5)),
    ("OpDot", (singles(1, 2, 3)[:, None], singles(4, 5, 6)[:, None]), singles(32)),
]


@pytest.mark.parametrize(("name", "operands", "expected"), CORE, ids=[row[0] for row in CORE])
def test_core(name: str, operands: tuple[Any, ...], expected: Any) -> None:
    np.testing.assert_array_equal(computed(BUILDERS, getattr(op, name), operands, 0), expected)


EXTENDED = [
    ("Round", (singles(0.5, -1.6, 2.4),), singles(0, -2, 2)),
    ("RoundEven", (singles(0.5, 1.5, -0.5),), singles(0, 2, -0.0)),
    ("FSign", (singles(-3, 0, NAN),), singles(-1, 0, 0)),
    ("SSign", (words(-3, 0, 4),), words(-1, 0, 1)),
    ("SAbs", (words(-3, LEAST),), words(3, LEAST)),
    ("Fract", (singles(-0.25, 1.5, -1e-30),), singles(0.75, 0.5, np.nextafter(np.float32(1), np.float32(0)))),
    ("NMin", (singles(NAN, 2), singles(1, NAN)), singles(1, 2)),
    ("NClamp", (singles(NAN, 5), singles(0), singles(1)), singles(0, 1)),
    ("SClamp", (words(-5, 5), words(-1), words(1)), words(-1, 1)),
    ("FMix", (singles(1), singles(3), singles(0.25)), singles(1.5)),
    ("Step", (singles(1), singles(0.5, 1)), singles(0, 1)),
    ("Pow", (singles(2, -2, 0), singles(10, 2, 0)), singles(1024, NAN, 1)),
    ("Ldexp", (singles(0.75), words(3, -2)), singles(6, 0.1875)),
    ("Cross", (singles(1, 0, 0)[:, None], singles(0, 1, 0)[:, None]), singles(0, 0, 1)[:, None]),
    ("FindILsb", (words(0, 8),), words(-1, 3)),
    ("FindUMsb", (words(0, 9),), words(-1, 3)),
    ("FindSMsb", (words(-1, -9),), words(-1, 3)),
    ("PackHalf2x16", (singles(1, -2)[:, None],), words(0xC0003C00)),
    ("UnpackHalf2x16", (words(0xC0003C00),), singles(1, -2)[:, None]),
    ("PackUnorm4x8", (singles(0, 1, 0.5, 2)[:, None],), words(0xFF80FF00)),
    ("UnpackSnorm4x8", (words(0x7F80),), singles(-1, 1, 0, 0)[:, None]),
    ("FrexpStruct", (singles(6),), [singles(0.75), words(3)]),
    ("ModfStruct", (singles(-1.25),), [singles(-0.25), singles(-1)]),
]


@pytest.mark.parametrize(("name", "operands", "expected"), EXTENDED, ids=[row[0] for row in EXTENDED])
def test_extended(name: str, operands: tuple[Any, ...], expected: Any) -> None:
    np.testing.assert_array_equal(computed(GLSL_BUILDERS, getattr(glsl, name), operands, 2), expected)


def test_a_fused_multiplication_rounds_once() -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(1000).astype(np.float32) for _ in range(2))
    c = -(a * b)  # what is left is the error of the product
    fused = computed(GLSL_BUILDERS, glsl.Fma, (a, b, c), 2)
    np.testing.assert_array_equal(fused, a.astype(np.float64) * b + c.astype(np.float64))
    one, tiny = np.float32(1), np.float32(2**-24)
    half = computed(GLSL_BUILDERS, glsl.Fma, (singles(one), singles(one + 2**-23), singles(tiny + tiny * 2**-23)), 2)
    assert half[0] == np.float32(1 + 2**-22)  # two roundings would give 1 + 2**-23, or even


@pytest.mark.parametrize("name", ["OpSNegate", "OpNot", "OpBitReverse"])
def test_every_size_of_integers(name: str) -> None:
    for kind in ("u1", "u2", "u4", "u8"):
        values = np.array([1, 2, 3], kind)
        once = computed(BUILDERS, getattr(op, name), (values,), 0)
        assert once.dtype == values.dtype
        np.testing.assert_array_equal(computed(BUILDERS, getattr(op, name), (once,), 0), values)


def test_arithmetic_flushes_denormals_and_copies_do_not() -> None:
    tiny = singles(1e-40)
    assert computed(BUILDERS, op.OpFAdd, (tiny, tiny), 0, flushes=True).tolist() == [0]
    assert computed(BUILDERS, op.OpFAdd, (tiny, tiny), 0).tolist() == [2 * tiny[0]]
    assert computed(BUILDERS, op.OpCopyLogical, ([tiny],), 0, flushes=True) == [tiny]
    assert computed(BUILDERS, op.OpVectorExtractDynamic, (tiny[None], words(0)), 0, flushes=True) == tiny
    assert computed(BUILDERS, op.OpSampledImage, (None, None), 0, flushes=True) is None


def test_a_fused_multiplication_of_doubles_may_exceed_the_range_in_between() -> None:
    a, b, c = (np.array(values) for values in ([1e200, 1e300, 2.0], [1e150, 1e300, 3.0], [-np.inf, 1.0, -6.0]))
    fused = computed(GLSL_BUILDERS, glsl.Fma, (a, b, c), 2)
    assert fused.tolist() == [-np.inf, np.inf, 0]
    large = np.array([2.0**1023])
    assert computed(GLSL_BUILDERS, glsl.Fma, (large, np.array([2.0]), -large), 2).tolist() == [2.0**1023]


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("OpSDot", (words(0x80FF0201), words(0x80010302)), 2 + 6 - 1 + 128 * 128),
        ("OpUDot", (words(0x80FF0201), words(0x80010302)), 2 + 6 + 255 + 128 * 128),
        ("OpSUDot", (words(0x000000FF), words(0x000000FF)), -255),
        ("OpSDotAccSat", (words(0x7F), words(0x7F), words(0x7FFFFFFF)), 0x7FFFFFFF),
        ("OpSDotAccSat", (words(0x80), words(0x7F), words(LEAST)), LEAST),
        ("OpSDotAccSat", (words(0xFF), words(5), words(-1)), -6),
        ("OpUDotAccSat", (words(0xFF), words(0xFF), words(-2)), -1),
        ("OpSUDotAccSat", (words(0xFF), words(0xFF), words(LEAST)), LEAST),
    ],
)
def test_dot_products_of_bytes(name: str, operands: tuple[Any, ...], expected: int) -> None:
    np.testing.assert_array_equal(computed(BUILDERS, getattr(op, name), operands, 0), words(expected))


def test_a_module_may_flush_denormals_of_several_sizes() -> None:
    module = program("[numthreads(1, 1, 1)] void main() {}").module
    main = module.entry_points[0].id(1)
    assert not Program(module).context.flushes
    for width in (32, 16):
        mode = Instruction(op.OpExecutionMode, 0, 0, [main, ExecutionMode.DenormFlushToZero, width])
        module.execution_modes.append(mode)
    assert Program(module).context.flushes
