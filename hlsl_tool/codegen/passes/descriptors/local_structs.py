"""Split local arrays of structs with resources into one local array for each member.

Before: a legalised module.  After: there is no local variable with resources in structs, unless a use of it is not an
access chain, a load, a store or a texel.  ``S s[3]`` with the members ``float4 p`` and ``Texture2D t`` becomes ``float4
s.p[3]`` and ``Texture2D s.t[3]``, which `local_arrays` replaces by its elements.  A copy of a whole array of resources,
to which spirv-opt reduces a copy of a struct with such a member, becomes a copy of each element. Arrays of arrays of
resources get one dimension: ``t[i][j]`` of ``Texture2D t[3][2]`` becomes ``t[i * 2 + j]``.
"""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.global_definitions import Globals
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, HANDLES
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, used_ids, uses
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Function, Instruction, Module

from .candidates import length

_DEBUG_SETS = (opencl_debug.SET, shader_debug.SET)

Path = tuple[int, ...]
"""Numbers of struct members, from the outside inwards."""


@dataclass(slots=True)
class _Place:
    """A part of a variable: its type, the member indices that lead to it, and the ids of the array indices."""

    type_id: int
    path: Path
    indices: list[int]


def split_local_structs(module: Module) -> None:
    """Split local variables with resources in structs or in nested arrays, in place.

    In functions that load whole arrays of resources, such arrays are split as well.
    """
    index = ModuleIndex(module)
    types = _Types(module, index)
    is_any_changed = False
    for function in module.functions:
        is_changed = False
        copies = any(inst.op == op.OpLoad and types.is_array(inst.type_id) for inst in function.instructions())
        for variable in [inst for inst in function.instructions() if inst.op == op.OpVariable]:
            type_id = index.pointee(variable).result_id
            is_split = types.is_nested(type_id) or (copies and types.is_array(type_id))
            if types.holds_struct(type_id) or is_split:
                is_changed = _Split(function, variable, types).run() or is_changed
        if is_changed:
            _forward_parts(function, types)
            is_any_changed = True
    if is_any_changed:
        _drop_unused_types(module)


class _Types:
    """Queries about, and creation of, types and constants of one module."""

    def __init__(self, module: Module, index: ModuleIndex) -> None:
        self.index = index
        self.globals = Globals(module)
        self._values: dict[int, int] = {}
        """Constants that the pass has made: id → value."""

    def uint(self, value: int) -> int:
        """Return the id of a 32-bit unsigned constant; add it if it is missing."""
        number = self.globals.uint(value)
        self._values[number] = value
        return number

    def constant(self, number: int) -> int | None:
        """Return the value of a constant; ``None`` for other ids."""
        return self._values[number] if number in self._values else self.index.constant(number)

    def holds_handle(self, type_id: int) -> bool:
        """Return whether a type is, or contains, a resource."""
        inst = self.index.definitions[type_id]
        if inst.op == op.OpTypeStruct:
            return any(map(self.holds_handle, inst.ints()))
        return self.holds_handle(inst.id(0)) if inst.op == op.OpTypeArray else inst.op in HANDLES

    def holds_struct(self, type_id: int) -> bool:
        """Return whether a type is, or contains, a struct with a resource."""
        inst = self.index.definitions[type_id]
        if inst.op == op.OpTypeArray:
            return self.holds_struct(inst.id(0))
        return inst.op == op.OpTypeStruct and self.holds_handle(type_id)

    def is_array(self, type_id: int) -> bool:
        """Return whether a type is an array with resources in its elements."""
        return self.index.definitions[type_id].op == op.OpTypeArray and self.holds_handle(type_id)

    def is_nested(self, type_id: int) -> bool:
        """Return whether a type is an array of arrays with resources in them."""
        return self.is_array(type_id) and self.is_array(self.element(type_id, 0))

    def has_parts(self, type_id: int) -> bool:
        """Return whether values of a type are loaded and stored by element: structs and arrays with resources."""
        return self.holds_struct(type_id) or self.is_array(type_id)

    def leaves(self, type_id: int) -> dict[Path, int]:
        """Return the types of the variables that a type is split into, by their member paths."""
        inst = self.index.definitions[type_id]
        if self.is_array(type_id):
            return {path: self._repeated(leaf, inst) for path, leaf in self.leaves(inst.id(0)).items()}
        if not self.holds_struct(type_id):
            return {(): type_id}
        return {(n, *path): leaf for n, member in enumerate(inst.ints()) for path, leaf in self.leaves(member).items()}

    def _repeated(self, leaf: int, outer: Instruction) -> int:
        """Return the type of a split variable whose struct is the element of the array type ``outer``.

        It is an array of ``leaf``, the variable's type in a single struct. If ``leaf`` is itself an array of resources,
        the result is not an array of arrays, but an array with as many resources in one dimension.
        """
        if not self.is_array(leaf):
            return self.array(leaf, outer.id(1))
        inner = self.index.definitions[leaf]
        return self.array(inner.id(0), self.globals.uint(length(outer, self.index) * length(inner, self.index)))

    def lengths(self, type_id: int, path: Path) -> list[int]:
        """Return the lengths of the arrays around the split variable at a member path, from the outermost inwards."""
        sizes: list[int] = []
        members = list(path)
        while self.has_parts(type_id):
            inst = self.index.definitions[type_id]
            if inst.op == op.OpTypeArray:
                sizes.append(length(inst, self.index))
            type_id = self.element(type_id, 0 if inst.op == op.OpTypeArray else members.pop(0))
        return sizes

    def array(self, element: int, count: int) -> int:
        """Return an array type without a layout."""
        for inst in self.index.definitions.values():
            is_same = inst.op == op.OpTypeArray and inst.ints() == [element, count]
            if is_same and inst.result_id not in self.index.annotations:
                return inst.result_id
        inst = Instruction(op.OpTypeArray, 0, self.globals.take_id(), [element, count])
        self.globals.module.globals.append(inst)
        self.index.definitions[inst.result_id] = inst
        return inst.result_id

    def pointer(self, pointee: int) -> int:
        number = self.globals.pointer(StorageClass.Function, pointee)
        self.index.definitions.setdefault(
            number, Instruction(op.OpTypePointer, 0, number, [StorageClass.Function, pointee])
        )
        return number

    def element(self, type_id: int, number: int) -> int:
        """Return the type of a struct's member, or of an array's, vector's or matrix's element."""
        inst = self.index.definitions[type_id]
        return inst.id(number if inst.op == op.OpTypeStruct else 0)


class _Split:
    """Splits one variable and rewrites its uses."""

    def __init__(self, function: Function, variable: Instruction, types: _Types) -> None:
        self.function = function
        self.variable = variable
        self.types = types
        self.root = types.index.pointee(variable).result_id
        self.places = {variable.result_id: _Place(self.root, (), [])}
        """Pointer → the part that it points to."""
        self.variables: dict[Path, Instruction] = {}

    def run(self) -> bool:
        """Split the variable; return False, without a change, if it has an unsupported use."""
        if len(self.variable.operands) > 1 or not self._is_supported():
            return False
        types, index = self.types, self.types.index
        for path, leaf in types.leaves(self.root).items():
            number = types.globals.take_id()
            self.variables[path] = Instruction(op.OpVariable, types.pointer(leaf), number, [StorageClass.Function])
        for block in self.function.blocks:
            block.instructions = [new for inst in block.instructions for new in self._replaced(inst)]
        module = types.globals.module
        name = index.names.get(self.variable.result_id)
        module.names = [inst for inst in module.names if inst.id(0) not in self.places]
        module.annotations = [inst for inst in module.annotations if inst.id(0) not in self.places]
        if name is not None:
            module.names += [
                Instruction(op.OpName, 0, 0, [variable.result_id, name + self._member_names(path)])
                for path, variable in self.variables.items()
            ]
        return True

    def _member_names(self, path: Path) -> str:
        """Return ``.member.member`` for a path; members without a name have their number."""
        index, text, type_id = self.types.index, "", self.root
        for member in path:
            struct = index.without_arrays(index.definitions[type_id])
            text += f".{index.member_names.get((struct.result_id, member), member)}"
            type_id = struct.id(member)
        return text

    def _is_supported(self) -> bool:
        for inst in self.function.instructions():
            if inst is self.variable or not uses(inst, self.places):
                continue
            if inst.op in ACCESS_CHAINS and inst.id(0) in self.places:
                place = self._place(inst)
                if place is None:
                    return False
                self.places[inst.result_id] = place
            elif (inst.op == op.OpStore and inst.id(1) in self.places) or not self._is_replaceable(inst):
                return False
        return True

    def _is_replaceable(self, inst: Instruction) -> bool:
        """Return whether a use of the variable can be replaced: it is a load, store, texel or debug information."""
        if inst.op == op.OpExtInst:
            return self.types.index.sets.get(inst.id(0), "") in _DEBUG_SETS
        return inst.op in (op.OpLoad, op.OpStore, op.OpImageTexelPointer)

    def _place(self, chain: Instruction) -> _Place | None:
        """Return the part that an access chain selects; ``None`` if the index into a struct is not constant."""
        base = self.places[chain.id(0)]
        type_id, path, indices = base.type_id, base.path, list(base.indices)
        for number in chain.ints()[1:]:
            member = 0
            if self.types.index.definitions[type_id].op == op.OpTypeStruct:
                constant = self.types.index.constant(number)
                if constant is None:
                    return None
                member = constant
            if self.types.holds_struct(type_id) and self.types.index.definitions[type_id].op == op.OpTypeStruct:
                path = (*path, member)
            else:
                indices.append(number)
            type_id = self.types.element(type_id, member)
        return _Place(type_id, path, indices)

    def _replaced(self, inst: Instruction) -> list[Instruction]:
        if inst is self.variable:
            return list(self.variables.values())
        if inst.op == op.OpExtInst and uses(inst, self.places):
            return []
        if inst.result_id in self.places:
            return []
        if inst.op == op.OpLoad and inst.id(0) in self.places:
            return self._load(self.places[inst.id(0)], inst.result_id)
        if inst.op == op.OpStore and inst.id(0) in self.places:
            return self._store(self.places[inst.id(0)], inst.id(1))
        if inst.op == op.OpImageTexelPointer and inst.id(0) in self.places:
            chain, inst.operands[0] = self._pointer(self.places[inst.id(0)])
            return [*chain, inst]
        return [inst]

    def _parts(self, place: _Place) -> list[_Place]:
        """Return the members or elements of a part that must be split further."""
        inst = self.types.index.definitions[place.type_id]
        if inst.op == op.OpTypeStruct:
            return [_Place(t, (*place.path, n), place.indices) for n, t in enumerate(inst.ints())]
        numbers = range(length(inst, self.types.index))
        return [_Place(inst.id(0), place.path, [*place.indices, self.types.uint(n)]) for n in numbers]

    def _pointer(self, place: _Place) -> tuple[list[Instruction], int]:
        variable = self.variables[place.path]
        if not place.indices:
            return [], variable.result_id
        computation, indices = self._indices(place)
        pointer_type, number = self.types.pointer(place.type_id), self.types.globals.take_id()
        chain = Instruction(op.OpAccessChain, pointer_type, number, [variable.result_id, *indices])
        return [*computation, chain], chain.result_id

    def _indices(self, place: _Place) -> tuple[list[Instruction], list[int]]:
        """Return (instructions that compute indices, ids of the indices of a part in its new variable).

        A part that is a resource has a single index: arrays of resources in arrays get one dimension.
        """
        first, *rest = place.indices
        if not rest or not self.types.holds_handle(place.type_id):
            return [], place.indices
        globals_ = self.types.globals
        computation: list[Instruction] = []
        constant = self.types.constant(first)
        for size, following in zip(self.types.lengths(self.root, place.path)[1:], rest, strict=True):
            added = self.types.constant(following)
            if constant is not None and added is not None:
                constant = constant * size + added
                first = self.types.uint(constant)
                continue
            constant = None
            uint, scaled, total = globals_.find(op.OpTypeInt, 0, 32, 0), globals_.take_id(), globals_.take_id()
            computation.append(Instruction(op.OpIMul, uint, scaled, [first, self.types.uint(size)]))
            computation.append(Instruction(op.OpIAdd, uint, total, [scaled, following]))
            first = total
        return computation, [first]

    def _load(self, place: _Place, result: int) -> list[Instruction]:
        if not self.types.has_parts(place.type_id):
            chain, pointer = self._pointer(place)
            return [*chain, Instruction(op.OpLoad, place.type_id, result, [pointer])]
        out: list[Instruction] = []
        values: list[int] = []
        for part in self._parts(place):
            values.append(self.types.globals.take_id())
            out += self._load(part, values[-1])
        return [*out, Instruction(op.OpCompositeConstruct, place.type_id, result, list(values))]

    def _store(self, place: _Place, value: int) -> list[Instruction]:
        if not self.types.has_parts(place.type_id):
            chain, pointer = self._pointer(place)
            return [*chain, Instruction(op.OpStore, 0, 0, [pointer, value])]
        out: list[Instruction] = []
        for n, part in enumerate(self._parts(place)):
            number = self.types.globals.take_id()
            out.append(Instruction(op.OpCompositeExtract, part.type_id, number, [value, n]))
            out += self._store(part, number)
        return out


def _forward_parts(function: Function, types: _Types) -> None:
    """Replace extractions from structs with resources by member values; remove structs that become unused."""
    composites: dict[int, Instruction] = {}
    parts: dict[int, int] = {}
    for inst in function.instructions():
        rename(inst, parts)
        if inst.op in (op.OpCompositeConstruct, op.OpCompositeInsert) and types.has_parts(inst.type_id):
            composites[inst.result_id] = inst
        elif inst.op == op.OpCompositeExtract:
            number, rest = _part(inst.id(0), inst.ints()[1:], composites)
            inst.operands = [number, *rest]
            if not rest:
                parts[inst.result_id] = number
    for inst in function.instructions():
        rename(inst, parts)  # phis of loops come before what they use
    dead = set(parts)
    while True:
        used = {number for inst in function.instructions() if inst.result_id not in dead for number in used_ids(inst)}
        more = {number for number in composites if number not in used} - dead
        if not more:
            break
        dead |= more
    for block in function.blocks:
        block.instructions = [inst for inst in block.instructions if inst.result_id not in dead]


def _part(number: int, indices: list[int], composites: dict[int, Instruction]) -> tuple[int, list[int]]:
    """Return (value, remaining indices) after following ``indices`` through constructions and insertions."""
    while indices and number in composites:
        inst = composites[number]
        if inst.op == op.OpCompositeConstruct:
            number, indices = inst.id(indices[0]), indices[1:]
            continue
        path = inst.ints()[2:]
        if indices[: len(path)] == path:
            number, indices = inst.id(0), indices[len(path) :]
        elif path[: len(indices)] == indices:
            break
        else:
            number = inst.id(1)
    return number, indices


def _drop_unused_types(module: Module) -> None:
    """Remove unused structs, arrays and pointers, since Vulkan forbids structs with resources even if unused."""
    removable = (op.OpTypeStruct, op.OpTypeArray, op.OpTypePointer)
    while True:
        used = set(_mentioned(module))
        gone = {i.result_id for i in module.globals if i.op in removable and i.result_id not in used}
        if not gone:
            return
        module.globals = [inst for inst in module.globals if inst.result_id not in gone]
        module.names = [inst for inst in module.names if inst.id(0) not in gone]
        module.annotations = [inst for inst in module.annotations if inst.id(0) not in gone]


def _mentioned(module: Module) -> Iterable[int]:
    """Yield the ids that module-level declarations and functions use."""
    for inst in module.globals:
        yield inst.type_id
        yield from used_ids(inst)
    for function in module.functions:
        for inst in (function.definition, *function.parameters, *function.instructions()):
            yield inst.type_id
            yield from used_ids(inst)
