"""Sample shaders, in this process: at each step, all values are read, and names have the same value as expressions."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.apps.debug.protocol.numbering import Numbering
from hlsl_tool.apps.debug.session import Session

SHADERS = Path(__file__).parents[2] / "shaders"
STEPS = 24
PATCH = {"vertex": "VSMain", "hull": "HSMain"}
STRIP = {"vertex": "VSMain", "geometry": "GSMain"}
MESH = {"amplification": "ASMain"}
SAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("compute/radix_sort.hlsl", {"entry": "CSScatter", "profile": "cs_6_0", "groups": 2}),
    ("compute/culling.hlsl", {"entry": "CSMain", "profile": "cs_6_0", "groups": 2}),
    ("compute/light_clusters.hlsl", {"entry": "CSMain", "profile": "cs_6_0", "groups": 2}),
    ("deferred/lighting.hlsl", {"entry": "PSMain", "profile": "ps_6_0", "size": [16, 8]}),
    ("lit/clustered.hlsl", {"entry": "PSMain", "profile": "ps_6_0", "size": [16, 8]}),
    ("lit/water.hlsl", {"entry": "VSMain", "profile": "vs_6_0", "vertices": 6}),
    ("scenes/tessellated_patch.hlsl", {"entry": "HSMain", "profile": "hs_6_0", "vertices": 32, "stages": PATCH}),
    ("scenes/tessellated_patch.hlsl", {"entry": "DSMain", "profile": "ds_6_0", "vertices": 16, "stages": PATCH}),
    ("scenes/geometry_strip.hlsl", {"entry": "GSMain", "profile": "gs_6_0", "vertices": 8, "stages": STRIP}),
    ("scenes/mesh_scene.hlsl", {"entry": "MSMain", "profile": "ms_6_5", "groups": 2, "stages": MESH}),
    (
        "scenes/geometry_strip.hlsl",
        {"entry": "PSMain", "profile": "ps_6_0", "vertices": 192, "size": [32, 32], "stages": STRIP, "samples": 4},
    ),
]
LONG = [SAMPLES[0], SAMPLES[2], SAMPLES[4], SAMPLES[8]]
"""Those whose entry points have many lines."""


def _id(value: Any) -> str:
    return value if isinstance(value, str) else str(value["entry"])


class Recorder:
    """Takes the place of the writer of messages."""

    def __init__(self) -> None:
        self.stops: queue.Queue[str] = queue.Queue()
        self.body: Any = None
        self.problem = ""
        self.numbering = Numbering()

    def event(self, name: str, /, **body: Any) -> None:
        if name in ("stopped", "terminated"):
            self.stops.put(name)

    def output(self, text: str, category: str = "") -> None:
        """Ignore the text."""

    def answer(self, request: Any, body: Any) -> None:
        self.body, self.problem = body, ""

    def refuse(self, request: Any, text: str, *, shows: bool = False) -> None:
        self.body, self.problem = None, text


class Stream:
    """Takes the place of the reader of messages."""

    report = None


def _values(ask: Any, scopes: Any) -> dict[str, str]:
    """Return name → value of the variables; expand what can be expanded, two levels deep."""
    out = {}
    todo = [(scope["variablesReference"], 0) for scope in scopes]
    while todo:
        reference, depth = todo.pop()
        for row in ask("variables", variablesReference=reference, count=4)["variables"]:
            if depth == 0 and scopes[0]["name"] == "Locals" and reference == scopes[0]["variablesReference"]:
                out[row["name"]] = row["value"]
            if row["variablesReference"] and depth < 2:
                todo.append((row["variablesReference"], depth + 1))
    return out


@contextmanager
def _launched(name: str, configuration: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Launch a sample; yield a function that sends requests, and one that waits for a stop and returns the line."""
    recorder = Recorder()
    session = Session(Stream(), recorder)  # type: ignore[arg-type]

    def ask(command: str, **arguments: Any) -> Any:
        session.handle({"type": "request", "command": command, "arguments": arguments})
        assert not recorder.problem, recorder.problem
        return recorder.body

    def stop() -> tuple[dict[str, Any], dict[str, str]] | None:
        if recorder.stops.get(timeout=60) == "terminated":
            return None
        frame = ask("stackTrace", threadId=1)["stackFrames"][0]
        return frame, _values(ask, ask("scopes", frameId=frame["id"])["scopes"])

    program = str(SHADERS / name)
    includes = ["-I", str(SHADERS / "include")]
    given = {"program": program, "arguments": includes, "seed": 1, "elements": 256, "stopOnEntry": True}
    ask("launch", **given, **configuration)
    ask("configurationDone")
    try:
        yield ask, stop
    finally:
        session.end_run()


@pytest.mark.parametrize(("name", "configuration"), SAMPLES, ids=_id)
def test_steps_through_samples(name: str, configuration: dict[str, Any]) -> None:
    with _launched(name, configuration) as (ask, stop):
        for number in range(STEPS):
            place = stop()
            if place is None:
                assert number > 2
                break
            frame, values = place
            assert frame["line"] > 0
            assert ask("threads")["threads"]
            for local, value in list(values.items())[:3] if number % 6 == 0 else ():
                assert ask("evaluate", expression=f"({local})", frameId=frame["id"])["result"] == value
            ask("stepIn", threadId=1)


@pytest.mark.parametrize(("name", "configuration"), LONG, ids=_id)
def test_steps_back_retrace_steps(name: str, configuration: dict[str, Any]) -> None:
    with _launched(name, configuration) as (ask, stop):
        seen = []
        for number in range(STEPS // 2):
            place = stop()
            assert place is not None
            seen.append((place[0]["name"], place[0]["line"], place[1]))
            if number < STEPS // 2 - 1:
                ask("next", threadId=1)
        for expected in reversed(seen[:-1]):
            ask("stepBack", threadId=1)
            place = stop()
            assert place is not None
            assert (place[0]["name"], place[0]["line"], place[1]) == expected
