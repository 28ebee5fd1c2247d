"""The watcher loads the compiler and fills its caches before the first save, without writing anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.watch import warm_up
from hlsl_tool.project.watch.loop import Watcher
from hlsl_tool.project.watch.screen import Screen

pytestmark = pytest.mark.usefixtures("frozen")

CONFIG = """\
shaders:
  - source: "*.hlsl"
    profile: ps_6_0
    outputs: [spv]
    validate: false
"""
SHADER = "float4 main() : SV_Target { return N; }\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "config/shaders/all.yaml").write_text(CONFIG)
    for number in range(3):
        path = tmp_path / f"shaders/s{number}.hlsl"
        path.write_text(SHADER.replace("N", str(number)))
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    first = watcher_of(tmp_path)
    first.start()
    first.close()
    return tmp_path


def watcher_of(root: Path) -> Watcher:
    screen = Screen(lambda text: None, str)
    return Watcher(str(root), [str(root / "config/shaders")], screen=screen, store=["none"])


def outputs(root: Path) -> dict[str, tuple[int, bytes]]:
    return {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in (root / "build").rglob("*") if p.is_file()}


def test_the_shaders_that_were_edited_last_are_in_the_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "SHADERS", 2)
    watcher = watcher_of(root)
    watcher.start()
    try:
        before = outputs(root)
        steps = list(watcher.warm_up())
        executor = watcher.rebuilder.executor
        assert isinstance(executor, Inline) and executor.compiler is not None
        files = {Path(path).name for path in executor.compiler.memory.preprocessor.files}
        assert {"s1.hlsl", "s2.hlsl"} <= files and "s0.hlsl" not in files
        assert len(steps) == 3 and outputs(root) == before and not watcher.board.failures
    finally:
        watcher.close()


def test_a_shader_with_an_error_or_without_a_file_is_reported_when_it_is_built_only(root: Path) -> None:
    watcher = watcher_of(root)
    watcher.start()
    try:
        (root / "shaders/s0.hlsl").write_text("float4 main() : SV_Target { return oops; }\n")
        (root / "shaders/s1.hlsl").unlink()
        list(watcher.warm_up())
        assert not watcher.board.failures
    finally:
        watcher.close()


def test_shaders_that_were_just_built_are_not_compiled_again(root: Path) -> None:
    (root / "shaders/s0.hlsl").write_text(SHADER.replace("N", "9"))
    watcher = watcher_of(root)
    watcher.start()
    try:
        assert len(list(watcher.warm_up())) == 3  # the modules, and two of three shaders
    finally:
        watcher.close()
