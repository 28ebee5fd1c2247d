"""The watcher on watchdog's events, as on systems that have no inotify."""

from __future__ import annotations

import pathlib
import shutil

import pytest

from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.watch.loop import Watcher
from hlsl_tool.project.watch.observed import Observed
from hlsl_tool.project.watch.screen import Screen

CONFIG = "shaders:\n  - { source: a.hlsl, profile: ps_6_0, outputs: [spv], optimize: none, validate: false }\n"
SOURCE = '#include "inc/h.h"\nfloat4 main() : SV_Target { return VALUE; }\n'


FILES = {"config/shaders/a.yaml": CONFIG, "shaders/a.hlsl": SOURCE, "shaders/inc/h.h": "#define VALUE 1\n"}


def memory_of(watcher: Watcher) -> object:
    """Return the object that holds a watcher's caches: the compiler's memory, or the pool of worker processes."""
    executor = watcher.rebuilder.executor
    return executor.compiler.memory if isinstance(executor, Inline) else executor


def test_edits_and_folders(tmp_path: pathlib.Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said: list[str] = []
    source = Observed(str(tmp_path / "build"))
    watcher = Watcher(
        str(tmp_path), ["config/shaders"], screen=Screen(said.append, lambda found: str(found)), source=source
    )
    try:
        watcher.start()
        output = tmp_path / "build/shaders/a.main.spv"
        seen = {output.read_bytes()}

        def until_new() -> None:
            for _ in range(100):
                watcher.step(watcher.bursts.wait(0.2))
                if not watcher.board.failures and output.read_bytes() not in seen:
                    break
            assert output.read_bytes() not in seen, "".join(said)
            seen.add(output.read_bytes())

        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 2\n")
        until_new()
        shutil.rmtree(tmp_path / "shaders/inc")
        watcher.step(watcher.bursts.wait(5))
        (tmp_path / "shaders/inc").mkdir()
        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 3\n")
        until_new()
        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 4\n")
        until_new()
    finally:
        watcher.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_empty_memory_changes_nothing(tmp_path: pathlib.Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.project.watch.loop.FORGET_AFTER", 0)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    screen = Screen(lambda text: None, str)
    watcher = Watcher(str(tmp_path), ["config/shaders"], screen=screen, jobs=jobs, store=["none"])
    output = tmp_path / "build/shaders/a.main.spv"
    header = tmp_path / "shaders/inc/h.h"
    try:
        watcher.start()
        first = output.read_bytes()
        for value in ("2", "1"):
            header.write_text(f"#define VALUE {value}\n")
            watcher.step({str(header)})
            assert (output.read_bytes() == first) is (value == "1")
            memory = memory_of(watcher)
            watcher.step(set())
            after = memory_of(watcher)
            assert after is not memory
    finally:
        watcher.close()
