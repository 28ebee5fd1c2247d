"""Table rows for component-wise intrinsics."""

from __future__ import annotations

import numpy as np

from tests.execute.intrinsics.rows import FLOAT, SIGNED, UNSIGNED, Array, Model, Row

X = (-2.5, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.75)
HALVES = (-3.5, -2.5, -1.5, -0.75, -0.5, 0.0, 0.25, 0.5, 1.5, 2.5, 7.0, 100.625)
POSITIVE = (0.0625, 0.25, 0.5, 1.0, 1.5, 2.0, 9.0, 100.0)
UNIT = (-1.0, -0.875, -0.5, -0.0625, 0.0, 0.25, 0.75, 1.0)
SPECIAL = (-1.5, 0.0, 1.0, float("inf"), float("-inf"), float("nan"))
WHOLE = (-100, -7, -1, 0, 1, 2, 5, 127)
NATURAL = (0, 1, 2, 3, 7, 100, 200, 255)
FEW, FEW_WHOLE, FEW_NATURAL = (-2.5, -0.5, 1.0, 3.75), (-7, -1, 0, 5), (0, 1, 7, 255)
TYPES = f"{FLOAT} double"
EXACT, CLOSE, ROUGH = 0.0, 2e-6, 2e-4
"""Tolerances: of exact results, of those with roundings, of those that Vulkan defines roughly"""


def one_argument() -> list[Row]:
    rough = {"elements": FLOAT, "tolerance": ROUGH}
    exact = {"elements": FLOAT}
    return [
        Row("sin(a)", np.sin, (X,), **rough),
        Row("cos(a)", np.cos, (X,), **rough),
        Row("tan(a)", np.tan, ((-1.0, -0.5, 0.0, 0.25, 1.0),), **rough),
        Row("asin(a)", np.arcsin, (UNIT,), tolerance=1e-3, elements=FLOAT),
        Row("acos(a)", np.arccos, (UNIT,), tolerance=1e-3, elements=FLOAT),
        Row("atan(a)", np.arctan, (X,), **rough),
        Row("sinh(a)", np.sinh, (X,), **rough),
        Row("cosh(a)", np.cosh, (X,), **rough),
        Row("tanh(a)", np.tanh, (X,), **rough),
        Row("exp(a)", np.exp, (X,), **rough),
        Row("exp2(a)", np.exp2, (X,), **rough),
        Row("log(a)", np.log, (POSITIVE,), **rough),
        Row("log2(a)", np.log2, (POSITIVE,), **rough),
        Row("log10(a)", np.log10, (POSITIVE,), **rough),
        Row("sqrt(a)", np.sqrt, ((0.0, *POSITIVE),), **rough),
        Row("rsqrt(a)", lambda a: 1 / np.sqrt(a), (POSITIVE,), **rough),
        Row("rcp(a)", lambda a: 1 / a, ((-8.0, -3.0, -0.5, 0.25, 1.0, 7.0),), elements=TYPES, tolerance=CLOSE),
        Row("degrees(a)", np.degrees, (X,), elements=FLOAT, tolerance=CLOSE),
        Row("radians(a)", np.radians, ((-180.0, -45.0, 0.0, 30.0, 360.0),), elements=FLOAT, tolerance=CLOSE),
        Row("floor(a)", np.floor, (HALVES,), **exact),
        Row("ceil(a)", np.ceil, (HALVES,), **exact),
        Row("trunc(a)", np.trunc, (HALVES,), **exact),
        Row("round(a)", np.rint, (HALVES,), **exact),
        Row("frac(a)", lambda a: a - np.floor(a), (HALVES,), **exact),
        Row("saturate(a)", lambda a: np.clip(a, 0, 1), ((*X, float("inf"), float("-inf")),), elements=TYPES),
        Row("abs(a)", np.abs, ((*X, float("-inf")),), elements=TYPES),
        Row("abs(a)", np.abs, (WHOLE,), elements=SIGNED),
        Row("abs(a)", lambda a: a, (NATURAL,), elements=UNSIGNED),
        Row("sign(a)", np.sign, ((*X, float("inf")),), elements=TYPES, results=("int",)),
        Row("sign(a)", np.sign, (WHOLE,), elements=SIGNED, results=("int",)),
        Row("sign(a)", lambda a: a > 0, ((0, 1, 255, -1),), elements=UNSIGNED, results=("int",)),
        Row("isnan(a)", np.isnan, (SPECIAL,), results=("bool",), **exact),
        Row("isinf(a)", np.isinf, (SPECIAL,), results=("bool",), **exact),
        Row("isfinite(a)", np.isfinite, (SPECIAL,), results=("bool",), **exact),
        Row("isnormal(a)", is_normal(2.0**-126), ((*SPECIAL, 1e-40, 2.0**-126, -3e38),), results=("bool",)),
        Row(
            "isnormal(a)",
            is_normal(2.0**-14),
            ((*SPECIAL, 2.0**-20, 2.0**-14, -6e4),),
            elements="float16_t",
            results=("bool",),
        ),
        Row("NonUniformResourceIndex(a)", lambda a: a, (NATURAL,), elements="uint int float"),
        Row("any(a)", any_of, ((0.0, -0.0, 0.5),), elements=TYPES, results=("bool:1",)),
        Row("any(a)", any_of, ((0, 0, 0, -3),), elements="int uint int64_t int16_t bool", results=("bool:1",)),
        Row("all(a)", all_of, ((0.5, -2.0, 1.0, 0.0, 3.0, 1.0, 1.0),), elements=TYPES, results=("bool:1",)),
        Row(
            "all(a)",
            all_of,
            ((1, -1, 2, 0, 3, 256, 9),),
            elements="int uint int64_t int16_t bool",
            results=("bool:1",),
        ),
    ]


def is_normal(least: float) -> Model:
    return lambda a: np.isfinite(a) & (np.abs(a) >= least)


def _all_axes(a: Array) -> tuple[int, ...]:
    return tuple(range(1, a.ndim))


def any_of(a: Array) -> Array:
    return np.any(a != 0, axis=_all_axes(a))[:, None]


def all_of(a: Array) -> Array:
    return np.all(a != 0, axis=_all_axes(a))[:, None]


def several_arguments() -> list[Row]:
    nan = float("nan")
    return [
        Row(
            "atan2(a, b)", np.arctan2, ((-2.5, -1.0, 1.0, 3.75), (-3.0, -0.5, 0.0, 2.0)), elements=FLOAT, tolerance=1e-3
        ),
        Row("pow(a, b)", np.power, ((0.25, 1.0, 2.0, 9.0), (-1.5, 0.0, 0.5, 3.0)), elements=FLOAT, tolerance=1e-3),
        Row("fmod(a, b)", np.fmod, ((-7.5, -1.0, 0.5, 7.25), (-2.0, 0.75, 3.0)), elements=FLOAT, tolerance=CLOSE),
        Row("step(a, b)", lambda a, b: b >= a, (FEW, FEW), elements=FLOAT),
        Row("ldexp(a, b)", lambda a, b: a * 2.0**b, (FEW, (-3.0, 0.0, 1.0, 5.0)), elements=FLOAT, tolerance=CLOSE),
        Row("min(a, b)", np.fmin, ((*FEW, nan), FEW), elements="float double"),
        Row("max(a, b)", np.fmax, ((*FEW, nan), FEW), elements="float double"),
        Row("min(a, b)", np.minimum, (FEW, FEW), elements="float16_t"),
        Row("max(a, b)", np.maximum, (FEW, FEW), elements="float16_t"),
        Row("min(a, b)", np.minimum, (FEW_WHOLE, WHOLE), elements=SIGNED),
        Row("max(a, b)", np.maximum, (FEW_WHOLE, WHOLE), elements=SIGNED),
        Row("min(a, b)", np.minimum, ((0, 1, 255, -1), NATURAL), elements="uint uint16_t uint64_t"),
        Row("max(a, b)", np.maximum, ((0, 1, 255, -1), NATURAL), elements="uint uint16_t uint64_t"),
        Row("clamp(a, b, c)", np.clip, (X, (-1.0, -0.25), (0.5, 2.0)), elements=TYPES),
        Row("clamp(a, b, c)", np.clip, (WHOLE, (-3, 0), (2, 50)), elements=SIGNED),
        Row("clamp(a, b, c)", np.clip, ((*NATURAL, 0x7FFF), (1, 3), (7, 200)), elements=UNSIGNED),
        Row("mad(a, b, c)", lambda a, b, c: a * b + c, (FEW, FEW, FEW), elements=TYPES, tolerance=CLOSE),
        Row("mad(a, b, c)", lambda a, b, c: a * b + c, (FEW_WHOLE, FEW_WHOLE, FEW_WHOLE), elements=SIGNED),
        Row("mad(a, b, c)", lambda a, b, c: a * b + c, (FEW_NATURAL, FEW_NATURAL, FEW_NATURAL), elements=UNSIGNED),
        Row("fma(a, b, c)", lambda a, b, c: a * b + c, (FEW, FEW, FEW), elements="double", tolerance=1e-15),
        Row("lerp(a, b, c)", lambda a, b, c: a + (b - a) * c, (FEW, FEW, UNIT[::2]), elements=FLOAT, tolerance=CLOSE),
        Row(
            "smoothstep(a, b, c)",
            smoothstep,
            ((-1.0, 0.0), (0.5, 2.0), (-2.0, -1.0, -0.25, 0.0, 0.25, 0.5, 1.0, 3.0)),
            elements=FLOAT,
            tolerance=CLOSE,
        ),
        Row("and(a, b)", np.logical_and, ((0, 1), (0, 1)), elements="bool"),
        Row("or(a, b)", np.logical_or, ((0, 1), (0, 1)), elements="bool"),
        Row(
            "select(a, b, c)",
            np.where,
            ((0, 1, 1), FEW, (7.0, 9.0)),
            elements=f"{TYPES} int uint int64_t int16_t bool",
            args=("bool", "T", "T"),
        ),
        Row(
            "select(a, b, c)",
            np.where,
            ((0, 1, 1), FEW, (7, 9)),
            args=("bool:1", "T", "T"),
            shapes=("1", "2", "3", "4"),
        ),
    ]


def smoothstep(a: Array, b: Array, c: Array) -> Array:
    t = np.clip((c - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)


def out_parameters() -> list[Row]:
    two = ("T", "T")
    return [
        Row("r = modf(a, s);", np.modf, (HALVES,), elements=FLOAT, results=two),
        Row("r = modf(a, s);", np.modf, (HALVES,), results=("T", "int")),
        Row("r = frexp(a, s);", np.frexp, ((0.0, *X, 100.0, 0.001953125),), results=two),
        Row("sincos(a, r, s);", lambda a: (np.sin(a), np.cos(a)), (X,), elements=FLOAT, results=two, tolerance=ROUGH),
    ]


def minimum_precision() -> list[Row]:
    """Return rows that call component-wise intrinsics with minimum-precision types such as ``min16float``."""
    floats, wholes, naturals = {"elements": "min16float"}, {"elements": "min16int"}, {"elements": "min16uint"}
    return [
        Row("sin(a)", np.sin, (X,), tolerance=ROUGH, **floats),
        Row("floor(a)", np.floor, (HALVES,), **floats),
        Row("sign(a)", np.sign, (X,), results=("int",), **floats),
        Row("mad(a, b, c)", lambda a, b, c: a * b + c, (FEW, FEW, FEW), tolerance=CLOSE, **floats),
        Row("saturate(a)", lambda a: np.clip(a, 0, 1), (X,), **floats),
        Row("r = modf(a, s);", np.modf, (HALVES,), results=("T", "T"), **floats),
        Row("abs(a)", np.abs, (WHOLE,), **wholes),
        Row("sign(a)", np.sign, (WHOLE,), results=("int",), **wholes),
        Row("clamp(a, b, c)", np.clip, (WHOLE, (-3, 0), (2, 50)), **wholes),
        Row("min(a, b)", np.minimum, (NATURAL, NATURAL), **naturals),
        Row("max(a, b)", np.maximum, (NATURAL, NATURAL), **naturals),
    ]


ROWS = [*minimum_precision(), *one_argument(), *several_arguments(), *out_parameters()]
