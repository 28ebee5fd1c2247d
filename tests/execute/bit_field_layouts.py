"""Generate random structs with bit-fields, and pack their values independently of the compiler."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

DECLARATIONS = """
namespace sizes {{ static const uint WIDTH = {width}; }}
static const int FIVE = 5;
enum class Kind : uint {{ A, B, C, D }};
enum class Signed : int {{ N = -1, Z, P }};
{more}
struct Bits {{
{members}
}};
struct Whole {{
{whole}
}};
"""
NATIVE_ENUMS = {2: "enum class Small : uint16_t { A, B, C, D };", 8: "enum class Long : int64_t { N = -1, Z, P };"}
"""Bytes → an enumeration of that size."""
SIZES = {
    "uint": 4,
    "int": 4,
    "Kind": 4,
    "Signed": 4,
    "bool": 4,
    "uint16_t": 2,
    "int16_t": 2,
    "Small": 2,
    "uint64_t": 8,
    "int64_t": 8,
    "Long": 8,
}
"""Type → bytes."""
SIGNED = frozenset(("int", "Signed", "int16_t", "int64_t", "Long"))
WIDTHS = (1, 3, 5, 8, 13, 16, 27, 32, 40, 63, 64)


@dataclass
class Field:
    """A struct member: its HLSL type, its width in bits (0 for a member that is not a bit-field), and its offset."""

    name: str
    type: str
    bits: int = 0
    at: int = 0
    """Byte offset of the word that contains it."""
    offset: int = 0
    """The lowest of its bits in the word."""

    @property
    def signed(self) -> bool:
        return self.type in SIGNED

    @property
    def size(self) -> int:
        """The size of the type in bytes."""
        return SIZES[self.type]

    @property
    def width(self) -> int:
        return 1 if self.type == "bool" else self.bits or self.size * 8

    def random(self, rng: random.Random) -> int:
        width = self.width
        return rng.randrange(-(1 << width - 1), 1 << width - 1) if self.signed else rng.randrange(1 << width)


def _aligned(offset: int, size: int) -> int:
    return -(-offset // size) * size


@dataclass
class Layout:
    """A struct packed as DXC's manual specifies: bit-fields of the same size and sign share words while they fit."""

    fields: list[Field] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    end: int = 0
    """Bytes, without the padding at the end."""
    width: int = 3
    sizes: tuple[int, ...] = (4,)

    @property
    def align(self) -> int:
        return max(f.size for f in self.fields)

    @property
    def size(self) -> int:
        return _aligned(self.end, self.align)

    def pack(self, values: dict[str, int]) -> bytes:
        number = 0
        for f in self.fields:
            number |= (values[f.name] & (1 << f.width) - 1) << 8 * f.at + f.offset
        return number.to_bytes(self.size, "little")

    def whole(self, values: dict[str, int]) -> bytes:
        """Return the bytes of the same values in a struct whose bit-fields are ordinary members of their types."""
        data = b""
        for f in self.fields:
            data = data.ljust(_aligned(len(data), f.size), b"\0")
            data += (values[f.name] & (1 << f.size * 8) - 1).to_bytes(f.size, "little")
        return data.ljust(_aligned(len(data), self.align), b"\0")

    @property
    def declarations(self) -> str:
        return DECLARATIONS.format(
            width=self.width,
            more="\n".join(NATIVE_ENUMS[size] for size in self.sizes if size in NATIVE_ENUMS),
            members="\n".join(self.lines),
            whole="\n".join(f"    {f.type} whole_{f.name};" for f in self.fields),
        )


def layout(seed: int, sizes: tuple[int, ...] = (4,)) -> Layout:
    """Return a random struct; ``sizes`` are the allowed sizes of member types in bytes."""
    rng = random.Random(f"bit-fields {seed} {sizes}")
    made = Layout(width=rng.randrange(1, 12), sizes=sizes)
    spellings = {made.width: ["sizes::WIDTH", "(sizes::WIDTH)"], 5: ["FIVE", "FIVE * 1"], 27: ["32 - FIVE"]}
    integers = [t for t in SIZES if SIZES[t] in sizes]
    previous: Field | None = None
    for number in range(rng.randrange(6, 12)):
        name, kind = f"f{number}", rng.choice(integers)
        what = rng.randrange(8)
        if what == 0:
            made.lines.append(f"    {rng.choice(('uint', 'int'))} : 0;")
            previous = None
            continue
        f = Field(name, kind)
        if what == 1:
            made.lines.append(f"    {f.type} {name};")
        else:
            widths = [1] if kind == "bool" else [n for n in (*WIDTHS, made.width) if n <= f.size * 8]
            f.bits = rng.choice(widths)
            made.lines.append(f"    {kind} {name} : {rng.choice([str(f.bits), *spellings.get(f.bits, [])])};")
        if previous is not None and f.bits and _share(previous, f):
            f.at, f.offset = previous.at, previous.offset + previous.bits
        else:
            f.at = _aligned(made.end, f.size)
            made.end = f.at + f.size
        previous = f if f.bits else None
        made.fields.append(f)
    return made


def _share(previous: Field, f: Field) -> bool:
    """Return whether a bit-field is in the same word as the previous one."""
    fits = previous.offset + previous.bits + f.bits <= 8 * f.size
    return previous.signed == f.signed and previous.size == f.size and fits


def filled(seed: int, sizes: tuple[int, ...] = (4,), number: int = 0) -> tuple[Layout, dict[str, int]]:
    """Return (random struct, member name → random value).

    ``seed`` and ``sizes`` (allowed sizes of member types in bytes) determine the struct; ``number`` changes the values.
    """
    s, rng = layout(seed, sizes), random.Random(f"values {seed} {number}")
    return s, {f.name: f.random(rng) for f in s.fields}
