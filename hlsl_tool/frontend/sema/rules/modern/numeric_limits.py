"""The built-in template ``hlsl::numeric_limits``, from HLSL 202x on."""

from __future__ import annotations

import math

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Scalar, Struct
from hlsl_tool.frontend.sema.rules.modern import constant_calls  # noqa: F401  evaluates the calls of the functions
from hlsl_tool.frontend.sema.scope.context import Context

NAME = "numeric_limits"
_FLOATS = {16: (11, 15), 32: (24, 127), 64: (53, 1023)}
"""Bits of a float → binary digits of its mantissa, and its largest exponent."""


def instance(ctx: Context, t: Scalar, pos: int) -> Struct:
    """Return ``numeric_limits<T>``, a struct of static functions that return constants of the type."""
    s = Struct(NAME, "class", pos=pos, scope="hlsl", template_name=NAME, template_args=(t,), is_complete=True)
    for name, value in _values(t).items():
        f = hir.Function(name, t, [], pos, ctx.chunk, owner=s, is_static=True, scope=s.display_name, has_body=True)
        f.quals = ("constexpr",)
        f.body = hir.Block([hir.Return(hir.Literal_(value, t, pos), pos)], pos, pos)
        s.methods[name] = [f]
    return s


def _values(t: Scalar) -> dict[str, bool | int | float]:
    if t.category == "float":
        digits, exponent = _FLOATS[t.bits]
        largest = (2.0 - 2.0 ** (1 - digits)) * 2.0**exponent
        return {
            "min": 2.0 ** (1 - exponent),
            "max": largest,
            "lowest": -largest,
            "denorm_min": 2.0 ** (2 - exponent - digits),
            "infinity": math.inf,
            "negative_infinity": -math.inf,
            "quiet_NaN": math.nan,
            "signaling_NaN": math.nan,
        }
    if t.category == "bool":
        low, high = 0, 1
    else:
        is_signed = t.category == "int"
        low, high = (-(1 << t.bits - 1), (1 << t.bits - 1) - 1) if is_signed else (0, (1 << t.bits) - 1)
    zeros = dict.fromkeys(("denorm_min", "infinity", "negative_infinity", "quiet_NaN", "signaling_NaN"), 0)
    return {"min": low, "max": high, "lowest": low, **zeros}
