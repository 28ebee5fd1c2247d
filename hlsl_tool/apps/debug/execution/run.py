"""A run in a thread of its own, which is repeated from the start to step backwards."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable

from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.gpu import GpuError
from hlsl_tool.interpreter import Sanitizer

from .commands import Ended, Goal, Restart, Resume
from .debugger import Debugger
from .launch import LaunchError
from .target import Target

_log = logging.getLogger("hlsl_tool.apps.debug")


class Run:
    """Runs a target under a debugger, until it ends or the client ends it."""

    def __init__(self, target: Target, debugger: Debugger, finished: Callable[[str], None]) -> None:
        self.target, self.debugger, self.finished = target, debugger, finished
        self.has_ended = False
        self._thread = threading.Thread(target=self._work, name="run", daemon=True)

    @property
    def is_started(self) -> bool:
        """Whether the thread was started."""
        return self._thread.ident is not None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """End the run; return at once."""
        self.debugger.is_ended = self.debugger.is_interrupted = True
        self.debugger.commands.put(Resume(ends=True))

    def join(self, seconds: float) -> bool:
        """Wait for the end of the run; return whether it has ended."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        problem = ""
        try:
            with_deep_stack(self._repeat)
        except Ended:
            pass
        except (GpuError, LaunchError) as error:
            problem = str(error)
        except MemoryError:
            problem = "out of memory: run fewer lanes, or a smaller picture"
        except Exception:  # noqa: BLE001  # the last resort: the client waits for the end of the run
            trace = traceback.format_exc()
            _log.error("the run failed\n%s", trace)
            last = trace.rstrip().rpartition("\n")[2]
            problem = f"the run failed ({last}); this is a bug, please report it with the traceback in the log"
        self.has_ended = True
        self.finished(problem)

    def _repeat(self) -> None:
        goal: Goal | None = None
        is_first = True
        while True:
            checks = self.target.launch.check
            sanitizer = Sanitizer(checks) if checks else None
            self.debugger.begin_run(goal, sanitizer)
            if is_first and self.target.launch.stop_on_entry:
                self.debugger.is_entered = False
            is_first = False
            try:
                self.target.run(self.debugger)
                return
            except Restart as restart:
                goal = restart.goal
