"""Cooperative matrices: loads, stores, products and transpositions.

The lanes of a wave or a group hold a matrix together: lane ``n`` has the elements ``n``, ``n + lanes``, … in the order
of rows.  Its value is an array of these elements, on which arithmetic works as on a vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import CooperativeMatrixLayout, CooperativeMatrixOperands
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..model.layout import Place
from ..model.types import MatrixFacts, Type
from ..runtime.code import Step
from ..runtime.quads import wide
from ..runtime.state import State
from ..runtime.values import Array, signed
from .context import Context, builds, pure, with_state

MATRICES = frozenset(
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
    length = np.array([context.types[inst.id(0)].length], np.uint32)
    return pure(lambda: length, inst.result_id, ())


# ------------------------------------------------------------------------------------------------- loads and stores


class _Memory:
    """The elements of a matrix in memory; ``operands`` are its pointer, its layout and, if there is one, its stride."""

    def __init__(self, context: Context, of: Type, operands: Sequence[int]) -> None:
        if len(operands) < len(("pointer", "layout", "stride")):
            raise NotInterpretedError("a cooperative matrix without a stride")
        pointer, layout, stride = operands[:3]
        order = context.constant(layout)
        if order not in (CooperativeMatrixLayout.RowMajorKHR, CooperativeMatrixLayout.ColumnMajorKHR):
            raise NotInterpretedError("a cooperative matrix with this layout")
        self.operands = (pointer, stride)
        self._count, self._facts = of.length or 0, _facts(of)
        self._by_rows = order == CooperativeMatrixLayout.RowMajorKHR
        self._unit = context.layout.size(context.place(pointer).type)
        self._size = context.layout.size(of.scalar)
        self._leaf = context.layout.leaves(Place(of.scalar))

    def _addresses(self, pointer: Array, stride: Array, s: State) -> Iterator[Array]:
        """Yield the addresses of the lanes for each of their elements."""
        for number in range(self._count):
            place = number * self._facts.lanes + np.arange(s.shape.lanes) % self._facts.lanes
            row, column = place // self._facts.columns, place % self._facts.columns
            outer, inner = (row, column) if self._by_rows else (column, row)
            yield pointer + outer * self._unit * stride.astype(np.int64) + inner * self._size

    def load(self, pointer: Array, stride: Array, s: State) -> Array:
        """Return the elements that each lane has."""
        places = self._addresses(pointer, stride, s)
        return np.stack([s.memory.load(self._leaf, place, s.mask, s.report) for place in places])

    def store(self, pointer: Array, stride: Array, value: Array, s: State) -> None:
        """Write the elements that each lane has."""
        for place, element in zip(self._addresses(pointer, stride, s), value, strict=True):
            s.memory.store(self._leaf, place, element, s.writers, s.report)


@builds(op.OpCooperativeMatrixLoadKHR)
def _load(context: Context, inst: Instruction) -> Step:
    memory = _Memory(context, context.types.of(inst), inst.ints())
    return with_state(memory.load, inst.result_id, memory.operands)


@builds(op.OpCooperativeMatrixStoreKHR)
def _store(context: Context, inst: Instruction) -> Step:
    pointer, value, *rest = inst.ints()
    memory = _Memory(context, context.type_of(value), [pointer, *rest])
    return with_state(memory.store, 0, [*memory.operands, value])


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
    types = [(_facts(context.type_of(word)), flags & sign) for word, sign in zip(words, signs, strict=False)]
    dtype, exact = context.numbers_of(inst), np.float64 if made.scalar.kind == "float" else np.int64

    def multiply(*operands: Any) -> Array:
        *values, s = operands
        a, b, c = (
            _whole(signed(value) if is_signed else value, facts, s).astype(exact)
            for value, (facts, is_signed) in zip(values, types, strict=True)
        )
        return _parts((a @ b + c).astype(dtype), _facts(made))

    return with_state(multiply, inst.result_id, words[:3])


@builds(op.OpCooperativeMatrixTransposeNV)
def _transpose(context: Context, inst: Instruction) -> Step:
    source, target = _facts(context.type_of(inst.id(0))), _facts(context.types.of(inst))

    def transpose(value: Array, s: State) -> Array:
        return _parts(_whole(value, source, s).transpose(0, 2, 1), target)

    return with_state(transpose, inst.result_id, inst.ints())


@builds(op.OpCooperativeMatrixConvertNV)
def _convert_use(context: Context, inst: Instruction) -> Step:
    """Translate a conversion to another use, which changes nothing: lanes have the same elements for each use."""
    if context.type_of(inst.id(0)).dtype != context.types.of(inst).dtype:
        raise NotInterpretedError("OpCooperativeMatrixConvertNV to another component type")
    return pure(lambda value: value, inst.result_id, inst.ints())
