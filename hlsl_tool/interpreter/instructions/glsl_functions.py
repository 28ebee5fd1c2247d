"""The extended instructions of GLSL.std.450: tables of functions on arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from hlsl_tool.spirv import glsl, op

from ..runtime.values import Array, signed, unsigned
from .arithmetic import dot, on_signed
from .context import add_rows

# ------------------------------------------------------------------------------------------------------- precision


def fma(a: Array, b: Array, c: Array) -> Array:
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


def _exact_fma(a: Array, b: Array, c: Array) -> Array:
    arrays = np.broadcast_arrays(a, b, c)
    out = np.empty(arrays[0].shape, np.float64)
    for place in np.ndindex(out.shape):
        x, y, z = (float(array[place]) for array in arrays)
        plain = x * y + z
        if np.isfinite(plain) and x and y and np.isfinite(x * y):
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            plain = float(exact) if exact else plain
        out[place] = plain
    return out


def in_double(function: Callable[..., Any]) -> Callable[..., Array]:
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


def _mix(a: Array, b: Array, t: Array) -> Array:
    return a * (a.dtype.type(1) - t) + b * t


def _step(edge: Array, value: Array) -> Array:
    return (~(value < edge)).astype(value.dtype)


def _smooth_step(low: Array, high: Array, value: Array) -> Array:
    one = value.dtype.type
    t = np.fmin(np.fmax((value - low) / (high - low), one(0)), one(1))
    return t * t * (one(3) - one(2) * t)


def _length(a: Array) -> Array:
    return np.abs(a) if a.ndim == 1 else np.sqrt(dot(a, a))


def _normalize(a: Array) -> Array:
    return a / _length(a)


def _cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]])


def _face_forward(n: Array, i: Array, reference: Array) -> Array:
    along = reference * i if n.ndim == 1 else dot(reference, i)
    return np.where(along < 0, n, -n)


def _reflect(i: Array, n: Array) -> Array:
    along = n * i if n.ndim == 1 else dot(n, i)
    return i - i.dtype.type(2) * along * n


def _refract(i: Array, n: Array, eta: Array) -> Array:
    one = i.dtype.type(1)
    eta = eta.astype(i.dtype)
    along = n * i if n.ndim == 1 else dot(n, i)
    k = one - eta * eta * (one - along * along)
    return np.where(k < 0, i.dtype.type(0), eta * i - (eta * along + np.sqrt(np.maximum(k, 0))) * n)


def _ldexp(a: Array, exponent: Array) -> Array:
    return np.ldexp(a.astype(np.float64), np.clip(signed(exponent), -4000, 4000).astype(np.int32)).astype(a.dtype)


def modf(a: Array) -> list[Array]:
    """Return the fraction and the whole number, both with the sign of the operand."""
    whole = np.trunc(a)
    return [np.where(np.isinf(a), np.copysign(a.dtype.type(0), a), np.copysign(a - whole, a)), whole]


def frexp(a: Array) -> list[Array]:
    """Return the significand and the exponent."""
    mantissa, exponent = np.frexp(a)
    return [mantissa, unsigned(exponent.astype(np.int32))]


def _determinant(a: Array) -> Array:
    wide = np.moveaxis(a.astype(np.float64), -1, 0)
    return np.linalg.det(wide).astype(a.dtype)


def _inverse(a: Array) -> Array:
    wide = np.moveaxis(a.astype(np.float64), -1, 0)
    singular = np.linalg.det(wide) == 0
    safe = np.where(singular[:, None, None], np.eye(wide.shape[-1]), wide)
    inverse = np.where(singular[:, None, None], np.nan, np.linalg.inv(safe))
    return np.moveaxis(inverse, 0, -1).astype(a.dtype)


add_rows({op.OpFmaKHR: fma})
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
        glsl.Tan: in_double(np.tan),
        glsl.Asin: in_double(np.arcsin),
        glsl.Acos: in_double(np.arccos),
        glsl.Atan: in_double(np.arctan),
        glsl.Sinh: in_double(np.sinh),
        glsl.Cosh: in_double(np.cosh),
        glsl.Tanh: in_double(np.tanh),
        glsl.Asinh: in_double(np.arcsinh),
        glsl.Acosh: in_double(np.arccosh),
        glsl.Atanh: in_double(np.arctanh),
        glsl.Atan2: in_double(np.arctan2),
        glsl.Pow: _pow,
        glsl.Exp: in_double(np.exp),
        glsl.Log: in_double(np.log),
        glsl.Exp2: in_double(np.exp2),
        glsl.Log2: in_double(np.log2),
        glsl.Sqrt: np.sqrt,
        glsl.InverseSqrt: in_double(lambda a: 1 / np.sqrt(a)),
        glsl.Determinant: _determinant,
        glsl.MatrixInverse: _inverse,
        glsl.ModfStruct: modf,
        glsl.FrexpStruct: frexp,
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
        glsl.FMix: _mix,
        glsl.Step: _step,
        glsl.SmoothStep: _smooth_step,
        glsl.Fma: fma,
        glsl.Ldexp: _ldexp,
        glsl.Length: _length,
        glsl.Distance: lambda a, b: _length(a - b),
        glsl.Cross: _cross,
        glsl.Normalize: _normalize,
        glsl.FaceForward: _face_forward,
        glsl.Reflect: _reflect,
        glsl.Refract: _refract,
    },
    glsl=True,
)

# ----------------------------------------------------------------------------------------------------- packed values


def _pack(value: Array, scale: float, dtype: str, kind: str) -> Array:
    low = -1.0 if kind == "i" else 0.0
    clipped = np.clip(np.where(np.isnan(value), 0, value), np.float32(low), np.float32(1)).astype(np.float64)
    numbers = np.rint(clipped * scale).astype(f"{kind}{dtype}").view(f"u{dtype}")
    return _joined(numbers)


def _joined(parts: Array) -> Array:
    """Return words whose bytes or halves are the components, the first one lowest."""
    words = np.ascontiguousarray(np.moveaxis(parts, 0, -1)).view(np.uint32)
    return words[..., 0]


def _apart(word: Array, dtype: str) -> Array:
    parts = np.ascontiguousarray(word)[..., None].view(dtype)
    return np.moveaxis(parts, -1, 0)


def _unpack(word: Array, scale: float, dtype: str) -> Array:
    numbers = _apart(word, dtype).astype(np.float64) / scale
    return np.maximum(numbers, -1.0).astype(np.float32)


def _pack_double(parts: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(parts, 0, -1)).view(np.float64)[..., 0]


def _lowest_bit(a: Array) -> Array:
    lowest = a & -a
    place = np.log2(np.maximum(lowest, lowest.dtype.type(1)).astype(np.float64)).astype(np.int64)
    return np.where(a == 0, -1, place).astype(np.int64).astype(f"i{a.dtype.itemsize}").view(a.dtype)


def highest_bit(a: Array) -> Array:
    """Return the number of the highest bit that is set; all ones if none is."""
    place = np.full(a.shape, -1, np.int64)
    for bit in range(a.dtype.itemsize * 8):
        place = np.where(a >> a.dtype.type(bit) != 0, bit, place)
    return place.astype(f"i{a.dtype.itemsize}").view(a.dtype)


def _highest_signed_bit(a: Array) -> Array:
    return highest_bit(np.where(signed(a) < 0, ~a, a))


add_rows(
    {
        glsl.PackSnorm4x8: lambda a: _pack(a, 127, "1", "i"),
        glsl.PackUnorm4x8: lambda a: _pack(a, 255, "1", "u"),
        glsl.PackSnorm2x16: lambda a: _pack(a, 32767, "2", "i"),
        glsl.PackUnorm2x16: lambda a: _pack(a, 65535, "2", "u"),
        glsl.PackHalf2x16: lambda a: _joined(a.astype(np.float16)),
        glsl.PackDouble2x32: _pack_double,
        glsl.UnpackSnorm2x16: lambda a: _unpack(a, 32767, "i2"),
        glsl.UnpackUnorm2x16: lambda a: _unpack(a, 65535, "u2"),
        glsl.UnpackHalf2x16: lambda a: _apart(a, "f2").astype(np.float32),
        glsl.UnpackSnorm4x8: lambda a: _unpack(a, 127, "i1"),
        glsl.UnpackUnorm4x8: lambda a: _unpack(a, 255, "u1"),
        glsl.UnpackDouble2x32: lambda a: np.ascontiguousarray(_apart(a, "u4")),
        glsl.FindILsb: _lowest_bit,
        glsl.FindSMsb: _highest_signed_bit,
        glsl.FindUMsb: highest_bit,
    },
    glsl=True,
)
