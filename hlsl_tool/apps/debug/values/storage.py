"""Where values are stored: what data breakpoints watch."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass

from .trees import Path


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """Bytes of a buffer, of a texture or of shared memory."""

    address: int
    size: int

    def __str__(self) -> str:
        return f"memory {self.address} {self.size}"


@dataclass(frozen=True, slots=True)
class CellPart:
    """A part of a variable without an address, of one lane."""

    variable: int
    function: int
    """The function of a local variable; 0 for global ones."""
    path: Path
    lane: int

    def __str__(self) -> str:
        return f"cell {self.variable} {self.function} {self.lane} {','.join(map(str, self.path))}"


Storage = MemoryRange | CellPart
