"""Instructions that access memory: loads, stores, calls, barriers, atomics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionModel, MemorySemantics, Scope
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import MEMORY_BARRIER, Unsupported
from hlsl_tool.wgsl.instructions import raw_buffers as raw
from hlsl_tool.wgsl.instructions.arithmetic import as_integer
from hlsl_tool.wgsl.instructions.composites import convert_type
from hlsl_tool.wgsl.instructions.memory import load, member, place_of, step, store
from hlsl_tool.wgsl.instructions.place import Place
from hlsl_tool.wgsl.interface.io_tables import POINT_SIZE
from hlsl_tool.wgsl.module.uses import SKIPPED, has_effect, root_of
from hlsl_tool.wgsl.module.view import HANDLES
from hlsl_tool.wgsl.writer.expr import Expr, call
from hlsl_tool.wgsl.writer.registry import statement, value

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter


@value(op.OpLoad)
def _load(w: FunctionWriter, inst: Instruction) -> Expr:
    if inst.result_id in w.context.uniform_loads:
        w.flush()
        return w.temporary(_uniform_load(w, inst.id(0)))
    place = place_of(w, inst.id(0))
    value = load(w, place)
    value.alias = place.form is None and value.text == place.text and _is_taken_apart(w, inst)
    return value


def _is_taken_apart(w: FunctionWriter, inst: Instruction) -> bool:
    """Return whether only members of a loaded struct are used, before anything can change the memory."""
    number = inst.result_id
    if w.view.type(inst.type_id).op != op.OpTypeStruct or w.uses.where.get(number) != w.block:
        return False
    instructions = w.blocks[w.block].instructions
    left = w.uses.count.get(number, 0)
    for user in instructions[next(k for k, other in enumerate(instructions) if other is inst) + 1 :]:
        if number in user.operands:
            if user.op != op.OpCompositeExtract:
                return False
            left -= user.result_id in w.uses.live
        elif user.op == op.OpStore and user.id(0) in w.final:
            continue
        elif has_effect(w.view, user) and user.op not in SKIPPED:
            return not left
    return not left


def _uniform_load(w: FunctionWriter, pointer: int) -> Expr:
    """Write a `workgroupUniformLoad` of the memory that ``pointer`` points to.

    If that is a vector component, load the whole vector, since WGSL has no pointers to components.
    """
    root, indices = root_of(w.view, pointer)
    place = whole = place_of(w, root.result_id)
    for index in indices:
        whole, place = place, step(w, place, index)
    inside = indices and whole.form is None and w.view.type(whole.type_id).op == op.OpTypeVector
    target = whole if inside else place
    return Expr(f"workgroupUniformLoad(&{target.text}){place.text.removeprefix(target.text)}", depth=1)


@statement(op.OpStore)
def _store(w: FunctionWriter, inst: Instruction) -> None:
    if inst.id(0) in w.final:
        w.results[inst.id(0)] = w.expr(inst.id(1))
        return
    place = place_of(w, inst.id(0))
    if place.root.ignored:
        strict = w.context.options.wgsl_point_size == "error"
        if strict and place.root.name == "point_size" and w.view.float_constant(inst.id(1)) != 1.0:
            raise Unsupported(POINT_SIZE)
        return
    store(w, place, w.expr(inst.id(1)))


@statement(op.OpCopyMemory)
def _copy(w: FunctionWriter, inst: Instruction) -> None:
    target, source = place_of(w, inst.id(0)), place_of(w, inst.id(1))
    value = convert_type(w, load(w, source), source.type_id, target.type_id)
    store(w, target, value)


@value(op.OpArrayLength)
def _array_length(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write `arrayLength`, whose argument is a pointer to the array; SPIR-V's is one to the struct."""
    place = member(w, place_of(w, inst.id(0)), inst.id(1))
    result = raw.length(w, place) if place.root.raw else Expr(f"arrayLength(&{place.text})", depth=1)
    return call("i32", result) if w.view.is_signed(inst.type_id) else result


# -------------------------------------------------------------------------------------------------------------- calls


@statement(op.OpFunctionCall)
def _call(w: FunctionWriter, inst: Instruction) -> None:
    """Write a call; pass parts of variables as copies, since WGSL only has pointers to whole variables."""
    arguments: list[Expr] = []
    copies: list[tuple[Place, str]] = []
    seen: set[str] = set()
    for operand in inst.ints()[1:]:
        type_id = w.view.type_of(operand)
        if w.view.type(type_id).op in HANDLES:
            arguments.append(Expr(w.context.handles.textures[w.context.handles.resolve(operand)[0]].name, named=True))
            continue
        if not w.view.is_pointer(type_id):
            arguments.append(w.expr(operand))
            continue
        place = place_of(w, operand)
        if place.whole and place.text not in seen:
            seen.add(place.text)
            arguments.append(Expr(place.root.name if place.text.startswith("(*") else f"&{place.text}"))
            continue
        result = load(w, place)
        name = w.names.unique("argument", "argument")
        w.flush()
        w.line(f"var {name} = {result.text};")
        copies.append((place, name))
        arguments.append(Expr(f"&{name}"))
    result = call(w.context.functions[inst.id(0)], *arguments)
    result.reads, result.constant = True, False
    if inst.id(0) in w.view.pure and w.uses.count.get(inst.result_id, 0):
        w.define(inst, result)
        return
    if not copies and _is_next(w, inst):
        w.flush()
        w.pending[inst.result_id] = result
        return
    w.define_now(inst, result)
    for place, name in copies:
        store(w, place, Expr(name, named=True))


def _is_next(w: FunctionWriter, inst: Instruction) -> bool:
    """Return whether the next instruction is the only use of a call's result: a return, or a store to a variable."""
    if w.uses.count.get(inst.result_id, 0) != 1:
        return False
    instructions = iter(w.blocks[w.block].instructions)
    for candidate in instructions:
        if candidate is inst:
            break
    following = next((other for other in instructions if other.op not in (op.OpLine, op.OpNoLine)), None)
    if following is None or inst.result_id not in following.operands:
        return False
    if following.op == op.OpStore:
        return w.view.defs[following.id(0)].op == op.OpVariable
    return following.op == op.OpReturnValue


# ------------------------------------------------------------------------------------------------------------- barriers


@statement(op.OpControlBarrier)
def _barrier(w: FunctionWriter, inst: Instruction) -> None:
    """Write a barrier for each kind of memory; WGSL's synchronise the whole workgroup, which includes subgroups."""
    execution, memory = (w.view.constant(operand) for operand in inst.ints()[:2])
    semantics = w.view.constant(inst.id(2)) or 0
    if execution not in (Scope.Workgroup, Scope.Subgroup):
        raise Unsupported("WGSL has barriers for workgroups only")
    if any(entry.id(0) != ExecutionModel.GLCompute for entry in w.view.module.entry_points):
        raise Unsupported("WGSL has barriers in compute shaders only")
    waits = not semantics & (MemorySemantics.UniformMemory | MemorySemantics.ImageMemory)
    _write_barriers(w, memory, semantics, workgroup=waits)


def _write_barriers(w: FunctionWriter, memory: int | None, semantics: int, *, workgroup: bool) -> None:
    """Write a barrier for each kind of memory in ``semantics``, SPIR-V's mask.

    With ``workgroup``, always write one for workgroup memory. ``memory`` is the scope, ``None`` if it is not constant.
    """
    w.flush()
    S = MemorySemantics
    if semantics & S.ImageMemory and any(texture.texel_buffer for texture in w.context.handles.textures.values()):
        semantics |= S.UniformMemory
    if semantics & S.UniformMemory:
        if memory not in (Scope.Subgroup, Scope.Workgroup, Scope.Device, Scope.QueueFamily):
            raise Unsupported("a barrier orders storage beyond what WGSL can say")
        w.line("storageBarrier();")
    if semantics & S.ImageMemory:
        w.line("textureBarrier();")
    if semantics & S.WorkgroupMemory or workgroup:
        w.line("workgroupBarrier();")


@statement(op.OpMemoryBarrier)
def _memory_barrier(w: FunctionWriter, inst: Instruction) -> None:
    """Write a memory barrier as a barrier that also waits; all invocations of the workgroup must execute it."""
    if any(entry.id(0) != ExecutionModel.GLCompute for entry in w.view.module.entry_points):
        raise Unsupported(MEMORY_BARRIER)
    memory, semantics = (w.view.constant(operand) for operand in inst.ints()[:2])
    _write_barriers(w, memory, semantics or 0, workgroup=False)


# -------------------------------------------------------------------------------------------------------------- atomics

ATOMICS = {
    op.OpAtomicExchange: "atomicExchange",
    op.OpAtomicIAdd: "atomicAdd",
    op.OpAtomicISub: "atomicSub",
    op.OpAtomicSMin: "atomicMin",
    op.OpAtomicUMin: "atomicMin",
    op.OpAtomicSMax: "atomicMax",
    op.OpAtomicUMax: "atomicMax",
    op.OpAtomicAnd: "atomicAnd",
    op.OpAtomicOr: "atomicOr",
    op.OpAtomicXor: "atomicXor",
}
STEPS = {op.OpAtomicIIncrement: "atomicAdd", op.OpAtomicIDecrement: "atomicSub"}
MIN_MAX = {
    op.OpAtomicSMin: True,
    op.OpAtomicSMax: True,
    op.OpAtomicUMin: False,
    op.OpAtomicUMax: False,
}


def _atomic_place(w: FunctionWriter, pointer: int) -> tuple[str, bool]:
    """Return (reference to an atomic without its ``&``, whether it is signed)."""
    place = place_of(w, pointer)
    if w.view.type(place.type_id).op != op.OpTypeInt:
        raise Unsupported("WGSL has atomics on integers only")
    w.types.spell(place.type_id)
    if place.root.raw:
        return raw.word(w, place), False
    return place.text, w.view.is_signed(place.type_id)


def _as_result(w: FunctionWriter, inst: Instruction, value: Expr, signed: bool) -> Expr:
    if w.view.is_signed(inst.type_id) == signed:
        return value
    return call("u32" if signed else "i32", value)


@statement(op.OpImageTexelPointer)
def _texel_pointer(w: FunctionWriter, inst: Instruction) -> None:
    """Name the coordinate of a texel pointer, because the atomics that use it may be in another scope."""
    if w.context.handles.texel_buffer(inst.id(0)) is None:
        raise Unsupported(
            "WGSL has no atomics on textures (`atomic_textures: buffers` makes buffers of those with integers)"
        )
    w.texels[inst.result_id] = w.repeatable(w.expr(inst.id(1)))


@statement(*ATOMICS)
def _atomic(w: FunctionWriter, inst: Instruction) -> None:
    text, signed = _atomic_place(w, inst.id(0))
    if inst.op in MIN_MAX and MIN_MAX[inst.op] != signed:
        _other_sign(w, inst, text, signed)
        return
    operand = as_integer(w, inst.id(3), signed)
    result = Expr(f"{ATOMICS[inst.op]}(&{text}, {operand.text})", depth=1)
    w.define_now(inst, _as_result(w, inst, result, signed) if _needed(w, inst) else result)


def _other_sign(w: FunctionWriter, inst: Instruction, text: str, signed: bool) -> None:
    """Write an atomic minimum or maximum whose signedness is not that of the memory.

    It becomes a loop around a compare-exchange. ``text`` is a reference to the atomic; ``signed`` is the signedness of
    the memory.
    """
    operand = w.repeatable(as_integer(w, inst.id(3), not signed))
    w.flush()
    before, attempt = w.names.unique("before", "before"), w.names.unique("attempt", "attempt")
    own, other = ("i32", "u32") if signed else ("u32", "i32")
    name = ATOMICS[inst.op].removeprefix("atomic").lower()
    w.line(f"var {before} = atomicLoad(&{text});")
    w.line("loop {")
    w.line(f"  let {attempt} = atomicCompareExchangeWeak(&{text}, {before},")
    w.line(f"    {own}({name}({other}({before}), {operand.text})));")
    w.line(f"  if {attempt}.exchanged {{")
    w.line("    break;")
    w.line("  }")
    w.line(f"  {before} = {attempt}.old_value;")
    w.line("}")
    if _needed(w, inst):
        w.define_now(inst, _as_result(w, inst, Expr(before), signed))


def _needed(w: FunctionWriter, inst: Instruction) -> bool:
    return bool(w.uses.count.get(inst.result_id, 0))


@statement(*STEPS)
def _atomic_step(w: FunctionWriter, inst: Instruction) -> None:
    text, signed = _atomic_place(w, inst.id(0))
    result = Expr(f"{STEPS[inst.op]}(&{text}, {'1i' if signed else '1u'})", depth=1)
    w.define_now(inst, _as_result(w, inst, result, signed) if _needed(w, inst) else result)


@statement(op.OpAtomicLoad)
def _atomic_load(w: FunctionWriter, inst: Instruction) -> None:
    text, signed = _atomic_place(w, inst.id(0))
    if _needed(w, inst):
        w.define_now(inst, _as_result(w, inst, Expr(f"atomicLoad(&{text})", depth=1), signed))


@statement(op.OpAtomicStore)
def _atomic_store(w: FunctionWriter, inst: Instruction) -> None:
    text, signed = _atomic_place(w, inst.id(0))
    operand = as_integer(w, inst.id(3), signed)
    w.flush()
    w.line(f"atomicStore(&{text}, {operand.text});")


@statement(op.OpAtomicCompareExchange)
def _compare_exchange(w: FunctionWriter, inst: Instruction) -> None:
    """Write a compare-exchange in a loop, because WGSL's may fail although the values are equal."""
    text, signed = _atomic_place(w, inst.id(0))
    new, old = as_integer(w, inst.id(4), signed), as_integer(w, inst.id(5), signed)
    w.flush()
    new, old = w.repeatable(new), w.repeatable(old)
    zero = "0i" if signed else "0u"
    name = w.names.unique("before", "before")
    w.line(f"var {name} = {zero};")
    w.line("loop {")
    attempt = w.names.unique("attempt", "attempt")
    w.line(f"  let {attempt} = atomicCompareExchangeWeak(&{text}, {old.text}, {new.text});")
    w.line(f"  {name} = {attempt}.old_value;")
    w.line(f"  if {attempt}.exchanged || {name} != {old.text} {{")
    w.line("    break;")
    w.line("  }")
    w.line("}")
    if _needed(w, inst):
        w.define_now(inst, _as_result(w, inst, Expr(name), signed))


# ---------------------------------------------------------------------------------------------------- small statements


@statement(op.OpDemoteToHelperInvocation)
def _demote(w: FunctionWriter, inst: Instruction) -> None:
    w.flush()
    w.line("discard;")


DERIVATIVES = {
    op.OpDPdx: "dpdx",
    op.OpDPdy: "dpdy",
    op.OpFwidth: "fwidth",
    op.OpDPdxFine: "dpdxFine",
    op.OpDPdyFine: "dpdyFine",
    op.OpFwidthFine: "fwidthFine",
    op.OpDPdxCoarse: "dpdxCoarse",
    op.OpDPdyCoarse: "dpdyCoarse",
    op.OpFwidthCoarse: "fwidthCoarse",
}


@value(*DERIVATIVES)
def _derivative(w: FunctionWriter, inst: Instruction) -> Expr:
    if all(entry.id(0) != ExecutionModel.Fragment for entry in w.view.module.entry_points):
        raise Unsupported("WGSL has derivatives in fragment shaders only")
    w.context.needs.derivatives = True
    return call(DERIVATIVES[inst.op], w.expr(inst.id(0)))
