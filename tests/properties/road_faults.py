"""Faults during builds by the methods of `road_kinds`: killed builds, and clients that end while the server works."""

from __future__ import annotations

import contextlib
import copy
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tests.properties import road_trees
from tests.properties.road_kinds import CLIENT, Lines, Road
from tests.unit.server.support import wait_for

if TYPE_CHECKING:
    from tests.properties.roads import World

KILLED = 4
"""Builds that are killed after an edit, at most."""

SLOW = 60
"""Functions in the shader of a call that is ended: it compiles for about as long as the client lives."""

QUIET = 0.5
"""Seconds in which a worker of the server would end what it has begun."""


def killed(world: World, roads: Sequence[Road]) -> str:
    """Make an edit, kill the builds that follow at random moments, and mostly make another edit.

    Processes that remain of a killed build may still run while the next build compiles another state.
    """
    path = _edit(world)
    chosen = world.chance.sample(builds := [road for road in roads if road.is_build], min(KILLED, len(builds)))
    sessions = []
    for road in chosen:
        is_first_only = road.ends_with_first and world.chance.random() < 0.7
        session = road.kill(world.chance, is_first_only=is_first_only)
        world.counts["builds killed"] += session != 0
        if session:
            sessions.append((road, session))
    world.sessions += sessions
    again = f", {_edit(world)}" if world.chance.random() < 0.7 else ""
    return f"{path}, {', '.join(road.name for road, _ in sessions)}{again}"


def late(world: World) -> Iterator[tuple[Road, str]]:
    """Wait until all processes of killed builds have ended.

    Yield (build method, message) for each build whose processes overwrote the outputs of the build after it.
    """
    while world.sessions:
        road, session = world.sessions.pop()
        wait_for(lambda session=session: not _is_running(session))
        outputs = road.project.outputs()
        different = [name for name, data in world.wanted.items() if outputs.get(name) != data]
        if different:
            yield road, f"a killed build wrote {', '.join(different)} later"


def _is_running(session: int) -> bool:
    """Return whether a process of a session lives; False on a system without /proc."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, number = path.read_text().rpartition(")")[2].split()[:4]
            if number == str(session) and state != "Z":
                return True
    return False


def ended(world: World, roads: Sequence[Road]) -> str:
    """Make an edit, and kill clients of the server while it works for them; their outputs must not appear later."""
    path = _edit(world)
    chosen = [road for road in world.roads if road.server != "no" and road.ends_with_first]
    for road in chosen:
        before = road.project.outputs()
        command = road.command() if road.is_build else slow_call(road, world.chance)
        began = time.monotonic()
        with road.start_command(command) as process:
            try:
                process.wait(world.chance.uniform(0, road.seconds))
            except subprocess.TimeoutExpired:
                process.send_signal(world.chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
                world.counts["calls ended"] += 1
            else:
                road.seconds = (road.seconds + time.monotonic() - began) / 2
        after = road.project.outputs()
        time.sleep(QUIET)
        now = road.project.outputs()
        problems = [name for name in {*after, *now} if after.get(name) != now.get(name)]
        if problems:
            told = f"{', '.join(problems)} changed after the end of the client"
            world.failures.append((road.name, "ended", f"{world.label}: {path}: {road.name}: {told}"))
        if not road.is_build and now.get(OUTPUT) not in (before.get(OUTPUT), None) and not is_whole(now[OUTPUT]):
            world.failures.append((road.name, "ended", f"{world.label}: {path}: {road.name}: half an output"))
    return f"{path}, {', '.join(road.name for road in chosen)}"


OUTPUT = "build/slow.spv"


def slow_call(road: Road, chance: random.Random) -> list[str]:
    """Return a command line of `hlsl2spirv` that takes a while; each call compiles a different random shader."""
    assert isinstance(road, Lines)
    loop = "for (int i = 0; i < 4; ++i) x = x * {0}.5 + c * i;"
    functions = [f"float4 f{n}(float4 x) {{ {loop.format(chance.randint(1, 999))} return x; }}\n" for n in range(SLOW)]
    calls = "".join(f"x += f{n}(x);\n" for n in range(SLOW))
    main = f"float4 main(float4 x : X) : SV_Target {{ {calls}return x; }}\n"
    road.project.write("slow.hlsl", f"cbuffer C {{ float4 c; }};\n{''.join(functions)}{main}")
    os.makedirs(road.project.root / "build", exist_ok=True)
    return [sys.executable, *CLIENT, "-T", "ps_6_0", "-E", "main", "-O0", "-Vd", "slow.hlsl", "-Fo", OUTPUT]


def is_whole(module: bytes) -> bool:
    """Return whether a module ends with `OpFunctionEnd`."""
    return module[-4:] == (1 << 16 | 56).to_bytes(4, "little")


def _edit(world: World) -> str:
    before = copy.deepcopy(world.tree)
    path = road_trees.header(world.tree, world.chance)
    world.write(before)
    return path
