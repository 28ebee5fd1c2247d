"""Packing and unpacking: kinds of values, matrix orders of hosts, errors that name the member."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import Block, find_block
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.host import PackError, dtype, pack, unpack
from hlsl_tool.reflection.reflection import Member, Type
from hlsl_tool.spirv.decode import decode
from tests.unit.reflect.test_cpp import fill, random_struct


def block(members: str, *, before: str = "", facts: bool = True, **options: Any) -> Block:
    source = f"""{before} struct T {{ {members} }}; ConstantBuffer<T> b; RWStructuredBuffer<T> o;
    [numthreads(1, 1, 1)] void main() {{ o[0] = b; }}"""
    return resource(source, "b", facts=facts, **options)


def resource(source: str, name: str, *, facts: bool = True, **options: Any) -> Block:
    chosen = CompileOptions(target_env="vulkan1.1", optimize="none", validate="no", **options)
    result = compile_shader(source, profile="cs_6_2", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return find_block(reflect(decode(result.spirv), result.interface if facts else None), name)


def floats(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


TIGHT = {"row_major": np.arange(12.0).reshape(4, 3), "column_major": np.arange(12.0).reshape(4, 3).T.copy()}


@pytest.mark.parametrize("shape", [(4, 3), (3, 2), (2, 4), (3, 3)], ids=str)
@pytest.mark.parametrize("declared", ["row_major", "column_major"])
@pytest.mark.parametrize("order", ["row_major", "column_major"])
@pytest.mark.parametrize("facts", [True, False])
def test_every_host_matrix_lands_in_every_declared_one(
    shape: tuple[int, int], declared: str, order: Any, facts: bool
) -> None:
    """`pack` writes matrices of the host in the order that the shader declares.

    The host's matrices are row-major or column-major, and tight, padded to four components, or flat.
    """
    rows, columns = shape
    found = block(f"{declared} float{rows}x{columns} m; float end;", facts=facts)
    matrix = np.arange(1.0, rows * columns + 1).reshape(rows, columns)
    lines = matrix if declared == "row_major" else matrix.T
    wanted = b"".join(floats(*line).ljust(16, b"\0") for line in lines) + floats(-1)
    host = matrix if order == "row_major" else matrix.T
    simd = np.full((host.shape[0], 4), 99.0)
    simd[:, : host.shape[1]] = host
    for value, padded in (
        (host, False),
        (host.ravel(), False),
        (host.tolist(), False),
        (simd, True),
        (simd.ravel(), True),
    ):
        assert pack(found, {"m": value, "end": -1}, order=order, padded=padded) == wanted
    got = unpack(found, wanted, order=order)
    assert isinstance(got, Mapping)
    assert np.array_equal(got["m"], host)
    wide = unpack(found, wanted, order=order, padded=True)
    assert isinstance(wide, Mapping)
    assert np.array_equal(wide["m"][:, : host.shape[1]], host)
    assert wide["m"].shape == (host.shape[0], 4)


def test_matrices_that_are_vectors_in_spirv() -> None:
    members = "float4x1 column; float1x3 row; row_major int2x3 whole; float1x1 one; bool2 flags;"
    found = block(members)
    values = {
        "column": [[1], [2], [3], [4]],
        "row": [[5, 6, 7]],
        "whole": [[1, 2, 3], [4, 5, 6]],
        "one": [[8]],
        "flags": [True, False],
    }
    data = pack(found, values)
    flat = {**values, "column": [1, 2, 3, 4], "row": [5, 6, 7], "one": [8]}
    assert pack(found, flat) == data
    got = unpack(found, data)
    assert isinstance(got, Mapping)
    assert {name: np.asarray(v).tolist() for name, v in got.items()} == values
    other = {**values, "column": [[1, 2, 3, 4]], "row": [[5], [6], [7]], "whole": [[1, 4], [2, 5], [3, 6]]}
    assert pack(found, other, order="column_major") == data
    foreign = block(members, facts=False)
    assert pack(foreign, {**flat, "one": 8, "flags": [1, 0]}) == data


def test_enumerations_that_are_called_like_types() -> None:
    before = "enum boolean : uint { NO, YES, MAYBE }; enum Tile4x4 { A, B, C }; enum bool2x2_ { D, E, F };"
    found = block("boolean a; Tile4x4 b[4][4]; bool2x2_ c;", before=before)
    grid = np.arange(16).reshape(4, 4)
    values = {"a": 2, "b": grid, "c": 2}
    data = pack(found, values)
    assert pack(found, values, order="column_major") == data
    got = unpack(found, data)
    assert isinstance(got, Mapping)
    assert (got["a"], got["c"], got["b"].tolist()) == (2, 2, grid.tolist())


def test_bit_fields() -> None:
    source = """struct F { uint a : 5; uint b : 11; int c : 4; int d : 12; float e; };
    RWStructuredBuffer<F> f; [numthreads(1, 1, 1)] void main() { f[0].e = f[1].b + f[1].d; }"""
    found = resource(source, "f")
    values = [{"a": 31, "b": 1024, "c": -8, "d": 2047, "e": 0.5}, {"a": 0, "b": 1, "c": 7, "d": -1, "e": 2}]
    data = pack(found, values)
    first = (31 | 1024 << 5, 8 | 2047 << 4)
    assert data[:8] == struct.pack("<2I", *first)
    assert unpack(found, data) == values
    with pytest.raises(PackError, match=r"f\[0\].c: 8 is out of range for 4 bits"):
        pack(found, [{**values[0], "c": 8}])


def test_structured_buffers_of_plain_elements() -> None:
    source = """RWStructuredBuffer<float3> v; RWStructuredBuffer<bool> f; RWStructuredBuffer<float3x2> m;
    [numthreads(1, 1, 1)] void main() { v[0] = m[1][2].x; f[1] = v[1].x > 0; m[1][1].x = v[2].y; }"""
    vectors = np.arange(12.0).reshape(4, 3)
    v, f, m = (resource(source, name) for name in "vfm")
    assert pack(v, vectors) == b"".join(floats(*row, 0) for row in vectors)
    assert np.array_equal(unpack(v, pack(v, vectors)), vectors)  # type: ignore[arg-type]
    assert pack(f, [True, False, True]) == struct.pack("<3I", 1, 0, 1)
    assert unpack(f, struct.pack("<2I", 7, 0)).tolist() == [True, False]  # type: ignore[attr-defined]
    matrices = np.arange(12.0).reshape(2, 3, 2)
    assert np.array_equal(unpack(m, pack(m, matrices)), matrices)  # type: ignore[arg-type]
    assert pack(v, []) == b""


def test_members_beside_an_unbounded_array() -> None:
    """A block with members before an unbounded array is packed, with as many elements as the values have.

    HLSL cannot declare such a block, but GLSL can.
    """
    found = block("uint count; float3 at;")
    assert found.type is not None
    items = block("float4 x[2];").type
    assert items is not None
    array = items.members[0].type
    array.count, array.size = None, None
    members = [*found.type.members, Member("items", array, 32)]
    mixed = Block("mixed", "storage_buffer", Type("struct", "mixed", members=members, size=found.type.size))
    values = {"count": 2, "at": [1, 2, 3], "items": [[1, 2, 3, 4], [5, 6, 7, 8]]}
    data = pack(mixed, values)
    assert data == struct.pack("<I3f", 2, 1, 2, 3).ljust(32, b"\0") + floats(*range(1, 9))
    got = unpack(mixed, data)
    assert isinstance(got, Mapping)
    assert (got["count"], got["items"].tolist()) == (2, values["items"])
    assert dtype(mixed).itemsize == 32


ERRORS = [
    ({"i": 1 << 31}, "b.i: 2147483648 is out of range for an int of 32 bits"),
    ({"u": -1}, "b.u: -1 is out of range for an uint of 32 bits"),
    ({"u": 1.5}, "b.u: 1.5 is no integer"),
    ({"h": 70000}, "b.h: 70000.0 is out of range for a float of 16 bits"),
    ({"f": 1e39}, "b.f: 1e+39 is out of range for a float of 32 bits"),
    ({"f": "x"}, "b.f: is no number but a str"),
    ({"f": {"x": 1}}, "b.f: is no number that a float can hold"),
    ({"f": [1, 2]}, "b.f: has the shape (2), and needs a single number"),
    ({"v": [1, 2]}, "b.v: has the shape (2), and needs (3)"),
    ({"v": [[1], [1, 2], 3]}, "b.v: is no regular array of numbers"),
    ({"m": np.zeros((3, 4))}, "b.m: has the shape (3, 4), and needs (4, 3); is it order='column_major'?"),
    (
        {"m": np.zeros((4, 4))},
        "b.m: has the shape (4, 4), and needs (4, 3); if its rows are padded to four, say padded=True",
    ),
    ({"flag": 2}, "b.flag: 2 is out of range for a bool"),
    ({"big": 1 << 64}, "b.big: 18446744073709551616 is out of range for an uint of 64 bits"),
    ({"big": [1]}, "b.big: has the shape (1), and needs a single number"),
    ({"s": 3}, "b.s: needs a sequence of elements"),
    ({"s": [{"x": 1}]}, "b.s: has 1 elements, and needs 2"),
    ({"s": [{"x": 1}, {"x": "?"}]}, "b.s[1].x: is no number but a str"),
    ({"s": [{"x": 1}, {}]}, "b.s[1].x: is missing"),
    ({"s": [{"x": 1}, {"x": 1, "y": 2}]}, "b.s[1].y: there is no such member; there are `x`"),
    ({"nothing": 0}, "b.nothing: there is no such member; there are `i`, `u`, `h`, `f`, `v`, `m`, `flag`, `big`, `s`"),
]
FINE: Mapping[str, Any] = {
    "i": -(1 << 31),
    "u": (1 << 32) - 1,
    "h": 65504,
    "f": 1,
    "v": (1, 2, 3),
    "m": np.zeros((4, 3)),
    "flag": True,
    "big": (1 << 64) - 1,
    "s": [{"x": 1}, {"x": 2}],
}
MEMBERS = "int i; uint u; float16_t h; float f; float3 v; float4x3 m; bool flag; uint64_t big; S s[2];"


@pytest.mark.parametrize(("change", "message"), ERRORS, ids=[message for _, message in ERRORS])
def test_errors_name_the_member(change: Mapping[str, Any], message: str) -> None:
    found = block(MEMBERS, before="struct S { float x; };", enable_16bit_types=True)
    assert unpack(found, pack(found, FINE))["big"] == (1 << 64) - 1  # type: ignore[index]
    with pytest.raises(PackError) as caught:
        pack(found, {**FINE, **change})
    assert str(caught.value) == message


def test_partial_values_leave_zeros() -> None:
    found = block("float a; float b;")
    assert pack(found, {"b": 2}, partial=True) == floats(0, 2)
    with pytest.raises(PackError, match=r"b\.a: is missing"):
        pack(found, {"b": 2})


def test_too_few_bytes() -> None:
    with pytest.raises(PackError, match="b: 4 bytes are too few: it has 8"):
        unpack(block("float a; float b;"), bytes(4))


def test_members_without_names_are_numbered() -> None:
    found = block("float x;", before="struct Base { float a; };")
    derived = resource(
        "struct Base { float a; }; struct T : Base { float x; }; RWStructuredBuffer<T> o;"
        "[numthreads(1, 1, 1)] void main() { o[0].x = o[1].a; }",
        "o",
    )
    assert pack(derived, [{"member0": {"a": 1}, "x": 2}]) == floats(1, 2)
    assert pack(found, {"x": 1}) == floats(1)


@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
def test_numpy_types_read_what_is_packed(layout: str) -> None:
    """In random structs, each number of the structured array is the one that `pack` stored."""
    for number in range(8):
        rng = random.Random(f"{layout} {number}")
        inner, middle, outer = (" ".join(random_struct(rng, depth)) for depth in (0, 1, 2))
        source = (
            f"struct S1 {{ {inner} }}; struct S2 {{ {middle} }}; struct T {{ {outer} }};\n"
            "ConstantBuffer<T> a; RWStructuredBuffer<T> b; [numthreads(1, 1, 1)] void main() { b[1] = a; }"
        )
        for name in "ab":
            found = resource(source, name, layout=layout, enable_16bit_types=True)
            t = found.type if found.tail is None else found.element
            assert t is not None
            values, _ = fill(t, "", rng)
            made = dtype(found)
            data = pack(found, values if found.tail is None else [values])
            assert len(data) == made.itemsize
            assert_record(np.frombuffer(data, made)[0], t, values)


def assert_record(record: Any, t: Type, values: Any) -> None:
    """Compare a record, or an array, with the values that were packed."""
    if t.kind == "struct":
        for m in t.members:
            assert_record(record[m.name], m.type, values[m.name])
    elif t.kind in ("array", "matrix"):
        if t.kind == "matrix":
            rows = np.asarray(values)
            values = rows if t.majorness == "row_major" else rows.T
        names = record.dtype.names or ()
        for i in range(len(values)):
            item = record[str(i)] if "0" in names else record[i]
            item = item["value"] if item.dtype.names == ("value",) else item
            if t.kind == "matrix":
                assert np.array_equal(item, values[i])
            else:
                assert t.element is not None
                assert_record(item, t.element, values[i])
    else:
        assert np.array_equal(record, values)


def test_numpy_types_have_the_layout() -> None:
    found = block("float a; float3x3 m; float b; float c[3]; float d;", layout="dx")
    made = dtype(found)
    assert found.type is not None
    assert made.itemsize == found.type.size
    assert {name: made.fields[name][1] for name in made.names} == {m.name: m.offset for m in found.type.members}
    data = np.zeros((), made)
    data["m"]["2"] = 7, 8, 9  # `b` lies behind the last column
    data["c"]["2"], data["d"] = 5, 6
    zeros = {"a": 0, "b": 0, "d": 6, "c": [0, 0, 5], "m": [[0, 0, 7], [0, 0, 8], [0, 0, 9]]}
    assert data.tobytes() == pack(found, zeros)
