"""Every intrinsic function has a row in a table, which is executed or gives a reason why not."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.frontend.sema.rules.intrinsics import matching
from tests.execute.intrinsics import elementwise, numbers, threads
from tests.execute.intrinsics.others import ELSEWHERE
from tests.execute.intrinsics.refused import REFUSED
from tests.execute.intrinsics.rows import THREADS, Elsewhere, Refused, Row
from tests.execute.intrinsics.shader import Batch, batches
from tests.execute.tables import Runner

ROWS: list[Row] = [*elementwise.ROWS, *numbers.ROWS, *threads.ROWS]
BATCHES = dict(batches(ROWS))
Member = tuple[Row, str]
"""A row, and one of its elements"""

TRIANGLE = (
    "float4 main(uint id : SV_VertexID) : SV_Position { return float4((id & 1) * 4.0 - 1, (id >> 1) * 4.0 - 1, 0, 1); }"
)

each_optimisation = pytest.mark.parametrize("run", ["performance", "none"], indirect=True)


@each_optimisation
@pytest.mark.parametrize("title", BATCHES)
def test_rows(run: Runner, title: str) -> None:
    members = BATCHES[title]
    row, element = members[0]
    run.needs(*row.features(element))
    wrong, doubtful = execute(run, members)
    for member in doubtful:
        wrong += execute(run, [member])[0]
    assert not wrong, "\n".join(wrong)


def execute(run: Runner, members: list[Member]) -> tuple[list[str], list[Member]]:
    """Run rows in one shader; return (descriptions of wrong results, single-shape rows to run separately)."""
    first = members[0][0]
    batch = Batch(first.stage)
    for row, element in members:
        batch.add(row, element)
    small = any("16_t" in name for name in (*(element for element, _ in batch.loaded), *batch.elements))
    options = {"enable_16bit_types": small, "target_env": "vulkan1.3", **dict(first.options)}
    source, resources = batch.source(), batch.resources()
    if first.stage.startswith("ps"):
        stages = {
            "vs": run.compile(TRIANGLE, profile="vs_6_6"),
            "ps": run.compile(source, profile=f"ps_{first.profile}", **options),
        }
        out = run.vulkan.run_graphics(stages, resources, (8, 8), 3)
    else:
        groups = (THREADS // 4, 1, 1) if first.stage.startswith("cs:") else (1, 1, 1)
        out = run(source, resources, groups, profile=f"cs_{first.profile}", **options)
    return list(batch.differences(out)), list(batch.doubtful(out))


# ------------------------------------------------------------------------------------------------------- completeness

TESTS = Path(__file__).resolve().parents[2]


def test_every_intrinsic_has_a_row() -> None:
    listed = [name for entry in (*ELSEWHERE, *REFUSED) for name in entry.names]
    assert len(listed) == len(set(listed))
    executed = {row.name for row in ROWS}
    assert executed.isdisjoint(listed)
    assert executed | set(listed) == set(matching.names())


@cache
def _definitions(path: Path) -> dict[str, tuple[str, set[str]]]:
    """Return the definitions in a file of tests as name → (source, names that it uses)."""
    text = path.read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        names = [node.name] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        source = "\n".join(ast.get_source_segment(text, part) or "" for part in (node, *decorators))
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        found.update(dict.fromkeys(names, (source, used)))
    return found


def source_of(path: Path, test: str) -> str:
    """Return the source of a test, with the functions and variables of its file that it uses."""
    definitions = _definitions(path)
    assert test in definitions, f"{path} has no {test}"
    reached, todo = set(), [test]
    while todo:
        name = todo.pop()
        if name in definitions and name not in reached:
            reached.add(name)
            todo += definitions[name][1]
    return "\n".join(definitions[name][0] for name in reached)


@pytest.mark.parametrize("entry", ELSEWHERE, ids=lambda entry: entry.names[0])
def test_other_tests_name_the_intrinsic(entry: Elsewhere) -> None:
    path = TESTS / entry.file
    text = source_of(path, entry.test) if entry.test else path.read_text(encoding="utf-8")
    if entry.through:
        assert entry.through.partition("/")[2] in path.read_text(encoding="utf-8")
        text = (TESTS.parent / "hlsl_tool" / "frontend" / entry.through).read_text(encoding="utf-8")
    assert not [name for name in entry.names if not re.search(rf"(?<![\w:]){re.escape(name)}(?!\w)", text)]


@pytest.mark.parametrize(
    ("name", "entry"), [(name, entry) for entry in REFUSED for name in entry.names], ids=lambda value: str(value)[:40]
)
def test_refusals(name: str, entry: Refused) -> None:
    head = "groupshared float cell;\n[numthreads(1, 1, 1)]\n" if entry.stage.startswith("cs") else ""
    source = f"{head}void main() {{ {entry.statement.replace('NAME', name)} }}"
    result = compile_shader(source, profile=entry.stage, options=CompileOptions(target_env="vulkan1.3"))
    assert [d.code.id for d in result.diagnostics if d.severity == "error"] == [entry.code]
