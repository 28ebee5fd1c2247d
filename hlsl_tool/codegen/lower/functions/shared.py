"""Reuse lowered functions in the modules of other shaders.

Shaders that include the same headers share the HIR of their functions (`SemaMemory`), and most of these functions are
lowered to the same instructions in each module. When a function is lowered for the second time, its instructions are
also recorded, with symbols in place of the module's ids (`spirv.builder.recorded`), together with everything that its
lowering read or requested. Later modules replay the recording, which takes a tenth of the time. The output does not
depend on it, byte for byte:

- A function is not recorded if it declares anything outside of itself besides types, constants and instruction sets
  (`ModuleBuilder.module_changes`, `_watched`), or names an id that is neither of these, a global variable nor a
  function.
- A recording is replayed only if the function's callees, and the global variables that it names, have the same
  declarations as when it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hlsl_tool.base.options.compile_options import PLACES, CompileOptions, changed
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.functions.aliasing import reached_variables
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.spirv.builder.recorded import RecordedFunction, Recorder, write_recorded
from hlsl_tool.spirv.builder.symbols import NotShareable, SymbolTable
from hlsl_tool.spirv.enums import AddressingModel
from hlsl_tool.spirv.ir import Instruction

if TYPE_CHECKING:
    from hlsl_tool.codegen.lower.core.context import LowerFunction, Lowering
    from hlsl_tool.codegen.lower.core.limits import Nesting

_STAGES = frozenset(("vs", "ps", "cs"))
"""Stages in which the lowering of a function depends on nothing of the entry point but its group size."""
_UNRELATED = PLACES | {"include_dirs", "defines", "undefines", "entry", "entry_point_name"}
"""Options that do not affect how a function is lowered."""

_Declaration = tuple[object, ...]
"""How a global variable is declared, without ids: its type and flags, and its index in a block."""


@dataclass(slots=True, eq=False)
class Record:
    """The recording of a lowered function: its instructions, and everything that its lowering read or requested."""

    code: RecordedFunction
    constants: list[int]
    """Symbols of the requested constants, in order; some may not be in the instructions."""
    requested: list[int]
    """Symbols of the requested undefs and instruction sets, in order."""
    variables: list[tuple[Variable, _Declaration, int, int]]
    """The global variables that it names: declaration, and the symbols of value and block; 0 without one."""
    callees: list[tuple[Function, Function, int]]
    """The functions that it calls, in order: as named in the call, definition, and symbol."""
    reached: dict[Function, frozenset[Variable]]
    """The callees whose global variables arguments may alias → these variables."""
    nesting: Nesting | None
    needs_legalization: bool
    local_resource_arrays: bool
    pos: int


@dataclass(slots=True, eq=False)
class _Before:
    """Module state saved when the recording of a function begins, to compare with the state at its end."""

    watched: tuple[object, ...]
    constant_order: dict[int, None]
    requested: dict[int, None]
    decorations: dict[tuple[object, ...], Instruction]
    reached: dict[Function, frozenset[Variable]]
    needs_legalization: bool
    local_resource_arrays: bool


_SEEN = "seen"
"""Stands for a recording if the function has been lowered only once so far."""


class Sharing:
    """Records and replays functions while one module is lowered.

    Modules with the same symbol table share recordings.
    """

    def __init__(self, table: SymbolTable, options: CompileOptions) -> None:
        self.table = table
        self.options = tuple([(name, repr(value)) for name, value in changed(options) if name not in _UNRELATED])
        self.symbols: dict[int, int] = {}
        """Id of the module → symbol, of types and constants."""
        self.ids: dict[int, int] = {}
        """Symbol → id of the module, of types and constants."""

    def define(self, ctx: Lowering, f: Function, name: str, function: int, lower: LowerFunction) -> None:
        """Write a function: replay its recording, or lower it; record it when it is lowered for the second time."""
        if not _may_share(ctx) or not isinstance(f.source, BodySource):
            lower(ctx, f, name, function)
            return
        if f.source.lowered is None:
            f.source.lowered = {}
        records = f.source.lowered
        key = self.table, self.options, ctx.stage, ctx.group_sizes.get(ctx.wrapper), name
        record = records.get(key)
        if isinstance(record, Record) and self.repeat(ctx, f, record, function):
            return
        if record != _SEEN:
            lower(ctx, f, name, function)
            if record is not None or key not in records:  # it is recorded next time
                records[key] = _SEEN
            return
        before = self.begin(ctx)
        lower(ctx, f, name, function)
        records[key] = self.end(ctx, f, before)

    # ---- recording

    def begin(self, ctx: Lowering) -> _Before:
        """Start recording the function that is lowered next; the caller passes the result to `end`."""
        b = ctx.b
        before = _Before(
            _watched(ctx),
            b.constant_order,
            b.requested,
            b.decorations,
            ctx.reached_variables,
            b.needs_legalization,
            ctx.local_resource_arrays,
        )
        b.constant_order, b.requested, b.decorations = {}, {}, {}
        ctx.reached_variables = {}
        b.needs_legalization = ctx.local_resource_arrays = False
        b.own_ids = b.new_id()
        return before

    def end(self, ctx: Lowering, f: Function, before: _Before) -> Record | None:
        """Return the recording of the function; ``None`` if other modules cannot replay it."""
        b = ctx.b
        constants, requested, decorations = b.constant_order, b.requested, b.decorations
        b.constant_order, b.requested, b.decorations = before.constant_order, before.requested, before.decorations
        b.constant_order.update(constants)
        b.requested.update(requested)
        b.decorations.update(decorations)
        try:
            if before.watched != _watched(ctx):
                return None
            return self._record(ctx, f, list(constants), list(requested), list(decorations.values()))
        except NotShareable:
            return None
        finally:
            b.own_ids = 0
            ctx.reached_variables.update(before.reached)
            b.needs_legalization |= before.needs_legalization
            ctx.local_resource_arrays |= before.local_resource_arrays

    def _record(
        self,
        ctx: Lowering,
        f: Function,
        constants: list[int],
        requested: list[int],
        decorations: list[Instruction],
    ) -> Record:
        b, table = ctx.b, self.table
        source: BodySource = f.source
        nesting = ctx.limits.bodies.get(f)
        calls = {call.named: call.callee for call in nesting.calls} if nesting is not None else {}
        symbols = {0: 0}  # of the ids that only a lowering can find in another module
        for number in requested:
            symbols[number] = table.symbol(b, number, self.symbols)
        variables = []
        for v in source.variables:
            value, block = [symbols.setdefault(number, table.reserve(1)) for number in _ids_of(ctx, v)]
            variables.append((v, _declaration(ctx, v), value, block))
        callees = [
            (named, callee, symbols.setdefault(ctx.functions[callee], table.reserve(1)))
            for named, callee in calls.items()
        ]
        recorder = Recorder(b, table, self.symbols, symbols)
        for number in requested:
            if number in b.undefs.values():
                recorder.require(b.type_id_of(number))
        return Record(
            recorder.run(b.functions[-1], decorations),
            [table.symbol(b, number, self.symbols) for number in constants],
            [symbols[number] for number in requested],
            variables,
            callees,
            dict(ctx.reached_variables),
            nesting,
            b.needs_legalization,
            ctx.local_resource_arrays,
            ctx.pos,
        )

    # ---- repeating

    def repeat(self, ctx: Lowering, f: Function, record: Record, function: int) -> bool:
        """Replay a recording as the function with id ``function``.

        Return false if anything that it depends on differs.
        """
        ids = {0: 0, record.code.first: function}
        for variable, declaration, *symbols in record.variables:
            if _declaration(ctx, variable) != declaration:
                return False
            for symbol, number in zip(symbols, _ids_of(ctx, variable), strict=True):
                if ids.setdefault(symbol, number) != number:
                    return False
        if any(ctx.definition(named) is not callee for named, callee, _ in record.callees):
            return False
        if any(reached_variables(ctx, callee) != variables for callee, variables in record.reached.items()):
            return False
        b, table = ctx.b, self.table
        try:
            for symbol in record.code.outside:
                ids[symbol] = table.place(b, symbol, self.ids)
            constants = [table.place(b, symbol, self.ids) for symbol in record.constants]
        except NotShareable:
            return False
        b.constant_order.update(dict.fromkeys(constants))
        for symbol in record.requested:
            number = ids[symbol] = table.place(b, symbol, self.ids)
            b.requested[number] = None
        for _, callee, symbol in record.callees:
            ids[symbol] = ctx.function_id(callee)
        write_recorded(b, record.code, ids)
        b.needs_legalization |= record.needs_legalization
        ctx.local_resource_arrays |= record.local_resource_arrays
        if record.nesting is not None:
            ctx.limits.bodies[f] = record.nesting
        ctx.pos = record.pos
        return True


def _may_share(ctx: Lowering) -> bool:
    """Return whether lowered functions depend on nothing but HIR, the options and the stage."""
    b = ctx.b
    return (
        ctx.stage in _STAGES
        and not ctx.resource_structs
        and not ctx.enumerators
        and not ctx.inline_builtins
        and not ctx.heap_coherent
        and ctx.vertex_values is None
        and not ctx.types.has_declarations
        and not b.forward_pointers
        and b.addressing_model == AddressingModel.Logical
    )


def _ids_of(ctx: Lowering, v: Variable) -> tuple[int, int]:
    """Return (id of a global variable, id of the block that contains it); 0 for one that does not exist."""
    value = ctx.globals.get(v)
    member = ctx.block_members.get(v)
    return value.id if value is not None else 0, member[0] if member is not None else 0


def _declaration(ctx: Lowering, v: Variable) -> _Declaration:
    """Return the properties of a global variable on which functions depend, to compare them between modules."""
    value = ctx.globals.get(v)
    member = ctx.block_members.get(v)
    index = member[1] if member is not None else None
    if value is None:
        return (index,)
    return index, value.type, value.is_rvalue, value.is_alias, value.bits, value.rasterizer_ordered, value.row


def _watched(ctx: Lowering) -> tuple[object, ...]:
    """Return the module state that lowering a function must not change if it is to be recorded."""
    b = ctx.b
    return tuple(_watched_values(ctx)), b.module_changes, ctx.heap_coherent


def _watched_values(ctx: Lowering) -> Iterator[int]:
    collections = (
        ctx.messages, ctx.globals, ctx.to_initialize, ctx.module_init, ctx.env_requests, ctx.resource_structs,
        ctx.combined_image_samplers, ctx.block_members, ctx.heap_variables, ctx.counted_indices, ctx.alignments,
        ctx.inline_builtins, ctx.owned_globals, ctx.extra_inputs, ctx.flat_builtins, ctx.positions,
        ctx.incoming_payloads, ctx.float_comparisons, ctx.entry_modes,
        ctx.interlock_modes, ctx.types.structs, ctx.b.variables,
    )  # fmt: skip
    return map(len, collections)
