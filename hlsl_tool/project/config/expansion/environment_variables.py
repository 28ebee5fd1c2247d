"""Replace `${NAME}` and `${NAME:-default}` in the values of configurations; `$${` stands for `${`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.project.config.parameters import VARIANT
from hlsl_tool.project.config.secrets import masked

_USE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<default>:-[^${}]*)?\}|\$\{\S*")


class Variables:
    """The variables of a build, and the names of those that configurations use."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.used: set[str] = set()

    def replace(self, text: str, at: Location, sink: Sink) -> str:
        """Return a scalar with its variables replaced (values are not expanded again).

        Report variables without a value.
        """
        return _USE.sub(lambda use: self._value(use, text, at, sink), text)

    def refuse(self, key: str, at: Location, sink: Sink) -> None:
        if _USE.search(key):
            sink.error(codes.VARIABLE_IN_KEY, at, key=key)

    def _value(self, use: re.Match[str], text: str, at: Location, sink: Sink) -> str:
        if use[0] == "$${":
            return "${"
        place = _place(use[0], at)
        name = use["name"]
        if name is None:
            sink.error(codes.BAD_VARIABLE, place, text=masked(text))
            return use[0]
        self.used.add(name)
        value = self.values.get(name)
        if value is None:
            if use["default"] is not None:
                return use["default"][2:]
            hint = did_you_mean(name, self.values) or f"give it: `--set {name}=…`, or write `${{{name}:-default}}`"
            sink.error(codes.UNSET_VARIABLE, place, hint=hint, name=name)
            return ""
        if "${" in value:
            sink.error(codes.VARIABLE_IN_VALUE, place, name=name, value=masked(value))
            return ""
        return value

    def check_used(self, at: Location | None, sink: Sink) -> None:
        """Report variables that have a value but that no configuration uses; ``at`` is the location of the call."""
        for name in sorted(self.values.keys() - self.used - {VARIANT}):
            sink.error(codes.UNUSED_VARIABLE, at, hint=did_you_mean(name, self.used), name=name)


def _place(use: str, at: Location) -> Location:
    """Return the location of a variable inside of a scalar.

    The scalar's location if its line does not show the text.
    """
    column = at.source_line.find(use, max(at.col - 1, 0)) + 1
    return Location(at.file, at.line, column, column + len(use), at.source_line) if column else at
