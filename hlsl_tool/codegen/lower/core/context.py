"""The context that all subpackages of lowering share.

``Lowering`` has the module under construction and the state of the function being written. Subpackages register
handlers in ``registry`` and import only the core and lower layers (see the layers of ``lower`` in pyproject.toml).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, Protocol

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.base.system.handlers import HandlerTable
from hlsl_tool.codegen.layout.rules import RULES_OF_OPTION, Rule
from hlsl_tool.codegen.lower.core.function_names import entry_parameter, linkage_name, signature_of, signature_text
from hlsl_tool.codegen.lower.core.limits import Limits
from hlsl_tool.codegen.lower.core.state import FunctionState
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.codegen.lower.types.inline import BadInlineType
from hlsl_tool.codegen.lower.types.kinds import holds_relaxed, is_relaxed
from hlsl_tool.codegen.lower.types.type_table import Types
from hlsl_tool.frontend.sema.checks.reachable.graph import body_of
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Param, Program, Variable
from hlsl_tool.frontend.sema.model.instances import Hint, Raw
from hlsl_tool.frontend.sema.model.types import Type, display
from hlsl_tool.spirv.builder import RELAXED, ModuleBuilder, TooLarge
from hlsl_tool.spirv.enums import LinkageType, StorageClass

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk


class Unsupported(Exception):
    """Raised after reporting HLSL without a SPIR-V mapping; ends the lowering of the statement or function."""


ABANDONED = (Unsupported, TooLarge, BadInlineType)
"""Exceptions that end a statement or a function."""


EXPRESSIONS: HandlerTable[type, Callable[..., Value | None]] = HandlerTable()
STATEMENTS: HandlerTable[type, Callable[..., None]] = HandlerTable()


class GlobalVariables(Protocol):
    """Declares global variables on demand; implemented by `global_variables.declare`."""

    def late(self, ctx: Lowering, v: Variable) -> Value:
        """Declare a global variable that the declaration pass skipped, and return its pointer."""
        ...

    def static_local(self, ctx: Lowering, v: Variable) -> None:
        """Declare and initialise a ``static`` variable inside a function."""
        ...

    def heap(self, v: Variable) -> None:
        """Declare the array of descriptors for one resource type of a descriptor heap."""
        ...

    def counter(self, v: Variable) -> int:
        """Return the id of the counter variable of a structured buffer."""
        ...

    def counter_type(self, t: Type) -> int:
        """Return the id of the counter's type for a buffer; for an array of buffers, an array of counters."""
        ...


LowerFunction = Callable[["Lowering", Function, str, int], None]
"""Writes a function: the lowering, the function, its name and its id."""


class FunctionSharing(Protocol):
    """Reuse of lowered functions between modules; implemented by `functions.shared`."""

    def define(self, ctx: Lowering, f: Function, name: str, function: int, lower: LowerFunction) -> None:
        """Write a function with id ``function``: replay its recorded instructions if they fit, else call ``lower``."""
        ...


class MeshOutput(Protocol):
    """The output variables for one array parameter of a mesh shader: vertices, primitives or indices."""

    def assign(self, ctx: Lowering, target: Expr, value: Value) -> None:
        """Store to an element of the array, or to a member or component of an element."""
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
        self.imports = options.profile.startswith("lib") or bool(options.libraries)
        """Whether the module is linked with others, which may define what it only declares."""
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
        """Replays functions that other modules have lowered; ``None``: lower all functions here."""

    def release(self) -> None:
        """Break reference cycles so that no garbage collection is needed; the object cannot be used afterwards."""
        del self.hooks, self.limits, self.resources, self.types

    # ------------------------------------------------------------------------------------------------------ dispatch

    def expr(self, e: hir.Expr) -> Value:
        """Lower an expression that has a value; the result is an l-value or an r-value."""
        v = self.expr_or_none(e)
        if v is None:
            raise InternalError(f"{e.__class__.__name__} gave no value")
        return v

    def expr_or_none(self, e: hir.Expr) -> Value | None:
        """Lower an expression; return ``None`` if its type is ``void``."""
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
        """Set the source position for the lowering of an argument.

        A default argument has that of the function's declaration.
        """
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
        """Attribute the instructions that follow to ``e``.

        Called for the parts of an access chain, which are lowered without calls of their handlers.
        """
        self.pos = e.pos

    def at_begin(self, node: hir.Stmt | hir.Expr, within: hir.Stmt | hir.Expr | None = None) -> None:
        """Attribute the instructions that follow to a node's first token.

        ``within`` gives the token range for DebugLine.
        """

    def at_end(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        """Attribute the instructions that follow to a node's last token.

        ``within`` gives the token range for DebugLine.
        """

    def at_part(self, whole: hir.Expr, part: hir.Expr | None) -> None:
        """Attribute the instructions that follow to an initialiser list; for DebugLine to the range of ``part``."""

    def at_check(self, s: hir.For) -> None:
        """Attribute the branch to a loop's check to its condition; for DebugLine to the loop's initialisation."""

    def at_ends(self, node: hir.Stmt, inner: hir.Stmt) -> None:
        """Attribute the instructions that follow to a node's last token; for DebugLine to that of ``inner``."""

    def enter_function(self, f: Function) -> None:
        """Hook: the lowering of a function begins."""

    def wrapper_begun(self, f: Function) -> None:
        """Hook: the wrapper of an entry point has its first block."""

    def parameters_written(self, f: Function) -> None:
        """Hook: the parameters of a function have been written, but no block yet."""

    def block_begun(self, s: hir.Stmt) -> None:
        """Hook: the statements of the block ``s`` follow; other statements are ignored."""

    def block_ended(self, s: hir.Stmt) -> None:
        """Hook: the statements of the block ``s`` are written; other statements are ignored."""

    def globals_declared(self) -> None:
        """Hook: all global variables have been declared."""

    def finished(self) -> None:
        """Hook: the module is complete."""

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
        """Report an exception that ended the lowering of a statement; `Unsupported` has been reported already."""
        if isinstance(reason, TooLarge):
            self.error(codes.TOO_LARGE, what=reason.what, count=reason.count, limit=reason.limit)
        elif isinstance(reason, BadInlineType):
            self.error(inline_codes.TYPE_OPCODE, reason=reason)

    def warn(self, code: Code, pos: int | None = None, *, chunk: SourceChunk | None = None, **fmt: object) -> None:
        """Report a warning at ``pos``, by default at the node being lowered."""
        at = self.pos if pos is None else pos
        self.messages.append(Raw(code, at, fmt, chunk or self.chunk))

    def note(self, code: Code, pos: int, chunk: SourceChunk | None) -> None:
        """Add a note at ``pos`` of ``chunk`` to the last diagnostic."""
        self.messages[-1].notes.append(Raw(code, pos, {}, chunk))

    # ----------------------------------------------------------------------------------------------------- shortcuts

    def type(self, t: Type, rule: Rule = Rule.VOID) -> int:
        """Return the SPIR-V type of ``t`` laid out by ``rule``."""
        return self.types.id(t, rule)

    def _unsupported_type(self, name: str) -> None:
        self.error(codes.FEATURE_UNSUPPORTED, what=f"the type '{name}'")

    def needs_legalization(self) -> None:
        """Record that the module is valid only after the legalisation passes."""
        self.b.needs_legalization = True

    def entry_mode(self, write: Callable[[Lowering], None]) -> None:
        """Write an execution mode for the entry point that is being lowered.

        In a library it is written for the other entry points that reach the current function, too, which an exported
        function may have reached first.
        """
        if self.wrapper:
            write(self)
        if self.function is not None and (len(self.program.entries) > 1 or not self.wrapper):
            self.entry_modes.setdefault(self.function, {})[write] = None

    def definition(self, f: Function) -> Function:
        """Return the definition of a declared function in this shader, after analysing its body."""
        return body_of(self.program, f)

    def function_id(self, f: Function) -> int:
        """Return the id of a function; queue the function for writing if it is not written yet."""
        f = self.definition(f)
        number = self.functions.get(f)
        if number is None:
            number = self.functions[f] = self.b.declare_function()
            if self.imports and not self.options.codegen_only and not self._may_be_linked(f):
                return number
            self.worklist.append(f)
            self.reached_from[f] = (self.stage, self.wrapper)
            if not f.has_body:
                self._decorate_linkage(number, f, LinkageType.Import)
            elif "export" in f.quals and (self.imports or self.options.codegen_only):  # as DXC, else it is complete
                self._decorate_linkage(number, f, LinkageType.Export)
        return number

    def _decorate_linkage(self, number: int, f: Function, linkage: int) -> None:
        name = linkage_name(f)
        self.b.decorate_linkage(number, name, linkage)
        if not self.options.codegen_only:
            self.b.string(signature_text(name, signature_of(f)))

    def _may_be_linked(self, f: Function) -> bool:
        """Return whether another module may define or call a function; report a parameter that prevents it."""
        p = entry_parameter(f) if not f.has_body or "export" in f.quals else None
        if p is not None:
            kind = "an exported function" if f.has_body else "a function of another module"
            self.error(codes.LINKED_PARAMETER, p.pos, chunk=f.chunk, name=p.name, type=display(p.type), kind=kind)
        return p is None

    def may_import(self, f: Function) -> bool:
        """Return whether another module may define a function without a body."""
        return self.imports and f.owner is None and not {"static", "inline"} & {*f.quals} and f.template_args is None

    def rvalue(self, id: int, t: Type) -> Value:
        """Return an r-value for an id; mark the id RelaxedPrecision if the type has minimum precision."""
        if is_relaxed(t):
            self.b.mark(id, RELAXED)
        return Value(id, t, True)

    def relaxed(self, id: int, t: Type) -> int:
        """Mark a variable, parameter or function RelaxedPrecision if its type or texels have minimum precision."""
        if holds_relaxed(t):
            self.b.mark(id, RELAXED)
        return id

    def holds(self, p: Param, pointer: int) -> None:
        """Record that the variable or parameter ``pointer`` holds the value of ``p``."""
        if self.vertex_values is not None:
            self.vertex_values.add(p, pointer)

    def require_env(self, env: str, what: str, pos: int) -> None:
        """Record that the feature ``what`` needs the target environment ``env`` or a newer one.

        At the end of the module, an error at ``pos`` is reported if the target environment is older.
        """
        self.env_requests.append((env, what, pos, self.chunk))

    def require_extension(self, name: str, what: str, pos: int | None = None) -> None:
        """Report an error and abandon the statement if the extension may not be used.

        ``what`` names the feature in the message.

        The extension itself is declared later, by ``codegen/passes/capabilities``.
        """
        if not self.is_enabled(name):
            self.fail(tool_codes.EXTENSION_NOT_PERMITTED, pos, name=name, what=what)

    def beyond_dxc(self, name: str, pos: int) -> None:
        """Report an error under ``-fcgl``: DXC has no translation of this intrinsic."""
        if self.options.codegen_only:
            self.fail(codes.INTRINSIC_UNSUPPORTED, pos, name=name)

    def mesh_output(self, e: hir.Expr) -> MeshOutput | None:
        """Return the mesh shader output (vertices, indices or primitives) that ``e`` accesses.

        The result is ``None`` for other expressions.
        """
        if not self.mesh_outputs:
            return None
        while isinstance(e, (hir.Index, hir.Member, hir.Swizzle, hir.MatrixSwizzle)):
            e = e.base
        return self.mesh_outputs.get(e.var) if isinstance(e, hir.VarRef) else None

    def input_builtin(self, builtin: int, type_id: int, name: str) -> int:
        """Return the input variable for a built-in, and add it to the entry point's interface."""
        v = self.b.builtin_variable(type_id, StorageClass.Input, builtin, name)
        self.extra_inputs[v] = None
        return v

    def version_at_least(self, major: int, minor: int) -> bool:
        """Return whether the module's SPIR-V version is at least ``major.minor``."""
        return self.b.version >= (major, minor)
