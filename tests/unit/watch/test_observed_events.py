"""Events of `watchdog` as the watcher receives them."""

from __future__ import annotations

import queue

import pytest
from watchdog.events import (
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileSystemEvent,
)

from hlsl_tool.project.watch.events import Event
from hlsl_tool.project.watch.observed import _Handler


@pytest.mark.parametrize(
    ("event", "events"),
    [
        (FileCreatedEvent("/a"), [Event("/a", False)]),
        (FileClosedEvent("/a"), [Event("/a", True)]),
        (FileMovedEvent("/a", "/b"), [Event("/a", False), Event("/b", True)]),
        (FileMovedEvent("", "/b"), [Event("/b", True)]),
        (DirMovedEvent("/a", "/b"), [Event("/a", False), Event("/b", False)]),
        (DirDeletedEvent("/a"), [Event("/a", False)]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_events(event: FileSystemEvent, events: list[Event]) -> None:
    received: queue.Queue[Event] = queue.Queue()
    _Handler(received).dispatch(event)
    assert list(received.queue) == events
