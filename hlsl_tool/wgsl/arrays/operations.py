"""Make functions of the operations that use an element of an array of resources at a computed index.

Before: ``%texel = OpImageFetch %image %coordinate``, where `%image` is loaded from ``textures[i]``. After:
``%texel = OpFunctionCall %load_textures %i %coordinate``, with one function for all operations that differ in such
values only. The function has the operation in its only block, without a terminator; `elements` makes a switch of it.

An operation that samples with both a texture and a sampler from arrays becomes two functions. The first chooses the
texture and passes it to the second, which chooses the sampler: so they have as many cases as both arrays together, not
one for each pair. So do operations with one of several constant offsets, which WGSL wants to be constants: the second
function chooses the offset by its number.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Operand
from hlsl_tool.wgsl.arrays.operands import function_name, is_shared_constant, member_name, parameter_name
from hlsl_tool.wgsl.arrays.paths import Paths
from hlsl_tool.wgsl.module.image_operands import offset_position
from hlsl_tool.wgsl.module.uses import IMPLICIT, has_effect, is_transparent, root_of
from hlsl_tool.wgsl.module.view import HANDLES, View
from hlsl_tool.wgsl.rewrites.additions import Additions

Shape = tuple[object, ...]
"""An operation as a tree of instructions.

The leaves are ("argument", position, type), ("global", id), ("word", literal) and ("offset", 0).
"""


class NotShared(Exception):
    """Raised for an operation with an operand that WGSL cannot pass to a function."""


@dataclass(slots=True)
class Operations:
    """The functions of one module, by the shapes of their operations."""

    view: View
    void: int
    """The type of functions without a result."""
    globals: set[int]
    """Ids that all functions may use."""
    additions: Additions
    line: Instruction | None = None
    """The instruction with the source line of the operation, for errors."""
    functions: dict[tuple[Shape, bool], Function] = field(default_factory=dict)
    offsets: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    """Function that chooses an offset → (its parameter for the number, the constants)."""
    new: list[Function] = field(default_factory=list)
    """Functions that are not complete yet."""

    def take(self) -> list[Function]:
        """Return the new functions, callees before callers, and begin a new list."""
        taken, self.new = self.new, []
        return taken

    def call(
        self, inst: Instruction, paths: Paths, array: str, *, fragment: bool, lends: int = 0, offset: int = 0
    ) -> Instruction:
        """Return the call that replaces an operation; raise `NotShared` if a function cannot have it.

        ``array`` is the name of the array, ``fragment`` whether only fragment shaders call the function around the
        operation. ``lends`` is the texture that a first function chooses for a second one, or 0 for a single function;
        ``offset`` is the constant offset that the second one chooses, or 0.
        """
        if lends:
            inner = self._function(inst, _ShapeReader(self, paths, lends, offset), array, fragment)
            self.globals.add(inner.id(0))
            inst = inner
        return self._function(inst, _ShapeReader(self, paths, 0, 0), array, fragment)

    def _function(self, inst: Instruction, reader: _ShapeReader, array: str, fragment: bool) -> Instruction:
        """Return a call of the function for an operation, and write the function at its first use."""
        shape = reader.instruction(inst)
        key = shape, fragment and inst.op in IMPLICIT
        if key not in self.functions:
            self.functions[key] = self._write(shape, inst, reader, array)
        operands: list[Operand] = [self.functions[key].id, *reader.arguments]
        if reader.offset:
            constants = self.offsets[self.functions[key].id][1]
            if reader.offset not in constants:
                constants.append(reader.offset)
            operands.append(self.additions.constant(constants.index(reader.offset)))
            self.globals.add(self.additions.constant(constants.index(reader.offset)))
        return Instruction(op.OpFunctionCall, inst.type_id or self.void, inst.result_id or self.view.fresh(), operands)

    def _write(self, shape: Shape, inst: Instruction, reader: _ShapeReader, array: str) -> Function:
        view = self.view
        parameters = [
            Instruction(op.OpFunctionParameter, view.type_of(value), view.fresh(), []) for value in reader.arguments
        ]
        for parameter, name in zip(parameters, reader.names, strict=True):
            view.names[parameter.result_id] = name
        block = Block(view.fresh(), [self.line] if self.line is not None else [])
        _Builder(view, [parameter.result_id for parameter in parameters], block).instruction(shape, inst)
        definition = Instruction(op.OpFunction, inst.type_id or self.void, view.fresh(), [0, 0])
        if reader.offset:
            parameters.append(Instruction(op.OpFunctionParameter, self.additions.uint, view.fresh(), []))
            view.names[parameters[-1].result_id] = "offset"
            self.offsets[definition.result_id] = parameters[-1].result_id, []
        function = Function(definition, parameters, [block])
        called = view.names.get(inst.id(0), "") if inst.op == op.OpFunctionCall else ""
        target = f"{array}_{reader.member}" if reader.member else array
        view.names[function.id] = called.removesuffix("_with") or function_name(inst, target, lends=bool(reader.lends))
        is_pure = inst.id(0) in view.pure if inst.op == op.OpFunctionCall else not has_effect(view, inst)
        if is_pure:
            view.pure.add(function.id)
        view.add_function(function)
        self.new.append(function)
        return function


class _ShapeReader:
    """Computes the shape of an operation, and collects its arguments."""

    def __init__(self, operations: Operations, paths: Paths, lends: int, offset: int) -> None:
        self.view = operations.view
        self.globals = operations.globals
        self.paths = paths
        self.lends = lends
        self.offset = offset
        self.arguments: list[int] = []
        self.names: list[str] = []
        self.member = ""
        """The name of the innermost member of a struct that the operation accesses."""

    def instruction(self, inst: Instruction) -> Shape:
        if inst.op in ACCESS_CHAINS:
            self.member = member_name(self.view, inst) or self.member
        parts: list[object] = []
        for index, (operand, is_id) in enumerate(zip(inst.operands, id_flags(inst.op, inst.operands), strict=True)):
            if self.offset and index == offset_position(inst) > 0:
                parts.append(("offset", 0))
            elif is_id and isinstance(operand, int):
                parts.append(self._operand(inst, index, operand))
            else:
                parts.append(("word", operand))
        return inst.op, inst.type_id, *parts

    def _operand(self, inst: Instruction, index: int, value: int) -> Shape:
        view = self.view
        source = view.defs[value]
        name = parameter_name(view, inst, index)
        if value == self.lends:
            return self._argument(value, name)
        if value in self.paths.dropped or (is_transparent(view, source) and self._is_resource(source)):
            return self.instruction(source)
        if value in self.globals and not (
            source.op != op.OpVariable and is_shared_constant(view, inst, index, self._depth(inst))
        ):
            return "global", value
        if source.type_id and view.type(source.type_id).op in HANDLES | {op.OpTypePointer}:
            raise NotShared
        return self._argument(value, name)

    def _is_resource(self, inst: Instruction) -> bool:
        """Return whether a value is a handle, or a pointer into an array of resources that stays one."""
        view = self.view
        if view.type(inst.type_id).op in HANDLES:
            return True
        return inst.op in ACCESS_CHAINS and root_of(view, inst.result_id)[0].result_id in view.binding_arrays

    def _depth(self, inst: Instruction) -> tuple[int, int]:
        """Return (number of indices before those of an access chain, number of indices that select an element)."""
        path = self.paths.pointers.get(inst.result_id) if inst.op in ACCESS_CHAINS else None
        return (0, 0) if path is None else (len(path.indices) - len(inst.operands) + 1, len(path.array.lengths))

    def _argument(self, value: int, name: str) -> Shape:
        if value not in self.arguments:
            self.arguments.append(value)
            self.names.append(name)
        return "argument", self.arguments.index(value), self.view.type_of(value)


class _Builder:
    """Writes the instructions of a shape to the block of a function."""

    def __init__(self, view: View, parameters: list[int], block: Block) -> None:
        self.view = view
        self.parameters = parameters
        self.block = block

    def instruction(self, shape: Shape, original: Instruction) -> int:
        """Append an instruction and those that its operands need; return its result, or 0."""
        opcode, type_id, *parts = shape
        assert isinstance(opcode, int)
        assert isinstance(type_id, int)
        operands = [
            self._operand(part, self.view.defs.get(operand) if isinstance(operand, int) else None)
            for part, operand in zip(parts, original.operands, strict=True)
        ]
        number = self.view.fresh() if type_id else 0
        inst = Instruction(opcode, type_id, number, operands)
        self.block.instructions.append(inst)
        if number:
            self.view.add(inst)
            self.view.origins[number] = self.view.origins.get(original.result_id, original.result_id)
            self.view.originals[number] = original
        return number

    def _operand(self, part: object, original: Instruction | None) -> Operand:
        assert isinstance(part, tuple)
        kind, *rest = part
        if kind == "argument":
            return self.parameters[rest[0]]
        if kind in ("global", "word", "offset"):
            operand: Operand = rest[0]
            return operand
        assert original is not None
        return self.instruction(part, original)
