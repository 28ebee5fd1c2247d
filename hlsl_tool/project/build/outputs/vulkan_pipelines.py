"""Write `vulkan_pipelines` and `vulkan_pipelines_cpp`: the values for Vulkan's create infos of each pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from hlsl_tool.project.build.outputs.pipelines import Pipelines
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.pack.format import Member, PackError

if TYPE_CHECKING:
    from hlsl_tool.reflection.pipeline import PipelineTables
    from hlsl_tool.reflection.reflection import Reflection

_CHAINS = (("vs", "hs", "ds", "gs", "ps"), ("as", "ms", "ps"))
"""Profiles of the stages of a graphics pipeline, in their order; the first or the second stage must be there."""
_HEADS = ("vs", "ms")


def vulkan_pipelines(project: Project) -> Pipelines:
    """Return (name, stages without permutations) of all pipelines of a project.

    These are the configured pipelines, the graphics pipelines that the entry points of a shader form, and a pipeline of
    one stage for every other entry point.
    """
    named = {pipeline.name: tuple(stem for stem, _ in pipeline.stages) for pipeline in project.pipelines}
    groups: dict[str, dict[str, list[str]]] = {}
    single: dict[str, None] = {}
    for permutation in project.permutations:
        profile = permutation.options.profile.partition("_")[0]
        if permutation.linked and permutation.group and any(profile in chain for chain in _CHAINS):
            stems = groups.setdefault(permutation.group, {}).setdefault(profile, [])
            if permutation.stem not in stems:
                stems.append(permutation.stem)
        else:
            single[permutation.stem] = None
    stages = set(named.values())
    for group, by_profile in groups.items():
        chains = list(_chains(by_profile))
        for chosen in chains:
            if chosen not in stages:
                stages.add(chosen)
                name = group if len(chains) == 1 else "+".join(chosen)
                named.setdefault(name if name not in named else "+".join(chosen), chosen)
        together = {stem for chosen in chains for stem in chosen}
        single.update((stem, None) for stems in by_profile.values() for stem in stems if stem not in together)
    in_pipelines = {stem for chosen in named.values() for stem in chosen}
    alone = ((stem, (stem,)) for stem in single if stem not in in_pipelines)
    return (*named.items(), *alone)


def _chains(by_profile: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the graphics pipelines that the entry points of a shader can form, as tuples of entry points.

    Each pipeline has one entry point of every graphics stage that the shader has.
    ``by_profile`` maps a profile such as `ps` to the names of the entry points.
    """
    for chain, head in zip(_CHAINS, _HEADS, strict=True):
        if head in by_profile:
            yield from (
                stems
                for stems in product(*(by_profile[profile] for profile in chain if profile in by_profile))
                if len(stems) > 1
            )


def pipeline_tables(pipelines: Pipelines, members: Sequence[Member], *, namespace: str | None) -> str:
    """Return the text of all pipelines that have stages among ``members``.

    A pipeline is written once for each combination of permutations whose macros do not contradict each other.  The text
    is C++ in ``namespace``, or JSON if that is `None`.  Raises `PackError`.
    """
    from hlsl_tool.reflection.check import ReflectError
    from hlsl_tool.reflection.load_json import from_json
    from hlsl_tool.reflection.pipeline import project_cpp, project_json

    try:
        reflections = {member.name: from_json(member.blobs["reflection"]) for member in members}
    except ReflectError as error:
        raise PackError(str(error)) from None
    by_stem: dict[str, list[Member]] = {}
    for member in members:
        by_stem.setdefault(member.shader, []).append(member)
    tables: list[tuple[str, PipelineTables]] = []
    for name, stems in pipelines:
        missing = [stem for stem in stems if stem not in by_stem]
        if len(missing) == len(stems):
            continue
        if missing:
            raise PackError(
                f"pipeline `{name}`: `{missing[0]}` does not list this output, or writes it to another file"
            )
        for stages in product(*(by_stem[stem] for stem in stems)):
            if _agree(stages):
                tables += _tables(_name(name, stages), stages, reflections)
    if namespace is None:
        return project_json(tables)
    return project_cpp(tables, namespace=namespace)


def _tables(
    name: str, stages: Sequence[Member], reflections: Mapping[str, Reflection]
) -> Iterator[tuple[str, PipelineTables]]:
    """Yield (name, values for Vulkan's create infos) of the pipelines that these stages form.

    Usually they form one pipeline; a single library forms several if its entry points cannot be combined.
    """
    from hlsl_tool.reflection.pipeline import PipelineError, pipeline_of, pipelines_of_module

    modules, names = [reflections[stage.name] for stage in stages], [stage.name for stage in stages]
    groups = pipelines_of_module(modules[0]) if len(stages) == 1 else [()]
    for entries in groups:
        try:
            tables = pipeline_of(modules, names, entries)
        except PipelineError as error:
            raise PackError(f"pipeline `{name}` of {_listed(stages)}: {error}") from None
        yield (name if len(groups) == 1 else f"{name}.{'+'.join(entries)}"), tables


def _name(name: str, stages: Sequence[Member]) -> str:
    """Append the macros of the stages' permutations to a pipeline's name: `lit.FOG=1`."""
    chosen = {macro: value for stage in stages for macro, value in stage.permutation}
    return "".join([name, *(f".{macro}={value}" for macro, value in chosen.items())])


def _agree(stages: Sequence[Member]) -> bool:
    """Return whether any two of the stages have the same value for every macro that varies in both."""
    chosen = [dict(stage.permutation) for stage in stages]
    return all(b.get(name, value) == value for a, b in combinations(chosen, 2) for name, value in a.items())


def _listed(stages: Sequence[Member]) -> str:
    return " and ".join(f"`{stage.name}`" for stage in stages)
