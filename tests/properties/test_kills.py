"""Some of the tests in `kills.py`; `HLSL_TOOL_KILLS` is their number, `HLSL_TOOL_KILLS_SEED` the seed."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

from tests.properties.kills import World, kills, pairs

KILLS = int(os.environ.get("HLSL_TOOL_KILLS", "6"))
SEED = int(os.environ.get("HLSL_TOOL_KILLS_SEED", "1"))


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL, fork")
def test_builds_that_are_killed_and_builds_that_meet(tmp_path: pathlib.Path) -> None:
    world = World(tmp_path, SEED)
    world.build_here()
    kills(world, KILLS, f"seed {SEED}", ("forked",))
    assert world.kills == KILLS
    pairs(world, 1, f"seed {SEED}", ("tool", "tool2"))
