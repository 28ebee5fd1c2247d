"""Checks of block layouts: misplaced members, `-Wpadding` and `-Wmatrix-portability`.

The two warnings are off by default.  Blocks are as lowering recorded them, so a warning is about the layout that the
options chose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import layout as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.matrices import storage
from hlsl_tool.codegen.layout.reorder import better_order, filler
from hlsl_tool.codegen.layout.rules import Member, alignment, extent, is_relaxed_vector, members_of, straddles
from hlsl_tool.codegen.layout.tree import Node, all_nodes, tree
from hlsl_tool.frontend.sema.analysis import report
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Array, Field, Matrix, Struct, Type, innermost
from hlsl_tool.frontend.syntax.parser import TranslationUnit

_PADDING = (codes.PADDING, codes.PADDING_END, codes.PADDING_INSIDE)
_MATRICES = (codes.MATRIX_STRIDE, codes.MATRIX_ORDER)


_MAX_BLOCK = 1 << 32
"""The size of a block in bytes that offsets of 32 bits allow."""
_LARGE_ARRAY = 1 << 16
"""The number of elements of an array above which its block may be too large."""


def check_layouts(blocks: Sequence[BlockLayout], unit: TranslationUnit, sink: Sink, *, is_validated: bool) -> None:
    """Report overlapping, misaligned and too distant members, and the enabled warnings, block by block.

    ``is_validated``: the module will be validated, so that overlapping members are errors.
    """
    padding = any(map(sink.may_warn, _PADDING))
    matrices = any(map(sink.may_warn, _MATRICES))
    messages: list[Raw] = []
    for block in blocks:
        forced = _has_places([f for f, _, _ in block.members], [t for _, t, _ in block.members], set())
        is_large = any(isinstance(t, Array) and (t.size or 0) > _LARGE_ARRAY for _, t, _ in block.members)
        if not (padding or matrices or forced or is_large):
            continue
        checks = _Checks(block)
        messages += checks.ends() if is_validated else []
        messages += checks.overlaps() if forced and is_validated else []
        messages += checks.places() if forced else []
        messages += checks.padding() if padding else []
        messages += checks.matrices() if matrices else []
    report(unit, messages, sink, in_order=True)


def _has_places(fields: Sequence[Field | None], types: Sequence[Type], seen: set[Struct]) -> bool:
    """Return whether the source may set the offset of a field, or of a field at any depth in ``types``.

    Fields with attributes or registers count. Blocks without such fields need no further check. ``seen`` are structs
    that were examined already.
    """
    if any(f is not None and (f.attributes or f.registers or f.packoffset is not None) for f in fields):
        return True
    for t in types:
        inner = innermost(t)
        if isinstance(inner, Struct) and inner not in seen:
            seen.add(inner)
            if _has_places(inner.fields, [*inner.bases, *(f.type for f in inner.fields)], seen):
                return True
    return False


@dataclass(slots=True)
class _Checks:
    block: BlockLayout

    def overlaps(self) -> Iterator[Raw]:
        """Yield an error for each member whose offset in the source makes it overlap an earlier one of its struct."""
        top = tree(self.block)
        for siblings in (top, *(node.children for node in all_nodes(top))):
            before: list[Node] = []
            for node in siblings:
                other = next((b for b in before if b.offset < node.end and node.offset < b.end), None)
                if other is not None and (node.forced or other.forced) and node.bits is None:
                    yield self.raw(codes.OFFSET_OVERLAP, node, [], other=other.name, first=other.offset, end=other.end)
                before.append(node)

    def ends(self) -> Iterator[Raw]:
        """Yield an error for the first member whose end exceeds a 32-bit offset."""
        top = tree(self.block)
        node = next((node for node in all_nodes(top) if not node.children and node.end > _MAX_BLOCK), None)
        node = node or next((node for node in top if node.end > _MAX_BLOCK), None)
        if node is not None:
            yield self.raw(codes.OFFSET_RANGE, node, [], end=node.end)

    def places(self) -> Iterator[Raw]:
        """Yield an error for each member whose offset in the source violates the alignment of the layout rule."""
        rule = self.block.rule
        for node in all_nodes(tree(self.block)):
            if not node.forced:
                continue
            align = alignment(node.type, node.extent, rule)
            at = node.offset - (node.parent.offset if node.parent is not None else 0)
            if at % align:
                yield self.raw(codes.OFFSET_ALIGNMENT, node, [], align=align)
            elif is_relaxed_vector(node.type, node.extent, rule) and straddles(at, node.extent.size):
                yield self.raw(codes.OFFSET_STRADDLE, node, [])

    def padding(self) -> Iterator[Raw]:
        advised: set[str] = set()
        top = tree(self.block)
        for node in all_nodes(top):
            struct = self.struct_name(node)
            if node.padding and not node.forced:
                notes = [] if struct in advised else self.advice(node)
                advised.add(struct)
                yield self.raw(codes.PADDING, node, notes, bytes=node.padding)
            count, part = self.inside(node)
            if count:
                yield self.raw(codes.PADDING_INSIDE, node, [], bytes=count, part=part)
            if node.tail:
                inner = innermost(node.type)
                assert isinstance(inner, Struct)
                yield self.end(inner, node.tail)
        if isinstance(self.block.element, Struct) and top:
            left = (self.block.stride() or 0) - max(node.end for node in top)
            if left > 0:
                yield self.end(self.block.element, left)

    def end(self, s: Struct, count: int) -> Raw:
        fmt: dict[str, object] = {"bytes": count, "struct": s.display_name, "rule": self.block.rule.value}
        return Raw(codes.PADDING_END, s.pos, fmt, s.chunk)

    def matrices(self) -> Iterator[Raw]:
        for node in all_nodes(tree(self.block)):
            t = innermost(node.type)
            if not isinstance(t, Matrix) or min(t.rows, t.cols) == 1:
                continue
            held = storage(t, self.block.rule, node.row_major)
            if held.is_padded:
                yield self.raw(
                    codes.MATRIX_STRIDE,
                    node,
                    [],
                    type=ty.display(t),
                    part=held.part,
                    size=held.size,
                    stride=held.stride,
                )
            if not node.row_major:
                yield self.raw(codes.MATRIX_ORDER, node, [], type=ty.display(t))

    def inside(self, node: Node) -> tuple[int, str]:
        """Return (bytes, what they follow) of padding inside a member: after array elements, rows or columns."""
        rule, default = self.block.rule, self.block.default_row_major
        t = node.type
        while isinstance(t, Array) and isinstance(t.element, Array):
            t = t.element
        if isinstance(t, Array) and not isinstance(t.element, Matrix):
            e = extent(t, rule, node.row_major, default)
            left = e.stride - extent(t.element, rule, node.row_major, default).size
            return (left, "element") if (t.size or 2) > 1 else (0, "")
        inner = innermost(t)
        if isinstance(inner, Matrix):
            held = storage(inner, rule, node.row_major)
            return (held.stride - held.size, held.part) if held.is_padded else (0, "")
        return 0, ""

    def advice(self, node: Node) -> list[Raw]:
        """Return a note about avoiding padding in a struct: by another order, or by members that fill it."""
        members: list[Member] = self.block.members
        if node.parent is not None:
            inner = innermost(node.parent.type)
            assert isinstance(inner, Struct)
            members = members_of(inner, self.block.default_row_major)
        order = better_order(members, self.block.rule, self.block.default_row_major)
        text = f"fill it yourself: `{filler(node.padding)}`"
        if order is not None:
            names = ", ".join(f"`{name}`" for name in order.names)
            text = f"in the order {names} it takes {order.size} bytes, not {order.before}"
        pos, chunk = self.place(node)
        return [Raw(codes.REORDER, pos, {"text": text}, chunk)]

    def raw(self, code: Code, node: Node, notes: list[Raw], **fmt: object) -> Raw:
        pos, chunk = self.place(node)
        fmt |= {"member": node.name or self.block.name, "struct": self.struct_name(node), "rule": self.block.rule.value}
        return Raw(code, pos, fmt, chunk, notes)

    def struct_name(self, node: Node) -> str:
        if node.parent is None:
            return self.block.type_name or self.block.name
        inner = innermost(node.parent.type)
        return inner.display_name if isinstance(inner, Struct) else ""

    def place(self, node: Node) -> tuple[int, SourceChunk | None]:
        f = node.field
        if f is None:  # a base class, or the element of a buffer
            return self.block.pos, self.block.chunk
        if f.owner is not None:
            return f.pos, f.owner.chunk
        at = next(n for n, (member, _, _) in enumerate(self.block.members) if member is f)
        return f.pos, self.block.chunks[at]
