"""Copy functions whose parameters WGSL cannot pass; each copy uses the argument's variable instead.

WGSL passes neither pointers into resources nor combined samplers. Before: parameters may be handles, or pointers to any
storage class. After: each copy of a function accesses resources through the module's variables; computed parts of an
argument (such as the index into a buffer) are passed as numbers. Functions that no entry point calls are removed.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import renamed
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import HANDLES, View

MAX_COPIES = 2000

PASSED = frozenset((StorageClass.Function,))
"""Storage classes whose pointers WGSL can pass."""

Shape = tuple[object, ...]
"""The computation of an argument without its indices: the key of a function's copies."""


class Specialiser:
    """Copies and rewrites the functions of one module."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.copies: dict[tuple[int, tuple[Shape | None, ...]], int] = {}
        self.done: list[Function] = []
        self.function_types: dict[tuple[int, ...], int] = {}

    def run(self) -> list[Function]:
        """Copy and rewrite the functions; return those that entry points call, callees before callers."""
        order: list[int] = []
        state: dict[int, int] = {}
        roots = [inst.id(1) for inst in self.view.module.entry_points]
        pending = [(root, False) for root in reversed(dict.fromkeys(roots))]
        while pending:
            number, finished = pending.pop()
            if finished:
                order.append(number)
                state[number] = 2
                continue
            if number in state:
                if state[number] == 1:
                    raise Unsupported("functions call each other in a circle", number)
                continue
            state[number] = 1
            function = self.view.functions[number]
            pending.append((number, True))
            for called in reversed(self._calls(function)):
                if state.get(called) == 1:
                    raise Unsupported("functions call each other in a circle", called)
                if called not in state:
                    pending.append((called, False))
        return [self.view.functions[number] for number in order]

    def _calls(self, function: Function) -> list[int]:
        """Rewrite the arguments of a function's calls; return its callees."""
        callees: list[int] = []
        if not function.blocks:
            raise Unsupported("a function is declared and not defined", function.id)
        for block in function.blocks:
            for inst in block.instructions:
                if inst.op == op.OpSwitch:
                    width = self.view.scalar(self.view.type_of(inst.id(0))).id(0)
                    if width != 32:
                        raise Unsupported(f"WGSL has no {width}-bit integers", inst.id(0))
                elif inst.op == op.OpFunctionCall:
                    self._call(inst)
                    callees.append(inst.id(0))
        return list(dict.fromkeys(callees))

    def _call(self, inst: Instruction) -> None:
        words = inst.ints()
        shapes: list[Shape | None] = []
        operands: list[int] = []
        for argument in words[1:]:
            if not self._is_special(self.view.type_of(argument)):
                shapes.append(None)
                operands.append(argument)
                continue
            indices: list[int] = []
            shapes.append(self._shape(argument, indices))
            operands += indices
        if all(shape is None for shape in shapes):
            return
        key = words[0], tuple(shapes)
        if key not in self.copies:
            if len(self.copies) >= MAX_COPIES:
                raise Unsupported(f"functions with resources as parameters need more than {MAX_COPIES} copies")
            self.copies[key] = self._copy(self.view.functions[words[0]], shapes)
        inst.operands = [self.copies[key], *operands]

    def _is_special(self, type_id: int) -> bool:
        kind = self.view.type(type_id)
        return kind.op in HANDLES or (kind.op == op.OpTypePointer and kind.id(0) not in PASSED)

    def _shape(self, value: int, indices: list[int]) -> Shape:
        """Return the computation of a handle or pointer as a hashable tree.

        Append the ids of its indices that are not constant to ``indices``.
        """
        inst = self.view.defs[value]
        if inst.op == op.OpVariable:
            return "variable", value
        if inst.op == op.OpCopyObject:
            return self._shape(inst.id(0), indices)
        if inst.op in ACCESS_CHAINS:
            parts: list[object] = [self._shape(inst.id(0), indices)]
            for index in inst.ints()[1:]:
                if self.view.constant(index) is not None:
                    parts.append(index)
                else:
                    indices.append(index)
                    parts.append(("index", self.view.type_of(index)))
            return "chain", inst.type_id, *parts
        if inst.op in (op.OpLoad, op.OpImage):
            return "unary", inst.op, inst.type_id, self._shape(inst.id(0), indices)
        if inst.op == op.OpSampledImage:
            return "pair", inst.type_id, self._shape(inst.id(0), indices), self._shape(inst.id(1), indices)
        raise Unsupported("an argument is a pointer or handle that is chosen at run time", value)

    # ------------------------------------------------------------------------------------------------------- copying

    def _copy(self, function: Function, shapes: list[Shape | None]) -> int:
        """Return the id of a copy of a function, in which some parameters are computed at the start instead of passed.

        ``shapes`` has the computation of each such parameter, a tree of instructions, and ``None`` for the others.
        """
        view = self.view
        ids: dict[int, int] = {}
        own = [function.id, *(inst.result_id for inst in function.parameters)]
        own += [block.label for block in function.blocks]
        own += [inst.result_id for inst in function.instructions() if inst.result_id]
        for number in own:
            ids[number] = self.view.fresh()
            view.origins[ids[number]] = view.origins.get(number, number)
            if number in view.names:
                view.names[ids[number]] = view.names[number]
            if number in view.decorations:
                view.decorations[ids[number]] = view.decorations[number]
        parameters: list[Instruction] = []
        start: list[Instruction] = []
        for parameter, shape in zip(function.parameters, shapes, strict=True):
            if shape is None:
                number = ids[parameter.result_id]
                parameters.append(Instruction(op.OpFunctionParameter, parameter.type_id, number, []))
            else:
                ids[parameter.result_id] = self._rebuild(shape, parameters, start)
        blocks = [
            Block(ids[block.label], [renamed(inst, ids) for inst in block.instructions]) for block in function.blocks
        ]
        variables = [inst for inst in blocks[0].instructions if inst.op == op.OpVariable]
        others = [inst for inst in blocks[0].instructions if inst.op != op.OpVariable]
        blocks[0].instructions = [*variables, *start, *others]
        definition = Instruction(
            op.OpFunction, function.definition.type_id, ids[function.id], list(function.definition.operands)
        )
        view.add_function(Function(definition, parameters, blocks))
        return ids[function.id]

    def _rebuild(self, shape: Shape, parameters: list[Instruction], start: list[Instruction]) -> int:
        """Append the instructions that compute a handle or pointer to ``start``, and return the id of the result.

        ``shape`` is the computation as a tree. ``start`` are the first instructions of a copied function; for each
        index in the tree that is not constant, the copy gets a parameter, which is appended to ``parameters``.
        """
        if shape[0] == "variable":
            assert isinstance(shape[1], int)
            return shape[1]
        operands: list[int] = []
        if shape[0] == "chain":
            opcode, type_id, parts = op.OpAccessChain, shape[1], shape[2:]
        elif shape[0] == "pair":
            opcode, type_id, parts = op.OpSampledImage, shape[1], shape[2:]
        else:
            assert isinstance(shape[1], int)
            opcode, type_id, parts = shape[1], shape[2], shape[3:]
        for part in parts:
            if isinstance(part, int):
                operands.append(part)
            elif isinstance(part, tuple) and part[0] == "index":
                parameter = Instruction(op.OpFunctionParameter, part[1], self.view.fresh(), [])
                self.view.names[parameter.result_id] = "index"
                parameters.append(parameter)
                operands.append(parameter.result_id)
            else:
                assert isinstance(part, tuple)
                operands.append(self._rebuild(part, parameters, start))
        assert isinstance(type_id, int)
        inst = Instruction(opcode, type_id, self.view.fresh(), list(operands))
        start.append(inst)
        return inst.result_id
