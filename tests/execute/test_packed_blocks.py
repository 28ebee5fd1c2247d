"""Blocks that numpy packs and shaders read, and blocks that shaders write and numpy unpacks.

For every layout, majorness and kind of buffer: a struct with each kind of member is packed from random values, a shader
reads it component by component (``m[i][j]``), and the numbers must be equal.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.reflection.blocks import Block, find_block
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.host import dtype, pack, unpack
from hlsl_tool.spirv.decode import decode
from tests.execute.vulkan import Vulkan, storage, uniform

pytestmark = pytest.mark.execute

MEMORY = Memory()
FEATURES = (
    "scalarBlockLayout",
    "shaderInt64",
    "shaderFloat64",
    "shaderInt16",
    "shaderFloat16",
    "uniformAndStorageBuffer16BitAccess",
    "storagePushConstant16",
)


@dataclass(frozen=True)
class M:
    """A struct member: its HLSL scalar, rows and columns (0 if not a vector or matrix), dimensions, majorness."""

    name: str
    scalar: str
    rows: int = 0
    columns: int = 0
    dims: tuple[int, ...] = ()
    major: str = ""

    @property
    def declaration(self) -> str:
        suffix = f"{self.rows}x{self.columns}" if self.rows else str(self.columns or "")
        dims = "".join(f"[{n}]" for n in self.dims)
        return f"{self.major} {self.scalar}{suffix} {self.name}{dims};".strip()

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the array dimensions, followed by rows and columns or by the length of a vector."""
        return self.dims + ((self.rows, self.columns) if self.rows else (self.columns,) if self.columns else ())

    def places(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield (HLSL expression such as ``m[1][0]``, numpy index) for each component of the member."""
        for index in np.ndindex(self.shape):
            yield self.name + "".join(f"[{i}]" for i in index), index


SCALARS = ("float", "int", "uint", "bool", "double", "int64_t", "uint64_t", "half", "int16_t", "uint16_t")
MATRICES = ("float", "double", "half")
SHAPES = [(r, c) for r in range(1, 5) for c in range(1, 5)]
GROUPS: dict[str, list[M]] = {
    "scalars": [M(f"s{i}", s) for i, s in enumerate(SCALARS)],
    "vectors": [M(f"v{i}_{n}", s, columns=n) for i, s in enumerate(SCALARS) for n in (2, 3, 4)],
    "arrays": [M(f"a{i}", s, columns=i % 5 if i % 5 != 1 else 0, dims=(3,)) for i, s in enumerate(SCALARS)]
    + [M("b0", "float", dims=(2, 3)), M("b1", "float", columns=3, dims=(2, 2)), M("b2", "float"),
       M("b3", "bool", columns=3, dims=(2, 1, 2)), M("b4", "half")],
    "floats": [M(f"m{r}{c}", "float", r, c) for r, c in SHAPES] + [M("end", "float")],
    "rows": [M(f"m{r}{c}", "float", r, c, major="row_major") for r, c in SHAPES] + [M("end", "float")],
    "columns": [M(f"m{r}{c}", "float", r, c, major="column_major") for r, c in SHAPES] + [M("end", "float")],
    "others": [M(f"{s}_{r}{c}{major[0]}", s, r, c, major=major) for s in MATRICES[1:]
               for r, c in [(2, 3), (3, 2), (4, 3), (2, 2)] for major in ("row_major", "column_major")]
    + [M("end", "half")],
    "integers": [M(f"{s}_{r}{c}", s, r, c, major="row_major") for s in ("int", "uint", "bool")
                 for r, c in [(2, 3), (3, 2), (4, 4)]] + [M("end", "uint")],
    "integer_columns": [M(f"{s}_{r}{c}", s, r, c, major="column_major") for s in ("int", "uint64_t", "bool", "int16_t")
                        for r, c in [(2, 3), (3, 2), (3, 3), (1, 3), (3, 1)]]
    + [M("rows", "int", 2, 2, major="row_major"), M("many", "bool", 3, 2, (2, 2), "column_major"), M("end", "uint")],
    "matrix_arrays": [M("a", "float", 3, 3, (2,)), M("b", "float", 4, 3, (2, 2), "row_major"), M("c", "float"),
                      M("d", "float", 3, 2, (3,), "column_major"), M("e", "float", columns=2)],
}  # fmt: skip
CASES = [
    (group, major)
    for group, members in GROUPS.items()
    for major in ("row_major", "column_major")
    if major == "row_major" or any(m.rows and not m.major for m in members)
]
"""(group, default majorness): both where that matters."""
WIDE = {"double": "<d", "int64_t": "<q", "uint64_t": "<Q"}
RANGES = {"int": 31, "uint": 32, "int64_t": 63, "uint64_t": 64, "int16_t": 15, "uint16_t": 16}


def value(scalar: str, rng: random.Random) -> Any:
    if scalar == "bool":
        return rng.random() < 0.5
    if scalar in RANGES:
        bits = RANGES[scalar]
        return rng.randrange(0 if scalar.startswith("u") else -(1 << bits), 1 << bits)
    if scalar == "half":
        return float(np.float16(rng.uniform(-100, 100)))
    number = rng.uniform(-1e6, 1e6)
    return number if scalar == "double" else float(np.float32(number))


def values_of(m: M, rng: random.Random) -> Any:
    out = np.empty(m.shape, object)
    for index in np.ndindex(m.shape):
        out[index] = value(m.scalar, rng)
    return out.tolist()


def at(values: Any, index: tuple[int, ...]) -> Any:
    for i in index:
        values = values[i]
    return values


def words(scalar: str, number: Any) -> bytes:
    """Return the bytes that the shader writes to its output for one number of an HLSL scalar type."""
    if scalar in WIDE:
        return struct.pack(WIDE[scalar], number)
    if scalar in ("float", "half"):
        return struct.pack("<f", number)
    return struct.pack("<I", int(number) & 0xFFFFFFFF)


def reader(scalar: str, expression: str) -> str:
    """Return HLSL statements that append the component ``expression`` to the output buffer `o` as words."""
    if scalar == "double":
        return f"{{ uint lo, hi; asuint({expression}, lo, hi); o[k++] = lo; o[k++] = hi; }}"
    if scalar in WIDE:
        return f"o[k++] = uint({expression}); o[k++] = uint({expression} >> 32);"
    if scalar in ("float", "half"):
        return f"o[k++] = asuint(float({expression}));"
    return f"o[k++] = uint(int({expression}));" if scalar == "int16_t" else f"o[k++] = uint({expression});"


def writer(scalar: str, expression: str) -> str:
    """Return HLSL statements that assign the next number of the input buffer `i` to the component ``expression``."""
    if scalar == "double":
        return f"{expression} = asdouble(i[k], i[k + 1]); k += 2;"
    if scalar in WIDE:
        return f"{expression} = {scalar}(uint64_t(i[k]) | uint64_t(i[k + 1]) << 32); k += 2;"
    if scalar in ("float", "half"):
        return f"{expression} = {scalar}(asfloat(i[k++]));"
    if scalar == "bool":
        return f"{expression} = i[k++] != 0;"
    return f"{expression} = {scalar}(i[k++]);"


BUFFERS = {
    "constants": ("ConstantBuffer<T> b : register(b0);", "b"),
    "structured": ("StructuredBuffer<T> b : register(t0);", "b[1]"),
    "textures": ("TextureBuffer<T> b : register(t0);", "b"),
    "push": ("[[vk::push_constant]] T b;", "b"),
}


READ = [
    (group, major, kind)
    for group, major in CASES
    for kind in BUFFERS
    if kind != "textures" or group in ("arrays", "floats", "matrix_arrays")
]


def compiled(source: str, layout: str, major: str) -> CompileResult:
    options = CompileOptions(
        target_env="vulkan1.2", layout=layout, matrix_layout=major, enable_16bit_types=True, validate="no"
    )
    result = compile_shader(source, profile="cs_6_2", options=options, memory=MEMORY)
    assert result.ok, [d.message for d in result.diagnostics]
    return result


def block(result: CompileResult, name: str, *, facts: bool = True) -> Block:
    return find_block(reflect(decode(result.spirv), result.interface if facts else None), name)


def needs(vulkan: Vulkan) -> None:
    missing = [name for name in FEATURES if name not in vulkan.features]
    if missing:
        pytest.skip(f"{vulkan.name} lacks {', '.join(missing)}")


def struct_text(members: list[M]) -> str:
    return "struct T { " + " ".join(m.declaration for m in members) + " };"


def in_parts(members: list[M]) -> Iterator[list[M]]:
    """Yield the members in small groups, because push constants are limited to about 128 bytes."""
    part: list[M] = []
    for m in members:
        if part and (len(part) == 4 or any(n.dims or n.rows > 2 or n.scalar == "double" for n in (m, *part))):
            yield part
            part = []
        part.append(m)
    yield part


@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
@pytest.mark.parametrize(("group", "major", "kind"), READ)
def test_shaders_read_the_values_that_numpy_packs(
    vulkan: Vulkan, group: str, kind: str, layout: str, major: str
) -> None:
    needs(vulkan)
    rng = random.Random(f"{group} {kind} {layout} {major}")
    members = GROUPS[group]
    for part in in_parts(members) if kind == "push" else [members]:
        check_read(vulkan, part, kind, layout, major, rng)


def check_read(vulkan: Vulkan, members: list[M], kind: str, layout: str, major: str, rng: random.Random) -> None:
    declaration, place = BUFFERS[kind]
    places = [(m, f"{place}.{e}", index) for m in members for e, index in m.places()]
    body = "\n    ".join(reader(m.scalar, e) for m, e, _ in places)
    result = compiled(
        f"{struct_text(members)}\n{declaration}\nRWStructuredBuffer<uint> o : register(u1);\n"
        f"[numthreads(1, 1, 1)] void main() {{\n    uint k = 0;\n    {body}\n}}",
        layout,
        major,
    )
    values = {m.name: values_of(m, rng) for m in members}
    wanted = b"".join(words(m.scalar, at(values[m.name], index)) for m, _, index in places)
    found = block(result, "b")
    if kind == "structured":
        other = {m.name: values_of(m, rng) for m in members}
        data = pack(found, [other, values])
    else:
        data = pack(found, values)
    resources = {(0, 1): storage(len(wanted))}
    if kind != "push":
        data16 = data.ljust(-(-len(data) // 16) * 16, b"\xcc")
        resources[0, 0] = uniform(data16) if kind == "constants" else storage(data)
    out = vulkan.run_compute(result.spirv, resources, push=data if kind == "push" else b"")
    assert out[0, 1] == wanted, [m.declaration for m in members]


@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
@pytest.mark.parametrize(("group", "major"), CASES)
def test_numpy_unpacks_the_values_that_shaders_write(vulkan: Vulkan, group: str, layout: str, major: str) -> None:
    needs(vulkan)
    rng = random.Random(f"{group} {layout} {major}")
    members = GROUPS[group]
    places = [(m, f"b[1].{e}", index) for m in members for e, index in m.places()]
    body = "\n    ".join(writer(m.scalar, e) for m, e, _ in places)
    result = compiled(
        f"{struct_text(members)}\nRWStructuredBuffer<T> b : register(u0);\n"
        f"StructuredBuffer<uint> i : register(t1);\n"
        f"[numthreads(1, 1, 1)] void main() {{\n    uint k = 0;\n    {body}\n}}",
        layout,
        major,
    )
    values = {m.name: values_of(m, rng) for m in members}
    given = b"".join(words(m.scalar, at(values[m.name], index)) for m, _, index in places)
    found = block(result, "b")
    out = vulkan.run_compute(result.spirv, {(0, 0): storage(2 * found.stride), (0, 1): storage(given)})[0, 0]
    both = unpack(found, out)
    assert isinstance(both, list)
    for m in members:
        got = both[1][m.name]
        assert np.array_equal(np.asarray(got, object), np.asarray(values[m.name], object)), m.declaration
        assert not np.any(both[0][m.name])


def test_places_by_hand(vulkan: Vulkan) -> None:
    """Blocks with explicit offsets are packed as shaders read them.

    The offsets are from `packoffset`, `vk::offset`, `register(c#)` of global variables, and bit-fields.
    """
    needs(vulkan)
    result = compiled(
        """cbuffer C : register(b0) {
            float4 w : packoffset(c2); float x : packoffset(c0.z); float2 y : packoffset(c1.y); };
        struct P {
            [[vk::offset(4)]] float a; [[vk::offset(32)]] row_major float2x2 m; uint low : 5; uint high : 11; };
        ConstantBuffer<P> p : register(b1); float g : register(c2); float3x2 h : register(c4);
        RWStructuredBuffer<float> o : register(u3);
        [numthreads(1, 1, 1)] void main() {
            o[0] = w.y; o[1] = x; o[2] = y.y; o[3] = p.a;
            o[4] = p.m[1][0]; o[5] = p.high; o[6] = g; o[7] = h[2][1]; }""",
        "vulkan",
        "column_major",
    )
    found = reflect(decode(result.spirv), result.interface)
    values: dict[str, Mapping[str, Any]] = {
        "C": {"w": [1, 2, 3, 4], "x": 5, "y": [6, 7]},
        "p": {"a": 8, "m": [[9, 10], [11, 12]], "low": 31, "high": 2047},
        "$Globals": {"g": 13, "h": [[14, 15], [16, 17], [18, 19]]},
    }
    places = {r.name: (r.set or 0, r.binding or 0) for r in found.resources}
    data = {name: pack(find_block(found, name), v).ljust(128, b"\0") for name, v in values.items()}
    resources = {places[name]: uniform(data[name]) for name in values}
    out = vulkan.run_compute(result.spirv, {**resources, (0, 3): storage(32)})[0, 3]
    assert struct.unpack("<8f", out) == (2, 5, 7, 8, 11, 2047, 13, 19)


NESTED = """
struct Deep { float3 v; bool on; row_major float2x3 m; };
struct Inner { uint id; Deep deep[2]; double d; };
struct T { float a; Inner inner[2]; Deep one; float3x2 last; };
"""


def nested_values(rng: random.Random) -> Mapping[str, Any]:
    def deep() -> Mapping[str, Any]:
        return {
            "v": values_of(M("", "float", columns=3), rng),
            "on": rng.random() < 0.5,
            "m": values_of(M("", "float", 2, 3), rng),
        }

    def inner() -> Mapping[str, Any]:
        return {"id": rng.randrange(1 << 32), "deep": [deep(), deep()], "d": rng.random()}

    return {"a": 1.5, "inner": [inner(), inner()], "one": deep(), "last": values_of(M("", "float", 3, 2), rng)}


@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
def test_nested_structs(vulkan: Vulkan, layout: str) -> None:
    """Nested structs are packed and unpacked, through a plain copy from a constant buffer to a structured one."""
    needs(vulkan)
    result = compiled(
        f"{NESTED} ConstantBuffer<T> b : register(b0); RWStructuredBuffer<T> o : register(u1);\n"
        "[numthreads(1, 1, 1)] void main() { o[1] = b; }",
        layout,
        "column_major",
    )
    values = nested_values(random.Random(layout))
    source, target = block(result, "b"), block(result, "o")
    data = pack(source, values)
    out = vulkan.run_compute(result.spirv, {(0, 0): uniform(data), (0, 1): storage(2 * target.stride)})[0, 1]
    assert_same(unpack(source, data), values)
    unpacked = unpack(target, out)
    assert isinstance(unpacked, list)
    assert_same(unpacked[1], values)


def assert_same(got: Any, wanted: Any) -> None:
    if isinstance(wanted, Mapping):
        assert got.keys() == wanted.keys()
        for name, part in wanted.items():
            assert_same(got[name], part)
    elif isinstance(wanted, list) and isinstance(wanted[0], Mapping):
        for one, part in zip(got, wanted, strict=True):
            assert_same(one, part)
    else:
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
def test_structured_arrays(vulkan: Vulkan, layout: str) -> None:
    """An array of structs gives the same bytes as a numpy structured array and as a value for each field."""
    needs(vulkan)
    members = [
        M("a", "float"),
        M("m", "float", 3, 3),
        M("n", "float", 4, 3, major="row_major"),
        M("c", "uint", dims=(3,)),
        M("z", "double"),
    ]
    result = compiled(
        f"{struct_text(members)} StructuredBuffer<T> b : register(t0); RWStructuredBuffer<float> o : register(u1);\n"
        "[numthreads(1, 1, 1)] void main() {"
        " o[0] = b[1].a; o[1] = b[1].m[0][2]; o[2] = b[1].n[3][1]; o[3] = b[1].c[2]; o[4] = float(b[1].z); }",
        layout,
        "column_major",
    )
    found = block(result, "b")
    data = np.zeros(2, dtype(found))
    rng = random.Random(layout)
    values = [{m.name: values_of(m, rng) for m in members} for _ in range(2)]

    def field(name: str) -> Any:
        array = data[name]
        return array["value"] if array.dtype.names else array

    for i, element in enumerate(values):
        data["a"][i], data["z"][i] = element["a"], element["z"]
        field("m")[i, ..., :3] = np.asarray(element["m"]).T
        field("n")[i, ..., :3] = element["n"]
        field("c")[i] = element["c"]
    assert data.tobytes() == pack(found, values)
    out = vulkan.run_compute(result.spirv, {(0, 0): storage(data.tobytes()), (0, 1): storage(20)})[0, 1]
    last = values[1]
    wanted = [last["a"], last["m"][0][2], last["n"][3][1], last["c"][2], last["z"]]
    assert out == struct.pack("<5f", *wanted)
