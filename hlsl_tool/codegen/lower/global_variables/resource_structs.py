"""Split global structs that contain buffers, or both resources and numbers.

No SPIR-V variable can have such a type. Each resource in the struct becomes a variable called ``s.t`` or ``s[1].t``;
all numbers together become a member of ``$Globals`` (or of the ``cbuffer`` that contains the struct). Accesses are
rewritten to these variables. A use of the whole struct constructs a value from them, which legalisation splits again.

Structs with only textures, samplers and texel buffers remain one variable, as in DXC (``codegen/passes/descriptors``
splits them).
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.core import memory, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import SplitStruct, Value
from hlsl_tool.codegen.lower.global_variables.binding_choice import binding_count, implicit_letter
from hlsl_tool.codegen.lower.types.kinds import has_counter, holds_resources, is_constants, is_structured_or_byte_buffer
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute, Register
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import (
    Array,
    Field,
    Struct,
    Type,
    innermost,
)

# ---------------------------------------------------------------------------------------------------------- declaration


class Splitter:
    """Creates the variables for one global struct."""

    def __init__(self, v: Variable) -> None:
        self.v = v
        self.resources: list[Variable] = []
        self.registers = {a.letter: a for a in v.registers}
        self.next_number = {letter: a.number for letter, a in self.registers.items()}
        self.next_binding = 0
        self.stripped: dict[Struct, tuple[Struct, dict[Field, Field]]] = {}

    def run(self) -> SplitStruct:
        """Return the struct as a tree of its parts (`SplitStruct`); append new variables to ``resources`` in order."""
        v, numbers = self.v, None
        bare = self._without_resources(v.type)
        if bare is not None:
            own = replace(v, type=bare, registers=(), init=None, scope="", owner=None)
            numbers = hir.VarRef(own, bare, v.pos)
        return self._part(v.type, v.name, v, numbers)

    def _without_resources(self, t: Type) -> Type | None:
        """Return a copy of a type without its resource members; ``None`` if no member remains."""
        if isinstance(t, Array):
            element = self._without_resources(t.element)
            return None if element is None else ty.array(element, t.size)
        if not isinstance(t, Struct):
            return None if holds_resources(t) else t
        if not holds_resources(t):
            return t
        bare, _ = self._strip(t)
        return bare if bare.all_fields() else None

    def _strip(self, s: Struct) -> tuple[Struct, dict[Field, Field]]:
        cached = self.stripped.get(s)
        if cached is not None:
            return cached
        bare = Struct(s.name, s.keyword, is_complete=True, pos=s.pos, chunk=s.chunk, is_anonymous=s.is_anonymous)
        fields: dict[Field, Field] = {}
        self.stripped[s] = bare, fields
        bare.bases = [base for base in (self._strip(b)[0] for b in s.bases) if base.all_fields()]
        for f in s.fields:
            t = self._without_resources(f.type)
            if t is not None:
                fields[f] = replace(f, type=t)
        bare.fields = list(fields.values())
        return bare, fields

    def _part(self, t: Type, name: str, declared: Variable | Field, numbers: hir.Expr | None) -> SplitStruct:
        if not isinstance(innermost(t), Struct):
            return SplitStruct(t, self._resource(t, name, declared))
        if isinstance(t, Array):
            return self._elements(t, name, declared, numbers)
        assert isinstance(t, Struct)
        remaining = self._strip(t)[1]
        part = SplitStruct(t, numbers=numbers, number_fields=remaining)
        for base in t.bases:
            bare = self._strip(base)[0]
            inner = hir.Cast("derived_to_base", numbers, bare, 0, True) if numbers and bare.all_fields() else None
            part.bases[base] = self._part(base, name, declared, inner)
        for f in t.fields:
            if holds_resources(f.type):
                own = remaining.get(f)
                inner_numbers = hir.Member(numbers, own, own.type, f.pos, True) if numbers and own else None
                part.fields[f] = self._part(f.type, f"{name}.{f.name}", f, inner_numbers)
        return part

    def _elements(self, t: Array, name: str, declared: Variable | Field, numbers: hir.Expr | None) -> SplitStruct:
        part = SplitStruct(t, numbers=numbers)
        for i in range(t.size or 0):
            inner: hir.Expr | None = None
            if numbers is not None:
                assert isinstance(numbers.type, Array)
                at = hir.Literal_(i, ty.INT, self.v.pos)
                inner = hir.Index(numbers, at, numbers.type.element, self.v.pos, True)
            part.elements.append(self._part(t.element, f"{name}[{i}]", declared, inner))
        return part

    def _resource(self, t: Type, name: str, declared: Variable | Field) -> Variable:
        v = self.v
        variable = Variable(
            name,
            t,
            "global",
            v.pos,
            v.chunk,
            v.is_const,
            (*v.quals, *declared.quals),
            declared.majorness,
            scope=v.scope,
        )
        variable.registers = self._registers(t)
        variable.attributes = self._attributes(t)
        self.resources.append(variable)
        return variable

    def _registers(self, t: Type) -> tuple[Register, ...]:
        """Return the register of one of the split struct's resources; an empty tuple without one.

        It is the first that the resources before leave free, counted from the struct's register for this kind.
        """
        letter = implicit_letter(t, None)
        register = self.registers.get(letter)
        if register is None:
            space = self.registers.get("")
            return (space,) if space is not None else ()
        number = self.next_number[letter]
        self.next_number[letter] = number + binding_count(t)
        return (replace(register, number=number),)

    def _attributes(self, t: Type) -> tuple[Attribute, ...]:
        """Return the attributes of the split struct for one of its resources.

        The number in ``vk::binding`` is increased by the bindings of the resources before it.
        """
        out = []
        for a in self.v.attributes:
            if a.scope == "vk" and a.name == "binding" and a.args and isinstance(a.args[0], int):
                out.append(replace(a, args=(a.args[0] + self.next_binding, *a.args[1:])))
            else:
                out.append(a)
        self.next_binding += binding_count(t)
        return tuple(out)


# ------------------------------------------------------------------------------------------------------------- accesses


def lowered(ctx: Lowering, e: hir.Expr) -> Value | None:
    """Return the value of an expression that denotes a split struct or a part of it.

    The result is ``None`` for any other expression.
    """
    part = _find(ctx, e)
    if part is None:
        return None
    if isinstance(part, SplitStruct):
        return _whole(ctx, part, e.pos)
    return ctx.expr(part)


def simplified(ctx: Lowering, e: hir.Expr) -> hir.Expr:
    """Return the expression for a resource's own variable if ``e`` selects it from a split struct.

    Otherwise return ``e``.
    """
    part = _find(ctx, e) if ctx.resource_structs else None
    return e if part is None or isinstance(part, SplitStruct) else part


def _find(ctx: Lowering, e: hir.Expr) -> SplitStruct | hir.Expr | None:
    """Return the part of a split struct that ``e`` denotes: a struct, or an array of structs.

    If ``e`` denotes a resource of a split struct, or a part of one, return the equivalent expression that names the
    resource's own variable. The result is ``None`` for all other expressions.
    """
    if isinstance(e, hir.VarRef):
        return _unwrap(ctx.resource_structs.get(e.var), e)
    if isinstance(e, (hir.Load, hir.Cast)):
        if isinstance(e, hir.Cast) and e.kind not in ("noop", "derived_to_base"):
            return None
        base = _find(ctx, e.operand)
        if not isinstance(base, SplitStruct):
            return base if base is None or e.type is base.type else replace(e, operand=base)
        return _base(base, e.type) if isinstance(e, hir.Cast) and e.kind == "derived_to_base" else base
    if isinstance(e, (hir.Member, hir.Index)):
        base = _find(ctx, e.base)
        if base is None:
            return None
        if not isinstance(base, SplitStruct):
            return replace(e, base=base)
        return _member(base, e) if isinstance(e, hir.Member) else _element(ctx, base, e)
    return None


def _unwrap(part: SplitStruct | None, e: hir.Expr) -> SplitStruct | hir.Expr | None:
    """Return ``part`` unless it is a resource; for a resource, return a reference to its variable in place of ``e``."""
    if part is None or part.resource is None:
        return part
    return hir.VarRef(part.resource, part.type, e.pos)


def _base(part: SplitStruct, wanted: Type) -> SplitStruct:
    for base, inner in part.bases.items():
        if base is wanted:
            return inner
        if isinstance(wanted, Struct) and base.derives_from(wanted):
            return _base(inner, wanted)
    raise KeyError(str(wanted))


def _member(part: SplitStruct, e: hir.Member) -> SplitStruct | hir.Expr:
    inner = part.fields.get(e.field)
    if inner is not None:
        resource = _unwrap(inner, e)
        assert resource is not None
        return resource
    own = part.number_fields[e.field]
    assert part.numbers is not None
    return hir.Member(part.numbers, own, own.type, e.pos, True)


def _element(ctx: Lowering, part: SplitStruct, e: hir.Index) -> SplitStruct:
    index = evaluate_int(e.index)
    if index is None or not 0 <= index < len(part.elements):
        ctx.fail(codes.RESOURCE_STRUCT_INDEX, e.index.pos)
    return part.elements[index]


def _whole(ctx: Lowering, part: SplitStruct, pos: int) -> Value:
    """Construct the value of a struct with resources from the variables of its members."""
    b = ctx.b
    ctx.needs_legalization()
    if part.elements:
        parts = [_whole(ctx, p, pos).id for p in part.elements]
        return Value(b.construct(ctx.type(part.type), parts), part.type, True)
    assert isinstance(part.type, Struct)
    values: dict[int, int] = {}
    bases = iter(part.type.bases)
    for p in ctx.types.placed(part.type, Rule.VOID):
        if p.field is None:
            values[p.index] = _whole(ctx, part.bases[next(bases)], pos).id
        elif p.index not in values:
            values[p.index] = _member_value(ctx, part, p.field, pos)
    return Value(b.construct(ctx.type(part.type), [values[i] for i in sorted(values)]), part.type, True)


def _member_value(ctx: Lowering, part: SplitStruct, f: Field, pos: int) -> int:
    value = _member(part, hir.Member(hir.This(part.type, pos), f, f.type, pos, True))
    if isinstance(value, SplitStruct):
        return _whole(ctx, value, pos).id
    if is_constants(innermost(f.type)):
        ctx.fail(codes.FEATURE_UNSUPPORTED, pos, what=f"a copy of a struct with a {f.type}")
    v = memory.load(ctx, ctx.expr(value))
    type_id = ctx.type(f.type)
    if (
        isinstance(f.type, Array)
        and ctx.b.type_of(v.id).kind == "pointer"
        and not is_structured_or_byte_buffer(f.type.element)
    ):
        return ctx.b.load(v.id)
    return relayout.to_type(ctx, v.id, f.type, type_id)


def part_of(ctx: Lowering, e: hir.Expr) -> SplitStruct | None:
    """Return the `SplitStruct` if ``e`` uses a split struct, or a struct in it, as a whole; else ``None``."""
    part = _find(ctx, e) if ctx.resource_structs else None
    return part if isinstance(part, SplitStruct) else None


def counted(
    ctx: Lowering, part: SplitStruct, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Type, Variable]]:
    """Yield (path of member indices, type, variable) for each buffer with a counter in a part of a split struct."""
    if not isinstance(part.type, Struct):
        return
    bases = iter(part.type.bases)
    for p in ctx.types.placed(part.type, Rule.VOID):
        inner = part.bases[next(bases)] if p.field is None else part.fields.get(p.field)
        if inner is None:
            continue
        here = (*path, p.index)
        if inner.resource is None:
            yield from counted(ctx, inner, here)
        elif has_counter(inner.type):
            yield here, inner.type, inner.resource
