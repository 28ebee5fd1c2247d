"""Check that every barrier is in uniform control flow by WGSL's static rules (specification, 15.2).

SPIR-V requires that at run time, WGSL in the text.  Before: functions as regions (see `regions`), in the form in which
they are written.  After: every barrier is where a WGSL compiler accepts it, or an error names the value on which
reaching it depends.  A value from workgroup memory on which barriers depend is read with `workgroupUniformLoad`
if it is read in uniform control flow, which makes it uniform.

A *cause* is the id of a value that may differ between invocations, or 0 for none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, SUBGROUP
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.control_flow import regions as r
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.source_places import Places
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.context import Context

UNIFORM_INPUTS = frozenset((e.BuiltIn.WorkgroupId, e.BuiltIn.NumWorkgroups))
DIFFERING = ATOMICS | SUBGROUP | {op.OpImageRead}
"""Opcodes whose results differ between invocations, whatever their operands."""

S = e.StorageClass
SPACES = {
    S.Workgroup: "groupshared memory",
    S.Private: "a static variable",
    S.StorageBuffer: "a buffer",
    S.Uniform: "a buffer",
}

Cause = int
State = dict[int, Cause]
"""Variable, phi or flag → whether its value differs; what is not here does not."""


class _Barrier(Exception):
    """A barrier is not in uniform control flow."""

    def __init__(self, inst: Instruction, cause: Cause) -> None:
        super().__init__()
        self.inst = inst
        self.cause = cause


class _Summary(NamedTuple):
    """The causes after a call, for one combination of uniform and non-uniform arguments."""

    returned: Cause
    contents: tuple[Cause, ...]
    """For each parameter that is a pointer: the cause of its contents after the call."""


@dataclass(slots=True)
class _Frame:
    """An open construct: the variables where it is left, or a loop continued."""

    loop: bool
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class _End:
    """The end of a list of statements."""

    cause: Cause
    """Of control flow."""
    state: State | None
    """None where control does not get there."""
    behaviours: set[str] = field(default_factory=set)
    """How it is left before its end: break, continue, return."""


def check_barriers(context: Context, functions: list[Function], places: Places) -> None:
    """Raise a `WgslError` for a barrier that WGSL refuses; note what `workgroupUniformLoad` has to read."""
    with_barriers = _with_barriers(context.view, functions)
    roots = [inst.id(1) for inst in context.view.module.entry_points if inst.id(1) in with_barriers]
    for root in dict.fromkeys(roots):
        while True:
            module = _Module(context, with_barriers)
            try:
                module.call(root, ())
                break
            except _Barrier as barrier:
                if barrier.cause in context.uniform_loads or barrier.cause not in module.eligible:
                    raise places.error(Unsupported(_reason(context.view, barrier.cause)), barrier.inst) from None
                context.uniform_loads.add(barrier.cause)


def _with_barriers(view: View, functions: list[Function]) -> set[int]:
    """The functions with barriers, in themselves or in what they call; callees stand before callers."""
    found: set[int] = set()
    for function in functions:
        for inst in function.instructions():
            if inst.op == op.OpControlBarrier or (inst.op == op.OpFunctionCall and inst.id(0) in found):
                found.add(function.id)
                break
    return found


def _reason(view: View, cause: Cause) -> str:
    """Word the error for a cause."""
    inst = view.defs[cause]
    if inst.op == op.OpLoad:
        inst = root_of(view, inst.id(0))[0]
    what = view.names.get(inst.result_id, "")
    if inst.op == op.OpVariable:
        number = view.literal(inst.result_id, e.Decoration.BuiltIn)
        if number is not None:
            what = enum_name("BuiltIn", number) or what
        what = f"`{what}`, {SPACES[inst.id(0)]}" if inst.id(0) in SPACES else f"`{what}`"
    else:
        what = f"`{what}`" if what else "a value that may differ between invocations"
    return f"WGSL wants barriers in uniform control flow: whether this one is reached depends on {what}"


def _join(*states: State | None) -> State | None:
    """Join the states of the paths that meet; None if no path reaches the point."""
    known = [state for state in states if state is not None]
    if not known:
        return None
    out: State = {}
    for state in known:
        for key, cause in state.items():
            if cause:
                out.setdefault(key, cause)
    return out


class _Module:
    """The functions of one entry point."""

    def __init__(self, context: Context, with_barriers: set[int]) -> None:
        self.context = context
        self.view = context.view
        self.with_barriers = with_barriers
        self.eligible: set[int] = set()
        """Loads from workgroup memory in uniform control flow."""
        self.known: dict[tuple[int, tuple[bool, ...]], _Summary] = {}

    def call(self, number: int, arguments: tuple[bool, ...]) -> _Summary:
        """In uniform control flow."""
        key = number, arguments
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = _Walker(self, self.view.functions[number], arguments).run()
        return found


class _Walker:
    """One function with arguments that differ or not."""

    def __init__(self, module: _Module, function: Function, arguments: tuple[bool, ...]) -> None:
        self.module = module
        self.context = module.context
        self.view = module.view
        self.function = function
        self.blocks = {block.label: block for block in function.blocks}
        self.values: State = {}
        self.start: State = {}
        for inst, differs in zip(function.parameters, arguments, strict=True):
            where = self.start if self.view.is_pointer(inst.type_id) else self.values
            where[inst.result_id] = inst.result_id if differs else 0
        self.frames: list[_Frame] = []
        self.returned: Cause = 0
        self.returns: list[State] = []

    def run(self) -> _Summary:
        root = self.context.structure(self.function).root
        end = self.region(root, 0, dict(self.start))
        final = _join(*self.returns, end.state) or {}
        return _Summary(self.returned, tuple(final.get(inst.result_id, 0) for inst in self.function.parameters))

    def region(self, region: r.Region, cause: Cause, state: State) -> _End:
        end = _End(cause, state)
        for item in region.items:
            if end.state is None:
                break
            self._items[type(item)](self, item, end, end.state)
        return end

    # -------------------------------------------------------------------------------------------------------- control

    def _code(self, item: r.Code, end: _End, state: State) -> None:
        for inst in self.blocks[item.block].instructions[:-1]:
            handler = self._instructions.get(inst.op)
            if handler is not None:
                handler(self, inst, end.cause, state)
            elif inst.result_id:
                own = inst.result_id if inst.op in DIFFERING else 0
                self._set(inst.result_id, own or self._any(used_ids(inst), end.cause))

    def _copies(self, item: r.Copies, end: _End, state: State) -> None:
        moves: State = {}
        for inst in self.blocks[item.target].instructions:
            if inst.op != op.OpPhi:
                break
            words = inst.ints()
            value = next(value for value, source in zip(words[::2], words[1::2], strict=True) if source == item.source)
            if self.view.defs[value].op != op.OpUndef:
                moves[inst.result_id] = self._any([value], end.cause)
        state.update(moves)

    def _set_flag(self, item: r.SetFlag, end: _End, state: State) -> None:
        state[-id(item.flag)] = end.cause

    def _if(self, item: r.If, end: _End, state: State) -> None:
        self._branches([item.then, item.otherwise], self._any([item.condition], end.cause), end, state)

    def _if_flag(self, item: r.IfFlag, end: _End, state: State) -> None:
        self._branches([item.then, r.Region()], end.cause or state.get(-id(item.flag), 0), end, state)

    def _switch(self, item: r.Switch, end: _End, state: State) -> None:
        self._breakable([case.body for case in item.cases], self._any([item.selector], end.cause), end, state)

    def _wrap(self, item: r.Wrap, end: _End, state: State) -> None:
        self._breakable([item.body], end.cause, end, state)

    def _branches(self, regions: list[r.Region], cause: Cause, end: _End, state: State) -> list[_End]:
        """Lists of which one runs."""
        ends = [self.region(region, cause, dict(state)) for region in regions]
        end.state = _join(*(one.state for one in ends))
        inner = set().union(*(one.behaviours for one in ends))
        if inner:
            end.cause = end.cause or next((one.cause for one in ends if one.cause), 0)
        end.behaviours |= inner
        return ends

    def _breakable(self, regions: list[r.Region], cause: Cause, end: _End, state: State) -> None:
        frame = _Frame(False)
        self.frames.append(frame)
        before, outside = end.cause, set(end.behaviours)
        end.behaviours.clear()
        self._branches(regions, cause, end, state)
        self.frames.pop()
        end.state = _join(end.state, *frame.breaks)
        end.behaviours.discard("break")
        if not end.behaviours:
            end.cause = before
        end.behaviours |= outside

    def _loop(self, item: r.Loop, end: _End, state: State) -> None:
        start, flow = dict(state), end.cause
        while True:
            frame = _Frame(True)
            self.frames.append(frame)
            body = self.region(item.body, flow, dict(start))
            last = _End(body.cause, _join(body.state, *frame.continues), body.behaviours)
            if item.continuing is not None:
                last = self.region(item.continuing, body.cause, last.state or {})
                last.behaviours |= body.behaviours
            if item.break_if is not None and last.state is not None:
                frame.breaks.append(last.state)
                last.cause = self._any([item.break_if[0]], last.cause)
            self.frames.pop()
            following = _join(start, last.state) or {}
            if bool(flow) == bool(last.cause or flow) and following.keys() == (_join(start) or {}).keys():
                break
            start, flow = following, flow or last.cause
        end.state = _join(*frame.breaks)
        if "return" in last.behaviours:
            end.cause = flow
            end.behaviours.add("return")

    def _leave(self, item: r.Leave, end: _End, state: State) -> None:
        if item.again:
            next(frame for frame in reversed(self.frames) if frame.loop).continues.append(state)
        else:
            self.frames[-1].breaks.append(state)
        end.behaviours.add("continue" if item.again else "break")
        end.state = None

    def _end(self, item: r.End, end: _End, state: State) -> None:
        last = self.blocks[item.block].instructions[-1]
        if last.op == op.OpReturnValue:
            self.returned = self.returned or self._any([last.id(0)], end.cause)
        self.returns.append(state)
        end.behaviours.add("return")
        end.state = None

    _items: ClassVar[dict[type, Callable[..., None]]] = {
        r.Code: _code,
        r.Copies: _copies,
        r.SetFlag: _set_flag,
        r.If: _if,
        r.IfFlag: _if_flag,
        r.Switch: _switch,
        r.Wrap: _wrap,
        r.Loop: _loop,
        r.Leave: _leave,
        r.End: _end,
    }

    # --------------------------------------------------------------------------------------------------------- values

    def _any(self, values: list[int], cause: Cause) -> Cause:
        """A cause for a value that is computed from some."""
        return cause or next((found for value in values if (found := self.values.get(value, 0))), 0)

    def _set(self, number: int, cause: Cause) -> None:
        """Record a cause; a value that differs in one iteration of a loop stays non-uniform."""
        self.values[number] = self.values.get(number, 0) or cause

    def _phi(self, inst: Instruction, cause: Cause, state: State) -> None:
        self._set(inst.result_id, cause or state.get(inst.result_id, 0))

    def _load(self, inst: Instruction, cause: Cause, state: State) -> None:
        self._set(inst.result_id, self._read(inst, inst.id(0), cause, state))

    def _read(self, inst: Instruction, pointer: int, cause: Cause, state: State) -> Cause:
        root, indices = root_of(self.view, pointer)
        number = root.result_id
        cause = self._any(indices, cause)
        if inst.result_id in self.context.uniform_loads:
            if cause:
                raise _Barrier(inst, cause)
            return 0
        if cause:
            return cause
        if root.op == op.OpFunctionParameter or root.id(0) == S.Function:
            return state.get(number, 0)
        space = root.id(0)
        if space == S.Workgroup:
            if inst.op != op.OpLoad or not self._loadable(number, indices):
                return number
            self.module.eligible.add(inst.result_id)
            return inst.result_id
        known = self.context.roots.get(number)
        if space == S.Input:
            uniform = known is None and self.view.literal(number, e.Decoration.BuiltIn) in UNIFORM_INPUTS
        else:
            uniform = space == S.UniformConstant or (known is not None and known.constant)
        return 0 if uniform else number

    def _loadable(self, variable: int, indices: list[int]) -> bool:
        """Can `workgroupUniformLoad` read it?  It takes atomics, but nothing that contains some."""
        form = self.context.roots[variable].form
        for index in indices:
            if form is None or form.plain:
                return True
            form = form.members[self.view.constant(index) or 0] if form.kind == "struct" else form.element
        return form is None or form.plain or form.kind == "atomic"

    def _store(self, inst: Instruction, cause: Cause, state: State) -> None:
        self._write(inst.id(0), self._any([inst.id(1)], cause), state)

    def _write(self, pointer: int, cause: Cause, state: State) -> None:
        root, indices = root_of(self.view, pointer)
        if root.op == op.OpFunctionParameter or root.id(0) == S.Function:
            before = state.get(root.result_id, 0) if indices else 0
            state[root.result_id] = before or self._any(indices, cause)

    def _copy(self, inst: Instruction, cause: Cause, state: State) -> None:
        self._write(inst.id(0), self._read(inst, inst.id(1), cause, state), state)

    def _extended(self, inst: Instruction, cause: Cause, state: State) -> None:
        """Some write through a pointer."""
        found = self._any(used_ids(inst), cause)
        self._set(inst.result_id, found)
        for operand in used_ids(inst)[1:]:
            known = self.view.defs.get(operand)
            if known is not None and known.type_id and self.view.is_pointer(known.type_id):
                self._write(operand, found, state)

    def _barrier(self, inst: Instruction, cause: Cause, state: State) -> None:
        if cause:
            raise _Barrier(inst, cause)

    def _call(self, inst: Instruction, cause: Cause, state: State) -> None:
        arguments = inst.ints()[1:]
        if cause and inst.id(0) in self.module.with_barriers:
            raise _Barrier(inst, cause)
        found: list[Cause] = []
        for operand in arguments:
            pointer = self.view.is_pointer(self.view.type_of(operand))
            found.append(self._read(inst, operand, cause, state) if pointer else self._any([operand], cause))
        summary = self.module.call(inst.id(0), tuple(bool(one) for one in found))
        for operand, after in zip(arguments, summary.contents, strict=True):
            if self.view.is_pointer(self.view.type_of(operand)):
                self._write(operand, cause or after, state)
        self._set(inst.result_id, cause or summary.returned)

    _instructions: ClassVar[dict[int, Callable[..., None]]] = {
        op.OpPhi: _phi,
        op.OpLoad: _load,
        op.OpStore: _store,
        op.OpCopyMemory: _copy,
        op.OpExtInst: _extended,
        op.OpControlBarrier: _barrier,
        op.OpFunctionCall: _call,
    }
