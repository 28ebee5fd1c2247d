"""Find implicit conversions to 16-bit floats that lose visible precision: positions, thread numbers, coordinates."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.frontend.lints.tree import root_variable
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import Semantic
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.statement_walk import all_expressions, all_statements
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Type, Vector, display

_SIZES = ("", *"1234", *(f"{rows}x{cols}" for rows in "1234" for cols in "1234"))
HALF_WORDS = frozenset(f"{t}{n}" for t in ("half", "float16_t", "min16float", "min10float") for n in _SIZES)
"""Names of the types."""
_COUNTS = frozenset(("sv_position", "sv_dispatchthreadid", "sv_vertexid", "sv_instanceid", "sv_primitiveid"))
"""System values that commonly exceed 2048, above which 16-bit floats skip whole numbers."""
_FLAT_TEXTURES = ("Texture1D", "Texture2D")


def check_precision(f: Function) -> list[Raw]:
    """Return a finding for each system value or coordinate that an implicit conversion to 16 bits makes imprecise."""
    if f.body is None:
        return []
    findings: list[Raw] = []
    narrowed: dict[Variable, hir.Cast] = {}
    for s in all_statements(f.body):
        if isinstance(s, hir.DeclStmt) and (cast := _narrowing(s.var.init)) is not None:
            narrowed[s.var] = cast
    for e in all_expressions(f.body):
        if isinstance(e, hir.Assign) and isinstance(e.target, hir.VarRef):
            cast = _narrowing(e.value)
            if cast is not None:
                narrowed.setdefault(e.target.var, cast)
        if isinstance(e, hir.Cast) and _narrowing(e) is not None:
            findings += _of_system_value(f, e)
    for e in all_expressions(f.body):
        if isinstance(e, hir.MethodCall):
            findings += _of_coordinates(f, e, narrowed)
    return findings


def _narrowing(e: Expr | None) -> hir.Cast | None:
    """Return the implicit conversion from 32 bits to a 16-bit float that an expression is; ``None`` for others."""
    if not isinstance(e, hir.Cast) or e.kind != "numeric" or e.is_explicit:
        return None
    before, after = _scalar(e.operand.type), _scalar(e.type)
    if before is None or after is None or not is_half(after) or is_half(before):
        return None
    return None if before.is_literal or before.category == "bool" else e


def is_half(t: Scalar) -> bool:
    """Return whether a type is a float that may have only 16 bits, or fewer."""
    return t.category == "float" and (t.bits < 32 or t.is_min_precision)


def _scalar(t: Type) -> Scalar | None:
    t = t.element if isinstance(t, Vector) else t
    return t if isinstance(t, Scalar) else None


def _of_system_value(f: Function, e: hir.Cast) -> list[Raw]:
    """Return the finding for a converted position, thread number or vertex number, scaled or not; empty for others."""
    inner: Expr = e.operand
    while True:
        if isinstance(inner, hir.Load):
            inner = inner.operand
        elif isinstance(inner, hir.Swizzle):
            if min(inner.components) > 1:
                return []  # depth
            inner = inner.base
        elif isinstance(inner, hir.Cast) and inner.kind in ("numeric", "vector_truncate", "to_scalar"):
            inner = inner.operand
        else:
            break
    semantic = _semantic(inner)
    if semantic is None or semantic.name.lower().rstrip("0123456789") not in _COUNTS:
        return []
    name = (
        inner.var.name if isinstance(inner, hir.VarRef) else inner.field.name if isinstance(inner, hir.Member) else ""
    )
    fmt: dict[str, object] = {"name": name, "semantic": semantic.name, "type": display(e.type)}
    return [Raw(codes.HALF_COUNT, inner.pos, fmt, f.chunk, [], "keep it in 32 bits until it is small")]


def _semantic(e: Expr) -> Semantic | None:
    if isinstance(e, hir.VarRef):
        return e.var.semantic
    return e.field.semantic if isinstance(e, hir.Member) else None


def _of_coordinates(f: Function, e: hir.MethodCall, narrowed: dict[Variable, hir.Cast]) -> list[Raw]:
    """Return the findings for texture coordinates of the call ``e`` that are read from a 16-bit variable.

    ``narrowed`` maps variables to the implicit conversions to 16 bits that give them their values.
    """
    t = e.object.type
    if not isinstance(t, ObjectType) or not t.name.startswith(_FLAT_TEXTURES) or not e.name.startswith("Sample"):
        return []
    coordinate = e.args[1] if len(e.args) > 1 and isinstance(e.args[0].type, ObjectType) else None
    if not isinstance(coordinate, hir.Cast) or coordinate.kind != "numeric" or coordinate.is_explicit:
        return []
    scalar = _scalar(coordinate.operand.type)
    var = root_variable(coordinate)
    if scalar is None or not is_half(scalar) or var not in narrowed or var is None:
        return []
    notes = [Raw(codes.NARROWED_HERE, narrowed[var].pos, {"name": var.name}, f.chunk)]
    fmt: dict[str, object] = {"name": e.name, "variable": var.name, "type": display(var.type)}
    return [Raw(codes.HALF_COORDINATE, coordinate.pos, fmt, f.chunk, notes, f"declare '{var.name}' as float")]
