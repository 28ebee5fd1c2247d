"""Pointees (`Place`): access chains, loads and stores for all memory representations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions import raw_buffers as raw
from hlsl_tool.wgsl.instructions.place import Place
from hlsl_tool.wgsl.interface.io_tables import POINT_SIZE
from hlsl_tool.wgsl.interface.layout import Form
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.writer.context import Root
from hlsl_tool.wgsl.writer.expr import Expr, call
from hlsl_tool.wgsl.writer.statements import ForStatement, Let

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

UNROLLED = 16
"""The largest number of elements that are loaded or stored without a loop."""

LETTERS = "xyzw"

_COMPUTED = re.compile(r"\[[^\]]*\D[^\]]*\]")
"""An index that is no number."""


def place_of(w: FunctionWriter, pointer: int) -> Place:
    """Return the variable, or the part of one, that a pointer points to in WGSL."""
    inst = w.view.defs[pointer]
    if inst.op in ACCESS_CHAINS:
        place = place_of(w, inst.id(0))
        for index in inst.ints()[1:]:
            place = element_of(w, place, index) if place.root.count else step(w, place, index)
        return place
    if inst.op == op.OpVariable:
        root = w.root(pointer)
        return Place(root, root.name, root.type_id, root.form, whole=True)
    if inst.op == op.OpCopyObject:
        return place_of(w, inst.id(0))
    if inst.op == op.OpImageTexelPointer:
        texture = w.context.handles.texel_buffer(inst.id(0))
        assert texture is not None
        type_id = texture.image.id(0)
        name, count = texture.name, w.view.binding_arrays.get(texture.variable)
        if count:
            name = f"{name}[{resource_index(w, root_of(w.view, inst.id(0))[1][0], count)}].texels"
        root = Root(name, type_id, "storage", atomic=True)
        return Place(root, f"{name}[{w.texels[pointer].text}]", type_id, None)
    if inst.op == op.OpFunctionParameter:
        root = w.root(pointer)
        return Place(root, f"(*{root.name})", root.type_id, None, whole=True)
    raise Unsupported("WGSL has no pointers that are chosen at run time", pointer)


def element_of(w: FunctionWriter, place: Place, index: int) -> Place:
    """Return the buffer that an index selects from an array of buffers."""
    root = place.root
    name = f"{root.name}[{resource_index(w, index, root.count)}]"
    own = replace(root, name=f"{name}.words" if root.raw else name, count=0)
    return Place(own, own.name, root.type_id, root.form)


def resource_index(w: FunctionWriter, index: int, count: int) -> str:
    """Return an index into an array of ``count`` resources as text, which does not read memory."""
    constant = w.view.constant(index)
    if constant is not None and not 0 <= constant < count:
        raise Unsupported("an index is beyond an array of resources", index)
    value = w.expr(index)
    return (w.temporary(value) if value.reads else value).text


def step(w: FunctionWriter, place: Place, index: int) -> Place:
    """Return the element or member that an index (an id) selects from a pointee."""
    view = w.view
    kind = view.type(place.type_id)
    constant = view.constant(index)
    if kind.op == op.OpTypeStruct:
        assert constant is not None
        return member(w, place, constant)
    inner = view.element(place.type_id)
    if place.root.raw:
        return raw.step(w, place, index, inner)
    text = index_text(w, place.type_id, index)
    if place.column:
        suffix = ".el" if place.form is not None and place.form.wrapped else ""
        full = f"{place.text}[{text}]{suffix}[{place.column}]"
        return replace(place, text=full, type_id=inner, form=None, column="", whole=False)
    form = place.form
    if form is None:
        if kind.op == op.OpTypeVector and constant is not None and 0 <= constant < kind.id(1):
            return replace(place, text=f"{place.text}.{LETTERS[constant]}", type_id=inner, whole=False)
        return replace(place, text=f"{place.text}[{text}]", type_id=inner, whole=False)
    if form.kind == "scalars":
        if constant is not None and 0 <= constant < form.count:
            return replace(place, text=f"{place.text}.{form.names[constant]}", type_id=inner, form=None)
        return replace(place, text=f"{_load_form(w, place, form).text}[{text}]", type_id=inner, form=None)
    if form.kind in ("transposed", "strided"):
        if form.row_major:
            return replace(place, type_id=inner, column=text, whole=False)
        return replace(place, text=f"{place.text}[{text}].el", type_id=inner, form=None, whole=False)
    assert form.element is not None
    suffix = ".el" if form.wrapped else ""
    return replace(place, text=f"{place.text}[{text}]{suffix}", type_id=inner, form=_part(form.element), whole=False)


def _part(form: Form) -> Form | None:
    return None if form.plain else form


def member(w: FunctionWriter, place: Place, index: int) -> Place:
    """Return a struct's member in the representation (`Form`) that it has in WGSL."""
    if place.root.raw:
        return raw.member(w, place, index)
    if place.root.parts is not None and place.whole:
        root = place.root.parts[index]
        return Place(root, root.name, root.type_id, root.form, whole=True)
    inner = w.view.element(place.type_id, index)
    name = w.types.member_names(place.type_id)[index]
    form = _part(place.form.members[index]) if place.form is not None else None
    if form is not None and form.kind == "hidden":
        w.types.spell(inner)
        raise Unsupported("a type that WGSL lacks is accessed", inner)
    if form is not None and form.kind == "words":
        return raw.member_in_words(w, place, index, form)
    if form is not None and form.kind == "scalars":
        return replace(place, type_id=inner, form=form, whole=False)
    text = place.text if place.root.unwrapped and place.whole else f"{place.text}.{name}"
    return replace(place, text=text, type_id=inner, form=form, whole=False)


def index_text(w: FunctionWriter, type_id: int, index: int) -> str:
    """Return an index as text; hide a constant out of bounds from WGSL, which would reject it.

    An index may be signed: a negative one is as far out of bounds as the unsigned number with the same bits.
    """
    constant = w.view.constant(index)
    if constant is None:
        expression = w.expr(index)
        if not expression.constant:
            return expression.index or expression.text
        folded = w.context.folder.constant(index)
        constant = w.view.constant(folded) if folded else None
        if constant is None:
            return w.temporary(expression, head="var ").text  # naga looks through `let`
    kind = w.view.type(type_id)
    count = 0
    if kind.op == op.OpTypeArray:
        count = w.view.length(type_id)
    elif kind.op in (op.OpTypeVector, op.OpTypeMatrix):
        count = kind.id(1)
    if constant >= 0 and (kind.op == op.OpTypeRuntimeArray or constant < count):
        return f"{constant}{'u' if constant >> 31 else ''}"
    return w.temporary(w.expr(index), head="var ").text


# ------------------------------------------------------------------------------------------------------------- loading


def load(w: FunctionWriter, place: Place) -> Expr:
    """Return an expression that reads a pointee; a built-in that WGSL lacks reads as its default value."""
    if place.root.ignored:
        if place.root.name == "point_size":
            return Expr("1.0f", constant=True, named=True)
        return w.constants.zero(place.type_id)
    if place.root.raw:
        return raw.load(w, place)
    if place.root.parts is not None and place.whole:
        return call(w.types.spell(place.type_id), *[load(w, member(w, place, k)) for k in range(len(place.root.parts))])
    if place.column:
        value = _load_column(w, place)
    elif place.form is None:
        value = Expr(place.text)
    else:
        value = _load_form(w, place, place.form)
    value.reads = not place.root.constant
    value.constant = place.root.space == "const" and not _COMPUTED.search(place.text)
    return value


def _load_column(w: FunctionWriter, place: Place) -> Expr:
    rows = w.view.components(place.type_id)
    suffix = ".el" if place.form is not None and place.form.wrapped else ""
    parts = [f"{place.text}[{row}]{suffix}[{place.column}]" for row in range(rows)]
    return Expr(f"{w.types.spell(place.type_id)}({', '.join(parts)})", depth=1)


def _load_form(w: FunctionWriter, place: Place, form: Form) -> Expr:
    text = place.text
    if form.kind == "empty":
        return w.constants.zero(form.type_id)
    if form.kind == "scalars":
        parts = ", ".join(f"{text}.{name}" for name in form.names)
        return Expr(f"{w.types.spell(form.type_id)}({parts})", depth=1)
    if form.kind == "transposed":
        return Expr(f"transpose({text})", depth=1, transposed=text)
    if form.kind == "atomic":
        return Expr(f"atomicLoad(&{text})", depth=1)
    if form.kind == "strided":
        vectors = ", ".join(f"{text}[{k}].el" for k in range(form.count))
        if not form.row_major:
            return Expr(f"{w.types.spell(form.type_id)}({vectors})", depth=1)
        return Expr(f"transpose({transposed_spelling(w, form)}({vectors}))", depth=2)
    spelled = w.types.spell(form.type_id)
    if form.kind == "struct":
        return call(spelled, *[load(w, member(w, place, k)) for k in range(len(form.members))])
    assert form.element is not None
    if form.count <= UNROLLED:
        return call(spelled, *[load(w, _element(w, place, str(k))) for k in range(form.count)])
    name, index = w.names.unique("copy", "copy"), w.names.unique("i", "i")
    w.line(f"var {name}: {spelled};")
    body = w.scope.child(loop=True)
    w.emit(ForStatement(index, f"{form.count}u", body))
    with w.inside(body):
        value = load(w, _element(w, place, index))
        w.emit(Let(f"{name}[{index}]", value.text, ""))
    return Expr(name, named=True)


def transposed_spelling(w: FunctionWriter, form: Form) -> str:
    """Return the WGSL type of a matrix's transpose."""
    inst = w.view.type(form.type_id)
    column = w.view.type(inst.id(0))
    return w.types.matrix(column.id(1), inst.id(1), w.types.scalar(w.view.type(column.id(0))))


def _element(w: FunctionWriter, place: Place, index: str) -> Place:
    assert place.form is not None and place.form.element is not None
    suffix = ".el" if place.form.wrapped else ""
    inner = w.view.element(place.type_id)
    return replace(
        place, text=f"{place.text}[{index}]{suffix}", type_id=inner, form=_part(place.form.element), whole=False
    )


# ------------------------------------------------------------------------------------------------------------- storing


def store(w: FunctionWriter, place: Place, value: Expr) -> None:
    """Write the store of a value to a pointee, after naming all pending reads."""
    if place.root.ignored:
        raise Unsupported(POINT_SIZE if place.root.name == "point_size" else "WGSL has no such output")
    w.flush()
    if place.root.raw:
        raw.store(w, place, w.repeatable(value))
    elif place.root.parts is not None and place.whole:
        value = w.repeatable(value)
        names = w.types.member_names(place.type_id)
        for index in range(len(place.root.parts)):
            store(w, member(w, place, index), Expr(f"{value.primary}.{names[index]}"))
    elif place.column:
        value = w.repeatable(value)
        suffix = ".el" if place.form is not None and place.form.wrapped else ""
        for row in range(w.view.components(place.type_id)):
            w.assign(f"{place.text}[{row}]{suffix}[{place.column}]", f"{value.primary}[{row}]")
    elif place.form is None:
        w.assign(place.text, value.text)
    else:
        _store_form(w, place, place.form, value)


def _store_form(w: FunctionWriter, place: Place, form: Form, value: Expr) -> None:
    if form.kind == "empty":
        return
    if form.kind == "transposed":
        w.assign(place.text, f"transpose({value.text})")
        return
    if form.kind == "atomic":
        w.line(f"atomicStore(&{place.text}, {value.text});")
        return
    value = w.repeatable(Expr(f"transpose({value.text})") if form.kind == "strided" and form.row_major else value)
    if form.kind == "strided":
        for k in range(form.count):
            w.assign(f"{place.text}[{k}].el", f"{value.primary}[{k}]")
    elif form.kind == "struct":
        names = w.types.member_names(form.type_id)
        for k in range(len(form.members)):
            store(w, member(w, place, k), Expr(f"{value.primary}.{names[k]}"))
    elif form.count <= UNROLLED:
        for k in range(form.count):
            store(w, _element(w, place, str(k)), Expr(f"{value.primary}[{k}]"))
    else:
        name, index = w.names.unique("copy", "copy"), w.names.unique("i", "i")
        w.line(f"var {name} = {value.text};")
        body = w.scope.child(loop=True)
        w.emit(ForStatement(index, f"{form.count}u", body))
        with w.inside(body):
            store(w, _element(w, place, index), Expr(f"{name}[{index}]"))
