"""Read arrays of storage buffers that share a binding by a function that returns one word.

Engines bind all buffers as one array, and declare it once for each type of elements. WGSL has one variable for each
element of the array, which is an array of words then. Before: ``%colour = OpLoad`` of ``materials[i].data[k].colour``.
After: the words of the colour are results of ``OpFunctionCall %load_words %i %word``, whose switch over the buffers all
loads share.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction, Operand
from hlsl_tool.wgsl.arrays.operations import Operations
from hlsl_tool.wgsl.arrays.paths import Path, Paths, ResourceArray
from hlsl_tool.wgsl.arrays.splitting import Splitter
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.usage import WRITING
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View

MAX_WORDS = 256
"""The largest size of a value that is loaded word by word."""


class _Other(Exception):
    """Raised for a layout that is not made of 32-bit words."""


@dataclass(slots=True)
class _Pointee:
    """Memory in a buffer: its type, and its place as words (a constant, and a computed value or 0)."""

    type_id: int
    base: int
    offset: int = 0
    row_major: bool = False
    stride: int = 0


class Words:
    """The arrays of words of one module, and the loads from them."""

    def __init__(
        self, view: View, functions: list[Function], arrays: dict[int, ResourceArray], operations: Operations
    ) -> None:
        self.view = view
        self.operations = operations
        self.additions = operations.additions
        written = {
            root_of(view, inst.id(0))[0].result_id
            for function in functions
            for inst in function.instructions()
            if inst.op in WRITING
        }
        used = {number for function in functions for inst in function.instructions() for number in used_ids(inst)}
        self.of: dict[int, ResourceArray] = {}
        """Array → the array of words with its binding."""
        self.arrays: dict[int, ResourceArray] = {}
        """The arrays of words by their variables."""
        groups: dict[tuple[int | None, int | None], list[ResourceArray]] = {}
        for array in arrays.values():
            number = array.variable.result_id
            is_storage = array.variable.id(0) == StorageClass.StorageBuffer
            if number in used and (is_storage or view.has(array.element, Decoration.BufferBlock)):
                place = view.literal(number, Decoration.DescriptorSet), view.literal(number, Decoration.Binding)
                groups.setdefault(place, []).append(array)
        for group in groups.values():
            types = {array.element for array in group}
            numbers = {array.variable.result_id for array in group}
            alike = all(array.lengths == group[0].lengths and self._read_only(array) for array in group)
            if len(types) > 1 and alike and not numbers & written:
                words = self._declare(group[0])
                arrays[words.variable.result_id] = self.arrays[words.variable.result_id] = words
                self.of.update(dict.fromkeys(numbers, words))

    def _read_only(self, array: ResourceArray) -> bool:
        view, number = self.view, array.variable.result_id
        members = range(len(view.type(array.element).operands))
        return view.has(number, Decoration.NonWritable) or all(
            Decoration.NonWritable in view.member(array.element, index) for index in members
        )

    def _declare(self, first: ResourceArray) -> ResourceArray:
        """Add the array of words that replaces ``first`` and the others with its binding."""
        view, additions, space = self.view, self.additions, first.variable.id(0)
        words = additions.add(op.OpTypeRuntimeArray, 0, additions.uint)
        view.decorations[words] = {Decoration.ArrayStride: [4]}
        struct = additions.add(op.OpTypeStruct, 0, words)
        block = Decoration.Block if space == StorageClass.StorageBuffer else Decoration.BufferBlock
        view.decorations[struct] = {block: []}
        view.member_decorations[struct, 0] = {Decoration.Offset: [0]}
        pointer = view.pointer_type(space, additions.add(op.OpTypeRuntimeArray, 0, struct))
        variable = Instruction(op.OpVariable, pointer, view.fresh(), [space])
        number, old = view.add(variable), first.variable.result_id
        view.module.globals.insert(view.module.globals.index(first.variable), variable)
        view.decorations[number] = {**view.decorations.get(old, {}), Decoration.NonWritable: []}
        view.origins[number] = old
        view.names[number] = view.names.get(old) or "words"
        return ResourceArray(variable, first.lengths, struct)

    def replaces_all(self, number: int, functions: list[Function]) -> bool:
        """Return whether the array of words ``number`` serves all uses of those that it replaces."""
        replaced = {array for array, words in self.of.items() if words.variable.result_id == number}
        for function in functions:
            for inst in function.instructions():
                if inst.op in ACCESS_CHAINS or inst.op in (op.OpCopyObject, op.OpArrayLength):
                    continue
                if inst.op == op.OpLoad and word_count(self.view, inst.type_id) <= MAX_WORDS:
                    continue
                if any(self._root(operand) in replaced for operand in used_ids(inst)):
                    return False
        return True

    def _root(self, value: int) -> int:
        inst = self.view.defs.get(value)
        is_pointer = inst is not None and inst.type_id and self.view.is_pointer(inst.type_id)
        return root_of(self.view, value)[0].result_id if is_pointer else 0

    def use(self, inst: Instruction, path: Path, out: Splitter) -> int:
        """Emit what replaces a load or a length, and return its value; 0 if the array is no array of words."""
        words = self.of.get(path.array.variable.result_id)
        if words is None or inst.op not in (op.OpLoad, op.OpArrayLength):
            return 0
        count = len(path.array.lengths)
        loads = _Loads(self, words, path.indices[:count], out)
        try:
            if inst.op == op.OpArrayLength:
                return loads.length(inst.type_id, loads.part(loads.pointee(path.array.element, []), inst.id(1)))
            if word_count(self.view, inst.type_id) > MAX_WORDS:
                raise _Other
            return loads.value(loads.pointee(path.array.element, path.indices[count:]))
        except _Other:
            if words.variable.result_id in self.view.binding_arrays:
                raise Unsupported("a member is not at a multiple of four bytes", inst.result_id) from None
            return 0

    def access(self, words: ResourceArray, indices: list[int], inst: Instruction, out: Splitter) -> int:
        """Emit an instruction that uses memory in the buffer at ``indices``, whose pointer is ``inst.id(0)``."""
        chain = self.view.defs[inst.id(0)]
        if words.variable.result_id in self.view.binding_arrays:
            out.emit(chain)
            out.emit(inst)
            return inst.result_id
        self.operations.globals.update(chain.ints()[:1])
        paths = Paths({chain.result_id: Path(words, chain.ints()[1:])}, {chain.result_id: chain})
        name = self.view.names[words.variable.result_id]
        call = self.operations.call(inst, paths, f"word_of_{name}" if inst.op == op.OpLoad else name, fragment=False)
        out.emit(call)
        return call.result_id


def word_count(view: View, type_id: int) -> int:
    """Return the number of 32-bit scalars in a type; more than `MAX_WORDS` if it has others."""
    inst = view.type(type_id)
    if inst.op == op.OpTypeStruct:
        return sum(word_count(view, member) for member in inst.ints())
    if inst.op == op.OpTypeArray:
        return word_count(view, inst.id(0)) * view.length(type_id)
    if inst.op in (op.OpTypeVector, op.OpTypeMatrix):
        return word_count(view, inst.id(0)) * inst.id(1)
    return 1 if inst.op in (op.OpTypeInt, op.OpTypeFloat) and inst.id(0) == 32 else MAX_WORDS + 1


class _Loads:
    """Emits the loads of one value."""

    def __init__(self, words: Words, array: ResourceArray, indices: list[int], out: Splitter) -> None:
        self.words = words
        self.view = words.view
        self.additions = words.additions
        self.array = array
        self.indices = indices
        self.out = out

    # ------------------------------------------------------------------------------------------------------- addresses

    def pointee(self, block: int, indices: list[int]) -> _Pointee:
        """Return the memory that indices select in a block."""
        pointee = _Pointee(block, 0)
        for index in indices:
            constant = self.view.constant(index)
            if constant is not None and constant >= 0:
                pointee = self.part(pointee, constant)
                continue
            part = self.part(pointee, 0)
            distance = self.part(pointee, 1).offset - part.offset
            part.base = self._sum(pointee.base, self._times(self._unsigned(index), distance))
            pointee = part
        return pointee

    def part(self, whole: _Pointee, index: int) -> _Pointee:
        """Return a struct's member, or an element of another composite."""
        view, type_id = self.view, whole.type_id
        inst = view.type(type_id)
        if inst.op == op.OpTypeStruct:
            row_major, stride = view.matrix_layout(type_id, index)
            offset = view.member_literal(type_id, index, Decoration.Offset) or 0
            return _Pointee(inst.id(index), whole.base, whole.offset + self._words(offset), row_major, stride)
        part = replace(whole, type_id=view.element(type_id))
        if inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            distance = view.literal(type_id, Decoration.ArrayStride) or 4
        elif inst.op == op.OpTypeMatrix:
            distance = 4 if whole.row_major else whole.stride
            part.stride = whole.stride if whole.row_major else 0
        else:
            distance, part.stride = whole.stride or 4, 0
        part.offset += index * self._words(distance)
        return part

    def _words(self, size: int) -> int:
        if size % 4:
            raise _Other
        return size // 4

    # ----------------------------------------------------------------------------------------------------- instructions

    def value(self, pointee: _Pointee) -> int:
        inst = self.view.type(pointee.type_id)
        if inst.op in (op.OpTypeInt, op.OpTypeFloat):
            word = self._sum(pointee.base, self._constant(pointee.offset)) if pointee.base else 0
            loaded = self._load(word or self._constant(pointee.offset))
            same = pointee.type_id == self.additions.uint
            return loaded if same else self._emit(op.OpBitcast, pointee.type_id, loaded)
        count = len(inst.operands) if inst.op == op.OpTypeStruct else inst.id(1)
        if inst.op == op.OpTypeArray:
            count = self.view.length(pointee.type_id)
        parts = [self.value(self.part(pointee, index)) for index in range(count)]
        return self._emit(op.OpCompositeConstruct, pointee.type_id, *parts)

    def _load(self, word: int) -> int:
        pointer = self._chain(self.additions.uint, self._constant(0), word)
        inst = Instruction(op.OpLoad, self.additions.uint, self.view.fresh(), [pointer])
        return self.words.access(self.array, self.indices, inst, self.out)

    def length(self, type_id: int, array: _Pointee) -> int:
        """Emit the length of a runtime array at the end of a buffer."""
        inst = Instruction(
            op.OpArrayLength, self.additions.uint, self.view.fresh(), [self._chain(self.array.element), 0]
        )
        count = self.words.access(self.array, self.indices, inst, self.out)
        if array.offset:
            count = self._emit(op.OpISub, self.additions.uint, count, self._constant(array.offset))
        distance = self.view.literal(array.type_id, Decoration.ArrayStride) or 4
        if distance != 4:
            count = self._emit(op.OpUDiv, self.additions.uint, count, self._constant(self._words(distance)))
        return count if type_id == self.additions.uint else self._emit(op.OpBitcast, type_id, count)

    def _chain(self, type_id: int, *indices: int) -> int:
        """Add an access chain into the buffer, and return its id; `Words.access` emits it."""
        view, variable = self.view, self.array.variable
        pointer = view.pointer_type(variable.id(0), type_id)
        return view.add(
            Instruction(op.OpAccessChain, pointer, view.fresh(), [variable.result_id, *self.indices, *indices])
        )

    def _emit(self, opcode: int, type_id: int, *operands: Operand) -> int:
        inst = Instruction(opcode, type_id, self.view.fresh(), [*operands])
        self.out.emit(inst)
        return inst.result_id

    def _constant(self, value: int) -> int:
        number = self.additions.constant(value)
        self.words.operations.globals.add(number)
        return number

    def _unsigned(self, value: int) -> int:
        constant = self.view.constant(value)
        if constant is not None:
            return self._constant(constant & 0xFFFFFFFF)
        is_signed = self.view.is_signed(self.view.type_of(value))
        return self._emit(op.OpBitcast, self.additions.uint, value) if is_signed else value

    def _times(self, value: int, factor: int) -> int:
        return value if factor == 1 else self._emit(op.OpIMul, self.additions.uint, value, self._constant(factor))

    def _sum(self, left: int, right: int) -> int:
        if not left or not right or self.view.constant(right) == 0:
            return left or right
        return self._emit(op.OpIAdd, self.additions.uint, left, right)
