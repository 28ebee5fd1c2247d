"""The observer that stops a run: at breakpoints, after steps, at findings of the sanitizer, and at goals of replays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

from hlsl_tool.interpreter import Sanitizer
from hlsl_tool.interpreter.runtime.memory import Access
from hlsl_tool.interpreter.runtime.state import Registers, State
from hlsl_tool.spirv.ir import Instruction

from ..symbols.debug_info import DebugInfo
from .breakpoints import Breakpoint, Breakpoints, Lines
from .commands import Ended, Focus, Goal, Mode, Restart, Resume, Stop
from .lanes import Chosen, lane_at
from .trackers import Place, Tracker
from .watches import Watch

HISTORY = 1 << 16
"""The number of lines of the focused lane that are stored for steps backwards."""


Test = Callable[[State, Registers, str], Any]
"""A function that returns for which lanes of the mask a condition holds; it raises ``ValueError`` with the error."""


class Debugger:
    """Stops a run for a client; the run waits in its own thread for a ``Resume``."""

    def __init__(
        self,
        info: DebugInfo,
        lines: Lines,
        breakpoints: Breakpoints,
        *,
        report: Callable[[Stop], None],
        log: Callable[[str, Breakpoint, Stop], None],
        test: Test,
    ) -> None:
        self.info, self.lines, self.breakpoints = info, lines, breakpoints
        self.report, self.log, self.test = report, log, test
        self.watches: list[Watch] = []
        self.chosen: Chosen | None = None
        """The only lane that stops; by default all lanes stop at breakpoints."""
        self.stops_at_findings = True
        self.commands: SimpleQueue[Resume] = SimpleQueue()
        self.is_interrupted = False
        """Set by other threads: the run pauses, or ends if ``is_ended`` is set, too."""
        self.is_ended = False
        self.stop: Stop | None = None
        self.begin_run(None, None)

    def begin_run(self, goal: Goal | None, sanitizer: Sanitizer | None) -> None:
        """Forget everything of the last run; ``goal`` is that of a replay."""
        self.goal, self.sanitizer = goal, sanitizer
        self.clock = 0
        """The number of instructions that were executed."""
        self.batch = -1
        self.state: State | None = None
        self.registers: Registers = []
        self.trackers: list[Tracker] = []
        self.focus: Focus | None = goal.focus if goal is not None else None
        self.history: deque[tuple[int, int]] = deque(maxlen=HISTORY)
        """(clock, depth) at each line of the focused lane."""
        self.is_history_whole = True
        """Whether the history begins at the start of the run."""
        self.mode, self.depth = Mode.CONTINUE, 0
        self.is_entered = True
        """False until the run has stopped at the first line, if it has to."""
        self.touched: list[Watch] = []
        self.breakpoints.forget_hits()

    # ---- the interface of observers

    def step(self, state: State, registers: Registers) -> None:
        """Stop before the next instruction if something asks for it."""
        self.clock += 1
        if state is not self.state:
            self._begin_batch(state, registers)
        frame = state.frame
        assert frame is not None
        tracker = self.trackers[-1] if self.trackers else None
        is_other = tracker is None or frame is not tracker.frame
        if is_other:
            self._change_function(state)
        if self.sanitizer is not None:
            self._check(lambda sanitizer: sanitizer.step(state, registers))
        if (
            not is_other
            and frame.step
            and frame.function.blocks[frame.block].positions[frame.step] is self.trackers[-1].position
        ):
            if self.is_interrupted or self.watches or self.goal is not None:
                self._look(state)
            return
        self._move(state, frame)

    def access(self, state: State, access: Access) -> None:
        """Remember the data breakpoints that an access touches; the run stops after it."""
        for watch in self.watches:
            if watch.touched_by(access):
                self.touched.append(watch)
        if self.sanitizer is not None:
            self._check(lambda sanitizer: sanitizer.access(state, access))

    # ---- what is executed

    def _begin_batch(self, state: State, registers: Registers) -> None:
        self.state, self.registers, self.batch = state, registers, self.batch + 1
        self.trackers = []
        if self.focus is not None and self.focus.batch == self.batch:
            return
        lane: int | None = int(state.mask.lanes[0]) if state.mask.count else None
        if self.chosen is not None:
            lane = lane_at(state, self.chosen)
        if lane is not None and self.goal is None:
            self.set_focus(Focus(self.batch, lane))

    def set_focus(self, focus: Focus) -> None:
        """Choose another lane; its history is not known, unless nothing was executed yet."""
        if focus != self.focus:
            self.focus = focus
            self.is_history_whole = not self.history and not self.trackers
            self.history.clear()

    def _change_function(self, state: State) -> None:
        """Follow a call or a return."""
        frame = state.frame
        while self.trackers and self.trackers[-1].frame is not frame:
            if frame is not None and frame.caller is self.trackers[-1].frame:
                break
            self.trackers.pop()
        if not self.trackers or self.trackers[-1].frame is not frame:
            base = 0
            if self.trackers and frame is not None and frame.caller is not None:
                caller = frame.caller
                base = self.depth_at(self.trackers[-1], caller.function.blocks[caller.block].instructions[caller.step])
            self.trackers.append(Tracker(frame, base))

    def depth_at(self, tracker: Tracker, inst: Instruction) -> int:
        """Return the number of functions that an instruction is in."""
        site = self.info.sites.get(id(inst))
        hidden = self.info.is_hidden(inst)
        return tracker.base + (site.depth if site is not None else 0) + (0 if hidden else 1)

    def _move(self, state: State, frame: Any) -> None:
        """Look at an instruction at another place than the last one, or the first one of a block."""
        block = frame.function.blocks[frame.block]
        position, tracker = block.positions[frame.step], self.trackers[-1]
        tracker.position = position
        inst = block.instructions[frame.step]
        if position is None or not state.mask.count or not self.info.is_statement(inst):
            self._look(state)
            return
        site = self.info.sites.get(id(inst))
        place = Place(position.file, position.line, self.info.calls(site.inlined if site is not None else 0))
        enters = frame.step == 0
        starts = tracker.everyone.arrive(place, frame.block, enters=enters)
        has_focus = self._has_focus(state)
        focus_starts = has_focus and tracker.focused.arrive(place, frame.block, enters=enters)
        depth = self.depth_at(tracker, inst)
        if focus_starts:
            self.history.append((self.clock, depth))
        if self.goal is not None:
            self._search(state, place, starts, focus_starts, depth)
        elif not (starts or focus_starts) or not self._stop_at_breakpoint(state, place, starts, focus_starts):
            self._finish_step(state, has_focus, focus_starts, depth)
        self._look(state)

    def _has_focus(self, state: State) -> bool:
        focus = self.focus
        return focus is not None and focus.batch == self.batch and bool(state.mask.bits[focus.lane])

    def _finish_step(self, state: State, has_focus: bool, focus_starts: bool, depth: int) -> None:
        """Stop if a step ends here: at a line, or behind the call that the step leaves."""
        if not self.is_entered and focus_starts:
            self.is_entered = True
            self._wait(Stop(state, self.registers, 0, "entry"))
            return
        if self.mode is Mode.CONTINUE or not has_focus:
            return
        is_line = focus_starts and (self.mode is Mode.INTO or (self.mode is Mode.OVER and depth <= self.depth))
        if is_line or depth < self.depth:
            self._wait(Stop(state, self.registers, 0, "step"))

    # ---- breakpoints

    def _stop_at_breakpoint(self, state: State, place: Place, starts: bool, focus_starts: bool) -> bool:
        """Stop at the breakpoints of a line that hold; return whether there are any."""
        hits, lane = self._hits(state, place, starts, focus_starts)
        if lane is None:
            return False
        self.set_focus(Focus(self.batch, lane))
        self._wait(Stop(state, self.registers, lane, "breakpoint", breakpoints=hits))
        return True

    def _hits(self, state: State, place: Place, starts: bool, focus_starts: bool) -> tuple[list[int], int | None]:
        """Count hits, and write the messages of log points; return the breakpoints that hold, and the lane to show."""
        hits: list[int] = []
        lane: int | None = None
        if not (focus_starts if self.chosen is not None else starts):
            return hits, lane
        for item in list(self.breakpoints.at(self.lines.path(place.file), place.line)):
            holding = self._holding(state, item)
            if holding is None or not item.counts():
                continue
            first = self._first_lane(holding)
            if item.log_message:
                if self.goal is None:
                    self.log(item.log_message, item, Stop(state, self.registers, first, ""))
                continue
            hits.append(item.id)
            lane = first if lane is None else lane
        return hits, lane

    def _holding(self, state: State, item: Breakpoint) -> Any:
        """Return the lanes for which the condition of a breakpoint holds; ``None`` for none."""
        bits = state.mask.bits
        if item.condition:
            try:
                bits = bits & self.test(state, self.registers, item.condition)
            except ValueError as error:
                if self.goal is None:
                    self._wait(Stop(state, self.registers, 0, "breakpoint", f"`{item.condition}`: {error}", [item.id]))
                return None
        if self.chosen is not None:
            only = np.zeros_like(bits)
            if self.focus is not None:
                only[self.focus.lane] = True
            bits = bits & only
        return bits if bool(bits.any()) else None

    def _first_lane(self, holding: Any) -> int:
        """Return the focused lane if it is among the lanes that hold, else the first of them."""
        focus = self.focus
        if focus is not None and focus.batch == self.batch and holding[focus.lane]:
            return focus.lane
        return int(np.argmax(holding))

    # ---- replays, interruptions, data breakpoints, findings

    def _search(self, state: State, place: Place, starts: bool, focus_starts: bool, depth: int) -> None:
        """Record the instruction if the replay searches for it."""
        goal = self.goal
        assert goal is not None
        if not goal.clock and focus_starts:
            goal.clock = self.clock
        if self.clock >= goal.clock:
            return
        if goal.searches == "step":
            if focus_starts and depth <= goal.depth:
                goal.last, goal.found = self.clock, goal.focus
            return
        _, lane = self._hits(state, place, starts, focus_starts)
        if lane is not None and goal.searches:
            goal.last, goal.found = self.clock, Focus(self.batch, lane)

    def _look(self, state: State) -> None:
        """Handle what can happen between any two instructions."""
        if self.goal is not None:
            self._reach_goal(state)
            return
        if self.is_ended:
            raise Ended
        touched, self.touched = self.touched, []
        touched += [watch for watch in self.watches if watch.changed(state, self.registers)]
        if touched:
            names = ", ".join(dict.fromkeys(f"`{watch.name}`" for watch in touched))
            ids = [watch.id for watch in touched]
            self._wait(Stop(state, self.registers, 0, "data breakpoint", f"{names} was accessed", ids))
        elif self.is_interrupted and self._can_pause(state):
            self.is_interrupted = False
            self._wait(Stop(state, self.registers, 0, "pause"))

    def _can_pause(self, state: State) -> bool:
        """Return whether lanes are at a line; in modules without lines, in a function."""
        frame = self.trackers[-1].frame
        inst = frame.function.blocks[frame.block].instructions[frame.step]
        has_line = self.trackers[-1].position is not None or not self.lines.by_file
        return state.mask.count > 0 and has_line and self.info.is_statement(inst)

    def _reach_goal(self, state: State) -> None:
        goal = self.goal
        assert goal is not None
        if self.is_ended:
            raise Ended
        for watch in self.watches:
            watch.changed(state, self.registers)
        self.touched = []
        if self.is_interrupted and self._can_pause(state):
            self.goal = None
            self._wait(Stop(state, self.registers, goal.focus.lane, "pause"))
            return
        if not goal.clock or self.clock < goal.clock:
            return
        if goal.searches:
            raise Restart(Goal(goal.last, goal.found or goal.focus, goal.reason if goal.last else "entry"))
        self.goal = None
        self._wait(Stop(state, self.registers, goal.focus.lane, goal.reason))

    def _check(self, act: Callable[[Sanitizer], None]) -> None:
        """Let the sanitizer look; stop if it finds something."""
        sanitizer, state = self.sanitizer, self.state
        assert sanitizer is not None and state is not None
        before = len(sanitizer.findings)
        act(sanitizer)
        if len(sanitizer.findings) == before or self.goal is not None or not self.stops_at_findings:
            return
        finding = sanitizer.findings[-1]
        lane = lane_at(state, Chosen("thread" if len(finding.thread) > 1 else "lane", finding.thread))
        if lane is not None:
            self.set_focus(Focus(self.batch, lane))
        stop = Stop(state, self.registers, 0, "exception", f"{finding.message} [{finding.kind}]")
        stop.place = finding.position
        self._wait(stop)

    def _wait(self, stop: Stop) -> None:
        """Report a stop, and wait for the command that continues."""
        state = stop.state
        if not self._has_focus(state) and state.mask.count:
            self.set_focus(Focus(self.batch, int(state.mask.lanes[0])))
        assert self.focus is not None
        stop.lane = self.focus.lane
        self.stop = stop
        self.is_interrupted = self.is_ended  # a request to pause is met
        for watch in self.watches:
            watch.changed(state, self.registers)
        self.report(stop)
        resume = self.commands.get()
        self.stop = None
        if resume.ends or self.is_ended:
            raise Ended
        if resume.goal is not None:
            raise Restart(resume.goal)
        self.mode = resume.mode
        self.depth = self._depth_now()

    def _depth_now(self) -> int:
        if not self.trackers:
            return 0
        frame = self.trackers[-1].frame
        return self.depth_at(self.trackers[-1], frame.function.blocks[frame.block].instructions[frame.step])

    # ---- backwards

    def back(self) -> Goal | None:
        """Return the goal that is one line before the one where the run has stopped; ``None`` at the start."""
        assert self.focus is not None
        depth = self._depth_now()
        for clock, other in reversed(self.history):
            if clock < self.clock and other <= depth:
                return Goal(clock, self.focus)
        if self.is_history_whole and len(self.history) < HISTORY:
            return None
        return Goal(self.clock, self.focus, depth=depth, searches="step")

    def back_to_breakpoint(self) -> Goal:
        """Return the goal that searches for the last breakpoint before the place where the run has stopped."""
        assert self.focus is not None
        return Goal(self.clock, self.focus, "breakpoint", searches="breakpoint")
