"""Choose descriptor sets and bindings as glslang and glslc do, for hosts that rely on their numbers.

A resource has the binding of its attribute or register, shifted by its kind. Other resources take binding 0; with
automatic bindings, those that the shader uses take the lowest free one at or after their kind's shift. With glslang's
I/O mapping, a kind is a register letter; without it, storage images and storage buffers have separate shifts.
"""

from __future__ import annotations

from collections.abc import Collection

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.global_variables.binding_choice import (
    ALL_SPACES,
    Binder,
    Resource,
    attribute,
    implicit_letter,
    register_of,
)
from hlsl_tool.codegen.lower.global_variables.reach import named_variables
from hlsl_tool.frontend.sema.model.annotations import Attribute, Register
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, innermost

BUFFER = "buffer"
_STORAGE_BUFFERS = ("StructuredBuffer", "ByteAddressBuffer", "AppendStructured", "ConsumeStructured", "TextureBuffer")


class GlslangBinder(Binder):
    """Assigns descriptor sets and bindings to a module's resources by glslang's rules."""

    def __init__(self, ctx: Lowering, resources: list[Resource]) -> None:
        super().__init__(ctx, resources)
        self.by_register_type = ctx.options.binding_scheme == "glslang-iomap"
        self.overrides = {(name, space): (number, at) for name, space, number, at in ctx.options.bind_registers}

    def _all(self) -> None:
        free = [r for r in self.resources if not self._bind(r)]
        named = named_variables(self.ctx.program) if self.ctx.options.auto_bindings else set()
        if self.ctx.stage == "hs":
            named = None  # the function of the patch constants is not among the reachable ones
        # Resources with a space come first; within the two groups the order is that of declaration.
        for r in sorted(free, key=lambda r: not self._has_space(r)):
            set_no, kind = self._set_of(r), self._kind(r)
            if self.ctx.options.auto_bindings and _is_named(r, named):
                self._next(r, set_no, kind)
            else:
                self._place(r, set_no, 0, "automatic", reserve=False)
        self._heaps()

    def _bind(self, r: Resource) -> bool:
        """Bind a resource that has an attribute or a register; return false, without an effect, for others."""
        fixed = self.ctx.options.bind_globals
        if r.is_globals and fixed is not None:
            self._place(r, fixed[1], fixed[0], "bind-globals")
            return True
        number, set_no = self._number(r), self._set_of(r)
        if number is None:
            return False
        register = register_of(r.decl, self.ctx.stage)
        rule = "register"
        if attribute(r, "counter_binding" if r.is_counter else "binding") is not None:
            rule, register = "attribute", None
        elif register is not None and (place := self._override(register, set_no)):
            number, set_no = place
            rule = "bind-register"
        shift = self._shift(self._kind(r), set_no)
        if register is None or self._is_in_range(r, register, number + shift, set_no):
            self._place(r, set_no, number + shift, "shift" if shift else rule, shift=shift)
        return True

    def _override(self, register: Register, space: int) -> tuple[int, int] | None:
        """Return the (binding, set) that options give a register, in its space or in all spaces.

        The result is ``None`` without such an option.
        """
        name = f"{register.letter}{register.number}"
        return self.overrides.get((name, space)) or self.overrides.get((name, ALL_SPACES))

    def _number(self, r: Resource) -> int | None:
        a = attribute(r, "counter_binding" if r.is_counter else "binding")
        if a is not None:
            return a.args[0] if a.args and isinstance(a.args[0], int) else None
        register = None if r.is_counter else register_of(r.decl, self.ctx.stage)
        return register.number if register is not None and register.letter else None

    def _has_space(self, r: Resource) -> bool:
        register = register_of(r.decl, self.ctx.stage)
        return register is not None and register.space is not None and not r.is_counter

    def _attribute_set(self, a: Attribute) -> int:
        return int(a.args[1]) if len(a.args) > 1 and isinstance(a.args[1], int) else 0

    def _set_of(self, r: Resource) -> int:
        return self.default_space if r.is_counter else super()._set_of(r)

    def _kind(self, r: Resource) -> str:
        """Return the key of the shift that applies to a resource: a register letter, or ``BUFFER``."""
        letter = "u" if r.is_counter else implicit_letter(r.type, r.decl)
        if self.by_register_type:
            return letter
        inner = innermost(r.type) if r.type is not None else None
        is_buffer = isinstance(inner, ObjectType) and any(name in inner.name for name in _STORAGE_BUFFERS)
        is_tbuffer = isinstance(r.decl, CBuffer) and letter == "t"
        return BUFFER if r.is_counter or is_buffer or is_tbuffer else letter


def _is_named(r: Resource, named: Collection[Variable] | None) -> bool:
    """Return whether the shader uses a resource: its variable is in ``named``.

    True for ``$Globals``, and if ``named`` is ``None`` because the used variables are not known.
    """
    if named is None or r.decl is None:
        return True
    if isinstance(r.decl, CBuffer):
        return any(member in named for member in r.decl.members)
    return r.decl in named
