"""A store with servers whose requests run beside the build, which loses hardly any time by them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from hlsl_tool.project.build.store import unreachable
from hlsl_tool.project.build.store.results import Result, Store

SHARE = 0.03
"""Share of the time since the store was opened that a build may lose."""
START = 0.02
"""Seconds that each process of a build may lose in addition."""
SLOW = 0.1
"""Seconds for a result above which a user is told that a build does not wait."""
DEAD = 1.0
"""Seconds after which a server without any answer is left alone by the next builds."""
THREADS = 16
"""Results that are sent or asked for at a time."""

T = TypeVar("T")


class Allowance:
    """Counts the seconds that were lost: waiting for an answer that came too late, or that was no result."""

    def __init__(self, start: float = START) -> None:
        self.start = start
        self.began = time.monotonic()
        self.lost = 0.0
        self.waiters = 1
        """Number of threads that may wait; the time of one is this part of the build's."""
        self._lock = threading.Lock()

    def total(self) -> float:
        """Return the seconds that may be lost in all by now."""
        return self.start + SHARE * (time.monotonic() - self.began)

    def left(self) -> float:
        """Return the seconds that may still be lost; 0 if none are left."""
        return max(0.0, self.total() - self.lost)

    def result_of(self, request: Future[T | None]) -> T | None:
        """Wait for an answer as long as allowed and return it; ``None`` if it does not come."""
        if request.done():
            return request.result()
        began = time.monotonic()
        answer = request.result() if wait((request,), self.left()).done else None
        if answer is None:
            self.lose(began)
        return answer

    def lose(self, began: float) -> None:
        """Count the time since ``began``, in which one thread waited."""
        with self._lock:
            self.lost += (time.monotonic() - began) / self.waiters


class BesideStore(Store):
    """Folders, which are asked first and at once, and servers."""

    is_remote = True

    def __init__(self, folders: Store, servers: Store) -> None:
        super().__init__([])
        self.folders = folders
        self.servers = servers
        self.allowance = Allowance()
        self._pool = ThreadPoolExecutor(THREADS, "store")
        self._first = threading.Lock()
        """Held by a request until the servers have answered once: one that is dead is tried only once."""
        self._answers = 0
        self._asked = 0.0
        """The time of the first request; 0 before it."""
        self._seconds = 0.0
        """Duration of all answers so far."""
        self._sending: set[Future[None]] = set()
        self._has_reported = False
        self._is_closed = False

    def take_problems(self) -> list[tuple[str, str]]:
        return [*super().take_problems(), *self.folders.take_problems(), *self.servers.take_problems()]

    def get(self, key: str) -> Result | None:
        result = self.folders.get(key)
        if result is None and self.allowance.left():
            result = self.allowance.result_of(self._pool.submit(self._fetch, key))
            self.report_pace(self.allowance)
        return result

    def get_patiently(self, key: str) -> Result | None:
        """Return the result of a key, however long servers take: for callers that run beside the build."""
        return self.folders.get(key) or self._fetch(key)

    def put(self, key: str, result: Result, *, only_here: bool = False) -> None:
        self.folders.put(key, result)
        if only_here:
            return
        with self.lock:  # several threads store results
            is_sent = len(self._sending) * self._pace() / THREADS < self.allowance.total()
            if is_sent:
                task = self._pool.submit(self._send, key, result)
                self._sending.add(task)
        if is_sent:
            task.add_done_callback(self._sending.discard)
        else:
            self._complain("not all results are sent, because the build would wait for that")

    def drop(self, key: str) -> None:
        self.folders.drop(key)
        self.servers.drop(key)

    def close(self) -> None:
        """Wait for results that are being sent as long as a build may lose time, and drop the others."""
        wait(self._sending.copy(), self.allowance.total())
        self._is_closed = True
        if self._asked and not self._answers and time.monotonic() - self._asked > DEAD:
            for place in self.servers.places:
                unreachable.note(place.backend.name)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.folders.close()
        self.servers.close()

    def report_pace(self, allowance: Allowance) -> None:
        """Report once that a build waits for the servers no longer, if that is so."""
        is_slow = not self._answers or self._pace() > SLOW
        if is_slow and not allowance.left() and not self._is_closed:
            self._complain("this build waits for it no longer", f"{allowance.lost:.1f} s were lost, ")

    # ---- requests

    def _fetch(self, key: str) -> Result | None:
        result = self._timed(lambda: self.servers.get(key))
        if result is not None:
            self.folders.put(key, result)
        return result

    def _send(self, key: str, result: Result) -> None:
        self._timed(lambda: self.servers.put(key, result))

    def _timed(self, request: Callable[[], T]) -> T | None:
        """Run a request and count its duration; do nothing once the store is closed."""
        if not self._answers:
            with self._first:
                if not self._answers:
                    return self._counted(request)
        return self._counted(request)

    def _counted(self, request: Callable[[], T]) -> T | None:
        if self._is_closed:
            return None
        began = time.monotonic()
        self._asked = self._asked or began
        answer = request()
        self._answers += 1
        self._seconds += time.monotonic() - began
        return answer

    def _pace(self) -> float:
        """Return the average seconds for a result."""
        return self._seconds / self._answers if self._answers else 0.0

    def _complain(self, what: str, figures: str = "") -> None:
        if self._has_reported or all(place.is_off for place in self.servers.places):
            return
        self._has_reported = True
        names = ", ".join(place.backend.name for place in self.servers.places)
        pace = f"a result takes {self._pace():.2f} s" if self._answers else "it has not answered yet"
        with self.lock:
            self.problems.append((names, f"{what} ({figures}{pace})"))
