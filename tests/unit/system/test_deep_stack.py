"""Calls in a thread with a large stack, if memory for the thread or its frames is not available."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hlsl_tool.base.system import deep_stack


def test_a_call_runs_where_there_is_no_memory_for_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is made in the caller's thread if the thread with the large stack runs out of memory before the call.

    A `MemoryError` of the call itself is raised in the caller.
    """

    def refuse(_function: Callable[[], None]) -> None:
        raise MemoryError

    monkeypatch.setattr(deep_stack, "_idle", [])
    monkeypatch.setattr(deep_stack, "_with_room", refuse)
    assert deep_stack.with_deep_stack(lambda: 1) == 1
    with pytest.raises(MemoryError):
        deep_stack.with_deep_stack(lambda: refuse(lambda: None))


def test_a_call_runs_once_where_memory_ends_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def refuse(_deep: object) -> None:
        raise MemoryError

    monkeypatch.setattr(deep_stack, "_idle", [])
    monkeypatch.setattr(deep_stack, "_give_back", refuse)
    deep_stack.with_deep_stack(lambda: calls.append(1))
    assert calls == [1]
