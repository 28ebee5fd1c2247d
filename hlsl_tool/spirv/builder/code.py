"""Functions, blocks and instructions of the module under construction."""

from __future__ import annotations

from collections.abc import Sequence

from .. import glsl, op
from ..enums import FunctionControl, MemoryAccess, Scope, StorageClass
from ..grammar.tables import TERMINATORS
from ..ir import Block, Function, Instruction, Operand, RawInstruction
from .declarations import Declarations
from .limits import MAX_CASES, MAX_PARAMETERS, MAX_PARTS, check_size
from .order import readable_order


class CodeBuilder(Declarations):
    """The methods of ``ModuleBuilder`` that build functions.

    Blocks are identified by their labels. Instructions are appended to the block selected by ``set_insert_point``;
    local variables go to the head of the function. Instructions after a terminator are dropped (HLSL after ``return``
    is dead), but their ids remain usable.
    """

    def __init__(self, *, storage_buffer_class: bool = False) -> None:
        super().__init__(storage_buffer_class=storage_buffer_class)
        self.functions: list[Function] = []
        """Finished functions in the order in which they are written."""
        self.function: Function | None = None
        self.locals: dict[int, list[Instruction]] = {}
        """Function id → its local variables."""
        self.blocks: dict[int, Block] = {}
        self.block_heads: dict[int, list[Instruction]] = {}
        """Block → debug instructions in front of everything else, variables included."""
        self.block: Block | None = None
        self._done = False
        self.line: tuple[int, ...] | None = None
        self._orders: dict[int, list[Block]] = {}

    # ---- functions and blocks

    def declare_function(self, name: str = "") -> int:
        """Return an id for calling a function before it begins; pass it to ``begin_function(..., function=id)``."""
        number = self.new_id()
        self.name(number, name)
        return number

    def begin_function(
        self,
        name: str,
        result_type: int,
        params: Sequence[tuple[int, str]] = (),
        *,
        function: int = 0,
        control: int = FunctionControl.None_,
    ) -> tuple[int, list[int]]:
        """Start a function and return (its id, ids of its parameters); ``params`` are (type, name)."""
        check_size("parameters of a function", len(params), MAX_PARAMETERS)
        number = function or self.new_id()
        self.name(number, name)
        signature = self.function_type(result_type, [type_id for type_id, _ in params])
        self.function = Function(Instruction(op.OpFunction, result_type, number, [control, signature], self.line))
        self._types_of[number] = result_type
        self.locals[number] = []
        ids = [self.add_parameter(type_id, param) for type_id, param in params]
        self.block = None
        self._done = False
        return number, ids

    def ordered_blocks(self, function: Function) -> list[Block]:
        """Return the blocks of a finished function that will be written, in final order."""
        order = self._orders.get(function.id)
        if order is None:
            ends = [(block.label, block.instructions[-1]) for block in function.blocks if block.instructions]
            switches = [(label, last) for label, last in ends if last.op == op.OpSwitch]
            wide = frozenset(label for label, last in switches if self.type_of(last.id(0)).width > 32)
            order = self._orders[function.id] = readable_order(function.blocks, wide) if function.blocks else []
        return order

    def add_parameter(self, type_id: int, name: str = "") -> int:
        """Add a parameter to the current function; its type must be in the signature given to ``begin_function``."""
        assert self.function is not None
        number = self.new_id()
        self._types_of[number] = type_id
        self.function.parameters.append(Instruction(op.OpFunctionParameter, type_id, number, [], self.line))
        self.name(number, name)
        return number

    def is_current(self, function: int) -> bool:
        return self.function is not None and self.function.id == function

    def end_function(self) -> None:
        """Finish the current function; functions are written in the order in which they end."""
        assert self.function is not None
        self.functions.append(self.function)
        self.function = None
        self.block = None

    def new_block(self, name: str = "") -> int:
        """Add a block to the current function and return its label; unreachable blocks are not written."""
        assert self.function is not None
        block = Block(self.new_id())
        self.blocks[block.label] = block
        self.function.blocks.append(block)
        self.name(block.label, name)
        return block.label

    def set_insert_point(self, label: int) -> None:
        """Append all following instructions to the block with this label."""
        self.block = self.blocks[label]
        self._done = bool(self.block.instructions) and self.block.instructions[-1].op in TERMINATORS

    @property
    def current_block(self) -> int:
        """Return the label of the current block."""
        assert self.block is not None
        return self.block.label

    @property
    def is_terminated(self) -> bool:
        """Return whether the current block has its terminator."""
        return self._done

    def set_line(self, *line: int) -> None:
        """Set the source position of following instructions, or none.

        ``line`` is (id of the file's OpString, line, column), optionally followed by (end line, end column).
        """
        self.line = line or None

    def local_variable(
        self, value_type: int, name: str = "", *, init: int | None = None, storage: int = StorageClass.Function
    ) -> int:
        """Add a variable of type ``value_type`` at the head of the function's first block; return its id.

        Inline SPIR-V may choose any ``storage``.
        """
        assert self.function is not None
        pointer = self.pointer(storage, value_type)
        operands: list[Operand] = [storage]
        if init is not None:
            operands.append(init)
        number = self.new_id()
        self._types_of[number] = pointer
        self.locals[self.function.id].append(Instruction(op.OpVariable, pointer, number, operands, self.line))
        self.name(number, name)
        return number

    # ---- any instruction

    def emit(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """Emit an instruction with a result and return its id."""
        number = self._next_id
        self._next_id = number + 1
        self._types_of[number] = type_id
        if not self._done:
            assert self.block is not None, "no current block"
            self.block.instructions.append(Instruction(opcode, type_id, number, list(operands), self.line))
        return number

    def emit_void(self, opcode: int, *operands: Operand) -> None:
        """Emit an instruction without a result."""
        if not self._done:
            assert self.block is not None, "no current block"
            self.block.instructions.append(Instruction(opcode, 0, 0, list(operands), self.line))
            self._done = opcode in TERMINATORS

    def emit_raw(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """Emit an instruction of any opcode, for inline SPIR-V.

        Operands are ids unless they are strings or ``ir.Literal``.

        Without a ``type_id`` there is no result, and 0 is returned.
        """
        number = self.new_id() if type_id else 0
        if type_id:
            self._types_of[number] = type_id
        if not self._done:
            assert self.block is not None, "no current block"
            self.block.instructions.append(RawInstruction(opcode, type_id, number, list(operands), self.line))
            self._done = opcode in TERMINATORS
        return number

    # ---- memory

    def load(self, pointer: int, *, align: int = 0, type_id: int = 0) -> int:
        """Emit ``OpLoad``; ``align`` writes the Aligned operand that physical pointers need."""
        value_type = type_id or self.pointee_of(pointer).id
        if align:
            return self.emit(op.OpLoad, value_type, pointer, MemoryAccess.Aligned, align)
        return self.emit(op.OpLoad, value_type, pointer)

    def store(self, pointer: int, value: int, *, align: int = 0) -> None:
        """Emit ``OpStore``."""
        if align:
            self.emit_void(op.OpStore, pointer, value, MemoryAccess.Aligned, align)
        else:
            self.emit_void(op.OpStore, pointer, value)

    def access_chain(self, element_type: int, base: int, indexes: Sequence[int]) -> int:
        """Emit ``OpAccessChain``; ``element_type`` is the pointee, and the storage class is that of ``base``."""
        pointer = self.pointer(self.storage_of(base), element_type)
        return self.emit(op.OpAccessChain, pointer, base, *indexes)

    def member_chain(self, base: int, *indexes: int) -> int:
        """Emit ``OpAccessChain`` with constant signed indices; the result type is derived from ``base``."""
        info = self.pointee_of(base)
        for index in indexes:
            info = info.member_types[index] if info.kind == "struct" else info.elem
        return self.access_chain(info.id, base, [self.const_i32(index) for index in indexes])

    # ---- values

    def construct(self, type_id: int, parts: Sequence[int]) -> int:
        """Emit ``OpCompositeConstruct``."""
        check_size("elements of a composite", len(parts), MAX_PARTS)
        return self.emit(op.OpCompositeConstruct, type_id, *parts)

    def extract(self, composite: int, *indexes: int) -> int:
        """Emit ``OpCompositeExtract`` with literal indices; the result type is derived from the composite."""
        info = self.type_of(composite)
        for index in indexes:
            info = info.member_types[index] if info.kind == "struct" else info.elem
        return self.emit(op.OpCompositeExtract, info.id, composite, *indexes)

    def insert(self, value: int, composite: int, *indexes: int) -> int:
        """Emit ``OpCompositeInsert`` of ``value`` into ``composite`` at ``indexes``."""
        return self.emit(op.OpCompositeInsert, self.type_id_of(composite), value, composite, *indexes)

    def shuffle(self, first: int, second: int, selectors: Sequence[int], *, type_id: int = 0) -> int:
        """Emit ``OpVectorShuffle``."""
        result = type_id or self.vector(self.type_of(first).elem.id, len(selectors))
        return self.emit(op.OpVectorShuffle, result, first, second, *selectors)

    def select(self, condition: int, when_true: int, when_false: int) -> int:
        """Emit ``OpSelect``."""
        return self.emit(op.OpSelect, self.type_id_of(when_true), condition, when_true, when_false)

    def unary(self, opcode: int, type_id: int, operand: int) -> int:
        """Emit an instruction with one operand and a result."""
        return self.emit(opcode, type_id, operand)

    def binary(self, opcode: int, type_id: int, left: int, right: int) -> int:
        """Emit an instruction with two operands and a result."""
        return self.emit(opcode, type_id, left, right)

    def binary_at_point(self, opcode: int, type_id: int, left: int, right: int) -> int:
        """Emit an instruction with two operands and a result, whose position is a point even for DebugLine."""
        return self.emit(opcode, type_id, left, right)

    def ext_inst(self, set_name: str, type_id: int, number: int, *operands: int) -> int:
        """Emit an instruction of an extended set."""
        return self.emit(op.OpExtInst, type_id, self.ext_set(set_name), number, *operands)

    def glsl(self, number: int, type_id: int, *operands: int) -> int:
        """Emit an instruction of GLSL.std.450, as in ``b.glsl(glsl.FMix, t, x, y, a)``."""
        return self.emit(op.OpExtInst, type_id, self.ext_set(glsl.SET), number, *operands)

    def call(self, function: int, result_type: int, arguments: Sequence[int]) -> int:
        """Emit ``OpFunctionCall``."""
        return self.emit(op.OpFunctionCall, result_type, function, *arguments)

    # ---- atomics and barriers

    def atomic(
        self, opcode: int, type_id: int, pointer: int, *values: int, scope: int = Scope.Device, semantics: int = 0
    ) -> int:
        """Emit an atomic instruction with a result; ``values`` are the operands after scope and semantics."""
        return self.emit(opcode, type_id, pointer, self.lazy_uint(scope), self.lazy_uint(semantics), *values)

    def atomic_compare_exchange(
        self,
        type_id: int,
        pointer: int,
        value: int,
        comparator: int,
        *,
        scope: int = Scope.Device,
        equal: int = 0,
        unequal: int = 0,
    ) -> int:
        """Emit ``OpAtomicCompareExchange``."""
        scopes = self.lazy_uint(scope), self.lazy_uint(equal), self.lazy_uint(unequal)
        return self.emit(op.OpAtomicCompareExchange, type_id, pointer, *scopes, value, comparator)

    def barrier(self, memory_scope: int, semantics: int, execution_scope: int | None = None) -> None:
        """Emit ``OpControlBarrier``; without an execution scope ``OpMemoryBarrier``."""
        memory = self.lazy_uint(memory_scope), self.lazy_uint(semantics)
        if execution_scope is None:
            self.emit_void(op.OpMemoryBarrier, *memory)
        else:
            self.emit_void(op.OpControlBarrier, self.lazy_uint(execution_scope), *memory)

    # ---- control flow

    def branch(self, target: int) -> None:
        """Emit ``OpBranch``."""
        self.emit_void(op.OpBranch, target)

    def loop_merge(self, merge: int, continuing: int, control: int = 0, *parameters: int) -> None:
        """Emit ``OpLoopMerge``; the branch that enters the loop must follow immediately."""
        self.emit_void(op.OpLoopMerge, merge, continuing, control, *parameters)

    def selection_merge(self, merge: int, control: int = 0) -> None:
        """Emit ``OpSelectionMerge``; the branch must follow immediately."""
        self.emit_void(op.OpSelectionMerge, merge, control)

    def branch_conditional(
        self, condition: int, when_true: int, when_false: int, *, merge: int = 0, continuing: int = 0, control: int = 0
    ) -> None:
        """Emit ``OpBranchConditional``, preceded by a merge instruction if ``merge`` is given.

        With ``continuing`` it is OpLoopMerge, otherwise OpSelectionMerge.
        """
        if merge and continuing:
            self.loop_merge(merge, continuing, control)
        elif merge:
            self.selection_merge(merge, control)
        self.emit_void(op.OpBranchConditional, condition, when_true, when_false)

    def switch(
        self, selector: int, default: int, targets: Sequence[tuple[int, int]], *, merge: int, control: int = 0
    ) -> None:
        """Emit ``OpSelectionMerge`` and ``OpSwitch``; ``targets`` are pairs of (value, label)."""
        check_size("cases of a switch", len(targets), MAX_CASES)
        info = self.type_of(selector)
        self.selection_merge(merge, control)
        operands: list[Operand] = [selector, default]
        for value, label in targets:
            value &= (1 << info.width) - 1
            if info.width > 32:
                operands += [value & 0xFFFFFFFF, value >> 32]
            else:
                if info.signed and value >> (info.width - 1):
                    value |= 0xFFFFFFFF << info.width & 0xFFFFFFFF
                operands.append(value)
            operands.append(label)
        self.emit_void(op.OpSwitch, *operands)

    def ret(self, value: int | None = None) -> None:
        """Emit ``OpReturn`` or ``OpReturnValue``."""
        if value is None:
            self.emit_void(op.OpReturn)
        else:
            self.emit_void(op.OpReturnValue, value)

    def kill(self) -> None:
        """Emit ``OpKill``."""
        self.emit_void(op.OpKill)

    def unreachable(self) -> None:
        """Emit ``OpUnreachable``."""
        self.emit_void(op.OpUnreachable)
