"""Composites in memory of which only the elements in use are loaded."""

from __future__ import annotations

from hlsl_tool.codegen.passes.promote.promoted_body import Instructions, LazyComposite, Path, Value
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from .promoter import Promoter


class LazyLoad(LazyComposite):
    """A composite in memory; an element is loaded, at the position of the original load, when it is used."""

    __slots__ = ("path", "pointer", "promoter", "source", "where")

    def __init__(
        self, promoter: Promoter, source: int, pointer: int, path: Path, type_id: int, where: Instructions
    ) -> None:
        super().__init__(type_id)
        self.promoter = promoter
        self.source = source
        """The id of the original load, whose decorations its parts get."""
        self.pointer = pointer
        self.path = path
        self.where = where

    def element(self, index: int) -> Value:
        """Return an element: an id of a loaded value, or another lazy composite."""
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
        """Load the complete composite by one instruction and return its id."""
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
    """A composite parameter passed by value; each element that is used becomes an input of the function."""

    __slots__ = ()

    def __init__(self, promoter: Promoter, root: int) -> None:
        super().__init__(promoter, 0, root, (), promoter.values.roots[root], [])

    def element(self, index: int) -> Value:
        """Return the value of the element ``index``, which is an input of the function."""
        return self.promoter.values.read(self.promoter.values.entry, self.pointer, (index,))

    def whole(self) -> int:
        """Construct the composite from the inputs of all elements and return its id."""
        value = self.promoter.values.read(self.promoter.values.entry, self.pointer, ())
        return self.promoter.whole(value, self.type_id)
