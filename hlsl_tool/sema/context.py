"""What every part of semantic analysis shares: the language, the scope, the place, the messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hlsl_tool.diagnostics.model import Code
from hlsl_tool.sema.hir import CBuffer, Function, Variable
from hlsl_tool.sema.scope import Kind, Scope
from hlsl_tool.sema.types import Enum, Majorness, Scalar, Struct, Type
from hlsl_tool.syntax import ast
from hlsl_tool.syntax.chunks import Chunk


@dataclass(slots=True, frozen=True)
class Language:
    """The options that change what a declaration means."""

    hlsl_version: int = 2021
    enable_16bit: bool = False
    stage: str = ""
    """The profile's stage: ``vs``, ``ps``, ``lib``, ..."""


Hint = str | Callable[[], str | None] | None
"""Advice, or how to work it out: searching names that resemble a wrong one costs more than finding the error."""


@dataclass(slots=True)
class Raw:
    """A message with a chunk-relative position: what is remembered with a declaration and replayed for each shader."""

    code: Code
    pos: int
    fmt: dict[str, object]
    chunk: Chunk | None
    notes: list[Raw] = field(default_factory=list)
    hint: Hint = None


class Poisoned(Exception):
    """An expression that has no meaning; its message is given, and what depends on it stays silent."""


@dataclass(slots=True, eq=False)
class BodySource:
    """What is needed to analyse a function's body, and what came of it."""

    decl: ast.FunctionDecl
    scope: Scope
    language: Language
    pack: tuple[tuple[int, Majorness | None], ...]
    messages: list[Raw] = field(default_factory=list)
    calls: dict[Function, None] = field(default_factory=dict)
    """Functions the body calls, in order of first appearance."""
    variables: dict[Variable, None] = field(default_factory=dict)
    """Globals and parameters the body names."""
    template_depth: int = 0
    """How many templates were instantiated to come to this one."""
    done: bool = False


@dataclass(slots=True, eq=False)
class Instance:
    """What a template gives for some arguments, and what was found on the way.

    Shaders that are compiled one after the other share it; so whoever comes to it later is told the same
    (`Context.use`).
    """

    result: Any = None
    is_poisoned: bool = False
    """Whether nothing came of it."""
    messages: list[Raw] = field(default_factory=list)
    globals: list[Variable | CBuffer] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    definitions: list[tuple[Function, Function]] = field(default_factory=list)
    pending: list[Function] = field(default_factory=list)
    uses: list[Instance] = field(default_factory=list)
    """Other instances that it came to."""


MAX_TEMPLATE_DEPTH = 256
MAX_TEMPLATE_INSTANCES = 4096
"""Of one template: two instances that each need two more are soon more than any shader means."""


class Context:
    """State of one analysis: of a chunk's declarations or of one body."""

    def __init__(
        self,
        language: Language,
        chunk: Chunk,
        scope: Scope,
        messages: list[Raw],
        pack: tuple[tuple[int, Majorness | None], ...] = (),
    ) -> None:
        self.language = language
        self.chunk = chunk
        self.scope = scope
        self.messages = messages
        self.pack = pack
        self.function: Function | None = None
        self.source: BodySource | None = None
        self.loop_depth = 0
        self.switch_types: list[Scalar] = []  # of the switches around, the innermost last
        self.template_depth = 0
        # what the chunk declares, in order
        self.globals: list[Variable | CBuffer] = []
        self.functions: list[Function] = []
        self.structs: list[Struct] = []
        self.enums: list[Enum] = []
        self.definitions: list[tuple[Function, Function]] = []
        self.pending: list[Function] = []
        """Functions with bodies that need not be reachable to be wrong."""
        self.instance: Instance | None = None
        """What is being instantiated."""
        self.used: set[Instance] = set()
        """What has been taken over."""

    # --- instances of templates

    def use(self, instance: Instance) -> None:
        """Take over what was found when it was made, and before it what it uses."""
        if self.instance is not None:
            self.instance.uses.append(instance)  # it comes along with that
            return
        todo = [(instance, False)]
        while todo:
            found, is_ready = todo.pop()
            if is_ready:
                self._take(found)
            elif found not in self.used:
                self.used.add(found)
                todo.append((found, True))
                todo += [(other, False) for other in reversed(found.uses)]

    def _take(self, found: Instance) -> None:
        self.messages += found.messages
        self.globals += [x for x in found.globals if x not in self.globals]
        self.functions += [x for x in found.functions if x not in self.functions]
        self.structs += [x for x in found.structs if x not in self.structs]
        self.enums += [x for x in found.enums if x not in self.enums]
        self.definitions += [x for x in found.definitions if x not in self.definitions]
        self.pending += [x for x in found.pending if x not in self.pending]

    def mark(self) -> tuple[int, int]:
        """For `forget`."""
        return len(self.messages), len(self.instance.uses) if self.instance is not None else 0

    def forget(self, mark: tuple[int, int]) -> None:
        """Take back the messages that were given since: it was but an attempt."""
        messages, uses = mark
        del self.messages[messages:]
        self.used.clear()
        if self.instance is not None:
            del self.instance.uses[uses:]

    # --- messages

    def error(self, code: Code, pos: int, *, notes: list[Raw] | None = None, hint: Hint = None, **fmt: object) -> None:
        self.messages.append(Raw(code, pos, fmt, self.chunk, notes or [], hint))

    def fail(
        self, code: Code, pos: int, *, notes: list[Raw] | None = None, hint: Hint = None, **fmt: object
    ) -> NoReturn:
        """Give the message and stop this expression."""
        self.messages.append(Raw(code, pos, fmt, self.chunk, notes or [], hint))
        raise Poisoned

    def warn(self, code: Code, pos: int, **fmt: object) -> None:
        self.messages.append(Raw(code, pos, fmt, self.chunk))

    def note(self, code: Code, pos: int, chunk: Chunk | None = None, **fmt: object) -> Raw:
        return Raw(code, pos, fmt, chunk or self.chunk)

    # --- scopes

    @contextmanager
    def inside(self, kind: Kind, *, struct: Struct | None = None, namespace: str = "") -> Iterator[Scope]:
        outer = self.scope
        self.scope = Scope(kind, outer, struct=struct, namespace=namespace)
        try:
            yield self.scope
        finally:
            self.scope = outer

    def majorness_at(self, pos: int) -> Majorness | None:
        """What ``#pragma pack_matrix`` says at a position; ``None`` where it says nothing."""
        state: Majorness | None = None
        for start, value in self.pack:
            if start > pos:
                break
            state = value
        return state

    def uses(self, f: Function) -> None:
        if self.source is not None:
            self.source.calls[f] = None

    def names(self, v: Variable) -> None:
        if self.source is not None and v.storage != "local":
            self.source.variables[v] = None

    def return_type(self) -> Type | None:
        return self.function.return_type if self.function is not None else None
