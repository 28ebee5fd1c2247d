"""Cooperative matrices: loads, stores, products and transpositions.

The lanes of a wave or a group hold a matrix together: lane ``n`` has the elements ``n``, ``n + lanes``, … in the order
of rows.  Its value is an array of these elements, on which arithmetic works as on a vector.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import CooperativeMatrixLayout, CooperativeMatrixOperands
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..model.layout import Place
from ..model.types import MatrixFacts, Type
from ..runtime.code import Step
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, signed
from .context import Context, builds

OPCODES = frozenset(
    (
        op.OpCooperativeMatrixLoadKHR,
        op.OpCooperativeMatrixStoreKHR,
        op.OpCooperativeMatrixMulAddKHR,
        op.OpCooperativeMatrixLengthKHR,
        op.OpCooperativeMatrixTransposeNV,
    )
)
"""Opcodes that look at the other lanes of a wave."""


def _facts(of: Type) -> MatrixFacts:
    assert of.matrix is not None
    return of.matrix


@builds(op.OpCooperativeMatrixLengthKHR)
def _length(context: Context, inst: Instruction) -> Step:
    result, length = inst.result_id, np.array([context.types[inst.id(0)].length], np.uint32)

    def step(r: Registers, _: State) -> None:
        r[result] = length

    return step


# ------------------------------------------------------------------------------------------------- loads and stores


class _Memory:
    """The addresses of the elements of a matrix in memory."""

    def __init__(self, context: Context, of: Type, pointer: int, layout: int, stride: int) -> None:
        self.count, self.facts, self.pointer, self.stride = of.length or 0, _facts(of), pointer, stride
        order = context.constant(layout)
        if order not in (CooperativeMatrixLayout.RowMajorKHR, CooperativeMatrixLayout.ColumnMajorKHR):
            raise NotInterpretedError("a cooperative matrix with this layout")
        self.by_rows = order == CooperativeMatrixLayout.RowMajorKHR
        self.unit = context.layout.size(context.place(pointer).type)
        self.size = context.layout.size(of.scalar)
        self.leaves = context.layout.leaves(Place(of.scalar))

    def addresses(self, r: Registers, s: State, number: int) -> Array:
        """Return the address of the element of this number for each lane."""
        place = number * self.facts.lanes + np.arange(s.shape.lanes) % self.facts.lanes
        row, column = place // self.facts.columns, place % self.facts.columns
        outer, inner = (row, column) if self.by_rows else (column, row)
        addresses: Array = r[self.pointer] + outer * self.unit * r[self.stride].astype(np.int64) + inner * self.size
        return addresses


@builds(op.OpCooperativeMatrixLoadKHR)
def _load(context: Context, inst: Instruction) -> Step:
    result, memory = inst.result_id, _Memory(context, context.types.of(inst), *_place(inst.ints()))

    def step(r: Registers, s: State) -> None:
        places = (memory.addresses(r, s, number) for number in range(memory.count))
        r[result] = np.stack([s.memory.load(memory.leaves, place, s.mask, s.report) for place in places])

    return step


@builds(op.OpCooperativeMatrixStoreKHR)
def _store(context: Context, inst: Instruction) -> Step:
    pointer, value, *rest = inst.ints()
    memory = _Memory(context, context.type_of(value), *_place([pointer, *rest]))

    def step(r: Registers, s: State) -> None:
        for number in range(memory.count):
            s.memory.store(memory.leaves, memory.addresses(r, s, number), r[value][number], s.writers, s.report)

    return step


def _place(words: Sequence[int]) -> tuple[int, int, int]:
    """Return (pointer, layout, stride) of the operands of a load."""
    if len(words) < len(("pointer", "layout", "stride")):
        raise NotInterpretedError("a cooperative matrix without a stride")
    return words[0], words[1], words[2]


# --------------------------------------------------------------------------------------------------- whole matrices


def _whole(value: Array, facts: MatrixFacts, s: State) -> Array:
    """Return the matrices of all waves or groups: (matrices, rows, columns)."""
    parts = wide(value, s.shape.lanes).reshape(value.shape[0], -1, facts.lanes)
    return np.moveaxis(parts, 0, 1).reshape(-1, facts.rows, facts.columns)


def _parts(whole: Array, facts: MatrixFacts) -> Array:
    """Return what each lane holds of matrices, the opposite of ``_whole``."""
    parts = whole.reshape(len(whole), -1, facts.lanes)
    return np.moveaxis(parts, 1, 0).reshape(parts.shape[1], -1)


@builds(op.OpCooperativeMatrixMulAddKHR)
def _multiply(context: Context, inst: Instruction) -> Step:
    words, made = inst.ints(), context.types.of(inst)
    flags = words[3] if len(words) > 3 else 0
    if flags & CooperativeMatrixOperands.SaturatingAccumulationKHR:
        raise NotInterpretedError("OpCooperativeMatrixMulAddKHR with saturation")
    signs = (
        CooperativeMatrixOperands.MatrixASignedComponentsKHR,
        CooperativeMatrixOperands.MatrixBSignedComponentsKHR,
        CooperativeMatrixOperands.MatrixCSignedComponentsKHR,
    )
    operands = [(word, _facts(context.type_of(word)), flags & sign) for word, sign in zip(words, signs, strict=False)]
    result, dtype = inst.result_id, made.dtype
    exact = np.float64 if made.scalar.kind == "float" else np.int64

    def step(r: Registers, s: State) -> None:
        a, b, c = (
            _whole(signed(r[word]) if is_signed else r[word], facts, s).astype(exact)
            for word, facts, is_signed in operands
        )
        r[result] = _parts((a @ b + c).astype(dtype), _facts(made))

    return step


@builds(op.OpCooperativeMatrixTransposeNV)
def _transpose(context: Context, inst: Instruction) -> Step:
    result, value = inst.result_id, inst.id(0)
    source, target = _facts(context.type_of(value)), _facts(context.types.of(inst))

    def step(r: Registers, s: State) -> None:
        r[result] = _parts(_whole(r[value], source, s).transpose(0, 2, 1), target)

    return step


@builds(op.OpCooperativeMatrixConvertNV)
def _convert_use(context: Context, inst: Instruction) -> Step:
    """Translate a conversion to another use, which changes nothing: lanes have the same elements for each use."""
    result, value = inst.result_id, inst.id(0)
    if context.type_of(value).dtype != context.types.of(inst).dtype:
        raise NotInterpretedError("OpCooperativeMatrixConvertNV to another component type")

    def step(r: Registers, _: State) -> None:
        r[result] = r[value]

    return step
