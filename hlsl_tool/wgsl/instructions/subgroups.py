"""Subgroup and quad operations (WGSL extension ``subgroups``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import GroupOperation, Scope
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions.arithmetic import as_integer, result
from hlsl_tool.wgsl.writer.expr import COMPARE, Expr, binary, call
from hlsl_tool.wgsl.writer.registry import statement

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

REDUCTIONS: dict[int, tuple[str, str]] = {
    op.OpGroupNonUniformIAdd: ("Add", "r"),
    op.OpGroupNonUniformFAdd: ("Add", "f"),
    op.OpGroupNonUniformIMul: ("Mul", "r"),
    op.OpGroupNonUniformFMul: ("Mul", "f"),
    op.OpGroupNonUniformSMin: ("Min", "s"),
    op.OpGroupNonUniformUMin: ("Min", "u"),
    op.OpGroupNonUniformFMin: ("Min", "f"),
    op.OpGroupNonUniformSMax: ("Max", "s"),
    op.OpGroupNonUniformUMax: ("Max", "u"),
    op.OpGroupNonUniformFMax: ("Max", "f"),
    op.OpGroupNonUniformBitwiseAnd: ("And", "r"),
    op.OpGroupNonUniformBitwiseOr: ("Or", "r"),
    op.OpGroupNonUniformBitwiseXor: ("Xor", "r"),
}
"""Opcode → (function, type of the operand: that of the result, signed, unsigned, unchanged)."""

SHUFFLES = {
    op.OpGroupNonUniformShuffle: "subgroupShuffle",
    op.OpGroupNonUniformShuffleXor: "subgroupShuffleXor",
    op.OpGroupNonUniformShuffleUp: "subgroupShuffleUp",
    op.OpGroupNonUniformShuffleDown: "subgroupShuffleDown",
}

PREFIXES = {
    GroupOperation.Reduce: "subgroup{}",
    GroupOperation.InclusiveScan: "subgroupInclusive{}",
    GroupOperation.ExclusiveScan: "subgroupExclusive{}",
}


def _define(w: FunctionWriter, inst: Instruction, value: Expr) -> None:
    if w.view.constant(inst.id(0)) != Scope.Subgroup:
        raise Unsupported("WGSL has these operations for subgroups only")
    w.context.needs.enables.add("subgroups")
    w.context.needs.subgroups = True
    if w.uses.count.get(inst.result_id, 0):
        w.define_now(inst, value)


def _moved(w: FunctionWriter, inst: Instruction, function: str, value: int, *rest: Expr) -> None:
    """Write a call of ``function``, which passes ``value`` between lanes.

    Booleans are passed as 0 and 1, because WGSL has no such functions for them.
    """
    type_id = w.view.type_of(value)
    count = w.view.components(type_id)
    scalar = w.view.element(type_id) if count > 1 else type_id
    operand = w.expr(value)
    if w.view.defs[scalar].op != op.OpTypeBool:
        _define(w, inst, call(function, operand, *rest))
        return
    zero, one = ("0u", "1u") if count == 1 else (f"vec{count}u()", f"vec{count}u(1u)")
    moved = call(function, call("select", Expr(zero), Expr(one), operand), *rest)
    _define(w, inst, binary("!=", moved, Expr(zero)))


@statement(*REDUCTIONS)
def _reduce(w: FunctionWriter, inst: Instruction) -> None:
    name, seen = REDUCTIONS[inst.op]
    signed = w.view.is_signed(inst.type_id) if seen == "r" else seen == "s"
    operand = w.expr(inst.id(2)) if seen == "f" else as_integer(w, inst.id(2), signed)
    prefix = PREFIXES.get(inst.id(1))
    if prefix is None:
        raise Unsupported("WGSL has no clustered operations")
    if inst.id(1) != GroupOperation.Reduce and name not in ("Add", "Mul"):
        raise Unsupported(f"WGSL has no scan for {name.lower()}")
    reduced = call(prefix.format(name), operand)
    _define(w, inst, reduced if seen == "f" else result(w, inst, reduced, signed))


@statement(op.OpGroupNonUniformElect)
def _elect(w: FunctionWriter, inst: Instruction) -> None:
    _define(w, inst, Expr("subgroupElect()", depth=1))


@statement(op.OpGroupNonUniformAll, op.OpGroupNonUniformAny)
def _vote(w: FunctionWriter, inst: Instruction) -> None:
    name = "subgroupAll" if inst.op == op.OpGroupNonUniformAll else "subgroupAny"
    _define(w, inst, call(name, w.expr(inst.id(1))))


@statement(op.OpGroupNonUniformAllEqual)
def _all_equal(w: FunctionWriter, inst: Instruction) -> None:
    type_id = w.view.type_of(inst.id(1))
    count = w.view.components(type_id)
    value = w.repeatable(w.expr(inst.id(1)))
    if w.view.defs[w.view.element(type_id) if count > 1 else type_id].op == op.OpTypeBool:
        zero, one = ("0u", "1u") if count == 1 else (f"vec{count}u()", f"vec{count}u(1u)")
        value = w.repeatable(call("select", Expr(zero), Expr(one), value))
    same = f"{value.text} == subgroupBroadcastFirst({value.text})"
    if count > 1:
        same = f"all({same})"
    _define(w, inst, Expr(f"subgroupAll({same})", depth=3))


@statement(op.OpGroupNonUniformBallot)
def _ballot(w: FunctionWriter, inst: Instruction) -> None:
    condition = w.repeatable(w.expr(inst.id(1)))
    w.ballots[inst.result_id] = condition, w.scope
    _define(w, inst, call("subgroupBallot", condition))


@statement(op.OpGroupNonUniformBallotBitCount)
def _count(w: FunctionWriter, inst: Instruction) -> None:
    """Write the number of bits set in a ballot; for the lanes before this one, it is a prefix sum of the condition."""
    if inst.id(1) != GroupOperation.Reduce:
        prefix = PREFIXES.get(inst.id(1))
        condition, scope = w.ballots.get(inst.id(2), (None, None))
        if condition is None or scope is not w.scope or prefix is None:
            raise Unsupported("WGSL cannot count the lanes before this one in a ballot from elsewhere")
        w.expr(inst.id(2))
        count = Expr(f"{prefix.format('Add')}(select(0u, 1u, {condition.text}))", depth=2)
        _define(w, inst, result(w, inst, count, False))
        return
    count = call("dot", call("countOneBits", w.expr(inst.id(2))), Expr("vec4u(1u)"))
    _define(w, inst, result(w, inst, count, False))


@statement(op.OpGroupNonUniformBroadcastFirst)
def _broadcast_first(w: FunctionWriter, inst: Instruction) -> None:
    _moved(w, inst, "subgroupBroadcastFirst", inst.id(1))


@statement(op.OpGroupNonUniformBroadcast)
def _broadcast(w: FunctionWriter, inst: Instruction) -> None:
    if w.view.constant(inst.id(2)) is None:
        _moved(w, inst, "subgroupShuffle", inst.id(1), as_integer(w, inst.id(2), False))
        return
    _moved(w, inst, "subgroupBroadcast", inst.id(1), as_integer(w, inst.id(2), False))


@statement(*SHUFFLES)
def _shuffle(w: FunctionWriter, inst: Instruction) -> None:
    _moved(w, inst, SHUFFLES[inst.op], inst.id(1), as_integer(w, inst.id(2), False))


@statement(op.OpGroupNonUniformQuadBroadcast)
def _quad_broadcast(w: FunctionWriter, inst: Instruction) -> None:
    if w.view.constant(inst.id(2)) is None:
        raise Unsupported("WGSL broadcasts from a known place in the quad")
    _moved(w, inst, "quadBroadcast", inst.id(1), as_integer(w, inst.id(2), False))


@statement(op.OpGroupNonUniformQuadSwap)
def _quad_swap(w: FunctionWriter, inst: Instruction) -> None:
    direction = w.view.constant(inst.id(2))
    if direction not in (0, 1, 2):
        raise Unsupported("WGSL swaps in a known direction")
    _moved(w, inst, ("quadSwapX", "quadSwapY", "quadSwapDiagonal")[direction], inst.id(1))


@statement(op.OpGroupNonUniformQuadAnyKHR, op.OpGroupNonUniformQuadAllKHR)
def _quad_vote(w: FunctionWriter, inst: Instruction) -> None:
    """Write a quad vote: combine the value with those of the three other lanes, obtained by quad swaps."""
    w.context.needs.enables.add("subgroups")
    w.context.needs.subgroups = True
    own = w.temporary(call("select", Expr("0u"), Expr("1u"), w.expr(inst.id(0))), "vote").text
    operator, result = ("|", "!= 0u") if inst.op == op.OpGroupNonUniformQuadAnyKHR else ("&", "== 1u")
    votes = [own, *(f"quadSwap{direction}({own})" for direction in ("X", "Y", "Diagonal"))]
    w.define_now(inst, Expr(f"({f' {operator} '.join(votes)}) {result}", COMPARE, depth=3))
