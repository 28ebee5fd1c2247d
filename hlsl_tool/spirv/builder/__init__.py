"""Build a SPIR-V module.

    b = ModuleBuilder(version=(1, 0))
    f32 = b.f32()
    v4 = b.vector(f32, 4)
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("bb.entry"))
    color = b.local_variable(v4, "color")
    b.store(color, b.const_splat(b.const_f32(1.0), v4))
    b.ret()
    b.end_function()
    b.entry_point(ExecutionModel.Fragment, main, "main", [])
    module = b.finalize()

All ids that the builder returns (types, constants, variables, values, labels, functions) are provisional;
``finalize`` renumbers them in the order in which the module mentions them.  Types and lazy constants are written if
something that is written uses them; ``emit`` documents the order.
"""

from __future__ import annotations

from ..grammar.tables import TERMINATORS
from ..ir import Module, version_word
from .constants import ConstInfo
from .declarations import NON_UNIFORM, PRECISE, RELAXED, RELAXED_TYPE
from .emit import Emitter
from .images import ImageBuilder, ImageOperands
from .limits import TooLarge
from .type_info import INTERFACE_NONE, INTERFACE_STORAGE, INTERFACE_UNIFORM, Member, TypeInfo

__all__ = [
    "INTERFACE_NONE",
    "INTERFACE_STORAGE",
    "INTERFACE_UNIFORM",
    "NON_UNIFORM",
    "PRECISE",
    "RELAXED",
    "RELAXED_TYPE",
    "TERMINATORS",
    "ConstInfo",
    "ImageOperands",
    "Member",
    "ModuleBuilder",
    "TooLarge",
    "TypeInfo",
]


class ModuleBuilder(ImageBuilder):
    """A module under construction; each base class provides the methods for one topic.

    The bases are ``types.TypeTable``, ``constants.ConstantTable``, ``declarations.Declarations``, ``code.CodeBuilder``,
    ``images.ImageBuilder``.
    """

    def __init__(self, *, version: tuple[int, int] = (1, 0)) -> None:
        super().__init__(storage_buffer_class=version >= (1, 4))
        self.version = version
        self.needs_legalization = False
        """Set by the lowering if the module is not yet valid for Vulkan."""
        self.final_ids: dict[int, int] = {}
        """Provisional → final id, after ``finalize``."""

    def finalize(self) -> Module:
        """Return a module with final ids; the builder is not changed, so that it may be called again."""
        emitter = Emitter(self, version_word(*self.version))
        module = emitter.run()
        self.final_ids = emitter.ids
        return module
