"""Write structured control flow (regions) as WGSL statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.wgsl.control_flow import regions as r
from hlsl_tool.wgsl.writer.constant_expressions import integer_literal
from hlsl_tool.wgsl.writer.expr import COMPARE, Expr, negation
from hlsl_tool.wgsl.writer.statements import IfStatement, LoopStatement, Scope, SwitchStatement

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

_WORD = re.compile(r"\w+")


def write_region(w: FunctionWriter, region: r.Region) -> None:
    """Write the items of a region as statements to the current scope."""
    for item in region.items:
        _WRITERS[type(item)](w, item)


def _code(w: FunctionWriter, item: r.Code) -> None:
    w.instructions(item.block)


def _copies(w: FunctionWriter, item: r.Copies) -> None:
    """Write assignments to phis as if simultaneous: a value that an assignment would overwrite is named first."""
    moves: list[tuple[str, Expr]] = []
    for inst in w.blocks[item.target].instructions:
        if inst.op != op.OpPhi:
            break
        if inst.result_id not in w.uses.live:
            continue
        words = inst.ints()
        value = next(value for value, source in zip(words[::2], words[1::2], strict=True) if source == item.source)
        variable = w.phi(inst.result_id)
        if w.view.defs[value].op != op.OpUndef:
            moves.append((variable.name, w.expr(value)))
    changed: set[str] = set()
    for index, (name, expression) in enumerate(moves):
        if changed and changed.intersection(_WORD.findall(expression.text)):
            moves[index] = name, w.temporary(expression)
        changed.add(name)
    w.flush()
    for name, expression in moves:
        if expression.text != name:
            w.assign(name, expression.text)


def _scope(w: FunctionWriter, region: r.Region) -> Scope:
    with w.inside(w.scope.child()) as scope:
        write_region(w, region)
    return scope


def _if(w: FunctionWriter, item: r.If) -> None:
    condition = w.expr(item.condition)
    w.flush()
    _branches(w, condition, item.negated, item.then, item.otherwise)


def _branches(w: FunctionWriter, condition: Expr, negated: bool, yes: r.Region, no: r.Region) -> None:
    then, otherwise = _scope(w, yes), _scope(w, no)
    if not then.statements:
        then, otherwise, negated = otherwise, then, not negated
    if not then.statements:
        return
    opposite = negation(condition)
    if negated:
        condition, opposite = opposite, condition
    w.emit(IfStatement(condition.text, then, otherwise, opposite.text))


def _if_flag(w: FunctionWriter, item: r.IfFlag) -> None:
    w.flush()
    name = w.flag(item.flag)
    if item.flag.numeric:
        condition = Expr(f"{name} == {item.value}i", COMPARE)
    else:
        condition = Expr(name)
    _branches(w, condition, not item.flag.numeric and not item.value, item.then, item.otherwise)


def _set_flag(w: FunctionWriter, item: r.SetFlag) -> None:
    name = w.flag(item.flag)
    w.assign(name, f"{item.value}i" if item.flag.numeric else "true" if item.value else "false")


def _switch(w: FunctionWriter, item: r.Switch) -> None:
    selector = w.expr(item.selector)
    w.flush()
    type_id = w.view.type_of(item.selector)
    w.types.spell(type_id)
    signed = w.view.is_signed(type_id)
    cases: list[tuple[str, Scope]] = []
    for case in item.cases:
        labels = [integer_literal(value, signed) for value in sorted(case.values)]
        if case.default and not labels:
            text = "default:"
        else:
            text = f"case {', '.join(labels + ['default'] * case.default)}:"
        cases.append((text, _scope(w, case.body)))
    w.emit(SwitchStatement(selector.text, cases))


def _wrap(w: FunctionWriter, item: r.Wrap) -> None:
    w.flush()
    w.emit(SwitchStatement("0i", [("default:", _scope(w, item.body))]))


def _loop(w: FunctionWriter, item: r.Loop) -> None:
    w.flush()
    continuing: Scope | None = None
    break_if = "false" if item.endless else ""
    with w.inside(w.scope.child(loop=True)) as body:
        write_region(w, item.body)
        w.flush()
        if item.continuing is not None:
            with w.inside(body.child(continuing=True, loop=True)) as continuing:
                write_region(w, item.continuing)
                if item.break_if is not None:
                    condition = w.expr(item.break_if[0])
                    w.flush()
                    break_if = (negation(condition) if item.break_if[1] else condition).text
    w.emit(LoopStatement(body, continuing, break_if))


def _leave(w: FunctionWriter, item: r.Leave) -> None:
    w.flush()
    w.line("continue;" if item.again else "break;")


def _end(w: FunctionWriter, item: r.End) -> None:
    w.end(w.blocks[item.block].instructions[-1])


_WRITERS: dict[type, Callable[..., None]] = {
    r.Code: _code,
    r.Copies: _copies,
    r.If: _if,
    r.IfFlag: _if_flag,
    r.SetFlag: _set_flag,
    r.Switch: _switch,
    r.Wrap: _wrap,
    r.Loop: _loop,
    r.Leave: _leave,
    r.End: _end,
}
