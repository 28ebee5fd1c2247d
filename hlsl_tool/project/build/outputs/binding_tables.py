"""Merge the binding tables of the shaders of a configuration."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.reflection.linking.binding_table import Binding, merged
from hlsl_tool.reflection.linking.table import GroupTable, Table


def read_table(job: Job, result: JobResult) -> Table:
    """Parse the binding table of one job from the output ``bindings`` of its result, which must contain it."""
    content = json.loads(result.outputs["bindings"])["shaders"][0]
    rows = [Binding(**row) for row in content["bindings"]]
    return Table(job.name, job.source, job.options.entry, job.options.profile, rows)


def group_tables(permutations: Sequence[Permutation], tables: Sequence[Table]) -> list[GroupTable]:
    """Merge the tables of each shader of the configuration that has several entry points or permutations."""
    groups = {permutation.name: permutation.group for permutation in permutations}
    members: dict[str, list[tuple[str, list[Binding]]]] = {}
    for table in tables:
        members.setdefault(groups.get(table.name, table.name), []).append((table.name, table.rows))
    return [GroupTable(name, merged(several)) for name, several in members.items() if len(several) > 1]
