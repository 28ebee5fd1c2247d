"""The resource variables that lowering has declared."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import SplitStruct
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource, register_of
from hlsl_tool.codegen.lower.interface import ResourceRecord
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk


class ResourceTable:
    """The resource variables declared so far; it also records them for reflection."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.bound: list[Resource] = []
        """The resources that get a binding, in order."""
        self.counters: dict[Variable, int] = {}
        """Structured buffer → its counter variable."""
        self.heaps: set[Variable] = set()
        """Arrays of descriptors in heaps."""
        self.splits: dict[Variable, tuple[SplitStruct, list[Variable]]] = {}
        """Struct with resources → its parts, and variables for its resources."""
        self.members = ctx.block_members
        self.push_constant: tuple[int, SourceChunk | None] | None = None
        """Position of the first `vk::push_constant`."""
        self.has_globals = False
        """Whether ``$Globals`` was declared."""

    def record(
        self,
        name: str,
        kind: str,
        variable: int,
        decl: Variable | CBuffer | None,
        layout: str = "",
        at: Variable | None = None,
    ) -> ResourceRecord:
        """Record a resource for reflection and return the record; its type is ``kind`` unless a variable declares it.

        ``variable`` is the SPIR-V variable. The source location is that of ``decl`` or, without one, of ``at``.
        """
        reg = register_of(decl, self.ctx.stage)
        where = decl if decl is not None else at
        record = ResourceRecord(name, kind, variable, layout=layout, type=kind)
        if where is not None:
            record.token = (where.pos, where.chunk)
        if isinstance(decl, Variable):
            record.type = ty.display(decl.type)
        if reg is not None:
            record.register = f"{reg.letter}{reg.number}" if reg.letter else None
            record.space = reg.space
        self.ctx.interface.resources.append(record)
        return record

    def split_struct(self, v: Variable) -> tuple[SplitStruct, list[Variable]]:
        """Return (member tree of a struct with resources, variables for its resources); cached."""
        split = self.splits.get(v)
        if split is None:
            from hlsl_tool.codegen.lower.global_variables.resource_structs import Splitter  # start-up time

            splitter = Splitter(v)
            part = splitter.run()
            split = self.splits[v] = part, splitter.resources
            self.ctx.resource_structs[v] = part
        return split
