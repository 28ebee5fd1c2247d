"""Settings and caches shared by the base classes of `Types`."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.layout.rules import Placed, Rule
from hlsl_tool.codegen.lower.interface import StructRecord
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Field, Majorness, ObjectType, Scalar, Struct, Type
from hlsl_tool.spirv.builder import ModuleBuilder


@dataclass(slots=True)
class TypeTable:
    """Caches of the SPIR-V types of one module, and the options that affect them."""

    builder: ModuleBuilder
    default_row_major: bool
    unknown_image_format: bool
    cbuffer_rule: Rule
    tbuffer_rule: Rule
    sbuffer_rule: Rule
    unsupported: Callable[[str], None]
    """Report a type without a lowering by its name."""
    integer_columns: bool = False
    """Lay out column-major matrices of integers by columns.  DXC keeps their rows contiguous, or refuses them."""
    pointer_arrays: bool = False
    """Give local arrays of buffers a pointer for each buffer.  DXC has one pointer to a global array instead, whose
    elements cannot be assigned."""
    widened_texels: bool = False
    """Give images of 16-bit components a sampled type of 32 bits, as Vulkan demands.  DXC has one of 16 bits."""
    nv_hit_objects: bool = False
    """Use the hit objects of ``SPV_NV_shader_invocation_reorder`` instead of EXT's."""
    has_rows_apart: bool = False
    """Whether row-major matrices with padded rows are arrays of their rows; see `Types.rows_apart`."""
    has_declarations: bool = False
    """Whether a member has attributes, which may declare capabilities and extensions."""
    structs: list[StructRecord] = field(default_factory=list)
    """Structs in memory, for the interface record."""
    _cache: dict[tuple[Type, Rule, Majorness | None], int] = field(default_factory=dict)
    _placed: dict[tuple[Struct, Rule], list[Placed]] = field(default_factory=dict)
    _placed_fields: dict[Struct, dict[Field | None, Placed]] = field(default_factory=dict)
    _forward: dict[ObjectType, int] = field(default_factory=dict)
    _visiting: list[ObjectType] = field(default_factory=list)
    _ext_types: dict[int, int] = field(default_factory=dict)

    def id(self, t: Type, rule: Rule = Rule.VOID, majorness: Majorness | None = None) -> int:
        """Return the type id of ``t`` laid out by ``rule``."""
        raise NotImplementedError

    def scalar(self, t: Scalar, rule: Rule = Rule.VOID) -> int:
        """Return the type id of a scalar; literal types are 32 bits wide."""
        b = self.builder
        if t.category == "void":
            return b.void_type()
        if t.category == "bool":
            return b.bool_type() if rule is Rule.VOID else b.u32()
        if t.category == "float":
            return b.float_type(32 if t.is_literal else t.bits)
        if t in (ty.INT8X4_PACKED, ty.UINT8X4_PACKED):
            return b.u32()
        return b.int_type(32 if t.is_literal else t.bits, t.category == "int")
