"""The context that all areas of lowering share.

``Lowering`` holds the module under construction and the state of the function being written.  Areas register handlers
in ``registry`` and import the core, never an area above their own (see the layers of ``lower`` in pyproject.toml).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, Protocol

from hlsl_tool.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.diagnostics.errors import InternalError
from hlsl_tool.diagnostics.model import Code
from hlsl_tool.layout.rules import RULES_OF_OPTION, Rule
from hlsl_tool.lower.core.limits import Limits
from hlsl_tool.lower.core.state import FunctionState
from hlsl_tool.lower.core.values import Value
from hlsl_tool.lower.interface import InterfaceRecord
from hlsl_tool.lower.types.inline import BadInlineType
from hlsl_tool.lower.types.kinds import holds_relaxed, is_relaxed
from hlsl_tool.lower.types.types import Types
from hlsl_tool.sema import hir
from hlsl_tool.sema.hir import Expr, Function, Program, Variable
from hlsl_tool.sema.instances import Hint, Raw
from hlsl_tool.sema.reachable.graph import body_of
from hlsl_tool.sema.types import Type
from hlsl_tool.spirv.builder import RELAXED, ModuleBuilder, TooLarge
from hlsl_tool.spirv.enums import LinkageType, StorageClass
from hlsl_tool.system.handlers import HandlerTable

if TYPE_CHECKING:
    from hlsl_tool.options.model import CompileOptions
    from hlsl_tool.sema.source_chunk import SourceChunk


class Unsupported(Exception):
    """Raised after an error is reported for HLSL without a mapping to SPIR-V; abandons the statement or function."""


ABANDONED = (Unsupported, TooLarge, BadInlineType)
"""Exceptions that end a statement or a function."""


EXPRESSIONS: HandlerTable[type, Callable[..., Value | None]] = HandlerTable()
STATEMENTS: HandlerTable[type, Callable[..., None]] = HandlerTable()


class GlobalVariables(Protocol):
    """Declarations of global variables on demand; implemented by `global_variables.declare`."""

    def late(self, ctx: Lowering, v: Variable) -> Value:
        """Declare a variable that was not declared in its turn, and return it."""
        ...

    def static_local(self, ctx: Lowering, v: Variable) -> None:
        """Declare and initialise a static variable of a function."""
        ...

    def heap(self, v: Variable) -> None:
        """Declare an array of descriptors of a heap."""
        ...

    def counter(self, v: Variable) -> int:
        """Return the counter variable of a structured buffer."""
        ...

    def counter_type(self, t: Type) -> int:
        """Return the type of the counter of a buffer, or of an array of counters."""
        ...


LowerFunction = Callable[["Lowering", Function, str, int], None]
"""Writes a function: the lowering, the function, its name and its id."""


class FunctionSharing(Protocol):
    """Functions that several modules share; implemented by `functions.shared`."""

    def define(self, ctx: Lowering, f: Function, name: str, function: int, lower: LowerFunction) -> None:
        """Write a function with the id ``function``, by ``lower`` unless it can be repeated."""
        ...


class MeshOutput(Protocol):
    """The output variables behind a vertex, primitive or index array of a mesh shader."""

    def assign(self, ctx: Lowering, target: Expr, value: Value) -> None:
        """Store to an element of the array, or to a part of an element."""
        ...


class Lowering(FunctionState):
    """The lowering of one program to one module."""

    __deletable__ = ("limits", "resources", "types")

    resources: GlobalVariables
    """Set before anything is lowered."""

    def __init__(self, program: Program, options: CompileOptions, builder: ModuleBuilder, stage: str) -> None:
        super().__init__()
        self.program = program
        self.options = options
        self.b = builder
        self.stage = stage
        """``vs ps cs hs ds gs ms as lib`` or a ray tracing stage."""
        self.messages: list[Raw] = []
        self.limits = Limits(self)
        self.mesh_outputs: dict[Variable, MeshOutput] = {}
        """Output parameter of a mesh shader → its output variables."""
        cbuffer, tbuffer, sbuffer = RULES_OF_OPTION[options.layout]
        self.types = Types(
            builder,
            options.row_major,
            options.unknown_image_format,
            cbuffer,
            tbuffer,
            sbuffer,
            self._unsupported_type,
            integer_columns=not options.codegen_only,
            pointer_arrays=not options.codegen_only,
            widened_texels=not options.codegen_only,
        )
        self.interface = InterfaceRecord(structs=self.types.structs)
        self.sharing: FunctionSharing | None = None
        """Repeats functions that other modules have lowered; ``None`` to lower all."""

    def release(self) -> None:
        """Break reference cycles, which only the garbage collector would free; nothing can be lowered afterwards."""
        del self.hooks, self.limits, self.resources, self.types

    # ------------------------------------------------------------------------------------------------------ dispatch

    def expr(self, e: hir.Expr) -> Value:
        """Lower an expression that has a value; the result is an l-value or an r-value."""
        v = self.expr_or_none(e)
        if v is None:
            raise InternalError(f"{e.__class__.__name__} gave no value")
        return v

    def expr_or_none(self, e: hir.Expr) -> Value | None:
        """Lower an expression that may be ``void``."""
        handler = EXPRESSIONS.find(e.__class__)
        if handler is None:
            raise InternalError(f"no lowering for {e.__class__.__name__}")
        self.pos = e.pos
        return handler(self, e)

    def stmt(self, s: hir.Stmt) -> None:
        self.pos = s.pos
        STATEMENTS[s.__class__](self, s)

    @contextmanager
    def argument_of(self, c: hir.Call, index: int) -> Iterator[None]:
        """Set the source position while an argument is lowered: a default argument is in the function's declaration."""
        first_default = len(c.args) - len(c.default_chunks)
        if index < first_default:
            yield
            return
        outer, self.chunk = (self.chunk, self.pos), c.default_chunks[index - first_default]
        try:
            yield
        finally:
            self.chunk, self.pos = outer

    # ----------------------------------------------------------------------------------------------- debug information
    # These do nothing; ``debug_info`` overrides them.

    def at(self, e: hir.Expr) -> None:
        """Attribute the instructions that follow to ``e``; for links of a chain, which are not dispatched."""
        self.pos = e.pos

    def at_begin(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        """Attribute the instructions that follow to the first token of a node; ``within`` is the range to show."""

    def at_end(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        """Attribute the instructions that follow to the last token of a node."""

    def enter_function(self, f: Function) -> None:
        """Notify that a function is about to begin."""

    def wrapper_begun(self, f: Function) -> None:
        """Notify that the wrapper of an entry point has its first block."""

    def parameters_written(self, f: Function) -> None:
        """Notify that the parameters of a function have been written, but no block."""

    def globals_declared(self) -> None:
        """Notify that all global variables have been declared."""

    def finished(self) -> None:
        """Notify that the module is complete."""

    # ------------------------------------------------------------------------------------------------------ messages

    def error(
        self,
        code: Code,
        pos: int | None = None,
        *,
        chunk: SourceChunk | None = None,
        hint: Hint = None,
        **fmt: object,
    ) -> None:
        """Report an error at ``pos``, by default at the node being lowered."""
        at = self.pos if pos is None else pos
        self.messages.append(Raw(code, at, fmt, chunk or self.chunk, hint=hint))

    def fail(self, code: Code, pos: int | None = None, *, hint: Hint = None, **fmt: object) -> NoReturn:
        """Report an error and raise `Unsupported`."""
        self.messages.append(Raw(code, self.pos if pos is None else pos, fmt, self.chunk, hint=hint))
        raise Unsupported

    def abandoned(self, reason: Exception) -> None:
        """Report a limit of the builder or a bad inline type; `Unsupported` has been reported already."""
        if isinstance(reason, TooLarge):
            self.error(codes.TOO_LARGE, what=reason.what, count=reason.count, limit=reason.limit)
        elif isinstance(reason, BadInlineType):
            self.error(inline_codes.TYPE_OPCODE, reason=reason)

    def warn(self, code: Code, pos: int | None = None, *, chunk: SourceChunk | None = None, **fmt: object) -> None:
        """Report a warning at ``pos``, by default at the node being lowered."""
        at = self.pos if pos is None else pos
        self.messages.append(Raw(code, at, fmt, chunk or self.chunk))

    # ----------------------------------------------------------------------------------------------------- shortcuts

    def type(self, t: Type, rule: Rule = Rule.VOID) -> int:
        """Return the SPIR-V type of ``t`` laid out by ``rule``."""
        return self.types.id(t, rule)

    def _unsupported_type(self, name: str) -> None:
        self.error(codes.FEATURE_UNSUPPORTED, what=f"the type '{name}'")

    def needs_legalization(self) -> None:
        """Mark the module as invalid until the legalisation passes have run."""
        self.b.needs_legalization = True

    def definition(self, f: Function) -> Function:
        """Return the definition of a function in this shader, with its body analysed."""
        return body_of(self.program, f)

    def function_id(self, f: Function) -> int:
        """Return the id of a function, and queue the function for writing."""
        f = self.definition(f)
        number = self.functions.get(f)
        if number is None:
            number = self.functions[f] = self.b.declare_function()
            self.worklist.append(f)
            self.reached_from[f] = (self.stage, self.wrapper)
            if "export" in f.quals:
                self.b.decorate_linkage(number, f.name, LinkageType.Export)
        return number

    def rvalue(self, id: int, t: Type) -> Value:
        """Return an r-value; its id is marked RelaxedPrecision if the type has minimum precision."""
        if is_relaxed(t):
            self.b.mark(id, RELAXED)
        return Value(id, t, True)

    def relaxed(self, id: int, t: Type) -> int:
        """Mark a variable, parameter or function RelaxedPrecision if its contents or texels have minimum precision."""
        if holds_relaxed(t):
            self.b.mark(id, RELAXED)
        return id

    def require_env(self, env: str, what: str, pos: int) -> None:
        """Report an error at the end of the module if the target environment is older than ``env``."""
        self.env_requests.append((env, what, pos, self.chunk))

    def require_extension(self, name: str, what: str, pos: int | None = None) -> None:
        """Report that ``what`` needs an extension that may not be used, and abandon the statement.

        ``passes/capabilities`` declares the extension.
        """
        if not self.is_enabled(name):
            self.fail(tool_codes.EXTENSION_NOT_PERMITTED, pos, name=name, what=what)

    def beyond_dxc(self, name: str, pos: int) -> None:
        """Report an intrinsic without a translation in DXC, whose refusals ``-fcgl`` follows."""
        if self.options.codegen_only:
            self.fail(codes.INTRINSIC_UNSUPPORTED, pos, name=name)

    def mesh_output(self, e: hir.Expr) -> MeshOutput | None:
        """Return the output of a mesh shader (vertices, indices or primitives) that ``e`` is or is part of."""
        if not self.mesh_outputs:
            return None
        while isinstance(e, (hir.Index, hir.Member, hir.Swizzle, hir.MatrixSwizzle)):
            e = e.base
        return self.mesh_outputs.get(e.var) if isinstance(e, hir.VarRef) else None

    def input_builtin(self, builtin: int, type_id: int, name: str) -> int:
        """Return a built-in input variable and add it to the entry point's interface."""
        v = self.b.builtin_variable(type_id, StorageClass.Input, builtin, name)
        self.extra_inputs[v] = None
        return v

    def version_at_least(self, major: int, minor: int) -> bool:
        """Return whether the module has this SPIR-V version or a later one."""
        return self.b.version >= (major, minor)
