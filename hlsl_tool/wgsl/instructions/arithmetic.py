"""Operators on numbers and booleans.

SPIR-V's instructions determine the signedness of an operation, in WGSL the operand types do. So operands are converted
to the signedness of the instruction, and the result to that of the result type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions.evaluation import can_be_evaluated
from hlsl_tool.wgsl.writer.constant_expressions import integer_literal
from hlsl_tool.wgsl.writer.expr import PRECEDENCE, PRIMARY, SHIFT, UNARY, Expr, binary, call, negation, unary
from hlsl_tool.wgsl.writer.loops import ONES
from hlsl_tool.wgsl.writer.registry import value
from hlsl_tool.wgsl.writer.statements import IfStatement, Let, Scope

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

AS_RESULT = {
    op.OpIAdd: "+",
    op.OpISub: "-",
    op.OpIMul: "*",
    op.OpBitwiseOr: "|",
    op.OpBitwiseXor: "^",
    op.OpBitwiseAnd: "&",
}
"""Integer operators without signedness: operands are converted to the type of the result."""

SIGNED = {op.OpSDiv: "/", op.OpSRem: "%", op.OpSMod: "%"}
"""Remainders of negative numbers are undefined in Vulkan (appendix on SPIR-V, precision), and drivers give OpSMod's the
sign of the dividend, too."""

UNSIGNED = {op.OpUDiv: "/", op.OpUMod: "%"}
SIGNED_COMPARISONS = {
    op.OpSLessThan: "<",
    op.OpSLessThanEqual: "<=",
    op.OpSGreaterThan: ">",
    op.OpSGreaterThanEqual: ">=",
}
UNSIGNED_COMPARISONS = {
    op.OpULessThan: "<",
    op.OpULessThanEqual: "<=",
    op.OpUGreaterThan: ">",
    op.OpUGreaterThanEqual: ">=",
}
PLAIN = {
    op.OpFAdd: "+", op.OpFSub: "-", op.OpFMul: "*", op.OpFDiv: "/", op.OpFRem: "%", op.OpVectorTimesScalar: "*",
    op.OpMatrixTimesScalar: "*", op.OpMatrixTimesMatrix: "*",
    op.OpFOrdEqual: "==", op.OpFOrdNotEqual: "!=", op.OpFUnordNotEqual: "!=", op.OpFOrdLessThan: "<",
    op.OpFOrdLessThanEqual: "<=", op.OpFOrdGreaterThan: ">", op.OpFOrdGreaterThanEqual: ">=",
}  # fmt: skip
WITH_SCALARS = frozenset("+-*/%")
"""Operators that WGSL has for a vector and a scalar."""

NEGATED = {
    op.OpFUnordEqual: "!=",
    op.OpFUnordLessThan: ">=",
    op.OpFUnordLessThanEqual: ">",
    op.OpFUnordGreaterThan: "<=",
    op.OpFUnordGreaterThanEqual: "<",
}
"""Comparison that is true for NaN → opposite comparison, which is negated."""


# ---------------------------------------------------------------------------------------------------------- signedness


def spelled(w: FunctionWriter, type_id: int, scalar: str) -> str:
    """Return the WGSL type ``scalar``, or a vector of it with as many components as the type ``type_id``."""
    count = w.view.components(type_id)
    return w.types.vector(count, scalar) if count > 1 else scalar


def as_integer(w: FunctionWriter, operand: int, signed: bool) -> Expr:
    """Return an integer operand converted to the signedness that WGSL's operation needs, with the same bits."""
    type_id = w.view.type_of(operand)
    if w.view.is_signed(type_id) == signed:
        return w.expr(operand)
    constant = w.view.constant(operand)
    if constant is not None:
        text = integer_literal(constant, signed)
        return Expr(text, UNARY if text[0] == "-" else PRIMARY, constant=True, named=True)
    return cast(w, w.expr(operand), type_id, signed)


def cast(w: FunctionWriter, value: Expr, type_id: int, signed: bool) -> Expr:
    """Write a conversion that reinterprets integers; ``type_id`` gives the number of components."""
    return call(spelled(w, type_id, "i32" if signed else "u32"), value)


def result(w: FunctionWriter, inst: Instruction, value: Expr, signed: bool) -> Expr:
    """Convert an integer value, whose signedness is ``signed``, to the result type of an instruction."""
    if w.view.is_signed(inst.type_id) == signed:
        return value
    return cast(w, value, inst.type_id, not signed)


def infix(w: FunctionWriter, operator: str, left: Expr, right: Expr, inst: Instruction | None = None) -> Expr:
    """Write a binary operation; keep WGSL from evaluating one on two constants if it may overflow.

    ``inst`` is the instruction for the whole operation, if there is one.
    """
    may_overflow = left.constant and right.constant and PRECEDENCE[operator] <= SHIFT
    if may_overflow and (inst is None or not can_be_evaluated(w, inst)):
        left = w.hidden(left)
    return binary(operator, left, right)


def is_zero(w: FunctionWriter, operand: int) -> bool:
    """Return whether an operand is an integer constant 0, or a constant vector that contains 0."""
    inst = w.view.defs[operand]
    if inst.op == op.OpConstantComposite:
        return any(is_zero(w, part) for part in inst.ints())
    return inst.op == op.OpConstantNull or w.view.constant(operand) == 0


# ------------------------------------------------------------------------------------------------------------ handlers


@value(*PLAIN)
def _plain(w: FunctionWriter, inst: Instruction) -> Expr:
    left, right = w.expr(inst.id(0)), w.expr(inst.id(1))
    if PLAIN[inst.op] in WITH_SCALARS:
        left, right = without_splat(w, inst, left, right)
    return infix(w, PLAIN[inst.op], left, right, inst)


def without_splat(w: FunctionWriter, inst: Instruction, left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Return the operands, with a vector of equal components replaced by the scalar if the other operand is a vector.

    Vectors of ones stay: `v = v + 1i` would be printed as `v++`.
    """
    kinds = [w.view.type(w.view.type_of(operand)).op for operand in inst.ints()]
    if kinds != [op.OpTypeVector, op.OpTypeVector]:
        return left, right
    if not left.constant:
        component = component_of(w, right, inst.id(1))
        if component is not None and component.text not in ONES:
            return left, component
    if not right.constant:
        component = component_of(w, left, inst.id(0))
        if component is not None:
            return component, right
    return left, right


def component_of(w: FunctionWriter, vector: Expr, value: int) -> Expr | None:
    """Return the common component of a vector that was constructed from equal components; ``None`` for other values."""
    if vector.splat is not None:
        return vector.splat
    inst = w.view.defs[value]
    if inst.op == op.OpConstantComposite and len(set(inst.ints())) == 1:
        return w.expr(inst.id(0))
    return None


@value(op.OpVectorTimesMatrix, op.OpMatrixTimesVector)
def _by_vector(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a product with a vector; use the declared matrix with swapped operands instead of its transpose."""
    left, right = w.expr(inst.id(0)), w.expr(inst.id(1))
    matrix, vector = (right, left) if inst.op == op.OpVectorTimesMatrix else (left, right)
    inner = matrix.transposed
    if not inner:
        return infix(w, "*", left, right)
    matrix = Expr(inner, reads=matrix.reads, depth=matrix.depth)
    return binary("*", matrix, vector) if inst.op == op.OpVectorTimesMatrix else binary("*", vector, matrix)


@value(*NEGATED)
def _negated(w: FunctionWriter, inst: Instruction) -> Expr:
    return unary("!", infix(w, NEGATED[inst.op], w.expr(inst.id(0)), w.expr(inst.id(1))))


@value(*AS_RESULT)
def _as_result(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = w.view.is_signed(inst.type_id)
    operator = AS_RESULT[inst.op]
    folded = w.context.folder.constant(inst.result_id) if operator == "&" else 0
    constant = w.constants.expr(folded) if folded else None
    if constant is not None:
        return constant
    left, right = as_integer(w, inst.id(0), signed), as_integer(w, inst.id(1), signed)
    if operator in WITH_SCALARS and all(w.view.is_signed(w.view.type_of(operand)) == signed for operand in inst.ints()):
        left, right = without_splat(w, inst, left, right)
    return infix(w, operator, left, right, inst)


def _known(w: FunctionWriter, value: int) -> int | None:
    """Return the bits of an integer constant, or the largest of a vector's; ``None`` for other values.

    HLSL compilers mask shift counts, so a bitwise AND of two constants counts as a constant, too.
    """
    constant = w.context.folder.constant(value)
    if not constant:
        return None
    inst = w.view.defs[constant]
    if inst.op == op.OpConstantComposite:
        parts = [_known(w, part) for part in inst.ints()]
        return None if None in parts else max(part or 0 for part in parts)
    number = w.view.constant(constant)
    return None if number is None else number & 0xFFFFFFFF


@value(*SIGNED, *UNSIGNED)
def _division(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = inst.op in SIGNED
    left, right = as_integer(w, inst.id(0), signed), as_integer(w, inst.id(1), signed)
    divisor = w.context.folder.constant(inst.id(1))
    if is_zero(w, divisor or inst.id(1)) or (right.constant and not divisor):
        right = w.temporary(right, head="var ")  # naga looks through `let`
    return result(w, inst, infix(w, (SIGNED if signed else UNSIGNED)[inst.op], left, right, inst), signed)


@value(op.OpFmaKHR)
def _fused(w: FunctionWriter, inst: Instruction) -> Expr:
    return call("fma", *(w.expr(operand) for operand in inst.ints()))


@value(op.OpFMod)
def _float_modulo(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a floating-point remainder with the sign of the divisor."""
    left, right = w.repeatable(w.expr(inst.id(0))), w.repeatable(w.expr(inst.id(1)))
    left = w.hidden(left)
    quotient = call("floor", binary("/", left, right))
    return binary("-", left, binary("*", right, quotient))


@value(op.OpSNegate)
def _negate(w: FunctionWriter, inst: Instruction) -> Expr:
    constant = w.view.constant(inst.id(0))
    if constant is not None and abs(constant) < 1 << 31 and w.view.is_signed(inst.type_id):
        return w.constants.literal(inst.type_id, -constant)
    operand = w.hidden(as_integer(w, inst.id(0), True))
    return result(w, inst, unary("-", operand), True)


@value(op.OpFNegate)
def _float_negate(w: FunctionWriter, inst: Instruction) -> Expr:
    return unary("-", w.expr(inst.id(0)))


@value(op.OpNot)
def _not(w: FunctionWriter, inst: Instruction) -> Expr:
    return unary("~", as_integer(w, inst.id(0), w.view.is_signed(inst.type_id)))


@value(op.OpLogicalNot)
def _logical_not(w: FunctionWriter, inst: Instruction) -> Expr:
    return negation(w.expr(inst.id(0)))


@value(op.OpLogicalEqual, op.OpLogicalNotEqual)
def _logical_equality(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a comparison of booleans; one with a constant is the other operand or its negation."""
    for operand, other in (inst.ints(), inst.ints()[::-1]):
        constant = w.view.constant(operand)
        if constant is not None:
            is_same = bool(constant) == (inst.op == op.OpLogicalEqual)
            return w.expr(other) if is_same else negation(w.expr(other))
    return binary("==" if inst.op == op.OpLogicalEqual else "!=", w.expr(inst.id(0)), w.expr(inst.id(1)))


@value(op.OpLogicalAnd, op.OpLogicalOr)
def _logical(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write ``&&`` or ``||``, for vectors ``&`` or ``|``.

    WGSL's ``&&`` and ``||`` need not evaluate the second operand, but operands have no side effects.
    """
    operator = "&" if inst.op == op.OpLogicalAnd else "|"
    if w.view.components(inst.type_id) == 1:
        operator *= 2
    return binary(operator, w.expr(inst.id(0)), w.expr(inst.id(1)))


@value(*SIGNED_COMPARISONS, *UNSIGNED_COMPARISONS)
def _comparison(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = inst.op in SIGNED_COMPARISONS
    operator = (SIGNED_COMPARISONS if signed else UNSIGNED_COMPARISONS)[inst.op]
    return binary(operator, as_integer(w, inst.id(0), signed), as_integer(w, inst.id(1), signed))


@value(op.OpIEqual, op.OpINotEqual)
def _equality(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = w.view.is_signed(w.view.type_of(inst.id(0)))
    operator = "==" if inst.op == op.OpIEqual else "!="
    return binary(operator, w.expr(inst.id(0)), as_integer(w, inst.id(1), signed))


@value(op.OpShiftLeftLogical, op.OpShiftRightLogical, op.OpShiftRightArithmetic)
def _shift(w: FunctionWriter, inst: Instruction) -> Expr:
    if inst.op == op.OpShiftLeftLogical:
        signed = w.view.is_signed(inst.type_id)
    else:
        signed = inst.op == op.OpShiftRightArithmetic
    value_, distance = w.view.constant(inst.id(0)), w.view.constant(inst.id(1))
    if inst.op == op.OpShiftRightLogical and value_ is not None and distance is not None and 0 <= distance < 32:
        return w.constants.literal(inst.type_id, (value_ & 0xFFFFFFFF) >> distance)
    left, right = as_integer(w, inst.id(0), signed), as_integer(w, inst.id(1), False)
    if right.constant:
        constant = _known(w, inst.id(1))
        if constant is None or constant >= 32 or left.constant:
            right = w.hidden(right)
    operator = "<<" if inst.op == op.OpShiftLeftLogical else ">>"
    return result(w, inst, binary(operator, left, right), signed)


def _logical_select(w: FunctionWriter, inst: Instruction) -> Expr | None:
    """Write a selection of booleans with a constant by logical operators; return ``None`` for others."""
    condition, yes, no = inst.ints()
    if_true, if_false = w.view.constant(yes), w.view.constant(no)
    if if_true is None and if_false is None:
        return None
    if if_true is not None and if_false is not None:
        if if_true == if_false:
            return w.expr(yes)
        return w.expr(condition) if if_true else negation(w.expr(condition))
    chosen, other = w.expr(condition), w.expr(yes if if_true is None else no)
    if if_true == 0 or if_false == 1:
        chosen = negation(chosen)
    return binary("||" if if_true or if_false else "&&", chosen, other)


@value(op.OpSelect)
def _select(w: FunctionWriter, inst: Instruction) -> Expr:
    kind = w.view.type(inst.type_id)
    if kind.op == op.OpTypeBool:
        logical = _logical_select(w, inst)
        if logical is not None:
            return logical
    condition, yes, no = w.exprs(inst.ints())
    if condition.text in ("true", "false"):
        return yes if condition.text == "true" else no  # naga rejects some `select` of constants
    if kind.op in (op.OpTypeArray, op.OpTypeStruct, op.OpTypeMatrix):
        name = w.temporary(no, "selected")
        w.scope.statements[-1].head = "var "  # type: ignore[union-attr]  # the declaration that was written last
        then = w.scope.child()
        then.statements.append(Let(name.text, yes.text, ""))
        w.emit(IfStatement(condition.text, then, Scope(w.scope)))
        return name
    if kind.op == op.OpTypePointer:
        raise Unsupported("WGSL has no pointers that are chosen at run time")
    return call("select", no, yes, condition)


@value(op.OpIAddCarry, op.OpISubBorrow)
def _carry(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write the struct of a sum and its carry (or a difference and its borrow)."""
    left, right = (w.repeatable(as_integer(w, operand, False)) for operand in inst.ints())
    member = w.view.element(inst.type_id)
    zero, one = (spelled(w, member, "u32") + text for text in ("(0u)", "(1u)"))
    if inst.op == op.OpIAddCarry:
        total = w.temporary(infix(w, "+", left, right))
        beyond = f"{total.text} < {left.at(1)}"
    else:
        total = w.temporary(infix(w, "-", left, right))
        beyond = f"{left.at(1)} < {right.at(1)}"
    over = Expr(f"select({zero}, {one}, {beyond})", depth=2)
    return pair(w, inst, total, over, False)


def pair(w: FunctionWriter, inst: Instruction, first: Expr, second: Expr, signed: bool) -> Expr:
    """Return the result struct of an instruction such as OpIAddCarry, made from two integers.

    ``signed`` is the signedness of these integers; they are converted if the struct's members differ.
    """
    member = w.view.element(inst.type_id)
    if w.view.is_signed(member) != signed:
        first, second = cast(w, first, member, not signed), cast(w, second, member, not signed)
    return call(w.types.spell(inst.type_id), first, second)


@value(op.OpUMulExtended, op.OpSMulExtended)
def _multiply_extended(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write the struct of the low and high words of a product, computed from 16-bit halves."""
    signed = inst.op == op.OpSMulExtended
    member = w.view.element(inst.type_id)
    unsigned = spelled(w, member, "u32")
    left, right = (w.repeatable(w.hidden(as_integer(w, operand, False))) for operand in inst.ints())
    half, mask = f"{unsigned}(16u)", f"{unsigned}(0xffffu)"
    a_low, a_high = (w.temporary(Expr(f"{left.primary} {text}")) for text in (f"& {mask}", f">> {half}"))
    b_low, b_high = (w.temporary(Expr(f"{right.primary} {text}")) for text in (f"& {mask}", f">> {half}"))
    low = w.temporary(Expr(f"{a_low.text} * {b_low.text}"))
    cross = w.temporary(Expr(f"{a_high.text} * {b_low.text} + ({low.text} >> {half})"))
    middle = w.temporary(Expr(f"{a_low.text} * {b_high.text} + ({cross.text} & {mask})"))
    high = Expr(f"{a_high.text} * {b_high.text} + ({cross.text} >> {half}) + ({middle.text} >> {half})", 3)
    if signed:
        zero, sign = f"{unsigned}(0u)", f"{unsigned}(31u)"
        high = Expr(
            f"{high.text} - select({zero}, {right.text}, ({left.primary} >> {sign}) != {zero})"
            f" - select({zero}, {left.text}, ({right.primary} >> {sign}) != {zero})",
            3,
        )
    return pair(w, inst, infix(w, "*", left, right), high, False)


@value(op.OpIsNan, op.OpIsInf)
def _classify(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a test for NaN or infinity on the bits, because compilers may assume that there are no NaNs."""
    type_id = w.view.type_of(inst.id(0))
    if w.view.scalar(type_id).id(0) != 32:
        bits = call("bitcast<u32>", call("f32", w.expr(inst.id(0))))
        if w.view.components(type_id) > 1:
            kind = spelled(w, type_id, "f32")
            bits = call(f"bitcast<{spelled(w, type_id, 'u32')}>", call(kind, w.expr(inst.id(0))))
    else:
        bits = call(f"bitcast<{spelled(w, type_id, 'u32')}>", w.hidden(w.expr(inst.id(0))))
    many = w.view.components(type_id) > 1
    kind = spelled(w, type_id, "u32")
    mask, infinity = (f"{kind}({text})" if many else text for text in ("0x7fffffffu", "0x7f800000u"))
    operator = ">" if inst.op == op.OpIsNan else "=="
    return Expr(f"({bits.text} & {mask}) {operator} {infinity}", 5, bits.reads, False, False, bits.depth + 2)
