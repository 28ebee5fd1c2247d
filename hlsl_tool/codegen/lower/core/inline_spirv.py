"""Inline SPIR-V: instructions, types, decorations and capabilities by number (manual: *Inline SPIR-V*).

The source gives opcodes and enumerants as numbers. They are not checked against the grammar, so that shaders can use
instructions newer than this compiler. The attributes are in the namespace ``vk::``:

``ext_instruction(opcode[, set])``    on a function without a body: a call becomes that instruction
``ext_reference``, ``ext_literal``    on a parameter: the operand is a pointer, a literal; without them an id
``ext_type_def(id, opcode)``          on a function: a call defines ``vk::ext_type<id>``
``ext_capability``, ``ext_extension`` the module declares them if the declaration is used
``ext_decorate``, ``…_id``, ``…_string``   decorations
``ext_storage_class(class)``          the storage class of a variable
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import calls
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types import inline
from hlsl_tool.codegen.lower.types.inline import check_inline_type
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute, vk_attribute, vk_number
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder.constants import float_bits, int_words
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass
from hlsl_tool.spirv.grammar.tables import HAS_RESULT, INSTRUCTIONS
from hlsl_tool.spirv.ir import Operand
from hlsl_tool.spirv.literal import Literal

# -------------------------------------------------------------------------------------- capabilities and decorations


def require(ctx: Lowering, attributes: Sequence[Attribute]) -> None:
    """Declare the capabilities and extensions that ``ext_capability`` and ``ext_extension`` in ``attributes`` list."""
    if attributes:
        inline.require(ctx.b, attributes)


def decorate(ctx: Lowering, target: int, attributes: Sequence[Attribute]) -> bool:
    """Write the decorations that attributes request for an id; return whether one is ``BuiltIn`` or ``Location``."""
    placed = False
    for a in attributes:
        if a.scope != "vk" or not a.args or not isinstance(a.args[0], int):
            continue
        number = a.args[0]
        if a.name == "ext_decorate":
            ctx.b.decorate(target, number, *(_number(x) for x in a.args[1:]))
            placed = placed or number in (Decoration.BuiltIn, Decoration.Location)
        elif a.name == "ext_decorate_id":
            ctx.b.decorate_id(target, number, *(_id(ctx, x) for x in a.args[1:]))
        elif a.name == "ext_decorate_string":
            ctx.b.decorate_string(target, number, *(str(x) for x in a.args[1:]))
    return placed


def decorate_variable(ctx: Lowering, pointer: int, v: Variable) -> None:
    """Write the decorations, and declare the capabilities, that a variable's or parameter's attributes request."""
    require(ctx, v.attributes)
    decorate(ctx, pointer, v.attributes)
    decorate_pointer(ctx, pointer, v)


def is_aliased(v: Variable) -> bool:
    """Return whether a variable has ``[[vk::aliased_pointer]]``: other pointers may point to the same memory."""
    return vk_attribute(v.attributes, "aliased_pointer") is not None


def decorate_pointer(ctx: Lowering, pointer: int, v: Variable) -> None:
    """Decorate a ``vk::BufferPointer`` variable AliasedPointer or RestrictPointer: SPIR-V requires one of them."""
    if isinstance(v.type, ObjectType) and v.type.name == "vk::BufferPointer":
        ctx.b.decorate(pointer, Decoration.AliasedPointer if is_aliased(v) else Decoration.RestrictPointer)


def decorate_function(ctx: Lowering, function: int, f: Function) -> None:
    """Write the decorations of OpFunction.

    Report ``ext_decorate_id`` and ``ext_decorate_string``, which it cannot have.
    """
    for name in ("ext_decorate_id", "ext_decorate_string"):
        if vk_attribute(f.attributes, name) is not None:
            ctx.error(codes.DECORATE_FUNCTION, f.pos, chunk=f.chunk, name=name)
            return
    decorate(ctx, function, f.attributes)


def _number(x: object) -> int:
    if isinstance(x, float):
        return float_bits(x, 32)
    return x & 0xFFFFFFFF if isinstance(x, int) else 0


def _id(ctx: Lowering, x: object) -> int:
    """Return the id of a decoration's operand: the constant of a number, or the lowered value of an expression."""
    if isinstance(x, bool):
        return ctx.b.const_bool(x)
    if isinstance(x, int):
        return ctx.b.const_i32(x) if -(1 << 31) <= x < 1 << 31 else ctx.b.const_uint(x)
    if isinstance(x, float):
        return ctx.b.const_f32(x)
    assert isinstance(x, hir.Expr)
    return memory.load(ctx, ctx.expr(x)).id


def execution_mode(ctx: Lowering, wrapper: int, a: Attribute) -> None:
    """Write the execution mode ``n`` of ``[[vk::spvexecutionmode(n)]]``; modes with operands are not supported."""
    number = a.args[0] if a.args else None
    if number not in _MODES:
        ctx.error(codes.UNKNOWN_MODE, a.pos, number=number)
        return
    ctx.b.execution_mode(wrapper, _MODES[number])


_MODES = {value: value for name, value in vars(ExecutionMode).items() if not name.startswith("_")}
"""The known execution modes."""


# ------------------------------------------------------------------------------------------------ built-in variables


def is_builtin(v: Variable) -> bool:
    """Return whether a variable has ``[[vk::ext_builtin_input(n)]]`` or ``[[vk::ext_builtin_output(n)]]``."""
    return any(a.scope == "vk" and a.name in _BUILTINS for a in v.attributes)


_BUILTINS = {"ext_builtin_input": "input", "ext_builtin_output": "output"}


def declare_builtin(ctx: Lowering, v: Variable) -> None:
    """Declare a static variable as an inline-SPIR-V built-in.

    Declarations of the same built-in share one SPIR-V variable.
    """
    attributes = [a for a in v.attributes if a.scope == "vk" and a.name in _BUILTINS]
    a = attributes[0]
    if len({x.name for x in attributes}) > 1:
        ctx.error(codes.BUILTIN_BOTH, attributes[1].pos, chunk=v.chunk)
    elif v.storage != "static":
        ctx.error(codes.BUILTIN_STATIC, v.pos, chunk=v.chunk)
    elif a.name == "ext_builtin_input" and not v.is_const:
        ctx.error(codes.BUILTIN_CONST, v.pos, chunk=v.chunk)
    elif not a.args or not isinstance(a.args[0], int):
        ctx.error(codes.ATTRIBUTE_OPCODE, a.pos, chunk=v.chunk, name=a.name, wanted="the number of a built-in")
    else:
        ctx.globals[v] = Value(_builtin(ctx, v, a, a.args[0]), v.type, False)


def _builtin(ctx: Lowering, v: Variable, a: Attribute, number: int) -> int:
    b = ctx.b
    storage = StorageClass.Input if a.name == "ext_builtin_input" else StorageClass.Output
    if number in ctx.inline_builtins:
        variable, its_storage, first = ctx.inline_builtins[number]
        if its_storage != storage:
            previous = Raw(codes.BUILTIN_PREVIOUS, first.pos, {}, first.chunk)
            fields: dict[str, object] = {"number": number, "direction": _BUILTINS[a.name]}
            ctx.messages.append(Raw(codes.BUILTIN_REDEFINED, a.pos, fields, v.chunk, [previous]))
        return variable
    variable = b.builtin_variable(ctx.type(v.type), storage, number)
    ctx.inline_builtins[number] = variable, storage, v
    ctx.extra_inputs[variable] = None
    element = ty.element_of(v.type)
    if ctx.stage == "ps" and storage == StorageClass.Input and element is not None and element.category != "float":
        b.decorate(variable, Decoration.Flat)
    if number in (BuiltIn.HelperInvocation, BuiltIn.SubgroupSize, BuiltIn.SubgroupLocalInvocationId):
        ctx.needs_legalization()
    return variable


# -------------------------------------------------------------------------------------------------------- instructions


@calls("ext_instruction")
def _instruction(ctx: Lowering, c: hir.Call, f: Function) -> Value:
    b = ctx.b
    require(ctx, f.attributes)
    a = vk_attribute(f.attributes, "ext_instruction")
    assert a is not None
    opcode, instruction_set = a.args[0] if a.args else None, a.args[1] if len(a.args) > 1 else ""
    if not isinstance(opcode, int) or not isinstance(instruction_set, str):
        ctx.fail(codes.ATTRIBUTE_OPCODE, c.pos, name="ext_instruction", wanted="a number and perhaps the name of a set")
    operands = _operands(ctx, c, f)
    if opcode == op.OpAbortKHR and not instruction_set and len(operands) == 1:  # HLSL cannot name the message's type
        operands.insert(0, b.type_id_of(int(operands[0])))
    is_void = f.return_type is ty.VOID
    if not instruction_set and opcode in INSTRUCTIONS and is_void == (opcode in HAS_RESULT):
        name = INSTRUCTIONS[opcode][0]
        ctx.fail(codes.RESULT_MISSING if is_void else codes.RESULT_UNKNOWN, c.pos, name=name)
    result = 0 if is_void and not instruction_set else ctx.type(f.return_type)
    if instruction_set:
        number = b.emit_raw(op.OpExtInst, result, b.ext_set(instruction_set), Literal(opcode), *operands)
    elif opcode in (op.OpConstant, op.OpSpecConstant):
        if is_void or not all(isinstance(x, Literal) for x in operands):
            ctx.fail(codes.RESULT_TYPE, c.pos)
        number = b.raw_constant(opcode, result, [int(x) for x in operands if isinstance(x, int)])
    else:
        number = b.emit_raw(opcode, result, *operands)
    if is_void:
        return Value(0, ty.VOID, True)
    return ctx.rvalue(number, f.return_type)


def _operands(ctx: Lowering, c: hir.Call, f: Function) -> list[Operand]:
    out: list[Operand] = []
    for index, (p, x) in enumerate(zip(f.params, c.args, strict=True)):
        if vk_attribute(p.attributes, "ext_literal") is not None:
            out += _literal(ctx, c, p, x)
        else:
            out.append(_operand(ctx, c, index))
    return out


def _operand(ctx: Lowering, c: hir.Call, index: int) -> int:
    """Return the id for an argument: a pointer if the parameter has ``ext_reference``, else the loaded value."""
    p, x = c.function.params[index], c.args[index]
    with ctx.argument_of(c, index):
        if vk_attribute(p.attributes, "ext_reference") is not None:
            return _reference(ctx, x)
        return memory.load(ctx, ctx.expr(x)).id


def _reference(ctx: Lowering, x: hir.Expr) -> int:
    """Return a pointer to the object that an argument names; report an argument that is not an l-value."""
    source = x
    while isinstance(source, hir.Load) or (isinstance(source, hir.Cast) and source.kind == "noop"):
        source = source.operand
    v = ctx.expr(source)
    if v.is_rvalue:
        ctx.fail(codes.REFERENCE_ARGUMENT, x.pos)
    return v.id


def _literal(ctx: Lowering, c: hir.Call, p: Param, x: hir.Expr) -> list[Operand]:
    value = evaluation.evaluate(x)
    if isinstance(value, str):
        return [value]
    if value is None or isinstance(value, list):
        ctx.fail(codes.LITERAL_ARGUMENT, c.pos)
    element = ty.element_of(p.type)
    bits = element.bits if element is not None and element.bits > 1 else 32
    if isinstance(value, float):
        raw = float_bits(value, bits)
        return [Literal(raw & 0xFFFFFFFF), *([Literal(raw >> 32)] if bits == 64 else [])]
    signed = element is not None and element.category == "int"
    return [Literal(w) for w in int_words(int(value), bits, signed) if isinstance(w, int)]


# --------------------------------------------------------------------------------------------------------------- types


@calls("ext_type_def")
def _define_type(ctx: Lowering, c: hir.Call, f: Function) -> Value:
    """Lower a call of a ``[[vk::ext_type_def(id, opcode)]]`` function: define the type from the call's arguments."""
    require(ctx, f.attributes)
    a = vk_attribute(f.attributes, "ext_type_def")
    assert a is not None
    if len(a.args) != 2 or not all(isinstance(x, int) for x in a.args):
        ctx.fail(codes.ATTRIBUTE_OPCODE, c.pos, name="ext_type_def", wanted="the number of the type and an opcode")
    number, opcode = (int(str(x)) for x in a.args)
    operands: list[Operand] = []
    for index, (p, x) in enumerate(zip(f.params, c.args, strict=True)):
        if isinstance(p.type, ObjectType) and p.type.name == "vk::ext_type":
            operands.append(ctx.type(p.type))
        elif vk_attribute(p.attributes, "ext_literal") is not None:
            operands += [w for w in _literal(ctx, c, p, x) if isinstance(w, Literal)]
        else:
            operands.append(_operand(ctx, c, index))
    check_inline_type(opcode, len(operands))
    ctx.types.define_ext_type(number, opcode, tuple(operands))
    return Value(0, ty.VOID, True)


def check_types(ctx: Lowering) -> None:
    """Report each ``vk::ext_type`` that is used without a definition."""
    for number in ctx.types.undefined_ext_types():
        ctx.error(codes.TYPE_UNDEFINED, number=number)


def storage_class(v: Variable) -> int | None:
    """Return the storage class that ``[[vk::ext_storage_class(n)]]`` gives a variable, or ``None`` without one."""
    return vk_number(v.attributes, "ext_storage_class")


def is_bound(v: Variable) -> bool:
    """Return whether ``[[vk::ext_decorate]]`` on a variable sets its DescriptorSet or Binding."""
    places = (Decoration.DescriptorSet, Decoration.Binding)
    decorations = (a for a in v.attributes if a.scope == "vk" and a.name == "ext_decorate" and a.args)
    return any(a.args[0] in places for a in decorations)


def is_pointer(t: Type) -> bool:
    """Return whether a type is ``vk::SpirvOpaqueType`` of OpTypePointer; variables of it need legalisation."""
    return isinstance(t, ObjectType) and t.name == "vk::SpirvOpaqueType" and t.args[0] == op.OpTypePointer


def is_opaque_type(t: Type) -> bool:
    """Return whether the compiler does not know the size of a type.

    It is ``vk::SpirvOpaqueType``, ``vk::ext_type`` or a matrix handle.
    """
    return isinstance(t, ObjectType) and t.name in ("vk::SpirvOpaqueType", "vk::ext_type", "__builtin_LinAlgMatrix")
