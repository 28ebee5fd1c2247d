"""``printf`` and breakpoints: non-semantic instructions, which drivers may ignore.

A conversion in a format, as Vulkan's validation layers define it, is
``%[flags][width][.precision][v2|v3|v4][h|hh|l|ll]`` followed by one of ``diouxX`` (integers), ``aAeEfFgG``
(floating-point numbers), ``s`` (strings), or ``ul`` (64 bits).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv import debug_printf

_BREAK_SET = "NonSemantic.DebugBreak"
_BREAK = 1


@intrinsic("printf")
def _printf(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    b = ctx.b
    operands = [_format(ctx, c.args[0])]
    text = next((text for text, number in b.strings.items() if number == operands[0]), None)
    if text is not None and not ctx.options.codegen_only:
        _check_format(ctx, c, text)
    operands += [memory.load(ctx, ctx.expr(a)).id for a in c.args[1:]]
    b.ext_inst(debug_printf.SET, b.void_type(), debug_printf.DebugPrintf, *operands)


def _format(ctx: Lowering, e: hir.Expr) -> int:
    """Return the id of the OpString for a ``printf`` format: a literal, or a variable initialised with one."""
    while isinstance(e, (hir.Load, hir.Cast)):
        e = e.operand
    if isinstance(e, hir.VarRef) and e.var.init is not None:
        return _format(ctx, e.var.init)
    return memory.load(ctx, ctx.expr(e)).id


_CONVERSION = re.compile(
    r"%(?:(%)|[-+ #0]*\d*(?:\.\d*)?(?:v([234]))?(hh|h|ll|l)?(ul|[diouxXsaAeEfFgG])|[-+ #0-9.vhl]*(.?))"
)
_FLOATS = frozenset("aAeEfFgG")


def _check_format(ctx: Lowering, c: hir.IntrinsicCall, text: str) -> None:
    """Warn about conversions (``%d``) in the ``printf`` format ``text`` that are unknown or do not fit arguments."""
    conversions = list(_conversions(ctx, c, text))
    arguments = c.args[1:]
    if len(conversions) > len(arguments):
        ctx.warn(codes.FORMAT_MISSING, c.args[0].pos)
    for spare in arguments[len(conversions) :]:
        ctx.warn(codes.FORMAT_SPARE, spare.pos)
    for (size, kind), argument in zip(conversions, arguments, strict=False):
        _check_argument(ctx, size, kind, argument)


def _conversions(ctx: Lowering, c: hir.IntrinsicCall, text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of components, class of the type) for each conversion (``%d``) in the format ``text``.

    The class is ``""`` for an unknown conversion.
    """
    for match in _CONVERSION.finditer(text):
        percent, size, _, letter, unknown = match.groups()
        if percent:
            continue
        if letter is None:
            ctx.warn(codes.FORMAT_UNKNOWN, c.args[0].pos, name=unknown or "%")
            yield 0, ""
        else:
            kind = "float" if letter in _FLOATS else "string" if letter == "s" else "int"
            yield int(size or 1), kind


def _check_argument(ctx: Lowering, size: int, kind: str, argument: hir.Expr) -> None:
    if not kind:
        return
    element = ty.element_of(argument.type)
    count = ty.component_count(argument.type)
    own = "int" if element is None or element.category not in ("float", "string") else element.category
    if element is None or count != size or own != kind or isinstance(argument.type, ty.Matrix):
        wanted = kind if size == 1 else f"{kind}{size}"
        ctx.warn(codes.FORMAT_TYPE, argument.pos, wanted=wanted, type=ty.display(argument.type))


@intrinsic("DebugBreak")
def _break(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    ctx.b.ext_inst(_BREAK_SET, ctx.b.void_type(), _BREAK)
