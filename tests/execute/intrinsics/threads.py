"""Table rows for intrinsics that involve other threads: atomics, barriers, waves, quads and derivatives.

Results are compared in groups of four threads. On every device these are lanes of one wave, and a quad.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.execute.intrinsics.elementwise import FEW, FEW_WHOLE, WHOLE
from tests.execute.intrinsics.rows import THREADS, Array, Model, Row

LANES = 4
INDEX = np.arange(THREADS)[:, None]
NATURAL = (0, 1, 7, 0xF0F0, 3)


def before_and_after(function: Model) -> Model:
    return lambda a, b: (a, function(a, b), function(b, a))


def atomics() -> list[Row]:
    twice = ("T", "T")
    functions: dict[str, Model] = {
        "Add": np.add,
        "Min": np.minimum,
        "Max": np.maximum,
        "And": np.bitwise_and,
        "Or": np.bitwise_or,
        "Xor": np.bitwise_xor,
    }
    wide = ("shaderBufferInt64Atomics", "shaderSharedInt64Atomics")
    rows = []
    for elements, needs in (("int uint", ()), ("int64_t uint64_t", wide)):
        options = {"elements": elements, "shapes": ("1",), "needs": needs}
        whole = (FEW_WHOLE, (-100, -1, 0, 2, 127))
        for name, function in functions.items():
            model = before_and_after(function)
            call = f"cells[t] = a; Interlocked{name}(cells[t], b, r); s = cells[t];"
            call += f" buffer[t] = b; Interlocked{name}(buffer[t], a); q = buffer[t];"
            rows.append(Row(call, model, whole, results=("T", "T", "T"), **options))
        rows.append(
            Row(
                "cells[t] = a; InterlockedExchange(cells[t], b, r); s = cells[t];",
                lambda a, b: (a, b),
                whole,
                results=twice,
                **options,
            )
        )
        compared = ((-7, 0, 5), (-7, 5), (1, 2))
        rows += [
            Row(
                "buffer[t] = a; InterlockedCompareExchange(buffer[t], b, c, r); s = buffer[t];",
                lambda a, b, c: (a, np.where(a == b, c, a)),
                compared,
                results=twice,
                **options,
            ),
            Row(
                "cells[t] = a; InterlockedCompareStore(cells[t], b, c); r = cells[t];",
                lambda a, b, c: np.where(a == b, c, a),
                compared,
                **options,
            ),
        ]
    rows.append(
        Row(
            "cells[t] = a; InterlockedExchange(cells[t], b, r); s = cells[t];",
            lambda a, b: (a, b),
            (FEW, FEW),
            results=twice,
            shapes=("1",),
            needs=("shaderSharedFloat32Atomics",),
        )
    )
    bits = {"samples": ((-7.5, 0.0, -0.0, np.nan), (-7.5, 0.0, np.nan), (1.5, -2.0)), "shapes": ("1",)}
    rows += [
        Row(
            "buffer[t] = a; InterlockedCompareExchangeFloatBitwise(buffer[t], b, c, r); s = buffer[t];",
            lambda a, b, c: (a, np.where(same_bits(a, b), c, a)),
            results=twice,
            **bits,
        ),
        Row(
            "cells[t] = a; InterlockedCompareStoreFloatBitwise(cells[t], b, c); r = cells[t];",
            lambda a, b, c: np.where(same_bits(a, b), c, a),
            **bits,
        ),
    ]
    return rows


def same_bits(a: Array, b: Array) -> Array:
    return a.astype(np.float32).view(np.uint32) == b.astype(np.float32).view(np.uint32)


def barriers() -> list[Row]:
    rows = []
    for name, place in (("GroupMemory", "cells"), ("AllMemory", "cells"), ("DeviceMemory", "buffer")):
        sync = f"{name}BarrierWithGroupSync();"
        rows.append(
            Row(f"{place}[t] = a; {name}Barrier(); r = {place}[t];", lambda a: a, (WHOLE,), "int", shapes=("1",))
        )
        rows.append(
            Row(
                f"{sync} {place}[t] = a; {sync} r = {place}[t ^ 9]; {sync}",
                lambda a: a[INDEX[:, 0] ^ 9],
                (WHOLE,),
                "int",
                shapes=("1",),
            )
        )
    return rows


def active(function: Model) -> Model:
    """Return a numpy function for the expected results of a wave operation.

    In each group of four lanes, every lane gets ``function`` of the values of all four.
    """

    def model(a: Array) -> Array:
        waves = a.reshape(-1, LANES, *a.shape[1:])
        return np.repeat(function(waves, axis=1)[:, None], LANES, axis=1).reshape(a.shape)

    return model


def prefix(function: Model, start: int) -> Model:
    """Return a numpy function for the expected results of a prefix operation.

    Each lane gets ``function`` of the values of the lanes before it; the first lane of a group of four gets ``start``.
    """

    def model(a: Array) -> Array:
        waves = a.reshape(-1, LANES, *a.shape[1:])
        out = np.full_like(waves, start)
        for lane in range(1, LANES):
            out[:, lane] = function(waves[:, :lane], axis=1)
        return out.reshape(a.shape)

    return model


def partitioned(function: Model, start: int) -> Model:
    """Return a numpy function for the expected results of a prefix operation in partitions of even and odd lanes.

    Each lane gets ``function`` of the lanes before it in its partition; the first one gets ``start``.
    """

    def model(a: Array) -> Array:
        waves = a.reshape(-1, 2, 2, *a.shape[1:])
        out = np.full_like(waves, start)
        out[:, 1] = function(waves[:, :1], axis=1)
        return out.reshape(a.shape)

    return model


def moved(lane: int) -> Model:
    return lambda a: a[INDEX[:, 0] ^ lane]


def read_first(a: Array) -> Array:
    return a[INDEX[:, 0] & ~3]


def bits_of(a: Array) -> Array:
    """Return the ballot of a condition, in each thread as four words."""
    waves = a.reshape(-1, LANES).astype(np.int64)
    masks = np.repeat((waves << np.arange(LANES)).sum(axis=1), LANES)[:, None]
    return np.concatenate([masks, np.zeros((THREADS, 3))], axis=1)


SHAPES = ("1", "3", "2x2")
_FUNCTIONS: tuple[tuple[str, Model, int], ...] = (("Sum", np.sum, 0), ("Product", np.prod, 1))
_BITS: tuple[tuple[str, Model, int], ...] = (
    ("BitAnd", np.bitwise_and.reduce, -1),
    ("BitOr", np.bitwise_or.reduce, 0),
    ("BitXor", np.bitwise_xor.reduce, 0),
)


def keeping_type(function: Model) -> Model:
    return lambda a, axis: function(a, axis=axis).astype(a.dtype)


def waves() -> list[Row]:
    sums = {"stage": "cs:sums", "shapes": SHAPES, "needs": ("subgroupArithmetic",)}
    moves = {"stage": "cs:moves", "shapes": SHAPES, "needs": ("subgroupBallot", "subgroupShuffle")}
    votes = {"stage": "cs:votes", "shapes": ("1",), "needs": ("subgroupVote", "subgroupBallot")}
    numbers = "float int uint"
    rows = []
    for name, function, start in _FUNCTIONS:
        rows.append(Row(f"WaveActive{name}(a)", active(keeping_type(function)), (FEW_WHOLE,), numbers, **sums))
        rows.append(Row(f"WavePrefix{name}(a)", prefix(keeping_type(function), start), (FEW_WHOLE,), numbers, **sums))
    for name, function in (("Min", np.min), ("Max", np.max)):
        rows.append(Row(f"WaveActive{name}(a)", active(function), (FEW_WHOLE,), numbers, **sums))
    for name, function, _ in _BITS:
        rows.append(Row(f"WaveActive{name}(a)", active(function), (NATURAL,), "uint", **sums))
    flags = ((0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0),)
    rows += [
        Row("WaveActiveAllTrue(a)", active(np.all), flags, "bool", **votes),
        Row("WaveActiveAnyTrue(a)", active(np.any), flags, "bool", **votes),
        Row("WaveActiveAllEqual(a)", active(all_equal), flags, "bool uint float", results=("bool",), **votes),
        Row("WaveActiveBallot(a)", bits_of, flags, "bool", results=("uint:4",), **votes),
        Row("WaveActiveCountBits(a)", active(np.sum), flags, "bool", results=("uint",), **votes),
        Row("WavePrefixCountBits(a)", prefix_count, flags, "bool", results=("uint",), **votes),
        Row(
            "WaveMultiPrefixCountBits(a, uint4(t & 1 ? 10 : 5, 0, 0, 0))",
            partitioned_count,
            flags,
            "bool",
            results=("uint",),
            **votes,
        ),
        Row("WaveIsFirstLane()", lambda: INDEX % LANES == 0, (), "bool", **votes),
        Row("WaveGetLaneIndex()", lambda: INDEX % LANES, (), "uint", **votes),
        Row("r = GetGroupWaveIndex();", lambda: INDEX * 0, (), "uint", profile="6_10", **votes),
        Row("r = GetGroupWaveCount();", lambda: INDEX * 0 + 1, (), "uint", profile="6_10", **votes),
        Row("WaveReadLaneFirst(a)", read_first, (WHOLE,), numbers, **moves),
        Row("WaveReadLaneAt(a, (t & 3) ^ 2)", moved(2), (WHOLE,), f"{numbers} bool", **moves),
    ]
    return rows


def prefix_count(a: Array) -> Array:
    return prefix(keeping_type(np.sum), 0)(a.astype(np.int64))


def partitioned_count(a: Array) -> Array:
    return partitioned(keeping_type(np.sum), 0)(a.astype(np.int64))


def all_equal(a: Array, axis: int) -> Array:
    return np.min(a, axis=axis) == np.max(a, axis=axis)


def matching(a: Array) -> Array:
    """Return for each lane the mask of lanes with the same value."""
    groups = a.reshape(-1, LANES)
    same = (groups[:, :, None] == groups[:, None, :]).astype(np.int64)
    masks = (same << np.arange(LANES)).sum(axis=-1).reshape(THREADS, 1)
    return np.concatenate([masks, np.zeros((THREADS, 3))], axis=1)


def partitions() -> list[Row]:
    """Return rows for SPV_NV_shader_subgroup_partitioned, with even and odd lanes as partitions."""
    options = {"stage": "cs:partitions", "needs": ("subgroupPartitioned",), "shapes": SHAPES}
    mask = "uint4(t & 1 ? 10 : 5, 0, 0, 0)"
    rows = [
        Row(
            f"WaveMultiPrefix{name}(a, {mask})",
            partitioned(keeping_type(f), start),
            (FEW_WHOLE,),
            "float int",
            **options,
        )
        for name, f, start in _FUNCTIONS
    ]
    rows += [
        Row(f"WaveMultiPrefix{name}(a, {mask})", partitioned(f, start), (NATURAL,), "int", **options)
        for name, f, start in _BITS
    ]
    rows.append(
        Row("WaveMatch(a)", matching, ((0, 1, 0, 0, 1),), "int", results=("uint:4",), **{**options, "shapes": ("1",)})
    )
    return rows


def quads() -> list[Row]:
    options = {"stage": "cs:quads", "needs": ("subgroupQuad",)}
    values = {"shapes": SHAPES, "elements": "float int bool", **options}
    rows = [
        Row(f"QuadReadAcross{name}(a)", moved(lane), (WHOLE,), **values)
        for name, lane in (("X", 1), ("Y", 2), ("Diagonal", 3))
    ]
    rows.append(Row("QuadReadLaneAt(a, 2)", lambda a: a[INDEX[:, 0] & ~3 | 2], (WHOLE,), **values))
    flags = ((0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0),)
    votes: dict[str, Any] = {**options, "elements": "bool", "shapes": ("1",), "stage": "cs:quad votes"}
    extensions = ("SPV_KHR_compute_shader_derivatives",)
    votes["options"] = (("target_env", "vulkan1.1"), ("extensions", extensions))  # without SPV_KHR_quad_control
    rows.append(Row("QuadAny(a)", active(np.any), flags, **votes))
    rows.append(Row("QuadAll(a)", active(np.all), flags, **votes))
    return rows


def plane(threads: Array, components: Array) -> Array:
    """Return values that grow by 3 per pixel and by 5 per row of pixels."""
    return (threads % 8 * 3.0 + threads // 8 * 5.0) * (components + 1)


def bowl(threads: Array, components: Array) -> Array:
    x, y = threads % 8, threads // 8
    return x * x + 2.0 * y * y + 3.0 * (x & y) + components


def slope(axis: int) -> Model:
    """Return a numpy function for expected fine derivatives: the difference between two pixels of a quad."""

    def model(a: Array) -> Array:
        other = INDEX[:, 0] ^ (1 if axis == 0 else 8)
        sign = np.where(INDEX[:, 0] & (1 if axis == 0 else 8), 1, -1).reshape(-1, *[1] * (a.ndim - 1))
        return (a - a[other]) * sign

    return model


def derivatives() -> list[Row]:
    options = {"stage": "ps", "elements": "float float16_t min16float", "needs": ("fragmentStoresAndAtomics",)}
    rows = []
    for axis, letter in enumerate("xy"):
        for suffix in ("", "_coarse", "_fine"):
            rows.append(Row(f"dd{letter}{suffix}(a)", slope(axis), (plane,), **options))
        rows.append(Row(f"dd{letter}_fine(a)", slope(axis), (bowl,), **options))
    rows.append(Row("fwidth(a)", lambda a: abs(slope(0)(a)) + abs(slope(1)(a)), (plane,), **options))
    return rows


def is_kept(a: Array) -> Array:
    return ~np.any(a < 0, axis=tuple(range(1, a.ndim)))[:, None]


def pixels() -> list[Row]:
    return [
        Row(
            "clip(a); r = 1;",
            is_kept,
            ((-1.0, 0.0, 2.0, 3.0, 0.5, 1.0, -0.0, 4.0, 1.0, 2.0, 0.0, 8.0, 5.0),),
            stage=f"ps:clip{shape}",
            shapes=(shape,),
            results=("uint:1",),
            needs=("fragmentStoresAndAtomics",),
        )
        for shape in ("1", "2", "3", "4", "2x3")
    ]


def without_effect() -> list[Row]:
    """Return rows for intrinsics whose effect a shader cannot observe, such as ``printf`` and ``DebugBreak``.

    The rows check that the shader continues after the call.
    """
    return [
        Row('printf("%d", a); r = a;', lambda a: a, (WHOLE,), "int", shapes=("1",)),
        Row("DebugBreak(); r = a;", lambda a: a, (WHOLE,), "int", shapes=("1",), profile="6_10"),
        Row(
            "uint64_t start = vk::ReadClock(vk::SubgroupScope); r = vk::ReadClock(vk::SubgroupScope) >= start;",
            lambda: INDEX * 0 + 1,
            (),
            "bool",
            shapes=("1",),
            needs=("shaderInt64", "shaderSubgroupClock"),
        ),
        Row("IsHelperLane()", lambda: INDEX * 0, (), "bool", shapes=("1",)),
    ]


ROWS = [
    *atomics(),
    *barriers(),
    *waves(),
    *partitions(),
    *quads(),
    *derivatives(),
    *pixels(),
    *without_effect(),
]
