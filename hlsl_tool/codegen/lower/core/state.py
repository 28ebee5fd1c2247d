"""State of a lowering, by lifetime: the module, the entry point, the function being written.

Each class extends the one before, because mypyc compiles classes with one base only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.core.hooks import CounterHooks
from hlsl_tool.codegen.lower.core.values import Loop, SplitStruct, Value, VertexValues
from hlsl_tool.codegen.lower.interface import ResourceRecord
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Enum, ObjectType, Type


def _all_disabled(_extension: str) -> bool:
    return False


@dataclass(eq=False, kw_only=True)
class ModuleState:
    """State of lowering for the whole module: ids of globals and functions, functions to write, pending checks."""

    __deletable__ = ("hooks",)

    # variables and functions
    globals: dict[Variable, Value] = field(default_factory=dict)
    functions: dict[Function, int] = field(default_factory=dict)
    worklist: list[Function] = field(default_factory=list)
    """Functions that are called and not yet written."""
    reached_variables: dict[Function, frozenset[Variable]] = field(default_factory=dict)
    """Cache: function → the global variables that it names, directly or through its callees."""
    reached_from: dict[Function, tuple[str, int]] = field(default_factory=dict)
    """Function → stage and wrapper of the entry point that called it first."""
    hooks: CounterHooks = field(default_factory=CounterHooks)
    is_enabled: Callable[[str], bool] = _all_disabled
    """Return whether an extension may be used."""

    # initialisation
    to_initialize: list[Variable] = field(default_factory=list)
    """Static globals, in order, to initialise at the start of the entry point."""
    module_init: list[Callable[[], None]] = field(default_factory=list)
    """Writers of the parts of ``module.init``."""
    group_init: list[Callable[[], None]] = field(default_factory=list)
    """Writers of the parts of ``group.init``."""

    # checks at the end
    env_requests: list[tuple[str, str, int, SourceChunk | None]] = field(default_factory=list)
    """(environment, feature, position, chunk) of features that need a target environment."""

    # resources
    resource_structs: dict[Variable, SplitStruct] = field(default_factory=dict)
    """Global structs whose resources are variables of their own."""
    flatten_resources: bool = False
    """Whether a global struct of resources exists, which legalisation must split."""
    local_resource_arrays: bool = False
    """Whether a function has a local array of resources."""
    fast_values: set[int] = field(default_factory=set)
    """Results of arithmetic in the math mode ``fast``, which a surrounding ``strict`` does not concern."""
    combined_image_samplers: list[ResourceRecord] = field(default_factory=list)
    """Textures and samplers to combine into sampled images, paired by their binding."""
    block_members: dict[Variable, tuple[int, int]] = field(default_factory=dict)
    """Member variable of a block → the block's variable and the index in it."""
    heap_variables: dict[tuple[str, ObjectType, bool], Variable] = field(default_factory=dict)
    """(heap, type, is globally coherent) → the array of its descriptors."""
    counted_indices: dict[Expr, int] = field(default_factory=dict)
    """Index with side effects → its value, until the counter of the same buffer is looked up."""
    float_comparisons: list[tuple[int, SourceChunk | None]] = field(default_factory=list)
    """Places of atomics that compare the bits of floats, which ``codegen/passes/float_comparisons`` makes valid."""
    vertex_values: VertexValues | None = None
    """What has a value for each vertex of the triangle, in a program with ``GetAttributeAtVertex``."""
    alignments: dict[int, int] = field(default_factory=dict)
    """Physical pointer → its known alignment in bytes."""
    matrix_tables: dict[tuple[str, int], int] = field(default_factory=dict)
    """(name, count) → the groupshared array with these numbers, from which matrices are loaded."""
    enumerators: dict[tuple[Enum, str], int] = field(default_factory=dict)
    """Enumerator of type ``int`` → its Private variable; empty without ``-fcgl``."""
    inline_builtins: dict[int, tuple[int, int, Variable]] = field(default_factory=dict)
    """Number of a built-in → the variable of inline SPIR-V, its storage class, its first declaration."""


@dataclass(eq=False, kw_only=True)
class EntryState(ModuleState):
    """State of lowering for entry points: wrappers, group sizes, additional inputs, payloads.

    It consists of mappings by entry point or variable: a library has several entry points.
    """

    wrapper: int = 0
    """The wrapper function of the entry point that is being lowered; 0 outside of one."""
    group_sizes: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Wrapper of an entry point → its threads in a group."""
    owned_globals: dict[int, int] = field(default_factory=dict)
    """Module variable of a single entry point → that entry point's wrapper."""
    extra_inputs: dict[int, None] = field(default_factory=dict)
    """Built-in inputs that the body uses, besides those of the signature."""
    flat_builtins: set[int] = field(default_factory=set)
    """Built-in inputs that are decorated with Flat."""
    positions: dict[int, tuple[int, SourceChunk | None]] = field(default_factory=dict)
    """Stage variable → position of its semantic, for errors about extensions that are found later."""
    interlock_modes: dict[int, int] = field(default_factory=dict)
    """Wrapper of a pixel shader → the mode of its critical sections, unless they are per pixel."""
    entry_modes: dict[Function, dict[Callable[[Any], None], None]] = field(default_factory=dict)
    """Function → writers of the execution modes that it needs; every entry point that reaches it has them."""

    # single stages
    streams: dict[Type, Any] = field(default_factory=dict)
    """Element type of an output stream → (interface, output variables) to which a vertex is written."""
    payload: Variable | None = None
    """The groupshared variable that an amplification shader passes to the mesh shaders it starts."""
    node_payloads: dict[Variable, int] = field(default_factory=dict)
    """Parameter of a work graph node → the array type of its payloads."""
    node_parameters: dict[Variable, int] = field(default_factory=dict)
    """Parameter that is a node's input, output or records → its pointer type."""
    ray_data: dict[int, dict[Type, tuple[int, int]]] = field(default_factory=dict)
    """Storage class → type → (variable, location) of data that travel between ray tracing shaders."""
    incoming_payloads: dict[Variable, int] = field(default_factory=dict)
    """Parameter of a ray tracing shader → the variable it is a copy of."""


@dataclass(eq=False, kw_only=True)
class FunctionState(EntryState):
    """State of lowering for the function being written: its local variables, loops and source position."""

    function: Function | None = None
    locals: dict[Variable, Value] = field(default_factory=dict)
    this: Value | None = None
    loops: list[Loop] = field(default_factory=list)
    """Enclosing loops and switches, the innermost last."""
    chunk: SourceChunk | None = None
    """Chunk that ``pos`` counts from."""
    pos: int = 0
    """Position of the node being lowered."""
    heap_coherent: bool = False
    """Whether the resource being initialised is globally coherent."""
