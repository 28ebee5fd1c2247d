"""Replace a call by the promoted body of the function.

Instructions with side effects, and those that compute their operands, are copied immediately. Other instructions are
copied when their results are used, into their original positions in the body.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.passes.promote.promoted_body import (
    AccessPath,
    Body,
    CopiedBlock,
    Definition,
    EmittedBlock,
    Instructions,
    LazyComposite,
    Path,
    Unsuited,
    Value,
    scalar,
)
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from .promoter import Promoter


def inline(promoter: Promoter, inst: Instruction) -> None:
    """Replace a call by the callee's body; instructions after the call go into the callee's last block.

    Raises ``Unsuited`` for a call of a function with several blocks in the continue construct of a loop.
    """
    body = promoter.program.body(inst.id(0))
    node = promoter.node
    if (body.has_kill or len(body.blocks) > 1) and promoter.is_in_continue(node):
        raise Unsuited("a call in the continue part of a loop")
    call = InlinedCall(promoter, body, inst.ints()[1:])
    call.copy()
    promoter.has_kill = promoter.has_kill or body.has_kill
    promoter.may_mix_storage = promoter.may_mix_storage or body.may_mix_storage
    for root, value in body.written.items():
        call.write(root, value)
    if body.result is not None:
        promoter.set(inst.result_id, call.value(body.result, inst.type_id))


def _may_meet(a: Path | None, b: Path | None) -> bool:
    """Return whether two parts of a variable may overlap; the path of a part is ``None`` if it is not known."""
    return a is None or b is None or a[: len(b)] == b[: len(a)]


class InlinedCall:
    """One copy of a promoted body in its caller."""

    def __init__(self, promoter: Promoter, body: Body, arguments: list[int]) -> None:
        self.promoter = promoter
        self.types = promoter.types
        self.body = body
        positions = promoter.program.positions
        self.moved = positions.mover(promoter.line) if positions is not None else None
        """Maps lines of the body to those of the copy; ``None`` if they are the same."""
        if positions is not None:
            promoter.copy_marks.append(self.copy_marks)
        self.before: Instructions = []
        """Instructions before the body: loads and extractions of arguments."""
        self.ids: dict[int, int] = {}
        """Id in the body → id of its copy, for instructions copied so far."""
        self.copies: list[CopiedBlock] = []
        """The copied instructions of each block of the body."""
        self.sources: dict[int, Callable[[Path], Value]] = {}
        """Parameter or private variable → a function that returns its value at the call, by path."""
        self.targets: dict[int, Callable[[object], None]] = {}
        """Parameter that is an argument in memory → a function that stores its value on exit."""
        self.access_paths: dict[int, AccessPath] = {}
        """Parameter → the part of a variable of the caller that its argument points to, if that is replaced."""
        promoter.node.end.append(self.before)
        direct = {root for root, _ in body.inputs} | body.written.keys()
        for parameter, argument in zip(body.parameters, arguments, strict=True):
            if argument in promoter.access_paths and promoter.access_paths[argument][0] in direct:
                raise Unsuited("an object that its method reaches as a global variable, too")
            self._parameter(parameter, argument)
        if len(arguments) > 1:
            self._check_references(arguments)
        for root in {root for root, _ in body.inputs} - self.sources.keys():
            self._at(root, (root, (), ()))

    def _parameter(self, parameter: Instruction, argument: int) -> None:
        promoter, number = self.promoter, parameter.result_id
        if number not in self.body.by_path:
            if argument in promoter.composites:
                self.sources[number] = _Value(self, promoter.composites[argument], parameter.type_id)
            else:
                self.ids[number] = promoter.operand(argument)
                if self.types.storage(parameter.type_id) == StorageClass.Function:
                    promoter.may_mix_storage = True  # as for methods of groupshared objects
        elif argument in promoter.access_paths:
            self.access_paths[number] = promoter.access_paths[argument]
            self._at(number, promoter.access_paths[argument])
        elif self.types.storage(parameter.type_id) == StorageClass.Function:
            pointee = self.types.pointee(parameter.type_id)
            pointer = promoter.operand(argument)
            if self._overlaps(pointer, is_written=number in self.body.written):
                raise Unsuited("an object that its method reaches as a global variable, too")
            memory = _Memory(self, pointer, pointee)
            self.sources[number] = memory
            self.targets[number] = memory.write
        else:
            self.sources[number] = _Value(self, promoter.value(argument), parameter.type_id)

    def _check_references(self, arguments: list[int]) -> None:
        """Raise `Unsuited` if two arguments point to overlapping memory, which HLSL's references may do.

        The body reads its parameters at the call and writes them on exit, each of them separately.
        """
        promoter, body = self.promoter, self.body
        seen: dict[int, list[tuple[Path | None, bool]]] = {}
        for parameter, argument in zip(body.parameters, arguments, strict=True):
            if self.types.storage(parameter.type_id) != StorageClass.Function:
                continue
            path: Path | None = None
            if argument in promoter.access_paths:
                root, path, _ = promoter.access_paths[argument]
            else:
                chain = promoter.chains.get(argument)
                root = argument if chain is None else chain.id(0)
            is_written = parameter.result_id in body.written or parameter.result_id not in body.by_path
            others = seen.setdefault(root, [])
            if any((is_written or written) and _may_meet(path, other) for other, written in others):
                raise Unsuited("two references to overlapping memory")
            others.append((path, is_written))

    def _overlaps(self, pointer: int, *, is_written: bool) -> bool:
        """Return whether the body also accesses the argument's variable in another way than by the parameter.

        Such reads count only if ``is_written``: the body writes to the parameter.
        """
        promoter = self.promoter
        chain = promoter.chains.get(pointer)
        root = pointer if chain is None else chain.id(0)
        named, written = self.body.accesses()
        if any(root == parameter.result_id for parameter in promoter.function.parameters):
            return bool(written)  # it may be any variable
        return root in written or (is_written and root in named)

    def _at(self, number: int, access: AccessPath) -> None:
        """Let reads of the body's parameter or private variable ``number`` read a part of the caller's memory.

        ``access`` is the caller's variable with the indices that lead to the part.
        """
        promoter = self.promoter
        root, path, indices = access
        if indices:  # a component of a vector: the only path that is read is the empty one
            value = promoter.load_path(access)
            self.sources[number] = lambda _: value
        else:
            node = promoter.node
            definition = node.defs.get(root)
            self.sources[number] = lambda rest: promoter.values.read_then(node, definition, root, (*path, *rest))

    # ---- copying

    def copy(self) -> None:
        """Copy the body's blocks, and its instructions with side effects."""
        promoter, body, ids, types = self.promoter, self.body, self.ids, self.types
        first = types.next_id
        types.next_id += len(body.local_ids)
        ids.update(zip(body.local_ids, range(first, types.next_id), strict=True))
        promoter.variables += [
            Instruction(inst.op, inst.type_id, ids[inst.result_id], inst.operands) for inst in body.variables
        ]
        node = promoter.node
        copies = [node.emitted[-1]]
        ids[body.blocks[0].label] = copies[0].label  # the first block continues the caller's
        for block in body.blocks[1:]:
            copies.append(EmittedBlock(ids[block.label]))
            node.emitted.append(copies[-1])
        for copy in copies:
            self.copies.append(CopiedBlock())
            copy.instructions.append(self.copies[-1])
        for at, position, inst in body.effects:
            if inst.result_id:
                self.materialise(inst.result_id)
            else:
                self.copies[at][position] = self._renamed(inst)
        for block, copy in zip(body.blocks, copies, strict=True):
            copy.tail = [self._renamed(inst) for inst in block.tail]

    def _renamed(self, inst: Instruction) -> Instruction:
        ids = self.ids
        for number in used_ids(inst):
            if number not in ids:
                self.materialise(number)
        copy = _renamed(inst, ids)
        if self.moved is not None:
            copy.line = self.moved(copy.line)
        return copy

    def copy_marks(self) -> None:
        """Copy the markers of values that have been copied."""
        assert self.moved is not None
        definitions = self.types.definitions
        for at, position, inst in self.body.marks:
            number = inst.id(0)
            copied = self.ids.get(number, number if number in definitions else 0)
            if copied:
                self.copies[at][position] = Instruction(inst.op, 0, 0, [copied], self.moved(inst.line))

    def materialise(self, number: int) -> int:
        """Return the id of the copy of a value of the body; copy the instructions that compute it if needed.

        Ids are assigned depth first, and the instructions are copied when all of their ids are known.
        """
        ids = self.ids
        copied = ids.get(number)
        if copied is not None:
            return copied
        definitions, types, decorations = self.body.definitions, self.types, self.promoter.program.decorations
        reached: list[Definition] = []
        phis: list[Definition] = []
        """Their operands come last: a phi may need itself."""
        stack = [number]
        while True:
            while stack:
                this = stack.pop()
                if this in ids:
                    continue
                definition = definitions.get(this)
                if definition is None:
                    ids[this] = self._outside(this)
                    continue
                ids[this] = copy = types.next_id
                types.next_id = copy + 1
                if this in decorations:
                    decorations[copy] = decorations[this]
                if definition[2].op == op.OpPhi:
                    phis.append(definition)
                else:
                    reached.append(definition)
                    stack += definition[3]
            if not phis:
                break
            reached.append(phis[-1])
            stack += phis.pop()[3]
        copies = self.copies
        for at, position, inst, needed, flags in reached:
            if flags is None:
                words: list[Operand] = [ids[x] for x in needed]
            else:
                words = [ids[x] if flag else x for x, flag in zip(inst.operands, flags, strict=True)]  # type: ignore[index]
            line = inst.line if self.moved is None else self.moved(inst.line)
            copies[at][position] = Instruction(inst.op, inst.type_id, ids[inst.result_id], words, line)
        return ids[number]

    def _outside(self, number: int) -> int:
        """Return the caller's id for an id that the body does not define: an input, a parameter or a global."""
        key = self.body.input_of.get(number)
        if key is not None:
            root, path = key
            return scalar(self.sources[root](path))
        source = self.sources.get(number)
        return scalar(source(())) if source is not None else number

    # ---- results

    def value(self, value: object, type_id: int) -> Value:
        """Return the caller's value for a value of the body; a composite is copied lazily."""
        if isinstance(value, int):
            copied = self.ids.get(value)
            if copied is not None:
                return copied
            key = self.body.input_of.get(value)
            if key is not None:
                return self.sources[key[0]](key[1])
            if value not in self.body.definitions:
                return self.materialise(value)
        return LazyCopy(self, value, type_id)

    def whole(self, value: tuple[object, ...], type_id: int) -> int:
        """Construct a composite at the end of the copy and return its id."""
        elements = self.types.elements(type_id)
        assert elements is not None
        parts: list[Operand] = []
        for element, element_type in zip(value, elements, strict=True):
            if isinstance(element, tuple):
                parts.append(self.whole(element, element_type))
            else:
                assert isinstance(element, int)
                parts.append(self.materialise(element))
        number = self.types.new_id()
        last = self.copies[-1]
        last[max(last, default=0) + len(self.body.definitions) + 1] = Instruction(
            op.OpCompositeConstruct, type_id, number, parts
        )
        return number

    def write(self, root: int, value: object) -> None:
        """Store the value that a parameter or private variable has when the body exits."""
        target = self.targets.get(root)
        if target is not None:
            target(value)
            return
        promoter = self.promoter
        access = self.access_paths.get(root, (root, (), ()))
        where, path, indices = access
        type_id = self.types.part(promoter.values.roots[where], path)
        promoter.store_path(access, self._lazy(value, type_id if not indices else 0))

    def _lazy(self, value: object, type_id: int) -> object:
        """Return the caller's value for a value of the body, which may have unset elements (``None``)."""
        if value is None:
            return None
        if isinstance(value, tuple):
            elements = self.types.elements(type_id)
            assert elements is not None
            return tuple(
                self._lazy(element, element_type) for element, element_type in zip(value, elements, strict=True)
            )
        return self.value(value, type_id)


class LazyCopy(LazyComposite):
    """A value of an inlined body whose instructions are copied when it is used."""

    __slots__ = ("call", "value")

    def __init__(self, call: InlinedCall, value: object, type_id: int) -> None:
        super().__init__(type_id)
        self.call = call
        self.value = value

    def element(self, index: int) -> Value:
        """Return the caller's value for an element.

        Raises ``Unsuited`` if the composite is an id instead of a tuple.
        """
        if not isinstance(self.value, tuple):
            raise Unsuited("a part of what has none")
        value = self.cached.get(index)
        if value is None:
            elements = self.call.promoter.types.elements(self.type_id)
            assert elements is not None
            value = self.cached[index] = self.call.value(self.value[index], elements[index])
        return value

    def computed(self) -> dict[int, Value]:
        """Return the elements, by index, or the whole (-1), whose instructions have been copied."""
        if isinstance(self.value, int):
            copied = self.call.ids.get(self.value)
            return {} if copied is None else {-1: copied}
        return self.cached

    def whole(self) -> int:
        """Copy the instructions that compute the value and return its id."""
        if not isinstance(self.value, tuple):
            assert isinstance(self.value, int)
            return self.call.materialise(self.value)
        number = self.cached.get(-1)
        if number is None:
            number = self.cached[-1] = self.call.whole(self.value, self.type_id)
        assert isinstance(number, int)
        return number


class _Value:
    """Reads elements of an argument that is passed by value."""

    def __init__(self, call: InlinedCall, value: object, type_id: int) -> None:
        self.call, self.value, self.type_id = call, value, type_id

    def __call__(self, path: Path) -> Value:
        return self.call.promoter.values.part(self.value, self.type_id, path, self.call.before)


class _Memory:
    """Reads and writes the memory that an argument points to, for a parameter that is replaced."""

    def __init__(self, call: InlinedCall, pointer: int, type_id: int) -> None:
        self.call, self.pointer, self.type_id = call, pointer, type_id

    def _at(self, path: Path, where: Instructions) -> int:
        """Return a pointer to the element at a path."""
        if not path:
            return self.pointer
        promoter = self.call.promoter
        return promoter.materialise_chain(self.pointer, path, promoter.types.part(self.type_id, path), where)

    def __call__(self, path: Path) -> Value:
        call = self.call
        pointer = self._at(path, call.before)
        number = call.types.new_id()
        part = call.types.part(self.type_id, path)
        call.before.append(Instruction(op.OpLoad, part, number, [pointer]))
        return number

    def write(self, value: object, path: Path = ()) -> None:
        """Store those elements of a value that are set to the argument's memory, or to the element at ``path``."""
        if value is None:
            return
        if isinstance(value, tuple):
            for index, element in enumerate(value):
                self.write(element, (*path, index))
            return
        assert isinstance(value, int)
        where = self.call.promoter.node.end
        value = self.call.materialise(value)
        where.append(Instruction(op.OpStore, 0, 0, [self._at(path, where), value]))


def _renamed(inst: Instruction, ids: dict[int, int]) -> Instruction:
    """Return a copy of an instruction, with all ids replaced by their entries in ``ids``."""
    operands = inst.operands
    if len(operands) <= plain_ids(inst.op):
        words: list[Operand] = [ids[x] for x in operands]  # type: ignore[index]
    else:
        flags = id_flags(inst.op, operands)
        words = [ids[x] if flag else x for x, flag in zip(operands, flags, strict=True)]  # type: ignore[index]
    return Instruction(inst.op, inst.type_id, ids[inst.result_id] if inst.result_id else 0, words, inst.line)
