"""WGSL representations (`Form`) of types with SPIR-V's explicit layout, and the conversions that loads need.

WGSL has a fixed layout (specification, 14.4): a member may be moved back (``@size``) but never forward, and arrays have
the stride of their element. A type whose layout fits is unchanged, and so are its loads (``plain``); otherwise

* a row-major matrix is declared as its transpose, * a matrix with gaps is an array of its vectors, an array with gaps
one of structs with padding, * memory of atomics is declared ``atomic``;

and any other layout raises `Inexpressible`: the buffer is then an array of words (see `raw_layout`).
"""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.rounding import round_up
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.raw_layout import extent
from hlsl_tool.wgsl.module.usage import ELEMENT, Path
from hlsl_tool.wgsl.writer.wgsl_types import MAX_BYTES, WgslTypes


class Inexpressible(Exception):
    """Raised for a layout that WGSL cannot express."""


@dataclass(slots=True)
class Form:
    """The representation of a type with a layout.

    ``kind``: plain, transposed (row-major matrix), strided (matrix with gaps), atomic, array (also a vector with atomic
    components), struct, empty (a struct without members, which takes no memory and is not declared), hidden (a type
    that WGSL lacks: it is padding, and must not be accessed), words (a member in an array of words, ``names[0]``, which
    begins at the byte ``stride`` of the struct), scalars (a vector as the members ``names`` of its struct).
    """

    kind: str
    type_id: int
    spelled: str
    size: int
    align: int
    plain: bool = True
    row_major: bool = False
    element: Form | None = None
    wrapped: bool = False
    """Whether elements are in structs with one member ``el``."""
    members: list[Form] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    count: int = 0
    stride: int = 0


@dataclass(slots=True, frozen=True)
class Context:
    """The context that determines the representation of a type in memory: storage, majorness, strides, atomics."""

    uniform: bool = False
    explicit: bool = True
    """Whether the storage class has explicit layouts."""
    row_major: bool = False
    matrix_stride: int = 0
    atomics: frozenset[Path] = frozenset()

    def at(self, step: int) -> Context:
        """Return the context for the elements of a composite, or for its member with index ``step``.

        Only the paths to atomics differ: those that begin with ``step`` remain, without it.
        """
        inner = frozenset(path[1:] for path in self.atomics if path and path[0] == step)
        return Context(self.uniform, self.explicit, self.row_major, self.matrix_stride, inner)

    def member(self, row_major: bool, stride: int, index: int) -> Context:
        inner = frozenset(path[1:] for path in self.atomics if path and path[0] == index)
        return Context(self.uniform, self.explicit, row_major, stride, inner)


_UNDECLARED = frozenset(("empty", "hidden"))
"""Kinds without a declaration."""


class Layout:
    """The WGSL representations (`Form`) of a module's types in memory."""

    def __init__(self, types: WgslTypes) -> None:
        self.types = types
        self.view = types.view
        self.forms: dict[tuple[int, Context], Form | None] = {}
        self.wrappers: dict[tuple[str, int], str] = {}
        self.strides = self._struct_strides()
        types.laid_out = self.shared_struct

    def _struct_strides(self) -> dict[int, int]:
        """Return a mapping from each struct to the stride of its arrays, if that is the same in all.

        The stride then becomes the size of the struct.
        """
        by_struct: dict[int, set[int]] = {}
        for inst in self.view.module.globals:
            if inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
                element = self.view.defs.get(inst.id(0))
                stride = self.view.literal(inst.result_id, Decoration.ArrayStride)
                if element is not None and element.op == op.OpTypeStruct and stride:
                    by_struct.setdefault(element.result_id, set()).add(stride)
        return {struct: next(iter(strides)) for struct, strides in by_struct.items() if len(strides) == 1}

    def shared_struct(self, type_id: int) -> str | None:
        """Return the WGSL struct that serves both memory and values of a type.

        The result is ``None`` if values need a separate one.
        """
        if Decoration.Offset not in self.view.member(type_id, 0):
            return None
        inst = self.view.type(type_id)
        last = self.view.type(inst.id(len(inst.operands) - 1))
        if last.op == op.OpTypeRuntimeArray:
            return None
        try:
            form = self.form(type_id, Context())
        except Inexpressible:
            return None
        return form.spelled if form.plain else None

    def form(self, type_id: int, context: Context) -> Form:
        key = type_id, context
        if key in self.forms:
            form = self.forms[key]
            if form is None:
                raise Inexpressible
            return form
        self.forms[key] = None
        try:
            form = self.forms[key] = self._form(self.view.type(type_id), context)
        except Unsupported:
            del self.forms[key]
            raise
        return form

    def _form(self, inst: Instruction, context: Context) -> Form:
        if inst.op == op.OpTypeStruct:
            return self._struct(inst, context)
        if inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            return self._array(inst, context)
        if inst.op == op.OpTypeMatrix:
            return self._matrix(inst, context)
        if inst.op == op.OpTypeVector:
            if context.atomics:
                return self._atomic_vector(inst, context)
            size, align = self.vector(inst)
            return Form("plain", inst.result_id, self.types.spell(inst.result_id), size, align)
        width = inst.id(0) // 8 if inst.operands else 4
        spelled = self.types.spell(inst.result_id)
        if () in context.atomics:
            return Form("atomic", inst.result_id, f"atomic<{spelled}>", width, width, plain=False)
        return Form("plain", inst.result_id, spelled, width, width)

    def _atomic_vector(self, inst: Instruction, context: Context) -> Form:
        """Return the representation of a vector with atomic components: an array."""
        element = self.form(inst.id(0), Context(context.uniform, context.explicit, atomics=frozenset([()])))
        count = inst.id(1)
        return Form(
            "array",
            inst.result_id,
            f"array<{element.spelled}, {count}>",
            element.size * count,
            element.align,
            plain=False,
            element=element,
            count=count,
            stride=element.size,
        )

    def vector(self, inst: Instruction) -> tuple[int, int]:
        """Return (size, alignment) of a vector."""
        scalar = self.view.type(inst.id(0))
        width = scalar.id(0) // 8 if scalar.operands else 4
        count = inst.id(1)
        return width * count, width * (2 if count == 2 else 4)

    def _matrix(self, inst: Instruction, context: Context) -> Form:
        spelled = self.types.spell(inst.result_id)
        column = self.view.type(inst.id(0))
        columns, rows = inst.id(1), column.id(1)
        width = self.view.type(column.id(0)).id(0) // 8
        if context.row_major:
            columns, rows = rows, columns
        size, align = rows * width, width * (2 if rows == 2 else 4)
        natural = round_up(size, align)
        stride = context.matrix_stride or natural
        scalar = self.types.scalar(self.view.type(column.id(0)))
        vector = self.types.vector(rows, scalar)
        if stride == natural:
            if not context.row_major:
                return Form("plain", inst.result_id, spelled, natural * columns, align)
            spelled = self.types.matrix(columns, rows, scalar)
            return Form(
                "transposed",
                inst.result_id,
                spelled,
                natural * columns,
                align,
                plain=False,
                row_major=True,
            )
        if stride % align or stride < size or (context.uniform and stride % 16):
            raise Inexpressible
        wrapper = self._wrapper(vector, stride)
        return Form(
            "strided",
            inst.result_id,
            f"array<{wrapper}, {columns}>",
            stride * columns,
            align,
            plain=False,
            row_major=context.row_major,
            wrapped=True,
            count=columns,
            stride=stride,
        )

    def _wrapper(self, spelled: str, stride: int) -> str:
        """Return the name of a struct that pads an array element to the stride; declare it at the first request."""
        name = self.wrappers.get((spelled, stride))
        if name is None:
            text = self.types.declare(0, [(f"@size({stride}) ", "el", spelled)])
            name = self.wrappers[spelled, stride] = text.name
        return name

    def _array(self, inst: Instruction, context: Context) -> Form:
        element = self.form(inst.id(0), context.at(ELEMENT))
        natural = round_up(element.size, element.align)
        stride = natural
        if element.kind == "empty":
            raise Unsupported("WGSL has no arrays of structs without members", inst.result_id)
        if context.explicit:
            stride = self.view.literal(inst.result_id, Decoration.ArrayStride) or natural
        runtime = inst.op == op.OpTypeRuntimeArray
        count = 0 if runtime else self.view.length(inst.result_id)
        if stride * count > MAX_BYTES:
            raise Unsupported("an array is larger than WGSL allows", inst.result_id)
        if stride % element.align or stride < element.size or (context.uniform and stride % 16):
            raise Inexpressible
        wrapped = stride != natural
        spelled = self._wrapper(element.spelled, stride) if wrapped else element.spelled
        length = "" if runtime else f", {self.types.lengths(inst.id(1))}"
        return Form(
            "array",
            inst.result_id,
            f"array<{spelled}{length}>",
            stride * count,
            element.align,
            plain=element.plain and not wrapped,
            element=element,
            wrapped=wrapped,
            count=count,
            stride=stride,
        )

    def _struct(self, inst: Instruction, context: Context) -> Form:
        struct, view = inst.result_id, self.view
        forms: list[Form] = []
        offsets: list[int] = []
        for index, member in enumerate(inst.ints()):
            decorations = view.member(struct, index)
            stride = view.member_literal(struct, index, Decoration.MatrixStride) if context.explicit else None
            row_major = context.explicit and Decoration.RowMajor in decorations
            forms.append(self.member(member, context.member(row_major, stride or 0, index)))
            offset = view.member_literal(struct, index, Decoration.Offset) if context.explicit else None
            last = offsets[-1] + forms[-2].size if offsets else 0
            offsets.append(round_up(last, forms[-1].align) if offset is None else offset)
        if all(form.kind in _UNDECLARED for form in forms):
            for form in forms:
                if form.kind == "hidden":
                    self.types.spell(form.type_id)
            return Form("empty", struct, "", 0, 1, plain=False, members=forms)
        names = self.types.member_names(struct)
        members, size = place_members(
            forms, offsets, names, context, self.strides.get(struct, 0) if context.explicit else 0
        )
        align = max(form.align for form in forms)
        plain = all(form.plain for form in forms) and len(members) == len(forms)
        if plain and not context.explicit:
            return Form("plain", struct, self.types.spell(struct), size, align)
        if plain and (shared := self._known(struct, context)) is not None:
            return shared
        suffix = "_atomic" if context.atomics else ""
        spelled = self.types.declare(struct, members, suffix).name
        return Form("struct", struct, spelled, round_up(size, align), align, plain, members=forms, names=names)

    def member(self, type_id: int, context: Context) -> Form:
        """Return a member's representation; a type that WGSL lacks becomes padding, which must not be accessed."""
        try:
            return self.form(type_id, context)
        except Unsupported:
            if not context.explicit:
                raise
            size = extent(self.view, type_id, context.row_major, context.matrix_stride)
            return Form("hidden", type_id, "", size, 1, plain=False)

    def _known(self, struct: int, context: Context) -> Form | None:
        """Return a struct's representation in storage buffers if it is plain, to avoid a second declaration."""
        if not context.uniform:
            return None
        try:
            form = self.form(struct, Context())
        except Inexpressible:
            return None
        return form if form.plain else None


def place_members(
    forms: list[Form], offsets: list[int], names: list[str], context: Context, target: int
) -> tuple[list[tuple[str, str, str]], int]:
    """Return (members of a WGSL struct, size of the struct in bytes); a member is (attributes, name, type).

    The attributes place the members, whose representations are ``forms``, at the byte offsets ``offsets``. ``target``
    is the size that the struct should have; the last member is extended if possible. Raise `Inexpressible` if no
    attributes produce the offsets.
    """
    if max(offsets) >= 1 << 31:
        raise Unsupported(f"a member has the offset {max(offsets)}")
    filled = [index for index, form in enumerate(forms) if form.kind not in _UNDECLARED]
    forms, offsets = [forms[index] for index in filled], [offsets[index] for index in filled]
    names = [names[index] for index in filled]
    members: list[tuple[str, str, str]] = []
    end = 0
    if offsets[0]:
        members.append((f"@size({offsets[0]}) ", unused_name(names, "padding"), "u32"))
        end = 4
    sizes = [form.size for form in forms]
    for index, (form, offset) in enumerate(zip(forms, offsets, strict=True)):
        if offset % form.align or offset < end:
            raise Inexpressible
        if context.uniform and form.kind in ("array", "struct", "strided") and offset % 16:
            raise Inexpressible
        if index:
            before, start = forms[index - 1], offsets[index - 1]
            if context.uniform and before.kind == "struct" and offset - start < round_up(before.size, 16):
                raise Inexpressible
            if round_up(start + before.size, form.align) != offset:
                sizes[index - 1] = offset - start
        elif offset and round_up(offset, form.align) != offset:
            raise Inexpressible
        end = offset + form.size
    align = max(form.align for form in forms)
    last = forms[-1]
    if target > round_up(end, align) and target % align == 0 and last.size:
        sizes[-1] = target - offsets[-1]
        end = target
    for form, size, name in zip(forms, sizes, names, strict=True):
        members.append((f"@size({size}) " if size != form.size else "", name, form.spelled))
    return members, end


def unused_name(names: Iterable[str], name: str) -> str:
    """Return ``name`` with underscores appended until it differs from all ``names``."""
    while name in set(names):
        name += "_"
    return name
