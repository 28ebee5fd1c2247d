"""What a client sees of a run that has stopped: threads, call stacks, scopes, variables, expressions."""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import Any

import numpy as np

from hlsl_tool.base.counted import counted
from hlsl_tool.interpreter.runtime.quads import wide

from .execution.commands import Stop
from .execution.debugger import Debugger
from .execution.lanes import Chosen, lane_at, name_of, ranges
from .expressions.compiled import ExpressionCompiler, ExpressionError
from .expressions.paths import node_of_path
from .protocol.arguments import Arguments
from .symbols.types import TypeNames
from .values.nodes import GroupNode, LanesNode, Node, ValueNode
from .values.scopes import View
from .values.stack import Level, Waiting, call_stack, waiting_lanes

_LANE = re.compile(r"\s*lane\s+(\d{1,9}(?:\s*,\s*\d{1,9}){0,2})\s*")
_LANES = re.compile(r"\s*lanes\s*\((.*)\)\s*", re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
SCOPES = (
    "Locals", "Arguments", "Statics", "Shared memory", "Resources", "Stage inputs and outputs", "Emitted vertices",
    "Lanes",
)  # fmt: skip
MOST_CHILDREN = 1000
"""The number of children that a request without a range gets."""
MOST_PAGE = 10_000
"""The number of children that any request gets: more take the session seconds, in which it answers nothing else."""


class Inspection:
    """A stop, with the objects that its references stand for; a new stop has new references."""

    def __init__(
        self, debugger: Debugger, types: TypeNames, declared: dict[str, str], compiler: ExpressionCompiler, stop: Stop
    ) -> None:
        self.info, self.lines, self.compiler, self.stop = debugger.info, debugger.lines, compiler, stop
        self.lane = stop.lane
        self.view = View(self.info, types, stop.state, stop.registers, declared)
        self.waiting = waiting_lanes(stop.state)
        self._levels: list[tuple[Level, int]] = []
        """(function, lane) by the id of a frame, from 1 on."""
        self._nodes: list[tuple[Node, int]] = []
        """(node, lane) by reference, from 1 on."""
        self._stacks: dict[int, list[int]] = {}

    def choose(self, lane: int) -> None:
        """Show another lane."""
        self.lane = self.stop.lane = lane
        self._stacks.clear()

    # ---- lanes

    def threads(self) -> list[dict[str, Any]]:
        """Return the focused lane as thread 1, and a thread for each place at which other lanes wait."""
        state = self.stop.state
        others = int(state.mask.count) - 1
        name = f"lane {self.lane}, {name_of(state, self.lane)}" + (
            f", and {counted(others, 'other')}" if others > 0 else ""
        )
        out = [{"id": 1, "name": name}]
        for number, waiting in enumerate(self.waiting, 2):
            levels = call_stack(self.info, state, waiting)
            line = f" at line {levels[0].position.line}" if levels and levels[0].position else ""
            word = "lane" if waiting.mask.count == 1 else "lanes"
            out.append({"id": number, "name": f"{word} {ranges(waiting.mask.lanes)} wait{line}"})
        return out

    def _waiting(self, thread: int) -> Waiting | None:
        return self.waiting[thread - 2] if 2 <= thread < len(self.waiting) + 2 else None

    def lane_of_thread(self, thread: int) -> int | None:
        """Return the first lane of a thread."""
        if thread == 1:
            return self.lane
        waiting = self._waiting(thread)
        return int(waiting.mask.lanes[0]) if waiting is not None else None

    def chosen_lane(self, text: str) -> int | None:
        """Return the lane that a command such as `lane 5` or `lane 5, 0, 0` chooses; ``None`` for other texts."""
        parsed = _LANE.fullmatch(text)
        if parsed is None:
            return None
        place = tuple(int(number) for number in parsed[1].split(","))
        chosen = Chosen("lane" if len(place) == 1 else "thread", place)
        lane = lane_at(self.stop.state, chosen)
        if lane is None:
            raise ExpressionError(f"no lane here is {chosen}")
        return lane

    # ---- call stacks and scopes

    def stack_trace(self, given: Arguments) -> Any:
        """Return the functions of a thread, the innermost first."""
        thread = given.number("threadId", 1)
        ids = self._stacks.get(thread)
        if ids is None:
            ids = self._stacks[thread] = []
            lane = self.lane_of_thread(thread)
            for level in call_stack(self.info, self.stop.state, self._waiting(thread)) if lane is not None else ():
                self._levels.append((level, lane or 0))
                ids.append(len(self._levels))
        start, count = given.number("startFrame", 0), given.number("levels", 0) or len(ids)
        frames = [self._frame(number, is_first=number == ids[0]) for number in ids[start : start + count]]
        return {"stackFrames": frames, "totalFrames": len(ids)}

    def _frame(self, number: int, *, is_first: bool) -> dict[str, Any]:
        level, _ = self._levels[number - 1]
        place = level.position
        if is_first and self.stop.place is not None and level.inst is not None:
            place = self.stop.place
        frame: dict[str, Any] = {"id": number, "name": level.name, "line": 0, "column": 0}
        if place is not None:
            frame |= {"line": place.line, "column": place.column}
            frame["source"] = {"name": os.path.basename(place.file), "path": self.lines.file(place.file)}
        return frame

    def place_text(self) -> str:
        """Return the file and line of the innermost function."""
        levels = call_stack(self.info, self.stop.state)
        place = self.stop.place or (levels[0].position if levels else None)
        return f"{place.file}:{place.line}" if place is not None else "the shader"

    def level(self, number: int) -> tuple[Level | None, int]:
        """Return a function by the id of its frame, and its lane; for other numbers the innermost one."""
        if 1 <= number <= len(self._levels):
            return self._levels[number - 1]
        levels = call_stack(self.info, self.stop.state)
        return (levels[0] if levels else None), self.lane

    def scopes(self, given: Arguments) -> Any:
        """Return the scopes of a function that are not empty."""
        level, lane = self.level(given.number("frameId"))
        variables, arguments = self.view.locals(level) if level is not None else ([], [])
        mask = self.stop.state.mask
        table: list[Node] = [self._of_lanes(node, mask.bits) for node in (*variables, *arguments) if node.hlsl()]
        view = self.view
        groups = (
            variables, arguments, view.statics(), view.shared(), view.resources(), view.stage_variables(),
            view.emitted(lane), table,
        )  # fmt: skip
        out = []
        for name, nodes in zip(SCOPES, groups, strict=True):
            if nodes:
                scope = {"name": name, "variablesReference": self._reference(GroupNode(name, nodes), lane)}
                hint = {"Locals": "locals", "Arguments": "arguments"}.get(name)
                out.append(scope | {"expensive": name == "Lanes"} | ({"presentationHint": hint} if hint else {}))
        return {"scopes": out}

    # ---- variables

    def _of_lanes(self, node: Node, bits: Any) -> LanesNode:
        state = self.stop.state
        return LanesNode(node, self._everyone, lambda lane: name_of(state, lane), bits)

    @cached_property
    def _everyone(self) -> list[int]:
        """The lanes that entered the entry point."""
        frame = self.stop.state.frame
        while frame is not None and frame.caller is not None:
            frame = frame.caller
        return [int(lane) for lane in frame.entry.lanes] if frame is not None else []

    def _reference(self, node: Node, lane: int) -> int:
        self._nodes.append((node, lane))
        return len(self._nodes)

    def _node(self, number: int) -> tuple[Node, int]:
        if not 1 <= number <= len(self._nodes):
            raise ExpressionError(f"the reference {number} is of an earlier stop")
        return self._nodes[number - 1]

    def _shown(self, node: Node, lane: int) -> dict[str, Any]:
        """Return the value of a node, and the reference to its children."""
        count = node.count()
        body: dict[str, Any] = {"type": node.type_name, "variablesReference": 0}
        if count:
            body["variablesReference"] = self._reference(node, lane)
            body["indexedVariables" if node.is_indexed else "namedVariables"] = count
        return body

    def variables(self, given: Arguments) -> Any:
        """Return the children of a reference, or some of them."""
        node, lane = self._node(given.number("variablesReference"))
        wanted = given.text("filter", "")
        if wanted and (wanted == "indexed") != node.is_indexed:
            return {"variables": []}
        start = max(given.number("start", 0), 0)
        count = min(given.number("count", 0), MOST_PAGE) or MOST_CHILDREN
        out = []
        for number in range(start, min(start + count, node.count())):
            child = node.child(number)
            row = {"name": child.name, "value": child.text(lane), **self._shown(child, lane)}
            out.append(row | {"evaluateName": child.path})
        return {"variables": out}

    def node_for(self, given: Arguments) -> tuple[Node | None, int]:
        """Return the node of a variable by the reference to its parent and its name, or by an expression."""
        if given.number("variablesReference", 0):
            parent, lane = self._node(given.number("variablesReference"))
            return parent.named(given.text("name")), lane
        level, lane = self.level(given.number("frameId", 0))
        return node_of_path(given.text("name"), self.view, level), lane

    # ---- expressions

    def value(self, text: str, level: Level | None) -> Node:
        """Return the value of an expression in a function; raise ``ExpressionError``."""
        table = _LANES.fullmatch(text)
        if table is not None:
            return self._of_lanes(self.value(table[1], level), self.stop.state.mask.bits)
        return node_of_path(text, self.view, level) or self.compiler.evaluate(text, self.view, level)

    def evaluate(self, text: str, given: Arguments) -> Any:
        """Return the value of an expression in a frame."""
        level, lane = self.level(given.number("frameId", 0))
        node = self.value(text, level)
        return {"result": node.text(lane), **self._shown(node, lane)}


def condition_bits(inspection: Inspection, condition: str) -> Any:
    """Return for which lanes a condition is true; raise ``ExpressionError``."""
    level, _ = inspection.level(0)
    node = inspection.compiler.evaluate(condition, inspection.view, level)
    if not isinstance(node, ValueNode) or node.of.kind != "scalar":
        raise ExpressionError(f"is no condition, but of the type {node.type_name}")
    lanes = inspection.stop.state.shape.lanes
    return np.asarray(wide(node.value, lanes)) != 0


def log_text(inspection: Inspection, message: str) -> str:
    """Return the message of a log point with the values of the expressions in braces."""
    level, lane = inspection.level(0)

    def value(braces: re.Match[str]) -> str:
        try:
            return inspection.value(braces[1], level).text(lane)
        except ExpressionError as error:
            return f"{{{error}}}"

    return _BRACES.sub(value, message)
