"""Some of the edits of `edits.py`: builds with a store equal clean ones, and compile only affected shaders.

`HLSL_TOOL_EDITS` is the number of edits of each project, `HLSL_TOOL_EDITS_SEED` the seed.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable

import pytest

from tests.properties.edits import Edits, generated_tree, sample_tree
from tests.properties.trees import Tree

EDITS = int(os.environ.get("HLSL_TOOL_EDITS", "15"))
SEED = int(os.environ.get("HLSL_TOOL_EDITS_SEED", "3"))


@pytest.mark.skipif(os.name == "nt", reason="another spirv-opt is a shell script")
@pytest.mark.parametrize(
    ("label", "make"),
    [
        ("generated", lambda folder: generated_tree(folder, SEED)),
        ("samples", lambda folder: sample_tree(folder, 4)),
    ],
)
def test_edits(
    label: str, make: Callable[[pathlib.Path], Tree], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIRV_OPT", "")
    (tmp_path / "tools").mkdir()
    edits = Edits(make(tmp_path), SEED, label, tmp_path / "tools")
    count = edits.run(EDITS)
    edits.tree.restart()
    assert count.edits == EDITS
    assert count.affected
    assert count.states["tokens"] + count.states["reach"] + count.states["files"]
