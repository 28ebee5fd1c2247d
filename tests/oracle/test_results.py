"""Compute shaders compiled by DXC and by this compiler give the same results on Vulkan with the same inputs.

The shaders are those of `tests/execute`, expressions over random numbers, and the samples in ``shaders``. DXC is found
as in `test_samples_interface`. Features that an old DXC does not support are skipped.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pathlib
import random
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.spirv.decode import decode
from tests.execute.tables import Row, Runner, Value, shape, table_shader
from tests.execute.vulkan import Place, Resource, Tables, Vulkan, VulkanError, storage
from tests.oracle.dxc import DXC, MISSING
from tests.oracle.random_inputs import Inputs, Unsupported
from tests.oracle.test_samples_interface import ROOT, arguments, permutations, with_ours
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.nightly,
    pytest.mark.execute,
    pytest.mark.skipif(not DXC, reason=MISSING),
]

MODULES = ("scalars", "intrinsics", "matrices", "layouts", "control_flow", "functions", "aggregates", "buffers",
           "textures", "groups", "lvalues", "rays")  # fmt: skip
TOLERANCE = 1e-5
DIFFERENT = {
    "test_switch_with_an_attribute_evaluates_its_selector_once": "DXC evaluates the selector for each case",
    "test_switch_with_an_attribute_leaves_the_switch_from_inside_an_if": "DXC leaves the loop around the switch",
    "test_64_bit_integers": "an old DXC takes other ways to convert",
    "test_nan_comparisons": "the optimiser may decide comparisons with NaN either way",
    "test_bits": "an old DXC has other results of firstbithigh(-1) and of msad4 beyond 16 bits",
    "test_elements_and_rows": "an old DXC copies overlapping matrix elements one after the other",
    "test_side_effects_happen_once_and_in_order": "an old DXC evaluates both branches of ?:",
    "test_comparing_gathers_with_four_offsets": "DXC takes the same texel of each footprint",
    "test_gathers_with_four_offsets": "DXC takes the same texel of each footprint",
    "test_gathers_with_four_offsets_of_an_array": "DXC takes the same texel of each footprint",
    "test_functions_of_several_numbers": "DXC multiplies in lit",
    "test_64_bit_matrices_in_directx_layout": "DXC places the next member inside the matrix",
    "test_raw_structs_lie_as_in_structured_buffers": "an old DXC takes matrices in raw memory as row-major",
    "test_matrix_order_in_raw_buffers": "an old DXC takes matrices in raw memory as row-major",
    "test_raw_store_of_half_a_word_leaves_the_other": "an old DXC writes the whole word",
    "test_neighbouring_16_bit_stores_do_not_race": "an old DXC writes the whole word",
    "test_bit_fields": "an old DXC does not write bit-fields in buffers",
    "test_local_bit_fields": "an old DXC does not cut what is written to a bit-field",
    "test_raw_16_bit_loads_anywhere_in_a_word": "an old DXC reads the low half of a word whatever the address",
    "test_raw_loads_and_stores_of_types": "an old DXC takes matrices in raw memory as row-major",
}
"""Tests whose results may differ, and why."""

DRIVER = {"compute/wave_scan": "Mesa 22's lavapipe refuses a reduction beside a read of the first lane"}
"""Samples that a driver may refuse, and why."""


def with_dxc(flags: list[str], source: str, target: pathlib.Path) -> bytes:
    """Return the SPIR-V that DXC writes for a file; skip the test if DXC refuses the file."""
    flags = [flag for flag in flags if flag != "-fcgl"]
    command = [*DXC, *flags, source, "-Fo", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        pytest.skip(f"DXC: {(done.stderr.strip() or f'ended with status {done.returncode}').splitlines()[0][-200:]}")
    return target.read_bytes()


Run = Callable[[bytes], dict[Place, bytes]]


def run_theirs(run: Run, spirv: bytes) -> dict[Place, bytes]:
    """Run DXC's module; skip the test if the driver refuses that module."""
    try:
        return run(spirv)
    except VulkanError as error:
        pytest.skip(f"the driver on DXC's module: {error}")


def floats_agree(ours: float, theirs: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs or abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs), 1e-3)


def agree(ours: bytes, theirs: bytes) -> bool:
    """Return whether all words are equal, or are floats of plausible size that are close together."""
    if ours == theirs:
        return True
    for (a,), (b,) in zip(struct.iter_unpack("<I", ours), struct.iter_unpack("<I", theirs), strict=True):
        if a == b:
            continue
        x, y = struct.unpack("<2f", struct.pack("<2I", a, b))
        if not floats_agree(x, y) or max(abs(x), abs(y)) < 1e-30:
            return False
    return True


@dataclass(slots=True)
class Comparing(Runner):
    """A runner that runs both compilers' modules, and requires equal results."""

    folder: pathlib.Path = pathlib.Path()

    def __call__(
        self,
        source: str,
        resources: Mapping[Place, Resource],
        groups: tuple[int, int, int] = (1, 1, 1),
        **options: Any,
    ) -> dict[Place, bytes]:
        options.setdefault("profile", "cs_6_2")
        return self._compare(lambda spirv: self.vulkan.run_compute(spirv, resources, groups), source, options)

    def trace(
        self, source: str, tables: Tables, resources: Mapping[Place, Resource], size: tuple[int, int, int]
    ) -> dict[Place, bytes]:
        options = {"entry": "", "profile": "lib_6_3", "target_env": "vulkan1.2"}
        return self._compare(lambda spirv: self.vulkan.run_tracing(spirv, tables, resources, size), source, options)

    def _compare(self, run: Run, source: str, options: dict[str, Any]) -> dict[Place, bytes]:
        spirv = self.compile(source, **options)
        chosen = replace(self.base, **options)
        path = self.folder / "shader.hlsl"
        path.write_text(source)
        made = with_dxc(arguments(chosen), str(path), self.folder / "dxc.spv")
        theirs = run_theirs(run, made)
        ours = run(spirv)
        for place, data in ours.items():
            assert agree(data, theirs[place]), f"binding {place}: {data.hex(' ', 4)}, DXC: {theirs[place].hex(' ', 4)}"
        return ours


def executed() -> Iterator[Any]:
    """Yield every test of `tests/execute`, with the values of its parameters."""
    for name in MODULES:
        for function_name, function in vars(importlib.import_module(f"tests.execute.test_{name}")).items():
            if function_name.startswith("test_") and "run" in inspect.signature(function).parameters:
                for values in _parameters(function):
                    label = "-".join([function_name, *map(str, values.values())])
                    yield pytest.param(function, values, id=label)


def _parameters(function: Callable[..., None]) -> list[dict[str, Any]]:
    """Return the combinations of arguments that ``pytest.mark.parametrize`` specifies for a test."""
    combinations: list[dict[str, Any]] = [{}]
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, rows = mark.args[:2]
            names = [names] if isinstance(names, str) else list(names)
            made = [dict(zip(names, [row] if len(names) == 1 else row, strict=True)) for row in rows]
            combinations = [{**old, **new} for old in combinations for new in made]
    return combinations


@pytest.mark.parametrize(("function", "values"), list(executed()))
def test_execution_tests(
    function: Callable[..., None], values: dict[str, Any], vulkan: Vulkan, tmp_path: pathlib.Path
) -> None:
    if function.__name__ in DIFFERENT:
        pytest.skip(DIFFERENT[function.__name__])
    function(Comparing(vulkan, "performance", folder=tmp_path), **values)


EXPRESSIONS: list[tuple[str, str]] = [
    ("a * b + c.zxyw", "float4"),
    ("dot(a, b) * length(c)", "float"),
    ("lerp(a, b, saturate(c))", "float4"),
    ("reflect(a.xyz, normalize(b.xyz))", "float3"),
    ("clamp(a, -abs(b), abs(c))", "float4"),
    ("smoothstep(-1, 1, a)", "float4"),
    ("fmod(a * 10, b + 2)", "float4"),
    ("frac(a * 7.5) + floor(b * 3)", "float4"),
    ("cross(a.xyz, b.yzw)", "float3"),
    ("mul(float2x4(a, b), c)", "float2"),
    ("mul(c, float4x3(a, b, c))", "float3"),
    ("mul(float2x3(a.xyz, b.xyz), float3x2(c.xyz, a.xyz))", "float2x2"),
    ("transpose(float3x2(a.xyz, b.xyz))", "float2x3"),
    ("determinant(float3x3(a.xyz, b.xyz, c.xyz))", "float"),
    ("int4(a * 100) % int4(7, -3, 5, 2)", "int4"),
    ("i / (j | 1)", "int4"),
    ("i % (j | 1)", "int4"),
    ("(i << (j & 31)) ^ (i >> (j & 31))", "int4"),
    ("uint4(i) / (uint4(j) | 1u)", "uint4"),
    ("countbits(uint4(i)) + firstbitlow(uint4(j))", "uint4"),
    ("firstbithigh(uint4(i | 1))", "uint4"),
    ("reversebits(uint4(i)) & uint4(j)", "uint4"),
    ("int4(a < b) + int4(b <= c) * 2 + int4(a == a) * 4", "int4"),
    ("asfloat(asint(a) ^ 0x80000000)", "float4"),
    ("f32tof16(a) | f32tof16(b) << 16", "uint4"),
    ("pow(abs(a) + 0.5, b) + exp2(c)", "float4"),
    ("sqrt(abs(a)) + rsqrt(abs(b) + 0.5)", "float4"),
    ("step(a, b) * sign(c)", "float4"),
    ("float4(max(a, b).xy, min(b, c).zw)", "float4"),
    ("any(a > b) ? a.x : dot(b, 1)", "float"),
    ("uint(float(i.x & 0xffff) * 1.5) + j.y", "uint"),
    ("float4(i) * 0.001 + float4(uint4(j) >> 9)", "float4"),
]


@pytest.mark.parametrize("seed", range(4))
def test_random_numbers(seed: int, vulkan: Vulkan, tmp_path: pathlib.Path) -> None:
    numbers = random.Random(seed)
    inputs: dict[str, tuple[str, Value]] = {
        name: ("float4", [struct.unpack("<f", struct.pack("<f", numbers.uniform(-1, 1)))[0] for _ in range(4)])
        for name in "abc"
    }
    for name in "ij":
        inputs[name] = ("int4", [numbers.randrange(-(1 << 31), 1 << 31) for _ in range(4)])
    run = Comparing(vulkan, "performance", folder=tmp_path)
    rows: list[Row] = [(expression, kind, 0) for expression, kind in EXPRESSIONS]
    data = b"".join(shape(text).pack(value) for text, value in inputs.values())
    size = sum(shape(kind).size for _, kind in EXPRESSIONS)
    run(table_shader(rows, inputs), {(0, 0): storage(size), (0, 1): storage(data)})


def compute_variants() -> list[Permutation]:
    return [permutation for permutation in permutations() if permutation.options.profile.startswith("cs")]


@pytest.mark.parametrize("permutation", compute_variants(), ids=lambda permutation: permutation.name)
def test_samples(
    permutation: Permutation, vulkan: Vulkan, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    spirv = with_ours(permutation)
    try:
        resources = Inputs(decode(spirv), 1).resources()
    except Unsupported as error:
        pytest.skip(f"no inputs for {error}")
    theirs = with_dxc(arguments(permutation.options), permutation.source, tmp_path / "dxc.spv")
    name = permutation.options.entry_point_name or permutation.options.entry
    wanted = run_theirs(lambda spirv: vulkan.run_compute(spirv, resources, entry=name), theirs)
    try:
        ours = vulkan.run_compute(spirv, resources, entry=name)
    except VulkanError as error:
        reason = next((why for start, why in DRIVER.items() if permutation.name.startswith(start)), "")
        if not reason:
            raise
        pytest.skip(f"{reason}: {error}")
    for place, data in ours.items():
        assert agree(data, wanted[place]), f"binding {place} differs"
