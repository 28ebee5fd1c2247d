"""Bind resources to a program, and make the registers with its constants and global variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn, StorageClass

from ..errors import ExecutionError
from ..images.image import SampledImage
from ..instructions.memory import BufferTable
from ..model.layout import round_up
from ..model.types import Type
from ..runtime.cells import CellPointer, new_cells
from ..runtime.handles import HandleTable
from ..runtime.memory import OFFSET_BITS, Addresses, AddressSpace, Buffer
from ..runtime.state import Registers, State
from .program import Program, Variable

Place = tuple[int, int]
"""(set, binding)"""

_HEAPS = (BuiltIn.ResourceHeapEXT, BuiltIn.SamplerHeapEXT)


@dataclass(slots=True)
class Resources:
    """What a run uses: buffers, images and samplers by (set, binding), and the bytes of the push constants."""

    bindings: Mapping[Place, Sequence[Any]] = field(default_factory=dict)
    push: bytes = b""
    heaps: tuple[Sequence[Any], Sequence[Any]] = ((), ())
    """The descriptors in the heap of resources and in that of samplers, by their index."""
    space: AddressSpace = field(default_factory=AddressSpace)
    """The address space; it has the buffers that shaders reach by their addresses only."""

    def __post_init__(self) -> None:
        for items in (*self.bindings.values(), *self.heaps):
            for item in items:
                storage = storage_of(item)
                if storage is not None and not self.has(storage):
                    self.space.add(storage)

    def has(self, buffer: Buffer) -> bool:
        """Return whether a buffer has an address in the space."""
        return self.space.at(buffer.address >> OFFSET_BITS) is buffer


def storage_of(item: Any) -> Buffer | None:
    """Return the buffer that a resource is, or that has the texels of an image."""
    storage = getattr(item, "buffer", item)
    return storage if isinstance(storage, Buffer) else None


def initial_registers(program: Program, resources: Resources, state: State) -> Registers:
    """Return the registers with the values of constants and the pointers to global variables."""
    state.extra["program"] = program  # for observers, which see nothing but the state
    registers: Registers = [None] * program.module.bound
    for number, value in program.context.constants.items():
        registers[number] = value
    for variable in program.variables:
        registers[variable.id] = _pointer(program, variable, resources, state, registers)
    return registers


def _pointer(program: Program, variable: Variable, resources: Resources, state: State, registers: Registers) -> Any:
    storage, items = variable.storage, resources.bindings.get(variable.place or (-1, -1), ())
    _name(items, variable.name)
    if storage in (StorageClass.Uniform, StorageClass.StorageBuffer):
        return _buffers(variable, items)
    if variable.built_in in _HEAPS:
        return HandleTable(resources.heaps[_HEAPS.index(variable.built_in or 0)])
    if storage == StorageClass.UniformConstant:
        kind = variable.type.innermost.kind
        return HandleTable([_part(item, kind) for item in items], lengths(variable.type, items))
    if storage == StorageClass.PushConstant:
        data = np.frombuffer(resources.push.ljust(round_up(len(resources.push), 4), b"\0"), np.uint8)
        return np.array([state.memory.add(Buffer(data, variable.name))], np.int64)
    is_shared = storage == StorageClass.Output and program.shares_outputs
    if is_shared or storage in (StorageClass.Workgroup, StorageClass.TaskPayloadWorkgroupEXT):
        return workgroup_variable(program, variable, state, registers)
    if storage == StorageClass.ShaderRecordBufferKHR:
        return np.zeros(1, np.int64)
    initial = registers[variable.initial] if variable.initial else None
    pointer = CellPointer(new_cells(variable.type, state.mask.count, initial))
    state.private[variable.id] = pointer
    return pointer


def _name(items: Sequence[Any], name: str) -> None:
    """Name the buffers of resources after their variable, if they have no name."""
    for item in items:
        storage = storage_of(item)
        if storage is not None:
            storage.name = storage.name or name


def _part(item: Any, kind: str) -> Any:
    """Return the part of an image with a sampler that a variable of a kind needs; other objects as they are."""
    if isinstance(item, SampledImage) and kind in ("image", "sampler"):
        return item.image if kind == "image" else item.sampler
    return item


def lengths(of: Type, items: Sequence[Any]) -> tuple[int, ...]:
    """Return the lengths of nested arrays of resources, outermost first."""
    sizes: list[int] = []
    while of.kind == "array":
        sizes.append(of.length if of.length is not None else len(items))
        of = of.part(0)
    return tuple(sizes)


def _buffers(variable: Variable, items: Sequence[Any]) -> Any:
    """Return the address of a buffer, or the table of those of an array; elements of other kinds have none."""
    given = [item.address if isinstance(item, Buffer) else 0 for item in items]
    addresses: Addresses = np.array(given or [0], np.int64)
    if variable.type.kind == "array":
        return BufferTable(addresses, lengths(variable.type, items))
    if items and items[0] is not None and not isinstance(items[0], Buffer):
        raise ExecutionError(f"`{variable.name}` needs a buffer, and got a {type(items[0]).__name__}")
    return addresses[:1]


def workgroup_variable(program: Program, variable: Variable, state: State, registers: Registers) -> Addresses:
    """Return the addresses of a variable that the lanes of a group share; each group has its own copy."""
    layout = program.context.layout
    size = round_up(layout.size(variable.type), 16)
    groups = state.shape.groups
    data = np.zeros(size * groups, np.uint8)
    payload = state.extra.get("payload")
    if payload is not None and variable.storage == StorageClass.TaskPayloadWorkgroupEXT:
        data = np.tile(payload[:size], groups)
    buffer = Buffer(data, variable.name)
    base = state.memory.add(buffer)
    state.private[variable.id] = buffer
    if groups == 1:
        return np.array([base], np.int64)
    addresses: Addresses = base + state.shape.group_of_lane * size
    return addresses
