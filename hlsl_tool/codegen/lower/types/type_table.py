"""The SPIR-V types of one module (manual: *HLSL Types*).

Without a layout ``bool`` is OpTypeBool, with one it is a 32-bit unsigned integer. Vectors and matrices of one component
are scalars; 1xN and Nx1 matrices are vectors. Matrices of integers and booleans are arrays of row vectors; column-major
ones in memory with a layout are arrays of column vectors (``TypeInfo.is_columns``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Rule, extent, is_row_major
from hlsl_tool.codegen.lower.types.kinds import is_structured_or_byte_buffer, is_value_object
from hlsl_tool.codegen.lower.types.objects import ObjectTypes
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import (
    Array,
    Majorness,
    Matrix,
    ObjectType,
    Scalar,
    Struct,
    Type,
    Vector,
    innermost,
)
from hlsl_tool.spirv.builder.limits import MAX_COMPONENTS
from hlsl_tool.spirv.enums import StorageClass


@dataclass(slots=True)
class Types(ObjectTypes):
    """Map HLSL types to SPIR-V types of one module."""

    def id(self, t: Type, rule: Rule = Rule.VOID, majorness: Majorness | None = None) -> int:
        """Return the type id of ``t`` laid out by ``rule``."""
        key = (t, rule, majorness)
        number = self._cache.get(key)
        if number is None:
            number = self._make(t, rule, majorness)
            if not self._visiting:
                self._cache[key] = number
        return number

    def pointer(self, t: Type, storage: int, rule: Rule = Rule.VOID, majorness: Majorness | None = None) -> int:
        return self.builder.pointer(storage, self.id(t, rule, majorness))

    def structs_in_use(self) -> list[Struct]:
        """Return the structs that have a type without layout."""
        return [t for t, rule, _ in self._cache if isinstance(t, Struct) and rule is Rule.VOID]

    def rule_of(self, s: Struct, type_id: int) -> Rule | None:
        """Return the layout of a struct's type; ``None`` if ``type_id`` is not its type."""
        return next((rule for (t, rule, _), number in self._cache.items() if t is s and number == type_id), None)

    @contextmanager
    def rows_apart(self) -> Iterator[None]:
        """Inside the ``with`` block, represent row-major matrices with padded rows as arrays of rows.

        This concerns all types that are made with FXC's layout.
        """
        cache = self._cache
        self._cache, self.has_rows_apart = {}, True
        try:
            yield
        finally:
            self._cache, self.has_rows_apart = cache, False

    def _make(self, t: Type, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        if isinstance(t, Scalar):
            return self.scalar(t, rule)
        if isinstance(t, ty.Enum):
            return self.scalar(t.underlying, rule)
        if isinstance(t, Vector):
            if t.size > MAX_COMPONENTS:
                return self._long_vector(t, rule)
            return b.vector(self.scalar(t.element, rule), t.size)
        if isinstance(t, Matrix):
            return self._matrix(t, rule, majorness)
        if isinstance(t, Array):
            return self._array(t, rule, majorness)
        if isinstance(t, Struct):
            return b.struct(t.name if not t.is_anonymous else "", self.members(t, rule))
        assert isinstance(t, ObjectType)
        return self._object(t, rule)

    def _long_vector(self, t: Vector, rule: Rule) -> int:
        """Return the id of a vector type that ``codegen/passes/long_vectors`` replaces.

        With a layout it is an array of the components.
        """
        element = self.scalar(t.element, rule)
        if rule is Rule.VOID:
            return self.builder.vector(element, t.size)
        return self.builder.array(element, t.size, extent(t, rule, False, False).stride)

    def _matrix(self, t: Matrix, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        row_major = is_row_major(majorness, self.default_row_major)
        element = self.scalar(t.element, rule)
        if rule is Rule.FXC_CBUFFER:
            inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
            if inner == 1 and count > 1:
                return b.array(element, count, extent(t, rule, row_major, self.default_row_major).stride)
            if self.is_apart(t, row_major):
                return b.array(b.vector(element, t.cols), t.rows, extent(t, rule, True, True).stride)
        if t.rows == 1 or t.cols == 1:
            return b.vector(element, t.rows * t.cols)
        row = b.vector(element, t.cols)
        if t.element.category == "float":
            return b.matrix(row, t.rows)
        if rule is Rule.VOID:
            return b.array(row, t.rows)
        stride = extent(t, rule, row_major, self.default_row_major).stride
        if row_major or not self.integer_columns:
            return b.array(row, t.rows, stride)
        return b.array(b.vector(element, t.rows), t.cols, stride, is_columns=True)

    def is_pointer_array(self, t: Type) -> bool:
        """Return whether a non-interface variable of this type is an array of pointers to buffers."""
        if not isinstance(t, Array) or not self.pointer_arrays or not is_structured_or_byte_buffer(innermost(t)):
            return False
        element: Type = t
        while isinstance(element, Array):
            if element.size is None:
                return False
            element = element.element
        return True

    def _array(self, t: Array, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        if rule is Rule.VOID and self.is_pointer_array(t):
            return b.array(self.id(t.element), t.size or 0)
        local_buffers = rule is Rule.VOID and is_structured_or_byte_buffer(t.element)
        element = self.id(t.element, self.sbuffer_rule if local_buffers else rule, majorness)
        stride: int | None = None
        inner = innermost(t)
        if rule is not Rule.VOID and (not isinstance(inner, ObjectType) or is_value_object(inner)):
            stride = extent(t, rule, is_row_major(majorness, self.default_row_major), self.default_row_major).stride
        array = b.runtime_array(element, stride) if t.size is None else b.array(element, t.size, stride)
        return b.pointer(StorageClass.Uniform, array) if local_buffers else array
