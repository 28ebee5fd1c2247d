"""Some of the edits of `roads.py`: with some build methods each day, and with all of them at night.

`HLSL_TOOL_ROADS` is the number of edits at night, `HLSL_TOOL_ROADS_SEED` the seed.
"""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

from tests.properties.roads import World, server

EDITS = int(os.environ.get("HLSL_TOOL_ROADS", "10"))
SEED = int(os.environ.get("HLSL_TOOL_ROADS_SEED", "1"))

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, SIGKILL, fork")


def test_edits_on_some_roads(tmp_path: pathlib.Path) -> None:
    names = ("hlsl2spirv", "hlsl2spirv --batch", "build", "build -j2", "scons single", "scons set", "ninja", "make")
    world = World(tmp_path, SEED, has_server=False, only=names)
    for number in range(4):
        world.step(number, world.chance.sample(world.roads, 2))
    assert not world.failures, "\n".join(problem for _, _, problem in world.failures)
    assert world.checks.total() >= 8


@pytest.mark.nightly
def test_edits_on_every_road(tmp_path: pathlib.Path) -> None:
    with server():
        world = World(tmp_path, SEED, has_server=True)
        world.start()
        for number in range(EDITS):
            world.step(number, world.roads)
    assert not world.failures, "\n".join(problem for _, _, problem in world.failures)
