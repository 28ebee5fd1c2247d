"""Run shaders on WebGPU: compile HLSL and convert the SPIR-V to WGSL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from hlsl_tool.gpu import naga
from hlsl_tool.wgsl import WgslError, convert, convert_module
from tests.execute.tables import Inputs, Row, Runner
from tests.execute.vulkan import Place, Resource, Tables, Unavailable, Vulkan, WebGpu, storage
from tests.wgsl_limits import Limit


def for_naga(text: str) -> str:
    """Return the WGSL adapted to naga; raise `Unavailable` for features that naga lacks."""
    missing = naga.lacks(text)
    if missing:
        raise Unavailable(f"naga has no {missing}")
    return naga.for_naga(text)


def _without_format(resource: Resource) -> Resource:
    """Return a texel buffer as the storage buffer that replaces it in WGSL."""
    return storage(resource.data) if resource.kind in ("texels", "rw_texels") else resource


def same_results(
    spirv: bytes,
    given: Mapping[Place, Resource],
    vulkan: Vulkan,
    webgpu: WebGpu,
    options: Mapping[str, object] | None = None,
) -> dict[Place, bytes]:
    """Run a compute shader on Vulkan and on WebGPU, and return the results, which must be equal.

    Bindings on WebGPU are those of the converter's binding map.
    """
    found = convert_module(spirv, {"immediates": "uniform", **(options or {})})
    places: dict[Place, Place] = {}
    for binding in found.bindings:
        assert binding.source is not None
        source_place = [binding.source[key] for key in ("set", "binding", "element") if key in binding.source]
        here, there = (binding.group, binding.binding), tuple(source_place)
        elements = range(binding.count) if binding.count_member else ()
        places.update({(*here, element): (*there, element) for element in elements} if elements else {here: there})
    resources = {here: _without_format(given[there]) for here, there in places.items() if there in given}
    got = webgpu.run_wgsl(for_naga(found.text), resources)
    wanted = vulkan.run_compute(spirv, given)
    assert wanted == {places[here]: data for here, data in got.items() if places[here] in wanted}
    return wanted


@dataclass(slots=True)
class WgslRunner(Runner):
    """Converts compiled shaders to WGSL and runs them on WebGPU; a list of limits names what WGSL lacks."""

    webgpu: WebGpu | None = None
    limit: Limit | None = None

    def __call__(
        self,
        source: str,
        resources: Mapping[Place, Resource],
        groups: tuple[int, int, int] = (1, 1, 1),
        **options: object,
    ) -> dict[Place, bytes]:
        spirv = self.compile(source, **options)  # type: ignore[arg-type]
        assert self.webgpu is not None
        assert self.limit is not None
        try:
            text = convert(spirv, {"immediates": "uniform"})
        except WgslError as error:
            self.limit.reach(error)
        self.limit.is_converted = True
        try:
            return self.webgpu.run_wgsl(for_naga(text), resources, groups)
        except Unavailable as error:
            pytest.skip(f"not on this WebGPU: {error}")

    def table(
        self,
        rows: Sequence[Row],
        inputs: Inputs,
        *,
        declarations: str = "",
        prologue: str = "",
        tolerance: float = 1e-5,
        resources: Mapping[Place, Resource] | None = None,
        **options: object,
    ) -> None:
        """Compute every expression with a tolerance of at least 3e-4.

        An expression of 16-bit floats may be computed with 32 bits in WGSL, without rounding in between.
        """
        Runner.table(
            self,
            rows,
            inputs,
            declarations=declarations,
            prologue=prologue,
            tolerance=max(tolerance, 3e-4),
            resources=resources,
            **options,
        )

    def trace(
        self, source: str, tables: Tables, resources: Mapping[Place, Resource], size: tuple[int, int, int]
    ) -> dict[Place, bytes]:
        self.no_wgsl("ray tracing")

    def no_wgsl(self, reason: str) -> None:
        assert self.limit is not None
        self.limit.reach(reason)
