"""Warnings about unused values, variables and parameters, by clang's rules."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Matrix, ObjectType, Struct, Vector
from hlsl_tool.frontend.sema.rules.annotations import attributes
from hlsl_tool.frontend.sema.rules.flow.builder import build
from hlsl_tool.frontend.sema.scope.context import Context

_COMPARISONS = {
    "==": "equality",
    "!=": "inequality",
    "<": "relational",
    ">": "relational",
    "<=": "relational",
    ">=": "relational",
}

_VALUES = (hir.Literal_, hir.VarRef, hir.Swizzle, hir.MatrixSwizzle, hir.Member, hir.Unary, hir.Binary, hir.SizeOf)
"""Expressions that only compute."""

ASSIGNMENTS = (hir.Assign, hir.CompoundAssign, hir.IncDec)
"""Expressions whose value need not be used."""


def check(ctx: Context, e: hir.Expr) -> None:
    """Warn if an expression statement discards a value; assignments and increments (`ASSIGNMENTS`) are excluded."""
    if isinstance(e, hir.Comma) and e.is_reference:
        return
    e = _judged(e)
    if isinstance(e, hir.Binary) and e.op in _COMPARISONS:
        hint = Advice("'=' assigns", (Edit("="),)) if e.op == "==" else None
        ctx.warn(language.UNUSED_COMPARISON, e.pos, kind=_COMPARISONS[e.op], hint=hint)
    elif isinstance(e, hir.Call):
        _check_call(ctx, e)
    elif isinstance(e, (hir.IntrinsicCall, hir.MethodCall)):
        if _only_computes(e):
            why = "that only reads data" if isinstance(e, hir.MethodCall) else "declared with const attribute"
            ctx.warn(language.UNUSED_CALL, e.pos, why=why)
    elif _is_unused(e):
        ctx.warn(codes.UNUSED_VALUE, e.pos)


def check_comma(ctx: Context, e: hir.Expr) -> None:
    """Warn about a comma operator in an initial value, argument or cast: only its last value is used."""
    if isinstance(e, hir.Comma) and not e.is_reference:
        ctx.warn(language.COMMA_IN_INIT, e.pos)


def _judged(e: hir.Expr) -> hir.Expr:
    """Return the expression that determines whether a value is unused: the last operand of comma operators."""
    while True:
        if isinstance(e, hir.Load):
            e = e.operand
        elif isinstance(e, hir.Comma) and not (isinstance(e.right, hir.Literal_) and e.right.value == 0):
            e = e.right
        else:
            return e


def _is_unused(e: hir.Expr) -> bool:
    """Return whether discarding the result of an expression is suspicious."""
    if isinstance(e, hir.Comma) and e.is_reference:
        return False
    e = _judged(e)
    if isinstance(e, hir.Logical):
        return _is_unused(e.left) and _is_unused(e.right)
    if isinstance(e, hir.Ternary):
        return _is_unused(e.then) and _is_unused(e.otherwise)
    if isinstance(e, hir.Cast):
        return e.kind != "void" and (e.is_explicit or _is_unused(e.operand))
    if isinstance(e, hir.Index):
        return not isinstance(e.base.type, (Matrix, Vector))  # clang sees a call of operator[]
    if isinstance(e, hir.InitList):
        return e.is_constructor and ty.is_numeric(e.type)
    if isinstance(e, (hir.IntrinsicCall, hir.MethodCall)):
        return _only_computes(e)
    return isinstance(e, _VALUES)


def _check_call(ctx: Context, e: hir.Call) -> None:
    """Warn about a discarded result of a comparison operator, or of a function or struct marked ``nodiscard``."""
    comparison = _COMPARISONS.get(e.function.name.removeprefix("operator")) if e.is_operator else None
    if comparison is not None:
        ctx.warn(language.UNUSED_COMPARISON, e.pos, kind=comparison)
        return
    result = e.function.return_type
    own = result.attributes if isinstance(result, Struct) else ()
    for a in (*e.function.attributes, *own):
        if (a.scope is None or a.scope in attributes.CLANG) and a.name in ("nodiscard", "warn_unused_result"):
            ctx.warn(declaration_codes.RESULT_UNUSED, e.pos, name=a.name)
            return


_NOT_CONST = ("Wave", "Quad", "__builtin")
"""Prefixes of functions that clang does not treat as constant: most depend on the active lanes."""
_EFFECTS = frozenset(("IncrementCounter", "DecrementCounter", "Consume", "Proceed", "ReportHit", "operator[]"))
"""Functions and methods with a result and an effect; subscripts of objects are judged as clang does."""


def _only_computes(e: hir.IntrinsicCall | hir.MethodCall) -> bool:
    """Return whether a built-in function or method has no side effects."""
    if e.type is ty.VOID or e.name in _EFFECTS or any(d != "in" for d in e.directions):
        return False
    if isinstance(e, hir.IntrinsicCall):
        return e.name.startswith("WaveGetLane") or not (e.name.startswith(_NOT_CONST) or "::" in e.name)
    t = e.object.type
    if not isinstance(t, ObjectType) or "Node" in t.name or "::" in t.name or e.name.endswith(".operator[]"):
        return False
    return not (e.name == "Load" and "2DMS" in t.name)


def check_names(f: Function) -> list[Raw]:
    """Return warnings about local variables and parameters that no expression uses."""
    if f.body is None:
        return []
    graph = build(f.body, lambda v: v.storage in ("local", "static_local", "param"))
    declared: list[Variable] = []
    named: set[Variable] = set()
    for block in graph.blocks:
        for event in block.events:
            if event.kind == "declare":
                declared.append(event.variable)
            elif event.pos != event.variable.pos:  # its own initialiser assigns it there
                named.add(event.variable)
    parameters = [(p, language.UNUSED_PARAMETER) for p in f.params if p.name]
    variables = [(v, language.UNUSED_VARIABLE) for v in dict.fromkeys(declared)]
    return [
        Raw(code, v.pos, {"name": v.name}, f.chunk)
        for v, code in (*parameters, *variables)
        if v not in named and not any(a.name == "maybe_unused" for a in v.attributes)
    ]
