"""A block as a tree: each member with its absolute offset, and the members inside it."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.dataclass import field as data_field
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.rules import Extent, Member, Placed, Rule, extent, members_of, place, place_members
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Field, Matrix, Struct, Type, Vector, innermost


@dataclass(slots=True)
class Node:
    """A member of a block, with its absolute offset and the members inside it."""

    path: str
    """The path below the block: ``lights[].color``; a base class is ``(Base)``."""
    name: str
    type: Type
    field: Field | None
    offset: int
    """Bytes from the start of the block; in an array, that of the first element."""
    extent: Extent
    row_major: bool
    depth: int
    padding: int
    """Bytes between the previous member of the struct and this one."""
    parent: Node | None = None
    previous: Node | None = None
    bits: tuple[int, int] | None = None
    """(first bit, width) of a bit-field."""
    forced: bool = False
    """Whether the source gives the offset."""
    tail: int = 0
    """Bytes between the last member of a struct and the struct's end."""
    children: list[Node] = data_field(default_factory=list)

    @property
    def end(self) -> int:
        """The offset after the member's last byte."""
        return self.offset + self.extent.size

    def walk(self) -> Iterator[Node]:
        """Yield the member and all members inside it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


def tree(block: BlockLayout, rule: Rule | None = None) -> list[Node]:
    """Return a block's members with absolute offsets and the members inside them.

    Offsets are those under ``rule``, by default the block's own.
    """
    return _Tree(rule or block.rule, block.default_row_major).members(block.members, block.offsets)


def all_nodes(nodes: list[Node]) -> list[Node]:
    """Return members with all members inside them, depth first."""
    return [inner for node in nodes for inner in node.walk()]


@dataclass(slots=True)
class _Tree:
    rule: Rule
    default: bool

    def members(
        self, members: list[Member], offsets: dict[int, int] | None = None, parent: Node | None = None
    ) -> list[Node]:
        base = parent.offset if parent is not None else 0
        out: list[Node] = []
        end = base
        for i, p in enumerate(place_members(members, self.rule, self.default, offsets)):
            node = self.node(p, base, parent, out[-1] if out else None)
            node.padding = max(node.offset - end, 0)
            node.forced = i in (offsets or {}) or (p.field is not None and _is_placed(p.field))
            end = max(end, node.end)
            out.append(node)
        if parent is not None:
            whole = extent(_struct_of(parent.type), self.rule, parent.row_major, self.default)
            parent.tail = max(base + whole.size - end, 0)
        return out

    def node(self, p: Placed, base: int, parent: Node | None, previous: Node | None) -> Node:
        t = innermost(p.type)
        name = p.field.name if p.field is not None else f"({ty.display(t)})" if isinstance(t, Struct) else ""
        path = f"{parent.path}{'[]' if isinstance(parent.type, Array) else ''}." if parent is not None else ""
        created = Node(
            f"{path}{name}",
            name,
            p.type,
            p.field,
            base + p.offset,
            p.extent,
            p.row_major,
            parent.depth + 1 if parent is not None else 0,
            0,
            parent,
            previous,
            (p.bit_offset, p.bits) if p.bits is not None else None,
        )
        if isinstance(t, Struct):
            created.children = self.members(members_of(t, self.default), None, created)
        return created


def _struct_of(t: Type) -> Struct:
    inner = innermost(t)
    assert isinstance(inner, Struct)
    return inner


def _is_placed(f: Field) -> bool:
    return f.packoffset is not None or any(a.scope == "vk" and a.name == "offset" for a in f.attributes)


# -------------------------------------------------------------------------------------------------- contiguous memory


def element_size(t: Vector | Matrix) -> int:
    """Return the size in bytes of a vector's or matrix's component in memory; a ``bool`` takes 4."""
    return 4 if t.element.category == "bool" else t.element.bits // 8


def matrix_offsets(t: Matrix, rule: Rule, row_major: bool) -> list[list[int]]:
    """Return the byte offset of each element of a matrix, as ``offsets[row][column]``."""
    n, stride = element_size(t), extent(t, rule, row_major, row_major).stride
    if not stride:  # a vector
        return [[(r * t.cols + c) * n for c in range(t.cols)] for r in range(t.rows)]
    return [[r * stride + c * n if row_major else c * stride + r * n for c in range(t.cols)] for r in range(t.rows)]


def runs(t: Type, rule: Rule, row_major: bool, default: bool, at: int = 0) -> Iterator[tuple[int, int]]:
    """Yield (offset, size) in bytes of each contiguous part of a value, which begins at the offset ``at``.

    Parts are scalars, vectors, and rows or columns of matrices.
    """
    if isinstance(t, Array):
        e = extent(t, rule, row_major, default)
        for i in range(t.size or 1):
            yield from runs(t.element, rule, row_major, default, at + i * e.stride)
    elif isinstance(t, Struct):
        last = -1
        for p in place(t, rule, default):
            if p.index != last:  # bit-fields that share a word
                yield from runs(p.type, rule, p.row_major, default, at + p.offset)
            last = p.index
    elif isinstance(t, Matrix) and (stride := extent(t, rule, row_major, default).stride):
        inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
        for i in range(count):
            yield at + i * stride, inner * element_size(t)
    else:
        yield at, extent(t, rule, row_major, default).size
