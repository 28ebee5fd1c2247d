"""Checks of entry points of work graphs (nodes)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.frontend.sema.checks.entries import dispatch_grid
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute, find_attribute
from hlsl_tool.frontend.sema.model.hir import Param
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Struct, Type

INPUTS: dict[str, tuple[str, ...]] = {
    "broadcasting": ("DispatchNodeInputRecord", "RWDispatchNodeInputRecord"),
    "coalescing": ("GroupNodeInputRecords", "RWGroupNodeInputRecords", "EmptyNodeInput"),
    "thread": ("ThreadNodeInputRecord", "RWThreadNodeInputRecord"),
}
"""Launch type → the input records that it takes."""
_INPUT_NAMES = frozenset(name for names in INPUTS.values() for name in names)
_OUTPUT_ARRAYS = ("NodeOutputArray", "EmptyNodeOutputArray")
_OUTPUT_NAMES = frozenset(("NodeOutput", "EmptyNodeOutput", *_OUTPUT_ARRAYS))
_ONLY_OUTPUTS = ("maxrecordssharedwith", "allowsparsenodes", "nodearraysize", "unboundedsparsenodes")
_ONLY_ARRAYS = ("nodearraysize", "unboundedsparsenodes")
_COALESCING_VALUES = frozenset(("sv_groupindex", "sv_groupthreadid"))


def check(report: Reporter) -> None:
    """Report attributes, parameters and a result that a work graph node, or its launch type, does not allow."""
    f = report.function
    launch = launch_type(report)
    if not launch:
        return
    _check_threads(report, launch)
    _check_grids(report, launch)
    if f.return_type not in (ty.VOID, ty.INVALID):
        report.error(lower_codes.RAY_RESULT, f.pos, stage="node")
    inputs = 0
    for p in f.params:
        inputs += _is_input(p.type)
        _check_parameter(report, p, launch, inputs)
        _check_semantic(report, p, launch)


def launch_type(report: Reporter) -> str:
    """Return the launch type of a work graph node, by default ``broadcasting``; ``""`` if its attribute is invalid."""
    a = find_attribute(report.function.attributes, "nodelaunch")
    written = str(a.args[0]).lower() if a is not None and a.args else "broadcasting"
    return written if written in INPUTS else ""


def _name_of(t: Type) -> str:
    return t.name if isinstance(t, ObjectType) else ""


def _is_input(t: Type) -> bool:
    return _name_of(t) in _INPUT_NAMES


def _check_threads(report: Reporter, launch: str) -> None:
    f = report.function
    threads = find_attribute(f.attributes, "numthreads")
    if launch == "thread":
        if threads is not None and any(x != 1 for x in threads.args):
            report.error(codes.NODE_THREAD_SIZE, threads.pos)
    elif threads is None:
        report.error(codes.NODE_THREADS_MISSING, f.pos, name=f.name, launch=launch)


def _check_grids(report: Reporter, launch: str) -> None:
    f = report.function
    fixed, most = find_attribute(f.attributes, "nodedispatchgrid"), find_attribute(f.attributes, "nodemaxdispatchgrid")
    has_grid = False
    for p in f.params:
        if isinstance(p.type, ObjectType) and p.type.args and p.type.name in (_INPUT_NAMES | _OUTPUT_NAMES):
            if p.type.name in _OUTPUT_NAMES:
                dispatch_grid.check(report, p.type.element, has_grid=False)
            elif launch == "broadcasting":
                has_grid = dispatch_grid.check(report, p.type.element, has_grid=has_grid)
    if launch != "broadcasting":
        for a in (fixed, most):
            if a is not None:
                report.error(codes.NODE_LAUNCH_ATTRIBUTE, a.pos, name=a.name)
        return
    if fixed is None and most is None:
        report.error(codes.NODE_GRID_MISSING, f.pos, name=f.name)
    if fixed is not None and most is not None:
        report.error(codes.NODE_GRIDS, most.pos, name=f.name)
    if most is not None and not has_grid:
        report.error(codes.NODE_GRID_SEMANTIC, f.pos, name=f.name)


def _check_parameter(report: Reporter, p: Param, launch: str, inputs: int) -> None:
    attributes = {a.name: a for a in p.attributes if a.scope is None}
    name = _name_of(p.type)
    records = attributes.get("maxrecords")
    if name in _INPUT_NAMES:
        _check_input(report, p, launch, inputs)
        if records is not None and launch != "coalescing":
            report.error(codes.NODE_MAX_RECORDS_LAUNCH, records.pos)
    elif name not in _OUTPUT_NAMES and records is not None:
        _misplaced(report, records, "output nodes or input record objects")
    if name not in _OUTPUT_NAMES:
        for spelling in _ONLY_OUTPUTS:
            if spelling in attributes:
                _misplaced(report, attributes[spelling], "output nodes")
    elif name not in _OUTPUT_ARRAYS:
        for spelling in _ONLY_ARRAYS:
            if spelling in attributes:
                _misplaced(report, attributes[spelling], "node output arrays (NodeOutputArray or EmptyNodeOutputArray)")
    _check_array(report, p, attributes)
    if records is None:
        _check_shared(report, attributes.get("maxrecordssharedwith"))


def _check_input(report: Reporter, p: Param, launch: str, inputs: int) -> None:
    """Report an input record that the node's launch type does not allow, or that is not the node's only input.

    Also report a record with ``[NodeTrackRWInputSharing]`` in any input but ``RWDispatchNodeInputRecord``.
    """
    name = _name_of(p.type)
    if name not in INPUTS[launch]:
        *most, last = INPUTS[launch]
        wanted = f"{', '.join(most)}{',' if len(most) > 1 else ''} or {last}"
        report.error(codes.NODE_INPUT_KIND, p.pos, type=name, launch=launch, wanted=wanted)
    if inputs > 1:
        report.error(codes.NODE_INPUTS, p.pos, name=report.function.name)
    _check_tracking(report, p, name)


def _misplaced(report: Reporter, a: Attribute, wanted: str) -> None:
    report.error(codes.NODE_OUTPUT_ATTRIBUTE, a.pos, name=a.name, wanted=wanted)


def _check_array(report: Reporter, p: Param, attributes: dict[str, Attribute]) -> None:
    size = attributes.get("nodearraysize")
    if size is not None and "unboundedsparsenodes" in attributes and size.args[:1] not in ((-1,), (0xFFFFFFFF,)):
        report.error(codes.NODE_ARRAY_SIZE, size.pos, count=size.args[0] if size.args else "")
    if isinstance(p.type, Array) and _name_of(ty.innermost(p.type)) in (_INPUT_NAMES | _OUTPUT_NAMES):
        report.error(codes.NODE_PARAMETER_ARRAY, p.pos, type=ty.display(p.type))


def _check_tracking(report: Reporter, p: Param, name: str) -> None:
    record = p.type.element if isinstance(p.type, ObjectType) and p.type.args else None
    if name != "RWDispatchNodeInputRecord" and isinstance(record, Struct) and is_tracked(record):
        report.error(codes.NODE_TRACKING, p.pos)


def is_tracked(record: Struct) -> bool:
    """Return whether the last thread group that uses a record can be detected: ``[NodeTrackRWInputSharing]`` is set."""
    return find_attribute(record.attributes, "nodetrackrwinputsharing") is not None


def _check_shared(report: Reporter, shared: Attribute | None) -> None:
    """Report a ``MaxRecordsSharedWith`` that does not name an output parameter."""
    if shared is None:
        return
    named = [p for p in report.function.params if shared.args[:1] == (p.name,)]
    if not any(_name_of(p.type) in _OUTPUT_NAMES for p in named):
        report.error(codes.NODE_SHARED_UNKNOWN, shared.pos)


def _check_semantic(report: Reporter, p: Param, launch: str) -> None:
    """Report a system value that the launch type does not provide."""
    if p.semantic is None:
        return
    name = p.semantic.name.lower()
    is_wrong = name.startswith("sv_") if launch == "thread" else name not in _COALESCING_VALUES
    if launch != "broadcasting" and is_wrong:
        report.error(codes.NODE_LAUNCH_SEMANTIC, p.pos, name=p.semantic.name, launch=launch.capitalize())
