"""Instructions on vectors, matrices, arrays and structs as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.instructions.memory import LETTERS, index_text
from hlsl_tool.wgsl.module.constant_folding import component
from hlsl_tool.wgsl.module.uses import is_splat
from hlsl_tool.wgsl.writer.expr import Expr, call, postfix
from hlsl_tool.wgsl.writer.registry import value
from hlsl_tool.wgsl.writer.statements import Let

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter


def part(w: FunctionWriter, base: Expr, type_id: int, index: int) -> Expr:
    """Return the element or member of a composite value at an index."""
    kind = w.view.type(type_id)
    if kind.op == op.OpTypeStruct:
        return postfix(base, f".{w.types.member_names(type_id)[index]}")
    if kind.op == op.OpTypeVector:
        if base.first and index == 0:
            return Expr(base.first, reads=base.reads, depth=base.depth)
        return postfix(base, f".{LETTERS[index]}")
    return postfix(base, f"[{index}]")


@value(op.OpCompositeConstruct)
def _construct(w: FunctionWriter, inst: Instruction) -> Expr:
    is_vector = w.view.type(inst.type_id).op == op.OpTypeVector
    if is_splat(w.view, inst):
        component = w.expr(inst.id(0))
        vector = call(w.types.spell(inst.type_id), component)
        vector.splat = component
        return vector
    parts = w.exprs(inst.ints())
    whole = _whole(inst, parts, is_vector) if _copied(w, inst.result_id) is not None else None
    if whole is not None:
        return whole
    if is_vector and len(parts) > 1:
        parts = _swizzled(w, inst, parts)
        if len(parts) == 1:
            return parts[0]
    return w.constants.construct(inst.type_id, parts)


def _copied(w: FunctionWriter, value: int) -> tuple[int, tuple[int, ...]] | None:
    """Return (composite, path) of the element that a value copies; ``None`` if it copies none.

    The value is extracted from the composite, or constructed from all components of the element in order.
    """
    inst = w.view.defs[value]
    if inst.op == op.OpCompositeExtract:
        return inst.id(0), tuple(inst.ints()[1:])
    if inst.op != op.OpCompositeConstruct or w.view.type(inst.type_id).op not in (op.OpTypeVector, op.OpTypeMatrix):
        return None
    first = _copied(w, inst.id(0))
    if first is None or not first[1]:
        return None
    base, path = first[0], first[1][:-1]
    type_id = w.view.type_of(base)
    for index in path:
        type_id = w.view.element(type_id, index)
    parts = [_copied(w, operand) for operand in inst.ints()]
    return (
        (base, path) if type_id == inst.type_id and parts == [(base, (*path, k)) for k in range(len(parts))] else None
    )


def _whole(inst: Instruction, parts: list[Expr], is_vector: bool) -> Expr | None:
    """Return the vector or matrix whose components are exactly ``parts``, in order; ``None`` if there is none."""
    suffixes = [f".{letter}" for letter in LETTERS] if is_vector else [f"[{index}]" for index in range(4)]
    prefix = parts[0].text.removesuffix(suffixes[0])
    if any(part.text != prefix + suffix for part, suffix in zip(parts, suffixes, strict=False)):
        return None
    return Expr(prefix, reads=any(part.reads for part in parts), depth=parts[0].depth)


def _swizzled(w: FunctionWriter, inst: Instruction, parts: list[Expr]) -> list[Expr]:
    """Return the arguments of a vector constructor, with consecutive components of one vector merged into a swizzle."""
    out: list[Expr] = []
    base = ""
    for operand, part in zip(inst.ints(), parts, strict=True):
        prefix, _, letter = part.text.rpartition(".")
        if len(letter) != 1 or letter not in LETTERS or not _is_component(w, operand):
            base = ""
            out.append(part)
        elif base == prefix:
            out[-1] = Expr(out[-1].text + letter, reads=out[-1].reads or part.reads, depth=part.depth)
        else:
            base = prefix
            out.append(part)
    return out


def _is_component(w: FunctionWriter, value: int) -> bool:
    """Return whether a value is a component that was extracted from a vector."""
    inst = w.view.defs[value]
    if inst.op != op.OpCompositeExtract:
        return False
    type_id = w.view.type_of(inst.id(0))
    for index in inst.ints()[1:-1]:
        type_id = w.view.element(type_id, index)
    return w.view.type(type_id).op == op.OpTypeVector


@value(op.OpCompositeExtract)
def _extract(w: FunctionWriter, inst: Instruction) -> Expr:
    constant = component(w.view, inst.id(0), inst.ints()[1:])
    if constant and constant != inst.id(0):
        return w.expr(constant)
    selected = w.expr(inst.id(0))
    type_id = w.view.type_of(inst.id(0))
    if len(inst.operands) > 1:
        selected = w.hidden(selected) if selected.constant else selected
    for index in inst.ints()[1:]:
        selected = part(w, selected, type_id, index)
        type_id = w.view.element(type_id, index)
    return selected


@value(op.OpCompositeInsert)
def _insert(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write OpCompositeInsert: copy the composite to a variable and assign to its element."""
    new, base = w.expr(inst.id(0)), w.expr(inst.id(1))
    if len(inst.operands) == 3 and w.view.type(inst.type_id).op == op.OpTypeVector:
        base = w.repeatable(base)
        count, place = w.view.components(inst.type_id), inst.id(2)
        return w.constants.construct(
            inst.type_id, [new if k == place else postfix(base, f".{LETTERS[k]}") for k in range(count)]
        )
    target = variable = _variable(w, base)
    type_id = inst.type_id
    for index in inst.ints()[2:]:
        target = part(w, target, type_id, index)
        type_id = w.view.element(type_id, index)
    w.assign(target.text, new.text)
    return variable


def _variable(w: FunctionWriter, value_: Expr) -> Expr:
    name = w.names.numbered("v")
    w.emit(Let(name, value_.text, "var "))
    return Expr(name)


@value(op.OpVectorExtractDynamic)
def _extract_dynamic(w: FunctionWriter, inst: Instruction) -> Expr:
    base = w.expr(inst.id(0))
    constant = w.view.constant(inst.id(1))
    if constant is not None:
        base = w.hidden(base)
    index = Expr(index_text(w, w.view.type_of(inst.id(0)), inst.id(1)))
    return Expr(f"{base.primary}[{index.text}]", 0, base.reads, False, False, base.depth + 1)


@value(op.OpVectorInsertDynamic)
def _insert_dynamic(w: FunctionWriter, inst: Instruction) -> Expr:
    base, new = w.expr(inst.id(0)), w.expr(inst.id(1))
    index = index_text(w, inst.type_id, inst.id(2))
    target = _variable(w, base)
    w.assign(f"{target.text}[{index}]", new.text)
    return target


def _swizzle(base: Expr, indices: list[int], count: int) -> Expr:
    letters = "".join(LETTERS[index] for index in indices)
    return base if letters == LETTERS[:count] else postfix(base, f".{letters}")


@value(op.OpVectorShuffle)
def _shuffle(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write OpVectorShuffle as a swizzle, or as a constructor from swizzles of both vectors."""
    words = inst.ints()
    first_count = w.view.components(w.view.type_of(words[0]))
    indices = [0 if index == 0xFFFFFFFF else index for index in words[2:]]
    if words[0] == words[1]:
        return _swizzle(w.expr(words[0]), [index % first_count for index in indices], first_count)
    sides = [index >= first_count for index in indices]
    runs: list[tuple[bool, str]] = []
    for index, side in zip(indices, sides, strict=True):
        letter = LETTERS[index - first_count if side else index]
        if runs and runs[-1][0] == side:
            runs[-1] = side, runs[-1][1] + letter
        else:
            runs.append((side, letter))
    bases: dict[bool, Expr] = {}
    for side, operand in ((False, words[0]), (True, words[1])):
        base = w.expr(operand)  # even if no component is selected: this is its only use
        if side in sides:
            uses = sum(run[0] == side for run in runs)
            bases[side] = w.repeatable(base) if uses > 1 else base
    if len(runs) == 1:
        side, letters = runs[0]
        base = bases[side]
        count = w.view.components(w.view.type_of(words[side]))
        if letters == LETTERS[:count]:
            return base
        return postfix(base, f".{letters}")
    parts: list[Expr] = []
    for side, letters in runs:
        whole = letters == LETTERS[: w.view.components(w.view.type_of(words[side]))]
        parts.append(bases[side] if whole else postfix(bases[side], f".{letters}"))
    return call(w.types.spell(inst.type_id), *parts)


@value(op.OpTranspose)
def _transpose(w: FunctionWriter, inst: Instruction) -> Expr:
    return call("transpose", w.expr(inst.id(0)))


@value(op.OpOuterProduct)
def _outer_product(w: FunctionWriter, inst: Instruction) -> Expr:
    left, right = w.repeatable(w.expr(inst.id(0))), w.repeatable(w.expr(inst.id(1)))
    left = w.hidden(left)
    columns = w.view.type(inst.type_id).id(1)
    parts = [f"{left.text} * {right.primary}.{LETTERS[k]}" for k in range(columns)]
    return Expr(f"{w.types.spell(inst.type_id)}({', '.join(parts)})", depth=3)


@value(op.OpDot)
def _dot(w: FunctionWriter, inst: Instruction) -> Expr:
    left, right = w.expr(inst.id(0)), w.expr(inst.id(1))
    return call("dot", w.hidden(left) if right.constant else left, right)


@value(op.OpAny, op.OpAll)
def _fold(w: FunctionWriter, inst: Instruction) -> Expr:
    return call("any" if inst.op == op.OpAny else "all", w.expr(inst.id(0)))


@value(op.OpCopyLogical)
def _copy_logical(w: FunctionWriter, inst: Instruction) -> Expr:
    return convert_type(w, w.expr(inst.id(0)), w.view.type_of(inst.id(0)), inst.type_id)


def convert_type(w: FunctionWriter, value: Expr, source: int, target: int) -> Expr:
    """Convert a composite of the type ``source`` to the type ``target`` with equal elements, element by element."""
    if source == target or w.types.spell(source) == w.types.spell(target):
        return value
    value = w.repeatable(value)
    kind = w.view.type(target)
    count = len(kind.operands) if kind.op == op.OpTypeStruct else w.view.length(target)
    parts: list[Expr] = []
    for k in range(count):
        inner = part(w, value, source, k)
        parts.append(convert_type(w, inner, w.view.element(source, k), w.view.element(target, k)))
    return call(w.types.spell(target), *parts)


@value(op.OpUndef)
def _undefined(w: FunctionWriter, inst: Instruction) -> Expr:
    return w.constants.zero(inst.type_id)
