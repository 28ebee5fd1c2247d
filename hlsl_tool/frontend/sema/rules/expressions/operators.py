"""Operators: the type of the computation, and conversions of operands (manual: *Expressions*).

Operators on structs are calls of the struct's own ``operator+`` etc.
"""

from __future__ import annotations

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.catalogue import syntax
from hlsl_tool.base.diagnostics.catalogue.compiler import TOO_LONG
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules import extents
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Subject
from hlsl_tool.frontend.sema.rules.expressions import coherence, conversions, initializers
from hlsl_tool.frontend.sema.rules.expressions.lvalues import modifiable
from hlsl_tool.frontend.sema.rules.expressions.overloads import attempt, finish, method, score
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.rules.warnings import precedence
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.sema.scope.scopes import Overloads, Scope, namespace_members, struct_member
from hlsl_tool.frontend.syntax import ast

_COMPARISONS = frozenset(("<", ">", "<=", ">=", "==", "!="))


_BITWISE = frozenset(("&", "|", "^", "<<", ">>"))


_SHIFTS = frozenset(("<<", ">>"))


# ------------------------------------------------------------------------------------------------------------- operands


def numeric(ctx: Context, e: hir.Expr, pos: int) -> Scalar:
    """Return the component type of an operand; report an operand that is not numeric."""
    element = ty.element_of(e.type)
    if element is None or element.category in ("void", "string"):
        code = codes.ENUM_ARITHMETIC if _is_matrix_handle(e.type) else codes.NEED_SCALAR
        ctx.fail(code, pos, hint=ex.small_float_hint(e.type))
    if isinstance(e.type, Enum) and e.type.is_class:
        ctx.fail(codes.ENUM_ARITHMETIC, pos)
    return element


def _is_matrix_handle(t: Type) -> bool:
    return isinstance(t, ObjectType) and t.name == "__builtin_LinAlgMatrix"


def _adaptable(e: hir.Expr, element: Scalar) -> Scalar:
    """Return the component type of a binary operand.

    For a 32-bit enumeration it is `conversions.ENUM`, which takes on the type of the other operand.
    """
    return conversions.ENUM if isinstance(e.type, Enum) and element.bits == 32 else element


def _to_component(e: hir.Expr, element: Scalar) -> hir.Expr:
    t = ty.with_element(e.type, element)
    return e if t is e.type else hir.Cast("numeric", e, t, e.pos)


@expression(ast.Annotated)
def _annotated(ctx: Context, e: ast.Annotated) -> hir.Expr:
    """Analyse an expression with attributes, of which only the math mode has an effect."""
    attributes.at(ctx, e.attributes, Subject("statement"))
    return in_mode(ex.rvalue(ctx, e.operand), hlsl_attributes.math_mode(ctx, e.attributes))


def in_mode(e: hir.Expr, mode: str) -> hir.Expr:
    """Return a value that is computed in a math mode; the empty one changes nothing."""
    if mode == "strict":
        return hir.Cast("strict", e, e.type, e.pos)
    return hir.Cast("fast", e, e.type, e.pos) if mode else e


# ---------------------------------------------------------------------------------------------------------------- unary


@expression(ast.Unary)
def unary(ctx: Context, e: ast.Unary) -> hir.Expr:
    """Analyse a prefix operator."""
    op = e.op
    if op in ("*", "&"):
        ctx.fail(codes.UNSUPPORTED_OPERATOR, e.pos)
    x = ex.check(ctx, e.operand)
    overloaded = _overloaded(ctx, x, op, [], e.pos)
    if overloaded is not None:
        return overloaded
    if op in ("++", "--"):
        return inc_dec(ctx, x, op, e.pos, is_prefix=True)
    if op == "~" and isinstance(x.type, Enum) and x.type.is_class:
        ctx.fail(codes.NEED_INT, e.pos)
    numeric(ctx, x, e.pos)
    x = ex.decay(x)
    element = numeric(ctx, x, e.pos)
    if op == "!":
        x = ex.convert(ctx, x, ty.with_element(x.type, ty.BOOL))
        return hir.Unary("!", x, x.type, e.pos)
    if op == "~" and element.category == "float":
        ctx.fail(codes.NEED_INT, e.pos)
    if element.category == "bool":
        x = _to_component(x, ty.INT)
    return hir.Unary(op, x, x.type, e.pos)


@expression(ast.Postfix)
def postfix(ctx: Context, e: ast.Postfix) -> hir.Expr:
    """Analyse ``x++`` or ``x--``."""
    x = ex.check(ctx, e.operand)
    overloaded = _overloaded(ctx, x, e.op, [hir.Literal_(0, ty.INT, e.pos)], e.pos)
    if overloaded is not None:
        return overloaded
    return inc_dec(ctx, x, e.op, e.pos, is_prefix=False)


def inc_dec(ctx: Context, x: hir.Expr, op: str, pos: int, *, is_prefix: bool) -> hir.Expr:
    """Build an increment or decrement of an l-value."""
    if isinstance(x.type, Enum):
        ctx.fail(codes.INC_ENUM, pos, what="increment" if op == "++" else "decrement", type=ty.display(x.type))
    modifiable(ctx, x, pos)
    element = numeric(ctx, x, pos)
    if element.category == "bool":
        ctx.fail(codes.BOOL_LVALUE, pos)
    ctx.nested_changes += 1
    return hir.IncDec(op, is_prefix, x, x.type, pos, is_lvalue=is_prefix)


# --------------------------------------------------------------------------------------------------------------- binary


MAX_CHAIN = 4000
"""Limit on chained operators: conversions and overloaded operators form deep trees, over which later stages recurse."""


@expression(ast.Binary)
def binary(ctx: Context, e: ast.Binary) -> hir.Expr:
    """Analyse a binary operator; iterate over left-deep chains, whose length is unbounded."""
    chain: list[ast.Binary] = []
    node: ast.Expr = e
    while isinstance(node, ast.Binary):
        chain.append(node)
        node = node.left
    if len(chain) > MAX_CHAIN:
        ctx.fail(TOO_LONG, chain[0].pos)
    left, *rights = ex.check_all(ctx, [node, *(b.right for b in reversed(chain))])
    for b, right in zip(reversed(chain), rights, strict=True):
        if b.op in precedence.CHECKED:
            precedence.check(ctx, b)
        try:
            left = _binary(ctx, b.op, left, right, b.pos)
        except Poisoned:
            extents.underline_operands(ctx, b)
            raise
    return left


_NUMERIC: dict[tuple[str, Type, Type], tuple[Type, Type]] = {}
"""Operator, numeric types of its operands → the type it computes in and its result, of valid operations seen so far."""


def _binary(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, pos: int) -> hir.Expr:
    types = _NUMERIC.get((op, left.type, right.type))
    if types is None:
        return _typed_binary(ctx, op, left, right, pos)
    right = _operand(ctx, conversions.load(right), types[0], op)
    left = _operand(ctx, conversions.load(left), types[0], op)
    return hir.Binary(op, left, right, types[1], pos)


def _typed_binary(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, pos: int) -> hir.Expr:
    """Build a binary operation from analysed operands; cache the result types for numeric operand types."""
    if op == ",":
        return hir.Comma(left, right, right.type, pos, is_lvalue=right.is_lvalue)
    overloaded = _overloaded(ctx, left, op, [right], pos)
    if overloaded is not None:
        return overloaded
    if op in ("&&", "||"):
        return _logical(ctx, op, left, right, pos)
    if isinstance(left.type, Enum) and left.type is right.type and op in _COMPARISONS:
        if left.type.is_class and op not in ("==", "!="):
            ctx.fail(codes.ENUM_ARITHMETIC, pos)
        a, b = conversions.load(left), conversions.load(right)
        under = left.type.underlying
        return hir.Binary(op, hir.Cast("noop", a, under, pos), hir.Cast("noop", b, under, pos), ty.BOOL, pos)
    if isinstance(left.type, ty.Array) or isinstance(right.type, ty.Array):
        ctx.fail(codes.ARRAY_EQUALITY if op in ("==", "!=") else codes.NEED_SCALAR, pos)
    if op in _SHIFTS and isinstance(right.type, (Scalar, Enum)):
        _same_enum(ctx, left, right)
    types = left.type, right.type
    common = left.type if isinstance(left.type, Enum) and left.type is right.type and not left.type.is_class else None
    a_el, b_el = numeric(ctx, left, pos), numeric(ctx, right, pos)
    if op not in _SHIFTS and isinstance(left.type, Enum) != isinstance(right.type, Enum):
        a_el, b_el = _adaptable(left, a_el), _adaptable(right, b_el)
    left, right = ex.decay(left), ex.decay(right)
    if op in _BITWISE and "float" in (a_el.category, b_el.category):
        ctx.fail(codes.NEED_INT, pos)
    element = _computed_in(ctx, op, a_el, b_el, pos)
    shape = conversions.combine_shapes(left.type, right.type) or left.type
    t = ty.with_element(shape, element)
    right = _operand(ctx, right, t, op)
    left = _operand(ctx, left, t, op)
    is_valid = _can_divide(ctx, op, element, pos)
    result = ty.with_element(t, ty.BOOL) if op in _COMPARISONS else t
    reports = not is_valid or op in _SHIFTS  # a shift may warn about its types
    if not reports and ty.is_numeric(types[0]) and ty.is_numeric(types[1]):
        _NUMERIC[op, types[0], types[1]] = t, result
    operation = hir.Binary(op, left, right, result, pos)
    return operation if common is None else hir.Cast("noop", operation, common, pos)  # both operands have enum `common`


def _same_enum(ctx: Context, target: hir.Expr, value: hir.Expr) -> None:
    """Report a compound assignment or shift whose result would have to be converted back to an enumeration."""
    if isinstance(target.type, Enum) and value.type is not target.type:
        src, dst = ty.display(value.type), ty.display(target.type)
        ctx.fail(codes.NO_CONVERSION, value.pos, src=src, dst=dst)


def _operand(ctx: Context, x: hir.Expr, t: Type, op: str) -> hir.Expr:
    if x.type is t:
        return conversions.load(x)
    c = conversions.classify(x.type, t, explicit=False)
    if c is None:
        is_product = op == "*" and (isinstance(x.type, Matrix) or isinstance(t, Matrix))
        hint = "`*` multiplies component by component; `mul(a, b)` is the product of matrices" if is_product else None
        ctx.fail(codes.NO_CONVERSION, x.pos, src=ty.display(x.type), dst=ty.display(t), hint=hint)
    losses.check(ctx, x, t, truncates=c.truncates, keeps_bits=op in _SHIFTS, keeps_value=op in _COMPARISONS)
    return conversions.apply(x, t, c)


def _computed_in(ctx: Context, op: str, a: Scalar, b: Scalar, pos: int) -> Scalar:
    if op in _SHIFTS:
        if a.is_literal and not b.is_literal:
            ctx.warn(codes.AMBIGUOUS_SHIFT, pos)
            return ty.UINT if b is ty.UINT else ty.INT
        return ty.INT if a.category == "bool" else a
    element = conversions.combine(a, b)
    if element is None:
        ctx.fail(codes.TYPE_MISMATCH, pos)
    if element.category == "bool" and op not in ("==", "!="):
        return ty.INT
    return element


def _can_divide(ctx: Context, op: str, element: Scalar, pos: int) -> bool:
    """Return whether the component type supports division (``/`` or ``%``); report an error if not."""
    if op in ("/", "%") and element.is_min_precision and element.category == "int":
        ctx.error(codes.MIN_INT_DIV, pos)
        return False
    if op == "%" and element is ty.DOUBLE:
        ctx.error(codes.MOD_DOUBLE, pos)
        return False
    return True


def _logical(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, pos: int) -> hir.Expr:
    left, right = ex.decay(left), ex.decay(right)
    numeric(ctx, left, pos)
    numeric(ctx, right, pos)
    new = ctx.language.hlsl_version >= 2021
    if new and not (isinstance(left.type, Scalar) and isinstance(right.type, Scalar)):
        ctx.fail(codes.LOGICAL_SCALAR, pos, name="and" if op == "&&" else "or")
    shape = conversions.combine_shapes(left.type, right.type) or left.type
    t = ty.with_element(shape, ty.BOOL)
    right = _operand(ctx, right, t, op)
    left = _operand(ctx, left, t, op)
    return hir.Logical(op, left, right, t, pos, short_circuits=new)


def _overloaded(ctx: Context, left: hir.Expr, op: str, args: list[hir.Expr], pos: int) -> hir.Expr | None:
    """Build a call of the left operand's overloaded operator; ``None`` if it has none."""
    t = left.type
    free = _free_operators(ctx, op, [left, *args])
    if free:
        call = _choose_operator(ctx, left, op, args, free, pos)
        if call is not None:
            return call
    if not isinstance(t, Struct):
        return None
    overloads = struct_member(t, f"operator{op}")
    if not isinstance(overloads, tuple):
        if op in ("=", ","):
            return None
        right = ty.display(args[0].type) if args else ty.display(t)
        ctx.fail(codes.BAD_OPERANDS, pos, left=ty.display(t), right=right)
    return method(ctx, left, overloads, f"operator{op}", args, pos, is_operator=True)


def _free_operators(ctx: Context, op: str, operands: list[hir.Expr]) -> Overloads:
    """Return the operators outside of structs: those in scope, and those in the namespaces of the operands' types."""
    types = [x.type for x in operands if isinstance(x.type, (Struct, Enum))]
    if not types or ctx.language.hlsl_version < HLSL_202X:
        return ()
    name = f"operator{op}"
    scope: Scope | None = ctx.scope
    while scope is not None and scope.kind == "struct":
        scope = scope.parent
    binding = scope.lookup(name) if scope is not None else None
    candidates = dict.fromkeys(binding if isinstance(binding, tuple) else ())
    for t in types:
        members = namespace_members(ctx.scope, t.scope) if t.scope else {}
        beside = members.get(name)
        candidates.update(dict.fromkeys(beside if isinstance(beside, tuple) else ()))
    return tuple(candidates)


def _choose_operator(
    ctx: Context, left: hir.Expr, op: str, args: list[hir.Expr], free: Overloads, pos: int
) -> hir.Expr | None:
    """Build the call of the operator that fits the operands best, in or outside of the left operand's struct.

    Return ``None`` if no operator outside of structs fits.
    """
    operands = [left, *args]
    f = attempt(ctx, free, f"operator{op}", operands, pos)
    if f is None:
        return None
    own = struct_member(left.type, f"operator{op}") if isinstance(left.type, Struct) else None
    member = attempt(ctx, own, f"operator{op}", args, pos) if isinstance(own, tuple) else None
    if member is not None and score(member, args) <= score(f, operands):
        return None
    call = finish(ctx, f, None, operands, pos, is_operator=True)
    ctx.nested_changes += op.endswith("=") and op not in _COMPARISONS
    return call


@expression(ast.Assign)
def assign(ctx: Context, e: ast.Assign) -> hir.Expr:
    """Analyse a simple or compound assignment."""
    if e.op == "=":
        try:
            target = ex.check(ctx, e.target)
        except Poisoned:
            initializers.check_items(ctx, e.value)
            raise
        return _simple(ctx, target, e)
    target, value = ex.check_all(ctx, [e.target, e.value])
    overloaded = _overloaded(ctx, target, e.op, [value], e.pos)
    if overloaded is not None:
        return overloaded
    return _compound(ctx, target, e.op[:-1], value, e.pos)


def _simple(ctx: Context, target: hir.Expr, e: ast.Assign) -> hir.Expr:
    if isinstance(target.type, Struct) and isinstance(struct_member(target.type, "operator="), tuple):
        overloaded = _overloaded(ctx, target, "=", [ex.check(ctx, e.value)], e.pos)
        if overloaded is not None:
            return overloaded
    if isinstance(e.value, ast.InitList):
        ctx.fail(syntax.EXPECTED_EXPRESSION, e.value.pos, hint="write a constructor, such as 'float2(...)'")
    if target.type is ty.STRING:
        ctx.fail(codes.STRING_IMMUTABLE, e.target.pos)
    modifiable(ctx, target, e.pos)
    value = initializers.initialize(ctx, e.value, target.type, None)
    if isinstance(ty.innermost(target.type), ty.ObjectType):
        coherence.check(ctx, value, coherence.quals_of(target) or (), target.type)
    ctx.nested_changes += 1
    return hir.Assign(target, value, target.type, e.pos)


def _compound(ctx: Context, target: hir.Expr, op: str, value: hir.Expr, pos: int) -> hir.Expr:
    modifiable(ctx, target, pos)
    _same_enum(ctx, target, value)
    a, b = numeric(ctx, target, pos), numeric(ctx, value, pos)
    if op not in _SHIFTS and isinstance(value.type, Enum) and not isinstance(target.type, Enum):
        b = _adaptable(value, b)
    value = ex.decay(value)
    if op in _BITWISE and "float" in (a.category, b.category):
        ctx.fail(codes.NEED_INT, pos)
    if a.category == "bool" and op not in ("&", "|", "^"):
        ctx.fail(codes.BOOL_LVALUE, pos)
    element = _computed_in(ctx, op, a, b, pos)
    _can_divide(ctx, op, element, pos)
    compute = ty.with_element(target.type, element)
    value = _operand(ctx, value, compute, op)
    if op not in _SHIFTS:
        losses.check_result(ctx, value, target.type)
    ctx.nested_changes += 1
    return hir.CompoundAssign(op, target, value, compute, target.type, pos)


# -------------------------------------------------------------------------------------------------------------- ternary


@expression(ast.Ternary)
def ternary(ctx: Context, e: ast.Ternary) -> hir.Expr:
    """Analyse ``c ? a : b``.

    Before HLSL 2021 ``c`` may be a vector, and the operator does not short-circuit.
    """
    cond, then, otherwise = ex.check_all(ctx, [e.cond, e.then, e.otherwise])
    cond = ex.decay(cond)
    new = ctx.language.hlsl_version >= 2021
    element = ty.element_of(cond.type)
    if element is None or element.category in ("void", "string"):
        ctx.fail(codes.TERNARY_COND, e.cond.pos)
    if new and isinstance(cond.type, (Vector, Matrix)):
        ctx.fail(codes.TERNARY_SCALAR, e.cond.pos)
    t = _common(ctx, cond, then, otherwise, e.pos)
    bool_type: Type = ty.BOOL if new or not ty.is_numeric(t) else ty.with_element(t, ty.BOOL)
    if isinstance(cond.type, Scalar):
        cond = ex.convert(ctx, cond, ty.BOOL)
    cond = ex.convert(ctx, cond, bool_type)
    then, otherwise = ex.convert(ctx, then, t), ex.convert(ctx, otherwise, t)
    return hir.Ternary(cond, then, otherwise, t, e.pos, short_circuits=new)


def _common(ctx: Context, cond: hir.Expr, then: hir.Expr, otherwise: hir.Expr, pos: int) -> Type:
    a, b = then.type, otherwise.type
    if ty.STRING in (a, b):
        ctx.fail(codes.TYPE_MISMATCH, pos)
    if a is b:
        if isinstance(cond.type, (Vector, Matrix)) and isinstance(a, Scalar):
            return ty.with_element(cond.type, a)
        return a
    if isinstance(a, Enum):
        a = a.underlying
    if isinstance(b, Enum):
        b = b.underlying
    if not ty.is_numeric(a) or not ty.is_numeric(b):
        if conversions.classify(b, a, explicit=False) is not None:
            return a
        if conversions.classify(a, b, explicit=False) is not None:
            return b
        ctx.fail(codes.TYPE_MISMATCH, pos)
    ea, eb = ty.element_of(a), ty.element_of(b)
    assert ea is not None and eb is not None
    element = conversions.combine(ea, eb)
    shape = conversions.combine_shapes(a, b)
    if element is None or shape is None:
        ctx.fail(codes.NO_CONVERSION, pos, src=ty.display(b), dst=ty.display(a))
    if isinstance(cond.type, (Vector, Matrix)) and isinstance(shape, Scalar):
        shape = cond.type
    return ty.with_element(shape, element)
