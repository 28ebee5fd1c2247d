"""Counters of structured buffers, also when a buffer is accessed through an alias (manual: *HLSL Types*).

A buffer of the interface has a counter variable (``Resources.counter``). Any other declaration of a buffer (a local, a
parameter, a function's result, a static variable, a member of any of these) has an *alias counter*: a Private variable
that points to the current counter, and that is assigned together with the buffer. Legalisation resolves both pointers.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.function_names import linkage_name, spirv_name
from hlsl_tool.codegen.lower.core.hooks import CounterHooks
from hlsl_tool.codegen.lower.types.kinds import has_counter
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.enums import LinkageType, StorageClass

Path = tuple[int, ...]
Owner = hir.Variable | hir.Function | tuple[str, hir.Function]
"""The owner of a counter; ``("this", f)`` is the object of a method."""


class Counters:
    """Creates and assigns the alias counters of a module."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.aliases: dict[tuple[Owner, Path], int] = {}
        ctx.hooks = _FollowCounters(self)

    # ---------------------------------------------------------------------------------------------------------- reading

    def counter_of(self, x: hir.Expr) -> int | None:
        """Return a pointer to a buffer's counter (for an array of buffers, to the array of counters).

        The result is ``None`` without one.
        """
        from hlsl_tool.codegen.lower.global_variables import resource_structs  # start-up time
        from hlsl_tool.codegen.lower.resources import descriptor_heap

        x = resource_structs.simplified(self.ctx, _bare(x))
        heap = descriptor_heap.access_of(x)
        if heap is not None:
            return self._element(descriptor_heap.counter(self.ctx, heap), [heap.index])
        base, indices = _without_indices(x)
        whole = self._whole(base)
        if whole is None:
            return None
        counter = self._element(whole, indices)
        return self.ctx.b.load(counter) if self.ctx.b.pointee_of(counter).kind == "pointer" else counter

    def _element(self, counters: int, indices: list[hir.Expr]) -> int:
        """Return a pointer to the element of an array of counters, or of pointers to counters, that indices select."""
        b = self.ctx.b
        if not indices:
            return counters
        info = b.pointee_of(counters)
        for _ in indices:
            info = info.elem
        return b.access_chain(info.id, counters, [self._index(i) for i in indices])

    def _index(self, x: hir.Expr) -> int:
        """Return the value of an index.

        Reuse the value from the buffer access if evaluating it again would have side effects.
        """
        value = self.ctx.counted_indices.pop(x, None)
        return memory.load(self.ctx, self.ctx.expr(x)).id if value is None else value

    def _whole(self, x: hir.Expr) -> int | None:
        if isinstance(x, hir.VarRef) and x.var.storage == "global":
            return self.ctx.resources.counter(x.var)
        place = self._place(x)
        if place is None or not has_counter(innermost(x.type)) or (place[1] and isinstance(x.type, Array)):
            return None  # as in DXC, members that are arrays have no counters
        alias = self._alias(*place, x.type)
        return alias if self.ctx.types.is_pointer_array(x.type) else self.ctx.b.load(alias)

    # ---------------------------------------------------------------------------------------------------------- writing

    def assign(self, target: hir.Expr, value: hir.Expr) -> None:
        """Assign the alias counters for an assignment of ``value`` to ``target``: buffers, or structs with buffers."""
        target = _bare(target)
        if isinstance(target, hir.VarRef) and target.var.storage == "global":
            return
        whole, indices = _without_indices(target)
        place = self._place(whole)
        if place is None:
            return
        if not indices:
            self._assign(*place, target.type, value)
        elif has_counter(innermost(target.type)) and not place[1] and self.ctx.types.is_pointer_array(whole.type):
            element = self._element(self._alias(*place, whole.type), indices)
            self.ctx.b.store(element, self._pointers(target.type, value))

    def declare(self, v: hir.Variable) -> None:
        """Declare the alias counter of a local buffer; it precedes the evaluation of the initial value, as in DXC."""
        if isinstance(v.type, ObjectType) and has_counter(v.type):
            self._alias(v, (), v.type)

    def assign_to(self, owner: Owner, t: Type, value: hir.Expr) -> None:
        self._assign(owner, (), t, value)

    def assign_from_this(self, function: hir.Function, this: hir.Expr) -> None:
        """After a method call, copy the alias counters of ``this`` to those of the object that it was called for."""
        assert function.owner is not None
        place = self._place(_bare(this))
        if place is None:
            return
        for inner, field_type in self._counted_fields(function.owner):
            counter = self.ctx.b.load(self._alias(("this", function), inner, field_type))
            self.ctx.b.store(self._alias(place[0], (*place[1], *inner), field_type), counter)

    def _assign(self, owner: Owner, path: Path, t: Type, value: hir.Expr) -> None:
        if has_counter(innermost(t)):
            if path and isinstance(t, Array):
                return
            self.ctx.b.store(self._alias(owner, path, t), self._pointers(t, value))
            self.ctx.needs_legalization()
        elif isinstance(t, Struct):
            fields = self._counted_fields(t)
            if not fields:
                return
            from hlsl_tool.codegen.lower.global_variables import resource_structs  # start-up time

            whole = resource_structs.part_of(self.ctx, _bare(value))
            if whole is not None:
                for inner, field_type, variable in resource_structs.counted(self.ctx, whole):
                    own = self.ctx.resources.counter(variable)
                    self.ctx.b.store(self._alias(owner, path + inner, field_type), own)
                return
            origin = self._place(_bare(value)) if fields else None
            if origin is None:
                return
            for inner, field_type in fields:
                source = self.ctx.b.load(self._alias(origin[0], origin[1] + inner, field_type))
                self.ctx.b.store(self._alias(owner, path + inner, field_type), source)

    def _pointers(self, t: Type, value: hir.Expr) -> int:
        """Return the value to assign to an alias counter: a pointer to the counter, or an array of such pointers."""
        ctx = self.ctx
        value = _bare(value)
        by_element = isinstance(t, Array) and ctx.types.is_pointer_array(t)
        if by_element and isinstance(t, Array) and isinstance(value, hir.InitList):
            items = value.items
            if len(items) == t.size and all(_bare(item).type is t.element for item in items):
                return ctx.b.construct(self._alias_type(t), [self._pointers(t.element, item) for item in items])
        source = self.counter_of(value)
        if source is None:
            ctx.fail(codes.COUNTER_UNKNOWN, value.pos)
        return self._read(t, source) if by_element else source

    def _read(self, t: Type, counters: int) -> int:
        """Return a pointer to a counter, or an array of such pointers, read from counters or alias counters."""
        b = self.ctx.b
        info = b.pointee_of(counters)
        if not isinstance(t, Array):
            return b.load(counters) if info.kind == "pointer" else counters
        parts = [
            self._read(t.element, b.access_chain(info.elem.id, counters, [b.const_i32(i)])) for i in range(t.size or 0)
        ]
        return b.construct(self._alias_type(t), parts)

    # --------------------------------------------------------------------------------------------------------- linkage

    def link(self) -> None:
        """Import and export the alias counters of the parameters and results of functions that modules share."""
        for f in self.ctx.functions if self.ctx.imports else ():
            if f.has_body and "export" not in f.quals:
                continue
            linkage = LinkageType.Export if f.has_body else LinkageType.Import
            owners: list[Owner] = [f, *f.params]
            for (owner, path), alias in self.aliases.items():
                if owner in owners:
                    name = ".".join(["counter.var", linkage_name(f), *map(str, (owners.index(owner), *path))])
                    self.ctx.b.decorate_linkage(alias, name, linkage)

    # ---------------------------------------------------------------------------------------------------------- places

    def _place(self, x: hir.Expr) -> tuple[Owner, Path] | None:
        """Return (declaration that contains ``x``, member path of ``x`` in it).

        The result is ``None`` for an interface variable or a value.
        """
        if isinstance(x, hir.VarRef):
            return (x.var, ()) if x.var.storage not in ("global", "cbuffer_member") else None
        if isinstance(x, hir.This):
            return (("this", self.ctx.function), ()) if self.ctx.function is not None else None
        if isinstance(x, hir.Call):
            return self.ctx.definition(x.function), ()
        if isinstance(x, hir.Cast) and x.kind == "derived_to_base":
            base = self._place(_bare(x.operand))
            s = x.operand.type
            if base is None or not isinstance(s, Struct) or not isinstance(x.type, Struct):
                return None
            return base[0], (*base[1], *access.base_indices(self.ctx, s, x.type))
        if isinstance(x, hir.Member) and isinstance(x.base.type, Struct):
            base = self._place(_bare(x.base))
            if base is None:
                return None
            return base[0], (*base[1], access.member_index(self.ctx, x.base.type, x.field)[0])
        return None

    def _counted_fields(self, t: Struct, path: Path = ()) -> list[tuple[Path, Type]]:
        """Return (member path, type) of each buffer with a counter in a struct, at any depth."""
        out: list[tuple[Path, Type]] = []
        for i, base in enumerate(t.bases):
            out += self._counted_fields(base, (*path, i))
        for f in t.fields:
            if has_counter(f.type):
                out.append(((*path, access.member_index(self.ctx, t, f)[0]), f.type))
            elif isinstance(f.type, Struct):
                out += self._counted_fields(f.type, (*path, access.member_index(self.ctx, t, f)[0]))
        return out

    def _alias(self, owner: Owner, path: Path, t: Type) -> int:
        alias = self.aliases.get((owner, path))
        if alias is None:
            name = ".".join([f"counter.var.{_name(owner)}", *map(str, path)])
            alias_type = self._alias_type(t)
            alias = self.aliases[owner, path] = self.ctx.b.global_variable(alias_type, StorageClass.Private, name)
        return alias

    def _alias_type(self, t: Type) -> int:
        """Return the id of an alias counter's type: a pointer to a counter, or an array of such pointers."""
        b = self.ctx.b
        if isinstance(t, Array) and self.ctx.types.is_pointer_array(t):
            return b.array(self._alias_type(t.element), t.size or 0)
        return b.pointer(StorageClass.Uniform, self.ctx.resources.counter_type(t))


def _name(owner: Owner) -> str:
    if isinstance(owner, tuple):
        return f"{spirv_name(owner[1])}.this"
    return owner.name


def _bare(x: hir.Expr) -> hir.Expr:
    """Return an expression without loads and casts of an object to its own type; for an assignment its target."""
    while True:
        if isinstance(x, hir.Load) or (isinstance(x, hir.Cast) and x.kind == "noop"):
            x = x.operand
        elif isinstance(x, hir.Assign):
            x = x.target
        else:
            return x


def _without_indices(x: hir.Expr) -> tuple[hir.Expr, list[hir.Expr]]:
    """Return (array below subscripts, subscripts from the outermost dimension inwards)."""
    indices: list[hir.Expr] = []
    while isinstance(x, hir.Index):
        indices.insert(0, x.index)
        x = _bare(x.base)
    return x, indices


class _FollowCounters(CounterHooks):
    """Implements the counter hooks: assigns alias counters wherever buffers are assigned, passed or returned."""

    def __init__(self, counters: Counters) -> None:
        self.counters = counters

    def counter_of(self, buffer: hir.Expr) -> int | None:
        return self.counters.counter_of(buffer)

    def on_declaration(self, variable: hir.Variable) -> None:
        self.counters.declare(variable)

    def on_init(self, variable: hir.Variable, initializer: hir.Expr) -> None:
        self.counters.assign_to(variable, variable.type, initializer)

    def on_argument(self, parameter: hir.Variable, argument: hir.Expr) -> None:
        self.counters.assign_to(parameter, parameter.type, argument)

    def on_output(self, parameter: hir.Variable, argument: hir.Expr) -> None:
        self.counters.assign(argument, hir.VarRef(parameter, parameter.type, argument.pos))

    def on_return(self, function: hir.Function, value: hir.Expr) -> None:
        self.counters.assign_to(function, function.return_type, value)

    def on_this(self, function: hir.Function, this: hir.Expr) -> None:
        assert function.owner is not None
        self.counters.assign_to(("this", function), function.owner, this)

    def on_this_output(self, function: hir.Function, this: hir.Expr) -> None:
        self.counters.assign_from_this(function, this)

    def on_assign(self, target: hir.Expr, value: hir.Expr) -> None:
        self.counters.assign(target, value)
