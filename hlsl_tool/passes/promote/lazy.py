"""Values of which only the parts that are used are loaded or copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from .model import Instructions, Path, Unsuited

if TYPE_CHECKING:
    from .inlining import InlinedCall
    from .promoter import Promoter


class LazyLoad:
    """A composite in memory; its parts are loaded where the original load was."""

    __slots__ = ("cached", "path", "pointer", "promoter", "source", "type_id", "where")

    def __init__(
        self, promoter: Promoter, source: int, pointer: int, path: Path, type_id: int, where: Instructions
    ) -> None:
        self.promoter = promoter
        self.source = source
        """The id of the original load, whose decorations its parts get."""
        self.pointer = pointer
        self.path = path
        self.type_id = type_id
        self.where = where
        self.cached: dict[int, Value] = {}
        """Index → element; -1 → the whole."""

    def element(self, index: int) -> Value:
        """Return an element: an id, or a lazy composite."""
        value = self.cached.get(index)
        if value is None:
            types = self.promoter.types
            type_id = types.part(self.type_id, (index,))
            value = LazyLoad(self.promoter, self.source, self.pointer, (*self.path, index), type_id, self.where)
            if types.elements(type_id) is None:
                value = value.whole()
            self.cached[index] = value
        return value

    def whole(self) -> int:
        """Load the composite in one instruction and return its id."""
        number = self.cached.get(-1)
        if number is None:
            pointer = self.pointer
            if self.path:
                pointer = self.promoter.materialise_chain(self.pointer, self.path, self.type_id, self.where)
            number = self.promoter.program.copy_of(self.source)
            self.where.append(Instruction(op.OpLoad, self.type_id, number, [pointer]))
            self.cached[-1] = number
        assert isinstance(number, int)
        return number


class LazyParameter(LazyLoad):
    """A composite parameter that is passed by value; the parts that are used become inputs."""

    __slots__ = ()

    def __init__(self, promoter: Promoter, root: int) -> None:
        super().__init__(promoter, 0, root, (), promoter.values.roots[root], [])

    def element(self, index: int) -> Value:
        """Return the input for an element."""
        return self.promoter.values.read(self.promoter.entry, self.pointer, (index,))

    def whole(self) -> int:
        """Construct the composite of its inputs and return its id."""
        value = self.promoter.values.read(self.promoter.entry, self.pointer, ())
        return self.promoter.whole(value, self.type_id)


class LazyCopy(LazyLoad):
    """A value of an inlined function; its instructions are copied when it is used."""

    __slots__ = ("call", "value")

    def __init__(self, call: InlinedCall, value: object, type_id: int) -> None:
        self.call = call
        self.value = value
        self.type_id = type_id
        self.cached = {}

    def element(self, index: int) -> Value:
        """Return an element.  Raises ``Unsuited`` if the value has an id of its own."""
        if not isinstance(self.value, tuple):
            raise Unsuited("a part of what has none")
        value = self.cached.get(index)
        if value is None:
            elements = self.call.promoter.types.elements(self.type_id)
            assert elements is not None
            value = self.cached[index] = self.call.value(self.value[index], elements[index])
        return value

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


Composite = tuple[object, ...]
"""The elements of a composite: values, or None for elements that are unset."""
Value = int | Composite | LazyLoad


def scalar(value: Value) -> int:
    """Return the id of a value that is not scalar-replaced."""
    if isinstance(value, int):
        return value
    assert isinstance(value, LazyLoad)
    return value.whole()
