"""Write the output `webgpu_pipelines`: the bind group layouts of each pipeline, merged over its stages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.pack.format import Member, PackError

FORMAT = 1
_STAGES = {"vs": 0, "ps": 1}
"""Profiles of the graphics stages of WebGPU → their order."""

Pipelines = tuple[tuple[str, tuple[str, ...]], ...]


def pipelines(project: Project) -> Pipelines:
    """Return (name, stages) of the configured pipelines, and of those that the entry points of each shader form.

    Stages are names of shaders without permutations.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    single: dict[str, tuple[str, ...]] = {}
    for v in project.permutations:
        profile = v.options.profile.partition("_")[0]
        if profile in _STAGES:
            stems = groups.setdefault(v.group, {}).setdefault(profile, [])
            if v.stem not in stems:
                stems.append(v.stem)
        elif profile == "cs":
            single[v.stem] = (v.stem,)
    named = [(pipeline.name, tuple(stem for stem, _ in pipeline.stages)) for pipeline in project.pipelines]
    for name, stages in groups.items():
        in_order = (stages[profile] for profile in sorted(stages, key=_STAGES.__getitem__))
        named += [(name, chosen) for chosen in product(*in_order)]
    return (*named, *single.items())


def pipeline_layouts(pipelines: Pipelines, members: Sequence[Member]) -> str:
    """Return the JSON text of all pipelines whose stages are all among ``members``.

    A pipeline is written once for each combination of permutations whose macros do not contradict each other.
    """
    from hlsl_tool.wgsl.interface.limits import above_defaults
    from hlsl_tool.wgsl.pipelines import LayoutError, bind_groups

    by_stem: dict[str, list[Member]] = {}
    for member in members:
        by_stem.setdefault(member.shader, []).append(member)
    layouts: list[dict[str, Any]] = []
    for name, stems in pipelines:
        if not all(stem in by_stem for stem in stems):
            continue
        for stages in product(*(by_stem[stem] for stem in stems)):
            if not _agree(stages):
                continue
            try:
                contents = [json.loads(stage.blobs["wgsl_bindings"]) for stage in stages]
                groups = bind_groups(contents)
            except LayoutError as error:
                raise PackError(f"pipeline `{name}` of {_named(stages)}: {error}") from None
            shown = [{"shader": s.name, "stage": s.stage, "entryPoint": s.entry_point} for s in stages]
            layout: dict[str, Any] = {"name": name, "stages": shown, "bindGroups": groups}
            size = max(content.get("immediateSize", 0) for content in contents)
            if size:
                layout["immediateSize"] = size
            for key in ("requiredFeatures", "requiredLanguageFeatures"):
                features = {name for content in contents for name in content.get(key, ())}
                if features:
                    layout[key] = sorted(features)
            limits = above_defaults(item for content in contents for item in content.get("requiredLimits", {}).items())
            if limits:
                layout["requiredLimits"] = limits
            layouts.append(layout)
    return json.dumps({"format": FORMAT, "pipelines": layouts}, indent=2) + "\n"


def _agree(stages: Iterable[Member]) -> bool:
    """Return whether any two of the stages have the same value for every macro that varies in both."""
    chosen = [dict(stage.permutation) for stage in stages]
    return all(b.get(name, value) == value for a, b in combinations(chosen, 2) for name, value in a.items())


def _named(stages: Iterable[Member]) -> str:
    return " and ".join(f"`{stage.name}`" for stage in stages)
