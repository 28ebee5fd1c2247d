"""The tessellation stages: control points and levels of patches, and the points of their domains."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass

from ..errors import ExecutionError
from ..program.program import Program, Variable
from ..runtime.cells import CellPointer, set_cells
from ..runtime.values import Array, map_leaves
from .interface import Values, collect, outputs, shared_outputs, variables, vertex_array, vertices_of_groups
from .launch import Stage, narrowed, prepare_lanes, run_lanes
from .primitives import Primitives
from .subdivision import Domain, isolines, quads, triangles

_SPACINGS = (ExecutionMode.SpacingEqual, ExecutionMode.SpacingFractionalEven, ExecutionMode.SpacingFractionalOdd)
_OF_PATCH = (BuiltIn.TessLevelOuter, BuiltIn.TessLevelInner)


@dataclass(slots=True)
class Patches:
    """The results of the control stage."""

    points: Values
    """The values of the control points, those of the first patch, then of the next."""
    own: Values
    """The values of the patches."""
    count: int
    length: int
    """The number of control points of a patch."""


def patch_length(program: Program) -> int:
    """Return the number of vertices that the control stage reads for a patch; 0 if it reads none."""
    arrays = (v for v in variables(program, StorageClass.Input) if _is_of_vertices(v))
    return next((variable.type.length or 0 for variable in arrays), 0)


def tessellated(control: Program, stage: Stage, patches: Patches) -> Primitives:
    """Run the evaluation stage for the domains of patches, and return the primitives."""
    modes = control.modes | stage.program.modes
    domains = [_domain(modes, patches.own, number) for number in range(patches.count)]
    if ExecutionMode.PointMode in modes:
        domains = [Domain(domain.points, [(k, k, k) for k in range(len(domain.points))], 1) for domain in domains]
    return _evaluated(stage, domains, patches)


def _arrays(program: Program, registers: Any, vertices: Values, firsts: Array, most: int) -> None:
    """Set the inputs that are arrays over the vertices of a patch, whose first vertices are ``firsts``."""
    for variable in variables(program, StorageClass.Input):
        pointer = registers[variable.id]
        if _is_of_vertices(variable) and isinstance(pointer, CellPointer):
            corners = [firsts + min(number, most - 1) for number in range(variable.type.length or 0)]
            set_cells(pointer.node, vertex_array(program, variable, vertices, corners))


def _is_of_vertices(variable: Variable) -> bool:
    if variable.built_in in _OF_PATCH or Decoration.Patch in variable.decorations:
        return False
    return variable.type.kind == "array"


def controlled(stage: Stage, vertices: Values, starts: Array, patch: int, instances: int) -> Patches:
    """Run the control stage for patches of ``patch`` vertices each, whose first vertices are ``starts``."""
    program, total = stage.program, len(starts)
    if not total:
        raise ExecutionError(f"a patch has {patch} vertices, and the draw has fewer")
    length = (program.modes.get(ExecutionMode.OutputVertices) or [1])[0]
    count = total * length
    numbers = np.arange(count)
    built_ins: dict[int, Any] = {
        BuiltIn.InvocationId: (numbers % length).astype(np.uint32),
        BuiltIn.PrimitiveId: (numbers // length % (total // instances)).astype(np.uint32),
        BuiltIn.PatchVertices: np.array([patch], np.uint32),
    }
    given = Values({}, built_ins)
    places = {"points": (numbers % length, numbers // length)}
    state, registers, lanes = prepare_lanes(stage, count, given, groups=total, places=places)
    firsts = starts[np.minimum(np.arange(lanes) // length, total - 1)]
    _arrays(program, registers, vertices, firsts, patch)
    run_lanes(stage, state, registers)
    points, own = Values(), Values()
    for variable, value in shared_outputs(program, registers, state):
        if _is_of_vertices(variable):
            assert variable.type.element is not None
            collect(program, variable, variable.type.element, map_leaves(vertices_of_groups, value), points)
        else:
            collect(program, variable, variable.type, value, own)
    return Patches(points, own, total, length)


def _domain(modes: dict[int, Any], own: Values, number: int) -> Domain:
    """Subdivide the domain of a patch; a level that is not positive gives no primitives."""
    spacing = next((mode for mode in _SPACINGS if mode in modes), ExecutionMode.SpacingEqual)
    outer = _level(own, BuiltIn.TessLevelOuter, number, 4)
    inner = _level(own, BuiltIn.TessLevelInner, number, 2)
    used = 2 if ExecutionMode.Isolines in modes else 3 if ExecutionMode.Triangles in modes else 4
    if not bool((outer[:used] > 0).all()):
        return Domain(size=2 if used == 2 else 3)
    if used == 2:
        return isolines(outer, spacing)
    domain = triangles(outer, float(inner[0]), spacing) if used == 3 else quads(outer, inner, spacing)
    return _oriented(domain, clockwise=ExecutionMode.VertexOrderCw in modes)


def _level(own: Values, built_in: int, number: int, count: int) -> Array:
    levels = own.built_ins.get(built_in)
    if levels is None:
        return np.ones(count, np.float32)
    column = levels[..., min(number, levels.shape[-1] - 1)]
    return np.concatenate([column, np.ones(count - column.shape[0], column.dtype)])


def _oriented(domain: Domain, *, clockwise: bool) -> Domain:
    """Order the corners of triangles as the shader asks for, where v points down as in Vulkan."""
    points = np.array(domain.points)
    for number, (a, b, c) in enumerate(domain.primitives):
        (ux, uy), (vx, vy) = (points[b] - points[a])[:2], (points[c] - points[a])[:2]
        if (ux * vy - uy * vx > 0) != clockwise:
            domain.primitives[number] = (a, c, b)
    return domain


def _evaluated(stage: Stage, domains: list[Domain], given: Patches) -> Primitives:
    """Run the evaluation stage for the points of all domains."""
    program, own, length = stage.program, given.own, given.length
    counts = [len(domain.points) for domain in domains]
    total = sum(counts)
    size = domains[0].size if domains else 3
    nothing = Values({}, {BuiltIn.Position: np.zeros((4, 1), np.float32)})
    if not total:
        none = np.zeros(0, np.int64)
        return Primitives(size, np.zeros((0, 3), np.int64), nothing, none, none)
    patches = np.repeat(np.arange(len(domains)), counts)
    slots = {slot: _by_patch(value, patches) for slot, value in own.slots.items()}
    built_ins: dict[int, Any] = {number: _by_patch(value, patches) for number, value in own.built_ins.items()}
    coordinates = np.array([point for domain in domains for point in domain.points], np.float32).T
    built_ins |= {
        BuiltIn.TessCoord: coordinates,
        BuiltIn.PrimitiveId: patches.astype(np.uint32),
        BuiltIn.PatchVertices: np.array([length], np.uint32),
    }
    firsts = np.repeat(np.cumsum([0, *counts[:-1]]), counts)
    places = {"vertices": (np.arange(total) - firsts, patches)}
    state, registers, lanes = prepare_lanes(stage, total, Values(slots, built_ins), places=places)
    padded = np.concatenate([patches, np.repeat(patches[-1:], lanes - total)])
    _arrays(program, registers, given.points, padded * length, length)
    run_lanes(stage, state, registers)
    starts = np.cumsum([0, *counts[:-1]])
    rows = [np.array(d.primitives, np.int64).reshape(-1, 3) + start for d, start in zip(domains, starts, strict=True)]
    corners = np.concatenate(rows)
    numbers = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    vertices = narrowed(outputs(program, registers), total)
    if BuiltIn.Position not in vertices.built_ins:
        raise ExecutionError("the last stage before the rasteriser writes no position")
    return Primitives(size, corners, vertices, corners[:, 0].copy(), numbers)


def _by_patch(value: Any, patches: Array) -> Any:
    return value if value.shape[-1] == 1 else value[..., patches]
