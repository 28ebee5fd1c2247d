"""Entry points: stage variables, execution modes, what is reached (SPIR-V 3.6; Vulkan's *Shader Interfaces*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .check import ReflectError
from .model import EntryPoint, ExecutionMode, Range, Resource, StageVariable, Use
from .resources import StageVariableRecord, decorations_of
from .types import INTERPOLATION, Types, listed
from .uses import READ, UNKNOWN, WRITE, Uses

_SC = e.StorageClass
_D = e.Decoration
_M = e.ExecutionMode
PAYLOADS = frozenset(
    (
        _SC.RayPayloadKHR,
        _SC.IncomingRayPayloadKHR,
        _SC.HitAttributeKHR,
        _SC.CallableDataKHR,
        _SC.IncomingCallableDataKHR,
        _SC.TaskPayloadWorkgroupEXT,
    )
)
_DIRECTIONS = {_SC.Input: "input", _SC.Output: "output"}
INPUT_OUTPUT = (_SC.Input, _SC.Output)
_SIZES = (_M.LocalSize, _M.LocalSizeId)


def entry_point(
    types: Types,
    module: Module,
    inst: Instruction,
    variables: Mapping[int, Instruction],
    records: Mapping[str, StageVariableRecord],
    uses: Uses,
    resources: Mapping[int, Resource],
) -> EntryPoint:
    """One entry point; ``uses``: what its call graph does."""
    model = enum_name("ExecutionModel", inst.id(0)) or str(inst.id(0))
    found = EntryPoint(inst.text(2), model)
    for mode in module.execution_modes:
        if mode.id(0) == inst.id(1):
            _mode(types, found, mode)
    _workgroup_constant(types, found)
    several = len(module.entry_points) > 1  # each may list what the others use (SPIR-V 1.4 and later)
    for operand in inst.operands[3:]:
        variable = variables.get(operand) if isinstance(operand, int) else None
        if variable is None or (several and operand not in uses.effects):
            continue
        if variable.id(0) == _SC.Input:
            found.inputs.append(stage_variable(types, variable, records))
        elif variable.id(0) == _SC.Output:
            found.outputs.append(stage_variable(types, variable, records))
        elif variable.id(0) in PAYLOADS and operand in uses.effects:
            found.payloads.append(stage_variable(types, variable, records))
    for each in (found.inputs, found.outputs, found.payloads):
        each.sort(key=lambda v: (bool(v.builtin), v.location or 0, v.component or 0, v.index or 0, v.builtin, v.name))
    _reached(found, uses, resources)
    return found


def _mode(types: Types, entry: EntryPoint, inst: Instruction) -> None:
    number, operands = inst.id(1), inst.ints()[2:]
    name = enum_name("ExecutionMode", number) or str(number)
    entry.execution_modes.append(ExecutionMode(name, [_operand(types, inst, operand) for operand in operands]))
    if number not in _SIZES:
        entry.modes.append(name)
    elif number == _M.LocalSizeId:
        entry.workgroup_size = [int(types.constant(operand)) for operand in operands[:3]]
        _specialised(types, entry, operands[:3])
    else:
        entry.workgroup_size = operands[:3]


def _operand(types: Types, mode: Instruction, operand: int) -> int | str:
    """What an operand says; those of ``OpExecutionModeId`` are constants, or names of work graphs' nodes."""
    if mode.op != op.OpExecutionModeId:
        return operand
    inst = types.definitions.get(operand)
    if inst is not None and inst.op == op.OpConstantStringAMDX:
        return inst.text(0)
    return int(types.constant(operand))


def _specialised(types: Types, entry: EntryPoint, constants: list[int]) -> None:
    ids = [types.constants.spec_ids.get(number) for number in constants]
    if any(number is not None for number in ids):
        entry.workgroup_size_ids = ids


def _workgroup_constant(types: Types, entry: EntryPoint) -> None:
    """A constant that is decorated ``WorkgroupSize`` wins over the execution mode (Vulkan's *Built-In Variables*)."""
    if entry.workgroup_size is None:
        return
    for number, decorations in types.decorations.items():
        inst = types.definitions.get(number)
        if decorations.get(_D.BuiltIn) != [e.BuiltIn.WorkgroupSize] or inst is None:
            continue
        value = types.constants.value(number)
        if not isinstance(value, list) or len(value) != 3:
            raise ReflectError("the size of a workgroup has three numbers")
        entry.workgroup_size = [int(v) for v in value if not isinstance(v, list)]
        if inst.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
            _specialised(types, entry, inst.ints())


def by_place(records: Sequence[StageVariableRecord]) -> dict[str, StageVariableRecord]:
    """The records by the variables' names; those of system values, which have none, by direction and built-in."""
    found: dict[str, StageVariableRecord] = {}
    for record in records:
        number = getattr(e.BuiltIn, (record.builtin or "").removeprefix("gl_"), None)
        found[record.name if number is None else f"{record.direction} {number}"] = record
    return found


def stage_variable(types: Types, variable: Instruction, records: Mapping[str, StageVariableRecord]) -> StageVariable:
    """An input, an output, or a payload."""
    number = variable.result_id
    decorations = types.decorations.get(number, {})
    name = types.names.get(number, "")
    builtin = types.decoration(number, _D.BuiltIn)
    storage = variable.id(0)
    found = StageVariable(
        name,
        types.type(types.definitions[variable.type_id].id(1)),
        types.decoration(number, _D.Location),
        types.decoration(number, _D.Component),
        types.decoration(number, _D.Index),
        "" if builtin is None else enum_name("BuiltIn", builtin) or str(builtin),
        listed(decorations, INTERPOLATION),
        types.text(number, _D.UserSemantic),
        decorations_of(types, number),
        types.decoration(number, _D.Stream),
        types.decoration(number, _D.XfbBuffer),
        types.decoration(number, _D.XfbStride),
        types.decoration(number, _D.Offset),
        (enum_name("StorageClass", storage) or str(storage)) if storage in PAYLOADS else "",
    )
    record = records.get(name if builtin is None else f"{_DIRECTIONS.get(storage, '')} {builtin}")
    if record is not None:
        found.semantic = record.semantic or found.semantic
        if record.type != found.type.name:
            found.hlsl = {"type": record.type}
    return found


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
    """Add up what is done through the variables of one resource, at the first of them."""
    first: dict[int, int] = {}
    for number in [number for number in effects if number in resources]:
        kept = first.setdefault(id(resources[number]), number)
        if kept != number:
            effects[kept] |= effects.pop(number)
