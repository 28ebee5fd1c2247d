"""Each output kind of the configuration has a file name and a renderer."""

from __future__ import annotations

from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.project.build.job import NAMED_KINDS
from hlsl_tool.project.build.outputs.render import RENDERERS, WGSL_KINDS
from hlsl_tool.project.build.store.direct_mode import _WITH_PLACES
from hlsl_tool.project.config.keys import DEFAULT_OUTPUTS, OUTPUT_KINDS
from hlsl_tool.project.config.output_kinds import CROSS_KINDS, SUFFIXES


def test_the_tables_have_the_same_kinds() -> None:
    assert set(OUTPUT_KINDS) == set(SUFFIXES) == {*RENDERERS, *WGSL_KINDS, *CROSS_KINDS}
    assert set(CROSS) == CROSS_KINDS
    assert len(RENDERERS) + len(WGSL_KINDS) + len(CROSS_KINDS) == len(SUFFIXES)
    assert {*NAMED_KINDS, *_WITH_PLACES, *DEFAULT_OUTPUTS} <= set(OUTPUT_KINDS)


def test_no_two_kinds_write_the_same_file() -> None:
    assert len(set(SUFFIXES.values())) == len(SUFFIXES)
