"""A debugging session: the requests of a client, and the events that it gets."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from typing import Any

from hlsl_tool.base.system.deep_stack import with_deep_stack

from .breakpoint_requests import BreakpointRequests, as_body
from .execution.breakpoints import Breakpoint, Breakpoints, Lines
from .execution.commands import Focus, Mode, Resume, Stop
from .execution.debugger import Debugger
from .execution.launch import LaunchError, launch_of
from .execution.run import Run
from .execution.target import Target
from .expressions.compiled import ExpressionCompiler, ExpressionError
from .inspection import Inspection, condition_bits, log_text
from .protocol.arguments import Arguments, Refused
from .protocol.capabilities import CAPABILITIES
from .protocol.messages import Garbage, Message, Reader, Writer
from .symbols.debug_info import DebugInfo
from .symbols.types import TypeNames

_log = logging.getLogger("hlsl_tool.apps.debug")
END = 2.0
"""Seconds that a run has to end in."""


class Session:
    """Answers the requests of one client."""

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self.reader, self.writer = reader, writer
        reader.report = lambda text: writer.output(f"{text}\n", "stderr")
        self.breaks = breaks = BreakpointRequests(self)
        self.is_over = False
        self.deferred: list[Callable[[], object]] = []
        """What follows the answer to a request."""
        self.has_stops = True
        """False for a run without debugging, in which nothing stops."""
        self.target: Target | None = None
        self.run: Run | None = None
        self.debugger: Debugger | None = None
        self.inspection: Inspection | None = None
        """What is shown of the run where it has stopped; ``None`` while it runs."""
        self.requests: dict[str, Callable[[Arguments], Any]] = {
            "initialize": self.initialize,
            "launch": self.launch,
            "attach": self.attach,
            "configurationDone": self.configuration_done,
            "setBreakpoints": breaks.set_breakpoints,
            "breakpointLocations": breaks.breakpoint_locations,
            "setFunctionBreakpoints": breaks.set_function_breakpoints,
            "setExceptionBreakpoints": breaks.set_exception_breakpoints,
            "dataBreakpointInfo": breaks.data_breakpoint_info,
            "setDataBreakpoints": breaks.set_data_breakpoints,
            "threads": self.threads,
            "stackTrace": lambda given: self.stopped().stack_trace(given),
            "scopes": lambda given: self.stopped().scopes(given),
            "variables": lambda given: self.stopped().variables(given),
            "evaluate": self.evaluate,
            "exceptionInfo": self.exception_info,
            "continue": lambda given: self.resume(given, Mode.CONTINUE) or {"allThreadsContinued": True},
            "next": lambda given: self.resume(given, Mode.OVER),
            "stepIn": lambda given: self.resume(given, Mode.INTO),
            "stepOut": lambda given: self.resume(given, Mode.OUT),
            "stepBack": self.step_back,
            "reverseContinue": self.reverse_continue,
            "pause": self.pause,
            "restart": self.restart,
            "terminate": self.terminate,
            "disconnect": self.disconnect,
            "source": self.refuse_source,
            "loadedSources": self.loaded_sources,
        }

    def serve(self) -> None:
        """Answer requests until the client disconnects."""
        while not self.is_over:
            try:
                message = self.reader.read()
            except Garbage as problem:
                self.writer.output(f"{problem}\n", "stderr")
                continue
            if message is None:
                break
            _log.info("← %s", message)
            self.handle(message)
        self.end_run()

    def handle(self, message: Message) -> None:
        """Answer one request; a crash is logged, and the client gets a sentence."""
        if message.get("type") != "request" or not isinstance(message.get("command"), str):
            self.writer.output("a message is no request\n", "stderr")
            return
        command = message["command"]
        request = self.requests.get(command)
        if request is None:
            self.writer.refuse(message, f"the request `{command}` is not supported")
            return
        self.deferred.clear()
        try:
            given = self.writer.numbering.incoming(command, message.get("arguments") or {})
            self.writer.answer(message, request(Arguments(given)))
            for action in self.deferred:
                action()
        except (Refused, ExpressionError) as problem:
            self.writer.refuse(message, str(problem))
        except LaunchError as problem:
            self.writer.refuse(message, str(problem), shows=True)
            self.writer.output(f"{problem}\n", "stderr")
            if self.run is None:  # a run that is not restarted goes on
                self.writer.event("terminated")
        except RecursionError:
            self.writer.refuse(message, "the arguments are nested too deeply")
        except Exception as problem:  # noqa: BLE001  # the last resort: a crash must not end the session
            _log.error("%s failed\n%s", command, traceback.format_exc())
            text = f"`{command}` failed ({problem!r}); this is a bug, please report it with the traceback in the log"
            self.writer.refuse(message, text)

    def later(self, action: Callable[[], object]) -> None:
        """Do something when the request is answered: a client may take a stop before the answer for an older one."""
        self.deferred.append(action)

    def stopped(self) -> Inspection:
        """Return what is shown of the run; raise ``Refused`` while it runs, and after its end."""
        inspection, run = self.inspection, self.run
        if inspection is None:
            is_running = run is not None and not run.has_ended
            raise Refused("the shader is running" if is_running else "no shader is running")
        return inspection

    # ---- the life of a session

    def initialize(self, given: Arguments) -> Any:
        """Return the capabilities."""
        numbering = self.writer.numbering
        numbering.first_line = 0 if given.members.get("linesStartAt1") is False else 1
        numbering.first_column = 0 if given.members.get("columnsStartAt1") is False else 1
        return CAPABILITIES

    def attach(self, given: Arguments) -> Any:
        """Refuse to attach: a run belongs to its session."""
        raise Refused("there is nothing to attach to; use a configuration with `request: launch`")

    def launch(self, given: Arguments) -> Any:
        """Compile the shader and prepare its run, which starts when the client has set its breakpoints."""
        if self.target is not None:
            raise Refused("the shader has been launched")
        target = with_deep_stack(lambda: Target(launch_of(given.members)))
        self.has_stops = given.members.get("noDebug") is not True
        self.prepare(target)
        self.later(lambda: self.writer.event("initialized"))

    def prepare(self, target: Target) -> None:
        """Make a new run of a target."""
        info = DebugInfo(target.program)
        launch = target.launch
        self.breaks.storages.clear()
        lines = Lines(target.program, info, (launch.folder, os.path.dirname(launch.program)))
        self.compiler = ExpressionCompiler(target.source, target.options)
        self.types = TypeNames(info, target.declared_members())
        self.declared = {parameter.name: parameter.declared for parameter in target.kernel.parameters}
        breakpoints = self.breaks.breakpoints if self.has_stops else Breakpoints()
        launch.stop_on_entry &= self.has_stops
        self.debugger = Debugger(info, lines, breakpoints, report=self.report_stop, log=self.log_point, test=self.test)
        self.debugger.chosen = target.launch.chosen
        self.debugger.stops_at_findings = self.breaks.at_findings and self.has_stops
        self.target = target
        self.run = Run(target, self.debugger, self.finished)
        for item in self.breaks.breakpoints.place(lines):
            self.writer.event("breakpoint", reason="changed", breakpoint=as_body(item))
        if target.warnings:
            self.writer.output(target.warnings, "stderr")
        if not lines.by_file:
            self.writer.output("the module has no lines, so that breakpoints and steps have no effect\n", "stderr")

    def configuration_done(self, given: Arguments) -> Any:
        """Let the run start."""
        target = self.target
        if self.run is None or target is None:
            raise Refused("no shader has been launched")
        if self.run.is_started:
            raise Refused("the shader is running")
        name = os.path.basename(target.launch.program)
        self.writer.event("process", name=name, startMethod="launch", isLocalProcess=True)
        self.later(self.run.start)

    def finished(self, problem: str) -> None:
        """Report the end of the run, in its thread."""
        self.inspection = None
        try:
            self.report_end(problem)
        except MemoryError:
            self.writer.output("error: out of memory: the results are not shown\n", "stderr")
        finally:  # the client waits for it
            self.writer.event("exited", exitCode=1 if problem else 0)
            self.writer.event("terminated")

    def report_end(self, problem: str) -> None:
        """Write the error of a run, or its results."""
        target, debugger = self.target, self.debugger
        assert target is not None and debugger is not None
        if problem:
            self.writer.output(f"error: {problem}\n", "stderr")
        elif not debugger.is_ended:
            if debugger.focus is None:
                chosen = debugger.chosen
                text = f"no lane is {chosen}" if chosen is not None else "no lane runs: nothing reaches this stage"
                self.writer.output(f"{text}\n", "stderr")
            for text in target.shown_results():
                self.writer.output(text, "stdout")

    def restart(self, given: Arguments) -> Any:
        """Compile the shader again, and run it from the start."""
        target = self.target
        if target is None:
            raise Refused("no shader has been launched")
        launch = launch_of(given.object("arguments").members) if given.has("arguments") else target.launch
        fresh = with_deep_stack(lambda: Target(launch))
        run = self.run
        if run is not None:
            run.finished = lambda problem: None
        self.end_run()
        self.prepare(fresh)
        assert self.run is not None
        self.later(self.run.start)

    def terminate(self, given: Arguments) -> Any:
        """End the run, after the response; one that has not started has nothing else that reports its end."""
        is_waiting = self.run is not None and not self.run.is_started
        self.later(self.end_run)
        if is_waiting:
            self.later(lambda: self.writer.event("terminated"))

    def disconnect(self, given: Arguments) -> Any:
        """End the run, and the session after the response."""
        self.end_run()
        self.is_over = True

    def end_run(self) -> None:
        """End the run, if there is one; a run that does not end in time is left to the end of the process."""
        run, self.run = self.run, None
        if run is not None:
            run.end()
            run.join(END)
        self.inspection = None

    # ---- called in the thread of the run

    def test(self, state: Any, registers: Any, condition: str) -> Any:
        """Return the lanes for which the condition of a breakpoint holds; called in the thread of the run."""
        return condition_bits(self.inspect(Stop(state, registers, 0, "")), condition)

    def log_point(self, message: str, item: Breakpoint, stop: Stop) -> None:
        """Write the message of a log point; called in the thread of the run."""
        self.writer.output(log_text(self.inspect(stop), message) + "\n", "console")

    # ---- stops

    def inspect(self, stop: Stop) -> Inspection:
        """Return what is shown of a stop."""
        debugger = self.debugger
        assert debugger is not None
        return Inspection(debugger, self.types, self.declared, self.compiler, stop)

    def report_stop(self, stop: Stop) -> None:
        """Report a stop to the client; called in the thread of the run."""
        self.inspection = self.inspect(stop)
        body: dict[str, Any] = {"reason": stop.reason, "threadId": 1, "allThreadsStopped": True}
        if stop.text:
            body |= {"text": stop.text, "description": stop.text}
        if stop.breakpoints:
            body["hitBreakpointIds"] = stop.breakpoints
        if stop.reason == "exception":
            self.writer.output(f"{self.inspection.place_text()}: {stop.text}\n", "stderr")
        elif stop.reason == "breakpoint" and stop.text:
            self.writer.output(f"{stop.text}\n", "stderr")
        self.writer.event("stopped", **body)

    def exception_info(self, given: Arguments) -> Any:
        """Return the finding at which the run has stopped."""
        stop = self.stopped().stop
        if stop.reason != "exception":
            raise Refused("the run has not stopped at a finding")
        kind = stop.text.rpartition("[")[2].rstrip("]")
        return {"exceptionId": kind, "description": stop.text, "breakMode": "always"}

    def threads(self, given: Arguments) -> Any:
        """Return the focused lane, and the groups of lanes that wait elsewhere."""
        if self.inspection is None:
            return {"threads": [{"id": 1, "name": "lanes"}]}
        return {"threads": self.inspection.threads()}

    def evaluate(self, given: Arguments) -> Any:
        """Evaluate an expression, or choose another lane by `lane N`."""
        inspection = self.stopped()
        text = given.text("expression")
        lane = inspection.chosen_lane(text)
        if lane is None:
            return with_deep_stack(lambda: inspection.evaluate(text, given))
        assert self.debugger is not None
        if not inspection.stop.state.mask.bits[lane]:
            raise Refused(f"lane {lane} does not execute this line; choose it among the threads")
        self.focus(lane)
        self.later(lambda: self._report_again(f"lane {lane}"))
        return {"result": inspection.threads()[0]["name"], "variablesReference": 0}

    def _report_again(self, text: str) -> None:
        """Let the client read the state again, although nothing has run."""
        self.writer.event("stopped", reason="step", threadId=1, allThreadsStopped=True, description=text)

    def focus(self, lane: int) -> None:
        """Show another lane."""
        inspection, debugger = self.stopped(), self.debugger
        assert debugger is not None
        debugger.set_focus(Focus(debugger.batch, lane))
        if debugger.chosen is not None:
            debugger.chosen = None
        inspection.choose(lane)

    # ---- resuming

    def _go(self, resume: Resume) -> None:
        debugger = self.debugger
        assert debugger is not None
        self.inspection = None
        self.later(lambda: debugger.commands.put(resume))

    def _choose_thread(self, given: Arguments) -> None:
        """Make the lanes that a request names the focused ones."""
        inspection = self.stopped()
        lane = inspection.lane_of_thread(given.number("threadId", 1))
        if lane is not None and lane != inspection.lane:
            self.focus(lane)

    def resume(self, given: Arguments, mode: Mode) -> Any:
        """Continue the run."""
        self._choose_thread(given)
        self._go(Resume(mode))

    def step_back(self, given: Arguments) -> Any:
        """Go back to the line that was executed before."""
        self._choose_thread(given)
        debugger = self.debugger
        assert debugger is not None
        goal = debugger.back()
        if goal is None:
            self.writer.output("this is the first line of the lane\n")
            self.later(lambda: self._report_again("the first line"))
            return
        self._go(Resume(goal=goal))

    def reverse_continue(self, given: Arguments) -> Any:
        """Go back to the last breakpoint, or to the first line."""
        self._choose_thread(given)
        debugger = self.debugger
        assert debugger is not None
        self._go(Resume(goal=debugger.back_to_breakpoint()))

    def pause(self, given: Arguments) -> Any:
        """Stop the run at the next line."""
        if self.debugger is None or self.run is None:
            raise Refused("no shader is running")
        self.later(self._interrupt)

    def _interrupt(self) -> None:
        if self.inspection is None and self.debugger is not None:
            self.debugger.is_interrupted = True

    # ---- sources

    def refuse_source(self, given: Arguments) -> Any:
        """Refuse to send a source: all are files."""
        raise Refused("the source is a file")

    def loaded_sources(self, given: Arguments) -> Any:
        """Return the files with code of the shader."""
        known = self.debugger.lines.by_file if self.debugger is not None else {}
        return {"sources": [{"name": os.path.basename(path), "path": path} for path in sorted(known)]}
