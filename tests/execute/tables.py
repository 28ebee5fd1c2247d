"""Tables of expressions: one shader computes all of them, and each result is compared with an expected value.

The inputs come from a buffer, so that neither the compiler nor the optimiser knows their values.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from tests.execute.vulkan import Place, Resource, Tables, Vulkan, storage

Number = float | int | bool
Value = Number | Sequence[Number]
"""A scalar, the components of a vector, or those of a matrix row by row."""
Inputs = Mapping[str, tuple[str, Value]]
"""variable -> (type, value)"""
Row = tuple[str, str, Value]
"""(expression, type, expected value)"""

_TYPE = re.compile(
    r"(bool|int8_t|uint8_t|int16_t|uint16_t|int64_t|uint64_t|int|uint|float16_t|half|float|double)(?:([1-4])(?:x([1-4]))?)?$"
)
_PACK = {
    "bool": "I",
    "int": "i",
    "uint": "I",
    "float": "f",
    "double": "d",
    "int64_t": "q",
    "uint64_t": "Q",
    "half": "f",
    "float16_t": "f",
    "int16_t": "i",
    "uint16_t": "I",
    "int8_t": "i",
    "uint8_t": "I",
}


@dataclass(frozen=True, slots=True)
class Shape:
    scalar: str
    rows: int
    cols: int
    matrix: bool

    @property
    def wide(self) -> bool:
        return self.scalar in ("double", "int64_t", "uint64_t")

    @property
    def size(self) -> int:
        return self.rows * self.cols * (8 if self.wide else 4)

    def vector(self, scalar: str = "") -> str:
        return f"{scalar or self.scalar}{self.cols}"

    def pack(self, value: Value) -> bytes:
        numbers = [value] if isinstance(value, (int, float)) else list(value)
        assert len(numbers) == self.rows * self.cols, (self, value)
        if _PACK[self.scalar] in "iIqQ":
            mask = (1 << (64 if self.wide else 32)) - 1
            return b"".join(struct.pack("<Q" if self.wide else "<I", int(n) & mask) for n in numbers)
        return struct.pack(f"<{len(numbers)}{_PACK[self.scalar]}", *numbers)

    def unpack(self, data: bytes) -> tuple[Number, ...]:
        return struct.unpack_from(f"<{self.rows * self.cols}{_PACK[self.scalar]}", data)


def shape(text: str) -> Shape:
    match = _TYPE.match(text)
    assert match is not None, text
    scalar, first, second = match.groups()
    if second:
        return Shape(scalar, int(first), int(second), True)
    return Shape(scalar, 1, int(first or 1), False)


def f32(value: float) -> float:
    """Return the nearest 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def from_bits(value: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", value))[0])


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def words(*values: int) -> bytes:
    """Return the bytes of 32-bit integers, signed or unsigned."""
    return b"".join(struct.pack("<I", value & 0xFFFFFFFF) for value in values)


def as_floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def as_ints(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}i", data)


def as_words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data)


def same(got: Number, wanted: Number, tolerance: float) -> bool:
    if isinstance(got, float):
        if math.isnan(wanted):
            return math.isnan(got)
        return got == wanted or abs(got - wanted) <= tolerance * max(abs(got), abs(wanted), 1e-3)
    return got == wanted


def _store(number: int, expression: str, kind: Shape, offset: int) -> str:
    """Return statements that store one result: a matrix row by row, a boolean as 0 or 1."""
    lines = []
    suffix = kind.vector() if kind.cols > 1 or kind.matrix else kind.scalar
    name = f"{kind.scalar}{kind.rows}x{kind.cols}" if kind.matrix else suffix
    lines.append(f"{name} r{number} = {expression};")
    step = kind.size // kind.rows
    for row in range(kind.rows):
        value = f"r{number}[{row}]" if kind.matrix else f"r{number}"
        at = offset + row * step
        if kind.wide:
            for i in range(kind.cols):
                part = f"{value}[{i}]" if kind.cols > 1 else value
                if kind.scalar == "double":
                    lines.append(
                        f"{{ uint lo, hi; asuint({part}, lo, hi); result.Store2({at + 8 * i}, uint2(lo, hi)); }}"
                    )
                else:
                    lines.append(f"result.Store2({at + 8 * i}, uint2(uint({part}), uint({part} >> 32)));")
            continue
        width = "" if kind.cols == 1 else str(kind.cols)
        if kind.scalar in ("half", "float16_t"):
            word = f"asuint(float{width}({value}))"
        elif kind.scalar in ("bool", "uint8_t", "uint16_t"):
            word = f"uint{width}({value})"
        elif kind.scalar in ("int8_t", "int16_t"):
            word = f"asuint(int{width}({value}))"
        elif kind.scalar == "uint":
            word = value
        else:
            word = f"asuint({value})"
        lines.append(f"result.Store{width}({at}, {word});")
    return "\n    ".join(lines)


def _load(name: str, text: str, kind: Shape, offset: int) -> str:
    rows = []
    for row in range(kind.rows):
        at = offset + row * (kind.size // kind.rows)
        if kind.wide:
            pairs = []
            for i in range(kind.cols):
                low, high = f"input.Load({at + 8 * i})", f"input.Load({at + 8 * i + 4})"
                if kind.scalar == "double":
                    pairs.append(f"asdouble({low}, {high})")
                else:
                    pairs.append(f"{kind.scalar}(uint64_t({low}) | uint64_t({high}) << 32)")
            rows.append(f"{kind.vector()}({', '.join(pairs)})" if kind.cols > 1 else pairs[0])
            continue
        width = "" if kind.cols == 1 else str(kind.cols)
        load = f"input.Load{width}({at})"
        if kind.scalar in ("half", "float16_t"):
            load = f"{kind.scalar}{width}(asfloat({load}))"
        elif kind.scalar in ("int8_t", "int16_t"):
            load = f"{kind.scalar}{width}(asint({load}))"
        elif kind.scalar in ("bool", "uint8_t", "uint16_t"):
            load = f"{kind.scalar}{width}({load})"
        elif kind.scalar != "uint":
            load = f"as{kind.scalar}({load})"
        rows.append(load)
    value = f"{text}({', '.join(rows)})" if kind.matrix else rows[0]
    return f"{text} {name} = {value};"


def table_shader(rows: Sequence[Row], inputs: Inputs, declarations: str = "", prologue: str = "") -> str:
    """Return a shader that computes a table; results are consecutive in u0, inputs are in t1."""
    lines = ["RWByteAddressBuffer result : register(u0);", "ByteAddressBuffer input : register(t1);", declarations]
    lines += ["[numthreads(1, 1, 1)]", "void main()", "{"]
    offset = 0
    for name, (text, _) in inputs.items():
        lines.append("    " + _load(name, text, shape(text), offset))
        offset += shape(text).size
    if prologue:
        lines.append("    " + prologue)
    offset = 0
    for number, (expression, text, _) in enumerate(rows):
        lines.append("    " + _store(number, expression, shape(text), offset))
        offset += shape(text).size
    return "\n".join([*lines, "}", ""])


_MEMORY = Memory()


@dataclass(slots=True)
class Runner:
    """Compiles shaders at one optimisation level and runs them on the device."""

    vulkan: Vulkan
    optimize: str
    base: CompileOptions = field(default_factory=lambda: CompileOptions(target_env="vulkan1.1"))

    def compile(self, source: str, *, entry: str = "main", profile: str = "cs_6_2", **options: object) -> bytes:
        chosen = replace(self.base, optimize=self.optimize, **options)  # type: ignore[arg-type]
        result = compile_shader(source, entry=entry, profile=profile, options=chosen, memory=_MEMORY)
        if not result.ok:
            lines = ["", *source.split("\n")]
            places = [(d.location.line if d.location else 0, d.message) for d in result.diagnostics]
            pytest.fail("\n".join(f"{message}\n    {lines[line].strip()}" for line, message in places), pytrace=False)
        return result.spirv

    def __call__(
        self,
        source: str,
        resources: Mapping[Place, Resource],
        groups: tuple[int, int, int] = (1, 1, 1),
        **options: object,
    ) -> dict[Place, bytes]:
        spirv = self.compile(source, **options)  # type: ignore[arg-type]
        return self.vulkan.run_compute(spirv, resources, groups)

    def trace(
        self, source: str, tables: Tables, resources: Mapping[Place, Resource], size: tuple[int, int, int]
    ) -> dict[Place, bytes]:
        """Run a library of ray tracing shaders for ``size`` rays."""
        spirv = self.compile(source, entry="", profile="lib_6_3", target_env="vulkan1.2")
        return self.vulkan.run_tracing(spirv, tables, resources, size)

    def table(
        self,
        rows: Sequence[Row],
        inputs: Inputs,
        *,
        declarations: str = "",
        prologue: str = "",
        tolerance: float = 1e-5,
        resources: Mapping[Place, Resource] | None = None,
        **options: object,
    ) -> None:
        """Compute every expression, and fail with the names of those with an unexpected result."""
        source = table_shader(rows, inputs, declarations, prologue)
        data = b"".join(shape(text).pack(value) for text, value in inputs.values())
        given = {(0, 0): storage(sum(shape(text).size for _, text, _ in rows)), (0, 1): storage(data or b"\0" * 4)}
        out = self(source, {**given, **(resources or {})}, **options)[0, 0]  # type: ignore[arg-type]
        wrong = list(differences(rows, out, tolerance))
        if wrong:
            pytest.fail("\n".join(wrong), pytrace=False)

    def no_wgsl(self, reason: str) -> None:
        """End the test as a listed limitation of WGSL, if this runner uses WGSL."""

    def needs(self, *features: str) -> None:
        missing = [name for name in features if name not in self.vulkan.features]
        if missing:
            pytest.skip(f"{self.vulkan.name} lacks {', '.join(missing)}")


def differences(rows: Iterable[Row], data: bytes, tolerance: float) -> Iterable[str]:
    offset = 0
    for expression, text, wanted in rows:
        kind = shape(text)
        got = kind.unpack(data[offset : offset + kind.size])
        expected = kind.unpack(kind.pack(wanted))
        offset += kind.size
        if not all(same(g, e, tolerance) for g, e in zip(got, expected, strict=True)):
            yield f"{text} {expression}: {got}, expected {expected}"
