"""Generate random expressions of a given type from the variables and functions in scope."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from .shapes import BOOL, FLOAT, INT, UINT, VARIABLE_BOUND, VARIABLE_GRAIN, Array, Scalar, Shape, Struct, Type, leaves


@dataclass(frozen=True, slots=True)
class Expression:
    text: str
    bound: float = VARIABLE_BOUND
    grain: int = VARIABLE_GRAIN
    """The largest magnitude and the binary digits after the point; meaningless if arithmetic wraps."""


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: Type
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: Type
    direction: str = "in"
    default: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: Type | None
    parameters: tuple[Parameter, ...]
    owner: Struct | None = None
    """The type of the object, for a method."""

    @property
    def is_operand(self) -> bool:
        """Return whether the function can be called in an expression: none of its parameters needs a variable."""
        return self.owner is None and all(
            p.direction == "in" and not isinstance(p.type, Array) for p in self.parameters
        )


@dataclass(slots=True)
class Scope:
    version: int
    scalars: tuple[Scalar, ...]
    random: random.Random
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    locked: set[str] = field(default_factory=set)
    """Counters of loops: read only."""
    hidden: frozenset[str] = frozenset()
    """Variables that an expression may not mention, since something beside it changes them."""
    beyond: bool = False
    """Whether to use features that an old DXC lacks: bitwise operators and comparisons of matrices, short circuits."""
    aliasing: bool = False
    """Whether calls pass overlapping l-values for several ``out`` and ``inout`` parameters."""
    globals: frozenset[str] = frozenset()
    """Variables that functions access by name."""

    def shape(self, *, matrices: bool = True) -> Shape:
        scalar = self.random.choice(self.scalars)
        what = self.random.randrange(10)
        if what < 4:
            return Shape(scalar)
        if what < 8 or not matrices:
            return Shape(scalar, 0, self.random.choice((1, 2, 2, 3, 3, 4, 4)))
        if scalar.bounded and scalar.family != "float":
            scalar = INT  # keeping them in bounds takes an operator that matrices lack
        return Shape(scalar, self.random.randrange(1, 5), self.random.randrange(1, 5))

    def parts(self, *, writable: bool = False) -> list[tuple[str, Shape]]:
        """Return (l-value, shape) of each numeric part of each variable in scope."""
        return [
            leaf
            for variable in self.variables
            if variable.name not in self.hidden
            and (not writable or (variable.writable and variable.name not in self.locked))
            for leaf in self._leaves(variable)
        ]

    def _leaves(self, variable: Variable) -> list[tuple[str, Shape]]:
        kind = variable.type
        if isinstance(kind, Array) and kind.size & (kind.size - 1) == 0 and self.random.randrange(2):
            counters = [v.name for v in self.variables if v.name in self.locked and v.name not in self.hidden]
            if counters:
                index = f"({self.random.choice(counters)} & {kind.size - 1})"
                return leaves(kind.element, f"{variable.name}[{index}]")
        return leaves(kind, variable.name)


def fit(e: Expression, scalar: Scalar, bound: float = VARIABLE_BOUND, grain: int = VARIABLE_GRAIN) -> Expression:
    """Return an expression of magnitude at most ``bound`` with at most ``grain`` binary digits after the point.

    Types that wrap around need no change.
    """
    if not scalar.bounded or (e.bound <= bound and e.grain <= grain):
        return e
    text = e.text
    if scalar.family != "float":
        return Expression(f"(({text}) & {int(bound) - 1}{scalar.suffix})", bound, 0)
    if e.grain > grain:
        text, grain = f"floor({text})", 0
    if e.bound > bound:
        text = f"fmod({text}, {bound:.1f})"
    return Expression(text, bound, min(e.grain, grain))


class Expressions:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.random = scope.random

    def make(self, shape: Shape, depth: int = 3) -> Expression:
        """Generate an expression of exactly this type whose value is exact, but may be too large for a variable."""
        if depth <= 0 or self.random.randrange(8) == 0:
            return self.leaf(shape)
        scalar = shape.scalar
        ways: list[Callable[[Shape, int], Expression]] = [
            self.leaf,
            self.conversion,
            self.parts,
            self.conditional,
            self.call,
        ]
        if scalar.family == "bool":
            ways += [self.comparison, self.comparison, self.logical]
        else:
            ways += [self.binary, self.binary, self.binary, self.intrinsic, self.unary]
            if scalar.family != "float":
                ways += [self.bitwise]
            elif scalar.name == "float":
                ways += [self.product]
        return self.random.choice(ways)(shape, depth - 1)

    def variable(self, shape: Shape, depth: int = 0) -> Expression:
        """Generate an expression whose value is small enough for a variable."""
        return fit(self.make(shape, depth), shape.scalar)

    # leaves

    def leaf(self, shape: Shape, _: int = 0) -> Expression:
        found = [text for text, have in self.scope.parts() if have == shape]
        if found and self.random.randrange(5):
            return Expression(self.random.choice(found))
        if shape.is_scalar:
            around = [
                f"{text}[{self.random.randrange(have.cols)}]" if have.cols > 1 else f"{text}.x"
                for text, have in self.scope.parts()
                if have.is_vector and have.scalar == shape.scalar
            ]
            if around and self.random.randrange(2):
                return Expression(self.random.choice(around))
            return self.literal(shape.scalar)
        if shape.is_vector:
            wide = [
                text
                for text, have in self.scope.parts()
                if have.scalar == shape.scalar and have.is_vector and have.cols >= 2
            ]
            if wide and self.random.randrange(2):
                text = self.random.choice(wide)
                have = dict(self.scope.parts()).get(text)
                letters = "xyzw"[: have.cols if have else 2]
                return Expression(f"{text}.{''.join(self.random.choice(letters) for _ in range(shape.cols))}")
            rows = [(text, have) for text, have in self.scope.parts() if have.is_matrix and have.row == shape]
            if rows:
                text, have = self.random.choice(rows)
                return Expression(f"{text}[{self.random.randrange(have.rows)}]")
        return self.constructor(shape, 0)

    def literal(self, scalar: Scalar) -> Expression:
        if scalar.family == "bool":
            return Expression(self.random.choice(("true", "false")))
        if scalar.family == "float":
            value = self.random.randrange(-32, 33) / 4
            suffix = self.random.choice(("", "f")) if scalar.bits == 32 else "h" if scalar.bits == 16 else "l"
            text = f"{value}{suffix}"
        else:
            low = 0 if scalar.family == "uint" else -20
            high = 20 if scalar.bounded or scalar.bits == 16 else self.random.choice((20, 20, 2**31 - 1))
            value = self.random.randrange(low, high)
            text = f"{value}{scalar.suffix}"
        text = f"({text})" if value < 0 else text
        # only small ones are written bare: literals have a type of their own with more digits
        bare = scalar.name in ("int", "uint", "float") and abs(value) < 100
        return Expression(text if bare else f"{scalar.name}({text})", 32, 2)

    def constructor(self, shape: Shape, depth: int) -> Expression:
        """Generate a constructor such as ``float3(a, b.xy)``, or a splat."""
        if self.random.randrange(4) == 0:
            inner = self.variable(shape.component, depth - 1)
            return Expression(f"({shape.name})({inner.text})")
        parts: list[str] = []
        left = shape.count
        while left:
            take = self.random.randrange(1, min(left, 4) + 1) if depth > 0 else 1
            part = shape.component if take == 1 else Shape(shape.scalar, 0, take)
            parts.append(self.variable(part, depth - 1).text)
            left -= take
        return Expression(f"{shape.name}({', '.join(parts)})")

    # conversions

    def conversion(self, shape: Shape, depth: int) -> Expression:
        """Generate a conversion: from another scalar type, from a larger vector or matrix, or between the two."""
        if self.random.randrange(3) == 0 and shape.is_vector and shape.cols < 4:
            larger = Shape(shape.scalar, 0, self.random.randrange(shape.cols, 4) + 1)
            return Expression(f"({shape.name})({self.variable(larger, depth).text})")
        if self.random.randrange(4) == 0 and shape.is_matrix and (shape.rows < 4 or shape.cols < 4):
            wide = Shape(shape.scalar, self.random.randrange(shape.rows, 5), self.random.randrange(shape.cols, 5))
            return Expression(f"({shape.name})({self.variable(wide, depth).text})")
        if self.random.randrange(3) == 0 and shape.count == 4 and shape.cols != 1:
            other = Shape(shape.scalar, 2, 2) if shape.is_vector else Shape(shape.scalar, 0, 4)
            if shape.is_vector or shape.rows == 2:
                return Expression(f"({shape.name})({self.variable(other, depth).text})")
        sources = [
            s
            for s in self.scope.scalars
            if s != shape.scalar
            and not (shape.is_matrix and self.masked(s, shape))
            and (s.name, shape.scalar.family) != ("uint16_t", "int")  # an old DXC spreads the highest bit
        ]
        if not sources:
            return self.leaf(shape)
        source = self.random.choice(sources)
        e = self.convertible(self.variable(shape.of(source), depth), source, shape.scalar)
        cast = f"({shape.name})({e})" if self.random.randrange(2) or shape.is_matrix else f"{shape.name}({e})"
        return Expression(cast)

    @staticmethod
    def masked(source: Scalar, shape: Shape) -> bool:
        """Return whether a conversion needs a bitwise operator to be exact."""
        if source.bounded:
            return source.family != "float"
        return source.family != "bool" and shape.scalar.bounded

    @staticmethod
    def convertible(e: Expression, source: Scalar, target: Scalar) -> str:
        """Return the expression's text, restricted to values that both types can represent."""
        if source.family == "bool" or target.family == "bool" or (not source.bounded and not target.bounded):
            return e.text
        if source.bounded:
            return f"abs({e.text})" if target.family == "uint" and source.family != "uint" else e.text
        # an old DXC converts 64-bit integers to float through 32 bits: no difference here, where numbers are small
        return f"(({e.text}) & 31{source.suffix if source.bits == 32 else ''})"

    # operators

    def bounded(self, shape: Shape, depth: int) -> tuple[Expression, Expression]:
        """Generate two operands so small that every operator on them has an exact result."""
        a, b = self.make(shape, depth), self.make(shape, depth)
        return fit(a, shape.scalar), fit(b, shape.scalar)

    def binary(self, shape: Shape, depth: int) -> Expression:
        scalar = shape.scalar
        a, b = self.bounded(shape, depth)
        if not scalar.bounded:
            operator = self.random.choice("++--**/%")
            if operator in "/%":
                if shape.is_matrix or scalar.bits != 32:
                    operator = "+"
                else:
                    mask = f"15{scalar.suffix}"
                    return Expression(f"({a.text} {operator} (({b.text} & {mask}) + 1{scalar.suffix}))")
            return Expression(f"({a.text} {operator} {b.text})")
        operator = self.random.choice("++--*" if scalar.family != "uint" else "++*")
        if operator == "*":
            if max(1, a.bound) * max(1, b.bound) * 2 ** (a.grain + b.grain) > scalar.units:
                a, b = fit(a, scalar, 16, 0), fit(b, scalar, 16, 0)
            return Expression(f"({a.text} * {b.text})", a.bound * b.bound, a.grain + b.grain)
        mixed = b.text
        if scalar.name == "float" and self.random.randrange(3) == 0 and not shape.is_matrix:
            # an implicit conversion
            other = self.random.choice((INT, BOOL))
            mixed = self.convertible(self.variable(shape.of(other), depth), other, scalar)
        bound = a.bound + VARIABLE_BOUND
        return fit(Expression(f"({a.text} {operator} {mixed})", bound, max(a.grain, b.grain)), scalar)

    def bitwise(self, shape: Shape, depth: int) -> Expression:
        scalar = shape.scalar
        if shape.is_matrix and not self.scope.beyond:
            return self.binary(shape, depth)
        a, b = self.bounded(shape, depth)
        if scalar.bounded:
            a, b = (fit(e, scalar, 32, 0) for e in (a, b))
            operator = self.random.choice("&|^")
            return Expression(f"({a.text} {operator} {b.text})", 64, 0)
        operator = self.random.choice(("&", "|", "^", "<<", ">>"))
        if operator in ("<<", ">>"):
            if shape.is_matrix:
                operator = "^"
            else:
                cast = shape.name if scalar.bits != 32 else ""
                amount = f"({b.text} & {scalar.bits - 1}{scalar.suffix if not cast else ''})"
                amount = f"({cast}){amount}" if cast else amount
                return Expression(f"({a.text} {operator} {amount})")
        return Expression(f"({a.text} {operator} {b.text})")

    def unary(self, shape: Shape, depth: int) -> Expression:
        scalar = shape.scalar
        e = self.make(shape, depth)
        inverts = not scalar.bounded and (not shape.is_matrix or self.scope.beyond)
        if scalar.family == "uint":
            return Expression(f"(~{e.text})") if inverts else e
        operator = "~" if inverts and self.random.randrange(2) else "-"
        return Expression(f"({operator}{e.text})" if operator != "-" else f"(-({e.text}))", e.bound, e.grain)

    def comparison(self, shape: Shape, depth: int) -> Expression:
        if shape.is_matrix and not self.scope.beyond:
            return self.constructor(shape, depth)
        numeric = [s for s in self.scope.scalars if s.family != "bool"]
        a, b = self.bounded(shape.of(self.random.choice(numeric)), depth)
        operator = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        return Expression(f"({a.text} {operator} {b.text})")

    def logical(self, shape: Shape, depth: int) -> Expression:
        if shape.is_matrix and not self.scope.beyond:
            return self.constructor(shape, depth)
        a = self.make(shape, depth).text
        if self.random.randrange(3) == 0:
            return Expression(f"(!{a})")
        b = self.make(shape, depth).text
        if not shape.is_scalar and (self.scope.version >= 2021 or shape.is_matrix):
            return Expression(f"({a} {self.random.choice(('==', '!='))} {b})")
        return Expression(f"({a} {self.random.choice(('&&', '||'))} {b})")

    def conditional(self, shape: Shape, depth: int) -> Expression:
        component_wise = shape.is_vector and self.scope.version < 2021 and self.random.randrange(2)
        condition = self.make(shape.of(BOOL) if component_wise else Shape(BOOL), depth)
        a, b = (self.variable(shape, depth) for _ in range(2))
        return Expression(f"({condition.text} ? {a.text} : {b.text})")

    # parts of other values, calls

    def parts(self, shape: Shape, depth: int) -> Expression:
        if shape.is_matrix:
            return self.constructor(shape, depth)
        if shape.is_scalar and self.random.randrange(3) == 0:
            matrix = Shape(shape.scalar, self.random.randrange(2, 5), self.random.randrange(2, 5))
            r, c = self.random.randrange(matrix.rows), self.random.randrange(matrix.cols)
            element = self.random.choice((f"._m{r}{c}", f"._{r + 1}{c + 1}", f"[{r}][{c}]"))
            return Expression(f"({self.variable(matrix, depth).text}){element}")
        if shape.is_vector and self.random.randrange(3) == 0 and shape.cols > 1:
            matrix = Shape(shape.scalar, self.random.randrange(2, 5), self.random.randrange(2, 5))
            picks = [
                f"_m{self.random.randrange(matrix.rows)}{self.random.randrange(matrix.cols)}" for _ in range(shape.cols)
            ]
            return Expression(f"({self.variable(matrix, depth).text}).{''.join(picks)}")
        inner = Shape(shape.scalar, 0, self.random.randrange(2, 5))
        letters = self.random.choice(("xyzw", "rgba"))[: inner.cols]
        swizzle = "".join(self.random.choice(letters) for _ in range(max(1, shape.cols)))
        text = f"({self.variable(inner, depth).text}).{swizzle}"
        return Expression(f"{shape.name}({text})" if shape.cols == 1 else text)

    def call(self, shape: Shape, depth: int) -> Expression:
        found = [f for f in self.scope.functions if f.result == shape and f.is_operand]
        if not found:
            return self.leaf(shape)
        return Expression(self.call_text(self.random.choice(found), depth))

    def call_text(self, function: Function, depth: int) -> str:
        return f"{function.name}({', '.join(self.arguments(function, depth, {}))})"

    def arguments(self, function: Function, depth: int, given: dict[str, str]) -> list[str]:
        """Generate the arguments of a call, in order; ``given`` contains those of some parameters."""
        arguments = []
        for parameter in function.parameters:
            if parameter.default and self.random.randrange(2):
                break
            arguments.append(given.get(parameter.name) or self.value(parameter.type, depth))
        return arguments

    def value(self, kind: Type, depth: int) -> str:
        """Generate a value for a variable of any type."""
        if isinstance(kind, Shape):
            return self.variable(kind, depth).text
        found = [v.name for v in self.scope.variables if v.type == kind and v.name not in self.scope.hidden]
        if found:
            return self.random.choice(found)
        assert isinstance(kind, Struct)
        return f"({kind.name})0"

    def intrinsic(self, shape: Shape, depth: int) -> Expression:
        scalar = shape.scalar
        a, b = self.bounded(shape, depth)
        common = [f"min({a.text}, {b.text})", f"max({a.text}, {b.text})"]
        if scalar.name in ("min16int", "min16uint") or scalar.bits == 64:
            return a
        if scalar.family != "uint":
            common.append(f"abs({a.text})")
        if scalar.name == "int":
            common.append(
                f"clamp({a.text}, {shape.name}({self._same(shape, '-100')}), {shape.name}({self._same(shape, '100')}))"
            )
        if scalar.name == "uint" and not shape.is_matrix:
            common += [f"countbits({a.text})", f"reversebits({a.text})"]
        if scalar.family == "float":
            common += [f"{name}({a.text})" for name in ("floor", "ceil", "trunc", "round")]
            if scalar.bits == 32:
                common += [f"saturate({a.text})", f"step({a.text}, {b.text})"]
        if shape.is_matrix:
            common.append(f"transpose({self.variable(Shape(scalar, shape.cols, shape.rows), depth).text})")
        if shape.is_scalar and scalar in (INT, FLOAT):
            vector = Shape(scalar, 0, self.random.randrange(2, 5))
            u, v = (fit(self.make(vector, depth), scalar, 16, 0).text for _ in range(2))
            if scalar == FLOAT:
                return Expression(f"dot({u}, {v})", 1024, 0)
            common.append(f"dot({u}, {v})")
        return Expression(self.random.choice(common), VARIABLE_BOUND + 1, VARIABLE_GRAIN)

    @staticmethod
    def _same(shape: Shape, text: str) -> str:
        return ", ".join([text] * shape.count)

    def product(self, shape: Shape, depth: int) -> Expression:
        """Generate a ``mul`` of small matrices and vectors."""

        def small(kind: Shape) -> str:
            return fit(self.make(kind, depth), FLOAT, 16, 0).text

        inner = self.random.randrange(1, 5)
        if shape.is_matrix:
            a, b = Shape(FLOAT, shape.rows, inner), Shape(FLOAT, inner, shape.cols)
        elif shape.is_vector and shape.cols > 1:
            inner = self.random.randrange(2, 5)
            row = self.random.randrange(2)
            a = Shape(FLOAT, 0, inner) if row else Shape(FLOAT, shape.cols, inner)
            b = Shape(FLOAT, inner, shape.cols) if row else Shape(FLOAT, 0, inner)
        else:
            return self.leaf(shape)
        return Expression(f"mul({small(a)}, {small(b)})", 1024, 0)


def unsigned(text: str, scalar: Scalar) -> list[str]:
    """Return expressions for a component's value as 32-bit words."""
    if scalar.family == "float":
        return [f"uint(int({text} * 4.0))"] if scalar.bits == 32 else [f"uint(int(float({text}) * 4.0))"]
    if scalar.bits == 64:
        return [f"uint({text})", f"uint({text} >> 32)"]
    if scalar == UINT:
        return [text]
    return [f"uint({'int' if scalar.family == 'int' else 'uint'}({text}))"]
