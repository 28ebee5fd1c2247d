"""``OpExtInst``: tables of functions for GLSL.std.450; sets that do not affect results are ignored."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.grammar.tables import ext_inst_row
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..images.formats import normalised, scaled
from ..runtime.cells import Cell, CellPointer
from ..runtime.code import Step
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index, reinterpreted, signed, unsigned
from .arithmetic import bit_count, dot, on_signed, reverse_bits
from .context import GLSL_BUILDERS, Context, add_rows, builds, with_state
from .memory import putter

# ------------------------------------------------------------------------------------------------------- precision


def _fma(a: Array, b: Array, c: Array) -> Array:
    """Return ``a * b + c``, rounded once."""
    if a.dtype == np.float64:
        return _exact_fma(a, b, c)
    dtype = a.dtype
    product = a.astype(np.float64) * b.astype(np.float64)  # exact
    addend = c.astype(np.float64)
    total = product + addend
    rounded = total - product
    error = (product - (total - rounded)) + (addend - rounded)
    bits = np.ascontiguousarray(total).view(np.int64)
    # Round to odd: the second rounding then gives the same as one rounding
    inexact = (error != 0) & np.isfinite(total) & (bits & 1 == 0)
    odd = np.where(inexact, bits + np.where((error > 0) == (total > 0), 1, -1), bits)
    return odd.view(np.float64).astype(dtype)


@partial(np.vectorize, otypes=[np.float64])
def _exact_fma(a: float, b: float, c: float) -> float:
    """Return ``a * b + c`` of 64-bit floats, by fractions unless the sum is zero, infinite or NaN."""
    if not np.isfinite([a, b, c]).all():
        return c if np.isfinite([a, b]).all() else a * b + c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _in_double(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return a function that computes in 64 bits, and rounds to the type of its first argument."""

    def wrapped(*arrays: Array) -> Array:
        return function(*(array.astype(np.float64) for array in arrays)).astype(arrays[0].dtype)

    return wrapped


# ------------------------------------------------------------------------------------------------------- functions


def _fraction(a: Array) -> Array:
    """Return the fractional part, which is below 1."""
    below = np.nextafter(a.dtype.type(1), a.dtype.type(0))
    return np.where(np.isinf(a), a.dtype.type(np.nan), np.minimum(a - np.floor(a), below))


def _pow(a: Array, b: Array) -> Array:
    """Return ``a`` to the power ``b``; NaN for negative ``a``, as exp2(b * log2(a))."""
    power = np.power(a.astype(np.float64), b.astype(np.float64))
    return np.where(a < 0, np.nan, power).astype(a.dtype)


def _fsign(a: Array) -> Array:
    return np.where(a > 0, a.dtype.type(1), np.where(a < 0, a.dtype.type(-1), a.dtype.type(0)))


def _clamp(low: Callable[..., Any], high: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, least, most: high(low(value, least), most)


def _smooth_step(low: Array, high: Array, value: Array) -> Array:
    one = value.dtype.type
    t = np.fmin(np.fmax((value - low) / (high - low), one(0)), one(1))
    return t * t * (one(3) - one(2) * t)


def _length(a: Array) -> Array:
    return np.abs(a) if a.ndim == 1 else np.sqrt(dot(a, a))


def _cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]])


def _refract(i: Array, n: Array, eta: Array) -> Array:
    one = i.dtype.type(1)
    eta = eta.astype(i.dtype)
    along = dot(n, i)
    k = one - eta * eta * (one - along * along)
    return np.where(k < 0, i.dtype.type(0), eta * i - (eta * along + np.sqrt(np.maximum(k, 0))) * n)


def _ldexp(a: Array, exponent: Array) -> Array:
    return np.ldexp(a.astype(np.float64), np.clip(signed(exponent), -4000, 4000).astype(np.int32)).astype(a.dtype)


def _modf(a: Array) -> list[Array]:
    whole = np.trunc(a)
    return [np.where(np.isinf(a), np.copysign(a.dtype.type(0), a), np.copysign(a - whole, a)), whole]


def _frexp(a: Array) -> list[Array]:
    mantissa, exponent = np.frexp(a)
    return [mantissa, unsigned(exponent.astype(np.int32))]


def _inverse(a: Array) -> Array:
    """Return the inverse of matrices; NaN for singular ones."""
    wide = np.moveaxis(a.astype(np.float64), -1, 0)
    singular = (np.linalg.det(wide) == 0)[:, None, None]
    inverse = np.linalg.inv(np.where(singular, np.eye(wide.shape[-1]), wide))
    return np.moveaxis(np.where(singular, np.nan, inverse), 0, -1).astype(a.dtype)


add_rows({op.OpFmaKHR: _fma})
add_rows(
    {
        glsl.Round: np.rint,
        glsl.RoundEven: np.rint,
        glsl.Trunc: np.trunc,
        glsl.FAbs: np.abs,
        glsl.SAbs: on_signed(np.abs),
        glsl.FSign: _fsign,
        glsl.SSign: on_signed(np.sign),
        glsl.Floor: np.floor,
        glsl.Ceil: np.ceil,
        glsl.Fract: _fraction,
        glsl.Radians: lambda a: a * a.dtype.type(np.pi / 180),
        glsl.Degrees: lambda a: a * a.dtype.type(180 / np.pi),
        glsl.Sin: np.sin,
        glsl.Cos: np.cos,
        glsl.Tan: _in_double(np.tan),
        glsl.Asin: _in_double(np.arcsin),
        glsl.Acos: _in_double(np.arccos),
        glsl.Atan: _in_double(np.arctan),
        glsl.Sinh: _in_double(np.sinh),
        glsl.Cosh: _in_double(np.cosh),
        glsl.Tanh: _in_double(np.tanh),
        glsl.Asinh: _in_double(np.arcsinh),
        glsl.Acosh: _in_double(np.arccosh),
        glsl.Atanh: _in_double(np.arctanh),
        glsl.Atan2: _in_double(np.arctan2),
        glsl.Pow: _pow,
        glsl.Exp: _in_double(np.exp),
        glsl.Log: _in_double(np.log),
        glsl.Exp2: _in_double(np.exp2),
        glsl.Log2: _in_double(np.log2),
        glsl.Sqrt: np.sqrt,
        glsl.InverseSqrt: _in_double(lambda a: 1 / np.sqrt(a)),
        glsl.Determinant: _in_double(lambda a: np.linalg.det(np.moveaxis(a, -1, 0))),
        glsl.MatrixInverse: _inverse,
        glsl.ModfStruct: _modf,
        glsl.FrexpStruct: _frexp,
        glsl.FMin: np.fmin,
        glsl.FMax: np.fmax,
        glsl.NMin: np.fmin,
        glsl.NMax: np.fmax,
        glsl.UMin: np.minimum,
        glsl.UMax: np.maximum,
        glsl.SMin: on_signed(np.minimum),
        glsl.SMax: on_signed(np.maximum),
        glsl.FClamp: _clamp(np.fmax, np.fmin),
        glsl.NClamp: _clamp(np.fmax, np.fmin),
        glsl.UClamp: _clamp(np.maximum, np.minimum),
        glsl.SClamp: on_signed(_clamp(np.maximum, np.minimum)),
        glsl.FMix: lambda a, b, t: a * (a.dtype.type(1) - t) + b * t,
        glsl.Step: lambda edge, value: (~(value < edge)).astype(value.dtype),
        glsl.SmoothStep: _smooth_step,
        glsl.Fma: _fma,
        glsl.Ldexp: _ldexp,
        glsl.Length: _length,
        glsl.Distance: lambda a, b: _length(a - b),
        glsl.Cross: _cross,
        glsl.Normalize: lambda a: a / _length(a),
        glsl.FaceForward: lambda n, i, reference: np.where(dot(reference, i) < 0, n, -n),
        glsl.Reflect: lambda i, n: i - i.dtype.type(2) * dot(n, i) * n,
        glsl.Refract: _refract,
    },
    glsl=True,
)

# ----------------------------------------------------------------------------------------------------- packed values


def _joined(parts: Array, dtype: npt.DTypeLike = np.uint32) -> Array:
    """Return the word whose bytes, halves or words are the components, the first one lowest."""
    word: Array = reinterpreted(parts, dtype)[0]
    return word


def _unpacked(word: Array, dtype: str) -> Array:
    return np.maximum(normalised(reinterpreted(word, dtype), np.iinfo(dtype).max), np.float32(-1))


def _lowest_bit(a: Array) -> Array:
    """Return the number of the lowest bit that is set; all ones if none is."""
    return np.where(a == 0, ~a, bit_count((a & -a) - a.dtype.type(1)))


def _highest_bit(a: Array) -> Array:
    last = a.dtype.type(a.dtype.itemsize * 8 - 1)
    return np.where(a == 0, ~a, last - _lowest_bit(reverse_bits(a)))


add_rows(
    {
        glsl.PackSnorm4x8: lambda a: _joined(scaled(a, 127, -1.0).astype(np.int8)),
        glsl.PackUnorm4x8: lambda a: _joined(scaled(a, 255).astype(np.uint8)),
        glsl.PackSnorm2x16: lambda a: _joined(scaled(a, 32767, -1.0).astype(np.int16)),
        glsl.PackUnorm2x16: lambda a: _joined(scaled(a, 65535).astype(np.uint16)),
        glsl.PackHalf2x16: lambda a: _joined(a.astype(np.float16)),
        glsl.PackDouble2x32: lambda a: _joined(a, np.float64),
        glsl.UnpackSnorm2x16: lambda a: _unpacked(a, "i2"),
        glsl.UnpackUnorm2x16: lambda a: _unpacked(a, "u2"),
        glsl.UnpackHalf2x16: lambda a: reinterpreted(a, np.float16).astype(np.float32),
        glsl.UnpackSnorm4x8: lambda a: _unpacked(a, "i1"),
        glsl.UnpackUnorm4x8: lambda a: _unpacked(a, "u1"),
        glsl.UnpackDouble2x32: lambda a: reinterpreted(a, np.uint32),
        glsl.FindILsb: _lowest_bit,
        glsl.FindSMsb: lambda a: _highest_bit(np.where(signed(a) < 0, ~a, a)),
        glsl.FindUMsb: _highest_bit,
    },
    glsl=True,
)

# ------------------------------------------------------------------------------------------------- through pointers

_PAIRS = {glsl.Modf: _modf, glsl.Frexp: _frexp}


@builds(*_PAIRS, glsl=True)
def _through_pointer(context: Context, inst: Instruction) -> Step:
    """Return the first part of a pair, and write the other one."""
    result, number, value, pointer = inst.result_id, *inst.ints()[1:]
    put = putter(context, pointer, context.pointee(pointer))

    def step(r: Registers, s: State) -> None:
        r[result], other = _PAIRS[number](r[value])
        put(r, s, other)

    return step


def _interpolated(source: CellPointer, place: Any, s: State) -> Value:
    """Return an input at a place in the pixels, or at ``"centroid"``."""
    interpolate = s.extra.get("interpolate")
    if interpolate is None:
        return source.load()
    value = interpolate(source, place)
    return CellPointer(Cell(value, s.mask.count), source.indices).load() if source.indices else value


def _at_sample(source: CellPointer, number: Array, s: State) -> Value:
    positions = s.extra.get("samples", np.full((1, 2), 0.5))
    return _interpolated(source, positions[np.minimum(as_index(number), len(positions) - 1)].T, s)


add_rows(
    {
        glsl.InterpolateAtCentroid: lambda source, s: _interpolated(source, "centroid", s),
        glsl.InterpolateAtSample: _at_sample,
        glsl.InterpolateAtOffset: lambda source, offset, s: _interpolated(source, offset.astype(np.float64) + 0.5, s),
    },
    with_state,
    glsl=True,
)

# ---------------------------------------------------------------------------------------------------------- opcodes


@builds(op.OpExtInst, op.OpExtInstWithForwardRefsKHR)
def _extended(context: Context, inst: Instruction) -> Step | None:
    number = inst.id(1)
    if inst.id(0) != context.glsl:
        name = context.index.sets.get(inst.id(0), "")
        if is_non_semantic(name):
            return None
        raise NotInterpretedError(f"OpExtInst of {name}")
    builder = GLSL_BUILDERS.get(number)
    if builder is None:
        row = ext_inst_row(glsl.SET, number)
        raise NotInterpretedError(f"{row[0] if row else number} of {glsl.SET}")
    return builder(context, inst)
