"""Annotations after a colon: check and parse registers, ``packoffset`` and semantics.

A malformed annotation is reported and dropped; the others are returned with their numbers parsed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import declarations as codes
from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import layout as layout_codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.base.digits import number_of
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Annotations, PackOffset, Register, Semantic
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.syntax import ast

_SHORT_PROFILES = frozenset(("vs", "ps", "gs", "cs"))
_PROFILE = r"(?=.*_)(?=.*\d)(?=.*[a-z])[a-z0-9_]+"
_DIGITS = r"[0-9]+"
_LARGEST = 0xFFFFFFFF
_KINDS = "bcistu"
_RESOURCE_KINDS = "bstu"
"""Letters whose numbers count resources; the others count constants."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The declaration that an annotation belongs to."""

    type: Type | None
    in_cbuffer: bool = False
    word: str = ""
    """The subject's name in messages; set where a semantic is refused."""
    is_field: bool = False
    """Whether it is a member of a struct, which may have payload access qualifiers."""


NONE = Annotations()


def resolve(ctx: Context, written: Sequence[ast.Annotation], subject: Subject) -> Annotations:
    """Return the valid annotations of a variable, field or parameter; report those that are malformed or misplaced."""
    if not written:
        return NONE
    semantic: Semantic | None = None
    registers: list[Register] = []
    offsets: list[PackOffset] = []
    for a in written:
        try:
            if isinstance(a, ast.Register):
                registers.append(_typed(ctx, _register(ctx, a), subject.type))
            elif isinstance(a, ast.PackOffset):
                offsets.append(_packoffset(ctx, a, subject))
            elif isinstance(a, ast.PayloadAccess):
                _check_access(ctx, a, subject)
            elif isinstance(a, ast.Semantic):
                semantic = _semantic(ctx, a, subject, semantic)
        except Poisoned:
            continue
    _check_conflicts(ctx, registers)
    if any(a.offset != b.offset for a, b in pairwise(offsets)):
        ctx.warn(codes.PACKOFFSET_OVERRIDE, offsets[0].pos)
    return Annotations(semantic, tuple(registers), offsets[-1] if offsets else None)


def resolve_block(ctx: Context, written: Sequence[ast.Annotation], keyword: str) -> tuple[Register, ...]:
    """Return the registers of a ``cbuffer`` or ``tbuffer``; report other annotations."""
    letter = "t" if keyword == "tbuffer" else "b"
    registers: list[Register] = []
    for a in written:
        if isinstance(a, ast.PackOffset):
            ctx.error(codes.PACKOFFSET_BLOCK, a.pos)
        elif isinstance(a, ast.PayloadAccess):
            ctx.error(codes.ANNOTATION_CALL, a.pos, hint=_closest_annotation(a.access))
        elif isinstance(a, ast.Register):
            try:
                registers.append(_for_block(ctx, _register(ctx, a), letter))
            except Poisoned:
                continue
    _check_conflicts(ctx, registers)
    return tuple(registers)


MAX_TARGET = 7
"""The number of the last render target."""


def _check_access(ctx: Context, a: ast.PayloadAccess, subject: Subject) -> None:
    """Report payload access qualifiers, ``read(...)`` and ``write(...)``, outside of a struct.

    A misspelt ``register`` or ``packoffset`` is parsed as such a qualifier; it is reported, too.
    """
    if a.access not in ("read", "write"):
        ctx.error(codes.ANNOTATION_CALL, a.pos, hint=_closest_annotation(a.access))
    elif not subject.is_field:
        ctx.error(language.PAYLOAD_ACCESS_PLACE, a.pos)


def _closest_annotation(name: str) -> str:
    return "write 'packoffset'" if name.startswith("pack") else "write 'register'"


def _semantic(ctx: Context, a: ast.Semantic, subject: Subject, first: Semantic | None) -> Semantic | None:
    """Check a semantic and return the one that applies to the declaration: ``first``, its first semantic, if any.

    Report a semantic where none is allowed, or with an index that is too large.
    """
    if subject.word:
        ctx.error(codes.NOT_A_MODIFIER, a.pos, modifier="semantic", subject=subject.word)
        return first
    digits = a.name[9:] if a.name.lower().startswith("sv_target") else ""
    if digits.isdigit() and number_of(digits) > MAX_TARGET:
        ctx.error(entry_codes.SEMANTIC_INDEX, a.pos, name=a.name, index=number_of(digits), last=MAX_TARGET)
    if a.name == "VFACE":
        ctx.warn(codes.OLD_SEMANTIC, a.pos, name=a.name)
    return first or Semantic(a.name, a.pos)


def _for_block(ctx: Context, register: Register, letter: str) -> Register:
    if register.letter and register.letter != letter:
        ctx.fail(codes.REGISTER_KIND, register.pos, expected=f"'{letter}'", hint=_relettered(ctx, register, letter))
    if register.letter and register.profile:
        ctx.fail(codes.REGISTER_BUFFER_PROFILE, register.pos)
    return register


def _relettered(ctx: Context, register: Register, letter: str) -> Advice | None:
    """Return the edit that writes a register with another letter.

    Return ``None`` if its token is not found, or if one of the letters counts constants: the number means a register of
    another kind then.
    """
    if register.letter not in _RESOURCE_KINDS or letter not in _RESOURCE_KINDS:
        return None
    tokens, last = ctx.chunk.tokens, register.pos + 7
    number = tokens[register.pos : last].index(")") if ")" in tokens[register.pos : last] else 0
    for at in range(register.pos, register.pos + number):
        if tokens[at].lower() == f"{register.letter}{register.number}":
            return Advice(None, (Edit(f"{letter}{register.number}", at),))
    return None


# ----------------------------------------------------------------------------------------------------------- registers


def _register(ctx: Context, a: ast.Register) -> Register:
    """Parse ``register([profile,] t0[2] [, space1])``."""
    items = list(a.items)
    profile = None
    if items[0].text in _SHORT_PROFILES or re.fullmatch(_PROFILE, items[0].text):
        profile = items.pop(0).text
        if not items or a.items[0].index is not None:
            ctx.fail(codes.REGISTER_EXPECTED, a.items[0].pos, token=",")
    first, *rest = items
    if first.text.startswith("space"):
        if rest:
            ctx.fail(codes.REGISTER_EXPECTED, rest[0].pos, token=")")
        return Register("", 0, _space(ctx, first), profile, a.pos)
    name = _letter_and_number(ctx, first)
    space = _space(ctx, rest[0]) if rest else None
    if len(rest) > 1:
        ctx.fail(codes.REGISTER_EXPECTED, rest[1].pos, token=")")
    if name is None:
        raise Poisoned
    letter, number = name
    subcomponent = _subcomponent(ctx, first, f"{letter}{number}")
    return Register(letter, number, space, profile, a.pos, subcomponent)


def _letter_and_number(ctx: Context, item: ast.RegisterItem) -> tuple[str, int] | None:
    letter, digits = item.text[0].lower(), item.text[1:]
    if letter not in _KINDS:
        ctx.error(codes.REGISTER_TYPE, item.pos)
        return None
    if digits and not (re.fullmatch(_DIGITS, digits) and number_of(digits) <= _LARGEST):
        ctx.error(codes.REGISTER_NUMBER, item.pos)
        return None
    return letter, number_of(digits)


def _space(ctx: Context, item: ast.RegisterItem) -> int:
    if not item.text.startswith("space"):
        ctx.fail(codes.REGISTER_SPACE, item.pos)
    digits = item.text[5:]
    if item.index is not None or not re.fullmatch(_DIGITS, digits) or number_of(digits) > _LARGEST:
        ctx.fail(codes.REGISTER_SPACE_NUMBER, item.pos)
    return number_of(digits)


def _subcomponent(ctx: Context, item: ast.RegisterItem, register: str) -> int:
    if item.index is None:
        return 0
    value = evaluate(ex.rvalue(ctx, item.index))
    if not isinstance(value, (int, float)) or not 0 <= value <= _LARGEST:
        ctx.fail(codes.REGISTER_SUBCOMPONENT, item.pos)
    if int(value):
        ctx.warn(codes.REGISTER_INDEX_IGNORED, item.pos, register=register, index=int(value))
    return int(value)


_EXPECTED = (
    (r"Texture[123C]", "ts"),
    (r"Sampler(Comparison)?State", "st"),
    (r"RW(Buffer|Texture[123](?!.*MS)|ByteAddress|Structured)|Append|Consume|Rasterizer|Feedback", "u"),
    (r"Buffer|ByteAddressBuffer|StructuredBuffer|TextureBuffer", "t"),
    (r"ConstantBuffer", "b"),
)
"""Name prefix of an object type → register letters it accepts; types not listed accept any."""


_CONSTANT_KINDS = "bci"
"""Letters that a numeric variable accepts."""


def expected_letters(t: Type) -> str:
    """Return the register letters that a variable of this type may use; empty if it may use any."""
    innermost = ty.innermost(t)
    if isinstance(innermost, (ty.Scalar, ty.Vector, ty.Matrix)):
        return _CONSTANT_KINDS
    if isinstance(innermost, ObjectType):
        return next((letters for pattern, letters in _EXPECTED if re.match(pattern, innermost.name)), "")
    return ""


def _typed(ctx: Context, register: Register, t: Type | None) -> Register:
    letters = expected_letters(t) if t is not None and register.letter else ""
    if letters and register.letter not in letters:
        hint = None if letters == _CONSTANT_KINDS else _relettered(ctx, register, letters[0])
        ctx.fail(codes.REGISTER_KIND, register.pos, expected=_enumerated(letters), hint=hint)
    return register


def _enumerated(letters: str) -> str:
    *most, last = (f"'{letter}'" for letter in letters)
    return f"{', '.join(most)}{',' if len(most) > 1 else ''} or {last}" if most else last


def _check_conflicts(ctx: Context, registers: Sequence[Register]) -> None:
    """Report two registers of the same letter and profile whose numbers or subcomponents differ."""
    lettered = [a for a in registers if a.letter]
    for n, a in enumerate(lettered):
        for b in lettered[n + 1 :]:
            same_profile = a.profile is None or b.profile is None or a.profile == b.profile
            differ = (a.number, a.subcomponent) != (b.number, b.subcomponent)
            if same_profile and a.letter == b.letter and differ:
                ctx.error(codes.REGISTER_CONFLICT, a.pos)


# ---------------------------------------------------------------------------------------------------------- packoffset


def _packoffset(ctx: Context, a: ast.PackOffset, subject: Subject) -> PackOffset:
    """Parse ``packoffset(c1.y)``."""
    name = _letter_and_number(ctx, ast.RegisterItem(a.register, a.register_pos))
    if name is not None and name[0] != "c":
        ctx.fail(codes.REGISTER_TYPE, a.register_pos)
    component = 0
    if a.component is not None:
        if len(a.component) != 1 or a.component not in "xyzwrgba":
            ctx.fail(codes.PACKOFFSET_COMPONENT, a.component_pos)
        component = "xyzwrgba".index(a.component) % 4
    if name is None:
        raise Poisoned
    if not subject.in_cbuffer:
        ctx.fail(layout_codes.PACKOFFSET_GLOBAL, a.pos)
    if component and subject.type is not None and not _fits(subject.type, component):
        ctx.fail(codes.PACKOFFSET_FIT, a.pos)
    return PackOffset(name[1] * 16 + component * 4, a.pos)


def _fits(t: Type, component: int) -> bool:
    if isinstance(t, ty.Vector):
        return t.size <= 4 - component
    return not isinstance(t, (ty.Matrix, ty.Array, ty.Struct))
