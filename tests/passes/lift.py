"""Convert a module back to a module builder, for passes that run before ids are final.

The builder has marks on values in place of the decorations NonUniform, RelaxedPrecision and NoContraction.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.builder import NON_UNIFORM, PRECISE, RELAXED_TYPE, Member, ModuleBuilder
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Function, Instruction, Module, Operand

MARKS = {
    Decoration.NonUniform: NON_UNIFORM,
    Decoration.RelaxedPrecision: RELAXED_TYPE,
    Decoration.NoContraction: PRECISE,
}


class _Lift:
    def __init__(self, module: Module, names: dict[int, str]) -> None:
        self.module = module
        self.index = ModuleIndex(module)
        self.names = names
        self.builder = ModuleBuilder()
        self.ids: dict[int, int] = {}

    def run(self) -> ModuleBuilder:
        for inst in self.module.globals:
            self._set(inst.result_id, self._global(inst))
        for function in self.module.functions:
            self._set(function.id, self.builder.declare_function())
        for function in self.module.functions:
            self._function(function)
        for entry in self.module.entry_points:
            interface = [self.ids[number] for number in entry.ints()[3:]]
            self.builder.entry_point(entry.id(0), self.ids[entry.id(1)], entry.text(2), interface)
        return self.builder

    def _set(self, old: int, new: int) -> None:
        self.ids[old] = new
        for inst in self.index.annotations.get(old, ()):
            self.builder.mark(new, MARKS[inst.id(1)])

    def _global(self, inst: Instruction) -> int:
        b, ids = self.builder, self.ids
        if inst.op == op.OpTypeVoid:
            return b.void_type()
        if inst.op == op.OpTypeBool:
            return b.bool_type()
        if inst.op == op.OpTypeInt:
            return b.int_type(inst.id(0), bool(inst.id(1)))
        if inst.op == op.OpTypeFloat:
            return b.float_type(inst.id(0))
        if inst.op == op.OpTypeVector:
            return b.vector(ids[inst.id(0)], inst.id(1))
        if inst.op == op.OpTypeImage:
            return b.image(ids[inst.id(0)], inst.id(1), sampled=inst.id(5))
        if inst.op == op.OpTypeRuntimeArray:
            return b.runtime_array(ids[inst.id(0)])
        if inst.op == op.OpTypeStruct:
            return b.struct(self.names[inst.result_id], [self._member(inst, n) for n in range(len(inst.operands))])
        if inst.op == op.OpTypePointer:
            return b.pointer(inst.id(0), ids[inst.id(1)])
        if inst.op == op.OpTypeFunction:
            return b.function_type(ids[inst.id(0)], [ids[number] for number in inst.ints()[1:]])
        if inst.op == op.OpConstant:
            is_int = self.index.definitions[inst.type_id].op == op.OpTypeInt
            return (b.const_int if is_int else b.const_bits)(inst.id(0), ids[inst.type_id])
        if inst.op == op.OpVariable:
            pointee = self.index.pointee(inst).result_id
            return b.global_variable(ids[pointee], inst.id(0), self.names[inst.result_id])
        raise NotImplementedError(inst)

    def _member(self, struct: Instruction, number: int) -> Member:
        decorations = self.index.member_decorations.get((struct.result_id, number), {})
        return Member(
            self.ids[struct.id(number)],
            f"m{number}",
            relaxed=Decoration.RelaxedPrecision in decorations,
            precise=Decoration.NoContraction in decorations,
        )

    def _function(self, function: Function) -> None:
        b, ids = self.builder, self.ids
        parameters = [(ids[inst.type_id], self.names[inst.result_id]) for inst in function.parameters]
        name, result = self.names[function.id], ids[function.definition.type_id]
        _, numbers = b.begin_function(name, result, parameters, function=ids[function.id])
        for inst, number in zip(function.parameters, numbers, strict=True):
            self._set(inst.result_id, number)
        for block in function.blocks:
            self.ids[block.label] = b.new_block(self.names[block.label])
        for block in function.blocks:
            b.set_insert_point(ids[block.label])
            for inst in block.instructions:
                self._instruction(inst)
        b.end_function()

    def _instruction(self, inst: Instruction) -> None:
        b = self.builder
        if inst.op == op.OpVariable:
            pointee = self.index.pointee(inst).result_id
            self._set(inst.result_id, b.local_variable(self.ids[pointee], self.names[inst.result_id]))
            return
        flags = id_flags(inst.op, inst.operands)
        operands: list[Operand] = [
            self.ids[x] if flag else x  # type: ignore[index]  # ids are numbers
            for x, flag in zip(inst.operands, flags, strict=True)
        ]
        if not inst.result_id:
            b.emit_void(inst.op, *operands)
            return
        number = b.emit(inst.op, self.ids[inst.type_id], *operands)
        b.name(number, self.names[inst.result_id])
        self._set(inst.result_id, number)


def lift(module: Module, names: dict[int, str]) -> ModuleBuilder:
    """Return a builder with the types, variables and functions of a module; ``names`` are those of its values."""
    return _Lift(module, names).run()
