"""What the functions of a module use: variables, each other, members of blocks, atomics."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.groups import ACCESS_CHAINS, ATOMICS
from hlsl_tool.spirv.ir import Function, Instruction

from .errors import Unsupported
from .layout import ELEMENT, Path
from .uses import operand_ids, root_of
from .view import View

WRITING = ATOMICS | {op.OpStore, op.OpCopyMemory}


class Usage:
    """Facts about the functions that are reached."""

    def __init__(self, view: View, functions: list[Function]) -> None:
        self.view = view
        self.users: dict[int, set[int]] = {}
        """Variable → the functions that mention it."""
        self.accessed: set[tuple[int, int]] = set()
        """(variable, member) for chains from a variable into a member."""
        self.written: set[int] = set()
        """Variables that some function writes to."""
        self.calls: dict[int, set[int]] = {}
        self.atomics: dict[int, set[Path]] = {}
        """Variable → where atomics work in it."""
        variables = {inst.result_id for inst in view.module.globals if inst.op == op.OpVariable}
        for function in functions:
            called = self.calls[function.id] = set()
            for inst in function.instructions():
                if inst.op == op.OpFunctionCall:
                    called.add(inst.id(0))
                if inst.op in ATOMICS:
                    self._atomic(inst)
                if inst.op in WRITING:
                    self.written.add(root_of(view, inst.id(0))[0].result_id)
                for index, operand in enumerate(operand_ids(inst)):
                    if operand not in variables:
                        continue
                    self.users.setdefault(operand, set()).add(function.id)
                    if index == 0 and inst.op in ACCESS_CHAINS and len(inst.operands) > 1:
                        member = view.constant(inst.id(1))
                        if member is not None:
                            self.accessed.add((operand, member))

    def _atomic(self, inst: Instruction) -> None:
        variable, path = self.path(inst.id(0))
        if variable:
            self.atomics.setdefault(variable, set()).add(path)

    def path(self, pointer: int) -> tuple[int, Path]:
        """The variable and the members that a pointer leads to."""
        inst, indices = root_of(self.view, pointer)
        if inst.op == op.OpImageTexelPointer:
            return 0, ()
        if inst.op != op.OpVariable:
            raise Unsupported("an atomic works on memory that does not come from a variable", pointer)
        type_id = self.view.pointee(inst.type_id)
        path: list[int] = []
        for index in indices:
            if self.view.type(type_id).op == op.OpTypeStruct:
                member = self.view.constant(index) or 0
                path.append(member)
                type_id = self.view.element(type_id, member)
            else:
                path.append(ELEMENT)
                type_id = self.view.element(type_id)
        return inst.result_id, tuple(path)

    def reached(self, function: int) -> set[int]:
        """The functions that a function calls, directly or not, with itself."""
        found = {function}
        pending = [function]
        while pending:
            for called in self.calls.get(pending.pop(), ()):
                if called not in found:
                    found.add(called)
                    pending.append(called)
        return found

    def fragment_only(self) -> set[int]:
        """The functions that only fragment shaders reach: those that have derivatives."""
        return {number for number, models in self.stages().items() if models == {e.ExecutionModel.Fragment}}

    def stages(self) -> dict[int, set[int]]:
        """Function → the execution models that reach it."""
        out: dict[int, set[int]] = {}
        for inst in self.view.module.entry_points:
            for function in self.reached(inst.id(1)):
                out.setdefault(function, set()).add(inst.id(0))
        return out
