"""Collect what each function uses: variables, callees, members of blocks, atomics."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import reach
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ATOMICS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import ExecutionModel, ImageOperands, MemoryAccess, Scope, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import HANDLES, View

WRITING = ATOMICS | {op.OpStore, op.OpCopyMemory}


_MASKS = {op.OpLoad: 1, op.OpStore: 2, op.OpCopyMemory: 2, op.OpImageRead: 2, op.OpImageWrite: 3}
"""Opcode → index of the memory or image operands mask."""

_BUFFER_BITS = MemoryAccess.MakePointerAvailable | MemoryAccess.MakePointerVisible
_IMAGE_BITS = ImageOperands.MakeTexelAvailable | ImageOperands.MakeTexelVisible


def _crosses_workgroups(view: View, inst: Instruction) -> bool:
    """Return whether an access makes writes available or visible beyond its workgroup (Vulkan's memory model)."""
    place = _MASKS.get(inst.op)
    if place is None or len(inst.operands) <= place:
        return False
    image = inst.op in (op.OpImageRead, op.OpImageWrite)
    if image:
        coherent, volatile = inst.id(place) & _IMAGE_BITS, inst.id(place) & ImageOperands.VolatileTexel
    else:
        coherent, volatile = inst.id(place) & _BUFFER_BITS, inst.id(place) & MemoryAccess.Volatile
    wide = (Scope.CrossDevice, Scope.Device, Scope.QueueFamily)
    words = [word for word in inst.ints()[place + 1 :] if word in view.defs]
    return bool(volatile) or (bool(coherent) and any(view.constant(word) in wide for word in words[-1:]))


def _image(view: View, value: int) -> int:
    """Return the variable that an image was loaded from; 0 if there is none."""
    inst = view.defs[value]
    while inst.op in (op.OpImage, op.OpSampledImage, op.OpCopyObject):
        inst = view.defs[inst.id(0)]
    return root_of(view, inst.id(0))[0].result_id if inst.op == op.OpLoad else 0


Path = tuple[int, ...]
"""A path into a type: the indices of members, and `ELEMENT` for an array's elements."""

ELEMENT = -1


class Usage:
    """The uses of variables and functions by all functions that entry points call."""

    def __init__(self, view: View, functions: list[Function]) -> None:
        self.view = view
        self.users: dict[int, set[int]] = {}
        """Variable → the functions that mention it."""
        self.accessed: set[tuple[int, int]] = set()
        """(variable, member) for chains from a variable into a member."""
        self.written: set[int] = set()
        """Variables that some function writes to."""
        self.read: set[int] = set()
        """Variables that some function reads other than by atomics."""
        self.coherent: set[int] = set()
        """Variables with accesses that make writes available to, or visible from, other workgroups."""
        self.calls: dict[int, set[int]] = {}
        self.atomics: dict[int, set[Path]] = {}
        """Variable → paths in it that atomics access."""
        variables = {inst.result_id for inst in view.module.globals if inst.op == op.OpVariable}
        for function in functions:
            called = self.calls[function.id] = set()
            for inst in function.instructions():
                if inst.op == op.OpFunctionCall:
                    called.add(inst.id(0))
                if inst.op in ATOMICS:
                    self._atomic(inst)
                self._access(inst)
                self._members(inst)
                for index, operand in enumerate(used_ids(inst)):
                    if operand not in variables:
                        continue
                    self.users.setdefault(operand, set()).add(function.id)
                    if index == 0 and inst.op in ACCESS_CHAINS and len(inst.operands) > 1:
                        member = view.constant(inst.id(1))
                        if member is not None:
                            self.accessed.add((operand, member))

    def _members(self, inst: Instruction) -> None:
        """Record the members of input and output blocks that an instruction accesses; all if it uses the whole block.

        Access chains and copies of pointers access nothing by themselves.
        """
        if inst.op in ACCESS_CHAINS or inst.op == op.OpCopyObject:
            return
        view = self.view
        for operand in used_ids(inst):
            pointer = view.defs.get(operand)
            if pointer is None or not pointer.type_id or view.type(pointer.type_id).op != op.OpTypePointer:
                continue
            root, indices = root_of(view, operand)
            if root.op != op.OpVariable or root.id(0) not in (StorageClass.Input, StorageClass.Output):
                continue
            kind = view.type(view.pointee(root.type_id))
            if kind.op == op.OpTypeStruct:
                first = [view.constant(indices[0]) or 0] if indices else range(len(kind.operands))
                self.accessed.update((root.result_id, member) for member in first)

    def _access(self, inst: Instruction) -> None:
        """Record an instruction's reads and writes, and whether they are shared with other workgroups."""
        view, touched = self.view, []
        if inst.op in WRITING:
            touched.append(root_of(view, inst.id(0))[0].result_id)
            self.written.add(touched[-1])
        if inst.op == op.OpCopyMemory or (inst.op == op.OpLoad and view.defs[inst.type_id].op not in HANDLES):
            touched.append(root_of(view, inst.id(inst.op == op.OpCopyMemory))[0].result_id)
            self.read.add(touched[-1])
        if inst.op in (op.OpImageRead, op.OpImageWrite):
            touched.append(_image(view, inst.id(0)))
            (self.read if inst.op == op.OpImageRead else self.written).add(touched[-1])
        if touched and _crosses_workgroups(view, inst):
            self.coherent.update(touched)

    def _atomic(self, inst: Instruction) -> None:
        variable, path = self.path(inst.id(0))
        if variable:
            self.atomics.setdefault(variable, set()).add(path)

    def path(self, pointer: int) -> tuple[int, Path]:
        """Return (variable, path in it) that a pointer leads to; array indices are represented by ``ELEMENT``."""
        inst, indices = root_of(self.view, pointer)
        if inst.op == op.OpImageTexelPointer:
            return 0, ()
        if inst.op != op.OpVariable:
            raise Unsupported("an atomic works on memory that does not come from a variable", pointer)
        type_id = self.view.resource_type(inst.result_id)
        path: list[int] = []
        for index in indices[1:] if inst.result_id in self.view.binding_arrays else indices:
            if self.view.type(type_id).op == op.OpTypeStruct:
                member = self.view.constant(index) or 0
                path.append(member)
                type_id = self.view.element(type_id, member)
            else:
                path.append(ELEMENT)
                type_id = self.view.element(type_id)
        return inst.result_id, tuple(path)

    def reached(self, function: int) -> set[int]:
        """Return the functions that a function calls, directly or indirectly, including itself."""
        return reach([function], self.calls)

    def fragment_only(self) -> set[int]:
        """Return the functions that only fragment shaders call, in which derivatives are allowed."""
        return {number for number, models in self.stages().items() if models == {ExecutionModel.Fragment}}

    def stages(self) -> dict[int, set[int]]:
        """Return a mapping from each function to the execution models of the entry points that call it."""
        out: dict[int, set[int]] = {}
        for inst in self.view.module.entry_points:
            for function in self.reached(inst.id(1)):
                out.setdefault(function, set()).add(inst.id(0))
        return out
