"""`hlsl_tool watch` as a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

from tests.build.conftest import Project
from tests.patience import PATIENCE


class Watching:
    """A process of `hlsl_tool watch`, and its output."""

    def __init__(self, project: Project, *command: str, options: tuple[str, ...] = ()) -> None:
        self.project = project
        self.log = project.root / "compiled.log"
        self.log.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", *(command or ("hlsl_tool", "watch")), *options],
            cwd=project.root,
            env=project.environment(),
            text=True,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.lines: list[str] = []
        self.seen = 0
        self.events: list[dict] = []
        self.told = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.until("watching;")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                self.events.append(json.loads(line))
            else:
                self.lines.append(line)

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """Wait for a line that contains ``text``; return everything printed since the last call."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for at in range(self.seen, len(self.lines)):
                if text in self.lines[at]:
                    found = "".join(self.lines[self.seen : at + 1])
                    self.seen = at + 1
                    return found
            assert self.process.poll() is None, "".join(self.lines)
            time.sleep(0.02)
        raise AssertionError(f"no `{text}` in {''.join(self.lines[self.seen :])!r}")

    def event(self, kind: str, name: str | None = None, seconds: float = PATIENCE) -> dict:
        """Wait for the next event of a kind, optionally for a shader, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for at in range(self.told, len(self.events)):
                found = self.events[at]
                if found["event"] == kind and name in (None, found.get("name")):
                    self.told = at + 1
                    return found
            assert self.process.poll() is None, "".join(self.lines)
            time.sleep(0.01)
        raise AssertionError(f"no event `{kind}` {name} in {self.events[self.told :]}")

    def quiet(self, seconds: float = 0.6) -> None:
        time.sleep(seconds)
        assert self.lines[self.seen :] == []

    def compiled(self) -> list[str]:
        found = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)  # as a terminal does
            self.process.wait(PATIENCE)
        self.reader.join(5)
        if self.process.stdout is not None:
            self.process.stdout.close()
        assert "Traceback" not in "".join(self.lines)
