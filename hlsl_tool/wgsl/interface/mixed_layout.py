"""Structs of buffers with some members at offsets that WGSL cannot express.

Before: `Layout.form` raises `Inexpressible`. After: vectors in constant memory are split into numbers; other such
members, with those that they overlap in WGSL, are arrays of words; the rest are members as usual.

    float4x3 normals;  uint material;   →   words: array<vec4u, 4>,
    float4 colour;                          colour: vec4f,
    float scale;  float2 offset;            scale: f32, offset_x: f32, offset_y: f32,
"""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl.interface.layout import Context, Form, Inexpressible, Layout, place_members, unused_name
from hlsl_tool.wgsl.interface.raw_layout import extent


@dataclass(slots=True)
class _Unit:
    """A member of the WGSL struct: one member of the SPIR-V struct, or an array of words for several of them."""

    start: int
    end: int
    form: Form | None
    """The representation; ``None`` for an array of words."""
    members: list[int]


def mixed_form(layout: Layout, struct: int, context: Context) -> Form:
    """Return the representation of a buffer's struct; raise `Inexpressible` if it would consist of words only."""
    if context.atomics or not context.explicit:
        return layout.form(struct, context)
    try:
        return layout.form(struct, context)
    except Inexpressible:
        pass
    forms = [_member(layout, struct, index, context) for index in range(len(layout.view.type(struct).operands))]
    units = _units(layout, struct, forms, context)
    if all(unit.form is None for unit in units):
        raise Inexpressible
    return _declared(layout, struct, forms, units, context)


def _member(layout: Layout, struct: int, index: int, context: Context) -> Form | None:
    view = layout.view
    member = view.element(struct, index)
    row_major, stride = view.matrix_layout(struct, index)
    try:
        return layout.member(member, context.member(row_major, stride, index))
    except Inexpressible:
        if view.type(member).op == op.OpTypeRuntimeArray:
            raise
        return None


def _units(layout: Layout, struct: int, forms: list[Form | None], context: Context) -> list[_Unit]:
    """Return the members of the WGSL struct in order, after merging overlapping ones into words."""
    view, align = layout.view, 16 if context.uniform else 4
    units: list[_Unit] = []
    for index, form in enumerate(forms):
        start = view.member_literal(struct, index, Decoration.Offset) or 0
        if form is not None and form.kind in ("empty", "hidden"):
            continue
        if form is None:
            end = start + extent(view, view.element(struct, index), *view.matrix_layout(struct, index))
        else:
            end = start + (round_up(form.size, 16) if context.uniform and form.kind == "struct" else form.size)
        unit = _Unit(start, end, form, [index])
        if form is None or not _fits(form, start, context):
            unit.form = _scalars(layout, form, start) if form is not None and context.uniform else None
            if unit.form is None:
                _make_words(unit, align)
        units.append(unit)
    units.sort(key=lambda unit: unit.start)
    place = 1
    while place < len(units):
        first, second = units[place - 1], units[place]
        if second.start >= first.end:
            place += 1
            continue
        merged = _Unit(first.start, max(first.end, second.end), None, [*first.members, *second.members])
        _make_words(merged, align)
        units[place - 1 : place + 1] = [merged]
        place = max(place - 1, 1)
    return units


def _scalars(layout: Layout, form: Form, start: int) -> Form | None:
    """Return the representation of a vector at byte offset ``start`` as separate numbers; ``None`` for other types."""
    inst = layout.view.defs.get(form.type_id)
    if inst is None or inst.op != op.OpTypeVector or not form.plain:
        return None
    scalar = layout.types.scalar(layout.view.type(inst.id(0)))
    width = form.size // inst.id(1)
    if start % width:
        return None
    return Form("scalars", form.type_id, scalar, form.size, width, plain=False, count=inst.id(1), stride=width)


def _fits(form: Form, start: int, context: Context) -> bool:
    """Return whether WGSL allows a member with this representation at byte offset ``start``."""
    in_rows = context.uniform and form.kind in ("array", "struct", "strided")
    return start % (max(form.align, 16) if in_rows else form.align) == 0


def _make_words(unit: _Unit, align: int) -> None:
    unit.start, unit.end, unit.form = unit.start // align * align, round_up(unit.end, align), None


def _declared(layout: Layout, struct: int, forms: list[Form | None], units: list[_Unit], context: Context) -> Form:
    names = layout.types.member_names(struct)
    own: list[Form] = []
    own_names: list[str] = []
    offsets: list[int] = []
    members = list(forms)
    for unit in units:
        if unit.form is not None and unit.form.kind == "scalars":
            members[unit.members[0]] = unit.form
            for k in range(unit.form.count):
                own.append(Form("plain", 0, unit.form.spelled, unit.form.stride, unit.form.stride))
                own_names.append(unused_name([*names, *own_names], f"{names[unit.members[0]]}_{'xyzw'[k]}"))
                offsets.append(unit.start + k * unit.form.stride)
            unit.form.names = own_names[-unit.form.count :]
            continue
        offsets.append(unit.start)
        if unit.form is not None:
            own.append(unit.form)
            own_names.append(names[unit.members[0]])
            continue
        name = unused_name([*names, *own_names], "words")
        align, spelled = (16, "vec4u") if context.uniform else (4, "u32")
        size = unit.end - unit.start
        own.append(Form("plain", 0, f"array<{spelled}, {size // align}>", size, align))
        own_names.append(name)
        for index in unit.members:
            members[index] = Form("words", 0, "", 0, 1, plain=False, names=[name], stride=unit.start)
    texts, size = place_members(own, offsets, own_names, context, 0)
    align = max(form.align for form in own)
    spelled = layout.types.declare(struct, texts).name
    known = [form for form in members if form is not None]
    return Form("struct", struct, spelled, round_up(size, align), align, False, members=known, names=names)
