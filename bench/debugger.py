"""Measure the debugger: seconds from a request of the client to the next stop, with the variables read.

    python bench/debugger.py SHADER --entry CSMain --profile cs_6_0 --groups 8 [--steps 200] [--arguments "-I include"]

Also measures the launch, steps backwards, and an expression when it is first evaluated and again.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.debug.client import Client


def timed(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def shown(name: str, times: list[float]) -> None:
    times.sort()
    late = times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{name:20} median {statistics.median(times) * 1000:7.1f} ms   99 % {late * 1000:7.1f} ms   of {len(times)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shader", type=Path)
    parser.add_argument("--entry", default="main")
    parser.add_argument("--profile", default="cs_6_0")
    parser.add_argument("--arguments", default="", help="options of the compiler")
    parser.add_argument("--steps", type=int, default=200)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--groups", type=int)
    size.add_argument("--size", help="WIDTH,HEIGHT of the picture of a pixel shader")
    size.add_argument("--vertices", type=int)
    parser.add_argument("--pixel", help="X,Y of the only pixel that stops; then only those around it run")
    options = parser.parse_args()
    given = {name: getattr(options, name) for name in ("groups", "size", "vertices", "pixel") if getattr(options, name)}
    client = Client()
    words = shlex.split(options.arguments)

    def launch() -> None:
        client.launch(
            options.shader.absolute(), entry=options.entry, profile=options.profile, arguments=words, seed=1,
            elements=1024, stopOnEntry=True, **given,
        )  # fmt: skip
        client.stop()

    shown("launch", [timed(launch)])

    def step(command: str) -> bool:
        is_stopped = client.go(command)[0] != "terminated"
        if is_stopped:
            client.scope("Locals")
        return is_stopped

    times: list[float] = []
    while len(times) < options.steps:
        start = time.perf_counter()
        if not step("stepIn" if len(times) % 3 else "next"):
            break
        times.append(time.perf_counter() - start)
    if len(times) == options.steps:
        shown("step", times)
        names = list(client.scope("Locals")) or ["1"]
        shown("expression, first", [timed(lambda: client.evaluate(f"({names[0]})"))])
        shown("expression, again", [timed(lambda: client.evaluate(f"({names[0]})")) for _ in range(20)])
        shown("step back", [timed(lambda: step("stepBack")) for _ in range(20)])
    else:
        shown("step", times)
        print(f"the shader ended after {len(times)} steps")
    client.close()


if __name__ == "__main__":
    main()
