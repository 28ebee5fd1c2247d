"""Check that entry points reach only functions that their stages can call: a library does not know its stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.codegen.lower.entry.stages import BY_ATTRIBUTE, STAGES
from hlsl_tool.codegen.lower.intrinsics import ray_tracing
from hlsl_tool.compiler.linking.declarations import Declarations
from hlsl_tool.compiler.linking.entries import DERIVATIVES, reached
from hlsl_tool.compiler.linking.unit import Unit
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration, Dim, ExecutionModel, Scope, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction

_DISCARDS = frozenset((op.OpKill, op.OpTerminateInvocation, op.OpDemoteToHelperInvocation))
_PIXEL = frozenset((ExecutionModel.Fragment,))
_GROUPS = frozenset(
    (
        ExecutionModel.GLCompute,
        ExecutionModel.MeshEXT,
        ExecutionModel.TaskEXT,
        ExecutionModel.MeshNV,
        ExecutionModel.TaskNV,
    )
)
_NAMES = {stage.model: stage.attribute for stage in reversed(STAGES.values())}
"""Execution model → the stage as HLSL names it."""


class _Need(NamedTuple):
    """What only some stages have."""

    text: str
    models: frozenset[int]


_DISCARD = _Need("a pixel to discard", _PIXEL)
_INTERLOCK = _Need("ordered accesses to pixels", _PIXEL)
_QUADS = _Need("derivatives", _PIXEL | _GROUPS)
_BARRIER = _Need("a group of threads to synchronise", _GROUPS | {ExecutionModel.TessellationControl})
_SHARED = _Need("groupshared memory", _GROUPS)
_ATTACHMENT = _Need("input attachments", _PIXEL)
_RAY_FUNCTIONS = {
    name: _Need(name, frozenset(BY_ATTRIBUTE[stage].model for stage in stages))
    for name, stages in ray_tracing.STAGES.items()
}
"""Function of ray tracing shaders → the need of a function that calls it."""
_RAY_OPCODES = {
    op.OpTraceRayKHR: _RAY_FUNCTIONS["TraceRay"],
    op.OpTraceNV: _RAY_FUNCTIONS["TraceRay"],
    op.OpExecuteCallableKHR: _RAY_FUNCTIONS["CallShader"],
    op.OpExecuteCallableNV: _RAY_FUNCTIONS["CallShader"],
    op.OpReportIntersectionKHR: _RAY_FUNCTIONS["ReportHit"],
}
_RAY_INPUTS = {
    ray_tracing.BUILTINS[name]: need for name, need in _RAY_FUNCTIONS.items() if name in ray_tracing.BUILTINS
}
"""Built-in → the need of a function that reads it."""
_NEEDS = (_DISCARD, _INTERLOCK, _QUADS, _BARRIER, _SHARED, _ATTACHMENT, *_RAY_FUNCTIONS.values())


def check_stages(declared: Declarations, units: Sequence[Unit], sink: Sink) -> None:
    """Report functions of other modules that an entry point reaches, and that its stage cannot call."""
    functions = {function.id: function for function in declared.module.functions}
    origins = {
        ids[function.id]: (unit, function)
        for unit, ids in zip(units, declared.ids, strict=True)
        for function in unit.module.functions
        if function.blocks and ids[function.id] in functions
    }
    needs = {number: _needs(unit, function) for number, (unit, function) in origins.items()}
    for entry in declared.module.entry_points:
        model, own_unit = entry.id(0), origins[entry.id(1)][0]
        for number in sorted(reached(functions[entry.id(1)], functions)):
            unit, function = origins[number]
            missing = next((need for need in needs[number] if model not in need.models), None)
            if unit is own_unit or missing is None:
                continue
            linkage = unit.linkages.get(function.id)
            name = linkage.name if linkage is not None else unit.index.names.get(function.id, "")
            sink.error(
                codes.LINK_STAGE,
                unit.place(name, function.id),
                notes=own_unit.notes(entry.text(2), entry.id(1), sink),
                name=name,
                module=unit.name,
                need=missing.text,
                entry=entry.text(2),
                stage=_NAMES.get(model, "such"),
            )


def _needs(unit: Unit, function: Function) -> list[_Need]:
    """Return what a function of a module needs itself, without the functions that it calls."""
    variables = _variables(unit)
    types = {inst.result_id: inst.type_id for inst in function.instructions()}
    needs = {_need(unit, inst, types) for inst in function.instructions()}
    for inst in function.instructions():
        needs.update(variables[number] for number in used_ids(inst) if number in variables)
    return [need for need in _NEEDS if need in needs]


def _variables(unit: Unit) -> dict[int, _Need]:
    """Return the variables that only some stages have: id → need."""
    found: dict[int, _Need] = {}
    for inst in unit.module.globals:
        if inst.op != op.OpVariable:
            continue
        builtin = next(iter(unit.index.decorations.get(inst.result_id, {}).get(Decoration.BuiltIn, ())), None)
        if inst.operands[0] == StorageClass.Workgroup:
            found[inst.result_id] = _SHARED
        elif builtin in _RAY_INPUTS:
            found[inst.result_id] = _RAY_INPUTS[builtin]
    return found


def _need(unit: Unit, inst: Instruction, types: Mapping[int, int]) -> _Need | None:
    if inst.op in _DISCARDS:
        return _DISCARD
    if inst.op == op.OpBeginInvocationInterlockEXT:
        return _INTERLOCK
    if inst.op in DERIVATIVES:
        return _QUADS
    if inst.op == op.OpControlBarrier:
        return _BARRIER if unit.index.constant(inst.id(0)) == Scope.Workgroup else None
    if inst.op == op.OpImageRead:
        number = inst.id(0)
        image = unit.index.definitions[types.get(number) or unit.index.definitions[number].type_id]
        return _ATTACHMENT if image.id(1) == Dim.SubpassData else None
    return _RAY_OPCODES.get(inst.op)
