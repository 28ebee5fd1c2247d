"""Programs: an entry point of a module, translated for given values of specialisation constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, ExecutionModel, StorageClass
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Function as SpirvFunction
from hlsl_tool.spirv.ir import Instruction, Module

from ..errors import ExecutionError
from ..instructions import (
    cooperative_matrices,
    every,  # noqa: F401  # registers all instructions
)
from ..instructions.context import Context
from ..instructions.waves import QUADS, WAVES
from ..model.layout import Layout
from ..model.types import Type, TypeTable
from ..runtime.code import Function
from .constants import Special, evaluate
from .translate import FunctionTranslator


@dataclass(slots=True)
class Variable:
    """A global variable that the entry point uses."""

    id: int
    name: str
    type: Type
    """The type of its content."""
    storage: int
    place: tuple[int, int] | None
    """(set, binding) of a resource."""
    built_in: int | None
    """Its built-in, of ``BuiltIn``."""
    location: int | None
    initial: int = 0
    """The id of its initial value; 0 for none."""
    decorations: dict[int, list[Any]] = field(default_factory=dict)


class Program:
    """An entry point in the form that is executed.

    ``more`` are other entry points of the module that it calls, as ray generation shaders do: (name, execution model).
    ``special`` are values of specialisation constants by id.  Denormals are computed with, unless the module asks for
    zeros in their place, or ``flush_denormals`` does.
    """

    def __init__(
        self,
        module: Module | bytes,
        entry: str = "main",
        special: Special | None = None,
        model: int = -1,
        *,
        more: Sequence[tuple[str, int]] = (),
        flush_denormals: bool = False,
    ) -> None:
        self.module = decode(module) if isinstance(module, bytes) else module
        self.index = ModuleIndex(self.module)
        self.point = self._entry_point(entry, model)
        self.model, self.main_id = self.point.id(0), self.point.id(1)
        self.others = {name: self._entry_point(name, number) for name, number in more}
        """Name → further entry points."""
        self.context = self._context(special or {})
        self.modes = self._modes()
        self.context.flushes = flush_denormals or self.modes.get(ExecutionMode.DenormFlushToZero) == [32]
        functions = self._reachable()
        for source in functions:
            self.context.functions[source.id] = Function(
                source.id, self.index.names.get(source.id, f"{source.id}"), [p.result_id for p in source.parameters]
            )
        self.variables = self._variables(functions)
        for source in functions:
            FunctionTranslator(self.context, source, self.context.functions[source.id]).translate()
        self.main = self.context.functions[self.main_id]
        used = {inst.op for source in functions for inst in source.instructions()}
        built_ins = {variable.built_in for variable in self.variables}
        self.has_matrices = bool(used & cooperative_matrices.OPCODES)
        self.uses_waves = self.has_matrices or bool(used & WAVES) or bool(built_ins & _WAVE_INPUTS)
        self.uses_quads = bool(used & QUADS)

    def _entry_point(self, name: str, model: int) -> Instruction:
        points = [p for p in self.module.entry_points if p.text(2) == name and model in (-1, p.id(0))]
        if not points:
            names = ", ".join(f"`{point.text(2)}`" for point in self.module.entry_points) or "none"
            raise ExecutionError(f"there is no entry point `{name}` (there are: {names})")
        return points[0]

    def _context(self, special: Special) -> Context:
        index = self.index
        constants: dict[int, Any] = {}
        types = TypeTable(index, lambda number: int(constants[number][0]), shares_outputs=self.shares_outputs)
        type_ids = {inst.result_id: inst.type_id for inst in self.module.globals if inst.type_id}
        for function in self.module.functions:
            type_ids.update((inst.result_id, inst.type_id) for inst in function.parameters)
            type_ids.update((inst.result_id, inst.type_id) for inst in function.instructions() if inst.type_id)
        sets = [number for number, name in index.sets.items() if name == glsl.SET]
        context = Context(index, types, Layout(index), constants, type_ids, {}, set(), sets[0] if sets else 0)
        evaluate(context, special)
        return context

    def _modes(self) -> dict[int, list[int]]:
        """Return the execution modes; ids are replaced by their values."""
        modes: dict[int, list[int]] = {}
        for inst in self.module.execution_modes:
            if inst.id(0) == self.main_id:
                words = inst.ints()[2:]
                if inst.op == op.OpExecutionModeId:
                    words = [self.context.constant(word) or 0 for word in words]
                modes[inst.id(1)] = words
        return modes

    def _reachable(self) -> list[SpirvFunction]:
        by_id = {function.id: function for function in self.module.functions if function.blocks}
        found: dict[int, SpirvFunction] = {}
        todo = [self.main_id, *(point.id(1) for point in self.others.values())]
        while todo:
            number = todo.pop()
            if number in found or number not in by_id:
                continue
            function = found[number] = by_id[number]
            todo += [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
        return list(found.values())

    def _variables(self, functions: Iterable[SpirvFunction]) -> list[Variable]:
        used = self.context.used
        for function in functions:
            for inst in function.instructions():
                used.update(used_ids(inst) if inst.op in tables.INSTRUCTIONS else inst.ints())
        for point in (self.point, *self.others.values()):
            used.update(word for word in point.operands[3:] if isinstance(word, int))
        out = []
        for inst in self.module.globals:
            if inst.op in (op.OpVariable, op.OpUntypedVariableKHR) and inst.result_id in used:
                out.append(self._variable(inst))
        return out

    def _variable(self, inst: Instruction) -> Variable:
        number = inst.result_id
        facts = self.index.decorations.get(number, {})
        pointer = self.context.types.of(inst)
        if inst.op == op.OpUntypedVariableKHR:
            of = self.context.types[inst.id(1)] if len(inst.operands) > 1 else Type(0, "void")
        else:
            assert pointer.element is not None
            of = pointer.element
        binding = facts.get(Decoration.Binding)
        group = facts.get(Decoration.DescriptorSet, [0])
        is_resource = inst.id(0) in (StorageClass.Uniform, StorageClass.StorageBuffer, StorageClass.UniformConstant)
        place = (int(group[0]), int(binding[0])) if is_resource and binding else None
        first = 2 if inst.op == op.OpUntypedVariableKHR else 1
        initial = inst.id(first) if len(inst.operands) > first else 0
        return Variable(
            number,
            self.index.names.get(number, f"{number}"),
            of,
            inst.id(0),
            place,
            _number(facts, Decoration.BuiltIn),
            _number(facts, Decoration.Location),
            initial,
            facts,
        )

    @property
    def shares_outputs(self) -> bool:
        """Whether the lanes of a group share the outputs."""
        return self.model in (ExecutionModel.TessellationControl, ExecutionModel.MeshEXT)

    @property
    def workgroup_size(self) -> tuple[int, int, int]:
        """The size of a workgroup."""
        for number, facts in self.index.decorations.items():
            if facts.get(Decoration.BuiltIn) == [BuiltIn.WorkgroupSize] and number in self.context.constants:
                x, y, z = (int(side) for side in self.context.constants[number][:, 0])
                return x, y, z
        words = self.modes.get(ExecutionMode.LocalSize) or self.modes.get(ExecutionMode.LocalSizeId) or [1, 1, 1]
        return words[0], words[1], words[2]


def _number(facts: dict[int, list[Any]], decoration: int) -> int | None:
    found = facts.get(decoration)
    return int(found[0]) if found else None


_WAVE_INPUTS = frozenset(
    (
        BuiltIn.SubgroupSize,
        BuiltIn.NumSubgroups,
        BuiltIn.SubgroupId,
        BuiltIn.SubgroupLocalInvocationId,
        BuiltIn.SubgroupEqMask,
        BuiltIn.SubgroupGeMask,
        BuiltIn.SubgroupGtMask,
        BuiltIn.SubgroupLeMask,
        BuiltIn.SubgroupLtMask,
    )
)
