"""The watcher: rebuilds only the shaders that a change affects, survives every error, keeps the last good outputs.

It stays resident, so the compiler is loaded and has cached declarations that shaders share.  It writes the same
outputs, log records and results as `scons shaders`; a later `scons` finds them up to date.

A shader is out of date if a file that its last attempt read, or looked for, has another content now.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator

from hlsl_tool.base.system.paths import absolute, existing_folder
from hlsl_tool.project.build.store.choice import BadStore, project_store
from hlsl_tool.project.config.parameters import DEFAULT_PARAMETERS, Parameters
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.watch.events import (
    EVERYTHING,
    LOCK_IDLE_SECONDS,
    QUIET_SECONDS,
    Bursts,
    Nothing,
    Source,
    Unwatchable,
    git_locks,
)
from hlsl_tool.project.watch.files import Listings
from hlsl_tool.project.watch.observed import Observed
from hlsl_tool.project.watch.plans import Plans
from hlsl_tool.project.watch.rebuild import Hooks, Rebuilder
from hlsl_tool.project.watch.screen import Screen
from hlsl_tool.project.watch.state import Board
from hlsl_tool.project.watch.stream import Stream
from hlsl_tool.project.watch.warm_up import warm_up

SWEEP_SECONDS = 2.0
"""Seconds without an event after which the stamps of all files are compared: events may be lost, or never be raised."""
SWEEP_SHARE = 50
"""The watcher waits at least so many times the CPU time that the last comparison took."""
POLL_SECONDS = 1.0
"""Seconds between two looks at all files if the system has no more watches to give."""
FORGET_AFTER = 1000
"""Compilations after which the compiler's memory is emptied: every edit adds to it."""


class Watcher:
    """Watches the files of a project and rebuilds the shaders that a change affects, until it is interrupted."""

    def __init__(
        self,
        root: str,
        configs: list[str],
        *,
        screen: Screen,
        jobs: int = 1,
        store: list[str] | None = None,
        stream: Stream | None = None,
        poll: float | None = None,
        given: Parameters = DEFAULT_PARAMETERS,
        source: Source | None = None,
        address: str | None = None,
    ) -> None:
        """Prepare the watcher; `run` starts it.  May raise BadStore.

        ``store`` and ``address`` (of the executor) replace those of the configurations; ``given`` are the values of the
        configurations' parameters.  ``poll``: instead of using events, check all files after each interval of so many
        seconds.
        """
        self.root = absolute(root)
        project_store(Project(self.root), store)  # reports a bad store of the command line or environment at once
        self.screen = screen
        self.stream = stream or Stream()
        self.interval = poll or SWEEP_SECONDS
        self.is_polling = poll is not None
        self.plans = Plans(self.root, configs, given)
        self.board = Board()
        self.listings = Listings()
        self.rebuilder = Rebuilder(
            self.plans,
            self.board,
            screen,
            self.stream,
            Hooks(lambda: self.notice(self.bursts.pending()), lambda: self.wants_plan, self.watch),
            workers=max(1, jobs),
            store=store,
            address=address,
        )
        self.files = self.rebuilder.files
        self.source = source or (Nothing() if poll else self._events())
        self.bursts = Bursts(self.source, self.concerns, git_locks(self.root))
        self.pause = self.interval
        """Seconds to wait for an event before the stamps of all files are compared."""
        self.wants_plan = True
        """Whether the configurations have to be read again."""

    def _events(self) -> Source:
        try:
            return Observed(self.root)
        except Unwatchable as problem:
            self.screen.write(f"warning: {problem}; files are looked at every {POLL_SECONDS:g} s\n")
            self.is_polling, self.interval = True, POLL_SECONDS
            return Nothing()

    # ---- life

    def run(self) -> None:
        """Build everything, load the compiler and fill its caches; then process events until an interrupt."""
        self.start()
        for _ in self.warm_up():
            if paths := self.bursts.pending():
                self.step(paths)
        while True:
            self.step(self.bursts.wait(self.pause))

    def start(self) -> None:
        """Make the plan, build everything that is out of date, and start to watch."""
        gc.disable()  # a collection in the middle of a rebuild takes longer than it
        self.watch()
        self.act()
        gc.collect()
        gc.freeze()
        self.screen.ready(len(self.plans.jobs))

    def warm_up(self) -> Iterator[None]:
        """Load the compiler and fill its caches; yield after each part of the work (`project.watch.warm_up`)."""
        built = {built.job.source for built in self.board.batch.built}  # the memory has them
        jobs = [job for job in self.plans.jobs if job.source not in built]
        yield from warm_up(self.rebuilder.executor, jobs, self.root)
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        """Stop watching; close the executor and the store."""
        gc.unfreeze()
        gc.enable()
        self.source.close()
        self.rebuilder.close()

    # ---- steps

    def step(self, paths: set[str]) -> None:
        """Process a burst of events; an empty set means that no event came for a while."""
        began = time.thread_time()
        self.notice(paths or {EVERYTHING})
        if not paths:
            self.pause = self.interval
            if not self.is_polling:
                self.pause = max(self.interval, SWEEP_SHARE * (time.thread_time() - began))
            self.rebuilder.look_after_outputs()
        self.act()
        if not paths and self.board.has_garbage:
            self.board.has_garbage = False
            if self.board.attempts > FORGET_AFTER:
                self.board.attempts = 0
                self.rebuilder.forget()
            gc.collect()

    def act(self) -> None:
        """Make plans and build until everything is up to date."""
        rebuilder = self.rebuilder
        while self.wants_plan or rebuilder.stale:
            if self.wants_plan:
                self.plan()
            rebuilder.build()
        if rebuilder.wants_manifest and rebuilder.engine is not None:
            rebuilder.build()

    def concerns(self, path: str) -> bool:
        """Return whether a change at this path can affect a shader or the plan."""
        return path in self.files.names or path in self.files.around() or self.listings.concerns(path)

    def notice(self, paths: set[str]) -> None:
        """Read the files that changed; mark the jobs that become out of date, and whether the plan does.

        An event about one tracked file is taken at its word, so that a save is built without delay.  After all others,
        the stamps of all files are compared: the system drops events when many files change.
        """
        if not paths:
            return
        self.rebuilder.noticed = time.perf_counter()
        named = [self.files.names[path] for path in paths if path in self.files.names]
        changed = self.files.that_changed(named, by_event=True)
        if len(named) == len(paths) == 1:
            may_be_listed = any(map(self._may_be_listed, paths))
        else:
            changed |= self._sweep()
            may_be_listed = True
        if not changed.isdisjoint(self.plans.names) or (may_be_listed and self.listings.changed()):
            self.wants_plan = True
        self.rebuilder.suspect(name for name in changed if self._may_be_unfinished(name))
        self.rebuilder.mark_changed(changed)

    def _sweep(self) -> set[str]:
        """Compare the stamps of all files, and watch folders that came; return the files that changed."""
        files = self.files
        changed = files.sweep()
        while changed and self.is_polling and (more := self._swept_again()):
            changed |= more  # a program is still writing
        while self.watch():  # files in new folders were not watched until now
            changed |= files.sweep()
        return changed

    def _may_be_unfinished(self, name: str) -> bool:
        """Return whether a program may still be writing a file that has just been read."""
        has_events = not self.is_polling and not isinstance(self.source, Nothing)
        is_whole = has_events and self.files.place(name) not in self.bursts.unfinished
        return not is_whole or self.files.states[name][1] == 0

    def _swept_again(self) -> set[str]:
        """Wait a moment, and until git releases its lock; return the files that changed in the meantime."""
        began = time.monotonic()
        time.sleep(QUIET_SECONDS)
        while any(map(os.path.exists, self.bursts.locks)) and time.monotonic() - began < LOCK_IDLE_SECONDS:
            time.sleep(QUIET_SECONDS)
        return self.files.sweep()

    def _may_be_listed(self, path: str) -> bool:
        """Return whether a file that matches a pattern may have appeared or disappeared at ``path``."""
        name = self.files.names.get(path)
        is_as_before = name is not None and self.files.digest_cached(name) and self.listings.has(path)
        return not is_as_before and self.listings.concerns(path)

    def plan(self) -> None:
        """Read the configurations again; after errors the last good plan remains in use."""
        self.wants_plan = False
        change = self.plans.load()
        self.files.that_changed(self.plans.names, by_event=False)
        self.listings.expect(self.plans.listings())
        self.watch()
        self.screen.messages(change.diagnostics)
        self.board.config_is_bad = not change.ok
        self.stream.config(change.ok, change.diagnostics)
        if not change.ok:
            self.screen.waiting()
            return
        try:
            self.rebuilder.follow(change)
        except BadStore as problem:
            self.screen.write(f"store: {problem}\n")
            self.screen.waiting()
            return
        self.watch()
        if not self.rebuilder.stale:
            self.rebuilder.build()

    # ---- folders

    def watch(self) -> bool:
        """Watch every folder from which a build reads or looks for files; return True if there are new folders."""
        try:
            return self.source.watch(self._folders())
        except Unwatchable as problem:
            self._poll(problem)
            return True

    def _poll(self, problem: Unwatchable) -> None:
        """Continue without events of the system: check the files at intervals."""
        self.screen.write(f"warning: {problem}; files are looked at every {POLL_SECONDS:g} s\n")
        self.source.close()
        self.source = self.bursts.source = Nothing()
        self.is_polling, self.interval = True, POLL_SECONDS
        self.pause = POLL_SECONDS

    def _folders(self) -> set[str]:
        inside = self.root + os.sep
        around = {
            folder for folder in self.files.around() if folder.startswith(inside)
        }  # a renamed folder has no event
        return {existing_folder(folder) for folder in self.files.direct | self.listings.folders() | around}
