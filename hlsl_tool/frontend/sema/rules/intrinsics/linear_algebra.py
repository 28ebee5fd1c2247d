"""Calls of the linear algebra intrinsics, ``__builtin_LinAlg_...``."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.expressions.lvalues import modifiable
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context

_PARAMETERS = {
    "FillMatrix": "Mn",
    "CopyConvertMatrix": "Mmt",
    "MatrixLoadFromDescriptor": "Mbuuuu",
    "MatrixLoadFromMemory": "Msuuu",
    "MatrixLength": "m",
    "MatrixGetCoordinate": "mu",
    "MatrixGetElement": "Nmu",
    "MatrixSetElement": "Mmun",
    "MatrixStoreToDescriptor": "mbuuuu",
    "MatrixStoreToMemory": "msuuu",
    "MatrixQueryAccumulatorLayout": "",
    "MatrixMatrixMultiply": "Mmm",
    "MatrixMatrixMultiplyAccumulate": "Mmmm",
    "MatrixAccumulate": "Mmm",
    "MatrixVectorMultiply": "Nmtnu",
    "MatrixVectorMultiplyAdd": "Nmtnun",
    "MatrixAccumulateToDescriptor": "mbuuuu",
    "MatrixAccumulateToMemory": "msuuuu",
    "MatrixOuterProduct": "Mnn",
    "Convert": "Nnuu",
    "VectorAccumulateToDescriptor": "buun",
}
"""Function without its prefix → its parameters.

``m``: a matrix handle; ``n``: a scalar or vector; in upper case, an ``out`` one. ``b``: a byte-address buffer; ``s``:
an array of scalars or vectors; ``u``: ``uint``; ``t``: ``bool``.
"""
_RESULTS: dict[str, Type] = {
    "MatrixLength": ty.UINT,
    "MatrixQueryAccumulatorLayout": ty.UINT,
    "MatrixGetCoordinate": ty.vector(ty.UINT, 2),
}
"""Function without its prefix → its type, of those that are not ``void``."""
_CONVERTED: dict[str, Type] = {"u": ty.UINT, "t": ty.BOOL}

_COLUMN_MAJOR = 1
"""``MatrixLayout::ColMajor``; larger numbers are optimal layouts."""
_WORD = 4
"""Size of a word of a byte-address buffer in bytes."""


def is_function(name: str) -> bool:
    """Return whether a name is that of a linear algebra intrinsic."""
    return name.startswith(watched.LINEAR_ALGEBRA) and name.removeprefix(watched.LINEAR_ALGEBRA) in _PARAMETERS


def call(ctx: Context, name: str, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Build a call of a linear algebra intrinsic; report arguments that it does not take."""
    short = name.removeprefix(watched.LINEAR_ALGEBRA)
    parameters = _PARAMETERS[short]
    if len(args) != len(parameters) or not all(map(_fits, parameters, args)):
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name=name)
    converted = [_argument(ctx, p, a) for p, a in zip(parameters, args, strict=True)]
    result = hir.IntrinsicCall(
        name,
        converted,
        _RESULTS.get(short, ty.VOID),
        pos,
        tuple("out" if p.isupper() else "in" for p in parameters),
        tuple(a.type for a in converted),
    )
    ctx.watch(result)
    return result


def check_place(ctx: Context, f: hir.Function, args: Sequence[hir.Expr]) -> None:
    """Report a constant place in memory where a matrix of several threads cannot be; ``f`` is a method of matrices.

    The intrinsics cannot: in the methods, which the calls share, places are variables.
    """
    names = [p.name for p in f.params]
    if "Layout" not in names:
        return
    for name, a in zip(names, args, strict=False):
        number = constants.evaluate(a)
        if not isinstance(number, int):
            continue
        what = ""
        if name == "Layout" and number > _COLUMN_MAJOR:
            what = "optimal layouts of matrices of a wave or a thread group"
        elif name in ("StartOffset", "Stride") and "Res" in names and number % _WORD:
            what = f"offsets and strides of matrices in buffers that are no multiples of {_WORD} bytes"
        if what:
            ctx.error(lower_codes.LINEAR_ALGEBRA, a.pos, what=what)


def _fits(parameter: str, a: hir.Expr) -> bool:
    """Return whether an argument has the kind of type that a parameter of `_PARAMETERS` takes."""
    t = a.type
    if parameter in "mM":
        return isinstance(t, ObjectType) and t.name == "__builtin_LinAlgMatrix"
    if parameter == "b":
        return isinstance(t, ObjectType) and t.name.endswith("ByteAddressBuffer")
    if parameter == "s":
        return isinstance(t, ty.Array) and isinstance(t.element, (ty.Scalar, ty.Vector)) and ty.is_numeric(t.element)
    if parameter in _CONVERTED:
        return isinstance(t, (ty.Scalar, ty.Enum))
    return ty.is_numeric(t) and not isinstance(t, ty.Matrix)


def _argument(ctx: Context, parameter: str, a: hir.Expr) -> hir.Expr:
    if parameter.isupper():
        modifiable(ctx, a, a.pos, of_intrinsic=True)
        return a
    if parameter in _CONVERTED:
        return ex.convert(ctx, a, _CONVERTED[parameter])
    if parameter != "n":
        return a
    value = conversions.load(a)
    if isinstance(value.type, ty.Scalar) and value.type.is_literal:
        return ex.convert(ctx, value, ty.concrete(value.type))
    return value
