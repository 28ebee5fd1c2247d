"""The counters of structured buffers, also through aliases (manual: *HLSL Types*, append/consume buffers).

A buffer of the interface has a counter variable of its own (``Resources.counter``).  Whatever else names a buffer (a
local, a parameter, a function's result, a static variable, a member of any of these) has an *alias counter*: a Private
variable that points to the counter in use, and is assigned wherever the buffer is.  Legalisation follows both pointers.
"""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.lower import access, descriptor_heap, memory, resource_structs
from hlsl_tool.lower.context import Lowering
from hlsl_tool.lower.functions import spirv_name
from hlsl_tool.lower.types import has_counter
from hlsl_tool.sema import hir
from hlsl_tool.sema.types import Array, Struct, Type, innermost
from hlsl_tool.spirv import enums as e

Path = tuple[int, ...]
Owner = hir.Variable | hir.Function | tuple[str, hir.Function]
"""What a counter belongs to; ``("this", f)`` is the object of a method."""


class Counters:
    """The alias counters of a module."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.aliases: dict[tuple[Owner, Path], int] = {}
        ctx.extra["counter_of"] = self.counter_of
        ctx.extra["on_init"] = lambda _, v, init: self.assign_to(v, v.type, init)
        ctx.extra["on_argument"] = lambda _, p, argument: self.assign_to(p, p.type, argument)
        ctx.extra["on_return"] = lambda _, f, value: self.assign_to(f, f.return_type, value)
        ctx.extra["on_this"] = lambda _, f, this: self.assign_to(("this", f), f.owner, this)
        ctx.extra["on_assign"] = lambda _, target, value: self.assign(target, value)

    # ---------------------------------------------------------------------------------------------------------- reading

    def counter_of(self, x: hir.Expr) -> int | None:
        """A pointer to the counter (or the array of counters) of the buffer (or buffers) that ``x`` denotes."""
        x = resource_structs.simplified(self.ctx, _bare(x))
        heap = descriptor_heap.access_of(x)
        if heap is not None:
            return self._element(descriptor_heap.counter(self.ctx, heap), [heap.index])
        indices: list[hir.Expr] = []
        base = x
        while isinstance(base, hir.Index):
            indices.insert(0, base.index)
            base = _bare(base.base)
        whole = self._whole(base)
        return self._element(whole, indices) if whole is not None else None

    def _element(self, counters: int, indices: list[hir.Expr]) -> int:
        b = self.ctx.b
        if not indices:
            return counters
        info = b.pointee_of(counters)
        for _ in indices:
            info = info.elem
        return b.access_chain(info.id, counters, [memory.load(self.ctx, self.ctx.expr(i)).id for i in indices])

    def _whole(self, x: hir.Expr) -> int | None:
        if isinstance(x, hir.VarRef) and x.var.storage == "global":
            found: int = self.ctx.extra["resources"].counter(x.var)
            return found
        place = self._place(x)
        if place is None or not has_counter(innermost(x.type)) or (place[1] and isinstance(x.type, Array)):
            return None  # as DXC: members that are arrays have none
        return self.ctx.b.load(self._alias(*place, x.type))

    # ---------------------------------------------------------------------------------------------------------- writing

    def assign(self, target: hir.Expr, value: hir.Expr) -> None:
        """``a = b``, where these are buffers or structs that hold some."""
        target = _bare(target)
        if isinstance(target, hir.VarRef) and target.var.storage == "global":
            return
        place = self._place(target)
        if place is not None:
            self._assign(*place, target.type, value)

    def assign_to(self, owner: Owner, t: Type, value: hir.Expr) -> None:
        self._assign(owner, (), t, value)

    def _assign(self, owner: Owner, path: Path, t: Type, value: hir.Expr) -> None:
        if has_counter(innermost(t)):
            if path and isinstance(t, Array):
                return
            source = self.counter_of(value)
            if source is None:
                self.ctx.fail(codes.COUNTER_UNKNOWN, value.pos)
            self.ctx.b.store(self._alias(owner, path, t), source)
            self.ctx.needs_legalization()
        elif isinstance(t, Struct):
            fields = self._counted_fields(t)
            whole = resource_structs.part_of(self.ctx, _bare(value)) if fields else None
            if whole is not None:
                for inner, field_type, variable in resource_structs.counted(self.ctx, whole):
                    own = self.ctx.extra["resources"].counter(variable)
                    self.ctx.b.store(self._alias(owner, path + inner, field_type), own)
                return
            origin = self._place(_bare(value)) if fields else None
            if origin is None:
                return
            for inner, field_type in fields:
                source = self.ctx.b.load(self._alias(origin[0], origin[1] + inner, field_type))
                self.ctx.b.store(self._alias(owner, path + inner, field_type), source)

    # ---------------------------------------------------------------------------------------------------------- places

    def _place(self, x: hir.Expr) -> tuple[Owner, Path] | None:
        """The variable, function or object that ``x`` is (part of), and the members that lead to the part."""
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
        """Members with counters, at any depth."""
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
        found = self.aliases.get((owner, path))
        if found is None:
            ctx = self.ctx
            counters = ctx.b.pointer(e.StorageClass.Uniform, ctx.extra["resources"].counter_type(t))
            name = ".".join([f"counter.var.{_name(owner)}", *map(str, path)])
            found = self.aliases[owner, path] = ctx.b.global_variable(counters, e.StorageClass.Private, name)
        return found


def _name(owner: Owner) -> str:
    if isinstance(owner, tuple):
        return f"{spirv_name(owner[1])}.this"
    return owner.name


def _bare(x: hir.Expr) -> hir.Expr:
    """Without what changes nothing: loads, casts from an object to itself."""
    while isinstance(x, hir.Load) or (isinstance(x, hir.Cast) and x.kind == "noop"):
        x = x.operand
    return x
