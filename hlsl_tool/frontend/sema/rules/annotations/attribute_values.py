"""Check the arguments of attributes: their number, kinds and ranges."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.syntax import ast

_LARGEST = 0xFFFFFFFF

_VULKAN: dict[str, tuple[int, int]] = {
    "binding": (1, 2),
    **dict.fromkeys(
        (
            "set",
            "counter_binding",
            "location",
            "index",
            "constant_id",
            "input_attachment_index",
            "offset",
        ),
        (1, 1),
    ),
}
"""``vk`` attribute → minimum and maximum number of arguments, which are 32-bit unsigned integers."""

_INTEGERS: dict[str, tuple[int, int]] = {
    "unroll": (0, 1),
    "numthreads": (3, 3),
    "maxvertexcount": (1, 1),
    "outputcontrolpoints": (1, 1),
    "instance": (1, 1),
    "groupsharedlimit": (1, 1),
    "wavesize": (1, 3),
    "maxrecords": (1, 1),
    "nodearraysize": (1, 1),
    "nodedispatchgrid": (3, 3),
    "nodemaxdispatchgrid": (3, 3),
    "nodemaxrecursiondepth": (1, 1),
    "nodelocalrootargumentstableindex": (1, 1),
}
"""Attribute without a scope → minimum and maximum number of arguments, which are integers."""

_LIMITS = {"maxvertexcount": (1, 1024), "instance": (1, _LARGEST)}
"""Attribute → range of its integers."""

_SIGNED = frozenset(("nodearraysize",))
"""Attributes that accept -1."""

_STRINGS: dict[str, tuple[str, ...]] = {
    "domain": ("tri", "quad", "isoline"),
    "partitioning": ("integer", "fractional_even", "fractional_odd", "pow2"),
    "outputtopology": ("point", "line", "triangle", "triangle_cw", "triangle_ccw"),
    "patchconstantfunc": (),
    "nodelaunch": ("broadcasting", "coalescing", "thread"),
    "shader": (
        "compute", "vertex", "pixel", "hull", "domain", "geometry", "raygeneration", "intersection", "anyhit",
        "closesthit", "miss", "callable", "mesh", "amplification", "node",
    ),
}  # fmt: skip
"""Attribute with one string → the values that it takes; empty: any."""


def takes_constants(scope: str | None, name: str) -> bool:
    """Return whether the arguments of an attribute are constants, so that an undeclared name in them is an error.

    `unroll` ignores arguments that are no constants, with a warning.
    """
    if scope is None:
        return name != "unroll" and (name in _INTEGERS or name in _STRINGS)
    return scope in ("vk", "Vulkan") and name in _VULKAN


def check(ctx: Context, a: Attribute, written: Sequence[ast.Expr]) -> None:
    """Report invalid arguments of an attribute; raise `Poisoned` if the attribute must be dropped.

    ``written`` are the arguments as in the source.
    """
    if a.scope == "vk":
        _check_vulkan(ctx, a, written)
    elif a.scope is not None:
        return
    elif a.name in _INTEGERS:
        _check_integers(ctx, a, written)
    elif a.name in _STRINGS:
        _check_string(ctx, a)
    elif a.name == "clipplanes":
        for x, e in zip(a.args, written, strict=True):
            _check_clip_plane(ctx, x, e.pos)
    elif a.name == "maxtessfactor" and len(a.args) != 1:
        ctx.fail(declaration_codes.ATTRIBUTE_TAKES, a.pos, name=a.name, wanted="one argument")


def _check_vulkan(ctx: Context, a: Attribute, written: Sequence[ast.Expr]) -> None:
    row = _VULKAN.get(a.name)
    if row is None:
        return
    _check_count(ctx, a, *row)
    for x, e in zip(a.args, written, strict=True):
        if not isinstance(x, (str, float, int)):
            ctx.fail(entry_codes.INTEGER_CONSTANT, e.pos, name=a.name)
        if not isinstance(x, int) or not 0 <= x <= _LARGEST:
            _fail_range(ctx, a, 0, _LARGEST)


def _check_count(ctx: Context, a: Attribute, fewest: int, most: int) -> None:
    if not fewest <= len(a.args) <= most:
        wanted = f"{fewest} argument{'s' if fewest > 1 else ''}" if fewest == most else f"{fewest} to {most} arguments"
        ctx.fail(codes.ATTRIBUTE_ARGUMENT, a.pos, name=a.name, wanted=wanted)


def _fail_range(ctx: Context, a: Attribute, low: int, high: int) -> None:
    ctx.fail(codes.ATTRIBUTE_ARGUMENT, a.pos, name=a.name, wanted=f"integers from {low} to {high}")


# ------------------------------------------------------------------------------------------------------------ integers


def _check_integers(ctx: Context, a: Attribute, written: Sequence[ast.Expr]) -> None:
    _check_count(ctx, a, *_INTEGERS[a.name])
    is_odd = any(_is_odd(ctx, a, x, e) for x, e in zip(a.args, written, strict=True))
    if is_odd:
        ctx.warn(entry_codes.UNSIGNED_LITERAL, a.pos, name=a.name)
    if a.name == "outputcontrolpoints" and isinstance(a.args[0], int) and not 1 <= a.args[0] <= MAX_CONTROL_POINTS:
        ctx.fail(entry_codes.CONTROL_POINTS, a.pos, count=a.args[0])
    if is_odd:
        raise Poisoned
    a.args = tuple(int(x) if isinstance(x, float) else x for x in a.args)
    numbers = [x for x in a.args if isinstance(x, int)]
    low, high = _LIMITS.get(a.name, (-_LARGEST, _LARGEST))
    if any(not low <= x <= high for x in numbers):
        _fail_range(ctx, a, low, high)
    if a.name == "numthreads":
        _check_group(ctx, a, numbers)
    elif a.name in ("nodedispatchgrid", "nodemaxdispatchgrid"):
        _check_grid(ctx, a, numbers, written)
    elif a.name == "wavesize":
        _check_wave(ctx, a, numbers)
    elif a.name == "groupsharedlimit":
        _check_shared_limit(ctx, a, numbers[0])
    elif a.name == "nodemaxrecursiondepth" and numbers[0] > MAX_RECURSION:
        ctx.error(entry_codes.RECURSION_DEPTH, a.pos)


def _is_odd(ctx: Context, a: Attribute, x: object, e: ast.Expr) -> bool:
    """Return whether an argument is negative or has a fraction; fail if it is not a constant number."""
    if isinstance(x, float) and _is_literal(e):
        return x < 0 or not x.is_integer()
    if not isinstance(x, int):
        ctx.fail(entry_codes.INTEGER_CONSTANT, e.pos, name=a.name)
    return x < 0 and a.name not in _SIGNED


def _is_literal(e: ast.Expr) -> bool:
    while isinstance(e, ast.Unary) and e.op in ("+", "-"):
        e = e.operand
    return isinstance(e, ast.Number)


MAX_RECURSION = 32
MAX_CONTROL_POINTS = 32
MAX_GROUP = 1024


def _check_group(ctx: Context, a: Attribute, numbers: list[int]) -> None:
    x, y, z = numbers
    if not 1 <= x * y * z <= MAX_GROUP:
        ctx.warn(entry_codes.GROUP_SIZE, a.pos, size=x * y * z, x=x, y=y, z=z)
        raise Poisoned


def _check_grid(ctx: Context, a: Attribute, numbers: list[int], written: Sequence[ast.Expr]) -> None:
    product = 1
    for x, component, e in zip(numbers, "XYZ", written, strict=True):
        product *= x
        if not 1 <= x < 1 << 16:
            ctx.error(entry_codes.GRID_COMPONENT, e.pos, name=a.name, component=component)
            product = 0
    if product >= 1 << 24:
        ctx.error(entry_codes.GRID_PRODUCT, a.pos, name=a.name)


def _check_shared_limit(ctx: Context, a: Attribute, limit: int) -> None:
    if ctx.language.hlsl_version < HLSL_202X:
        return
    if limit <= 0:
        ctx.fail(modifier_codes.SHARED_LIMIT_POSITIVE, a.pos)
    if limit % 4:
        ctx.fail(modifier_codes.SHARED_LIMIT_MULTIPLE, a.pos)


def _check_wave(ctx: Context, a: Attribute, numbers: list[int]) -> None:
    if any(not 4 <= x <= 128 or x & (x - 1) for x in numbers):
        ctx.error(entry_codes.WAVE_SIZE_VALUE, a.pos)
        return
    low, high, *preferred = [*numbers, numbers[0]] if len(numbers) == 1 else numbers
    if len(numbers) > 1 and low >= high:
        ctx.error(entry_codes.WAVE_SIZE_ORDER, a.pos, low=low, high=high)
    elif preferred and not low <= preferred[0] <= high:
        ctx.error(entry_codes.WAVE_SIZE_PREFERRED, a.pos, preferred=preferred[0], low=low, high=high)


# ---------------------------------------------------------------------------------------------------------- clip planes


def _check_clip_plane(ctx: Context, x: object, pos: int) -> None:
    """Report a clip plane that is not a ``float4``: a global variable, or a member or array element of one."""
    node = x
    while not isinstance(node, hir.VarRef):
        if isinstance(node, hir.Load):
            node = node.operand
        elif isinstance(node, hir.Member):
            node = node.base
        elif isinstance(node, hir.Index) and isinstance(node.base.type, ty.Array):
            if evaluate(node.index) is None:
                ctx.fail(entry_codes.CLIP_PLANE_INDEX, pos)
            node = node.base
        else:
            ctx.fail(entry_codes.CLIP_PLANE, pos)
    if node.var.storage == "static" and node.var.is_const:
        ctx.fail(entry_codes.CLIP_PLANE, pos)
    t = x.type if isinstance(x, (hir.Load, hir.VarRef, hir.Member, hir.Index)) else ty.VOID
    if t is not ty.vector(ty.FLOAT, 4):
        ctx.fail(entry_codes.CLIP_PLANE_TYPE, pos, type=ty.display(t))


# ------------------------------------------------------------------------------------------------------------- strings


def _check_string(ctx: Context, a: Attribute) -> None:
    if len(a.args) != 1:
        ctx.fail(declaration_codes.ATTRIBUTE_TAKES, a.pos, name=a.name, wanted="one argument")
    values = _STRINGS[a.name]
    if not isinstance(a.args[0], str):
        ctx.fail(entry_codes.STRING_LITERAL, a.pos, name=a.name)
    if values and a.args[0] not in values and not (a.name == "shader" and a.args[0].lower() in values):
        if a.name == "nodelaunch" and a.args[0].lower() == "mesh":
            ctx.error(lower_codes.FEATURE_UNSUPPORTED, a.pos, what='a mesh node ([NodeLaunch("mesh")])')
        else:
            ctx.error(entry_codes.STRING_VALUE, a.pos, name=a.name, values=",".join(values))
        a.args = ("",)
