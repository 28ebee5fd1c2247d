"""YAML as a tree of nodes with source locations, parsed strictly.

Nodes are built from the parser's events, without PyYAML's resolver: `6_0`, `on` and `1:30` stay text, and the key of a
scalar determines its type.  Nothing here is recursive, so `DEPTH_LIMIT` bounds the nesting.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

import yaml

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config.secrets import masked

DEPTH_LIMIT = 64

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser of libyaml if PyYAML has it, which is ten times as fast."""


@dataclass(slots=True)
class Scalar:
    """A scalar, as unconverted text."""

    text: str
    plain: bool
    """Whether the scalar is written without quotes."""
    at: Location


@dataclass(slots=True)
class Sequence:
    """A list."""

    items: list[Node]
    at: Location


@dataclass(slots=True)
class Mapping:
    """A mapping, in the order of the file."""

    entries: list[tuple[Scalar, Node]]
    at: Location
    merged: list[Node] = field(default_factory=list)
    """The values of `<<`; merged into `entries` when the mapping ends."""

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or ``None``."""
        return next((value for name, value in self.entries if name.text == key), None)


Node = Scalar | Sequence | Mapping


class _Stop(Exception):
    """Raised, after reporting an error, if the rest of the file cannot be parsed."""


def is_text(value: str) -> bool:
    """Return whether a value can be encoded as UTF-8: unpaired surrogates cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class Replacer(Protocol):
    """Replaces variables in scalars; implemented by `expansion.environment_variables.Variables`."""

    def replace(self, text: str, at: Location, sink: Sink) -> str: ...

    def refuse(self, key: str, at: Location, sink: Sink) -> None: ...


def parse(text: str, name: str, sink: Sink, variables: Replacer | None = None) -> Node | None:
    """Parse a YAML document; return ``None`` for an empty file, and after a syntax error."""
    return _Reader(text, name, sink, variables).read()


class _Reader:
    def __init__(self, text: str, name: str, sink: Sink, variables: Replacer | None) -> None:
        self.text = text
        self.variables = variables
        self.lines = text.splitlines()
        self.name = name
        self.sink = sink
        self.root: Node | None = None
        self.stack: list[Sequence | Mapping] = []
        self.keys: list[Scalar | None] = []
        self.anchors: dict[str, Node] = {}
        self.documents = 0
        self.is_complete = True
        """Whether all variables were replaced: other mistakes would follow from theirs."""

    def read(self) -> Node | None:
        try:
            for event in yaml.parse(self.text, Loader=_Loader):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = self._location(mark, mark) if mark else Location(self.name)
            problem = " ".join(filter(None, (error.context, error.problem)))
            if "maximum nesting depth" in problem:  # libyaml reads ahead, and has a limit of its own
                self.sink.error(codes.TOO_DEEP, at, limit=DEPTH_LIMIT)
            else:
                self.sink.error(codes.SYNTAX, at, problem=problem, hint=_syntax_hint(problem, at))
            return None
        except yaml.YAMLError as error:
            problem = str(getattr(error, "reason", "") or error).split("\n")[0]
            self.sink.error(codes.SYNTAX, Location(self.name, 1, 1), problem=problem)
            return None
        except _Stop:
            return None
        return self.root if self.is_complete else None

    def _location(self, start: Any, end: Any) -> Location:
        # `Any`: the marks of libyaml and of PyYAML are two classes without a common base.
        line = self.lines[start.line] if start.line < len(self.lines) else ""
        same_line = end.line == start.line and end.column > start.column
        stop = end.column + 1 if same_line else len(line.rstrip()) + 1
        return Location(self.name, start.line + 1, start.column + 1, max(stop, start.column + 2), line)

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                at = self._location(event.start_mark, event.end_mark)
                self.sink.error(codes.SYNTAX, at, problem="there is more than one document in the file")
                raise _Stop
        elif isinstance(event, yaml.AliasEvent):
            node = self.anchors.get(event.anchor or "")
            at = self._location(event.start_mark, event.end_mark)
            if node is None or any(node is parent for parent in self.stack):
                self.sink.error(codes.RECURSIVE_ALIAS, at, name=event.anchor)
                raise _Stop
            self._add(node, at)
        elif isinstance(event, yaml.ScalarEvent):
            at = self._location(event.start_mark, event.end_mark)
            self._check_tag(event.tag, at)
            if not is_text(event.value):
                self.sink.error(codes.NOT_TEXT, at)
                raise _Stop
            is_plain = event.style is None or event.style == ""
            self._start(Scalar(self._replaced(event.value, at), is_plain, at), event.anchor, at)
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            at = self._location(event.start_mark, event.end_mark)
            self._check_tag(event.tag, at)
            node = Sequence([], at) if isinstance(event, yaml.SequenceStartEvent) else Mapping([], at)
            self._start(node, event.anchor, at)
            self.stack.append(node)
            self.keys.append(None)
            if len(self.stack) > DEPTH_LIMIT:
                self.sink.error(codes.TOO_DEEP, at, limit=DEPTH_LIMIT)
                raise _Stop
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.keys.pop()
            ended = self.stack.pop()
            if isinstance(ended, Mapping):
                self._merge(ended)

    def _replaced(self, text: str, at: Location) -> str:
        """Return a scalar with its variables replaced; keys of mappings are not replaced."""
        if self.variables is None or "${" not in text:
            return text
        before = self.sink.error_count
        if self.stack and isinstance(self.stack[-1], Mapping) and self.keys[-1] is None:
            self.variables.refuse(text, at, self.sink)
        else:
            text = self.variables.replace(text, at, self.sink)
        self.is_complete &= self.sink.error_count == before
        return text

    def _check_tag(self, tag: str | None, at: Location) -> None:
        if tag is not None and tag != "!":
            self.sink.error(codes.TAG, at, tag=tag)

    def _start(self, node: Node, anchor: str | None, at: Location) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        self._add(node, at)

    def _add(self, node: Node, at: Location) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        key = self.keys[-1]
        if key is None:
            if not isinstance(node, Scalar):
                self.sink.error(codes.SYNTAX, at, problem="a key must be plain text")
                raise _Stop
            self.keys[-1] = node
            return
        self.keys[-1] = None
        if key.text == "<<" and key.plain:
            parent.merged.append(node)
        elif any(name.text == key.text for name, _ in parent.entries):
            first = next(name for name, _ in parent.entries if name.text == key.text)
            note = self.sink.note(codes.SAME_KEY_NOTE, first.at)
            self.sink.error(codes.DUPLICATE_KEY, key.at, notes=[note], key=key.text)
        else:
            parent.entries.append((key, node))

    def _merge(self, mapping: Mapping) -> None:
        """Apply YAML's `<<` to a mapping: add the keys that it lacks; the first of several merged mappings wins."""
        sources: list[Node] = []
        for node in mapping.merged:
            sources += node.items if isinstance(node, Sequence) else [node]
        mapping.merged = []
        for node in sources:
            if not isinstance(node, Mapping):
                self.sink.error(codes.WRONG_TYPE, node.at, key="<<", wanted="a mapping", got=describe(node))
                continue
            present = {name.text for name, _ in mapping.entries}
            mapping.entries += [(name, value) for name, value in node.entries if name.text not in present]


# ---------------------------------------------------------------- ambiguous scalars

_BOOLS = re.compile(r"(?:y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|True|TRUE|False|FALSE)")
_NULLS = re.compile(r"(?:~|null|Null|NULL)")
_NUMBERS = re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?|[-+]?0[bo][0-7_]+|[-+]?0[0-7_]+")
_CLOCKS = re.compile(r"[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")


def trap(node: Scalar) -> str:
    """Return the type that a YAML 1.1 parser gives to an unquoted scalar, such as `null` or `a number`.

    The result is empty if such a parser reads the scalar as text.
    """
    if not node.plain:
        return ""
    if _BOOLS.fullmatch(node.text):
        return "true or false"
    if _NULLS.fullmatch(node.text):
        return "null"
    if _NUMBERS.fullmatch(node.text) or _CLOCKS.fullmatch(node.text):
        return "a number"
    return ""


_SYNTAX_HINTS = (
    ("mapping values are not allowed", "indent the line as those above it, or quote a text that has a colon"),
    ("expected", "compare the indentation with the lines above; look for a missing quote, comma or bracket"),
)
"""Parts of the YAML parser's messages, with the usual cause."""


def _syntax_hint(problem: str, at: Location) -> str | None:
    """Return a hint with the usual cause of a YAML syntax error, or ``None``."""
    indentation = at.source_line[: len(at.source_line) - len(at.source_line.lstrip())]
    if "\t" in indentation:
        return "YAML is indented by spaces, and this line by a tab"
    return next((hint for part, hint in _SYNTAX_HINTS if part in problem), None)


def describe(node: Node) -> str:
    """Return the kind of a node in the words of diagnostics."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list" if node.items else "an empty list"
    if not node.plain:
        return f'the text "{masked(node.text)}"'
    if node.text in ("", "~", "null"):
        return "nothing"
    return f"`{masked(node.text)}`"
