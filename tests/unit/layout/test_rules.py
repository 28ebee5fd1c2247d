"""Offsets of members under each layout rule: the manual's table (*Memory Layout*) and further cases."""

from __future__ import annotations

import pytest

from hlsl_tool.codegen.layout.matrices import storage
from hlsl_tool.codegen.layout.rules import RULES_OF_OPTION, Extent, Rule, extent, place
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Field, Struct, Type

FLOAT2X3 = ty.matrix(ty.FLOAT, 2, 3)


def struct(name: str, *members: tuple[str, Type] | Field) -> Struct:
    made = Struct(name, is_complete=True)
    made.fields = [member if isinstance(member, Field) else Field(*member) for member in members]
    return made


def example() -> Struct:
    """Return the struct of the manual's example."""
    inner = struct("S", ("f", ty.vector(ty.FLOAT, 3)))
    return struct(
        "T",
        ("a_float", ty.FLOAT),
        ("b_float3", ty.vector(ty.FLOAT, 3)),
        ("c_S_float3", inner),
        ("d_float2x3", FLOAT2X3),
        Field("e_float2x3", FLOAT2X3, majorness="row"),
        ("f_int_3", ty.array(ty.INT, 3)),
        ("g_float2_2", ty.array(ty.vector(ty.FLOAT, 2), 2)),
    )


UNIFORM = {
    "vulkan": [0, 4, 16, 32, 80, 112, 160],
    "dx": [0, 4, 16, 32, 80, 112, 160],
    "gl": [0, 16, 32, 48, 96, 128, 176],
    "scalar": [0, 4, 16, 28, 52, 76, 88],
}
STORAGE = {
    "vulkan": [0, 4, 16, 32, 64, 96, 112],
    "dx": [0, 4, 16, 28, 52, 76, 88],
    "gl": [0, 16, 32, 48, 80, 112, 128],
    "scalar": [0, 4, 16, 28, 52, 76, 88],
}


@pytest.mark.parametrize("option", RULES_OF_OPTION)
def test_the_example_of_the_manual(option: str) -> None:
    uniform, _, storage = RULES_OF_OPTION[option]
    assert [member.offset for member in place(example(), uniform, False)] == UNIFORM[option]
    assert [member.offset for member in place(example(), storage, False)] == STORAGE[option]


def vec(n: int) -> Type:
    return ty.vector(ty.FLOAT, n)


SIZES: list[tuple[Rule, Type, tuple[int, int, int]]] = [
    # (alignment, size, stride)
    (Rule.STD140, vec(3), (16, 12, 0)),
    (Rule.STD430, vec(2), (8, 8, 0)),
    (Rule.SCALAR, vec(3), (4, 12, 0)),
    (Rule.FXC_SBUFFER, vec(4), (4, 16, 0)),
    (Rule.STD140, ty.array(ty.FLOAT, 5), (16, 80, 16)),
    (Rule.STD430, ty.array(ty.FLOAT, 5), (4, 20, 4)),
    (Rule.STD430, ty.array(vec(3), 2), (16, 32, 16)),
    (Rule.SCALAR, ty.array(vec(3), 2), (4, 24, 12)),
    (Rule.RELAXED_STD140, ty.array(vec(2), 2), (16, 32, 16)),
    (Rule.FXC_CBUFFER, ty.array(ty.FLOAT, 3), (16, 36, 16)),
    (Rule.STD140, ty.DOUBLE, (8, 8, 0)),
    (Rule.STD140, ty.vector(ty.DOUBLE, 3), (32, 24, 0)),
    (Rule.STD430, ty.BOOL, (4, 4, 0)),
    (Rule.SCALAR, ty.vector(ty.BOOL, 2), (4, 8, 0)),
]


@pytest.mark.parametrize(("rule", "kind", "wanted"), SIZES, ids=str)
def test_sizes(rule: Rule, kind: Type, wanted: tuple[int, int, int]) -> None:
    assert extent(kind, rule, False, False) == Extent(*wanted)


# (rows, columns) -> under (std140, std430, scalar): size and stride, column-major and then row-major
MATRICES = {
    (2, 2): (((32, 16), (16, 8), (16, 8)), ((32, 16), (16, 8), (16, 8))),
    (2, 3): (((48, 16), (24, 8), (24, 8)), ((32, 16), (32, 16), (24, 12))),
    (3, 2): (((32, 16), (32, 16), (24, 12)), ((48, 16), (24, 8), (24, 8))),
    (3, 4): (((64, 16), (64, 16), (48, 12)), ((48, 16), (48, 16), (48, 16))),
    (4, 4): (((64, 16), (64, 16), (64, 16)), ((64, 16), (64, 16), (64, 16))),
}


@pytest.mark.parametrize("shape", MATRICES, ids=str)
def test_matrices(shape: tuple[int, int]) -> None:
    kind = ty.matrix(ty.FLOAT, *shape)
    for row_major, wanted in zip((False, True), MATRICES[shape], strict=True):
        for rule, size_and_stride in zip((Rule.STD140, Rule.STD430, Rule.SCALAR), wanted, strict=True):
            found = extent(kind, rule, row_major, False)
            assert (found.size, found.stride) == size_and_stride, (rule, row_major)


def test_a_vector_may_not_straddle_sixteen_bytes_when_relaxed() -> None:
    made = struct("P", ("a", vec(2)), ("b", vec(3)), ("c", ty.FLOAT), ("d", vec(2)), ("e", vec(2)))
    assert [m.offset for m in place(made, Rule.RELAXED_STD430, False)] == [0, 16, 28, 32, 40]
    assert [m.offset for m in place(made, Rule.FXC_CBUFFER, False)] == [0, 16, 28, 32, 40]
    assert [m.offset for m in place(made, Rule.SCALAR, False)] == [0, 8, 20, 24, 32]
    assert [m.offset for m in place(made, Rule.STD430, False)] == [0, 16, 28, 32, 40]


def test_structs_in_structs() -> None:
    inner = struct("I", ("x", vec(3)), ("y", ty.FLOAT), ("z", ty.FLOAT))
    outer = struct("O", ("a", ty.FLOAT), ("b", inner), ("c", ty.FLOAT), ("d", ty.array(inner, 2)))
    assert [m.offset for m in place(outer, Rule.STD140, False)] == [0, 16, 48, 64]
    assert [m.offset for m in place(outer, Rule.RELAXED_STD140, False)] == [0, 16, 48, 64]
    assert [m.offset for m in place(outer, Rule.SCALAR, False)] == [0, 4, 24, 28]
    assert [m.offset for m in place(outer, Rule.FXC_CBUFFER, False)] == [0, 16, 36, 48]
    assert extent(ty.array(inner, 2), Rule.SCALAR, False, False).stride == 20
    assert extent(ty.array(inner, 2), Rule.STD140, False, False).stride == 32


def test_a_base_class_comes_first() -> None:
    base = struct("B", ("x", vec(3)))
    derived = struct("D", ("y", ty.FLOAT))
    derived.bases = [base]
    members = place(derived, Rule.SCALAR, False)
    assert [(m.field is None, m.offset) for m in members] == [(True, 0), (False, 12)]


def test_bit_fields_share_words() -> None:
    made = struct(
        "F",
        Field("a", ty.UINT, bits=20),
        Field("b", ty.UINT, bits=12),
        Field("c", ty.UINT, bits=1),
        Field("d", ty.INT, bits=3),
        ("e", ty.FLOAT),
    )
    members = place(made, Rule.RELAXED_STD430, False)
    assert [(m.offset, m.bit_offset, m.index) for m in members] == [
        (0, 0, 0),
        (0, 20, 0),
        (4, 0, 1),
        (8, 0, 2),
        (12, 0, 3),
    ]


def test_types_of_sixteen_and_sixty_four_bits() -> None:
    made = struct("H", ("a", ty.FLOAT16), ("b", ty.vector(ty.FLOAT16, 3)), ("c", ty.UINT64), ("d", ty.FLOAT16))
    assert [m.offset for m in place(made, Rule.SCALAR, False)] == [0, 2, 8, 16]
    assert [m.offset for m in place(made, Rule.RELAXED_STD430, False)] == [0, 2, 8, 16]
    assert [m.offset for m in place(made, Rule.STD430, False)] == [0, 8, 16, 24]
    assert isinstance(ty.array(made, 2), Array)
    assert extent(ty.array(made, 2), Rule.SCALAR, False, False) == Extent(8, 48, 24)


def test_the_default_majorness_is_part_of_the_place() -> None:
    """The offsets of a struct's members depend on the default matrix order, also if the struct's layout is cached."""
    s = struct("S", ("m", FLOAT2X3), ("after", ty.FLOAT))
    for _ in range(2):
        assert [p.offset for p in place(s, Rule.STD430, False)] == [0, 24]
        assert [p.offset for p in place(s, Rule.STD430, True)] == [0, 32]
        assert [p.row_major for p in place(s, Rule.STD430, False)] == [False, False]


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("cols", [1, 2, 3, 4])
@pytest.mark.parametrize("row_major", [False, True])
def test_the_memory_of_a_matrix(rows: int, cols: int, row_major: bool) -> None:
    memory = storage(ty.matrix(ty.FLOAT, rows, cols), Rule.SCALAR, row_major)
    if rows == 1 or cols == 1:
        assert (memory.part, memory.count) == ("row" if rows == 1 else "column", 1)
        assert memory.size == 4 * rows * cols
    else:
        assert (memory.part, memory.count) == (("row", rows) if row_major else ("column", cols))
