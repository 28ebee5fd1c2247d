"""What all areas of lowering share.

``Lowering`` holds the module under construction and the state of the function being written; the areas hang on to it
through three registries: expressions and statements by node class (``lowers``), intrinsic functions by name
(``intrinsic``), methods of built-in objects by object family and name (``method``).  Areas import this module and the
base layer (``types``, ``values``, ``memory``, ``casts``, ``constants``), never each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from hlsl_tool.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.diagnostics.errors import InternalError
from hlsl_tool.diagnostics.model import Code
from hlsl_tool.layout.rules import RULES_OF_OPTION, Rule
from hlsl_tool.lower.core.interface import InterfaceRecord, ResourceRecord
from hlsl_tool.lower.core.limits import Limits
from hlsl_tool.lower.core.types import BadInlineType, Types, holds_relaxed, is_relaxed
from hlsl_tool.lower.core.values import Loop, Value
from hlsl_tool.sema import hir
from hlsl_tool.sema.analysis import body_of
from hlsl_tool.sema.context import Raw
from hlsl_tool.sema.hir import Function, Program, Variable
from hlsl_tool.sema.types import Enum, ObjectType, Type
from hlsl_tool.spirv.builder import RELAXED, ModuleBuilder, TooLarge
from hlsl_tool.spirv.enums import ExecutionMode, StorageClass

if TYPE_CHECKING:
    from hlsl_tool.lower.resources.resource_structs import Part
    from hlsl_tool.options.model import CompileOptions
    from hlsl_tool.sema.source_chunk import SourceChunk


class GlobalVariables(Protocol):
    """The area of resources, as other areas call it."""

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


class Hooks:
    """Calls to the area of counters, which follows buffers through assignments.

    They do nothing until that area replaces them, as it does in programs that have counters.
    """

    def counter_of(self, buffer: hir.Expr) -> int | None:
        """Return a pointer to the counter of a buffer; ``None`` if it has none."""
        return None

    def on_declaration(self, variable: Variable) -> None: ...

    def on_init(self, variable: Variable, initializer: hir.Expr) -> None: ...

    def on_argument(self, parameter: Variable, argument: hir.Expr) -> None: ...

    def on_return(self, function: Function, value: hir.Expr) -> None: ...

    def on_this(self, function: Function, this: hir.Expr) -> None: ...

    def on_assign(self, target: hir.Expr, value: hir.Expr) -> None: ...


F = TypeVar("F", bound=Callable[..., Any])

EXPRESSIONS: dict[type, Callable[..., Value | None]] = {}
STATEMENTS: dict[type, Callable[..., None]] = {}
INTRINSICS: dict[str, Callable[[Lowering, hir.IntrinsicCall], Value | None]] = {}
METHODS: dict[tuple[str, str], Callable[[Lowering, hir.MethodCall], Value | None]] = {}


def lowers(*nodes: type) -> Callable[[F], F]:
    """Register the handler of expression or statement classes."""

    def register(handler: F) -> F:
        for n in nodes:
            table: dict[type, Any] = STATEMENTS if n in _STATEMENT_NODES else EXPRESSIONS
            assert n not in table, f"{n.__name__} has two handlers"
            table[n] = handler
        return handler

    return register


def intrinsic(*names: str) -> Callable[[F], F]:
    """Register the handler of intrinsic functions."""

    def register(handler: F) -> F:
        for n in names:
            assert n not in INTRINSICS, f"{n} has two handlers"
            INTRINSICS[n] = handler
        return handler

    return register


def method(family: str, *names: str) -> Callable[[F], F]:
    """Register the handler of methods of a family of objects (see ``family_of``)."""

    def register(handler: F) -> F:
        for n in names:
            assert (family, n) not in METHODS, f"{family}.{n} has two handlers"
            METHODS[family, n] = handler
        return handler

    return register


_STATEMENT_NODES = frozenset(
    (
        hir.Block,
        hir.DeclStmt,
        hir.ExprStmt,
        hir.If,
        hir.For,
        hir.While,
        hir.Do,
        hir.Switch,
        hir.Case,
        hir.Break,
        hir.Continue,
        hir.Discard,
        hir.Return,
        hir.EmptyStmt,
    )
)


def family_of(t: ObjectType) -> str:
    """The family whose methods an object has: ``texture`` (sampled), ``rwtexture``, ``sampled_texture``, ``buffer``
    (texel buffers), ``structured``, ``byte_address``, ``stream``, ``patch``, ``subpass``, ``ray_query``,
    ``buffer_pointer``, ``heap``, ``node``, ``hit_object``."""
    n = t.name.replace("RasterizerOrdered", "RW")
    if n in _FAMILIES:
        return _FAMILIES[n]
    if n.startswith("Texture"):
        return "texture"
    if n.startswith("RWTexture"):
        return "rwtexture"
    if n.startswith("vk::SampledTexture"):
        return "sampled_texture"
    if n.endswith("StructuredBuffer"):
        return "structured"
    if n.endswith("ByteAddressBuffer"):
        return "byte_address"
    if n.endswith("Stream"):
        return "stream"
    return "node" if "Node" in n else n


_FAMILIES = {
    "Buffer": "buffer",
    "RWBuffer": "buffer",
    "InputPatch": "patch",
    "OutputPatch": "patch",
    "SubpassInput": "subpass",
    "SubpassInputMS": "subpass",
    "RayQuery": "ray_query",
    "vk::BufferPointer": "buffer_pointer",
    ".Resource": "heap",
    ".Sampler": "heap",
    "dx::HitObject": "hit_object",
}


class Unsupported(Exception):
    """Something that has no mapping (yet): the message is given, the function is abandoned."""


ABANDONED = (Unsupported, TooLarge, BadInlineType)
"""Exceptions that end a statement or a function."""


class Lowering:
    """The lowering of one program to one module."""

    def __init__(self, program: Program, options: CompileOptions, builder: ModuleBuilder, stage: str) -> None:
        self.program = program
        self.options = options
        self.b = builder
        self.stage = stage
        """``vs ps cs hs ds gs ms as lib`` or a ray tracing stage."""
        c, t, s = RULES_OF_OPTION[options.layout]
        self.types = Types(builder, options.row_major, options.unknown_image_format, c, t, s, self._unsupported_type)
        self.types.integer_columns = self.types.pointer_arrays = not options.codegen_only
        self.types.widened_texels = not options.codegen_only
        self.messages: list[Raw] = []
        self.interface = InterfaceRecord(structs=self.types.structs)
        self.resource_structs: dict[Variable, Part] = {}
        """Global structs whose resources are variables of their own."""
        self.flatten_resources = False
        """A global struct of resources is there, which legalisation must take apart."""
        self.local_resource_arrays = False
        """A function has a local variable that is an array of resources."""
        self.combined_image_samplers: list[ResourceRecord] = []
        """Textures and samplers that are to become one sampled image, two and two by their binding."""
        # module state
        self.globals: dict[Variable, Value] = {}
        self.functions: dict[Function, int] = {}
        self.worklist: list[Function] = []
        self.limits = Limits(self)
        self.reached_from: dict[Function, tuple[str, int]] = {}
        """Function → stage and wrapper of the entry point that called it first."""
        self.group_sizes: dict[int, tuple[int, int, int]] = {}
        """Wrapper of an entry point → its threads in a group."""
        self.streams: dict[Type, Any] = {}
        """What an output stream is of → the interface that a vertex of it is written to."""
        self.mesh_outputs: dict[Variable, Any] = {}
        """Parameter of a mesh shader → what assignments to its elements are written to."""
        self.node_payloads: dict[Variable, int] = {}
        """Parameter of a work graph node → the array type of its payloads."""
        self.node_parameters: dict[Variable, int] = {}
        """Parameter that is a node's input, output or records → the pointer type that its function has for it."""
        self.payload: Variable | None = None
        """The groupshared variable that an amplification shader hands to the mesh shaders it starts."""
        self.ray_data: dict[int, dict[Type, tuple[int, int]]] = {}
        """Storage class → type → the variable in which such data travel between ray tracing shaders, its location."""
        self.incoming_payloads: dict[Variable, int] = {}
        """Parameter of a ray tracing shader → the variable it is a copy of."""
        self.is_enabled: Callable[[str], bool] = lambda _extension: False
        """May an extension be used?"""
        self.owned_globals: dict[int, int] = {}
        """Module variable that is part of one entry point only → that one's wrapper."""
        self.to_initialize: list[Variable] = []
        """Static globals, in order: initialised at the start of the entry point."""
        self.env_requests: list[tuple[str, str, int, SourceChunk | None]] = []
        """(environment, what for, position): checked when the module is done."""
        self.positions: dict[int, tuple[int, SourceChunk | None]] = {}
        """Stage variable → position of its semantic, for errors about extensions that are found later."""
        self.extra_inputs: dict[int, None] = {}
        """Built-in inputs that the body asked for, beside those of the signature."""
        # state of single areas
        self.hooks = Hooks()
        self.resources: GlobalVariables
        """Set by the area of resources before anything is lowered."""
        self.block_members: dict[Variable, tuple[int, int]] = {}
        """Member variable of a block → the block's variable and the index in it."""
        self.wrapper = 0
        """The wrapper function of the entry point that is being lowered; 0 outside of one."""
        self.interlock_mode = ExecutionMode.PixelInterlockOrderedEXT
        self.enumerators: dict[tuple[Enum, str], int] = {}
        """Enumerator of type ``int`` → its Private variable; empty without ``-fcgl``."""
        self.flat_builtins: set[int] = set()
        """Built-in inputs that are decorated with Flat."""
        self.heap_variables: dict[tuple[str, ObjectType, bool], Variable] = {}
        """(heap, type, is globally coherent) → the array of its descriptors."""
        self.heap_coherent = False
        """Whether the resource being initialised is globally coherent."""
        self.counted_indices: dict[hir.Expr, int] = {}
        """Index with side effects → its value, until the counter of the same buffer is looked up."""
        self.module_init: list[Callable[[], None]] = []
        """Writers of the parts of ``module.init``."""
        self.inline_builtins: dict[int, tuple[int, int, Variable]] = {}
        """Number of a built-in → the variable of inline SPIR-V, its storage class, its first declaration."""
        self.alignments: dict[int, int] = {}
        """Physical pointer → its known alignment in bytes."""
        # function state
        self.function: Function | None = None
        self.locals: dict[Variable, Value] = {}
        self.this: Value | None = None
        self.loops: list[Loop] = []
        self.chunk: SourceChunk | None = None
        self.pos = 0

    # ------------------------------------------------------------------------------------------------------ dispatch

    def expr(self, e: hir.Expr) -> Value:
        """An expression as it is: l-value or r-value."""
        v = self.expr_or_none(e)
        if v is None:
            raise InternalError(f"{e.__class__.__name__} gave no value")
        return v

    def expr_or_none(self, e: hir.Expr) -> Value | None:
        """The same for what may be ``void``."""
        handler = EXPRESSIONS.get(e.__class__)
        if handler is None:
            raise InternalError(f"no lowering for {e.__class__.__name__}")
        self.pos = e.pos
        return handler(self, e)

    def stmt(self, s: hir.Stmt) -> None:
        self.pos = s.pos
        STATEMENTS[s.__class__](self, s)

    @contextmanager
    def argument_of(self, c: hir.Call, index: int) -> Iterator[None]:
        """Positions of an argument of a call: a default argument stands where the function is declared."""
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
        """What follows comes from ``e``: for loops over chains, whose links are not dispatched."""
        self.pos = e.pos

    def at_begin(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        """What follows comes from the first token of a node; ``within`` is what to show of the source."""

    def at_end(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        """What follows comes from the last token of a node."""

    def enter_function(self, f: Function) -> None:
        """The function is about to begin."""

    def wrapper_begun(self, f: Function) -> None:
        """The wrapper of an entry point has its first block."""

    def parameters_written(self, f: Function) -> None:
        """The parameters of a function have been written, and no more."""

    def globals_declared(self) -> None:
        """All global variables have been declared."""

    def finished(self) -> None:
        """The module is complete."""

    # ------------------------------------------------------------------------------------------------------ messages

    def error(
        self,
        code: Code,
        pos: int | None = None,
        *,
        chunk: SourceChunk | None = None,
        hint: str | None = None,
        **fmt: object,
    ) -> None:
        at = self.pos if pos is None else pos
        self.messages.append(Raw(code, at, fmt, chunk or self.chunk, hint=hint))

    def fail(self, code: Code, pos: int | None = None, *, hint: str | None = None, **fmt: object) -> NoReturn:
        """Give the message and abandon the function."""
        self.messages.append(Raw(code, self.pos if pos is None else pos, fmt, self.chunk, hint=hint))
        raise Unsupported

    def abandoned(self, reason: Exception) -> None:
        """Report what the builder refuses; ``Unsupported`` has been reported where it was raised."""
        if isinstance(reason, TooLarge):
            self.error(codes.TOO_LARGE, what=reason.what, count=reason.count, limit=reason.limit)
        elif isinstance(reason, BadInlineType):
            self.error(inline_codes.TYPE_OPCODE, reason=reason)

    def warn(self, code: Code, pos: int | None = None, *, chunk: SourceChunk | None = None, **fmt: object) -> None:
        at = self.pos if pos is None else pos
        self.messages.append(Raw(code, at, fmt, chunk or self.chunk))

    # ----------------------------------------------------------------------------------------------------- shortcuts

    def type(self, t: Type, rule: Rule = Rule.VOID) -> int:
        return self.types.id(t, rule)

    def _unsupported_type(self, name: str) -> None:
        self.error(codes.FEATURE_UNSUPPORTED, what=f"the type '{name}'")

    def needs_legalization(self) -> None:
        self.b.needs_legalization = True

    def definition(self, f: Function) -> Function:
        """The definition of a function in this shader, its body analysed."""
        return body_of(self.program, f)

    def rvalue(self, id: int, t: Type) -> Value:
        """A result: marked RelaxedPrecision where its type asks for it."""
        if is_relaxed(t):
            self.b.mark(id, RELAXED)
        return Value(id, t, True)

    def relaxed(self, id: int, t: Type) -> int:
        """A variable, parameter or function: marked RelaxedPrecision where what it holds (or samples) asks for it."""
        if holds_relaxed(t):
            self.b.mark(id, RELAXED)
        return id

    def require_env(self, env: str, what: str, pos: int) -> None:
        """An error, in DXC's words, where the target environment is older than ``env``."""
        self.env_requests.append((env, what, pos, self.chunk))

    def is_mesh_output(self, e: hir.Expr) -> bool:
        """Is it a part of a mesh shader's vertices, indices or primitives?"""
        if not self.mesh_outputs:
            return False
        while isinstance(e, (hir.Index, hir.Member, hir.Swizzle, hir.MatrixSwizzle)):
            e = e.base
        return isinstance(e, hir.VarRef) and e.var in self.mesh_outputs

    def input_builtin(self, builtin: int, type_id: int, name: str) -> int:
        """A built-in input variable, in the entry point's interface."""
        v = self.b.builtin_variable(type_id, StorageClass.Input, builtin, name)
        self.extra_inputs[v] = None
        return v

    def version_at_least(self, major: int, minor: int) -> bool:
        return self.b.version >= (major, minor)
