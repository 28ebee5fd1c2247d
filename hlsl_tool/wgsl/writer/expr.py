"""Expressions as text, with precedence, purity and nesting depth."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass

# WGSL 8.18: from tightest to loosest.
PRIMARY, UNARY, MULTIPLY, ADD, SHIFT, COMPARE, BINARY, LOGICAL = range(8)

PRECEDENCE = {
    "*": MULTIPLY, "/": MULTIPLY, "%": MULTIPLY, "+": ADD, "-": ADD, "<<": SHIFT, ">>": SHIFT,
    "<": COMPARE, ">": COMPARE, "<=": COMPARE, ">=": COMPARE, "==": COMPARE, "!=": COMPARE,
    "&": BINARY, "|": BINARY, "^": BINARY, "&&": LOGICAL, "||": LOGICAL,
}  # fmt: skip

MAX_DEPTH = 24
"""The depth above which an expression gets a name: for readability, and because compilers limit it."""


@dataclass(slots=True)
class Expr:
    """A WGSL expression.

    ``reads``: the value depends on memory, so it must not be moved after a write.

    ``constant``: WGSL evaluates it at compile time and rejects an overflow. ``named``: a name or a literal, which may
    be repeated.
    """

    text: str
    level: int = PRIMARY
    reads: bool = False
    constant: bool = False
    named: bool = False
    depth: int = 0
    first: str = ""
    """The first component, if the expression constructs a vector from it and constants."""
    transposed: str = ""
    """The operand, if the expression is the transpose of a matrix in memory."""
    operator: str = ""
    """The operator of a chain such as ``a || b``, which needs no parentheses before a further one."""
    splat: Expr | None = None
    """The component, if the expression is a vector with equal components."""
    alias: bool = False
    """Whether it is written at each use, although it is used several times."""
    index: str = ""
    """The operand, if the expression is a signed integer that is taken as unsigned."""

    def at(self, level: int) -> str:
        """Return the text, in parentheses unless its precedence is ``level`` or tighter."""
        return self.text if self.level <= level else f"({self.text})"

    @property
    def primary(self) -> str:
        """Return the text, in parentheses if needed, as an operand of ``.x`` or ``[i]``."""
        return self.text if self.level == PRIMARY else f"({self.text})"


def spell_arguments(arguments: Sequence[Expr]) -> str:
    """Return arguments separated by commas; ``a < b, c > d`` would be a list of template arguments."""
    if len(arguments) > 1 and any(" < " in argument.text and argument.level >= COMPARE for argument in arguments):
        return ", ".join([argument.at(ADD) for argument in arguments])
    return ", ".join([argument.text for argument in arguments])


def call(function: str, *arguments: Expr) -> Expr:
    """Return a call; the result reads memory, or is constant, if its arguments are."""
    return Expr(
        f"{function}({spell_arguments(arguments)})",
        PRIMARY,
        any(a.reads for a in arguments),
        all(a.constant for a in arguments),
        False,
        1 + max([a.depth for a in arguments], default=0),
    )


def binary(operator: str, left: Expr, right: Expr) -> Expr:
    """Return a binary operation with the parentheses that WGSL's grammar requires."""
    level = PRECEDENCE[operator]
    if level <= ADD:
        text = f"{left.at(level)} {operator} {right.at(level - 1)}"
    elif level == COMPARE:
        text = f"{left.at(ADD)} {operator} {right.at(ADD)}"
    elif level == LOGICAL:
        text = f"{_in_chain(left, operator, COMPARE)} {operator} {right.at(COMPARE)}"
    else:
        text = f"{_in_chain(left, operator, UNARY)} {operator} {right.at(UNARY)}"
    depth = 1 + max(left.depth, right.depth)
    value = Expr(text, level, left.reads or right.reads, left.constant and right.constant, False, depth)
    if level in (BINARY, LOGICAL):
        value.operator = operator
    return value


def _in_chain(left: Expr, operator: str, level: int) -> str:
    """Return the left operand, without parentheses if it is a chain of the same operator."""
    return left.text if left.operator == operator else left.at(level)


def unary(operator: str, operand: Expr) -> Expr:
    """Return a prefix operation; parentheses separate equal operators, as in ``-(-x)``."""
    inner = operand.text if operand.level <= PRIMARY and not operand.text.startswith(operator) else f"({operand.text})"
    return Expr(operator + inner, UNARY, operand.reads, operand.constant, False, operand.depth + 1)


def negation(operand: Expr) -> Expr:
    """Return the opposite of a boolean."""
    if operand.level == UNARY and operand.text.startswith("!"):
        return Expr(operand.text[1:], PRIMARY, operand.reads, operand.constant, False, operand.depth)
    return unary("!", operand)


def postfix(operand: Expr, suffix: str) -> Expr:
    """Return an expression followed by a swizzle, a member or an index."""
    return Expr(operand.primary + suffix, PRIMARY, operand.reads, operand.constant, False, operand.depth)
