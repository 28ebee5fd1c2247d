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


def storage_of(text: str) -> Storage | None:
    """Return the storage that a text describes; ``None`` for other texts."""
    kind, *words = text.split(" ")
    try:
        if kind == "memory":
            return MemoryRange(int(words[0]), int(words[1]))
        if kind == "cell":
            path = tuple(int(word) for word in words[3].split(",") if word)
            return CellPart(int(words[0]), int(words[1]), path, int(words[2]))
    except (ValueError, IndexError):
        pass
    return None
