"""Global variables: resources, blocks, ``$Globals``, push constants, specialisation constants, statics, groupshared.

Manual: *HLSL Variables and Resources*.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import constants
from hlsl_tool.codegen.lower.core.context import Lowering, Unsupported
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.global_variables.binding_choice import Binder
from hlsl_tool.codegen.lower.global_variables.reach import in_order, statics_of_instances, unneeded_statics
from hlsl_tool.codegen.lower.global_variables.statics import Statics
from hlsl_tool.codegen.lower.global_variables.table import ResourceTable
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import (
    ObjectType,
    Type,
    innermost,
)
from hlsl_tool.spirv.enums import StorageClass


class Resources:
    """Declares a program's global variables in order, and binds the resources among them at the end."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.table = ResourceTable(ctx)
        self.statics = Statics(ctx)
        self.rejected: set[Variable] = set()
        """Variables that are not declared because of an error."""
        ctx.resources = self

    def declare_all(self) -> None:
        """Declare the global variables of the program in order; skip static ones that the shader does not need."""
        ctx = self.ctx
        unneeded = self._unneeded()
        for g in ctx.program.globals:
            if g in unneeded:
                continue
            ctx.chunk, ctx.pos = g.chunk, g.pos
            if isinstance(g, CBuffer):
                from hlsl_tool.codegen.lower.global_variables.cbuffers import declare_cbuffer  # start-up time

                declare_cbuffer(self.table, g)
            else:
                self._variable(g)
        self._members_of_instances()

    def _members_of_instances(self) -> None:
        """Declare static members of template instances whose initial values the entry point must compute.

        The other static members are declared when a function names them.
        """
        ctx = self.ctx
        functions = ctx.program.analysed if ctx.stage in ("hs", "lib") else ctx.program.reachable
        members = statics_of_instances(ctx.program, functions, ctx.to_initialize)
        members = {v: None for v in members if v.init is not None and constants.folded(ctx, v.init) is None}
        if not members:
            return
        for v in members:
            ctx.chunk, ctx.pos = v.chunk, v.pos
            self._variable(v)
        before = [v for v in ctx.to_initialize if v not in members]
        ctx.to_initialize[:] = in_order(ctx.program, before, {v: None for v in members if v in ctx.globals})

    def _unneeded(self) -> set[Variable]:
        """Return the static variables that need no declaration; an empty set if all must be declared.

        All are declared under ``-fcgl``, whose output equals DXC's; for debug information, which lists all variables;
        and in hull shaders and libraries, in which functions are lowered that `unneeded_statics` does not consider.
        """
        options = self.ctx.options
        if options.codegen_only or options.debug_line or self.ctx.stage in ("hs", "lib"):
            return set()
        return unneeded_statics(self.ctx.program)

    def bind_all(self) -> None:
        """Choose the bindings of all resources and write their decorations."""
        self._binder().run()
        if self.ctx.options.reflect_decorations:
            from hlsl_tool.codegen.lower.global_variables import reflection_decorations  # start-up time

            reflection_decorations.write(self.ctx, self.table.bound)

    def _binder(self) -> Binder:
        if self.ctx.options.binding_scheme == "dxc":
            return Binder(self.ctx, self.table.bound)
        from hlsl_tool.codegen.lower.global_variables.glslang_bindings import GlslangBinder  # start-up time

        return GlslangBinder(self.ctx, self.table.bound)

    def late(self, ctx: Lowering, v: Variable) -> Value:
        """Declare a variable that `declare_all` skipped, and return its pointer.

        Such variables are static members of classes and of template instances.
        """
        if v not in self.rejected:
            self._variable(v)
        if v not in ctx.globals:  # an error has been reported
            if isinstance(innermost(v.type), ObjectType):
                if ctx.stage != "ps" and vk_attribute(v.attributes, "input_attachment_index") is not None:
                    ctx.fail(codes.SUBPASS_STAGE)
                raise Unsupported  # there is no placeholder for a resource
            # a placeholder of the type, to find further errors
            if not any(m.chunk is v.chunk for m in ctx.messages):
                ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"a global variable of type '{v.type}'")
            ctx.globals[v] = Value(
                ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), StorageClass.Private, v.name), v.type),
                v.type,
                False,
            )
        return ctx.globals[v]

    def _variable(self, v: Variable) -> None:
        from hlsl_tool.codegen.lower.global_variables.one_variable import declare  # start-up time

        count = len(self.ctx.messages)
        declare(self.table, self.statics, v)
        if v not in self.ctx.globals and len(self.ctx.messages) > count:
            self.rejected.add(v)

    def static_local(self, ctx: Lowering, v: Variable) -> None:
        """Declare and initialise a ``static`` variable inside a function."""
        self.statics.declare_local(v)

    def heap(self, v: Variable) -> None:
        """Declare the array of descriptors for one resource type of a descriptor heap."""
        from hlsl_tool.codegen.lower.global_variables.external import declare_heap  # start-up time

        declare_heap(self.table, v)

    def counter(self, v: Variable) -> int:
        """Return the id of a structured buffer's counter variable; declare it at the first request."""
        from hlsl_tool.codegen.lower.global_variables.external import declare_counter  # start-up time

        return declare_counter(self.table, v)

    def counter_type(self, t: Type) -> int:
        """Return the id of the counter's type for a buffer; for an array of buffers, an array of counters."""
        from hlsl_tool.codegen.lower.global_variables.resource_types import counter_type  # start-up time

        return counter_type(self.ctx, t)
