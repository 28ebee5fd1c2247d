"""State shared by all of semantic analysis: language options, scope, source position, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import CBuffer, Expr, Function, IntrinsicCall, MethodCall, Variable
from hlsl_tool.frontend.sema.model.instances import Hint, Instance, Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Enum, Majorness, Scalar, Struct, Type
from hlsl_tool.frontend.sema.scope.scopes import Kind, Scope
from hlsl_tool.frontend.syntax import ast


@dataclass(slots=True, frozen=True)
class Language:
    """The options that affect the meaning of declarations."""

    hlsl_version: int = 2021
    enable_16bit: bool = False
    stage: str = ""
    """The profile's stage: ``vs``, ``ps``, ``lib``, ..."""
    max_vector: int = 4
    """Limit on the components of a vector."""
    enable_8bit: bool = False


class Poisoned(Exception):
    """Raised for an invalid expression after its error was reported; suppresses follow-up errors."""


@dataclass(slots=True, eq=False)
class BodySource:
    """A function body: the input of its analysis, and the results."""

    decl: ast.FunctionDecl
    scope: Scope
    language: Language
    pack: tuple[tuple[int, Majorness | None], ...]
    messages: list[Raw] = field(default_factory=list)
    calls: dict[Function, None] = field(default_factory=dict)
    """Functions that the body calls, in order of first appearance."""
    variables: dict[Variable, None] = field(default_factory=dict)
    """Globals and parameters that the body names."""
    template_depth: int = 0
    """Number of enclosing template instantiations."""
    hidden: list[Variable] = field(default_factory=list)
    """Variables that the compiler adds, to be declared at the start of the body."""
    referred: Expr | None = None
    """The l-value that the body returns, if the result is a reference."""
    changed: set[Variable] = field(default_factory=set)
    """Parameters that the body assigns to, if the result is a reference."""
    has_destroyed: bool = False
    """Whether local variables have destructors."""
    constructed: Variable | None = None
    """The variable that ``this`` is in a constructor; set when its body is analysed."""
    watched: list[IntrinsicCall | MethodCall] = field(default_factory=list)
    """Calls that depend on the stage or the shader model."""
    vertex_reads: list[IntrinsicCall] = field(default_factory=list)
    """Calls of ``GetAttributeAtVertex``."""
    built_in: list[tuple[str, int]] = field(default_factory=list)
    """Constants and types that depend on the shader model, with their positions."""
    instances: set[Instance] = field(default_factory=set)
    """Template instances that the body uses."""
    is_poisoned: bool = False
    """Whether an invalid statement was left out of the body."""
    done: bool = False
    findings: dict[Callable[[Function], list[Raw]], list[Raw]] = field(default_factory=dict)
    """Checks that need the function only → what they found; shaders share functions (`findings_of`)."""
    lowered: dict[object, object] | None = None
    """Options that lowering depends on → the recording of the function by `codegen.lower.functions.shared`."""
    probe: Callable[[Context, int], None] | None = None
    """Called with the context and the position of each error: for editors, which ask for the names in scope there."""


def findings_of(f: Function, check: Callable[[Function], list[Raw]]) -> list[Raw]:
    """Return the findings of a check that examines one analysed function in isolation; it runs once a function."""
    source = f.source
    if not isinstance(source, BodySource):
        return []
    findings = source.findings.get(check)
    if findings is None:
        findings = source.findings[check] = check(f)
    return findings


MAX_TEMPLATE_DEPTH = 256
MAX_TEMPLATE_INSTANCES = 4096
"""Instances per template; stops templates whose instances multiply exponentially."""


class Context:
    """State of one analysis: of a top-level declaration without function bodies, or of one function body."""

    def __init__(
        self,
        language: Language,
        chunk: SourceChunk,
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
        self.nested_changes = 0
        """Assignments and increments that are operands, or may be: what `warnings.unsequenced` looks for."""
        self.loop_depth = 0
        self.replaces_variables = False
        """Whether a variable may replace another of its scope, as in the head of a ``for`` before HLSL 2021."""
        self.switch_types: list[Scalar] = []  # of the enclosing switches, the innermost last
        self.template_depth = 0
        # declarations of the chunk, in source order
        self.globals: list[Variable | CBuffer] = []
        self.functions: list[Function] = []
        self.structs: list[Struct] = []
        self.enums: list[Enum] = []
        self.definitions: list[tuple[Function, Function]] = []
        self.state_constants: list[tuple[str, int]] = []
        """Constants of newer shader models that subobjects name, with their positions."""
        self.pending: list[Function] = []
        """Functions whose bodies are checked even if they are unreachable."""
        self.instance: Instance | None = None
        """The template instance being built, if any."""
        self.used: set[Instance] = set()
        """Instances whose results were already merged into this context."""

    # --- instances of templates

    def use(self, instance: Instance) -> None:
        """Merge the diagnostics and declarations of a template instance, and first those of instances that it uses."""
        if self.instance is not None:
            self.instance.uses.append(instance)  # merged together with the enclosing instance
            return
        todo = [(instance, False)]
        while todo:
            current, is_ready = todo.pop()
            if is_ready:
                self._take(current)
            elif current not in self.used:
                self.used.add(current)
                todo.append((current, True))
                todo += [(other, False) for other in reversed(current.uses)]

    def _take(self, instance: Instance) -> None:
        self.messages += instance.messages
        self.globals += [x for x in instance.globals if x not in self.globals]
        self.functions += [x for x in instance.functions if x not in self.functions]
        self.structs += [x for x in instance.structs if x not in self.structs]
        self.enums += [x for x in instance.enums if x not in self.enums]
        self.definitions += [x for x in instance.definitions if x not in self.definitions]
        self.pending += [x for x in instance.pending if x not in self.pending]

    def mark(self) -> tuple[int, int]:
        """Return the state of the diagnostics, to which `forget` can roll back."""
        return len(self.messages), len(self.instance.uses) if self.instance is not None else 0

    def forget(self, mark: tuple[int, int]) -> None:
        """Discard the diagnostics reported since `mark`, after a speculative analysis."""
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
        """Report an error and raise `Poisoned`."""
        if self.source is not None and self.source.probe is not None:
            self.source.probe(self, pos)
        self.messages.append(Raw(code, pos, fmt, self.chunk, notes or [], hint))
        raise Poisoned

    def warn(self, code: Code, pos: int, *, notes: list[Raw] | None = None, hint: Hint = None, **fmt: object) -> None:
        self.messages.append(Raw(code, pos, fmt, self.chunk, notes or [], hint))

    def note(self, code: Code, pos: int, chunk: SourceChunk | None = None, **fmt: object) -> Raw:
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
        """Return the matrix order that ``#pragma pack_matrix`` sets at a position.

        ``None`` if there is no such pragma.
        """
        state: Majorness | None = None
        for start, value in self.pack:
            if start > pos:
                break
            state = value
        return state

    def uses(self, f: Function) -> None:
        if self.source is not None:
            self.source.calls[f] = None

    def watch(self, call: IntrinsicCall | MethodCall) -> None:
        """Record a call whose validity depends on the stage or the shader model."""
        if self.source is not None:
            self.source.watched.append(call)

    def uses_built_in(self, name: str, pos: int) -> None:
        """Record the use of a built-in constant or type whose validity depends on the shader model."""
        if self.source is not None:
            self.source.built_in.append((name, pos))

    def names(self, v: Variable) -> None:
        if self.source is not None and v.storage != "local":
            self.source.variables[v] = None

    def return_type(self) -> Type | None:
        return self.function.return_type if self.function is not None else None
