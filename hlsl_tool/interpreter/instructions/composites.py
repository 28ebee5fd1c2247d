"""Composites: construct, extract, insert, shuffle, select and copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..model.types import Type
from ..runtime.code import Step
from ..runtime.values import Array, Value, as_vector, choose, lanes_of, map_leaves, stacked, widened, zeros
from .context import Context, add_rows, builds, pure


@builds(op.OpCompositeConstruct, op.OpCompositeConstructReplicateEXT)
def _construct(context: Context, inst: Instruction) -> Step:
    made, parts = context.types.of(inst), inst.ints()
    if inst.op == op.OpCompositeConstructReplicateEXT or made.kind == "cooperative":
        parts = parts * (made.length or len(made.members))
    if made.kind == "struct":
        return pure(lambda *values: list(values), inst.result_id, parts)
    scalars = made.kind != "vector" or all(context.type_of(part).kind != "vector" for part in parts)
    return pure(lambda *values: stacked(values) if scalars else _joined(values), inst.result_id, parts)


def _joined(values: tuple[Array, ...]) -> Array:
    """Return a vector made of scalars and vectors."""
    rows = [as_vector(value) for value in values]
    lanes = lanes_of(rows)
    return np.concatenate([row if row.shape[-1] == lanes else np.repeat(row, lanes, axis=-1) for row in rows])


def _part_of(value: Value, of: Type, path: list[int]) -> Value:
    """Return a part of a value by constant indices."""
    for index in path:
        if of.kind == "struct":
            value = value[index]
        else:
            value = map_leaves(lambda leaf, index=index: leaf[index], value)
        of = of.part(index)
    return value


@builds(op.OpCompositeExtract)
def _extract(context: Context, inst: Instruction) -> Step:
    composite, *path = inst.ints()
    of = context.type_of(composite)
    if of.is_leaf:
        place = tuple(path)
        return pure(lambda value: value[place], inst.result_id, [composite])
    return pure(lambda value: _part_of(value, of, path), inst.result_id, [composite])


def _with_part(value: Value, of: Type, path: list[int], part: Value) -> Value:
    if not path:
        return part
    index, *rest = path
    inner = of.part(index)
    if of.kind == "struct":
        out = list(value)
        out[index] = _with_part(value[index], inner, rest, part)
        return out

    def put(whole: Array, new: Array) -> Array:
        changed = widened(whole, lanes_of([whole, new]))
        changed[index] = new
        return changed

    old = map_leaves(lambda leaf: leaf[index], value)
    return map_leaves(put, value, _with_part(old, inner, rest, part))


@builds(op.OpCompositeInsert)
def _insert(context: Context, inst: Instruction) -> Step:
    part, composite, *path = inst.ints()
    of = context.type_of(composite)
    return pure(lambda new, whole: _with_part(whole, of, path, new), inst.result_id, [part, composite])


@builds(op.OpVectorShuffle)
def _shuffle(context: Context, inst: Instruction) -> Step:
    first, second, *numbers = inst.ints()
    chosen = [number if number != 0xFFFFFFFF else 0 for number in numbers]
    count, order = context.type_of(first).length or 0, np.array(chosen)
    if (order < count).all():
        return pure(lambda a: a[order], inst.result_id, [first])

    def mixed(a: Array, b: Array) -> Array:
        out = np.empty((len(chosen), lanes_of([a, b])), a.dtype)
        for row, number in enumerate(chosen):
            out[row] = a[number] if number < count else b[number - count]
        return out

    return pure(mixed, inst.result_id, [first, second])


def _clipped(index: Array, length: int) -> Array:
    return np.minimum(index.astype(np.int64), length - 1)


def _extract_dynamic(vector: Array, index: Array) -> Array:
    at = _clipped(index, vector.shape[0])
    if at.shape[-1] == 1:
        return vector[int(at[0])]
    if vector.shape[-1] == 1:
        return vector[at, 0]
    return vector[at, np.arange(vector.shape[-1])]


def _insert_dynamic(vector: Array, part: Array, index: Array) -> Array:
    out = widened(vector, lanes_of([vector, part, index]))
    lanes = np.arange(out.shape[-1])
    out[np.broadcast_to(_clipped(index, vector.shape[0]), lanes.shape), lanes] = part
    return out


add_rows(
    {
        op.OpVectorExtractDynamic: _extract_dynamic,
        op.OpVectorInsertDynamic: _insert_dynamic,
        op.OpCopyObject: lambda value: value,
        op.OpCopyLogical: lambda value: value,
    },
    pure,
)


@builds(op.OpSelect)
def _select(context: Context, inst: Instruction) -> Step:
    if context.types.of(inst).is_leaf:
        return pure(np.where, inst.result_id, inst.ints())

    def select(condition: Array, yes: Any, no: Any) -> Any:
        if condition.shape == (1,):
            return yes if condition[0] else no
        return choose(condition, yes, no)

    return pure(select, inst.result_id, inst.ints())


@builds(op.OpUndef)
def _undef(context: Context, inst: Instruction) -> Step:
    value = zeros(context.types.of(inst))
    return pure(lambda: value, inst.result_id, ())
