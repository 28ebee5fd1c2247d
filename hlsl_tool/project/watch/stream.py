"""The event stream for running games: one line of JSON for each event (`docs/how-to/watch.md`)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Any

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.hints import configured
from hlsl_tool.project.watch.plans import Plans
from hlsl_tool.project.watch.state import Batch, Board, Built

VERSION = 1
"""Increased when readers of the old form would misread the new one; new keys and events do not count."""

Sink = Callable[[str], None]


class Stream:
    """Sends every event to all listeners; a new listener gets `greeting` first."""

    def __init__(self) -> None:
        self.sinks: list[Sink] = []
        self.closers: list[Callable[[], None]] = []
        self.lock = threading.Lock()
        self._hello = ""
        self._failing: dict[str, str] = {}

    def add(self, sink: Sink, close: Callable[[], None] | None = None) -> None:
        self.sinks.append(sink)
        if close is not None:
            self.closers.append(close)

    def close(self) -> None:
        for close in self.closers:
            close()

    def greeting(self) -> list[str]:
        """Return the events that inform a new listener of the current state."""
        with self.lock:
            return [self._hello, *self._failing.values()] if self._hello else []

    # ---- events

    def hello(self, plans: Plans, board: Board) -> None:
        """Send `hello` with root, manifest and number of shaders: at the start, and whenever the plan changed."""
        output_dir = plans.project.output_dir
        manifest = MANIFEST_NAME if output_dir in ("", ".") else f"{output_dir}/{MANIFEST_NAME}"
        line = _line(
            "hello", version=VERSION, root=os.path.abspath(plans.root), manifest=manifest, shaders=len(plans.jobs)
        )
        with self.lock:
            self._hello = line
        self._send(line)

    def config(self, ok: bool, diagnostics: list[Diagnostic]) -> None:
        if diagnostics or not ok:
            self._send(_line("config", ok=ok, diagnostics=_plain(diagnostics)))

    def built(self, built: Built, changed: dict[str, str]) -> None:
        """Send `built` with the changed outputs; `unchanged` if no byte changed and the shader did not fail before."""
        job = built.job
        with self.lock:
            has_failed = self._failing.pop(job.name, None) is not None
        if not (changed or has_failed):
            self._send(_line("unchanged", name=job.name, **_times(built)))
        elif self.sinks:
            self._send(_line("built", name=job.name, outputs=job.targets, changed=list(changed), **_times(built)))

    def failed(self, built: Built, diagnostics: list[Diagnostic]) -> None:
        if not self.sinks:
            return
        name = built.job.name
        line = _line("failed", name=name, diagnostics=_plain(diagnostics), **_times(built))
        with self.lock:
            self._failing[name] = line
        self._send(line)

    def removed(self, job: Job) -> None:
        with self.lock:
            self._failing.pop(job.name, None)
        self._send(_line("removed", name=job.name, outputs=job.targets))

    def settled(self, board: Board, batch: Batch) -> None:
        """Send that nothing is out of date and the manifest is written, so that listeners load the new outputs."""
        if batch.done or batch.current:
            self._send(_line("settled", built=len(batch.built), failing=list(board.failures), ms=_ms(batch.seconds)))

    def _send(self, line: str) -> None:
        for sink in self.sinks:
            sink(line)


def _times(built: Built) -> dict[str, Any]:
    return {"ms": _ms(built.since_noticed), "compile_ms": _ms(built.compile_seconds), "reused": built.reused}


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


def _plain(diagnostics: list[Diagnostic]) -> Any:
    return json.loads(render(configured(diagnostics), "json"))["diagnostics"]


def _line(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, **fields}, separators=(",", ":"), ensure_ascii=False) + "\n"
