"""State of the promotion of one function, and the operations on values and memory that instructions share."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.passes.promote.promoted_body import (
    AccessPath,
    Instructions,
    LazyComposite,
    Path,
    PromotedTypes,
    Unsuited,
    Value,
    scalar,
)
from hlsl_tool.codegen.passes.promote.ssa_values import Node, Values
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import Nest, nests
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from .debug_marks import Marks
from .function_cache import FunctionInfo
from .module_state import ModuleState


class Promoter:
    """State of the promotion of one function."""

    __deletable__ = ("values",)

    def __init__(self, program: ModuleState, info: FunctionInfo, *, is_entry: bool) -> None:
        self.program = program
        self.types: PromotedTypes = program.types
        self.info = info
        self.function = info.function
        self.blocks = info.blocks
        self.is_entry = is_entry
        self.values = Values(program.types, self.initial)
        self.composites: dict[int, tuple[object, ...] | LazyComposite] = {}
        """Id of a scalar-replaced composite → its elements."""
        self.alias: dict[int, int] = {}
        """Id → the id that replaces it."""
        self.access_paths: dict[int, AccessPath] = {}
        """Pointer → where it points in a variable that is replaced."""
        self.chains: dict[int, Instruction] = {}
        """Result of an access chain into memory → the emitted instruction."""
        self.vectors: dict[int, list[Operand]] = {}
        """Vector → its components."""
        self.variables: list[Instruction] = []
        """Variables that stay in memory."""
        self.initializers: dict[int, int] = {}
        self.inputs: dict[tuple[int, Path], int] = {}
        self.result: Value | None = None
        self.written: dict[int, object] = {}
        """Parameter or private variable → its value on exit."""
        self.type_of: dict[int, int] = {p.result_id: p.type_id for p in self.function.parameters}
        self.node: Node
        self.has_kill = False
        self.may_mix_storage = False
        self.by_path: set[int] = set()
        self.value_roots: set[int] = set()
        """Composite parameters that are passed by value."""
        self.marks = Marks() if program.positions is not None else None
        """The values of declared variables; ``None`` unless scopes and variables are preserved."""
        self.copy_marks: list[Callable[[], None]] = []
        """Functions that copy the markers of inlined calls, if there are ``marks``."""
        self.line: tuple[int, ...] | None = None
        """The line of the instruction that is promoted now, if there are ``marks``."""
        self._nests: dict[int, Nest] | None = None

    # ---- values

    def initial(self, root: int, path: Path, is_entry: bool) -> Value:
        """Return the value of a variable or parameter at the start of a block without predecessors.

        ``is_entry``: the block is the function's first one; in unreachable blocks values are undefined. Raises
        ``Unsuited`` for an initializer that is not a constant.
        """
        types = self.types
        type_id = types.part(self.values.roots[root], path)
        init = self.initializers.get(root)
        if root in self.program.privates and self.is_entry:
            init = self.program.privates[root]
        elif is_entry and (root in self.by_path or root in self.program.privates):
            return self._input(root, path, type_id)
        if init is None or not is_entry:
            return types.undef(type_id)
        value = types.constant_part(init, self.values.roots[root], path)
        if value is None:
            raise Unsuited("an initializer that is no constant")
        return value

    def _input(self, root: int, path: Path, type_id: int) -> Value:
        elements = self.types.elements(type_id)
        if elements is not None:
            return tuple(self._input(root, (*path, n), element) for n, element in enumerate(elements))
        number = self.inputs.get((root, path))
        if number is None:
            number = self.inputs[root, path] = self.types.new_id()
        return number

    def value(self, number: int) -> Value:
        """Return the value that replaces an id: another id (or itself), or the elements of a composite."""
        composite = self.composites.get(number)
        if composite is not None:
            return composite
        return self.alias.get(number, number)

    def whole(self, value: object, type_id: int, where: Instructions | None = None) -> int:
        """Return an id for a value; construct a composite at the end of ``where``, by default of the current block."""
        if isinstance(value, int):
            return value
        if isinstance(value, LazyComposite):
            return value.whole()
        assert isinstance(value, tuple)
        elements = self.types.elements(type_id)
        assert elements is not None
        parts = [self.whole(part, element, where) for part, element in zip(value, elements, strict=True)]
        number = self.types.new_id()
        construction = Instruction(op.OpCompositeConstruct, type_id, number, list(parts))
        (self.node.end if where is None else where).append(construction)
        return number

    def operand(self, number: int) -> int:
        """Return the id to write for an operand; construct a composite if the operand is scalar-replaced.

        Raises ``Unsuited`` for a pointer to a variable that is replaced.
        """
        composite = self.composites.get(number)
        if composite is not None:
            return self.whole(composite, self.type_of[number])
        if number in self.access_paths:
            raise Unsuited("a pointer to a variable that has been taken apart")
        return self.alias.get(number, number)

    def set(self, number: int, value: object) -> None:
        """Record the value that replaces an id in all later instructions."""
        if isinstance(value, int):
            self.alias[number] = value
        else:
            self.composites[number] = value  # type: ignore[assignment]

    def is_in_continue(self, node: Node) -> bool:
        """Return whether a block is in the continue construct of a loop, which must not be split."""
        if self._nests is None:
            self._nests = nests(self.blocks)
        return any(construct.kind == "continue" for construct in self._nests.get(node.label, ()))

    # ---- writing

    def emit(self, inst: Instruction) -> None:
        """Emit an instruction after replacing its operands."""
        operands = inst.operands
        composites, alias = self.composites, self.alias
        if len(operands) <= plain_ids(inst.op):
            if composites and not composites.keys().isdisjoint(operands):  # type: ignore[arg-type]
                words: list[Operand] = [self.operand(operand) for operand in operands]  # type: ignore[arg-type]
            else:
                words = [alias.get(operand, operand) for operand in operands]  # type: ignore[arg-type]
        else:
            words = self.replaced_operands(inst)
        self.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, words))

    def replaced_operands(self, inst: Instruction) -> list[Operand]:
        operands = inst.operands
        if inst.op == op.OpExtInst:
            return [*operands[:2], *(self.operand(x) for x in inst.ints()[2:])]
        return [
            self.operand(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(operands, id_flags(inst.op, operands), strict=True)
        ]

    # ---- memory

    def load_path(self, access: AccessPath) -> Value:
        root, path, indices = access
        value = self.values.read(self.node, root, path)
        if not indices:
            return value
        return self._component(scalar(value), self.types.part(self.values.roots[root], path), indices)

    def _component(self, value: int, type_id: int, indices: tuple[int, ...]) -> int:
        types = self.types
        for index in indices:
            type_id = types.part(type_id, (0,))
            constant = types.constant(index)
            if constant is None:
                number = types.new_id()
                self.node.end.append(Instruction(op.OpVectorExtractDynamic, type_id, number, [value, index]))
                value = number
            else:
                value = self._vector_part(value, type_id, constant)
        return value

    def _vector_part(self, value: int, type_id: int, index: int) -> int:
        parts = self.vectors.get(value)
        if parts is not None:
            return parts[index]  # type: ignore[return-value]
        number = self.types.new_id()
        self.node.end.append(Instruction(op.OpCompositeExtract, type_id, number, [value, index]))
        return number

    def store_path(self, access: AccessPath, value: object) -> None:
        """Store a value to a part of a variable; unset elements of the value do not change memory."""
        root, path, indices = access
        if indices:
            old = scalar(self.values.read(self.node, root, path))
            type_id = self.types.part(self.values.roots[root], path)
            value = self._with_component(old, type_id, indices, scalar(value))  # type: ignore[arg-type]  # is set
        self.values.write_parts(self.node, root, path, value)
        if self.marks is not None:
            self.marks.store(self.node.end, root, path, self.line, value)

    def _with_component(self, whole: int, type_id: int, indices: tuple[int, ...], value: int) -> int:
        types = self.types
        constants = [types.constant(index) for index in indices]
        number = types.new_id()
        if None not in constants:
            words: list[Operand] = [value, whole, *constants]  # type: ignore[list-item]
            self.node.end.append(Instruction(op.OpCompositeInsert, type_id, number, words))
            return number
        if len(indices) == 1:
            words = [whole, value, indices[0]]
            self.node.end.append(Instruction(op.OpVectorInsertDynamic, type_id, number, words))
            return number
        column = self._component(whole, type_id, indices[:1])
        column = self._with_component(column, types.part(type_id, (0,)), indices[1:], value)
        return self._with_component(whole, type_id, indices[:1], column)

    def materialise_chain(self, pointer: int, path: Path, type_id: int, where: Instructions) -> int:
        """Append an access chain to ``where`` and return its id: a pointer to the element at a path.

        ``type_id`` is the type of that element.
        """
        types = self.types
        indices = [types.index(step) for step in path]
        before = self.chains.get(pointer)
        pointer_type = types.pointer(self.program.storage_of(pointer, before, self.type_of.get(pointer)), type_id)
        number = self.program.copy_of(pointer) if before is not None else types.new_id()
        base = pointer
        if before is not None:
            base, indices = before.id(0), [*before.ints()[1:], *indices]
        where.append(Instruction(op.OpAccessChain, pointer_type, number, [base, *indices]))
        return number
