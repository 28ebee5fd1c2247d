"""The parameters of a kernel: the resources that its entry point uses, by HLSL name."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.reflection.blocks import Block, block_of, member_names
from hlsl_tool.reflection.reflection import Reflection, Resource

from .backend import Place
from .errors import UnsupportedError

ARRAYS = ("storage_buffer", "uniform_texel_buffer", "storage_texel_buffer", "sampled_image", "storage_image")
"""Kinds of resources whose arguments are arrays; these can be given by position."""
CONSTANTS = ("uniform_buffer", "push_constant")
GLOBALS = "$Globals"
"""The block of global variables, a name that no source has."""
FLAT = ("cbuffer", GLOBALS, "tbuffer")
"""Blocks whose members are global names in HLSL."""


@dataclass(slots=True)
class Parameter:
    """A resource that the caller passes to a kernel."""

    name: str
    """The name in HLSL; ``NAME_counter`` for the counter of the buffer ``NAME``."""
    kind: str
    """The kind of the resource in the reflection, or ``counter``."""
    declared: str
    """The type in HLSL."""
    resource: Resource
    written: bool
    """Whether the kernel writes it, so that its array is changed."""
    block: Block | None = None
    """The memory layout of buffers."""
    members: tuple[str, ...] = ()
    """The members that can be given as keywords."""

    @property
    def place(self) -> Place:
        return self.resource.set, self.resource.binding

    @property
    def is_array(self) -> bool:
        """Whether the parameter is an array of resources, for which the argument is a list."""
        return bool(self.resource.dimensions) or self.resource.count != 1

    @property
    def is_constant(self) -> bool:
        """Whether the argument is a mapping of members: the parameter is a constant buffer."""
        return self.kind in CONSTANTS or (
            self.kind == "storage_buffer" and self.block is not None and _whole(self.block)
        )

    @property
    def is_positional(self) -> bool:
        return self.kind in ARRAYS and not self.is_constant

    def __str__(self) -> str:
        members = [f"{declared} {name}" for name, declared in member_types(self)]
        if self.name == GLOBALS:
            return ", ".join(members)
        return f"{self.declared} {self.name}" + (f" {{ {'; '.join(members)} }}" if members else "")


def member_types(parameter: Parameter) -> Iterator[tuple[str, str]]:
    """Yield (name, HLSL type) of the members of a block that can be passed as keyword arguments."""
    if parameter.members:
        assert parameter.block is not None and parameter.block.type is not None
        for name, member in zip(parameter.members, parameter.block.type.members, strict=True):
            yield name, member.hlsl.get("type") or member.type.name


def _whole(block: Block) -> bool:
    return block.tail is None


def parameters(name: str, reflection: Reflection, interface: InterfaceRecord) -> list[Parameter]:
    """Return the parameters in order of declaration.

    Raises ``UnsupportedError`` for kinds of resources that kernels cannot have.
    """
    order = {record.name: i for i, record in enumerate(interface.resources)}
    uses = {(use.set, use.binding): use.access for use in reflection.entry_points[0].resources}
    out: list[Parameter] = []
    for resource in [*reflection.resources, *reflection.push_constants]:
        out.append(_parameter(name, resource, uses.get((resource.set, resource.binding), "read") != "read"))
    _check_places(name, out)
    return sorted(out, key=lambda p: order.get(p.resource.name, len(order)))


def _parameter(kernel: str, resource: Resource, written: bool) -> Parameter:
    name, kind = resource.name, resource.kind
    facts = resource.hlsl
    if kind not in (*ARRAYS, *CONSTANTS, "sampler"):
        raise UnsupportedError(kernel, f"`{name}` has the kind {kind}, which kernels cannot have")
    if resource.count is None:
        raise UnsupportedError(kernel, f"`{name}` is an array without a length")
    declared = facts.get("declared") or facts.get("type") or kind
    if facts.get("counter_of"):
        return Parameter(f"{facts['counter_of']}_counter", "counter", "counter", resource, True)
    block = block_of(resource) if resource.type.kind == "struct" else None
    members: tuple[str, ...] = ()
    if block is not None and facts.get("type") in FLAT and block.type is not None:
        members = tuple(member_names(block.type.members))
    return Parameter(name, kind, declared, resource, written, block, members)


def _check_places(kernel: str, found: list[Parameter]) -> None:
    taken: dict[Place, Parameter] = {}
    for parameter in found:
        other = taken.setdefault(parameter.place, parameter)
        if other is not parameter and parameter.place != (None, None):
            where = f"binding {parameter.place[1]} of set {parameter.place[0]}"
            raise UnsupportedError(
                kernel, f"`{other.name}` and `{parameter.name}` share {where}", "Shift the registers of one kind."
            )
