"""Checks of whole pipelines: a list of modules, or the entry points that a configuration combines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.base.diagnostics import Diagnostic, Sink, WarningOptions
from hlsl_tool.reflection.check import check
from hlsl_tool.reflection.linking.matching import Problem, match, match_bindings
from hlsl_tool.reflection.linking.order import before, earlier
from hlsl_tool.reflection.linking.stage_interfaces import StageInterface, stage_interfaces
from hlsl_tool.spirv.decode import decode


class StageError(Exception):
    """Raised for stages that do not form a pipeline."""


def check_stages(
    modules: Iterable[bytes], *, warnings: WarningOptions | None = None, widths_may_differ: bool = False
) -> list[Diagnostic]:
    """Check the modules of one pipeline, each with a single stage, in any order; return the diagnostics.

    Raises ``DecodeError`` for bytes that are not a module, ``ReflectError`` for a damaged module, and ``StageError``
    for stages that do not form a pipeline.
    """
    decoded = [decode(module) for module in modules]
    for module in decoded:
        check(module)
    stages = [stage for module in decoded for stage in stage_interfaces(module)]
    sink = Sink(warnings or WarningOptions(), error_limit=0)
    for problem in check_pipeline(stages, widths_may_differ=widths_may_differ):
        problem.report(sink)
    return sink.diagnostics


def check_pipeline(stages: Sequence[StageInterface], *, widths_may_differ: bool = False) -> list[Problem]:
    """Return all problems between the stages of one pipeline; raise ``StageError`` if they do not form one."""
    by_stage: dict[str, StageInterface] = {}
    for stage in stages:
        if stage.stage in by_stage:
            raise StageError(f"there are two {stage.stage} stages: `{by_stage[stage.stage].entry}` and `{stage.entry}`")
        by_stage[stage.stage] = stage
    problems_of_all: list[Problem] = []
    linked = 0
    for consumer in by_stage.values():
        nearest = before(consumer.stage, by_stage)
        problems = []
        if nearest:
            problems = match(by_stage[nearest], consumer, widths_may_differ=widths_may_differ)
        stages_before = earlier(consumer.stage, by_stage)
        farther = [[[by_stage[stage]]] for stage in stages_before if stage != nearest]
        problems_of_all += [*problems, *check_sharing(consumer, farther, problems)]
        linked += bool(stages_before)
    if not linked:
        raise StageError("there are no two stages that follow each other")
    return problems_of_all


def check_alternatives(
    consumer: StageInterface, alternatives: Sequence[Sequence[StageInterface]], *, widths_may_differ: bool = False
) -> list[Problem]:
    """Return the mismatches between the stage ``consumer`` and the stage before it.

    The stage before it may be any of several entry points: ``alternatives`` lists the permutations of each. An entry
    point fits if none of its permutations has a mismatch that makes the pipeline invalid. If any fits, only the
    mismatches of the fitting entry points are returned; else those of the one with the fewest such mismatches.
    """
    results: list[list[Problem]] = []
    for variants in alternatives:
        results.append(
            [p for producer in variants for p in match(producer, consumer, widths_may_differ=widths_may_differ)]
        )
    if not results:
        return []
    fitting = [problems for problems in results if not any(p.grave for p in problems)]
    if fitting:
        return [p for problems in fitting for p in problems]
    return min(results, key=lambda problems: sum(p.grave for p in problems))


def check_sharing(
    consumer: StageInterface, farther: Sequence[Sequence[Sequence[StageInterface]]], reported: Sequence[Problem] = ()
) -> list[Problem]:
    """Return the mismatches between the bindings of the stage ``consumer`` and those of farther earlier stages.

    ``farther`` lists the stages before the direct predecessor, the nearest first. Each is a list of alternative entry
    points, and each of these a list of permutations. Only the mismatches of the alternative with the fewest are
    returned. Resources in ``reported`` are omitted.
    """
    problems: list[Problem] = []
    for alternatives in farther:
        results = [[p for stage in variants for p in match_bindings(stage, consumer)] for variants in alternatives]
        reported_resources = {p.resource for p in (*reported, *problems) if p.resource}
        problems += [p for p in min(results, key=len, default=[]) if p.resource not in reported_resources]
    return problems
