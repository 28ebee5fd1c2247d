"""Run a vertex shader alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hlsl_tool.spirv.enums import BuiltIn

from ..program.program import Program
from ..program.resources import Resources
from ..runtime.values import Array
from .compute import Settings
from .interface import Values, outputs
from .launch import narrowed, prepare_lanes, run_lanes


def run_vertices(
    program: Program,
    count: int,
    attributes: Mapping[int, Array],
    resources: Resources,
    settings: Settings | None = None,
) -> Values:
    """Run a vertex shader for some vertices of one instance, and return its outputs.

    ``attributes`` maps locations to arrays whose last axis are the vertices; other inputs are 0.
    """
    numbers, zero = np.arange(count, dtype=np.uint32), np.zeros(count, np.uint32)
    built_ins = {
        BuiltIn.VertexIndex: numbers,
        BuiltIn.VertexId: numbers,
        BuiltIn.InstanceIndex: zero,
        BuiltIn.InstanceId: zero,
    }
    slots = {(location, 0): array for location, array in attributes.items()}
    with np.errstate(all="ignore"), resources.space.temporary():
        state, registers, _ = prepare_lanes(program, count, Values(slots, built_ins), resources, settings or Settings())
        run_lanes(program, state, registers)
    return narrowed(outputs(program, registers), count)
