"""Checks of whole pipelines: a list of modules, or the entries of a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.diagnostics import Diagnostic, Sink, WarningOptions
from hlsl_tool.linking.matching import Problem, match, match_bindings
from hlsl_tool.linking.order import before, earlier
from hlsl_tool.linking.stages import StageInterface, stage_interfaces
from hlsl_tool.reflect.check import check
from hlsl_tool.spirv.decode import decode


class StageError(Exception):
    """The stages that were given make no pipeline."""


def check_stages(
    modules: Iterable[bytes], *, warnings: WarningOptions | None = None, widths_may_differ: bool = False
) -> list[Diagnostic]:
    """Check the modules of one pipeline, in any order; each holds one stage.  Raises ``DecodeError`` for what is no
    module, ``ReflectError`` for one that is damaged, and ``StageError`` for what is no pipeline."""
    decoded = [decode(module) for module in modules]
    for module in decoded:
        check(module)
    stages = [stage for module in decoded for stage in stage_interfaces(module)]
    sink = Sink(warnings or WarningOptions(), error_limit=0)
    for problem in check_pipeline(stages, widths_may_differ=widths_may_differ):
        problem.tell(sink)
    return sink.diagnostics


def check_pipeline(stages: Sequence[StageInterface], *, widths_may_differ: bool = False) -> list[Problem]:
    """Every problem between the stages of one pipeline."""
    by_stage: dict[str, StageInterface] = {}
    for stage in stages:
        if stage.stage in by_stage:
            raise StageError(f"there are two {stage.stage} stages: `{by_stage[stage.stage].entry}` and `{stage.entry}`")
        by_stage[stage.stage] = stage
    found: list[Problem] = []
    linked = 0
    for consumer in by_stage.values():
        nearest = before(consumer.stage, by_stage)
        problems = []
        if nearest:
            problems = match(by_stage[nearest], consumer, widths_may_differ=widths_may_differ)
        stages_before = earlier(consumer.stage, by_stage)
        farther = [[[by_stage[stage]]] for stage in stages_before if stage != nearest]
        found += [*problems, *check_sharing(consumer, farther, problems)]
        linked += bool(stages_before)
    if not linked:
        raise StageError("there are no two stages that follow each other")
    return found


def check_alternatives(
    consumer: StageInterface, alternatives: Sequence[Sequence[StageInterface]], *, widths_may_differ: bool = False
) -> list[Problem]:
    """Problems of a stage that several entries may stand before: one of them must fit, with all its permutations.

    Where none does, the problems are those of the one that comes closest.
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
    consumer: StageInterface, farther: Sequence[Sequence[Sequence[StageInterface]]], told: Sequence[Problem] = ()
) -> list[Problem]:
    """Problems between a stage and those that stand before its producer, the nearest first: all share their sets.

    Each of them may be one of several entries, of which one has to fit, with all its permutations.  What is ``told`` of
    a resource already is not told once more.
    """
    found: list[Problem] = []
    for alternatives in farther:
        results = [[p for stage in variants for p in match_bindings(stage, consumer)] for variants in alternatives]
        known = {p.resource for p in (*told, *found) if p.resource}
        found += [p for p in min(results, key=len, default=[]) if p.resource not in known]
    return found
