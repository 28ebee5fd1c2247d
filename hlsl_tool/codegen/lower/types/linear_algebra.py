"""Matrix handles of linear algebra, ``__builtin_LinAlgMatrix``: what their attributes mean in SPIR-V."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Type
from hlsl_tool.spirv.enums import FPEncoding, Scope

HANDLE = "__builtin_LinAlgMatrix"
THREAD, WAVE, GROUP = range(3)
"""Scopes: ``MatrixScope`` of ``dx/linalg.h``."""
USE_A, USE_B, ACCUMULATOR = range(3)
"""Uses: ``MatrixUse`` of ``dx/linalg.h``, and SPIR-V's numbers."""
SCOPES = {WAVE: Scope.Subgroup, GROUP: Scope.Workgroup}
"""Scope of a handle → SPIR-V's scope of the cooperative matrix."""

COMPONENTS: dict[int, Scalar] = {
    2: ty.INT16,
    3: ty.UINT16,
    4: ty.INT,
    5: ty.UINT,
    6: ty.INT64,
    7: ty.UINT64,
    8: ty.FLOAT16,
    9: ty.FLOAT,
    10: ty.DOUBLE,
    19: ty.INT8,
    20: ty.UINT8,
}
"""``ComponentType`` of ``dx/linalg.h`` → the type, of those that HLSL has, too."""
ENCODED: dict[int, tuple[int, int]] = {
    21: (8, FPEncoding.Float8E4M3EXT),
    22: (8, FPEncoding.Float8E5M2EXT),
    23: (16, FPEncoding.BFloat16KHR),
}
"""``ComponentType`` → (bits, encoding) of a float, of the other ones."""


class Shape(NamedTuple):
    """The attributes of a matrix handle."""

    component: int
    rows: int
    columns: int
    use: int
    scope: int

    @property
    def bits(self) -> int:
        """Width of a component in bits."""
        return ENCODED[self.component][0] if self.component in ENCODED else COMPONENTS[self.component].bits

    @property
    def category(self) -> str:
        """``float``, ``int`` or ``uint``: what the components are."""
        return "float" if self.component in ENCODED else COMPONENTS[self.component].category

    @property
    def is_cooperative(self) -> bool:
        """Whether SPIR-V has the matrix: one that a wave or a thread group holds."""
        known = self.component in COMPONENTS or self.component in ENCODED
        return known and self.scope in SCOPES and self.use <= ACCUMULATOR and min(self.rows, self.columns) > 0


def shape_of(t: Type) -> Shape | None:
    """Return the attributes of a matrix handle; ``None`` for other types and for a handle without attributes."""
    if not isinstance(t, ObjectType) or t.name != HANDLE or not t.args:
        return None
    component, rows, columns, use, scope = (int(str(x)) for x in t.args)
    return Shape(component, rows, columns, use, scope)
