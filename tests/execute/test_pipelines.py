"""The device creates a pipeline of every sample shader, and has every feature that the samples need.

Drivers accept some capabilities that they do not have, so their features are compared with Vulkan's tables, too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.reflection.reflection import EntryPoint, Reflection
from tests.execute.cpu import Cpu
from tests.execute.vulkan import Vulkan

ROOT = Path(__file__).resolve().parents[2]
MEMORY = Memory()
STAGES = ("vs", "hs", "ds", "gs", "as", "ms", "ps")
VERTEX = "float4 main(uint id : SV_VertexID) : SV_Position { return float4(id & 1, id >> 1, 0, 1); }"
RAYS = {"MissKHR": "miss", "RayGenerationKHR": "raygen", "CallableKHR": "callable"}
HITS = {"ClosestHitKHR": "closest", "AnyHitKHR": "any", "IntersectionKHR": "intersection"}
IN_RENDER_PASSES = ("shaders/deferred/subpass.hlsl",)
"""Samples with input attachments, which dynamic rendering does not have."""


@functools.cache
def permutations() -> dict[str, list[Permutation]]:
    """Return the permutations of all samples, by source."""
    by_source: dict[str, list[Permutation]] = {}
    for permutation in load(str(ROOT), ["config/shaders"], Sink()).permutations:
        by_source.setdefault(permutation.source, []).append(permutation)
    return by_source


def compiled(permutation: Permutation) -> CompileResult:
    path = ROOT / permutation.source
    source = SourceFile.from_bytes(permutation.source, str(path), path.read_bytes())
    options = replace(permutation.options, validate="no")
    fs = CachedFileSystem(OSFileSystem(str(ROOT)))
    return compile_shader(source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=MEMORY)


def pipelines(source: str) -> Iterator[dict[str, CompileResult]]:
    """Yield pipelines (stage → compiled shader) that together contain every permutation of a source.

    If the stages have different numbers of permutations, the last one of the stage with fewer is repeated.
    """
    by_stage: dict[str, list[CompileResult]] = {}
    for permutation in permutations()[source]:
        by_stage.setdefault(permutation.options.profile.partition("_")[0], []).append(compiled(permutation))
    for stage in ("cs", "lib"):
        yield from ({stage: result} for result in by_stage.pop(stage, ()))
    if not by_stage:
        return
    if not {"vs", "ms"}.intersection(by_stage):
        by_stage["vs"] = [compile_shader(VERTEX, entry="main", profile="vs_6_0")]
    stages = [stage for stage in STAGES if stage in by_stage]
    for k in range(max(map(len, by_stage.values()))):
        yield {stage: by_stage[stage][min(k, len(by_stage[stage]) - 1)] for stage in stages}


def tables(entries: list[EntryPoint]) -> dict[str, list[object]]:
    """Return a shader binding table with all entry points of a library."""
    rows: dict[str, list[object]] = {kind: [] for kind in ("raygen", "miss", "hit", "callable")}
    for entry in entries:
        if entry.model in RAYS:
            rows[RAYS[entry.model]].append(entry.name)
        elif entry.model == "IntersectionKHR":
            rows["hit"].append({"intersection": entry.name})
        else:
            rows["hit"].append({HITS[entry.model]: entry.name})
    return rows


def create(vulkan: Vulkan, stages: dict[str, CompileResult]) -> None:
    """Create one pipeline; raise an exception with the reason if the driver refuses."""
    reflections = {stage: result.reflect() for stage, result in stages.items()}
    everything = [resource for reflection in reflections.values() for resource in reflection.resources]
    bindings = {(r.set, r.binding): (r.kind, r.count) for r in everything if r.set is not None}
    pushes = [block for reflection in reflections.values() for block in reflection.push_constants]
    first = next(iter(reflections.values())).entry_points
    last = list(reflections.values())[-1].entry_points[0]
    vulkan.create(
        {stage: (result.spirv, _entry(reflections[stage])) for stage, result in stages.items()},
        {
            "bindings": bindings,
            "push": bytes(max((block.type.size or 0 for block in pushes if block.kind == "push_constant"), default=0)),
            "topology": "patches" if "hs" in stages else "points" if "gs" in stages else "triangles",
            "patch": _patch(reflections),
            "targets": 1 + max((v.location or 0 for v in last.outputs if v.location is not None), default=-1),
            "inputs": [(v.location, "rgba32f") for v in first[0].inputs if v.location is not None]
            if "vs" in stages
            else [],
            "tables": tables(first) if "lib" in stages else {},
        },
    )


def _entry(reflection: Reflection) -> str:
    return reflection.entry_points[0].name


def _patch(reflections: dict[str, Reflection]) -> int:
    modes = reflections["hs"].entry_points[0].execution_modes if "hs" in reflections else []
    return next((int(mode.operands[0]) for mode in modes if mode.name == "OutputVertices"), 1)


@pytest.mark.parametrize("source", [source for source in permutations() if source not in IN_RENDER_PASSES])
def test_the_driver_accepts(vulkan: Vulkan, source: str) -> None:
    """The driver accepts every permutation, in a pipeline with the other stages of its file."""
    if isinstance(vulkan, Cpu):
        pytest.skip("the interpreter has no driver")
    for stages in pipelines(source):
        assert all(result.ok for result in stages.values())
        for result in stages.values():
            assert missing(result.reflect(), vulkan.features) == []
        create(vulkan, stages)


def missing(reflection: Reflection, present: frozenset[str]) -> list[str]:
    """Return a module's capabilities for which the device has none of the features that allow them."""
    assert reflection.requirements is not None
    return [
        feature.name
        for feature in reflection.requirements.features
        if not any(_has(present, alternative) for alternative in feature.needs_one_of)
    ]


def _has(present: frozenset[str], alternative: str) -> bool:
    name = alternative.rpartition("::")[2]
    if name.startswith("VK_"):
        return True  # a version or an extension, without a feature
    name, _, value = name.partition("=")
    if name == "subgroupSupportedOperations":
        words = value.removeprefix("VK_SUBGROUP_FEATURE_").removesuffix("_BIT").split("_")
        return f"subgroup{''.join(word.capitalize() for word in words)}" in present
    return bool(value) or name in present
