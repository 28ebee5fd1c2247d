"""``ResourceDescriptorHeap[i]`` and ``SamplerDescriptorHeap[i]``.

Manual: *ResourceDescriptorHeaps & SamplerDescriptorHeaps*. For each resource type taken from a heap there is an
unbounded array of descriptors; all arrays of a heap have the same binding (``VK_EXT_mutable_descriptor_type``). The
counters of buffers form another array with the same indices. ``Binder`` gives the heaps bindings that other resources
leave free. With SPV_EXT_descriptor_heap, ``codegen/passes/descriptor_heap`` replaces the arrays of descriptors, but not
those of counters.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import has_counter, is_append_consume, is_opaque
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, array
from hlsl_tool.spirv.heaps import CAPABILITY_EXTENSIONS

NAMES = {".Resource": "ResourceDescriptorHeap", ".Sampler": "SamplerDescriptorHeap"}


@dataclass(slots=True)
class HeapAccess:
    """An access ``heap[index]`` that yields a resource of ``type``."""

    heap: str
    index: hir.Expr
    type: ObjectType


def access_of(x: hir.Expr) -> HeapAccess | None:
    """Return the heap access that an expression is; ``None`` for any other expression."""
    if not isinstance(x, hir.Cast) or x.kind != "heap" or not isinstance(x.type, ObjectType):
        return None
    place = _place(x.operand)
    return HeapAccess(*place, x.type) if place is not None else None


def _place(x: hir.Expr) -> tuple[str, hir.Expr] | None:
    """Return (heap's name, index) for a heap element, or for a ternary between two elements; otherwise ``None``.

    For a ternary, the index is the ternary between both indices.
    """
    while isinstance(x, hir.Load):
        x = x.operand
    if isinstance(x, hir.MethodCall) and isinstance(x.object.type, ObjectType):
        return NAMES[x.object.type.name], x.args[0]
    if not isinstance(x, hir.Ternary):
        return None
    then, otherwise = _place(x.then), _place(x.otherwise)
    if then is None or otherwise is None or then[0] != otherwise[0]:
        return None
    return then[0], hir.Ternary(x.cond, _as_uint(then[1]), _as_uint(otherwise[1]), ty.UINT, x.pos, x.short_circuits)


def _as_uint(index: hir.Expr) -> hir.Expr:
    return index if index.type is ty.UINT else hir.Cast("numeric", index, ty.UINT, index.pos)


def variable(ctx: Lowering, a: HeapAccess) -> hir.Variable:
    """Return the HIR variable for the heap's array of descriptors of one type; declare it at the first request."""
    key = (a.heap, a.type, ctx.heap_coherent)
    declared = ctx.heap_variables.get(key)
    if declared is None:
        if not any(heap == a.heap for heap, _, _ in ctx.heap_variables):
            _check_options(ctx, a.heap)
        if ctx.options.descriptor_heap:
            _check_extension(ctx, a)
        quals = ("globallycoherent",) if ctx.heap_coherent else ()
        declared = hir.Variable(a.heap, array(a.type, None), "global", ctx.pos, ctx.chunk, quals=quals)
        ctx.heap_variables[key] = declared
        ctx.resources.heap(declared)
    return declared


def _check_options(ctx: Lowering, heap: str) -> None:
    """Warn about options for the heap that have no effect."""
    o, is_resource = ctx.options, heap == NAMES[".Resource"]
    place, stride = (
        (o.bind_resource_heap, o.resource_heap_stride) if is_resource else (o.bind_sampler_heap, o.sampler_heap_stride)
    )
    kind = "resource" if is_resource else "sampler"
    if o.descriptor_heap and place is not None:
        why = "with -fspv-use-descriptor-heap, which takes descriptors from heaps without a binding"
        ctx.warn(codes.HEAP_OPTION, name=f"-fvk-bind-{kind}-heap", why=why)
    if not o.descriptor_heap and stride:
        ctx.warn(codes.HEAP_OPTION, name=f"-fvk-{kind}-heap-stride", why="without -fspv-use-descriptor-heap")


def _check_extension(ctx: Lowering, a: HeapAccess) -> None:
    """Report an access for which the environment, an extension or coherent images exclude SPV_EXT_descriptor_heap."""
    for extension in CAPABILITY_EXTENSIONS:
        ctx.require_extension(extension, a.heap)
    if not ctx.heap_variables:
        ctx.require_env("vulkan1.1spirv1.4", "SPV_EXT_descriptor_heap", ctx.pos)
    if ctx.heap_coherent and is_opaque(a.type) and not ctx.options.vulkan_memory_model:
        ctx.error(codes.HEAP_COHERENT, type=ty.display(a.type))


def counter(ctx: Lowering, a: HeapAccess) -> int:
    """Return the array of counters for a heap access; append and consume buffers have one array per type."""
    own = is_append_consume(a.type)
    sharing = [v for (_, t, _), v in ctx.heap_variables.items() if (t == a.type if own else _shares_counter(t))]
    return ctx.resources.counter(sharing[0] if sharing else variable(ctx, a))


def _shares_counter(t: ObjectType) -> bool:
    return has_counter(t) and not is_append_consume(t)


def load(ctx: Lowering, x: hir.Cast) -> Value:
    """Return the resource that an access selects: a pointer for a buffer, a loaded handle for other resources."""
    a = access_of(x)
    if a is None:
        what = "a choice of descriptors other than by `?:` between two indices"
        ctx.fail(codes.FEATURE_UNSUPPORTED, x.pos, what=what)
    v = ctx.globals[variable(ctx, a)]
    ctx.heap_coherent = False  # the index may come from a heap, too
    index = memory.load(ctx, ctx.expr(a.index)).id
    pointer = ctx.b.access_chain(ctx.b.pointee_of(v.id).elem.id, v.id, [index])
    return Value(pointer, a.type, False, rasterizer_ordered=a.type.name.startswith("Rasterizer"))
