"""Loads, operators, assignment, swizzles (manual: *Expressions*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access, casts, constants, memory, relayout
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import assigns, lowers
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import enumerators, initializers
from hlsl_tool.codegen.lower.expressions import value_lvalues as places
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, Scalar, Type, Vector
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import StorageClass


@lowers(hir.Literal_)
def _literal(ctx: Lowering, e: hir.Literal_) -> Value:
    if isinstance(e.value, str):
        return Value(ctx.b.string(e.value), e.type, True)
    loaded = enumerators.load(ctx, e)
    if loaded is not None:
        return ctx.rvalue(loaded, e.type)
    t = e.type.underlying if isinstance(e.type, Enum) else e.type
    assert isinstance(t, Scalar)
    return ctx.rvalue(constants.scalar(ctx, e.value, t), e.type)


@lowers(hir.Load)
def _load(ctx: Lowering, e: hir.Load) -> Value:
    value = memory.load(ctx, ctx.expr(e.operand))
    if isinstance(e.operand, hir.Cast) and e.operand.kind == "contents":
        return ctx.rvalue(relayout.rebuild(ctx, value.id, e.type), e.type)
    return value


# ------------------------------------------------------------------------------------------------------------ operators

_ARITHMETIC: dict[str, tuple[int, int, int]] = {
    # operator: (int, uint, float)
    "+": (op.OpIAdd, op.OpIAdd, op.OpFAdd),
    "-": (op.OpISub, op.OpISub, op.OpFSub),
    "*": (op.OpIMul, op.OpIMul, op.OpFMul),
    "/": (op.OpSDiv, op.OpUDiv, op.OpFDiv),
    "%": (op.OpSRem, op.OpUMod, op.OpFRem),
    "&": (op.OpBitwiseAnd, op.OpBitwiseAnd, 0),
    "|": (op.OpBitwiseOr, op.OpBitwiseOr, 0),
    "^": (op.OpBitwiseXor, op.OpBitwiseXor, 0),
    "<<": (op.OpShiftLeftLogical, op.OpShiftLeftLogical, 0),
    ">>": (op.OpShiftRightArithmetic, op.OpShiftRightLogical, 0),
    "<": (op.OpSLessThan, op.OpULessThan, op.OpFOrdLessThan),
    "<=": (op.OpSLessThanEqual, op.OpULessThanEqual, op.OpFOrdLessThanEqual),
    ">": (op.OpSGreaterThan, op.OpUGreaterThan, op.OpFOrdGreaterThan),
    ">=": (op.OpSGreaterThanEqual, op.OpUGreaterThanEqual, op.OpFOrdGreaterThanEqual),
    "==": (op.OpIEqual, op.OpIEqual, op.OpFOrdEqual),
    "!=": (op.OpINotEqual, op.OpINotEqual, op.OpFOrdNotEqual),
}
_ON_BOOLS = {
    "&": op.OpLogicalAnd,
    "|": op.OpLogicalOr,
    "==": op.OpLogicalEqual,
    "!=": op.OpLogicalNotEqual,
    "^": op.OpLogicalNotEqual,
}
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


def opcode_of(operator: str, t: Type) -> int:
    """Return the opcode of an operator for operands of type ``t``."""
    element = ty.element_of(t)
    assert element is not None
    if element.category == "bool" and operator in _ON_BOOLS:
        return _ON_BOOLS[operator]
    row = _ARITHMETIC[operator]
    return row[{"int": 0, "bool": 0, "uint": 1, "float": 2}[element.category]]


def arithmetic(ctx: Lowering, operator: str, left: int, right: int, t: Type, result: Type) -> int:
    """Apply an operator to values of type ``t``; to matrices row by row."""
    b = ctx.b
    if casts.is_matrix(t):
        assert isinstance(t, Matrix) and isinstance(result, Matrix)
        row, row_result = casts.row_type(t), casts.row_type(result)
        return casts.each_row(
            ctx, left, t, result, lambda x, i: arithmetic(ctx, operator, x, b.extract(right, i), row, row_result)
        )
    opcode = opcode_of(operator, t)
    if operator in ("<<", ">>"):
        right = ctx.rvalue(b.binary(op.OpBitwiseAnd, b.type_id_of(right), right, _shift_mask(ctx, t)), t).id
    element = ty.element_of(t)
    is_integral = element is not None and element.category != "float"
    has_spec_constant = b.is_spec_constant(left) or b.is_spec_constant(right)
    if is_integral and has_spec_constant and b.is_constant(left) and b.is_constant(right):
        return b.spec_constant_op(opcode, ctx.type(result), left, right)
    return b.binary(opcode, ctx.type(result), left, right)


def _shift_mask(ctx: Lowering, t: Type) -> int:
    element = ty.element_of(t)
    assert element is not None
    bits = 32 if element.is_literal else element.bits
    return constants.splat(ctx, bits - 1, t)


@lowers(hir.Binary)
def _binary(ctx: Lowering, e: hir.Binary) -> Value:
    """Lower a binary operator; walk left-deep chains, which may have any length, in a loop instead of recursing."""
    chain: list[hir.Binary] = []
    node: hir.Expr = e
    while isinstance(node, hir.Binary):
        chain.append(node)
        if _scaled(node) is not None:
            break
        node = node.left
    left: Value | None = None
    for i, b in enumerate(reversed(chain)):
        if i == 0:
            scaled = _scaled(b)
            if scaled is not None:
                left = _scale(ctx, b, *scaled)
                continue
            left = memory.value_of(ctx, enumerators.operands(b.left, b.right)[0])
        assert left is not None
        check_matrix_operator(ctx, b, b.left)
        right = memory.value_of(ctx, enumerators.operands(b.left, b.right)[1])
        ctx.at(b)
        left = ctx.rvalue(arithmetic(ctx, b.op, left.id, right.id, b.left.type, b.type), b.type)
    assert left is not None
    return left


_MATRIX_OPERATORS = frozenset("+-*/%")


def check_matrix_operator(ctx: Lowering, e: hir.Binary | hir.Logical | hir.CompoundAssign, left: hir.Expr) -> None:
    """Report an operator that DXC, and therefore ``-fcgl``, does not apply to matrices."""
    if ctx.options.codegen_only and casts.is_matrix(left.type) and e.op not in _MATRIX_OPERATORS:
        operator = e.op + "=" if isinstance(e, hir.CompoundAssign) else e.op
        ctx.fail(codes.MATRIX_OPERATOR, first_token(ctx.chunk, left), operator=operator)


def _scaled(e: hir.Binary | hir.CompoundAssign) -> tuple[hir.Expr, hir.Expr] | None:
    """Return (vector or matrix, scalar) for ``floatN * float``, which has an instruction.

    The result is ``None`` for other operations.
    """
    if e.op != "*" or not isinstance(e.type, (Vector, Matrix)) or e.type.element.category != "float":
        return None
    if ty.component_count(e.type) == 1:
        return None
    left, right = (e.left, e.right) if isinstance(e, hir.Binary) else (e.target, e.value)
    if isinstance(right, hir.Cast) and right.kind == "splat" and not right.is_explicit:
        return left, right.operand
    if isinstance(e, hir.Binary) and isinstance(left, hir.Cast) and left.kind == "splat" and not left.is_explicit:
        return right, left.operand
    return None


def _scale(ctx: Lowering, e: hir.Binary, composite: hir.Expr, scalar: hir.Expr) -> Value:
    v, s = memory.value_of(ctx, composite), memory.value_of(ctx, scalar)
    ctx.at(e)
    opcode = op.OpMatrixTimesScalar if casts.is_matrix(e.type) else op.OpVectorTimesScalar
    return ctx.rvalue(ctx.b.binary(opcode, ctx.type(e.type), v.id, s.id), e.type)


@lowers(hir.Unary)
def _unary(ctx: Lowering, e: hir.Unary) -> Value:
    number = enumerators.negated(ctx, e)
    if number is not None:
        return ctx.rvalue(number, e.type)
    v = memory.value_of(ctx, e.operand)
    t = e.type
    if e.op == "+":
        return Value(v.id, t, True)
    if e.op == "-":
        element = ty.element_of(t)
        assert element is not None
        constant = constants.folded(ctx, e) if isinstance(e.operand, hir.Literal_) and element.is_literal else None
        if constant is not None:
            return ctx.rvalue(constant, t)
        opcode = op.OpFNegate if element.category == "float" else op.OpSNegate
    else:
        opcode = op.OpNot if e.op == "~" else op.OpLogicalNot
    return ctx.rvalue(_each(ctx, opcode, v.id, t), t)


def _each(ctx: Lowering, opcode: int, v: int, t: Type) -> int:
    if casts.is_matrix(t):
        row = ctx.type(casts.row_type(t))
        return casts.each_row(ctx, v, t, t, lambda r, i: ctx.b.unary(opcode, row, r))
    return ctx.b.unary(opcode, ctx.type(t), v)


@lowers(hir.IncDec)
def _inc_dec(ctx: Lowering, e: hir.IncDec) -> Value:
    operand = places.pinned(ctx, e.operand)
    target = ctx.expr(operand)
    old = memory.load(ctx, target)
    one = constants.one(ctx, e.type)
    t = e.type
    operator = "+" if e.op == "++" else "-"
    if casts.is_matrix(t):
        opcode, row = opcode_of(operator, t), ctx.type(casts.row_type(t))
        new = casts.each_row(ctx, old.id, t, t, lambda r, i: ctx.b.binary(opcode, row, r, one))
    else:
        new = ctx.b.binary(opcode_of(operator, t), ctx.type(t), old.id, one)
    result = ctx.rvalue(new, t)
    ctx.at_begin(e.operand, e)
    if target.is_rvalue or isinstance(operand, (hir.Swizzle, hir.MatrixSwizzle)):
        assign(ctx, operand, result, target)
        return result if e.is_prefix else old
    memory.store(ctx, target, result)
    return target if e.is_prefix else old


# ----------------------------------------------------------------------------------------------------------- assignment


@lowers(hir.Assign)
def _assign(ctx: Lowering, e: hir.Assign) -> Value:
    value = memory.value_of(ctx, e.value)
    assigned = assign(ctx, e.target, value)
    ctx.hooks.on_assign(e.target, e.value)  # afterwards, because a call sets the counter of its result
    return value if value.is_rvalue else assigned  # a simple assignment is an r-value, a compound one is not


@lowers(hir.CompoundAssign)
def _compound(ctx: Lowering, e: hir.CompoundAssign) -> Value:
    scaled = _scaled(e)
    if scaled is not None:
        scalar = memory.value_of(ctx, scaled[1])
        place = places.pinned(ctx, e.target)
        target = ctx.expr(place)
        ctx.at_begin(e.target, e.target)
        old = casts.numeric(ctx, memory.load(ctx, target).id, e.target.type, e.compute_type)
        ctx.at(e)
        opcode = op.OpMatrixTimesScalar if casts.is_matrix(e.type) else op.OpVectorTimesScalar
        product = ctx.b.binary(opcode, ctx.type(e.compute_type), old, scalar.id)
        ctx.at_begin(e.target, e)
        new = ctx.rvalue(casts.numeric(ctx, product, e.compute_type, e.type), e.type)
        return assign(ctx, place, new, target)
    check_matrix_operator(ctx, e, e.target)
    right = memory.value_of(ctx, e.value)
    place = places.pinned(ctx, e.target)
    target = ctx.expr(place)
    ctx.at_begin(e.target, e.target)
    old_value = memory.load(ctx, target)
    left = casts.numeric(ctx, old_value.id, e.target.type, e.compute_type)
    ctx.at(e)
    combined = arithmetic(ctx, e.op, left, right.id, e.compute_type, e.compute_type)
    ctx.at_begin(e.target, e)
    new = ctx.rvalue(casts.numeric(ctx, combined, e.compute_type, e.type), e.type)
    return assign(ctx, place, new, target)


def condensed(e: hir.Swizzle) -> tuple[hir.Expr, list[int]]:
    """Return the vector at the end of nested swizzles, and the components of it that they select together.

    A swizzle that repeats a component is not an l-value: its operand is loaded first, and further swizzles inside it
    stay.
    """
    base: hir.Expr = e
    selected: list[int] | None = None
    while isinstance(base, hir.Swizzle):
        selected = [base.components[i] for i in selected] if selected is not None else list(base.components)
        repeats = len(set(base.components)) < len(base.components)
        base = base.base
        if repeats and base.is_lvalue:
            return hir.Load(base, base.type, base.pos), selected
    assert selected is not None
    return base, selected


@assigns(hir.Swizzle)
def _assign_swizzle(ctx: Lowering, target: hir.Swizzle, value: Value) -> bool:
    base, selected = condensed(target)
    size = ty.component_count(base.type)
    b = ctx.b
    if size == 1:
        assign(ctx, base, value)
        return True
    if len(selected) == 1 and places.is_memory(base):
        return False
    base = places.pinned(ctx, base)
    if len(selected) == 1:
        old = memory.value_of(ctx, base)
        assign(ctx, base, ctx.rvalue(b.insert(value.id, old.id, selected[0]), base.type))
        return True
    if selected == list(range(size)):
        assign(ctx, base, value)
        return True
    pointer = ctx.expr(base)
    if not pointer.is_rvalue and b.storage_of(pointer.id) == StorageClass.Workgroup and isinstance(base.type, Vector):
        _assign_components(ctx, pointer, base.type, selected, value)
        return True
    old = memory.load(ctx, pointer)
    selectors = list(range(size))
    for i, c in enumerate(selected):
        selectors[c] = size + i
    new = ctx.rvalue(b.shuffle(old.id, value.id, selectors), base.type)
    assign(ctx, base, new, pointer)
    return True


def _assign_components(ctx: Lowering, pointer: Value, t: Vector, selected: list[int], value: Value) -> None:
    """Write components one by one: other threads may write the other components of a vector in shared memory."""
    for i, component in enumerate(selected):
        place = access.chain(ctx, pointer, [ctx.b.const_i32(component)], t.element)
        memory.store(ctx, place, ctx.rvalue(ctx.b.extract(value.id, i), t.element))


@assigns(hir.MatrixSwizzle)
def _assign_matrix_elements(ctx: Lowering, target: hir.MatrixSwizzle, value: Value) -> bool:
    if not places.is_memory(target.base):
        return places.assign_part(ctx, target, value)
    t = target.base.type
    assert isinstance(t, Matrix)
    pointer = ctx.expr(target.base)
    for i, (r, c) in enumerate(target.elements):
        part = value.id if len(target.elements) == 1 else ctx.b.extract(value.id, i)
        place = access.chain(ctx, pointer, _element_indices(ctx, t, r, c), t.element)
        memory.store(ctx, place, ctx.rvalue(part, t.element))
    return True


def _element_indices(ctx: Lowering, t: Matrix, r: int, c: int) -> list[int]:
    out: list[int] = []
    if t.rows > 1:
        out.append(ctx.b.const_i32(r))
    if t.cols > 1:
        out.append(ctx.b.const_i32(c))
    return out


# ------------------------------------------------------------------------------------------------------------- swizzles


@lowers(hir.Swizzle)
def _swizzle(ctx: Lowering, e: hir.Swizzle) -> Value:
    base_expr, selected = condensed(e)
    b, size, t = ctx.b, ty.component_count(base_expr.type), e.type
    if len(selected) == 1:
        base = ctx.expr(base_expr)
        if size == 1:
            return Value(base.id, t, base.is_rvalue, base.is_alias, base.bits)
        if not base.is_rvalue:
            return access.chain(ctx, base, [b.const_i32(selected[0])], t)
        return ctx.rvalue(b.extract(base.id, selected[0]), t)
    base = memory.value_of(ctx, base_expr)
    if size == 1:
        return ctx.rvalue(b.construct(ctx.type(t), [base.id] * len(selected)), t)
    if selected == list(range(size)):
        return Value(base.id, t, True)
    return ctx.rvalue(b.shuffle(base.id, base.id, selected), t)


@lowers(hir.MatrixSwizzle)
def _matrix_swizzle(ctx: Lowering, e: hir.MatrixSwizzle) -> Value:
    t = e.base.type
    assert isinstance(t, Matrix)
    base = ctx.expr(e.base)
    parts: list[int] = []
    for r, c in e.elements:
        if base.is_rvalue:
            indices = ([r] if t.rows > 1 else []) + ([c] if t.cols > 1 else [])
            parts.append(ctx.b.extract(base.id, *indices) if indices else base.id)
        else:
            pointer = access.chain(ctx, base, _element_indices(ctx, t, r, c), t.element)
            parts.append(ctx.b.load(pointer.id, align=memory.alignment(ctx, pointer)))
    if len(parts) == 1:
        return ctx.rvalue(relayout.without_layout(ctx, parts[0], e.type), e.type)
    vector = ctx.b.construct(ctx.b.vector(ctx.b.type_id_of(parts[0]), len(parts)), parts)
    return ctx.rvalue(relayout.without_layout(ctx, vector, e.type), e.type)


@lowers(hir.InitList)
def _init_list(ctx: Lowering, e: hir.InitList) -> Value:
    folded = constants.folded(ctx, e)
    if folded is not None:
        return ctx.rvalue(folded, e.type)
    return initializers.init_list(ctx, e)


@lowers(hir.SizeOf)
def _size_of(ctx: Lowering, e: hir.SizeOf) -> Value:
    folded = constants.folded(ctx, e)
    assert folded is not None
    return ctx.rvalue(folded, e.type)
