"""``GetAttributeAtVertex``: a pixel shader input's value at a vertex of the triangle (KHR barycentrics).

The input becomes an array with an element for each vertex; other reads of the input get the element of the first
vertex.  The argument may be a parameter with a value for each vertex (`functions.vertex_parameters`); other
parameters are traced to the input variable in the code written so far.
"""

from __future__ import annotations

from typing import TypeGuard

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic, passes
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import VERTICES
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Param
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction


@intrinsic("GetAttributeAtVertex")
def _at_vertex(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    if ctx.stage != "ps":
        ctx.fail(codes.AT_VERTEX_STAGE, c.pos)
    source = _without_casts(c.args[0])
    element = ty.element_of(source.type)
    if element is None or element.category == "bool":
        ctx.error(codes.NOT_AN_INPUT, c.pos)
        return ctx.rvalue(ctx.b.undef(ctx.type(c.type)), c.type)
    values = _values(ctx, source, c.pos)
    vertex = memory.load(ctx, ctx.expr(c.args[1])).id
    return _value(ctx, values, source, vertex, c.type)


@passes("vertex")
def _argument(ctx: Lowering, source: hir.Expr, p: Param) -> int:
    """Return an array with the values of an argument at all vertices."""
    b = ctx.b
    source = _without_casts(source)
    values = _values(ctx, source, source.pos)
    holder = memory.local(ctx, ty.array(p.type, VERTICES), f"param.var.{p.name}")
    for vertex in range(VERTICES):
        value = _value(ctx, values, source, b.const_uint(vertex), p.type)
        b.store(b.access_chain(ctx.type(p.type), holder.id, [b.const_uint(vertex)]), value.id)
    return holder.id


def _values(ctx: Lowering, source: hir.Expr, pos: int) -> int:
    """Return a pointer to an array with the values at all vertices of the input that ``source`` names.

    ``source`` may also be a swizzle of the input. Report any other expression.
    """
    base = _without_casts(source.base) if _is_swizzle(source) else source
    if isinstance(base, hir.VarRef) and base.var in ctx.vertex_arrays:
        return ctx.vertex_arrays[base.var]
    v = ctx.expr(base)
    variable = None if v.is_rvalue else _Trace(ctx).input(v.id)
    if variable is None:
        ctx.fail(codes.NOT_AN_INPUT, pos)
    _make_arrays(ctx, variable)
    return variable


def _value(ctx: Lowering, values: int, source: hir.Expr, vertex: int, to: Type) -> Value:
    """Return the value of ``source`` at a vertex as type ``to``."""
    b = ctx.b
    value = b.load(b.access_chain(b.pointee_of(values).elem.id, values, [vertex]))
    if _is_swizzle(source):
        picked = source.components
        value = b.extract(value, picked[0]) if len(picked) == 1 else b.shuffle(value, value, picked)
    return casts.convert(ctx, ctx.rvalue(value, source.type), to)


def _is_swizzle(x: hir.Expr) -> TypeGuard[hir.Swizzle]:
    return isinstance(x, hir.Swizzle) and isinstance(x.base.type, ty.Vector)


def _without_casts(x: hir.Expr) -> hir.Expr:
    while isinstance(x, hir.Load) or (isinstance(x, hir.Cast) and not x.is_explicit):
        x = x.operand
    return x


class _Trace:
    """Traces a pointer back to the only input variable that its value can come from."""

    def __init__(self, ctx: Lowering) -> None:
        self.b = ctx.b
        assert ctx.b.function is not None
        self.current = ctx.b.function
        self.functions = [*ctx.b.functions, self.current]
        self.wrapper = ctx.wrapper
        self.pending = bool(ctx.worklist)
        self.written = {i.result_id: i for f in self.functions for i in f.instructions() if i.result_id}
        self.inputs = {i.result_id for i in ctx.b.variables if i.operands[0] == StorageClass.Input}

    def input(self, pointer: int) -> int | None:
        return self._pointer(self.current, pointer, ())

    def _pointer(self, f: Function, pointer: int, path: tuple[int, ...]) -> int | None:
        if pointer in self.inputs:
            is_array = self.b.pointee_of(pointer).kind == "array"
            return pointer if path == ((0,) if is_array else ()) else None
        inst = self.written.get(pointer)
        if inst is not None and inst.op == op.OpAccessChain:
            steps = [self.b.constant_value(i) for i in inst.ints()[1:]]
            if not all(isinstance(s, int) for s in steps):
                return None
            return self._pointer(f, inst.id(0), (*(int(s) for s in steps if s is not None), *path))
        for k, p in enumerate(f.parameters):
            if p.result_id == pointer:
                return self._argument(f, k, path)
        stores = [i for i in f.instructions() if i.op == op.OpStore and i.id(0) == pointer]
        return self._value(f, stores[0].id(1), path) if len(stores) == 1 else None

    def _argument(self, f: Function, k: int, path: tuple[int, ...]) -> int | None:
        """Return the input variable that all calls of ``f`` pass for parameter number ``k``, or for a part of it.

        ``path`` are the member indices that lead to the part. The result is ``None`` if the calls pass different
        inputs, or if functions that are not written yet may also call ``f``.
        """
        calls = [
            (caller, i)
            for caller in self.functions
            for i in caller.instructions()
            if i.op == op.OpFunctionCall and i.id(0) == f.id
        ]
        if self.pending and not any(caller.id == self.wrapper for caller, _ in calls):
            return None
        inputs = {self._pointer(caller, i.id(1 + k), path) for caller, i in calls}
        return inputs.pop() if len(inputs) == 1 else None

    def _value(self, f: Function, value: int, path: tuple[int, ...]) -> int | None:
        inst = self.written.get(value)
        if inst is None:
            return None
        if inst.op == op.OpLoad:
            return self._pointer(f, inst.id(0), path)
        if inst.op == op.OpCompositeConstruct and path:
            return self._value(f, inst.id(path[0]), path[1:])
        if inst.op == op.OpCompositeExtract:
            return self._value(f, inst.id(0), (*inst.ints()[1:], *path))
        return None


def _make_arrays(ctx: Lowering, requested: int) -> None:
    """Change the requested input, and all flat float inputs, into arrays with an element for each vertex."""
    b = ctx.b
    if b.pointee_of(requested).kind == "array":
        return
    for inst in b.variables:
        flat = (op.OpDecorate, inst.result_id, Decoration.Flat)
        if inst.operands[0] != StorageClass.Input or b.pointee_of(inst.result_id).kind == "array":
            continue
        if inst.result_id == requested or (
            flat in b.decorations and b.pointee_of(inst.result_id).scalar.kind == "float"
        ):
            b.decorations.pop(flat, None)
            _make_array(ctx, inst)


def _make_array(ctx: Lowering, variable: Instruction) -> None:
    b, i = ctx.b, variable.result_id
    value_type = b.pointee_of(i).id
    element = b.pointer(StorageClass.Input, value_type)
    b._types_of[i] = b.pointer(StorageClass.Input, b.array(value_type, VERTICES))
    variable.type_id = b.type_id_of(i)
    b.decorate(i, Decoration.PerVertexKHR)
    assert b.function is not None
    for f in (*b.functions, b.function):
        for block in f.blocks:
            for at in reversed(range(len(block.instructions))):
                inst = block.instructions[at]
                if inst.op == op.OpLoad and inst.id(0) == i:
                    first = b.new_id()
                    b._types_of[first] = element
                    block.instructions.insert(at, Instruction(op.OpAccessChain, element, first, [i, b.const_uint(0)]))
                    inst.operands[0] = first
