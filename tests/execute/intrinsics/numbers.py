"""Table rows for intrinsics on vectors, matrices, bits and packed bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tests.execute.intrinsics.elementwise import CLOSE, FEW, FEW_WHOLE, X
from tests.execute.intrinsics.rows import BITS, DTYPES, FLOAT, THREADS, VECTOR, Array, Model, Row

VECTORS = (-2.0, -0.75, 0.5, 1.0, 3.0, 0.25, -1.5)
NONZERO = (-2.0, -0.5, 0.25, 1.0, 3.0, 7.0)


def dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1, keepdims=True, dtype=a.dtype)


def length(a: Array) -> Array:
    return np.sqrt(dot(a, a))


def refract(i: Array, n: Array, eta: Array) -> Array:
    cosine = dot(n, i)
    k = 1 - eta * eta * (1 - cosine * cosine)
    return np.where(k < 0, 0, eta * i - (eta * cosine + np.sqrt(np.maximum(k, 0))) * n)


def geometry() -> list[Row]:
    floats = {"elements": FLOAT, "shapes": VECTOR, "tolerance": 1e-5}
    one = ("T:1",)
    return [
        Row("dot(a, b)", dot, (VECTORS, VECTORS), results=one, **floats),
        Row("dot(a, b)", dot, (FEW_WHOLE, FEW_WHOLE), elements="int uint int16_t int64_t", results=one, shapes=VECTOR),
        Row("dot(a, b)", dot, (FEW, FEW), elements="double", results=one, shapes=VECTOR),
        Row("length(a)", length, (VECTORS,), results=one, **floats),
        Row("distance(a, b)", lambda a, b: length(a - b), (VECTORS, VECTORS), results=one, **floats),
        Row("normalize(a)", lambda a: a / length(a), (NONZERO,), mixes=True, **floats),
        Row("reflect(a, b)", lambda a, b: a - 2 * dot(b, a) * b, (VECTORS, VECTORS), mixes=True, **floats),
        Row(
            "refract(a, b, c)",
            refract,
            ((-0.5, 0.25, 0.375), (0.5, -0.25), (0.5, 1.0, 1.5)),
            args=("T", "T", "T:1"),
            mixes=True,
            **floats,
        ),
        Row(
            "faceforward(a, b, c)",
            lambda a, b, c: np.where(dot(b, c) < 0, a, -a),
            (FEW, (-1.0, 0.5, 2.0), (1.0, -0.5)),
            mixes=True,
            **floats,
        ),
        Row("cross(a, b)", np.cross, (VECTORS, VECTORS), elements=FLOAT, shapes=("3",), tolerance=CLOSE),
        Row("dst(a, b)", dst, (VECTORS, VECTORS), elements=f"{FLOAT} double", shapes=("4",)),
        Row("dst(a, b)", dst, (FEW_WHOLE, FEW_WHOLE), elements="int uint", shapes=("4",)),
        Row(
            "lit(a, b, c).xyw",
            lambda a, b, c: np.concatenate([np.ones_like(a), np.maximum(a, 0), np.ones_like(a)], axis=-1),
            ((-0.5, 0.0, 0.75), (-0.25, 0.5), (1.0, 3.0)),
            elements=FLOAT,
            shapes=("1",),
            results=("T:3",),
            note="z: DXC multiplies where Direct3D raises to a power",
        ),
    ]


def dst(a: Array, b: Array) -> Array:
    return np.stack([np.ones_like(a[:, 0]), a[:, 1] * b[:, 1], a[:, 2], b[:, 3]], axis=-1)


def product(subscripts: str) -> Model:
    return lambda a, b: np.einsum(subscripts, a, b)


def squeezed(subscripts: str) -> Model:
    """Return a numpy function for the expected product of two arrays, for products that are a scalar.

    ``subscripts`` are those of `np.einsum`; the result gets an axis of length 1, because a scalar is such a vector.
    """
    return lambda a, b: np.einsum(subscripts, a, b)[:, None]


PRODUCTS: tuple[tuple[str, str, str, Model], ...] = (
    ("T:1", "T:1", "T:1", product("ti,ti->ti")),
    ("T:1", "T:3", "T:3", product("ti,tj->tj")),
    ("T:4", "T:1", "T:4", product("ti,tj->ti")),
    ("T:1", "T:2x3", "T:2x3", product("ti,tjk->tjk")),
    ("T:3x2", "T:1", "T:3x2", product("tjk,ti->tjk")),
    ("T:3", "T:3", "T:1", squeezed("ti,ti->t")),
    ("T:2", "T:2x3", "T:3", product("ti,tij->tj")),
    ("T:4", "T:4x2", "T:2", product("ti,tij->tj")),
    ("T:2x3", "T:3", "T:2", product("tij,tj->ti")),
    ("T:3x3", "T:3", "T:3", product("tij,tj->ti")),
    ("T:2x3", "T:3x4", "T:2x4", product("tij,tjk->tik")),
    ("T:2x2", "T:2x2", "T:2x2", product("tij,tjk->tik")),
    ("T:3x1", "T:1x2", "T:3x2", product("tij,tjk->tik")),
    ("T:1x3", "T:3x1", "T:1", squeezed("tij,tjk->t")),
    ("T:1x3", "T:3x2", "T:1x2", product("tij,tjk->tik")),
    ("T:3", "T:3x1", "T:1", squeezed("ti,tij->t")),
    ("T:1x4", "T:4", "T:1", squeezed("tij,tj->t")),
)
"""(first type, second type, type of ``mul``, model)"""


def matrices() -> list[Row]:
    rows = []
    for first, second, result, model in PRODUCTS:
        floats, wholes = "float", "int"
        if (first, second) in (("T:1", "T:3"), ("T:2", "T:2x3"), ("T:2x3", "T:3"), ("T:2x3", "T:3x4")):
            floats, wholes = "float float16_t double", "int uint int64_t"
        types = {"args": (first, second), "results": (result,), "shapes": ("1",)}
        rows.append(Row("mul(a, b)", model, (VECTORS, VECTORS), elements=floats, tolerance=1e-5, **types))
        rows.append(Row("mul(a, b)", model, (FEW_WHOLE, FEW_WHOLE), elements=wholes, **types))
    for size, other in (("2x3", "3x2"), ("4x3", "3x4"), ("1x3", "3x1"), ("3x3", "3x3"), ("1x1", "1x1")):
        turned = {"args": (f"T:{size}",), "results": (f"T:{other}",), "shapes": ("1",)}
        rows.append(
            Row(
                "transpose(a)",
                lambda a: np.swapaxes(a, 1, 2),
                ((0, 1, 2, 3, 4, 5, 0),),
                elements="float int bool double float16_t uint16_t" if size == "2x3" else "float int bool",
                **turned,
            )
        )
    for size in ("1x1", "2x2", "3x3", "4x4"):
        samples = ((-2.0, 1.0, 0.5, 3.0, 0.0, 1.0, -1.0),)
        types = {"args": (f"T:{size}",), "results": ("T:1",), "shapes": ("1",)}
        rows.append(
            Row("determinant(a)", lambda a: np.linalg.det(a)[:, None], samples, elements=FLOAT, tolerance=1e-5, **types)
        )
    return rows


PATTERNS = (0, 1, -1, 0x00F00100, 0x1234, -0x1000, 1 << 15, 1 << 31, -(1 << 31), 0x55AA55AA55AA55AA, -(1 << 63), 6)
"""Small types take the low bits."""


def of_bits(function: Callable[[int, int], int]) -> Model:
    """Return a numpy function that applies ``function`` to every component.

    The arguments of ``function`` are the component as an unsigned number, and its width in bits.
    """

    def model(a: Array) -> Array:
        bits = a.dtype.itemsize * 8
        values = [function(int(x) % (1 << bits), bits) for x in a.flat]
        return np.array(values, np.uint64).reshape(a.shape)

    return model


def signed_high(value: int, bits: int) -> int:
    if value >> (bits - 1):
        value = ~value % (1 << bits)
    return unsigned_high(value, bits)


def unsigned_high(value: int, bits: int) -> int:
    return (value.bit_length() - 1) % (1 << 32)


def low(value: int, bits: int) -> int:
    return ((value & -value).bit_length() - 1) % (1 << 32)


def reverse(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def _patterns(element: str) -> tuple[tuple[int, ...], ...]:
    """Return sample arguments with interesting bit patterns, as numbers of the element type ``element``."""
    dtype = np.dtype(DTYPES[element])
    return (tuple(int(np.array(p % (1 << 64), np.uint64).astype(dtype)) for p in PATTERNS),)


def bits() -> list[Row]:
    rows = []
    for element in BITS.split():
        samples = _patterns(element)
        high = unsigned_high if element[0] == "u" else signed_high
        rows += [
            Row("countbits(a)", of_bits(lambda x, _: x.bit_count()), samples, element, results=("uint",)),
            Row("firstbithigh(a)", of_bits(high), samples, element, results=("uint",)),
            Row("firstbitlow(a)", of_bits(low), samples, element, results=("uint",)),
            Row("reversebits(a)", of_bits(reverse), samples, element),
        ]
    return rows


def viewed(source: str, target: str) -> Model:
    return lambda a: a.astype(DTYPES[source]).view(DTYPES[target])


WORDS = (0, 1, 0x3F800000, 0xC2F60000, 0x7F800000, 0x3F8)
SMALL_WORDS = (0, 0x3C00, 0xC580, 0x7C00, 0x0400)


def reinterpretation() -> list[Row]:
    rows = []
    for target in ("int", "uint", "float"):
        for source in ("int", "uint", "float"):
            samples: tuple[float, ...] = X if source == "float" else WORDS
            rows.append(Row(f"as{target}(a)", viewed(source, target), (samples,), source, results=(target,)))
    for target in ("int16", "uint16", "float16"):
        for source in ("int16", "uint16", "float16"):
            samples = X if source == "float16" else SMALL_WORDS
            types = {"elements": f"{source}_t", "results": (f"{target}_t",)}
            rows.append(Row(f"as{target}(a)", viewed(f"{source}_t", f"{target}_t"), (samples,), **types))
    doubles = (-1.0 / 3, 0.0, 1e300, 5e-300, 1.0, 2.0**40 + 1)
    rows += [
        Row("asuint(a, r, s);", halves_of_doubles, (doubles,), "double", results=("uint", "uint")),
        Row(
            "asdouble(a, b)",
            lambda a, b: (a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)).view(np.float64),
            ((0, 0x55555555, 0xFFFFFFFF), (0x3FF00000, 0xBFD55555, 0x40590000)),
            "uint",
            results=("double",),
        ),
        Row("f16tof32(a)", f16tof32, ((*SMALL_WORDS, 0xABCD3C00, 0x7BFF),), "uint", results=("float",)),
        Row("f32tof16(a)", f32tof16, ((*X, 65504.0, float("-inf")),), "float", results=("uint",)),
    ]
    return rows


def halves_of_doubles(a: Array) -> tuple[Array, Array]:
    bits = a.view(np.uint64)
    return bits & np.uint64(0xFFFFFFFF), bits >> np.uint64(32)


def f16tof32(a: Array) -> Array:
    return (a & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float64)


def f32tof16(a: Array) -> Array:
    return a.astype(np.float16).view(np.uint16)


def bytes_of(a: Array, *, signed: bool = False) -> Array:
    """Return the four bytes of each word, lowest first."""
    parts = np.stack([a[:, 0] >> np.uint32(8 * i) & np.uint32(255) for i in range(4)], axis=-1).astype(np.int64)
    return np.where(parts > 127, parts - 256, parts) if signed else parts


def packed(a: Array) -> Array:
    a = a.astype(np.int64) & 255
    return (a[:, :1] | a[:, 1:2] << 8 | a[:, 2:3] << 16 | a[:, 3:] << 24) & 0xFFFFFFFF


def msad4(reference: Array, source: Array, accumulated: Array) -> Array:
    masked = bytes_of(reference)
    window = np.concatenate([bytes_of(source[:, :1]), bytes_of(source[:, 1:])], axis=-1)
    sums = [np.where(masked == 0, 0, np.abs(masked - window[:, i : i + 4])).sum(axis=-1) for i in range(4)]
    return accumulated.astype(np.int64) + np.stack(sums, axis=-1) & 0xFFFFFFFF


def add_uint64(a: Array, b: Array) -> Array:
    pairs = (a.astype(np.uint64)[:, ::2] | a.astype(np.uint64)[:, 1::2] << np.uint64(32)) + (
        b.astype(np.uint64)[:, ::2] | b.astype(np.uint64)[:, 1::2] << np.uint64(32)
    )
    parts = np.stack([pairs & np.uint64(0xFFFFFFFF), pairs >> np.uint64(32)], axis=-1)
    return parts.reshape(THREADS, -1)


def unsigned_sum(a: Array, b: Array, c: Array) -> Array:
    return (bytes_of(a) * bytes_of(b)).sum(-1, keepdims=True) + c & 0xFFFFFFFF


def signed_sum(a: Array, b: Array, c: Array) -> Array:
    return (bytes_of(a, signed=True) * bytes_of(b, signed=True)).sum(-1, keepdims=True) + c


def packing() -> list[Row]:
    words = (0x807F01FF, 0x02FF7F80, 0, 0xA100B2C3)
    clamped = {"shapes": ("4",), "results": ("uint:1",)}
    wholes = (-1, 300, -200, 5, 127, -129)
    one = {"shapes": ("1",)}
    rows = [
        Row("dot4add_u8packed(a, b, c)", unsigned_sum, (words, words, (5, 0xFFFFFFFF)), "uint", **one),
        Row(
            "dot4add_i8packed(a, b, c)",
            signed_sum,
            (words, words, (0, -7)),
            args=("uint", "uint", "int"),
            results=("int",),
            **one,
        ),
        Row(
            "dot2add(a, b, c)",
            lambda a, b, c: dot(a, b) + c,
            ((1.5, -2.0, 4.0), (0.25, 3.0), (1000.125, -3.0)),
            "float16_t",
            args=("T:2", "T:2", "float:1"),
            results=("float:1",),
            **one,
        ),
        Row(
            "msad4(a, b, c)",
            msad4,
            ((0xA100B2C3, 0x01020304), (0xD7B0C372, 0x4F57C2A3, 0xFFFFFFFF), (0, 1, 0xFFFFFFFF)),
            "uint",
            args=("uint:1", "uint:2", "uint:4"),
            results=("uint:4",),
            **one,
        ),
        Row(
            "AddUint64(a, b)",
            add_uint64,
            ((0, 1, 0xFFFFFFFF, 7), (0xFFFFFFFF, 1, 5)),
            "uint",
            shapes=("2", "4"),
            mixes=True,
        ),
        Row(
            "D3DCOLORtoUBYTE4(a)",
            lambda a: np.trunc(a[:, [2, 1, 0, 3]] * 255.002),
            ((0.0, 0.5, 1.0, 0.25, 0.125),),
            shapes=("4",),
            results=("int",),
        ),
        Row("(uint)pack_clamp_s8(a)", lambda a: packed(np.clip(a, -128, 127)), (wholes,), "int int16_t", **clamped),
        Row("(uint)pack_clamp_u8(a)", lambda a: packed(np.clip(a, 0, 255)), (wholes,), "int int16_t", **clamped),
        Row("(uint)pack_s8(a)", packed, (wholes,), "int int16_t", **clamped),
        Row("(uint)pack_u8(a)", packed, ((0x1FF, 2, 0x380, 255, 0),), "uint uint16_t", **clamped),
    ]
    for name, result, sign in (
        ("unpack_s8s16", "int16_t:4", "int8"),
        ("unpack_u8u16", "uint16_t:4", "uint8"),
        ("unpack_s8s32", "int:4", "int8"),
        ("unpack_u8u32", "uint:4", "uint8"),
    ):
        model = partial(bytes_of, signed=sign == "int8")
        rows.append(Row(f"{name}(({sign}_t4_packed)a)", model, (words,), "uint", results=(result,), **one))
    return rows


ROWS = [*geometry(), *matrices(), *bits(), *reinterpretation(), *packing()]
