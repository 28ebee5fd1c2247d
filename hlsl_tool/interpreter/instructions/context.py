"""What the translation of an instruction needs: types, layout, constants; and the registry of builders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, literal
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction

from ..model.layout import Layout, Place
from ..model.types import ImageFacts, Type, TypeTable
from ..runtime.code import Function, Step
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, map_leaves


@dataclass(slots=True)
class Context:
    """The tables of one module while it is translated."""

    index: ModuleIndex
    types: TypeTable
    layout: Layout
    constants: dict[int, Value]
    """Id → value, of constants; specialisation constants have the values of this run."""
    type_ids: dict[int, int]
    """Result id → id of its type."""
    functions: dict[int, Function]
    """Functions by id; their blocks may be translated later."""
    used: set[int]
    """The ids that are operands in functions."""
    glsl: int = 0
    """The id of the import of GLSL.std.450."""
    places: dict[int, Place] = field(default_factory=dict)
    """Pointer to memory → what it leads to; for pointers without an entry, their pointee."""
    flushes: bool = False
    """Whether denormals of 32 bits count as zero."""

    def type_of(self, number: int) -> Type:
        return self.types[self.type_ids[number]]

    def numbers_of(self, inst: Instruction) -> np.dtype[Any]:
        """Return the type of the numbers of a result."""
        dtype = self.types.of(inst).dtype
        assert dtype is not None
        return dtype

    def pointee(self, pointer: int) -> Type:
        """Return the type to which a pointer leads."""
        pointee = self.type_of(pointer).element
        assert pointee is not None
        return pointee

    def image(self, handle: int) -> ImageFacts:
        """Return the facts about the type of an image."""
        image = self.type_of(handle).image
        assert image is not None
        return image

    def constant(self, number: int) -> int | None:
        """Return the value of an integer constant; ``None`` for other ids."""
        value = self.constants.get(number)
        return int(value[0]) if value is not None and not isinstance(value, list) and value.ndim == 1 else None

    def place(self, pointer: int) -> Place:
        """Return what a pointer to memory leads to."""
        return self.places.get(pointer) or Place(self.pointee(pointer))

    def place_of(self, pointer: int, of: Type) -> Place:
        """Return what a pointer to memory leads to, as a value of a type that a load or store has."""
        place = self.places.get(pointer)
        if place is None:
            return Place(of)
        alike = of.is_leaf and (place.type.shape, place.type.dtype) == (of.shape, of.dtype)
        return place if place.type.id == of.id or alike else Place(of)

    def is_descriptor_array(self, pointer: int) -> bool:
        """Return whether a pointer is a variable that has a buffer for each element."""
        inst = self.index.definitions.get(pointer)
        if inst is None or inst.op not in (op.OpVariable, op.OpUntypedVariableKHR):
            return False
        pointee = self.type_of(pointer).element
        if pointee is not None and pointee.kind != "array":
            return False
        return Decoration.DescriptorSet in self.index.decorations.get(pointer, {})

    def pointer_stride(self, pointer: int) -> int:
        """Return the distance of the elements to which a pointer may lead, for ``OpPtrAccessChain``."""
        decorations = self.index.decorations.get(self.type_of(pointer).id, {})
        return literal(decorations, Decoration.ArrayStride) or self.layout.size(self.pointee(pointer))


Builder = Callable[[Context, Instruction], Step | None]
"""Translates one instruction to a step; ``None`` for an instruction without effect."""

BUILDERS: dict[int, Builder] = {}
"""Opcode → the function that translates it."""
GLSL_BUILDERS: dict[int, Builder] = {}
"""Number in GLSL.std.450 → the function that translates it."""


def builds(*numbers: int, glsl: bool = False) -> Callable[[Builder], Builder]:
    """Return a decorator that registers the builder of some opcodes, or numbers of GLSL.std.450."""

    def register(builder: Builder) -> Builder:
        _register(dict.fromkeys(numbers, builder), glsl=glsl)
        return builder

    return register


def _register(builders: Mapping[int, Builder], *, glsl: bool) -> None:
    table = GLSL_BUILDERS if glsl else BUILDERS
    assert not builders.keys() & table.keys()
    table.update(builders)


Operation = Callable[..., Any]
"""A function of the operands' values."""


def pure(operation: Operation, result: int, operands: Iterable[int]) -> Step:
    """Return the step that applies an operation to registers."""
    sources = tuple(operands)
    if len(sources) == 1:
        (a,) = sources

        def unary(r: list[Array], _: object) -> None:
            r[result] = operation(r[a])

        return unary
    if len(sources) == 2:
        a, b = sources

        def binary(r: list[Array], _: object) -> None:
            r[result] = operation(r[a], r[b])

        return binary

    def several(r: list[Array], _: object) -> None:
        r[result] = operation(*[r[source] for source in sources])

    return several


def with_state(operation: Operation, result: int, operands: Iterable[int] = ()) -> Step:
    """Return the step that applies an operation to registers and the state.

    An instruction without a result has the id 0, whose register nothing reads.
    """
    sources = tuple(operands)

    def step(r: Registers, s: State) -> None:
        r[result] = operation(*[r[source] for source in sources], s)

    return step


MakeStep = Callable[[Operation, int, Iterable[int]], Step]


def add_rows(rows: dict[int, Operation], step: MakeStep | None = None, *, skip: int = 0, glsl: bool = False) -> None:
    """Register opcodes, or numbers of GLSL.std.450, that are one operation; ``skip`` operands in front are no values.

    ``step`` makes the step of an operation, by default one of arithmetic, which may flush denormals.
    """
    skipped = 2 if glsl else skip
    builders = {number: partial(_build_row, operation, step, skipped) for number, operation in rows.items()}
    _register(builders, glsl=glsl)


def _build_row(operation: Operation, step: MakeStep | None, skip: int, context: Context, inst: Instruction) -> Step:
    if step is None:
        step, operation = pure, flushing(operation) if context.flushes else operation
    return step(operation, inst.result_id, inst.ints()[skip:])


def flushing(operation: Operation) -> Operation:
    """Return an operation for which denormal floats of 32 bits, as operands and as results, are zero."""

    def flushed(*arrays: Array) -> Any:
        return map_leaves(_without_denormals, operation(*(_without_denormals(array) for array in arrays)))

    return flushed


_SMALLEST = np.finfo(np.float32).tiny


def _without_denormals(array: Array) -> Array:
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < _SMALLEST, np.copysign(np.float32(0), array), array)
