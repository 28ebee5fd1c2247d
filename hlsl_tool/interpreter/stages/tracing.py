"""Ray tracing pipelines: rays call the shaders of what they hit or miss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn, ExecutionModel, RayFlags, StorageClass
from hlsl_tool.spirv.ir import Module

from ..program.constants import Special
from ..program.program import Program, Variable
from ..program.resources import Resources
from ..rays.query import GENERATED, TRIANGLE, RayQuery
from ..rays.scene import Scene
from ..runtime.cells import CellPointer, set_cells
from ..runtime.control import call
from ..runtime.handles import for_each
from ..runtime.masks import Mask
from ..runtime.memory import Buffer
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index, choose
from .compute import LANES, Settings
from .interface import Values
from .launch import Stage, prepare_lanes

FRONT, BACK = 0xFE, 0xFF
"""The kinds of hits with triangles."""


@dataclass(slots=True)
class HitGroup:
    """The entry points of a hit group; empty for missing ones."""

    closest: str = ""
    any: str = ""
    intersection: str = ""


@dataclass(slots=True)
class ShaderTables:
    """The shaders that rays call, by their index in the tables; records are the bytes behind each shader's handle."""

    miss: list[str] = field(default_factory=list)
    hit: list[HitGroup] = field(default_factory=list)
    callable: list[str] = field(default_factory=list)
    records: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """(``raygen``, ``miss``, ``hit`` or ``callable``, index) → bytes"""

    def entries(self) -> list[tuple[str, int]]:
        """Return the entry points with their execution models, each once."""
        found = [(name, ExecutionModel.MissKHR) for name in self.miss]
        found += [(name, ExecutionModel.CallableKHR) for name in self.callable]
        for group in self.hit:
            found.append((group.closest, ExecutionModel.ClosestHitKHR))
            found.append((group.any, ExecutionModel.AnyHitKHR))
            found.append((group.intersection, ExecutionModel.IntersectionKHR))
        return [entry for entry in dict.fromkeys(found) if entry[0]]


def tracing_program(
    module: Module | bytes, raygen: str, tables: ShaderTables, special: Special | None = None
) -> Program:
    """Return the program of a ray generation shader and of all shaders in the tables."""
    return Program(module, raygen, special, ExecutionModel.RayGenerationKHR, more=tables.entries())


def trace_rays(
    program: Program,
    tables: ShaderTables,
    size: tuple[int, int, int],
    resources: Resources,
    settings: Settings | None = None,
) -> None:
    """Run the ray generation shader ``size`` times, in three dimensions."""
    settings = settings or Settings()
    total = size[0] * size[1] * size[2]
    with np.errstate(all="ignore"):
        for first in range(0, total, LANES):
            with resources.space.temporary():
                _trace_lanes(program, tables, size, np.arange(first, min(first + LANES, total)), resources, settings)


def _trace_lanes(
    program: Program,
    tables: ShaderTables,
    size: tuple[int, int, int],
    numbers: Array,
    resources: Resources,
    settings: Settings,
) -> None:
    """Run the ray generation shader for some of the places."""
    place = np.stack([numbers % size[0], numbers // size[0] % size[1], numbers // (size[0] * size[1])])
    built_ins: dict[int, Any] = {
        BuiltIn.LaunchIdKHR: place.astype(np.uint32),
        BuiltIn.LaunchSizeKHR: np.array(size, np.uint32)[:, None],
    }
    stage = Stage(program, resources, settings)
    state, registers, lanes = prepare_lanes(stage, numbers.size, Values({}, built_ins), places={"rays": tuple(place)})
    tracer = state.extra["tracer"] = Tracer(program, tables, lanes)
    tracer.set_record(registers, state, "raygen", 0)
    call(program.main, registers, state)


_INCOMING = {
    StorageClass.RayPayloadKHR: StorageClass.IncomingRayPayloadKHR,
    StorageClass.CallableDataKHR: StorageClass.IncomingCallableDataKHR,
}


@dataclass(slots=True)
class _Search:
    """A ray of each lane, while its candidates are decided on."""

    query: RayQuery
    arguments: dict[str, Array]
    payload: CellPointer
    kinds: Any
    """The kind of the committed hit of each lane."""
    attributes: Value = None
    """The attributes of the committed hits."""


class Tracer:
    """Calls shaders for the lanes of a ray generation shader."""

    def __init__(self, program: Program, tables: ShaderTables, lanes: int) -> None:
        self.program, self.tables, self.lanes = program, tables, lanes
        self.ignored = np.zeros(lanes, np.bool_)
        """The lanes whose any-hit shader refused the candidate."""
        self.ended = np.zeros(lanes, np.bool_)
        self._search: _Search | None = None
        kept = (
            StorageClass.Input,
            StorageClass.IncomingRayPayloadKHR,
            StorageClass.IncomingCallableDataKHR,
            StorageClass.HitAttributeKHR,
        )
        self._kept = [variable for variable in program.variables if variable.storage in kept]

    # ---- calls of shaders

    def _call(
        self, name: str, registers: Registers, state: State, mask: Mask, values: dict[int, Any], given: Value = None
    ) -> Value:
        """Run an entry point for some lanes: built-ins have ``values``, and its incoming variable is ``given``.

        Return the incoming variable afterwards, or ``given`` if the shader has another type for it.  The registers and
        variables of the caller are as before.
        """
        point = self.program.others[name]
        saved, before = registers[:], (state.mask, state.dead, self._search)
        contents = [(variable, registers[variable.id].load()) for variable in self._kept]
        incoming = self._variable(point.operands[3:], *_INCOMING.values())
        for variable in self._kept:
            if variable.built_in in values:
                value = values[variable.built_in]
                dtype = variable.type.dtype
                set_cells(registers[variable.id].node, value if dtype is None else value.astype(dtype))
        shared = incoming if incoming is not None and _alike(registers[incoming.id].load(), given) else None
        if shared is not None:
            set_cells(registers[shared.id].node, given)
        state.mask = mask
        call(self.program.context.functions[point.id(1)], registers, state)
        result = registers[shared.id].load() if shared is not None else given
        registers[:] = saved
        state.mask, state.dead, self._search = before
        for variable, content in contents:
            set_cells(registers[variable.id].node, content)
        return result

    def _variable(self, interface: Sequence[Any], *storages: int) -> Variable | None:
        found = (v for v in self.program.variables if v.storage in storages and v.id in interface)
        return next(found, None)

    def set_record(self, registers: Registers, state: State, table: str, index: int) -> None:
        """Let the variable of the shader record point to the record of a shader."""
        data = self.tables.records.get((table, index))
        for variable in self.program.variables:
            if variable.storage == StorageClass.ShaderRecordBufferKHR:
                buffer = Buffer(np.frombuffer(data or b"", np.uint8))
                registers[variable.id] = np.array([state.memory.add(buffer)], np.int64)

    def execute_callable(self, registers: Registers, state: State, index: Array, data: CellPointer) -> None:
        """Call callable shaders."""
        for number, mask in _each(index, state.mask):
            if number < len(self.tables.callable):
                self.set_record(registers, state, "callable", number)
                name = self.tables.callable[number]
                data.store(self._call(name, registers, state, mask, {}, data.load()), mask)

    # ---- rays

    def trace(self, registers: Registers, state: State, operands: list[Any]) -> None:
        """Trace rays: find the closest hit, and call its shader or that of the miss."""
        names = ("flags", "mask", "offset", "stride", "miss", "origin", "nearest", "direction", "farthest")
        arguments = {name: wide(value, self.lanes) for name, value in zip(names, operands[1:10], strict=True)}
        ray = {
            name: arguments[name].astype(
                np.float64 if name in ("origin", "nearest", "direction", "farthest") else np.int64
            )
            for name in ("flags", "mask", "origin", "nearest", "direction", "farthest")
        }
        query = for_each(operands[0], state.mask, lambda scene, _: RayQuery(scene or Scene([]), ray))
        outer = self._search
        search = self._search = _Search(query, arguments, operands[10], np.zeros(self.lanes, np.uint32))
        active = state.mask.bits
        while True:
            found = query.proceed(active)
            self._commit_opaque(search)
            if not bool(found.any()):
                break
            self._decide(registers, state, state.mask.select(found))
        self._finish(registers, state, search)
        self._search = outer

    def _commit_opaque(self, search: _Search) -> None:
        """Set kind and attributes of hits that were committed without shaders."""
        query = search.query
        fresh = query.kind == TRIANGLE
        front = query.of_hit("is_front", committed=True)
        search.kinds = np.where(fresh, np.where(front, np.uint32(FRONT), np.uint32(BACK)), search.kinds)

    def _groups(self, search: _Search, mask: Mask, *, committed: bool) -> Iterator[tuple[int, HitGroup, Mask]]:
        """Yield the hit groups of the lanes in the mask."""
        query, arguments = search.query, search.arguments
        geometry = query.of_hit("geometry", committed=committed).astype(np.int64)
        index = query.of_instance("records", committed=committed).astype(np.int64)
        index = index + (arguments["offset"] & 0xF) + geometry * (arguments["stride"] & 0xF)
        for number, lanes in _each(index, mask):
            if number < len(self.tables.hit):
                yield number, self.tables.hit[number], lanes

    def _decide(self, registers: Registers, state: State, mask: Mask) -> None:
        """Call any-hit shaders for triangles, and intersection shaders for boxes."""
        search = self._search
        assert search is not None
        is_box = search.query.of_hit("is_box", committed=False)
        for number, group, lanes in self._groups(search, mask, committed=False):
            self.set_record(registers, state, "hit", number)
            boxes, triangles = lanes.select(is_box), lanes.without(is_box)
            if boxes.count and group.intersection:
                values = self._values(search, committed=False, distance=search.query.distance)
                self._call(group.intersection, registers, state, boxes, values)
            if triangles.count:
                weights = search.query.of_hit("weights", committed=False)
                accepted = self._accepted(registers, state, group, triangles, weights, None)
                search.query.confirm(accepted)
                search.query.terminate(accepted & self.ended)

    def _accepted(
        self, registers: Registers, state: State, group: HitGroup, mask: Mask, attributes: Value, distance: Any
    ) -> Any:
        """Return which lanes accept their candidate, by the any-hit shader of the group."""
        search = self._search
        assert search is not None
        self.ignored, self.ended = np.zeros(self.lanes, np.bool_), np.zeros(self.lanes, np.bool_)
        if not group.any:
            return mask.bits
        values = self._values(search, committed=False, distance=distance)
        self._with_attributes(group.any, registers, attributes)
        given = search.payload.load()
        search.payload.store(self._call(group.any, registers, state, mask, values, given), mask)
        return mask.bits & ~self.ignored

    def _with_attributes(self, name: str, registers: Registers, attributes: Value) -> None:
        """Set the hit attributes that an entry point reads."""
        variable = self._variable(self.program.others[name].operands[3:], StorageClass.HitAttributeKHR)
        if variable is not None and attributes is not None:
            fitting = attributes
            if isinstance(attributes, np.ndarray):
                fitting = attributes.astype(np.float32) if attributes.dtype.kind == "f" else attributes
            if variable.type.kind == "struct" and not isinstance(fitting, list):
                fitting = [fitting]
            set_cells(registers[variable.id].node, fitting)

    def report(self, registers: Registers, state: State, distance: Array, kind: Array) -> Any:
        """Report a hit from an intersection shader; return which lanes accept it."""
        search = self._search
        assert search is not None
        query = search.query
        far = wide(distance, self.lanes).astype(np.float64)
        inside = state.mask.select((far >= query.ray["nearest"]) & (far <= query.distance))
        result = np.zeros(self.lanes, np.bool_)
        attributes = self._reported(registers)
        opaque = query.of_hit("is_opaque", committed=False)
        search_kinds = search.kinds
        search.kinds = np.where(inside.bits, wide(kind, self.lanes), search.kinds)
        for _, group, lanes in self._groups(search, inside, committed=False):
            certain, asked = lanes.select(opaque), lanes.without(opaque)
            result |= certain.bits if certain.count else False
            if asked.count:
                result |= self._accepted(registers, state, group, asked, attributes, far)
        ended = self.ended
        search.kinds = np.where(result, search.kinds, search_kinds)
        query.generate(result, far)
        query.terminate(result & ended)
        if attributes is not None and result.any():
            old = search.attributes
            search.attributes = attributes if old is None else choose(result, attributes, old)
        return result

    def _reported(self, registers: Registers) -> Value:
        """Return the attributes that an intersection shader has written."""
        for variable in self.program.variables:
            if variable.storage == StorageClass.HitAttributeKHR and registers[variable.id] is not None:
                for group in self.tables.hit:
                    if group.intersection and variable.id in self.program.others[group.intersection].operands[3:]:
                        return registers[variable.id].load()
        return None

    def _finish(self, registers: Registers, state: State, search: _Search) -> None:
        """Call the closest-hit and miss shaders."""
        query, payload, mask = search.query, search.payload, state.mask
        hit = mask.select(query.kind != 0)
        skips = (search.arguments["flags"].astype(np.int64) & RayFlags.SkipClosestHitShaderKHR) != 0
        for number, group, lanes in self._groups(search, hit.without(skips), committed=True):
            if not group.closest:
                continue
            self.set_record(registers, state, "hit", number)
            values = self._values(search, committed=True, distance=None)
            generated = lanes.select(query.kind == GENERATED)
            if generated.count:
                self._with_attributes(group.closest, registers, search.attributes)
            else:
                self._with_attributes(group.closest, registers, query.of_hit("weights", committed=True))
            payload.store(self._call(group.closest, registers, state, lanes, values, payload.load()), lanes)
        missed = mask.without(query.kind != 0)
        for number, lanes in _each(search.arguments["miss"] & 0xFFFF, missed):
            if number < len(self.tables.miss):
                self.set_record(registers, state, "miss", number)
                values = self._values(search, committed=False, distance=query.ray["farthest"])
                result = self._call(self.tables.miss[number], registers, state, lanes, values, payload.load())
                payload.store(result, lanes)

    def _values(self, search: _Search, *, committed: bool, distance: Any) -> dict[int, Any]:
        """Return the built-ins of shaders; ``distance`` is that of the ray, by default of the hit."""
        query = search.query
        front = query.of_hit("is_front", committed=committed)
        triangle = np.where(front, np.uint32(FRONT), np.uint32(BACK))
        is_box = query.of_hit("is_box", committed=committed)
        far = query.t(committed=committed) if distance is None else distance
        values = {
            BuiltIn.WorldRayOriginKHR: query.ray["origin"],
            BuiltIn.WorldRayDirectionKHR: query.ray["direction"],
            BuiltIn.RayTminKHR: query.ray["nearest"],
            BuiltIn.RayTmaxKHR: far,
            BuiltIn.HitTNV: far,
            BuiltIn.IncomingRayFlagsKHR: query.ray["flags"],
            BuiltIn.HitKindKHR: np.where(is_box, search.kinds, triangle),
        }
        if query.tables.custom.size:
            values |= {
                BuiltIn.InstanceCustomIndexKHR: query.of_instance("custom", committed=committed),
                BuiltIn.InstanceId: query.of_instance("numbers", committed=committed),
                BuiltIn.PrimitiveId: query.of_hit("primitive", committed=committed),
                BuiltIn.RayGeometryIndexKHR: query.of_hit("geometry", committed=committed),
                BuiltIn.ObjectRayOriginKHR: query.object_ray(committed=committed, origin=True),
                BuiltIn.ObjectRayDirectionKHR: query.object_ray(committed=committed, origin=False),
                BuiltIn.ObjectToWorldKHR: query.matrix("to_world", committed=committed),
                BuiltIn.WorldToObjectKHR: query.matrix("to_object", committed=committed),
                BuiltIn.HitTriangleVertexPositionsKHR: query.corners(committed=committed),
            }
        return values


def _alike(one: Value, other: Value) -> bool:
    """Return whether two values may have the same type."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_alike(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape[:-1] == other.shape[:-1] and one.dtype == other.dtype
    return False


def _each(index: Array, mask: Mask) -> Iterator[tuple[int, Mask]]:
    """Yield the numbers that lanes of the mask have, and the lanes that have each."""
    if not mask.count:
        return
    numbers = as_index(np.ascontiguousarray(wide(index, mask.bits.size)))
    for number in np.unique(numbers[mask.lanes]):
        yield int(number), mask.select(numbers == number)
