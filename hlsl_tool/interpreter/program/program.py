"""Programs: an entry point of a module, translated for given values of specialisation constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.cfg import reach
from hlsl_tool.spirv.analysis.kinds import RESOURCE_STORAGE, SUBGROUP_INPUTS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, literal
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, ExecutionModel
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Function as SpirvFunction
from hlsl_tool.spirv.ir import Instruction, Module

from ..errors import ExecutionError
from ..instructions.context import Context
from ..instructions.cooperative_matrices import MATRICES
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
        self.context.flushes = flush_denormals or self._flushes()
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
        self.has_matrices = bool(used & MATRICES)
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
        type_ids = {inst.result_id: inst.type_id for inst in self.module.globals}
        for function in self.module.functions:
            for inst in (*function.parameters, *function.instructions()):
                type_ids[inst.result_id] = inst.type_id
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

    def _flushes(self) -> bool:
        """Return whether the module asks for zeros in the place of denormals of 32 bits, whatever it asks of others."""
        wanted = [self.main_id, ExecutionMode.DenormFlushToZero, 32]
        return any(inst.operands == wanted for inst in self.module.execution_modes)

    def _reachable(self) -> list[SpirvFunction]:
        calls = {
            function.id: [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
            for function in self.module.functions
        }
        reached = reach([point.id(1) for point in (self.point, *self.others.values())], calls)
        return [function for function in self.module.functions if function.id in reached and function.blocks]

    def _variables(self, functions: Iterable[SpirvFunction]) -> list[Variable]:
        used = self.context.used
        for function in functions:
            for inst in function.instructions():
                used.update(used_ids(inst) if inst.op in tables.INSTRUCTIONS else inst.ints())
        for point in (self.point, *self.others.values()):
            used.update(word for word in point.operands[3:] if isinstance(word, int))
        opcodes = (op.OpVariable, op.OpUntypedVariableKHR)
        return [self._variable(i) for i in self.module.globals if i.op in opcodes and i.result_id in used]

    def _variable(self, inst: Instruction) -> Variable:
        number, (storage, *rest) = inst.result_id, inst.ints()
        of = self.context.types.of(inst).element
        if inst.op == op.OpUntypedVariableKHR:
            of = self.context.types[rest.pop(0)] if rest else Type(0, "void")
        assert of is not None
        decorations = self.index.decorations.get(number, {})
        binding, group = literal(decorations, Decoration.Binding), literal(decorations, Decoration.DescriptorSet) or 0
        return Variable(
            number,
            self.index.names.get(number, f"{number}"),
            of,
            storage,
            (group, binding) if storage in RESOURCE_STORAGE and binding is not None else None,
            literal(decorations, Decoration.BuiltIn),
            literal(decorations, Decoration.Location),
            rest[0] if rest else 0,
            decorations,
        )

    @property
    def shares_outputs(self) -> bool:
        return self.model in (ExecutionModel.TessellationControl, ExecutionModel.MeshEXT)

    @property
    def workgroup_size(self) -> tuple[int, int, int]:
        for number, facts in self.index.decorations.items():
            if facts.get(Decoration.BuiltIn) == [BuiltIn.WorkgroupSize] and number in self.context.constants:
                x, y, z = (int(side) for side in self.context.constants[number][:, 0])
                return x, y, z
        words = self.modes.get(ExecutionMode.LocalSize) or self.modes.get(ExecutionMode.LocalSizeId) or [1, 1, 1]
        return words[0], words[1], words[2]


_WAVE_INPUTS = SUBGROUP_INPUTS | {BuiltIn.NumSubgroups, BuiltIn.SubgroupId}
