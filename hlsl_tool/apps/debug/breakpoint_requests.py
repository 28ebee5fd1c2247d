"""Requests about breakpoints: on lines, functions, data and findings."""

from __future__ import annotations

from typing import Any, Protocol

from .execution.breakpoints import Breakpoint, Breakpoints, place, same_file
from .execution.debugger import Debugger
from .execution.watches import Watch
from .inspection import Inspection
from .protocol.arguments import Arguments, Refused
from .values.storage import MemoryRange, Storage


class Owner(Protocol):
    """The session to which the breakpoints belong."""

    debugger: Debugger | None

    def stopped(self) -> Inspection:
        """Return what is shown of the run; raise ``Refused`` while it runs."""


class BreakpointRequests:
    """Answers the requests about breakpoints."""

    def __init__(self, session: Owner) -> None:
        self.session = session
        self.breakpoints = Breakpoints()
        self.storages: dict[str, tuple[str, Storage]] = {}
        """Id of data, as the client got it → the expression and its storage."""
        self.at_findings = True
        """Whether the run stops at findings of the sanitizer."""

    def set_breakpoints(self, given: Arguments) -> Any:
        """Replace the breakpoints of a file."""
        source = given.object("source")
        path = same_file(source.text("path", "") or source.text("name", ""))
        items = [self._new(wanted, wanted.number("line")) for wanted in given.objects("breakpoints")]
        self._place(items, path)
        self.breakpoints.files[path] = items
        return {"breakpoints": [as_body(item) for item in items]}

    def _new(self, wanted: Arguments, line: int) -> Breakpoint:
        item = Breakpoint(self.breakpoints.next_id(), line)
        item.condition = wanted.text("condition", "")
        item.hit_condition = wanted.text("hitCondition", "")
        item.log_message = wanted.text("logMessage", "")
        return item

    def _place(self, items: list[Breakpoint], path: str) -> None:
        if self.session.debugger is not None:
            for item in items:
                place(item, path, self.session.debugger.lines)

    def set_function_breakpoints(self, given: Arguments) -> Any:
        """Replace the breakpoints on functions: they stop at the first line."""
        items = []
        for wanted in given.objects("breakpoints"):
            item = self._new(wanted, 0)
            item.function = wanted.text("name")
            items.append(item)
        self._place(items, "")
        self.breakpoints.functions = items
        return {"breakpoints": [as_body(item) for item in items]}

    def breakpoint_locations(self, given: Arguments) -> Any:
        """Return the lines with code in a range."""
        path, first = same_file(given.object("source").text("path", "")), given.number("line")
        known = self.session.debugger.lines.by_file.get(path, set()) if self.session.debugger is not None else set()
        last = given.number("endLine", first)
        return {"breakpoints": [{"line": line} for line in sorted(known) if first <= line <= last]}

    def set_exception_breakpoints(self, given: Arguments) -> Any:
        """Choose whether the run stops at findings of the sanitizer."""
        self.at_findings = "findings" in given.texts("filters")
        if self.session.debugger is not None:
            self.session.debugger.stops_at_findings = self.at_findings
        return {"breakpoints": [{"verified": True} for _ in given.texts("filters")]}

    def data_breakpoint_info(self, given: Arguments) -> Any:
        """Return whether a data breakpoint on a variable is possible."""
        node, lane = self.session.stopped().node_for(given)
        place = node.storage(lane) if node is not None else None
        if node is None or place is None:
            return {"dataId": None, "description": "the value has no storage that can be watched"}
        kinds = ["read", "write", "readWrite"] if isinstance(place, MemoryRange) else ["write"]
        text = f"{place} {node.path}"
        self.storages[text] = node.path, place
        return {"dataId": text, "description": node.path, "accessTypes": kinds, "canPersist": False}

    def set_data_breakpoints(self, given: Arguments) -> Any:
        """Replace the data breakpoints."""
        debugger = self.session.debugger
        if debugger is None:
            raise Refused("no shader has been launched")
        watches: list[Watch] = []
        out = []
        for wanted in given.objects("breakpoints"):
            text = wanted.text("dataId")
            if text not in self.storages:
                out.append({"verified": False, "message": f"`{text}` is no id of data"})
                continue
            watch = Watch(self.breakpoints.next_id(), *self.storages[text], wanted.text("accessType", "write"))
            if debugger.stop is not None:
                watch.changed(debugger.stop.state, debugger.stop.registers)
            watches.append(watch)
            out.append({"verified": True, "id": watch.id})
        debugger.watches = watches
        return {"breakpoints": out}


def as_body(item: Breakpoint) -> dict[str, Any]:
    """Return a breakpoint as the protocol has it."""
    body: dict[str, Any] = {"id": item.id, "verified": item.is_verified, "line": item.line}
    if item.problem:
        body["message"] = item.problem
    return body
