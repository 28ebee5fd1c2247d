"""Descriptions of types under construction."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field

from ..ir import Operand

INTERFACE_NONE = ""
INTERFACE_UNIFORM = "uniform"
INTERFACE_STORAGE = "storage"


class Member(NamedTuple):
    """A struct member: ``type`` is its type's id; layout values are ``None`` where they do not apply."""

    type: int
    name: str = ""
    offset: int | None = None
    matrix_stride: int | None = None
    row_major: bool | None = None
    """The SPIR-V decoration: RowMajor if True, ColMajor if False."""
    relaxed: bool = False
    precise: bool = False
    decorations: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Further member decorations: (decoration, literals)."""


@dataclass(slots=True, eq=False)
class TypeInfo:
    """The description of a type; ``kind`` determines the fields in use.

    Types are hash-consed, so identity is equality.
    """

    id: int
    kind: str
    """void bool int float vector matrix array runtime_array struct pointer untyped_pointer buffer function image
    sampler sampled_image acceleration_structure ray_query hit_object cooperative_matrix cooperative_vector
    node_payload_array opaque inline"""
    op: int
    width: int = 0
    """int, float: bits."""
    signed: bool = False
    element: TypeInfo | None = None
    """vector: component; matrix: column; array, runtime_array, node_payload_array: element; pointer: pointee;
    sampled_image: image; image: sampled type; cooperative_matrix, cooperative_vector: component; function: result."""
    count: int = 0
    """vector: components; matrix: columns; array: length (0 if ``length_id`` is set)."""
    length_id: int = 0
    """array: the constant that is its length, if that is not a plain number (specialisation constants)."""
    stride: int | None = None
    is_columns: bool = False
    """array: its elements are the columns of a matrix, not the rows as elsewhere; a distinct type."""
    storage: int = -1
    name: str = ""
    """Written as OpName."""
    members: tuple[Member, ...] = ()
    member_types: tuple[TypeInfo, ...] = ()
    interface: str = INTERFACE_NONE
    """struct: "uniform" for a Block in Uniform or PushConstant, "storage" for a storage buffer's block, else ""."""
    read_only: bool = False
    params: tuple[TypeInfo, ...] = ()
    dim: int = 0
    depth: int = 2
    arrayed: bool = False
    ms: bool = False
    sampled: int = 0
    """image: 1 with sampler, 2 storage, 0 unknown."""
    format: int = 0
    operands: tuple[Operand, ...] = ()
    """opaque, inline, cooperative_matrix: operands as written, ids and literals."""
    decorations: list[tuple[int, tuple[int | str, ...]]] = field(default_factory=list)
    """(opcode, operands after the target), written with the type."""

    @property
    def elem(self) -> TypeInfo:
        """Return ``element``; assert that the type has one."""
        assert self.element is not None, f"{self.kind} has no element type"
        return self.element

    @property
    def is_scalar(self) -> bool:
        """Return whether the type is bool, int or float."""
        return self.kind in ("bool", "int", "float")

    @property
    def is_numeric(self) -> bool:
        """Return whether the type is a scalar, vector or matrix."""
        return self.kind in ("bool", "int", "float", "vector", "matrix")

    @property
    def scalar(self) -> TypeInfo:
        info = self
        while info.kind in ("vector", "matrix"):
            info = info.elem
        return info

    @property
    def rows(self) -> int:
        """Return the number of components of a vector, or of a matrix's column; 1 for scalars."""
        return {"vector": self.count, "matrix": self.elem.count if self.kind == "matrix" else 0}.get(self.kind, 1)
