"""Compute the divergence of expressions, and check the calls and indices in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.frontend.lints import intrinsics
from hlsl_tool.frontend.lints.divergence_sets import (
    ALL,
    GROUP,
    MARKED,
    QUAD,
    WAVE,
    Divergence,
    flat,
    join,
    keep,
    merge,
    part,
    parts,
)
from hlsl_tool.frontend.lints.program import Analysis
from hlsl_tool.frontend.lints.sources import thread_count
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.hir import Expr, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import VALUE_OBJECTS, Array, ObjectType, Scalar, Struct, Type, Vector

THIS = Variable("this", Struct("this"), "this")
_GROUP_SYNC = 1
"""The flag of `Barrier` that makes invocations wait for each other."""
_QUAD_STAGES = frozenset(("pixel", "compute", "mesh", "amplification"))
"""Stages with derivatives."""
_ORDERS = frozenset(("<", "<=", ">", ">="))
_GATHERED = "compute it before the branch, or use SampleGrad or SampleLevel"


class ValueWalker:
    """Computes the divergence of one function's expressions, given the divergence of its arguments."""

    def __init__(self, analysis: Analysis, chunk: SourceChunk | None, entry_flow: int) -> None:
        self.analysis = analysis
        self.chunk = chunk
        self.entry_flow = entry_flow
        """Divergence of the control flow in which the function is called."""
        self.flow = 0
        """Divergence of control flow within the function."""
        self.env: dict[Variable, Divergence] = {}
        self.written: dict[Variable, int] = {}
        """Variables that the innermost construct assigned, with the time of the last assignment."""
        self.time = 0
        """Number of assignments so far."""

    def value(self, e: Expr) -> Divergence:
        """Return the divergence of an expression, or of the contents of an l-value."""
        handler = self._handlers.get(e.__class__)
        return handler(self, e) if handler is not None else 0

    def whole(self, e: Expr) -> int:
        return flat(self.value(e))

    # ---- names and memory

    def _variable(self, e: hir.VarRef) -> Divergence:
        return self.env.get(e.var, 0)

    def _this(self, e: hir.This) -> Divergence:
        return self.env.get(THIS, 0)

    def _load(self, e: hir.Load) -> Divergence:
        return self.value(e.operand)

    def _member(self, e: hir.Member) -> Divergence:
        base = self.value(e.base)
        if isinstance(base, int):
            return base
        struct = e.base.type
        return part(base, self.analysis.field_index(struct, e.field)) if isinstance(struct, Struct) else flat(base)

    def _swizzle(self, e: hir.Swizzle) -> Divergence:
        base = self.value(e.base)
        if isinstance(base, int):
            return base
        if len(e.components) == 1:
            return part(base, e.components[0])
        return tuple([part(base, number) for number in e.components])

    def _matrix_swizzle(self, e: hir.MatrixSwizzle) -> Divergence:
        return self.whole(e.base)

    def _index(self, e: hir.Index) -> Divergence:
        base, index = self.value(e.base), self.whole(e.index)
        if not index and isinstance(e.base.type, Vector):
            number = literal_of(e.index)
            if isinstance(number, int):
                return part(base, number)
        if isinstance(e.base.type, Array) and _is_resource(e.base.type):
            self._check_index(e.base, index, e.pos)
        return join(flat(base), index)

    def _check_index(self, base: Expr, index: int, pos: int) -> None:
        """Report a divergent index into an array of resources."""
        while isinstance(base, hir.Index):
            base = base.base
        if index & WAVE and not index & MARKED and isinstance(base, hir.VarRef) and base.var.storage == "global":
            self.analysis.report_index(pos, self.chunk, index, base.var.name)

    def store(self, target: Expr, value: Divergence) -> None:
        """Record the divergence of the value that is assigned to an l-value."""
        if isinstance(target, hir.VarRef):
            if target.var.storage in ("local", "param"):
                self._set(target.var, value)
        elif isinstance(target, hir.This):
            self._set(THIS, value)
        elif isinstance(target, hir.Swizzle):
            self._store_components(target, value)
        elif isinstance(target, hir.Member):
            self._store_field(target, value)
        elif isinstance(target, hir.Index):
            self.store(target.base, join(join(self.whole(target.base), flat(value)), self.whole(target.index)))
        elif isinstance(target, (hir.MatrixSwizzle, hir.Cast)):
            base = target.base if isinstance(target, hir.MatrixSwizzle) else target.operand
            self.store(base, join(self.whole(base), flat(value)))

    def _set(self, var: Variable, value: Divergence) -> None:
        self.time += 1
        self.env[var] = value
        self.written[var] = self.time

    def _store_components(self, target: hir.Swizzle, value: Divergence) -> None:
        count = target.base.type.size if isinstance(target.base.type, Vector) else 1
        updated = list(parts(self.value(target.base), count))
        for number, component in enumerate(target.components):
            updated[component] = part(value, number)
        self.store(target.base, tuple(updated) if count > 1 else updated[0])

    def _store_field(self, target: hir.Member, value: Divergence) -> None:
        struct = target.base.type
        if isinstance(struct, Struct):
            index = self.analysis.field_index(struct, target.field)
            updated = list(parts(self.value(target.base), len(struct.all_fields())))
            if index < len(updated):
                updated[index] = value
                self.store(target.base, tuple(updated))

    # ---- operators

    def _cast(self, e: hir.Cast) -> Divergence:
        value = self.value(e.operand)
        if isinstance(value, int):
            return 0 if e.kind == "void" else value
        if e.kind == "to_scalar":
            return part(value, 0)
        if e.kind == "vector_truncate" and isinstance(e.type, Vector):
            return value[: e.type.size]
        if e.kind == "derived_to_base" and isinstance(e.type, Struct):
            return value[: len(e.type.all_fields())]
        return value if e.kind in ("numeric", "noop") else flat(value)

    def _unary(self, e: hir.Unary) -> Divergence:
        return self.value(e.operand)

    def _step(self, e: hir.IncDec) -> Divergence:
        value = self.value(e.operand)
        self.store(e.operand, value)
        return value

    def _binary(self, e: hir.Binary) -> Divergence:
        left, right = self.value(e.left), self.value(e.right)
        if left and e.op in _ORDERS and self._is_always_equal(e):
            return 0
        if not right and e.op in ("/", ">>", "&", "%") and left and _is_integer(e.left.type):
            return left if _keeps_low_bits(e) else 0
        return merge(left, right)

    def _is_always_equal(self, e: hir.Binary) -> bool:
        """Return whether comparing a thread index with a constant has the same result in the whole group."""
        one = memory_of(e.left)
        component = 0
        if isinstance(one, hir.Swizzle) and len(one.components) == 1:
            component, one = one.components[0], one.base
        count = thread_count(one.var, component, self.analysis.threads) if isinstance(one, hir.VarRef) else 0
        bound = evaluate_int(e.right) if count else None
        if bound is None:
            return False
        return bound <= 0 or bound >= count if e.op in ("<", ">=") else bound < 0 or bound >= count - 1

    def _logical(self, e: hir.Logical) -> Divergence:
        left = self.value(e.left)
        if not e.short_circuits:
            return merge(left, self.value(e.right))
        before = self.flow
        self.flow = self.diverge(flat(left), e.left)
        right = self.value(e.right)
        self.flow = before
        return merge(left, right)

    def _ternary(self, e: hir.Ternary) -> Divergence:
        cond = self.value(e.cond)
        before = self.flow
        if e.short_circuits:
            self.flow = self.diverge(flat(cond), e.cond)
        value = merge(self.value(e.then), self.value(e.otherwise))
        self.flow = before
        return merge(keep(cond, ALL), value)

    def diverge(self, divergence: int, cond: Expr) -> int:
        """Return the divergence of control flow under a condition with divergence ``divergence``."""
        bits = divergence & ALL
        if not bits or not bits & ~self.flow:
            return self.flow
        cause = self.analysis.cause(self.analysis.cause_of(divergence).source, cond.pos, self.chunk)
        return bits | self.flow & ALL | cause

    def _comma(self, e: hir.Comma) -> Divergence:
        self.value(e.left)
        return self.value(e.right)

    def _assign(self, e: hir.Assign) -> Divergence:
        value = self.value(e.value)
        self.store(e.target, value)
        return value

    def _compound(self, e: hir.CompoundAssign) -> Divergence:
        value = merge(self.value(e.target), self.value(e.value))
        self.store(e.target, value)
        return value

    def _list(self, e: hir.InitList) -> Divergence:
        values = [self.value(item) for item in e.items]
        if isinstance(e.type, Vector):
            out: list[Divergence] = []
            for item, value in zip(e.items, values, strict=True):
                out += parts(value, item.type.size if isinstance(item.type, Vector) else 1)
            if len(out) == e.type.size:
                return tuple(out)
        elif isinstance(e.type, Struct):
            fields = e.type.all_fields()
            if len(fields) == len(values) and all(i.type is f.type for i, f in zip(e.items, fields, strict=True)):
                return tuple(values)
        return flat(tuple(values))

    # ---- calls

    def _call(self, e: hir.Call) -> Divergence:
        this = self.value(e.this) if e.this is not None else 0
        arguments = [self.value(argument) for argument in e.args]
        for number, param in enumerate(e.function.params[: len(arguments)]):
            if param.direction == "out":
                arguments[number] = 0
        flow = join(self.flow, self.entry_flow)
        summary = self.analysis.call(e.function, tuple(arguments), this, flow)
        for param, argument, output in zip(e.function.params, e.args, summary.outputs, strict=False):
            if param.direction != "in":
                self.store(argument, output)
        if e.this is not None and e.this.is_lvalue:
            self.store(e.this, summary.this)
        return summary.result

    def _intrinsic(self, e: hir.IntrinsicCall) -> Divergence:
        values = [self.value(argument) for argument in e.args]
        name = e.name
        if name in intrinsics.SITES:
            self._check_call(e, name)
        if name == "NonUniformResourceIndex":
            return merge(values[0], MARKED)
        if name in intrinsics.SOURCES:
            return intrinsics.SOURCES[name] | self.analysis.cause(f"'{name}'")
        if name in intrinsics.ELEMENTWISE and values:
            result = values[0]
            for value in values[1:]:
                result = merge(result, value)
            return result
        total = flat(tuple(values))
        if "out" in e.directions or "inout" in e.directions:
            self._store_outputs(e, self._atomic(e, total))
        return keep(total, intrinsics.KEPT.get(name, ALL | MARKED))

    def _atomic(self, e: hir.IntrinsicCall | hir.MethodCall, total: int) -> int:
        """Return the divergence of a call's outputs, given the union ``total`` of its arguments' divergences.

        It is ``total``, except for atomics, which return a different value to each invocation.
        """
        if not e.name.startswith(intrinsics.ATOMIC):
            return total
        if any(literal_of(argument) == 0 for argument in e.args[1:]):
            return total  # a way to read
        return ALL | self.analysis.cause(f"the result of '{e.name}'")

    def _store_outputs(self, e: hir.IntrinsicCall | hir.MethodCall, value: int) -> None:
        for argument, direction in zip(e.args, e.directions, strict=False):
            if direction in ("out", "inout"):
                self.store(argument, value)

    def _method(self, e: hir.MethodCall) -> Divergence:
        owner = self.whole(e.object)
        values = [self.value(argument) for argument in e.args]
        name = e.name
        if name in intrinsics.SITES:
            self._check_call(e, name)
        total = join(flat(tuple(values)), owner)
        if name == "operator[]" and isinstance(e.object, hir.VarRef) and e.object.var.name in intrinsics.HEAPS:
            self._check_index(e.object, total, e.pos)
        if name.startswith("TraceRayInline"):
            self.store(e.object, total)
        kept = intrinsics.KEPT_BY_METHODS.get(name, ALL | MARKED)
        if "out" in e.directions:
            self._store_outputs(e, self._atomic(e, keep_int(total, kept)))
        if name == "SubpassLoad":
            return QUAD | WAVE | self.analysis.cause("'SubpassLoad'")
        return keep(total, kept)

    def _check_call(self, e: hir.IntrinsicCall | hir.MethodCall, name: str) -> None:
        """Report a call that must not be in divergent control flow, if it is."""
        flow = join(self.flow, self.entry_flow)
        report = self.analysis.report_flow
        if name in intrinsics.BARRIERS or (name == "Barrier" and _waits(e)):
            if flow & GROUP:
                hint = "let all invocations reach it, and put the rest of the branch under the condition again"
                report(codes.DIVERGENT_BARRIER, e.pos, self.chunk, flow, hint, name)
        elif not flow & QUAD or self.analysis.stage not in _QUAD_STAGES:
            return
        elif name in intrinsics.DERIVATIVES:
            report(codes.DIVERGENT_DERIVATIVE, e.pos, self.chunk, flow, "compute it before the branch", name)
        elif name in intrinsics.IMPLICIT_LOD and isinstance(e, hir.MethodCall):
            report(codes.DIVERGENT_SAMPLE, e.pos, self.chunk, flow, _GATHERED, name)

    _handlers: ClassVar[dict[type, Callable[..., Divergence]]] = {
        hir.VarRef: _variable,
        hir.This: _this,
        hir.Load: _load,
        hir.Member: _member,
        hir.Swizzle: _swizzle,
        hir.MatrixSwizzle: _matrix_swizzle,
        hir.Index: _index,
        hir.Cast: _cast,
        hir.Unary: _unary,
        hir.IncDec: _step,
        hir.Binary: _binary,
        hir.Logical: _logical,
        hir.Ternary: _ternary,
        hir.Comma: _comma,
        hir.Assign: _assign,
        hir.CompoundAssign: _compound,
        hir.InitList: _list,
        hir.Call: _call,
        hir.IntrinsicCall: _intrinsic,
        hir.MethodCall: _method,
    }


def keep_int(divergence: int, bits: int) -> int:
    """Return the divergence of a whole value without all groups of invocations that are not in ``bits``."""
    return flat(keep(divergence, bits))


def literal_of(e: Expr) -> bool | int | float | str | None:
    """Return the value of a literal, ignoring conversions; ``None`` for other expressions."""
    while isinstance(e, hir.Cast):
        e = e.operand
    return e.value if isinstance(e, hir.Literal_) else None


def memory_of(e: Expr) -> Expr:
    """Return the l-value below an expression's loads and conversions; other expressions unchanged."""
    while isinstance(e, (hir.Load, hir.Cast)):
        e = e.operand
    return e


def _waits(e: hir.IntrinsicCall | hir.MethodCall) -> bool:
    flags = evaluate_int(e.args[-1]) if e.args else None
    return flags is not None and flags & _GROUP_SYNC != 0


def _is_resource(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.element
    return isinstance(t, ObjectType) and t.name not in VALUE_OBJECTS and t.name != "RayQuery"


def _is_integer(t: Type) -> bool:
    t = t.element if isinstance(t, Vector) else t
    return isinstance(t, Scalar) and t.is_integer


def _keeps_low_bits(e: hir.Binary) -> bool:
    """Return whether neighbouring integers certainly still differ after ``&`` or ``%`` with a constant."""
    number = literal_of(e.right)
    if not isinstance(number, int):
        return False
    return (e.op == "&" and number & 1 == 1) or (e.op == "%" and number > 1)
