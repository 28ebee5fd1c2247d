"""Expressions of tests: Python's operators on numbers and arrays, and some of numpy's functions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.gpu.testing.expected_errors import TestError

from .directives import Expression

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.Invert: operator.invert}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name)
    for name in (
        "abs", "all", "any", "arange", "array", "ceil", "clip", "concatenate", "cos", "cumsum", "exp", "eye", "flip",
        "float16", "float32", "floor", "full", "int32", "linspace", "log", "log2", "max", "maximum", "mean", "min",
        "minimum", "ones", "repeat", "reshape", "roll", "round", "sin", "sort", "sqrt", "sum", "tile", "transpose",
        "uint16", "uint32", "uint8", "where", "zeros",
    )
}  # fmt: skip


def random(shape: Any, seed: int = 0) -> Any:
    """Return random numbers from 0 to 1 that are the same in every run."""
    return np.random.default_rng(seed).random(shape)


_FUNCTIONS["random"] = random


def tree(expression: Expression) -> ast.expr:
    """Parse an expression; raise ``TestError`` with the location of an error."""
    try:
        return ast.parse(expression.text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = getattr(error, "offset", None) or 1
        place = replace(expression.place, col=expression.place.col + column - 1)
        raise TestError(codes.EXPECTATION_SYNTAX, f"this is no expression: {error.args[0]}", place) from None


class Evaluator:
    """Evaluates expressions; names refer to arrays, and ``before`` to the arguments before the run."""

    def __init__(self, place: Location, names: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> None:
        self.place, self.names, self.before = place, names, before

    def value(self, node: ast.expr) -> Any:
        """Evaluate a syntax node; raise ``TestError`` with its location."""
        try:
            return self._value(node)
        except TestError:
            raise
        except Exception as error:
            raise self.error(node, f"{type(error).__name__}: {error}") from error

    def error(self, node: ast.expr, problem: str, hint: str | None = None) -> TestError:
        start = self.place.col + node.col_offset
        end = self.place.col + (node.end_col_offset or node.col_offset + 1)
        return TestError(codes.EXPECTATION_SYNTAX, problem, replace(self.place, col=start, end_col=end), hint)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return value
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self.value(left), self.value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _BINARY:
                return _BINARY[type(op)](self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.value(operand))
            case ast.List(elts=items):
                return np.array([self.value(item) for item in items])
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys=keys, values=values):
                return {self.value(k): self.value(v) for k, v in zip(keys, values, strict=True) if k is not None}
            case ast.Subscript(value=array, slice=index):
                return self.value(array)[self.value(index)]
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(self.value(part) if part is not None else None for part in (lower, upper, step)))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self._call(node, name, args, keywords)
        raise self.error(node, "expressions have numbers, arrays, operators and calls only")

    def _name(self, node: ast.expr, name: str) -> Any:
        if name not in self.names:
            hint = f"There are: {', '.join(self.names)}." if self.names else None
            raise self.error(node, f"there is no array `{name}`", hint)
        return self.names[name]

    def _call(self, node: ast.expr, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name == "before" and self.before is not None:
            return Evaluator(self.place, self.before).value(args[0])
        if name not in _FUNCTIONS:
            raise self.error(node, f"there is no function `{name}`", f"Functions are {', '.join(sorted(_FUNCTIONS))}.")
        values = {keyword.arg: self.value(keyword.value) for keyword in keywords if keyword.arg is not None}
        return _FUNCTIONS[name](*(self.value(arg) for arg in args), **values)
