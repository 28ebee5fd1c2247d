"""Entry points: stage variables, execution modes, used resources (SPIR-V 3.6; Vulkan's *Shader Interfaces*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from hlsl_tool.reflection.reflection import EntryPoint, ExecutionMode, Range, Resource, StageVariable, Use
from hlsl_tool.reflection.spirv_types import INTERPOLATION, TypeReader, listed
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass
from hlsl_tool.spirv.enums import ExecutionMode as Mode
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .check import ReflectError
from .resources import StageVariableRecord, decorations_of
from .uses import READ, UNKNOWN, WRITE, Uses

PAYLOADS = frozenset(
    (
        StorageClass.RayPayloadKHR,
        StorageClass.IncomingRayPayloadKHR,
        StorageClass.HitAttributeKHR,
        StorageClass.CallableDataKHR,
        StorageClass.IncomingCallableDataKHR,
        StorageClass.TaskPayloadWorkgroupEXT,
    )
)
_DIRECTIONS = {StorageClass.Input: "input", StorageClass.Output: "output"}
INPUT_OUTPUT = (StorageClass.Input, StorageClass.Output)
_SIZES = (Mode.LocalSize, Mode.LocalSizeId)


def entry_point(
    types: TypeReader,
    module: Module,
    inst: Instruction,
    variables: Mapping[int, Instruction],
    records: Mapping[str, StageVariableRecord],
    uses: Uses,
    resources: Mapping[int, Resource],
) -> EntryPoint:
    """Return the reflection of one entry point.

    ``uses`` has the variables that its call graph reads and writes; ``records`` maps names of stage variables to
    information of the HLSL source about them.
    """
    model = enum_name("ExecutionModel", inst.id(0)) or str(inst.id(0))
    entry = EntryPoint(inst.text(2), model)
    for mode in module.execution_modes:
        if mode.id(0) == inst.id(1):
            _mode(types, entry, mode)
    _workgroup_constant(types, entry)
    several = len(module.entry_points) > 1  # each may list the variables of the others (SPIR-V 1.4 and later)
    for operand in inst.operands[3:]:
        variable = variables.get(operand) if isinstance(operand, int) else None
        if variable is None or (several and operand not in uses.effects):
            continue
        if variable.id(0) == StorageClass.Input:
            entry.inputs.append(stage_variable(types, variable, records))
        elif variable.id(0) == StorageClass.Output:
            entry.outputs.append(stage_variable(types, variable, records))
        elif variable.id(0) in PAYLOADS and operand in uses.effects:
            entry.payloads.append(stage_variable(types, variable, records))
    for passed in (entry.inputs, entry.outputs, entry.payloads):
        passed.sort(key=lambda v: (bool(v.builtin), v.location or 0, v.component or 0, v.index or 0, v.builtin, v.name))
    _reached(entry, uses, resources)
    return entry


def _mode(types: TypeReader, entry: EntryPoint, inst: Instruction) -> None:
    number, operands = inst.id(1), inst.ints()[2:]
    name = enum_name("ExecutionMode", number) or str(number)
    entry.execution_modes.append(ExecutionMode(name, [_operand(types, inst, operand) for operand in operands]))
    if number not in _SIZES:
        entry.modes.append(name)
    elif number == Mode.LocalSizeId:
        entry.workgroup_size = [int(types.constant(operand)) for operand in operands[:3]]
        _specialised(types, entry, operands[:3])
    else:
        entry.workgroup_size = operands[:3]


def _operand(types: TypeReader, mode: Instruction, operand: int) -> int | str:
    """Return the value of an operand; operands of ``OpExecutionModeId`` are constants or strings (node names)."""
    if mode.op != op.OpExecutionModeId:
        return operand
    inst = types.definitions.get(operand)
    if inst is not None and inst.op == op.OpConstantStringAMDX:
        return inst.text(0)
    return int(types.constant(operand))


def _specialised(types: TypeReader, entry: EntryPoint, constants: list[int]) -> None:
    ids = [types.constants.spec_ids.get(number) for number in constants]
    if any(number is not None for number in ids):
        entry.workgroup_size_ids = ids


def _workgroup_constant(types: TypeReader, entry: EntryPoint) -> None:
    """Apply a constant decorated ``WorkgroupSize``, which overrides ``LocalSize`` (Vulkan's *Built-In Variables*)."""
    if entry.workgroup_size is None:
        return
    for number, decorations in types.decorations.items():
        inst = types.definitions.get(number)
        if decorations.get(Decoration.BuiltIn) != [BuiltIn.WorkgroupSize] or inst is None:
            continue
        value = types.constants.value(number)
        if not isinstance(value, list) or len(value) != 3:
            raise ReflectError("the size of a workgroup has three numbers")
        entry.workgroup_size = [int(v) for v in value if not isinstance(v, list)]
        if inst.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
            _specialised(types, entry, inst.ints())


def by_place(records: Sequence[StageVariableRecord]) -> dict[str, StageVariableRecord]:
    """Return variable name → information of the HLSL source about a stage variable.

    System values have no name in the source: their key is ``"direction builtin"``, with the number of the built-in.
    """
    places: dict[str, StageVariableRecord] = {}
    for record in records:
        number = getattr(BuiltIn, (record.builtin or "").removeprefix("gl_"), None)
        places[record.name if number is None else f"{record.direction} {number}"] = record
    return places


def stage_variable(
    types: TypeReader, variable: Instruction, records: Mapping[str, StageVariableRecord]
) -> StageVariable:
    """Return the reflection of an input, output or payload variable."""
    number = variable.result_id
    decorations = types.decorations.get(number, {})
    name = types.names.get(number, "")
    builtin = types.decoration(number, Decoration.BuiltIn)
    storage = variable.id(0)
    stage = StageVariable(
        name,
        types.type(types.definitions[variable.type_id].id(1)),
        types.decoration(number, Decoration.Location),
        types.decoration(number, Decoration.Component),
        types.decoration(number, Decoration.Index),
        "" if builtin is None else enum_name("BuiltIn", builtin) or str(builtin),
        listed(decorations, INTERPOLATION),
        types.text(number, Decoration.UserSemantic),
        decorations_of(types, number),
        types.decoration(number, Decoration.Stream),
        types.decoration(number, Decoration.XfbBuffer),
        types.decoration(number, Decoration.XfbStride),
        types.decoration(number, Decoration.Offset),
        (enum_name("StorageClass", storage) or str(storage)) if storage in PAYLOADS else "",
    )
    record = records.get(name if builtin is None else f"{_DIRECTIONS.get(storage, '')} {builtin}")
    if record is not None:
        stage.semantic = record.semantic or stage.semantic
        if record.type != stage.type.name:
            stage.hlsl = {"type": record.type}
    return stage


_ACCESS: dict[int, Literal["read", "write", "read_write"]] = {
    0: "read",
    READ: "read",
    WRITE: "write",
    READ | WRITE: "read_write",
}


def _reached(entry: EntryPoint, uses: Uses, resources: Mapping[int, Resource]) -> None:
    effects = dict(uses.effects)
    _join_views(effects, resources)
    for number, effect in effects.items():
        if number not in resources:
            continue
        r = resources[number]
        if number in uses.ranges:
            begin, end = uses.ranges[number]
            entry.push_constants.append(Range(r.name, begin, end - begin))
        else:
            access = "unknown" if effect & UNKNOWN and r.access != "read" else _ACCESS[effect & (READ | WRITE)]
            entry.resources.append(Use(r.name, r.set, r.binding, access))
    entry.resources.sort(key=lambda u: (u.set or 0, u.binding or 0, u.name))
    entry.push_constants.sort(key=lambda u: (u.offset, u.name))


def _join_views(effects: dict[int, int], resources: Mapping[int, Resource]) -> None:
    """Merge the accesses of variables that alias one resource into those of the first variable, in place.

    ``effects`` maps variables to flags for reads and writes, ``resources`` maps them to their resources.
    """
    first: dict[int, int] = {}
    for number in [number for number in effects if number in resources]:
        leader = first.setdefault(id(resources[number]), number)
        if leader != number:
            effects[leader] |= effects.pop(number)
