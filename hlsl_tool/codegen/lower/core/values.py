"""Results of lowering expressions."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import Expr, Param, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Field, Struct, Type


@dataclass(slots=True)
class Value:
    """An SPIR-V id with its HLSL type.

    The id of an l-value is a pointer.  The layout of its memory follows from the pointee's type id alone (types are
    hash-consed): ``bool`` is a uint in memory with a layout, and structs differ by layout.
    """

    id: int
    type: Type
    is_rvalue: bool
    is_alias: bool = False
    """Whether the l-value is a variable that contains a pointer to a buffer, to be loaded before each access."""
    bits: tuple[int, int] | None = None
    """(offset, width) of a bit-field; ``id`` points to the whole word."""
    rasterizer_ordered: bool = False
    row: int | None = None
    """The id of a row number: ``id`` points to a column-major matrix of integers, and the value is one of its rows.

    The components of such a row are not contiguous; they are loaded and stored one by one.
    """


@dataclass(slots=True)
class Loop:
    """Targets of ``break`` and ``continue``; ``continue_label`` is 0 in a switch outside of loops."""

    break_label: int
    continue_label: int


@dataclass(slots=True)
class SplitStruct:
    """A node in the member tree of a global struct whose resources became global variables.

    A node is a struct, an array of structs, or (as a leaf) a resource or an array of resources. Members that are
    numbers get no variables of their own: together they form another struct, which contains no resources.
    """

    type: Type
    resource: Variable | None = None
    """The variable of a resource or an array of resources."""
    fields: dict[Field, SplitStruct] = field(default_factory=dict)
    bases: dict[Struct, SplitStruct] = field(default_factory=dict)
    elements: list[SplitStruct] = field(default_factory=list)
    numbers: Expr | None = None
    """The numbers of this part, in a struct without resources."""
    number_fields: dict[Field, Field] = field(default_factory=dict)
    """Field → the field of the struct without resources."""


@dataclass(slots=True)
class VertexValues:
    """What the lowering of a module with ``GetAttributeAtVertex`` records for `functions.vertex_values`."""

    pointers: set[int] = field(default_factory=set)
    """Input variables, parameters and arguments to make arrays of."""
    structs: set[Struct] = field(default_factory=set)
    """Structs of ``nointerpolation`` parameters: all members are made arrays, not only those that are declared so."""
    places: dict[int, tuple[int, SourceChunk | None]] = field(default_factory=dict)
    """Access chain whose last index is a vertex → where the program asks for it."""

    def add(self, p: Param, pointer: int) -> None:
        """Record the variable or parameter that holds the value of ``p``."""
        if not is_vertex_value(p):
            return
        if isinstance(p.type, Struct):
            self.structs.add(p.type)
        else:
            self.pointers.add(pointer)


def is_vertex_value(p: Param) -> bool:
    """Return whether a parameter is an array, or a struct of arrays, in a module with ``GetAttributeAtVertex``."""
    return p.direction == "in" and "nointerpolation" in p.quals
