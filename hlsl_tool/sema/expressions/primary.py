"""Expressions: names, literals, members, subscripts.  Operators and calls have modules of their own.

``check`` returns an l-value or r-value, ``rvalue`` an r-value, ``converted`` an r-value of a given type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from hlsl_tool.diagnostics import Code
from hlsl_tool.diagnostics.catalogue import language
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.options.model import HLSL_202X
from hlsl_tool.sema import builtin_types, hir, suggestions, type_names
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations import inline_spirv
from hlsl_tool.sema.constants import evaluate, evaluate_int, round_float
from hlsl_tool.sema.context import Context
from hlsl_tool.sema.expressions import calls, conversions, operators
from hlsl_tool.sema.intrinsics import methods
from hlsl_tool.sema.scope import Alias, Binding, Constant, Namespace, StructTemplate, VariableTemplate, struct_member
from hlsl_tool.sema.types import Array, Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.syntax import ast
from hlsl_tool.syntax.literals import LiteralError, parse_number

HEAPS = {
    "ResourceDescriptorHeap": hir.Variable("ResourceDescriptorHeap", ty.object_type(".Resource"), "global"),
    "SamplerDescriptorHeap": hir.Variable("SamplerDescriptorHeap", ty.object_type(".Sampler"), "global"),
}


def check(ctx: Context, e: ast.Expr) -> hir.Expr:
    """Analyse an expression; raise `Poisoned` if it is invalid."""
    return _HANDLERS[e.__class__](ctx, e)


def rvalue(ctx: Context, e: ast.Expr) -> hir.Expr:
    return conversions.load(check(ctx, e))


def converted(ctx: Context, e: ast.Expr, to: Type) -> hir.Expr:
    """Analyse an expression and implicitly convert it to ``to``."""
    return convert(ctx, check(ctx, e), to)


def convert(
    ctx: Context, e: hir.Expr, to: Type, code: Code | None = None, shown: Callable[[Type], str] = ty.display
) -> hir.Expr:
    """Implicitly convert an expression; warn about truncation and loss of precision."""
    c = conversions.classify(e.type, to, explicit=False, hlsl_version=ctx.language.hlsl_version)
    if c is None:
        mismatch(ctx, e, to, code)
    if _loses_bits(e, to):
        ctx.warn(codes.NARROWING, e.pos, src=ty.display(e.type), dst=shown(to))
    if c.truncates:
        ctx.warn(codes.TRUNCATION_MATRIX if isinstance(e.type, Matrix) else codes.TRUNCATION, e.pos)
    return conversions.apply(e, to, c)


def _loses_bits(e: hir.Expr, to: Type) -> bool:
    """Return whether the conversion narrows components; constants are judged by value, ``bool`` never narrows."""
    source, target = ty.element_of(e.type), ty.element_of(to)
    if source is None or target is None or "bool" in (source.category, target.category):
        return False
    if source.is_literal or target.is_literal or target.bits >= source.bits:
        return False
    value = evaluate(e)
    return not isinstance(value, (bool, int, float)) or not _fits(value, target)


def _fits(value: float, t: Scalar) -> bool:
    if t.category == "float":
        return abs(value) <= {16: 65504.0, 32: 3.4028234663852886e38}.get(t.bits, math.inf)
    low = -(1 << (t.bits - 1)) if t.category == "int" else 0
    return low <= value < (1 << (t.bits - (t.category == "int")))


def mismatch(ctx: Context, e: hir.Expr, to: Type, code: Code | None = None) -> NoReturn:
    if code is not None and code in (codes.CANNOT_INITIALIZE, codes.CANNOT_INIT_PARAM, codes.CANNOT_INIT_RETURN):
        category = "lvalue" if e.is_lvalue else "rvalue"
        ctx.fail(code, e.pos, dst=ty.display(to), src=ty.display(e.type), category=category)
    ctx.fail(codes.NO_CONVERSION, e.pos, src=ty.display(e.type), dst=ty.display(to))


# ------------------------------------------------------------------------------------------------------------ literals


def _number(ctx: Context, e: ast.Number) -> hir.Expr:
    try:
        n = parse_number(e.text)
    except LiteralError as error:
        ctx.fail(codes.BAD_LITERAL, e.pos, text=e.text, why=error)
    if e.text[-3:].lower() == "f16" and e.text[:2].lower() != "0x" and not ctx.language.enable_16bit:
        ctx.fail(language.HALF_SUFFIX, e.pos, suffix=e.text[-3:])
    scalar = _LITERAL_TYPES[n.type]
    if ctx.language.hlsl_version >= HLSL_202X:  # no literal types any more
        fits = isinstance(n.value, int) and n.value < 1 << 31
        wide = ty.INT64 if isinstance(n.value, int) and n.value < 1 << 63 else ty.UINT64
        scalar = {ty.LITERAL_FLOAT: ty.FLOAT, ty.LITERAL_INT: ty.INT if fits else wide}.get(scalar, scalar)
    if scalar is ty.HALF and ctx.language.enable_16bit:
        scalar = ty.FLOAT16
    value = n.value
    if isinstance(value, int):
        if value >= 1 << 64:
            ctx.fail(codes.LITERAL_RANGE, e.pos)
        if (scalar is ty.UINT and value >= 1 << 32) or (scalar is ty.INT64 and value >= 1 << 63):
            scalar = ty.UINT64
    elif not scalar.is_literal:
        value = round_float(value, scalar.bits)
    return hir.Literal_(value, scalar, e.pos)


_LITERAL_TYPES: dict[str, Scalar] = {
    "literal int": ty.LITERAL_INT,
    "literal float": ty.LITERAL_FLOAT,
    "int": ty.INT,
    "uint": ty.UINT,
    "int64_t": ty.INT64,
    "uint64_t": ty.UINT64,
    "float": ty.FLOAT,
    "half": ty.HALF,
    "double": ty.DOUBLE,
}


def _bool(ctx: Context, e: ast.Bool) -> hir.Expr:
    return hir.Literal_(e.value, ty.BOOL, e.pos)


def _string(ctx: Context, e: ast.String) -> hir.Expr:
    size = len(e.value.encode("utf-8", "surrogateescape"))
    if size > ty.MAX_STRING:
        ctx.fail(codes.LITERAL_TOO_LONG, e.pos, size=size, limit=ty.MAX_STRING)
    return hir.Literal_(e.value, ty.STRING, e.pos)


def _char(ctx: Context, e: ast.Char) -> hir.Expr:
    return hir.Literal_(e.value, ty.INT, e.pos)


def _this(ctx: Context, e: ast.This) -> hir.Expr:
    s = ctx.scope.enclosing_struct()
    if s is None or ctx.function is None or ctx.function.owner is None or ctx.function.is_static:
        ctx.fail(codes.THIS_OUTSIDE_METHOD, e.pos)
    return hir.This(s, e.pos)


# --------------------------------------------------------------------------------------------------------------- names


def _name(ctx: Context, e: ast.Name) -> hir.Expr:
    binding = lookup(ctx, e)
    return bound(ctx, binding, e)


def lookup(ctx: Context, e: ast.Name) -> Binding:
    """Return the binding of a name, built-in constants and objects last; report an undeclared name."""
    if len(e.parts) == 1 and not e.is_global:
        binding = ctx.scope.lookup(e.parts[0].name)
    else:
        binding = type_names.lookup_path(ctx, e.parts, e.pos, e.is_global)
    if binding is not None:
        return binding
    name = type_names.spelled(e.parts)
    if name in HEAPS:
        return HEAPS[name]
    value = builtin_types.CONSTANTS.get(name)
    if value is not None:
        return Constant(name, value, ty.UINT)
    ctx.fail(codes.UNDECLARED, e.pos, name=name, hint=suggestions.for_value(ctx, e.parts[-1].name))


def bound(ctx: Context, binding: Binding, e: ast.Name) -> hir.Expr:
    """Return the expression that a name in value position denotes."""
    if isinstance(binding, VariableTemplate):
        from hlsl_tool.sema.templates import instantiation as templates

        return _instantiated(ctx, templates.instantiate_variable(ctx, binding, e.parts[-1].args, e.pos), e.pos)
    if isinstance(binding, hir.Variable):
        ctx.names(binding)
        return hir.VarRef(binding, binding.type, e.pos)
    if isinstance(binding, Constant):
        return _constant(binding, e.pos)
    if isinstance(binding, ty.Field):
        return _implicit_member(ctx, binding, e.pos)
    name = type_names.spelled(e.parts)
    if isinstance(binding, tuple):
        ctx.fail(codes.NOT_A_VALUE, e.pos, name=name, hint="to call it, write its arguments in parentheses")
    ctx.fail(codes.NOT_A_VALUE, e.pos, name=name)


def _constant(constant: Constant, pos: int) -> hir.Expr:
    """Return the value of a named constant; an enumerator keeps its name."""
    enumerator = constant.name if isinstance(constant.type, Enum) and constant.name in constant.type.values else ""
    return hir.Literal_(constant.value, constant.type, pos, enumerator=enumerator)


def _instantiated(ctx: Context, v: hir.Variable, pos: int) -> hir.Expr:
    """Return a reference to a template variable, or its value if it is constant."""
    if v.is_const and v.init is not None and isinstance(v.type, Scalar):
        value = evaluate(v.init)
        if isinstance(value, (bool, int, float)):
            return hir.Literal_(value, v.type, pos)
    ctx.names(v)
    return hir.VarRef(v, v.type, pos)


def _implicit_member(ctx: Context, f: ty.Field, pos: int) -> hir.Expr:
    s = ctx.scope.enclosing_struct()
    if s is None or ctx.function is None or ctx.function.is_static:
        ctx.fail(codes.THIS_OUTSIDE_METHOD, pos)
    return member_of(ctx, hir.This(s, pos), f, pos)


# ------------------------------------------------------------------------------------------------------------- members


def member_of(ctx: Context, base: hir.Expr, f: ty.Field, pos: int) -> hir.Expr:
    """Build ``base.f``; an inherited field is reached through a cast to its base class."""
    s = base.type
    assert isinstance(s, Struct)
    if f.owner is not None and f.owner is not s and s.derives_from(f.owner):
        base = hir.Cast("derived_to_base", base, f.owner, pos, is_lvalue=base.is_lvalue)
    return hir.Member(base, f, f.type, pos, is_lvalue=base.is_lvalue)


def contents(e: hir.Expr) -> hir.Expr:
    """Return the struct inside a ``ConstantBuffer<T>``; return anything else unchanged."""
    t = e.type
    if isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer"):
        return hir.Cast("contents", e, t.element, e.pos, is_lvalue=True)
    return e


def _member(ctx: Context, e: ast.Member) -> hir.Expr:
    base = contents(check(ctx, e.base))
    if e.arrow:
        ctx.fail(codes.ARROW, e.pos, hint="write '.'")
    t, name = base.type, e.name.name
    if isinstance(t, Struct):
        for p in e.scope:
            member = ctx.scope.lookup(p.name)
            if isinstance(member, Alias) and isinstance(member.type, Struct) and t.derives_from(member.type):
                base = hir.Cast("derived_to_base", base, member.type, e.pos, is_lvalue=base.is_lvalue)
                t = member.type
        member = struct_member(t, name)
        if isinstance(member, ty.Field):
            return member_of(ctx, base, member, e.pos)
        if isinstance(member, hir.Variable):
            if t.template_name is not None:
                return _instantiated(ctx, member, e.pos)
            ctx.names(member)
            return hir.VarRef(member, member.type, e.pos)
        if isinstance(member, Constant):
            return _constant(member, e.pos)
        if isinstance(member, tuple):
            ctx.fail(codes.NOT_A_VALUE, e.pos, name=name, hint="to call it, write its arguments in parentheses")
        ctx.fail(codes.NO_MEMBER, e.pos, name=name, type=ty.display(t), hint=suggestions.for_member(t, name))
    if isinstance(t, (Vector, Scalar)) and ty.is_numeric(t):
        return swizzle(ctx, base, name, e.pos)
    if isinstance(t, Matrix):
        return _matrix_swizzle(ctx, base, t, name, e.pos)
    if isinstance(t, Array) and name == "Length" and t.size is not None:
        return hir.Literal_(t.size, ty.UINT, e.pos)
    if isinstance(t, ObjectType):
        hint = partial(suggestions.closest, name, methods.methods(t))
        ctx.fail(codes.NO_MEMBER, e.pos, name=name, type=ty.display(t), hint=hint)
    ctx.fail(codes.MEMBER_OF_NON_STRUCT, e.pos, type=ty.display(t))


_SETS = ("xyzw", "rgba")


def swizzle(ctx: Context, base: hir.Expr, name: str, pos: int) -> hir.Expr:
    """Build ``v.xyz``; a scalar counts as a vector of one component (manual: *Vector swizzling*)."""
    t = base.type
    size = t.size if isinstance(t, Vector) else 1
    element = ty.element_of(t)
    assert element is not None
    letters = next((s for s in _SETS if name[0] in s), None)
    if letters is None or any(c not in letters for c in name):
        bad = next((c for c in name if not any(c in s for s in _SETS)), None)
        if bad is not None:
            ctx.fail(codes.BAD_SWIZZLE_CHAR, pos, name=bad)
        ctx.fail(codes.BAD_SWIZZLE, pos, name=name)
    if len(name) > 4:
        ctx.fail(codes.SWIZZLE_TOO_LONG, pos, name=name)
    indices = tuple(letters.index(c) for c in name)
    if max(indices) >= size:
        ctx.fail(codes.SWIZZLE_RANGE, pos, type=ty.display(t))
    result: Type = element if len(indices) == 1 else ty.vector(element, len(indices))
    return hir.Swizzle(base, indices, result, pos, is_lvalue=base.is_lvalue)


_ZERO_BASED = re.compile(r"(?:_m[0-3][0-3]){1,4}$")
_ONE_BASED = re.compile(r"(?:_[1-4][1-4]){1,4}$")
_ANY_BASED = re.compile(r"(?:_m?\d\d)+$")


def _matrix_swizzle(ctx: Context, base: hir.Expr, t: Matrix, name: str, pos: int) -> hir.Expr:
    if _ZERO_BASED.match(name):
        pairs = tuple((int(a), int(b)) for a, b in re.findall(r"_m(\d)(\d)", name))
    elif _ONE_BASED.match(name):
        pairs = tuple((int(a) - 1, int(b) - 1) for a, b in re.findall(r"_(\d)(\d)", name))
    elif _ANY_BASED.match(name):
        mixed = "_m" in name and re.search(r"_\d", name)
        ctx.fail(codes.MATRIX_SWIZZLE_MIXED if mixed else codes.MATRIX_SWIZZLE_RANGE, pos, name=name)
    else:
        ctx.fail(codes.BAD_MATRIX_SWIZZLE, pos, name=name)
    if any(r >= t.rows or c >= t.cols for r, c in pairs):
        ctx.fail(codes.MATRIX_SWIZZLE_RANGE, pos, name=name)
    result: Type = t.element if len(pairs) == 1 else ty.vector(t.element, len(pairs))
    return hir.MatrixSwizzle(base, pairs, result, pos, is_lvalue=base.is_lvalue)


# ---------------------------------------------------------------------------------------------------------- subscripts


def _index(ctx: Context, e: ast.Index) -> hir.Expr:
    if isinstance(e.base, ast.Index) and isinstance(e.base.base, ast.Member):
        two = _two_levels(ctx, e, e.base, e.base.base)
        if two is not None:
            return two
    base = contents(check(ctx, e.base))
    t = base.type
    if isinstance(t, Array):
        return _array_element(ctx, base, t, e)
    if isinstance(t, (Vector, Matrix)):
        index = _uint(ctx, e.index)
        limit = t.size if isinstance(t, Vector) else t.rows
        constant = evaluate_int(index)
        if constant is not None and not 0 <= constant < limit:
            code = codes.VECTOR_INDEX_RANGE if isinstance(t, Vector) else codes.MATRIX_INDEX_RANGE
            ctx.fail(code, e.index.pos, index=constant)
        result: Type = t.element if isinstance(t, Vector) else ty.vector(t.element, t.cols)
        return hir.Index(base, index, result, e.pos, is_lvalue=base.is_lvalue)
    if isinstance(t, ObjectType):
        signature = methods.subscript(t)
        if signature is not None:
            location, element, writable = signature
            index = _object_index(ctx, t, check(ctx, e.index), location, e.pos)
            _check_patch_index(ctx, t, index, e.index.pos)
            return hir.MethodCall(
                base,
                "operator[]",
                [index],
                element,
                e.pos,
                ("in",),
                (location,),
                is_lvalue=writable or not t.name.startswith((".", "Texture", "Buffer")),
            )
    if isinstance(t, Struct):
        found_op = struct_member(t, "operator[]")
        if isinstance(found_op, tuple):
            return calls.method(ctx, base, found_op, "operator[]", [check(ctx, e.index)], e.pos, is_operator=True)
    ctx.fail(codes.NOT_SUBSCRIPTABLE, e.pos)


def _object_index(ctx: Context, t: ObjectType, index: hir.Expr, location: Type, pos: int) -> hir.Expr:
    """Convert the index of an object to its location type; report another number of components."""
    components = ty.component_count(index.type) if ty.is_numeric(index.type) or isinstance(index.type, Enum) else 0
    if components != ty.component_count(location) or conversions.classify(index.type, location, explicit=False) is None:
        source, target = ty.display(index.type), calls.as_candidate(location)
        note = ctx.note(codes.SUBSCRIPT_CANDIDATE, pos, src=source, dst=target)
        ctx.fail(codes.NO_SUBSCRIPT, pos, type=ty.display(t), notes=[note])
    return convert(ctx, index, location)


def _check_patch_index(ctx: Context, t: ObjectType, index: hir.Expr, pos: int) -> None:
    """Report a constant index beyond the control points of a patch."""
    if t.name not in ("InputPatch", "OutputPatch"):
        return
    constant, count = evaluate_int(index), t.args[1]
    if constant is not None and isinstance(count, int) and not 0 <= constant < count:
        ctx.fail(codes.INDEX_RANGE, pos, index=constant)


def _uint(ctx: Context, e: ast.Expr) -> hir.Expr:
    i = rvalue(ctx, e)
    element = ty.element_of(i.type)
    if element is None or element.category == "void":
        ctx.fail(codes.SUBSCRIPT_TYPE, e.pos)
    return convert(ctx, i, ty.UINT)


def _array_element(ctx: Context, base: hir.Expr, t: Array, e: ast.Index) -> hir.Expr:
    i = rvalue(ctx, e.index)
    if isinstance(i.type, Vector) and i.type.size == 1:
        i = convert(ctx, i, i.type.element)
    element = i.type.underlying if isinstance(i.type, Enum) and not i.type.is_class else i.type
    if isinstance(element, Scalar) and element.category == "float":
        i = convert(ctx, i, ty.UINT)
        element = ty.UINT
    if not isinstance(element, Scalar) or not (element.is_integer or element.category == "bool"):
        ctx.fail(codes.SUBSCRIPT_TYPE, e.index.pos)
    if element is ty.LITERAL_INT or isinstance(i.type, Enum):
        i = convert(ctx, i, ty.INT)
    elif element.category == "bool":
        i = convert(ctx, i, ty.UINT)
    constant = evaluate_int(i)
    is_tail = t.size == 1 and isinstance(base, hir.Member)  # `T last[1];` at the end of a struct is C's flexible array
    if constant is not None and t.size is not None and not is_tail and not 0 <= constant < t.size:
        ctx.fail(codes.INDEX_RANGE, e.index.pos, index=constant)
    return hir.Index(base, i, t.element, e.pos, is_lvalue=base.is_lvalue)


def _two_levels(ctx: Context, e: ast.Index, inner: ast.Index, member: ast.Member) -> hir.Expr | None:
    """Build ``texture.mips[level][location]`` or ``texture.sample[index][location]``."""
    name = member.name.name
    if name not in ("mips", "sample"):
        return None
    base = check(ctx, member.base)
    if not isinstance(base.type, ObjectType):
        return None
    signature = methods.two_level_subscript(base.type, name)
    if signature is None:
        return None
    location, element = signature
    first = _object_index(ctx, base.type, check(ctx, inner.index), ty.UINT, inner.pos)
    second = _object_index(ctx, base.type, check(ctx, e.index), location, e.pos)
    return hir.MethodCall(
        base, f"{name}.operator[]", [first, second], element, e.pos, ("in", "in"), (ty.UINT, location), is_lvalue=True
    )


# ---------------------------------------------------------------------------------------------------------- conversions


def _cast(ctx: Context, e: ast.Cast) -> hir.Expr:
    to = type_names.resolve(ctx, e.type).type
    return explicit(ctx, check(ctx, e.operand), to, e.pos)


def explicit(ctx: Context, x: hir.Expr, to: Type, pos: int) -> hir.Expr:
    """Explicitly convert ``x``, as a cast does."""
    c = conversions.classify(x.type, to, explicit=True, hlsl_version=ctx.language.hlsl_version)
    if c is None:
        ctx.fail(codes.NO_CONVERSION, pos, src=ty.display(x.type), dst=ty.display(to))
    if x.is_lvalue and x.type is to:
        return x  # stays an l-value: like DXC, accept `(float4)v = ...`
    return conversions.apply(x, to, c, explicit=True)


def _sizeof(ctx: Context, e: ast.SizeOf) -> hir.Expr:
    operand = e.operand
    if isinstance(operand, (ast.NamedType, ast.InlineType)):
        if isinstance(operand, ast.NamedType) and type_names._names_a_value(ctx, operand):
            t = check(ctx, ast.Name(operand.parts, operand.pos, operand.is_global)).type
        else:
            t = type_names.resolve(ctx, operand).type
    else:
        t = check(ctx, operand).type
    if (isinstance(t, ObjectType) and t.name not in inline_spirv.VALUES) or t is ty.VOID or t is ty.STRING:
        ctx.fail(codes.SIZEOF_TYPE, e.pos, type=ty.display(t))
    if isinstance(t, Scalar):
        t = ty.concrete(t)
    return hir.SizeOf(t, ty.UINT, e.pos)


def _init_list(ctx: Context, e: ast.InitList) -> hir.Expr:
    ctx.fail(codes.NOT_A_VALUE, e.pos, name="{...}")


def _sampler_state(ctx: Context, e: ast.SamplerState) -> hir.Expr:
    ctx.fail(codes.NOT_A_VALUE, e.pos, name="sampler_state")


_HANDLERS: dict[type, Callable[..., hir.Expr]] = {
    ast.Name: _name,
    ast.Number: _number,
    ast.Bool: _bool,
    ast.String: _string,
    ast.Char: _char,
    ast.This: _this,
    ast.Member: _member,
    ast.Index: _index,
    ast.Cast: _cast,
    ast.SizeOf: _sizeof,
    ast.InitList: _init_list,
    ast.SamplerState: _sampler_state,
    ast.Unary: operators.unary,
    ast.Postfix: operators.postfix,
    ast.Binary: operators.binary,
    ast.Assign: operators.assign,
    ast.Ternary: operators.ternary,
    ast.Call: calls.call,
    ast.Construct: calls.construct,
}

__all__ = ["Namespace", "StructTemplate", "check", "convert", "converted", "explicit", "rvalue"]
