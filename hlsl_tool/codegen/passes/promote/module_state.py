"""State of the promotion of one module, which the promotion of each function reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.codegen.passes.promote.promoted_body import Body, Unsuited
from hlsl_tool.spirv.ir import Instruction

from .function_cache import FunctionCache, FunctionInfo

if TYPE_CHECKING:
    from .scopes import DebugPositions


class ModuleState:
    """Functions, private variables and decorations of one module, by their ids in the `FunctionCache`."""

    def __init__(self, cache: FunctionCache, positions: DebugPositions | None = None) -> None:
        self.cache = cache
        self.positions = positions
        """The positions that lines refer to; ``None`` unless scopes and variables are preserved."""
        self.types = cache.types
        self.decorations = cache.decorations
        self.glsl = 0
        """Id of the import of GLSL.std.450; 0 if there is none."""
        self.infos: dict[int, FunctionInfo] = {}
        """Function that is called → its info."""
        self.privates: dict[int, int | None] = {}
        """Private variable that is replaced → its initializer."""

    def body(self, number: int) -> Body:
        """Return the promoted body of a called function; implemented by ``program``."""
        raise NotImplementedError

    def roots_of(self, info: FunctionInfo) -> dict[int, int]:
        """Return a mapping from the variables and parameters that are replaced in a function to their types."""
        privates = {root: type_id for root, type_id in info.privates.items() if root in self.privates}
        return {**privates, **info.roots}

    def rank(self, root: int) -> tuple[str, int, int]:
        """Return a key that sorts variables alike in all modules: private variables before parameters."""
        name, number = self.cache.rank.get(root, ("", 0))
        return ("0" + name, number, 0) if name else ("1", number, root)

    # ---- ids

    def copy_of(self, number: int) -> int:
        """Return a new id with the decorations of another id."""
        copy = self.types.new_id()
        if number in self.decorations:
            self.decorate_as(number, copy)
        return copy

    def decorate_as(self, number: int, copy: int) -> None:
        """Give the id ``copy`` the decorations of the id ``number``."""
        self.decorations[copy] = self.decorations[number]

    def storage_of(self, pointer: int, chain: Instruction | None, type_id: int | None) -> int:
        """Return the storage class of the memory that a pointer points to.

        ``chain`` is the access chain that the function emitted for the pointer, ``type_id`` its type in the function.
        Raises ``Unsuited`` for a pointer that another function defines.
        """
        if chain is not None:
            return self.types.storage(chain.type_id)
        if type_id is None:
            inst = self.types.definitions.get(pointer)
            if inst is None:
                raise Unsuited("a pointer from another function")
            type_id = inst.type_id
        return self.types.storage(type_id)
