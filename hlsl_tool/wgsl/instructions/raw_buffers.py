"""Buffers with a layout that WGSL cannot express, as arrays of words.

Uniform buffers are ``array<vec4u, n>``, storage buffers ``array<u32>``. A `Place` in them is a byte offset; values are
constructed from words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions.place import Place
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.expr import MULTIPLY, Expr, call

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter
from hlsl_tool.wgsl.interface.layout import Form
from hlsl_tool.wgsl.interface.raw_layout import extent

MAX_BYTES = 16384
"""The largest size in bytes of a value that is loaded or stored at once, word by word."""


def member(w: FunctionWriter, place: Place, index: int) -> Place:
    """Return the place (type and byte offset) of a struct's member in a buffer that is an array of words."""
    offset = w.view.member_literal(place.type_id, index, Decoration.Offset) or 0
    row_major, stride = w.view.matrix_layout(place.type_id, index)
    inner = w.view.element(place.type_id, index)
    return replace(place, type_id=inner, offset=place.offset + offset, row_major=row_major, stride=stride, whole=False)


def member_in_words(w: FunctionWriter, place: Place, index: int, form: Form) -> Place:
    """Return the place (type and byte offset) of a member that its struct stores in an array of words."""
    name = f"{place.text}.{form.names[0]}"
    words = replace(place, root=replace(place.root, name=name, form=None, raw=True), form=None, offset=-form.stride)
    return member(w, words, index)


def step(w: FunctionWriter, place: Place, index: int, inner: int) -> Place:
    """Return the place (type and byte offset) of an element of a composite, which has the type ``inner``.

    ``index`` is the SPIR-V id of the element's index.
    """
    distance, stride = _distance(w.view, place)
    constant = w.view.constant(index)
    if constant is not None and 0 <= constant < _count(w.view, place.type_id):
        return _at(place, inner, constant * distance, stride)
    value = w.hidden(w.expr(index))
    if w.view.is_signed(w.view.type_of(index)):
        value = call("u32", value)
    return replace(_at(place, inner, 0, stride), terms=[*place.terms, (value.at(MULTIPLY), distance)])


def _count(view: View, type_id: int) -> int:
    """Return the number of elements of a composite type; 2^30 for a runtime array."""
    inst = view.type(type_id)
    if inst.op == op.OpTypeRuntimeArray:
        return 1 << 30
    return view.length(type_id) if inst.op == op.OpTypeArray else inst.id(1)


def _distance(view: View, place: Place) -> tuple[int, int]:
    """Return (stride of the elements of the array, matrix or vector at a place, stride of the parts of an element).

    Strides are in bytes; the second is 0 if the parts of an element have no stride.
    """
    inst = view.type(place.type_id)
    if inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        return view.literal(place.type_id, Decoration.ArrayStride) or 4, place.stride
    width = view.scalar(place.type_id).id(0) // 8
    if inst.op == op.OpTypeMatrix:
        return (width, place.stride) if place.row_major else (place.stride, 0)
    return place.stride or width, 0


def _at(place: Place, inner: int, offset: int, stride: int) -> Place:
    return replace(place, type_id=inner, offset=place.offset + offset, stride=stride, whole=False)


def _part(w: FunctionWriter, place: Place, index: int) -> Place:
    """Return the place (type and byte offset) of the element of a composite with a constant index."""
    distance, stride = _distance(w.view, place)
    return _at(place, w.view.element(place.type_id), index * distance, stride)


def _parts(w: FunctionWriter, place: Place) -> list[Place]:
    inst = w.view.type(place.type_id)
    if inst.op == op.OpTypeStruct:
        return [member(w, place, k) for k in range(len(inst.operands))]
    count = w.view.length(place.type_id) if inst.op == op.OpTypeArray else inst.id(1)
    # a module that was not validated may have strides less than an element, and vectors of any length
    if 4 * count > MAX_BYTES or extent(w.view, place.type_id, place.row_major, place.stride) > MAX_BYTES:
        raise Unsupported("a large array in a layout that WGSL does not have is copied whole")
    return [_part(w, place, k) for k in range(count)]


def word(w: FunctionWriter, place: Place) -> str:
    """Return the word at a place (a byte offset) as an assignable expression."""
    if place.offset % 4:
        raise Unsupported("a member is not at a multiple of four bytes")
    name, offset = place.root.name, place.offset
    if place.root.space == "uniform":
        if not place.terms:
            return f"{name}[{offset // 16}].{'xyzw'[offset // 4 % 4]}"
        index = w.repeatable(Expr(_index(place)))
        return f"{name}[{index.text} / 4u][{index.text} % 4u]"
    if not place.terms:
        return f"{name}[{offset // 4}]"
    return f"{name}[{_index(place)}]"


def _index(place: Place) -> str:
    """Return the run-time index, as text, of the word at a place."""
    if any(distance % 4 for _, distance in place.terms):
        terms = [f"({' + '.join(f'{text} * {distance}u' for text, distance in place.terms)}) / 4u"]
    else:
        terms = [text if distance == 4 else f"{text} * {distance // 4}u" for text, distance in place.terms]
    return " + ".join([*terms, f"{place.offset // 4}u"] if place.offset else terms)


def _hoisted(w: FunctionWriter, place: Place) -> Place:
    """Return the same place with its run-time index in a named value, for accesses to several words."""
    if not place.terms or (len(place.terms) == 1 and place.terms[0][1] == 4 and place.terms[0][0].isidentifier()):
        return place
    index = w.temporary(Expr(_index(replace(place, offset=0))), "word")
    return replace(place, terms=[(index.text, 4)])


def load(w: FunctionWriter, place: Place) -> Expr:
    """Read a value word by word; raise `Unsupported` for scalars that do not have 32 bits."""
    kind = w.view.type(place.type_id)
    if kind.op in (op.OpTypeInt, op.OpTypeFloat):
        spelled = w.types.scalar(kind)
        if kind.id(0) != 32:
            raise Unsupported(f"a {kind.id(0)}-bit value in a layout that WGSL does not have")
        target = word(w, place)
        text = f"atomicLoad(&{target})" if place.root.atomic else target
        value = Expr(text if spelled == "u32" else f"bitcast<{spelled}>({text})", depth=1)
    else:
        place = _hoisted(w, place)
        parts = [load(w, part) for part in _parts(w, place)]
        value = call(w.types.spell(place.type_id), *parts)
    value.reads = not place.root.constant
    return value


def store(w: FunctionWriter, place: Place, value: Expr) -> None:
    """Write a value word by word; it must be a name or a literal."""
    kind = w.view.type(place.type_id)
    if kind.op in (op.OpTypeInt, op.OpTypeFloat):
        spelled = w.types.scalar(kind)
        text = value.text if spelled == "u32" else f"bitcast<u32>({value.text})"
        target = word(w, place)
        if place.root.atomic:
            w.line(f"atomicStore(&{target}, {text});")
        else:
            w.assign(target, text)
        return
    names = w.types.member_names(place.type_id) if kind.op == op.OpTypeStruct else []
    place = _hoisted(w, place)
    for k, part in enumerate(_parts(w, place)):
        suffix = f".{names[k]}" if names else f"[{k}]"
        store(w, part, Expr(value.primary + suffix))


def length(w: FunctionWriter, place: Place) -> Expr:
    """Return the length of the runtime array at a place."""
    stride = w.view.literal(place.type_id, Decoration.ArrayStride) or 4
    words = f"arrayLength(&{place.root.name})"
    start = f"{words} - {place.offset // 4}u" if place.offset else words
    return Expr(f"({start}) / {stride // 4}u", MULTIPLY)
