"""Walk the regions of functions and find divergent values, which may differ between invocations."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, SUBGROUP
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.control_flow import regions
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.writer.context import Context

from .state import Barrier, Cause, End, Frame, State, Summary, join

UNIFORM_INPUTS = frozenset((BuiltIn.WorkgroupId, BuiltIn.NumWorkgroups))
QUAD_VOTES = frozenset((op.OpGroupNonUniformQuadAnyKHR, op.OpGroupNonUniformQuadAllKHR))
DIFFERING = ATOMICS | SUBGROUP | QUAD_VOTES | {op.OpImageRead}
"""Opcodes whose results may differ between invocations even if their operands do not."""


class EntryPointFlow:
    """Finds the divergent values in the functions that one entry point calls; caches a summary of each call."""

    def __init__(self, context: Context, with_barriers: set[int]) -> None:
        self.context = context
        self.view = context.view
        self.with_barriers = with_barriers
        self.eligible: set[int] = set()
        """Loads from workgroup memory in uniform control flow."""
        self.summaries: dict[tuple[int, tuple[bool, ...]], Summary] = {}

    def call(self, number: int, arguments: tuple[bool, ...]) -> Summary:
        """Return the summary of a call in uniform control flow; raise ``Barrier`` if a barrier in it is not."""
        key = number, arguments
        summary = self.summaries.get(key)
        if summary is None:
            summary = self.summaries[key] = _Walker(self, self.view.functions[number], arguments).run()
        return summary


class _Walker:
    """Finds the divergent values in one function, given which of its arguments are divergent."""

    def __init__(self, module: EntryPointFlow, function: Function, arguments: tuple[bool, ...]) -> None:
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
        self.frames: list[Frame] = []
        self.returned: Cause = 0
        self.returns: list[State] = []

    def run(self) -> Summary:
        root = self.context.structure(self.function).root
        end = self.region(root, 0, dict(self.start))
        final = join(*self.returns, end.state) or {}
        return Summary(self.returned, tuple(final.get(inst.result_id, 0) for inst in self.function.parameters))

    def region(self, region: regions.Region, cause: Cause, state: State) -> End:
        end = End(cause, state)
        for item in region.items:
            if end.state is None:
                break
            self._items[type(item)](self, item, end, end.state)
        return end

    # -------------------------------------------------------------------------------------------------------- control

    def _code(self, item: regions.Code, end: End, state: State) -> None:
        for inst in self.blocks[item.block].instructions[:-1]:
            handler = self._instructions.get(inst.op)
            if handler is not None:
                handler(self, inst, end.cause, state)
            elif inst.result_id:
                own = inst.result_id if inst.op in DIFFERING else 0
                self._set(inst.result_id, own or self._any(used_ids(inst), end.cause))

    def _copies(self, item: regions.Copies, end: End, state: State) -> None:
        moves: State = {}
        for inst in self.blocks[item.target].instructions:
            if inst.op != op.OpPhi:
                break
            words = inst.ints()
            value = next(value for value, source in zip(words[::2], words[1::2], strict=True) if source == item.source)
            if self.view.defs[value].op != op.OpUndef:
                moves[inst.result_id] = self._any([value], end.cause)
        state.update(moves)

    def _set_flag(self, item: regions.SetFlag, end: End, state: State) -> None:
        state[-id(item.flag)] = end.cause

    def _if(self, item: regions.If, end: End, state: State) -> None:
        self._branches([item.then, item.otherwise], self._any([item.condition], end.cause), end, state)

    def _if_flag(self, item: regions.IfFlag, end: End, state: State) -> None:
        self._branches([item.then, item.otherwise], end.cause or state.get(-id(item.flag), 0), end, state)

    def _switch(self, item: regions.Switch, end: End, state: State) -> None:
        self._breakable([case.body for case in item.cases], self._any([item.selector], end.cause), end, state)

    def _wrap(self, item: regions.Wrap, end: End, state: State) -> None:
        self._breakable([item.body], end.cause, end, state)

    def _branches(self, branches: list[regions.Region], cause: Cause, end: End, state: State) -> list[End]:
        """Analyse alternatives of which each invocation runs one, and merge their ends into ``end``."""
        ends = [self.region(region, cause, dict(state)) for region in branches]
        end.state = join(*(one.state for one in ends))
        inner = set().union(*(one.behaviours for one in ends))
        if inner:
            end.cause = end.cause or next((one.cause for one in ends if one.cause), 0)
        end.behaviours |= inner
        return ends

    def _breakable(self, branches: list[regions.Region], cause: Cause, end: End, state: State) -> None:
        frame = Frame(False)
        self.frames.append(frame)
        before, outside = end.cause, set(end.behaviours)
        end.behaviours.clear()
        self._branches(branches, cause, end, state)
        self.frames.pop()
        end.state = join(end.state, *frame.breaks)
        end.behaviours.discard("break")
        if not end.behaviours:
            end.cause = before
        end.behaviours |= outside

    def _loop(self, item: regions.Loop, end: End, state: State) -> None:
        start, flow = dict(state), end.cause
        while True:
            frame = Frame(True)
            self.frames.append(frame)
            body = self.region(item.body, flow, dict(start))
            last = End(body.cause, join(body.state, *frame.continues), body.behaviours)
            if item.continuing is not None:
                last = self.region(item.continuing, body.cause, last.state or {})
                last.behaviours |= body.behaviours
            if item.break_if is not None and last.state is not None:
                frame.breaks.append(last.state)
                last.cause = self._any([item.break_if[0]], last.cause)
            self.frames.pop()
            following = join(start, last.state) or {}
            if bool(flow) == bool(last.cause or flow) and following.keys() == (join(start) or {}).keys():
                break
            start, flow = following, flow or last.cause
        end.state = join(*frame.breaks)
        if "return" in last.behaviours:
            end.cause = flow
            end.behaviours.add("return")

    def _leave(self, item: regions.Leave, end: End, state: State) -> None:
        if item.again:
            next(frame for frame in reversed(self.frames) if frame.loop).continues.append(state)
        else:
            self.frames[-1].breaks.append(state)
        end.behaviours.add("continue" if item.again else "break")
        end.state = None

    def _end(self, item: regions.End, end: End, state: State) -> None:
        last = self.blocks[item.block].instructions[-1]
        if last.op == op.OpReturnValue:
            self.returned = self.returned or self._any([last.id(0)], end.cause)
        self.returns.append(state)
        end.behaviours.add("return")
        end.state = None

    _items: ClassVar[dict[type, Callable[..., None]]] = {
        regions.Code: _code,
        regions.Copies: _copies,
        regions.SetFlag: _set_flag,
        regions.If: _if,
        regions.IfFlag: _if_flag,
        regions.Switch: _switch,
        regions.Wrap: _wrap,
        regions.Loop: _loop,
        regions.Leave: _leave,
        regions.End: _end,
    }

    # --------------------------------------------------------------------------------------------------------- values

    def _any(self, values: list[int], cause: Cause) -> Cause:
        """Return the cause of divergence of a value computed from others: that of the first divergent one."""
        return cause or next((own for value in values if (own := self.values.get(value, 0))), 0)

    def _set(self, number: int, cause: Cause) -> None:
        """Record a value's cause of divergence; once divergent in any iteration of a loop, it stays divergent."""
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
                raise Barrier(inst, cause)
            return 0
        if cause:
            return cause
        if root.op == op.OpFunctionParameter or root.id(0) == StorageClass.Function:
            return state.get(number, 0)
        space = root.id(0)
        if space == StorageClass.Workgroup:
            if inst.op != op.OpLoad or not self._loadable(number, indices):
                return number
            self.module.eligible.add(inst.result_id)
            return inst.result_id
        declared = self.context.roots.get(number)
        if space == StorageClass.Input:
            uniform = declared is None and self.view.literal(number, Decoration.BuiltIn) in UNIFORM_INPUTS
        else:
            uniform = space == StorageClass.UniformConstant or (declared is not None and declared.constant)
        return 0 if uniform else number

    def _loadable(self, variable: int, indices: list[int]) -> bool:
        """Return whether `workgroupUniformLoad` can read the part of a variable that access chain indices select.

        It can read atomics, but no composites that contain atomics.
        """
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
        if root.op == op.OpFunctionParameter or root.id(0) == StorageClass.Function:
            before = state.get(root.result_id, 0) if indices else 0
            state[root.result_id] = before or self._any(indices, cause)

    def _copy(self, inst: Instruction, cause: Cause, state: State) -> None:
        self._write(inst.id(0), self._read(inst, inst.id(1), cause, state), state)

    def _extended(self, inst: Instruction, cause: Cause, state: State) -> None:
        """Analyse an instruction of GLSL.std.450: its result, and the memory that it may write through a pointer."""
        result = self._any(used_ids(inst), cause)
        self._set(inst.result_id, result)
        for operand in used_ids(inst)[1:]:
            definition = self.view.defs.get(operand)
            if definition is not None and definition.type_id and self.view.is_pointer(definition.type_id):
                self._write(operand, result, state)

    def _barrier(self, inst: Instruction, cause: Cause, state: State) -> None:
        if cause:
            raise Barrier(inst, cause)

    def _call(self, inst: Instruction, cause: Cause, state: State) -> None:
        arguments = inst.ints()[1:]
        if cause and inst.id(0) in self.module.with_barriers:
            raise Barrier(inst, cause)
        causes: list[Cause] = []
        for operand in arguments:
            pointer = self.view.is_pointer(self.view.type_of(operand))
            causes.append(self._read(inst, operand, cause, state) if pointer else self._any([operand], cause))
        summary = self.module.call(inst.id(0), tuple(bool(one) for one in causes))
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
        op.OpMemoryBarrier: _barrier,
        op.OpFunctionCall: _call,
    }
