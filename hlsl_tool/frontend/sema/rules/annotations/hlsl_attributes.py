"""Attributes in ``[[hlsl::...]]``, from HLSL 202x on: they say what annotations after a colon say in earlier versions.

Other names of the scope are those of attributes without a scope, ``[[hlsl::unroll]]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.frontend.sema.rules.annotations.registers import expected_letters
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

SCOPE = "hlsl"
MODES = {"strict": "strict", "fast": "fast"}
"""Attribute without arguments → the math mode that it sets."""

Split = tuple[list[ast.Attribute], list[ast.Annotation]]


def split(ctx: Context, attributes: Sequence[ast.Attribute], t: Type | None, block: str = "") -> Split:
    """Return the attributes that are no annotations, and the others as annotations.

    ``t`` is the type of the declared variable; ``block`` is the keyword of a block of constants.
    """
    rest: list[ast.Attribute] = []
    annotations: list[ast.Annotation] = []
    for a in attributes:
        scope = a.scope or a.prefix or SCOPE
        if ctx.language.hlsl_version < HLSL_202X or not a.double or scope != SCOPE or not _is_annotation(a):
            rest.append(a)
            continue
        annotations.append(_READERS.get(a.name, _named_semantic)(ctx, a, _letter(t, block)))
    return rest, annotations


def _is_annotation(a: ast.Attribute) -> bool:
    return a.name in _READERS or a.name.startswith("SV_")


def unscoped(a: ast.Attribute) -> ast.Attribute:
    """Return an attribute of the scope ``hlsl`` without the scope; any other attribute unchanged."""
    return replace(a, scope=None, prefix=None) if (a.scope or a.prefix) == SCOPE else a


def _letter(t: Type | None, block: str) -> str:
    """Return the letter of the registers to which a resource or block is bound."""
    if block:
        return "t" if block == "tbuffer" else "b"
    letters = expected_letters(t) if t is not None else ""
    return "t" if "t" in letters and letters[0] == "t" else letters[:1] or "t"


def _numbers(ctx: Context, a: ast.Attribute, args: Sequence[ast.Expr], most: int) -> list[int]:
    """Return the values of integer arguments; report a wrong number of them, or one that is negative."""
    values = [evaluate_int(ex.rvalue(ctx, x)) for x in args]
    numbers = [value for value in values if value is not None and value >= 0]
    if len(numbers) != len(args) or len(numbers) > most:
        ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    return numbers


def _name(ctx: Context, a: ast.Attribute) -> str:
    """Return the first argument: a string, or a name that is not looked up."""
    first = a.args[0] if a.args else None
    if isinstance(first, ast.String) and a.name == "user_value":
        return first.value
    if isinstance(first, ast.Name) and len(first.parts) == 1 and a.name != "user_value":
        return first.parts[0].name
    ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)


def _semantic(ctx: Context, a: ast.Attribute, letter: str) -> ast.Annotation:
    name = _name(ctx, a)
    if a.name == "system_value" and not name.lower().startswith("sv_"):
        name = f"SV_{name}"
    index = _numbers(ctx, a, a.args[1:], 1)
    return ast.Semantic(f"{name}{index[0]}" if index else name, a.pos)


def _named_semantic(ctx: Context, a: ast.Attribute, letter: str) -> ast.Annotation:
    """Return the semantic of ``[[hlsl::SV_Target(2)]]``."""
    index = _numbers(ctx, a, a.args, 1)
    return ast.Semantic(f"{a.name}{index[0]}" if index else a.name, a.pos)


def _binding(ctx: Context, a: ast.Attribute, letter: str) -> ast.Annotation:
    number, *space = _numbers(ctx, a, a.args, 2) or ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    items = [f"{letter}{number}", *(f"space{n}" for n in space)]
    return ast.Register([ast.RegisterItem(item, a.pos) for item in items], a.pos)


def _packoffset(ctx: Context, a: ast.Attribute, letter: str) -> ast.Annotation:
    row, *column = _numbers(ctx, a, a.args, 2) or ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    if column and column[0] > 3:
        ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    return ast.PackOffset(f"c{row}", a.pos, "xyzw"[column[0]] if column else None, a.pos, a.pos)


def _payload_access(ctx: Context, a: ast.Attribute, letter: str) -> ast.Annotation:
    names = [x.parts[0].name if isinstance(x, ast.Name) else "" for x in a.args]
    if not names or names[0] not in ("read", "write"):
        ctx.fail(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    return ast.PayloadAccess(names[0], names[1:], a.pos)


_READERS = {
    "user_value": _semantic,
    "system_value": _semantic,
    "binding": _binding,
    "register": _binding,
    "packoffset": _packoffset,
    "payload_access": _payload_access,
}


def is_math_mode(a: ast.Attribute) -> bool:
    """Return whether an attribute sets the math mode."""
    return (a.scope or a.prefix) == SCOPE and (a.name == "math_mode" or a.name in MODES)


def math_mode(ctx: Context, attributes: Sequence[ast.Attribute]) -> str:
    """Return the math mode that attributes set: ``strict``, ``fast`` or ``""``, which keeps the one around them."""
    mode = ""
    for a in attributes:
        if ctx.language.hlsl_version < HLSL_202X or not is_math_mode(a):
            continue
        other = _math_mode(ctx, a)
        if mode and other != mode:
            ctx.error(codes.MATH_MODES, a.pos, first=mode, second=other)
        elif mode:
            ctx.warn(declaration_codes.ATTRIBUTE_REPEATED, a.pos, name=a.name)
        mode = other
    return mode


def _math_mode(ctx: Context, a: ast.Attribute) -> str:
    """Return the math mode that an attribute sets; report wrong arguments."""
    if a.name in MODES:
        if a.args:
            ctx.error(declaration_codes.ATTRIBUTE_TAKES, a.pos, name=a.name, wanted="no arguments")
        return MODES[a.name]
    first = a.args[0] if len(a.args) == 1 else None
    mode = first.parts[0].name if isinstance(first, ast.Name) else "?"
    if mode not in MODES and mode != "default":
        ctx.error(codes.HLSL_ATTRIBUTE, a.pos, name=a.name)
    return MODES.get(mode, "fast")
