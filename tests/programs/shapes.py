"""The types of the programs, and the rules that keep their values exact.

Integers of 16, 32 and 64 bits wrap around. Types with less precision than bits (floats, minimal precision integers) are
*bounded*: a variable contains a multiple of 1/4 (integers: of 1) whose magnitude is at most 64, and every operation's
result is certainly representable. So no order of operations, contraction or precision that a compiler may choose makes
a difference, and results can be compared bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

VARIABLE_BOUND = 64.0
VARIABLE_GRAIN = 2
"""The number of binary digits after the point that a variable may have."""


@dataclass(frozen=True, slots=True)
class Scalar:
    name: str
    family: str
    """``int``, ``uint``, ``bool``, ``float``."""
    bits: int = 32
    units: int = 0
    """For bounded types: how many steps of the smallest digit are exact; 0 where arithmetic wraps."""
    suffix: str = ""

    @property
    def bounded(self) -> bool:
        return self.units > 0


INT, UINT, BOOL = Scalar("int", "int"), Scalar("uint", "uint", suffix="u"), Scalar("bool", "bool")
FLOAT = Scalar("float", "float", units=1 << 22)
PLAIN = (INT, UINT, BOOL, FLOAT)
DOUBLE = Scalar("double", "float", 64, 1 << 22)
WIDE = (Scalar("int64_t", "int", 64), Scalar("uint64_t", "uint", 64))
MINIMAL = (
    Scalar("min16float", "float", units=1 << 11),
    Scalar("half", "float", units=1 << 11),
    Scalar("min16int", "int", units=1 << 14),
    Scalar("min16uint", "uint", units=1 << 14),
)
NATIVE_16 = (
    Scalar("float16_t", "float", 16, 1 << 11),
    Scalar("half", "float", 16, 1 << 11),
    Scalar("int16_t", "int", 16),
    Scalar("uint16_t", "uint", 16),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A scalar (0, 0), a vector (0, n) or a matrix (r, c) of scalars."""

    scalar: Scalar
    rows: int = 0
    cols: int = 0

    @property
    def is_scalar(self) -> bool:
        return self.cols == 0

    @property
    def is_vector(self) -> bool:
        return self.rows == 0 and self.cols > 0

    @property
    def is_matrix(self) -> bool:
        return self.rows > 0

    @property
    def count(self) -> int:
        return max(1, self.rows) * max(1, self.cols)

    def of(self, scalar: Scalar) -> Shape:
        return replace(self, scalar=scalar)

    @property
    def component(self) -> Shape:
        return Shape(self.scalar)

    @property
    def row(self) -> Shape:
        return Shape(self.scalar, 0, self.cols)

    @property
    def name(self) -> str:
        if self.is_matrix:
            return f"{self.scalar.name}{self.rows}x{self.cols}"
        return f"{self.scalar.name}{self.cols or ''}"


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    members: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Array:
    element: Type
    size: int


Type = Shape | Struct | Array


def type_name(kind: Type) -> str:
    """Return a type's name without array sizes, which follow the variable's name in a declaration."""
    while isinstance(kind, Array):
        kind = kind.element
    return kind.name


def sizes(kind: Type) -> str:
    text = ""
    while isinstance(kind, Array):
        text += f"[{kind.size}]"
        kind = kind.element
    return text


def leaves(kind: Type, path: str) -> list[tuple[str, Shape]]:
    """Return (l-value, shape) of each numeric part of a variable."""
    if isinstance(kind, Shape):
        return [(path, kind)]
    if isinstance(kind, Array):
        return [leaf for i in range(kind.size) for leaf in leaves(kind.element, f"{path}[{i}]")]
    return [leaf for name, member in kind.members for leaf in leaves(member, f"{path}.{name}")]


def scalars(kind: Type, path: str) -> list[tuple[str, Scalar]]:
    """Return (l-value, scalar type) of each component of a variable."""
    out = []
    for text, shape in leaves(kind, path):
        if shape.is_scalar:
            out.append((text, shape.scalar))
        elif shape.is_vector:
            out += [(f"{text}[{i}]" if shape.cols > 1 else f"{text}.x", shape.scalar) for i in range(shape.cols)]
        else:
            out += [
                (
                    f"{text}._m{r}{c}" if (r + c) % 2 else f"{text}[{r}][{c}]" if shape.cols > 1 else f"{text}._m{r}0",
                    shape.scalar,
                )
                for r in range(shape.rows)
                for c in range(shape.cols)
            ]
    return out
