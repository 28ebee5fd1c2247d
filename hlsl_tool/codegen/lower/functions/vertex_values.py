"""Inputs, parameters and members with a value for each vertex of the triangle, for ``GetAttributeAtVertex``.

A module that calls it is lowered as if each ``nointerpolation`` input, parameter and member had a single value.  Then,
as in DXC, all of them become arrays of three values: plain reads get that of the first vertex, and calls and copies of
structs pass all of them on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import VertexValues
from hlsl_tool.codegen.lower.types.kinds import VERTICES
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import TypeInfo
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Function, Instruction


def expand(ctx: Lowering, wrappers: Iterable[int]) -> None:
    """Make arrays of all values that are not interpolated; ``wrappers`` are the functions that load the inputs."""
    values, b = ctx.vertex_values, ctx.b
    if values is None or not values.places:
        return
    members = _members(ctx, values)
    parameters = {f.id: [p.result_id for p in f.parameters] for f in b.functions}
    around = set(wrappers)
    for f in b.functions:
        (_Wrapper if f.id in around else _Body)(ctx, values, members, parameters, f).run()
    _change_types(ctx, values.pointers)
    _change_structs(ctx, members)


def _members(ctx: Lowering, values: VertexValues) -> dict[tuple[int, int], TypeInfo]:
    """Return the struct members to make arrays of, as (type id, index), with their types so far."""
    found: dict[tuple[int, int], TypeInfo] = {}

    def add(s: Struct, is_flat: bool) -> None:
        info = ctx.b.type_info(ctx.type(s))
        for p in ctx.types.words(s):
            own = is_flat or (p.field is not None and "nointerpolation" in p.field.quals)
            if isinstance(p.type, Struct):
                add(p.type, own)
            elif own:
                found[info.id, p.index] = info.member_types[p.index]

    for s in ctx.types.structs_in_use():
        add(s, s in values.structs)
    return found


def _change_types(ctx: Lowering, pointers: set[int]) -> None:
    """Change the types of variables and parameters to pointers to arrays."""
    b = ctx.b

    def change(inst: Instruction) -> None:
        if inst.result_id in pointers:
            array = b.array(b.pointee_of(inst.result_id).id, VERTICES)
            inst.type_id = b._types_of[inst.result_id] = b.pointer(b.storage_of(inst.result_id), array)

    for inst in b.variables:
        change(inst)
        if inst.result_id in pointers:
            b.decorations.pop((op.OpDecorate, inst.result_id, Decoration.Flat), None)
            b.decorate(inst.result_id, Decoration.PerVertexKHR)
    for f in b.functions:
        for inst in (*f.parameters, *b.locals[f.id]):
            change(inst)
        f.definition.operands[1] = b.function_type(f.definition.type_id, [p.type_id for p in f.parameters])


def _change_structs(ctx: Lowering, members: dict[tuple[int, int], TypeInfo]) -> None:
    """Change the types of struct members to arrays, also in constants."""
    b = ctx.b
    arrays = {key: b.type_info(b.array(info.id, VERTICES)) for key, info in members.items()}
    for number in list(b.constants):
        constant = b.constants[number]
        if constant.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
            for index, part in enumerate(constant.operands):
                array = arrays.get((constant.type_id, index))
                if array is not None and isinstance(part, int):
                    constant.operands[index] = b.const_composite(array.id, [part] * VERTICES)
    for (struct, index), array in arrays.items():
        info = b.type_info(struct)
        types, parts = list(info.member_types), list(info.members)
        types[index], parts[index] = array, parts[index]._replace(type=array.id)
        info.member_types, info.members = tuple(types), tuple(parts)


class _Rewriter:
    """Rewrites the instructions of a function; the types of variables, parameters and members are the old ones."""

    def __init__(
        self,
        ctx: Lowering,
        values: VertexValues,
        members: dict[tuple[int, int], TypeInfo],
        parameters: dict[int, list[int]],
        function: Function,
    ) -> None:
        self.ctx, self.b, self.values, self.members, self.parameters = ctx, ctx.b, values, members, parameters
        self.f = function
        self.pointers = values.pointers
        self.zero = ctx.b.const_uint(0)
        self.out: list[Instruction] = []
        self.line: tuple[int, ...] | None = None
        self.chains: dict[int, tuple[int, list[int]]] = {}
        """Access chain → (base, indices) as they were."""
        self.loads: dict[int, int] = {}
        """Loaded value → the pointer."""
        self.debug_sets = {i for name, i in ctx.b.ext_sets.items() if "Debug" in name}

    def run(self) -> None:
        for block in self.f.blocks:
            self.out = []
            for inst in block.instructions:
                self.line = inst.line
                self.instruction(inst)
            block.instructions = self.out

    def new(self, opcode: int, type_id: int, *operands: int) -> Instruction:
        number = self.b.new_id() if type_id else 0
        if number:
            self.b._types_of[number] = type_id
        return Instruction(opcode, type_id, number, list(operands), self.line)

    def emit(self, opcode: int, type_id: int, *operands: int) -> int:
        inst = self.new(opcode, type_id, *operands)
        self.out.append(inst)
        return inst.result_id

    def array_of(self, type_id: int) -> int:
        return self.b.array(type_id, VERTICES)

    def wrapped(self, value: int) -> int:
        """Return an array with ``value`` for each vertex."""
        return self.emit(op.OpCompositeConstruct, self.array_of(self.b.type_id_of(value)), *[value] * VERTICES)

    def instruction(self, inst: Instruction) -> None:
        if inst.op == op.OpAccessChain:
            self.chain(inst)
        elif inst.op == op.OpCompositeExtract:
            self.values_in(inst, 0)
        elif inst.op == op.OpCompositeInsert:
            self.values_in(inst, 1)
        elif inst.op == op.OpCompositeConstruct and self.b.type_info(inst.type_id).kind == "struct":
            for index, part in enumerate(inst.ints()):
                if (inst.type_id, index) in self.members:
                    inst.operands[index] = self.part(part)
                else:
                    inst.operands[index] = self.operand(part)
        elif inst.op == op.OpLoad:
            self.loads[inst.result_id] = inst.id(0)
            self.load(inst)
        elif inst.op == op.OpStore and inst.id(0) in self.pointers:
            self.store(inst)
        elif inst.op == op.OpFunctionCall:
            self.call(inst)
        elif inst.op != op.OpExtInst or inst.id(0) not in self.debug_sets:
            self.others(inst)
        self.out.append(inst)

    def others(self, inst: Instruction) -> None:
        for at, is_id in enumerate(id_flags(inst.op, inst.operands)):
            x = inst.operands[at]
            if is_id and isinstance(x, int):
                inst.operands[at] = self.operand(x)

    def operand(self, x: int) -> int:
        """Return what to use instead of an id."""
        return x

    def part(self, value: int) -> int:
        """Return the array for a member of a struct that is made of values."""
        return self.wrapped(value)

    def load(self, inst: Instruction) -> None:
        inst.operands[0] = self.operand(inst.id(0))

    def store(self, inst: Instruction) -> None:
        """Change a store to a variable that becomes an array."""

    def call(self, inst: Instruction) -> None:
        """Change a call."""

    def values_in(self, inst: Instruction, at: int) -> None:
        """Change an instruction whose operand number ``at`` is a composite and followed by literal indices."""
        inst.operands[:at] = [self.operand(x) for x in inst.ints()[:at]]
        composite = inst.id(at)
        if self.operand(composite) != composite:
            inst.operands[at] = self.operand(composite)
            return
        steps, _ = self.steps(self.b.type_of(composite), inst.ints()[at + 1 :], 0, 0, int)
        inst.operands[at + 1 :] = steps

    def steps(
        self, info: TypeInfo, indexes: list[int], vertex: int, first: int, number: Callable[[int], object]
    ) -> tuple[list[int], bool]:
        """Return indices with that of a vertex after each member that becomes an array, and whether there is one.

        The first of them is ``vertex``, others are ``first``; ``number`` returns the number that an index stands for.
        """
        out: list[int] = []
        found = False
        for index in indexes:
            out.append(index)
            member = number(index) if info.kind == "struct" else None
            inner = self.members.get((info.id, member)) if isinstance(member, int) else None
            if inner is not None:
                out.append(first if found else vertex)
                found = True
            info = inner or (info.member_types[member] if isinstance(member, int) else info.elem)
        return out, found

    def chain(self, inst: Instruction) -> None:
        base, indexes = inst.id(0), inst.ints()[1:]
        self.chains[inst.result_id] = base, indexes
        place = self.values.places.get(inst.result_id)
        if place is None:
            inst.operands = [base, *self.at_vertex(base, indexes, self.zero)[0]]
            return
        base, indexes = self.root(base, indexes[:-1])
        steps, found = self.at_vertex(base, indexes, inst.ints()[-1])
        if not found:
            self.ctx.error(codes.NOT_AN_INPUT, place[0], chunk=place[1])
        inst.operands = [base, *steps]

    def at_vertex(self, base: int, indexes: list[int], vertex: int) -> tuple[list[int], bool]:
        """Return the indices that lead to the value at a vertex, and whether there is a value for each of them."""
        if base in self.pointers:
            inner, _ = self.steps(self.b.pointee_of(base), indexes, self.zero, self.zero, self.b.constant_value)
            return [vertex, *inner], True
        return self.steps(self.b.pointee_of(base), indexes, vertex, self.zero, self.b.constant_value)

    def root(self, pointer: int, indexes: list[int]) -> tuple[int, list[int]]:
        """Return the variable or parameter that a pointer leads into, and the old indices that lead to its part."""
        while pointer in self.chains:
            pointer, outer = self.chains[pointer]
            indexes = [*outer, *indexes]
        return pointer, indexes


class _Wrapper(_Rewriter):
    """Rewrites a wrapper: it loads the inputs as arrays."""

    def run(self) -> None:
        self.arrays: dict[int, int] = {}
        """Loaded array → the type of an element."""
        super().run()

    def load(self, inst: Instruction) -> None:
        if inst.id(0) in self.pointers:
            self.arrays[inst.result_id] = inst.type_id
            inst.type_id = self.b._types_of[inst.result_id] = self.array_of(inst.type_id)

    def operand(self, x: int) -> int:
        if x in self.arrays:
            return self.emit(op.OpCompositeExtract, self.arrays[x], x, 0)
        return x

    def part(self, value: int) -> int:
        return value if value in self.arrays else self.wrapped(value)

    def store(self, inst: Instruction) -> None:
        inst.operands[1] = self.part(inst.id(1))


class _Body(_Rewriter):
    """Rewrites a function of the source: it reads parameters through copies of their values at the first vertex."""

    def run(self) -> None:
        self.front: list[Instruction] = []
        self.pending: list[Instruction] = []
        """Instructions that the next call brings to the front of the function."""
        self.first: dict[int, int] = {}
        """Parameter or argument → a pointer to its value at the first vertex."""
        b = self.b
        own = [p.result_id for p in self.f.parameters]
        self.constant_parameters = set(own) - self._changed(own)
        for variable in (inst.result_id for inst in b.locals[self.f.id]):
            if variable in self.pointers:
                self.first[variable] = self._first_of(variable)
        for parameter in own:
            if parameter in self.pointers:
                self.first[parameter] = self._first_of(parameter)
                if parameter in self.constant_parameters:
                    self.first[parameter] = self._copy(parameter)
        super().run()
        start = self.f.blocks[0].instructions
        start[:0] = [*self.pending, *self.front]

    def _changed(self, parameters: list[int]) -> set[int]:
        """Return the parameters that may be written to."""
        roots = {p: p for p in parameters}
        changed: set[int] = set()
        for inst in self.f.instructions():
            if inst.op == op.OpAccessChain:
                if inst.id(0) in roots:
                    roots[inst.result_id] = roots[inst.id(0)]
            elif inst.op != op.OpLoad and not (inst.op == op.OpExtInst and inst.id(0) in self.debug_sets):
                flags = id_flags(inst.op, inst.operands)
                changed.update(
                    roots[x]
                    for x, is_id in zip(inst.operands, flags, strict=True)
                    if is_id and isinstance(x, int) and x in roots
                )
        return changed

    def _first_of(self, pointer: int) -> int:
        type_id = self.b.pointer(StorageClass.Function, self.b.pointee_of(pointer).id)
        chain = self.new(op.OpAccessChain, type_id, pointer, self.zero)
        self.pending.append(chain)
        return chain.result_id

    def _copy(self, parameter: int) -> int:
        """Copy the value of a parameter at the first vertex to a variable."""
        b = self.b
        info = b.pointee_of(parameter)
        variable = self.new(op.OpVariable, b.pointer(StorageClass.Function, info.id), StorageClass.Function)
        b.locals[self.f.id].append(variable)
        b.name(variable.result_id, f"{b.names.get(parameter, '')}_perVertexParam0")
        load = self.new(op.OpLoad, info.id, self.first[parameter])
        for new in (variable, load):
            b.mark(new.result_id, b.marks.get(parameter, 0))
        self.pending += [load, self.new(op.OpStore, 0, variable.result_id, load.result_id)]
        return variable.result_id

    def operand(self, x: int) -> int:
        return self.first.get(x, x)

    def store(self, inst: Instruction) -> None:
        """Store to the first element of an argument, and copy those of the other vertices."""
        argument, value = inst.ints()[:2]
        inst.operands[0] = self.first[argument]
        source = self.loads.get(value)
        if source is not None and self._copy_array(argument, *self.root(source, [])):
            return
        for vertex in range(1, VERTICES):
            number, type_id = self.b.const_uint(vertex), self.b.type_id_of(value)
            pointer = self.b.pointer(StorageClass.Function, type_id)
            other = value
            if source is not None:
                base, indexes = self.root(source, [])
                steps, found = self.at_vertex(base, indexes, number)
                if found:
                    other_type = self.b.pointer(self.b.storage_of(base), type_id)
                    other = self.emit(op.OpLoad, type_id, self.emit(op.OpAccessChain, other_type, base, *steps))
            self.emit(op.OpStore, 0, self.emit(op.OpAccessChain, pointer, argument, number), other)

    def _copy_array(self, argument: int, base: int, indexes: list[int]) -> bool:
        """Copy a parameter's values at all vertices at the front of the function, where DXC does it.

        Return whether the parameter is not written to, and the indices, if any, lead to such a member.
        """
        b = self.b
        if base not in self.constant_parameters or not all(b.is_constant(i) for i in indexes):
            return False
        array = self.array_of(b.pointee_of(argument).id)
        source = base
        if base not in self.pointers:
            steps, found = self.at_vertex(base, indexes, self.zero)
            if not found or steps[:-1] != indexes:
                return False
            chain = self.new(op.OpAccessChain, b.pointer(b.storage_of(base), array), base, *indexes)
            self.pending.append(chain)
            source = chain.result_id
        elif indexes:
            return False
        load = self.new(op.OpLoad, array, source)
        self.pending += [load, self.new(op.OpStore, 0, argument, load.result_id)]
        return True

    def call(self, inst: Instruction) -> None:
        callee = self.parameters.get(inst.id(0), [])
        for at, (argument, parameter) in enumerate(zip(inst.ints()[1:], callee, strict=True), 1):
            if parameter not in self.pointers:
                inst.operands[at] = self.operand(argument)
        self.front[:0] = self.pending
        self.pending = []
