"""Replace arrays of resources by one variable for each element in use.

WGSL has no arrays of textures, samplers or buffers. Before: access chains lead through such arrays, by constants and by
computed indices; no function has a resource as a parameter (see `specialise`). After: no access chain does. An
instruction that uses an element with a computed index is a call of a function with a switch over that index, which has
the instruction once for each element (see `operations`); one that no function can have is such a switch itself.
"""

from __future__ import annotations

from math import prod

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.wgsl import MAX_ELEMENTS
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Function, Instruction, Operand
from hlsl_tool.wgsl.arrays.binding_arrays import choose_binding_arrays
from hlsl_tool.wgsl.arrays.operations import NotShared
from hlsl_tool.wgsl.arrays.paths import Path, Paths, ResourceArray
from hlsl_tool.wgsl.arrays.splitting import Splitter
from hlsl_tool.wgsl.arrays.variables import Elements
from hlsl_tool.wgsl.arrays.words import Words
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.image_operands import offset_position, sample_by_gradients
from hlsl_tool.wgsl.module.texture_uses import compared_and_read, texture_variable
from hlsl_tool.wgsl.module.uses import IMPLICIT, is_transparent
from hlsl_tool.wgsl.module.view import View

MIN_OFFSETS = 3
"""The number of constant offsets from which on a function chooses one of them."""

MAX_CASES = MAX_ELEMENTS
"""Limit on the copies of an instruction."""


Choice = dict[int, int]
"""Computed index → element of this case."""


def split_arrays(view: View, functions: list[Function], fragment: set[int], options: CompileOptions) -> bool:
    """Rewrite functions in place and return whether anything changed.

    ``fragment`` are the functions that only fragment shaders call.
    """
    unbounded = options.wgsl_unbounded_arrays
    arrays = {inst.result_id: changed for inst in view.module.globals if (changed := _array(view, inst)) is not None}
    if not arrays:
        return False
    elements = Elements(view, arrays, unbounded)
    elements.compared, elements.read = compared_and_read(view, functions)
    for function in functions:
        for inst in function.instructions():
            if place := offset_position(inst):
                key = inst.op, texture_variable(view, inst.id(0))
                elements.offsets.setdefault(key, set()).add(inst.id(place))
    words = Words(view, functions, arrays, elements.operations)
    if options.wgsl_arrays == "binding_array":
        choose_binding_arrays(view, functions, arrays, words, options)
    for function in functions:
        _FunctionPass(view, elements, function, words, function.id in fragment).run()
    shared = elements.operations.take()
    for function in shared:
        _OperationPass(view, elements, function, words).run()
    of_words = elements.operations.take()
    for function in of_words:
        _OperationPass(view, elements, function, words).run()
    functions[:0] = [*of_words, *shared]
    elements.declare()
    return True


def _array(view: View, inst: Instruction) -> ResourceArray | None:
    if inst.op != op.OpVariable or inst.id(0) not in RESOURCE_STORAGE:
        return None
    kind = view.type(view.pointee(inst.type_id))
    lengths: list[int] = []
    while kind.op in ARRAYS:
        lengths.append(view.length(kind.result_id) if kind.op == op.OpTypeArray else 0)
        kind = view.type(kind.id(0))
    return ResourceArray(inst, lengths, kind.result_id) if lengths else None


class _FunctionPass:
    """Rewrites the uses of resource arrays in one function."""

    def __init__(
        self, view: View, elements: Elements, function: Function, words: Words, fragment: bool = False
    ) -> None:
        self.view = view
        self.words = words
        self.elements = elements
        self.function = function
        self.fragment = fragment
        self.paths = Paths({number: Path(array) for number, array in elements.arrays.items()})
        self.splitter = Splitter(view, function)

    def run(self) -> None:
        out = self.splitter
        for block in self.function.blocks:
            out.enter(block)
            for inst in out.body(block):
                if self._drops(inst):
                    self.paths.dropped[inst.result_id] = inst
                elif any(operand in self.paths.dropped or operand in self.paths.pointers for operand in used_ids(inst)):
                    self._use(inst)
                else:
                    out.emit(inst)
            out.leave(block)
        out.finish()

    def _drops(self, inst: Instruction) -> bool:
        """Return whether an instruction only computes a pointer or handle from an array, and can be dropped.

        Its path is recorded for later instructions.
        """
        steps = inst.op in ACCESS_CHAINS or inst.op == op.OpImageTexelPointer
        if not steps and not is_transparent(self.view, inst):
            return False
        base = self.paths.pointers.get(inst.id(0))
        if base is not None and inst.op in ACCESS_CHAINS:
            self.paths.pointers[inst.result_id] = Path(base.array, base.indices + inst.ints()[1:])
        elif base is not None and inst.op == op.OpCopyObject:
            self.paths.pointers[inst.result_id] = base
        return any(operand in self.paths.dropped or operand in self.paths.pointers for operand in used_ids(inst))

    # ---------------------------------------------------------------------------------------------------------- uses

    def _use(self, inst: Instruction) -> None:
        if inst.op in (op.OpPhi, op.OpSelect):
            raise Unsupported("WGSL has no pointers that are chosen at run time", inst.result_id)
        indices, visited = self._indices(used_ids(inst))
        differing = any(self.view.has(number, Decoration.NonUniform) for number in (*indices, *visited))
        if indices and differing and self.fragment and inst.op in IMPLICIT:
            inst = self._by_gradients(inst)
        call = self._call(inst, visited) if indices or self._in_binding_array(visited) else None
        if call is not None:
            self.splitter.emit(call)
            return
        self._check_count(indices, visited)
        self._cases(inst, list(indices.items()), {}, inst.result_id)

    def _in_binding_array(self, visited: list[int]) -> bool:
        """Return whether an array of words, which is a `binding_array`, replaces the array of dropped instructions."""
        arrays = [self.paths.pointers[number].array for number in visited if number in self.paths.pointers]
        words = [self.words.of.get(array.variable.result_id) for array in arrays]
        return any(array is not None and array.variable.result_id in self.view.binding_arrays for array in words)

    def _indices(self, operands: list[int]) -> tuple[dict[int, int], list[int]]:
        """Return (computed index → length of its array, dropped instructions) of operands."""
        indices: dict[int, int] = {}
        visited: list[int] = []
        for operand in operands:
            self._computed(operand, indices, visited)
        return indices, visited

    def _check_count(self, indices: dict[int, int], visited: list[int]) -> None:
        if prod(indices.values()) > MAX_CASES:
            reason = f"arrays of resources are indexed at run time and have more than {MAX_CASES} elements"
            raise Unsupported(reason, visited[-1])

    def _call(self, inst: Instruction, visited: list[int]) -> Instruction | None:
        """Return the call of a function that has an operation; ``None`` if no function can have it."""
        texture = self._lent_texture(inst)
        pair = [texture, self.view.defs[inst.id(0)].ints()[-1]] if texture else used_ids(inst)
        place = offset_position(inst)
        offset = inst.id(place) if place and texture and self._has_offsets(inst) else 0
        for operands in [[operand] for operand in pair] if texture else [pair]:
            if not self._in_binding_array(visited):
                self._check_count(self._indices(operands)[0], visited)
        array = next(path.array for number in visited if (path := self.paths.pointers.get(number)) is not None)
        image = texture_variable(self.view, inst.id(0)) if isinstance(inst.operands[0], int) else 0
        name = self.view.names.get(image or array.variable.result_id) or "resources"
        self.elements.operations.line = self.splitter.line
        try:
            return self.elements.operations.call(
                inst, self.paths, name, fragment=self.fragment, lends=texture, offset=offset
            )
        except NotShared:
            return None

    def _lent_texture(self, inst: Instruction) -> int:
        """Return the texture that one function chooses and another samples; 0 for other operations.

        The sampler is from an array, or the array has operations with several constant offsets. All elements of the
        array must have one type in WGSL: that of depth textures if it is compared.
        """
        pair = self.paths.dropped.get(inst.id(0)) if inst.operands and isinstance(inst.operands[0], int) else None
        if pair is None or pair.op != op.OpSampledImage:
            return 0
        (of_texture, _), (of_sampler, _) = (self._indices([operand]) for operand in pair.ints())
        array = texture_variable(self.view, pair.id(0))
        alike = array not in self.elements.compared & self.elements.read
        several = (of_sampler and not of_texture.keys() & of_sampler.keys()) or self._has_offsets(inst)
        return pair.id(0) if of_texture and several and alike else 0

    def _has_offsets(self, inst: Instruction) -> bool:
        """Return whether there are several operations like an instruction, with different constant offsets."""
        key = inst.op, texture_variable(self.view, inst.id(0))
        return bool(offset_position(inst)) and len(self.elements.offsets.get(key, ())) >= MIN_OFFSETS

    def _computed(self, value: int, indices: dict[int, int], visited: list[int]) -> None:
        """Add the computed indices on which a value depends to ``indices``, each with the length of its array.

        Append to ``visited`` the ids of the dropped instructions through which the value is computed.
        """
        path = self.paths.pointers.get(value)
        if path is not None:
            visited.append(value)
            lengths = path.array.lengths
            if len(path.indices) < len(lengths):
                raise Unsupported("an array of resources is used as a whole", value)
            for index, length in zip(path.indices, lengths, strict=False):
                if self.view.constant(index) is not None:
                    continue
                count = length or self.elements.unbounded
                if not count:
                    raise Unsupported(
                        "an array of resources without a length is indexed at run time (`unbounded_arrays` gives one)",
                        value,
                    )
                indices[index] = max(count, indices.get(index, 0))
        elif value in self.paths.dropped:
            visited.append(value)
            for operand in used_ids(self.paths.dropped[value]):
                self._computed(operand, indices, visited)

    def _by_gradients(self, inst: Instruction) -> Instruction:
        """Compute the level of detail outside of the switch, and sample with explicit derivatives.

        Derivatives inside a case would include only those neighbours that have the same index.
        """
        instructions = sample_by_gradients(self.view, inst)
        for before in instructions[:-1]:
            self.splitter.emit(before)
        return instructions[-1]

    def _cases(self, inst: Instruction, indices: list[tuple[int, int]], choice: Choice, result: int) -> None:
        """Emit an instruction inside nested switches, one for each (computed index, array length) in ``indices``.

        ``choice`` maps the indices of the switches around to the values that they have in the current case. ``result``
        is the id of the instruction's value after the switches, or 0.
        """
        view, out = self.view, self.splitter
        if result != inst.result_id:
            view.origins[result] = view.origins.get(inst.result_id, inst.result_id)
        if not indices:
            out.emit(Instruction(inst.op, inst.type_id, result, self._operands(inst, choice)))
            return
        (index, length), rest = indices[0], indices[1:]
        merge, labels = out.open_switch(index, length)
        arriving: list[Operand] = []
        for case, label in enumerate(labels):
            out.start(label)
            value = view.fresh() if result else 0
            self._cases(inst, rest, {**choice, index: case}, value)
            arriving += [value, out.block.label]
            out.branch(merge)
        out.start(merge, Instruction(op.OpPhi, inst.type_id, result, arriving) if result else None)

    def _operands(self, inst: Instruction, choice: Choice) -> list[Operand]:
        flags = id_flags(inst.op, inst.operands)
        return [
            self._again(operand, choice) if is_id and isinstance(operand, int) else operand
            for operand, is_id in zip(inst.operands, flags, strict=True)
        ]

    def _again(self, value: int, choice: Choice) -> int:
        """Emit a copy of a dropped instruction for one choice of elements; return its result."""
        old = self.paths.dropped.get(value)
        if old is None:
            return value
        path = self.paths.pointers.get(value)
        if path is None:
            copy = Instruction(old.op, old.type_id, self.view.fresh(), self._operands(old, choice))
        else:
            lengths = path.array.lengths
            numbers = [self._number(index, choice, n) for index, n in zip(path.indices, lengths, strict=False)]
            variable = self.elements.variable(path.array, numbers, value)
            rest = path.indices[len(lengths) :]
            if not rest:
                return variable
            copy = Instruction(op.OpAccessChain, old.type_id, self.view.fresh(), [variable, *rest])
        self.view.origins[copy.result_id] = self.view.origins.get(value, value)
        self.view.originals[copy.result_id] = self.view.originals.get(value, old)
        self.splitter.emit(copy)
        return copy.result_id

    def _number(self, index: int, choice: Choice, length: int) -> int:
        constant = self.view.constant(index)
        if constant is not None:
            return constant
        return min(choice[index], (length or self.elements.unbounded) - 1)


class _OperationPass(_FunctionPass):
    """Makes a switch of the operation in a function, with a return in each case; a load by words needs none."""

    offsets: tuple[int, list[int]] | None = None
    """The parameter with the number of a constant offset, and the offsets."""

    def run(self) -> None:
        out = self.splitter
        block = self.function.blocks[0]
        out.enter(block)
        for inst in block.instructions:
            if self._drops(inst):
                self.paths.dropped[inst.result_id] = inst
            elif offset_position(inst) and self.function.id in self.elements.operations.offsets:
                self._offsets(inst, *self.elements.operations.offsets[self.function.id])
            elif any(operand in self.paths.dropped or operand in self.paths.pointers for operand in used_ids(inst)):
                self._operation(inst)
            else:
                out.emit(inst)
        if self.view.type(self.function.definition.type_id).op == op.OpTypeVoid:
            out.emit(Instruction(op.OpReturn, 0, 0, []))
        out.finish()

    def _offsets(self, inst: Instruction, parameter: int, constants: list[int]) -> None:
        """Write the operation for each offset; ``parameter`` is the number of the offset."""
        indices = [*self._indices(used_ids(inst))[0].items(), (parameter, len(constants))]
        self.offsets = parameter, constants
        self._cases(inst, indices, {}, inst.result_id)

    def _operation(self, inst: Instruction) -> None:
        path = self.paths.pointers.get(inst.id(0)) if inst.operands and isinstance(inst.operands[0], int) else None
        value = self.words.use(inst, path, self.splitter) if path is not None else 0
        if value:
            self.splitter.emit(Instruction(op.OpReturnValue, 0, 0, [value]))
        else:
            self._cases(inst, list(self._indices(used_ids(inst))[0].items()), {}, inst.result_id)

    def _cases(self, inst: Instruction, indices: list[tuple[int, int]], choice: Choice, result: int) -> None:
        view, out = self.view, self.splitter
        if not indices:
            number = view.fresh() if result else 0
            if number:
                view.origins[number] = view.origins.get(result, result)
                view.originals[number] = view.originals.get(result, inst)
            operands = self._operands(inst, choice)
            if self.offsets is not None:
                operands[offset_position(inst)] = self.offsets[1][choice[self.offsets[0]]]
            out.emit(Instruction(inst.op, inst.type_id, number, operands))
            if number:
                out.emit(Instruction(op.OpReturnValue, 0, 0, [number]))
            return
        (index, length), rest = indices[0], indices[1:]
        merge, labels = out.open_switch(index, length)
        for case, label in enumerate(labels):
            out.start(label)
            self._cases(inst, rest, {**choice, index: case}, result)
            if not result:
                out.branch(merge)
        out.start(merge)
        if result:
            out.emit(Instruction(op.OpUnreachable, 0, 0, []))
