"""The reader of configurations never raises an exception: errors in any text are diagnostics."""

from __future__ import annotations

import pathlib
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.checks import OptionError
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.table import OTHERS, OUTPUTS, TABLE
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.load import load

KEYS = sorted({part for key in (*keys.OPTION_ROWS, *keys.STRUCTURE_ROWS) for part in key.split(".")})
SCALARS = st.one_of(
    st.sampled_from(["true", "on", "0", "-1", "6_0", "1:30", "~", "all", "none", "-O", "ps_6_0", "lib_6_3", "*.hlsl"]),
    st.text(max_size=8).map(lambda text: "'" + text.replace("'", "''").replace("\n", " ") + "'"),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: "[" + ", ".join(items) + "]"),
        st.lists(st.tuples(st.sampled_from(KEYS), inner), max_size=4).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items) + "}"
        ),
    ),
    max_leaves=12,
)


def read(text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "shaders").mkdir()
        (folder / "shaders/a.hlsl").touch()
        (folder / "x.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        sink = Sink(error_limit=0)
        project = load(name, ["x.yaml"], sink)
        assert project.permutations or sink.error_count


@settings(max_examples=150)
@given(TREES)
def test_trees(tree: str) -> None:
    read(f"shaders:\n  - {{source: a.hlsl, profile: ps_6_0, defines: {{A: [0, 1]}}}}\n  - {tree}\nx: 1\n")
    read(f"shaders: [{{source: a.hlsl, profile: ps_6_0, bindings: {tree}, defines: {tree}, exclude: {tree}}}]\n")


@settings(max_examples=100)
@given(st.text(alphabet="shader:-[]{}&*!|>'\"%@`#,\n\t x1_", max_size=60))
def test_text(text: str) -> None:
    read(text)


FLAGS = sorted({flag.name for row in (*TABLE, *OUTPUTS) for flag in row.flags} | {other.flag.name for other in OTHERS})


@settings(max_examples=300)
@given(st.lists(st.one_of(st.sampled_from(FLAGS), st.text(max_size=6), st.sampled_from(["0", "1", "all", "ps_6_2"]))))
def test_command_lines(words: list[str]) -> None:
    try:
        parse(["-T", "ps_6_2", "x.hlsl", *words])
    except OptionError as problem:
        assert str(problem)
