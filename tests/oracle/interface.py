"""Describe the interface of a SPIR-V module without ids, so that modules of two compilers can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module, Operand

INTERFACE = frozenset(
    (
        e.StorageClass.Input,
        e.StorageClass.Output,
        e.StorageClass.Uniform,
        e.StorageClass.UniformConstant,
        e.StorageClass.PushConstant,
        e.StorageClass.StorageBuffer,
    )
)

PLACING = {
    e.Decoration.DescriptorSet: "set",
    e.Decoration.Binding: "binding",
    e.Decoration.Location: "location",
    e.Decoration.Component: "component",
    e.Decoration.Index: "index",
    e.Decoration.BuiltIn: "builtin",
    e.Decoration.Flat: "flat",
    e.Decoration.NoPerspective: "noperspective",
    e.Decoration.Centroid: "centroid",
    e.Decoration.Sample: "sample",
    e.Decoration.Coherent: "coherent",
    e.Decoration.Invariant: "invariant",
}
TYPE_MARKS = {e.Decoration.Block: "block", e.Decoration.BufferBlock: "bufferblock", e.Decoration.ArrayStride: "stride"}
MEMBER_MARKS = {
    e.Decoration.Offset: "offset",
    e.Decoration.MatrixStride: "stride",
    e.Decoration.RowMajor: "rows",
    e.Decoration.ColMajor: "columns",
    e.Decoration.BuiltIn: "builtin",
    e.Decoration.NonWritable: "readonly",
    e.Decoration.RelaxedPrecision: "relaxed",
}


class Interface:
    """The interface of a module, described without ids."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.decorations: dict[int, list[list[Operand]]] = {}
        self.member_decorations: dict[tuple[int, int], list[list[Operand]]] = {}
        self.globals = {inst.result_id: inst for inst in module.globals}
        for inst in module.names:
            if inst.op == op.OpName:
                self.names[inst.id(0)] = inst.text(1)
            else:
                self.member_names[inst.id(0), inst.id(1)] = inst.text(2)
        for inst in module.annotations:
            if inst.op == op.OpDecorate:
                self.decorations.setdefault(inst.id(0), []).append(inst.operands[1:])
            elif inst.op == op.OpMemberDecorate:
                self.member_decorations.setdefault((inst.id(0), inst.id(1)), []).append(inst.operands[2:])

    def describe(self) -> dict[str, str]:
        """Return a mapping from each part of the interface to a description of its declaration."""
        return dict([*self.entries(), *self.variables()])

    def entries(self) -> Iterator[tuple[str, str]]:
        for inst in self.module.entry_points:
            modes = [mode.operands[1:] for mode in self.module.execution_modes if mode.id(0) == inst.id(1)]
            yield f"entry {inst.text(2)}", f"model {inst.id(0)}, modes {sorted(map(str, modes))}"

    def variables(self) -> Iterator[tuple[str, str]]:
        for inst in self.module.globals:
            if inst.op != op.OpVariable or inst.id(0) not in INTERFACE:
                continue
            name = self.names.get(inst.result_id, "")
            placing = self.marks(self.decorations.get(inst.result_id, []), PLACING)
            pointee = self.globals[inst.type_id].id(1)
            if "builtin" in placing or not name:
                name = f"{inst.id(0)} {placing}"
            yield name, f"class {inst.id(0)} {placing}: {self.type(pointee)}"

    def marks(self, decorations: list[list[Operand]], wanted: dict[int, str]) -> str:
        found = [(wanted[int(d[0])], *d[1:]) for d in decorations if int(d[0]) in wanted]
        return " ".join("=".join(map(str, mark)) for mark in sorted(found))

    def type(self, number: int) -> str:
        inst = self.globals[number]
        marks = self.marks(self.decorations.get(number, []), TYPE_MARKS)
        operands = inst.operands
        if inst.op == op.OpTypeStruct:
            members = [self.member(inst, index) for index in range(len(operands))]
            return f"struct {marks} {{{'; '.join(members)}}}"
        if inst.op == op.OpTypeArray:
            return f"{self.type(inst.id(0))}[{self.globals[inst.id(1)].operands[0]} {marks}]"
        if inst.op in (op.OpTypeRuntimeArray, op.OpTypeVector, op.OpTypeMatrix, op.OpTypeSampledImage, op.OpTypeImage):
            return f"op {inst.op} of {self.type(inst.id(0))} {operands[1:]} {marks}"
        return f"op {inst.op} {operands}"

    def member(self, struct: Instruction, index: int) -> str:
        key = struct.result_id, index
        marks = self.marks(self.member_decorations.get(key, []), MEMBER_MARKS)
        return f"{self.member_names.get(key, '')} {marks}: {self.type(struct.id(index))}"


def compared(
    wanted: dict[str, str], got: dict[str, str], *, counters_anywhere: bool = True
) -> tuple[dict[str, str], dict[str, str]]:
    """Return both descriptions without the parts in which old versions of DXC differ.

    Until 2023 every RWStructuredBuffer had a counter, used or not, so counters without a ``vk::counter_binding`` got
    other bindings as well. Until 2024 quad operations of compute shaders did not declare derivative groups.
    """
    wanted = {name: text for name, text in wanted.items() if not name.startswith("counter.var.") or name in got}
    got = _without_groups(got)
    return (_counters_anywhere(wanted), _counters_anywhere(got)) if counters_anywhere else (wanted, got)


def _without_groups(interface: dict[str, str]) -> dict[str, str]:
    modes = (e.ExecutionMode.DerivativeGroupQuadsKHR, e.ExecutionMode.DerivativeGroupLinearKHR)
    pattern = "|".join(rf", '\[{int(mode)}\]'" for mode in modes)
    return {name: re.sub(pattern, "", text) if name.startswith("entry ") else text for name, text in interface.items()}


def _counters_anywhere(interface: dict[str, str]) -> dict[str, str]:
    return {
        name: re.sub(r"binding=\d+ ", "", text) if name.startswith("counter.var.") else text
        for name, text in interface.items()
    }
