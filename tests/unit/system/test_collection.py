"""The garbage collector is paused while a shader is compiled, and the host's setting is restored."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.system.collection import RareCollection, paused_collection
from tests.patience import PATIENCE


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    if was_enabled:
        gc.enable()
    else:
        gc.disable()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_setting_of_the_host_is_restored(is_enabled: bool) -> None:
    (gc.enable if is_enabled else gc.disable)()
    with paused_collection():
        assert not gc.isenabled()
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == is_enabled


def test_it_is_restored_after_an_exception() -> None:
    gc.enable()
    with pytest.raises(KeyError), paused_collection():
        raise KeyError
    assert gc.isenabled()


def test_pauses_of_threads_overlap() -> None:
    gc.enable()
    entered, leave = threading.Event(), threading.Event()

    def pause() -> None:
        with paused_collection():
            entered.set()
            leave.wait(PATIENCE)

    thread = threading.Thread(target=pause)
    with paused_collection():
        thread.start()
        assert entered.wait(PATIENCE)
    assert not gc.isenabled()  # the thread has not finished
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_compiling_leaves_the_setting_alone() -> None:
    gc.enable()
    assert compile_shader("float4 main() : SV_Target { return 1; }", profile="ps_6_0").ok
    assert gc.isenabled()


def test_rare_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    in_use, collections = [10_000_000], []
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: in_use[0])
    monkeypatch.setattr(gc, "collect", lambda: collections.append(in_use[0]))
    try:
        collection = RareCollection()
        assert not gc.isenabled()
        for in_use[0] in (14_000_000, 15_000_001, 16_000_000, 22_000_000, 23_000_000):
            collection.step()
        collection.close()
        assert gc.isenabled()
    finally:
        gc.enable()
    assert collections == [15_000_001, 23_000_000]


def test_objects_allocated_in_a_pause_are_not_visited_after_it() -> None:
    gc.enable()
    gc.collect()
    with paused_collection():
        kept = [[] for _ in range(10_000)]
    assert gc.get_count()[0] < 10_000
    assert gc.get_freeze_count() == 0
    assert any(each is kept for each in gc.get_objects(generation=2))


def test_frozen_objects_of_the_host_stay_frozen() -> None:
    gc.enable()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with paused_collection():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
