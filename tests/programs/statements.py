"""Generate random statements: declarations, assignments of every kind, control flow with finite loops."""

from __future__ import annotations

from .arguments import Arguments, copied
from .expressions import Expression, Expressions, Function, Scope, Variable, fit
from .shapes import BOOL, INT, UINT, VARIABLE_BOUND, Array, Scalar, Shape, Struct, Type, leaves, sizes, type_name

WRITTEN, COPIED = "  // as written", "  // copied"
"""Ends of lines that are alternatives: a call, and statements that do the same by HLSL's rules."""
SHIFTS = {"<<=", ">>="}


class Statements:
    def __init__(self, scope: Scope, prefix: str) -> None:
        self.scope = scope
        self.random = scope.random
        self.expressions = Expressions(scope)
        self.prefix = prefix
        self.names = 0
        self.loops = 0
        self.result: Type | None = None
        """The type of the result, in a function that may end early."""
        self.may_return = False

    def name(self) -> str:
        self.names += 1
        return f"{self.prefix}{self.names}"

    def block(self, count: int, depth: int) -> list[str]:
        """Generate statements in a new scope."""
        before = len(self.scope.variables)
        lines = [line for _ in range(count) for line in self.statement(depth)]
        del self.scope.variables[before:]
        return ["    " + line for line in lines]

    def statement(self, depth: int) -> list[str]:
        ways = [self.declaration, self.declaration, self.assignment, self.assignment, self.assignment, self.compound,
                self.compound, self.parts, self.parts, self.call, self.increment, self.side_effect,
                self.whole]  # fmt: skip
        if self.scope.aliasing and self.scope.functions:
            ways += [self.call] * 4
        if depth > 0:
            ways += [self.choice, self.choice, self.switch, self.loop, self.loop]
        if self.may_return and depth < 2:
            ways.append(self.early_return)
        return self.random.choice(ways)(depth)

    # declarations

    def any_type(self) -> Type:
        what = self.random.randrange(8)
        if what == 0 and self.scope.structs:
            return self.random.choice(self.scope.structs)
        if what == 1:
            element: Type = self.scope.shape()
            if self.scope.structs and self.random.randrange(4) == 0:
                element = self.random.choice(self.scope.structs)
            if self.random.randrange(5) == 0:
                return Array(Array(element, 2), self.random.choice((2, 3)))
            return Array(element, self.random.choice((2, 3, 4)))
        return self.scope.shape()

    def declaration(self, _: int) -> list[str]:
        kind = self.any_type()
        return self.declared(kind, self.name())

    def declared(self, kind: Type, name: str) -> list[str]:
        value = self.initialiser(kind)
        self.scope.variables.append(Variable(name, kind))
        const = ""
        if isinstance(kind, Shape) and self.random.randrange(8) == 0:
            const = "const "
            self.scope.variables[-1] = Variable(name, kind, writable=False)
        return [f"{const}{type_name(kind)} {name}{sizes(kind)} = {value};"]

    def initialiser(self, kind: Type) -> str:
        if isinstance(kind, Shape):
            if kind.count > 1 and self.random.randrange(4) == 0:
                return f"{{ {', '.join(self.pieces(kind.scalar, kind.count))} }}"
            return self.expressions.variable(kind, 3).text
        same = [v.name for v in self.scope.variables if v.type == kind and v.name not in self.scope.hidden]
        if same and self.random.randrange(3) == 0:
            return self.random.choice(same)
        if self.random.randrange(6) == 0 and isinstance(kind, Struct):
            return f"({kind.name})0"
        if self.random.randrange(2) and isinstance(kind, Array):
            return "{ " + ", ".join(self.initialiser(kind.element) for _ in range(kind.size)) + " }"
        if isinstance(kind, Struct) and self.random.randrange(2):
            return "{ " + ", ".join(self.initialiser(member) for _, member in kind.members) + " }"
        # flat: components one behind the other, in pieces that need not end where members do
        flat: list[str] = []
        run: list[Shape] = []
        for _, shape in leaves(kind, ""):
            if run and run[0].scalar != shape.scalar:
                flat += self.pieces(run[0].scalar, sum(s.count for s in run))
                run = []
            run.append(shape)
        flat += self.pieces(run[0].scalar, sum(s.count for s in run))
        return f"{{ {', '.join(flat)} }}"

    def pieces(self, scalar: Scalar, count: int) -> list[str]:
        out = []
        while count:
            take = self.random.randrange(1, min(count, 4) + 1)
            shape = Shape(scalar, 0, take if take > 1 else 0)
            out.append(self.expressions.variable(shape, 1).text)
            count -= take
        return out

    # assignments

    def target(self) -> tuple[str, Shape] | None:
        found = self.scope.parts(writable=True)
        return self.random.choice(found) if found else None

    def assignment(self, depth: int) -> list[str]:
        target = self.target()
        if target is None:
            return self.declaration(depth)
        text, shape = target
        return [f"{text} = {self.expressions.variable(shape, 3).text};"]

    def interleaved(self, names: list[str]) -> list[str]:
        """Generate assignments to parts of these variables in turn, so that aliasing between them has an effect."""
        targets = [v for v in self.scope.variables if v.name in names]
        lines = []
        for variable in self.random.sample(targets, len(targets)) * 2:
            text, shape = self.random.choice(leaves(variable.type, variable.name))
            lines.append(f"{text} = {self.expressions.variable(shape, 2).text};")
        return lines

    def whole(self, depth: int) -> list[str]:
        """Generate the assignment of a complete struct or array."""
        pairs = [
            (a.name, b.name)
            for a in self.scope.variables
            for b in self.scope.variables
            if a.type == b.type and a is not b and a.writable and not isinstance(a.type, Shape)
        ]
        if not pairs:
            return self.declaration(depth)
        a, b = self.random.choice(pairs)
        return [f"{a} = {b};"]

    def parts(self, depth: int) -> list[str]:
        """Generate an assignment to a swizzle, a row, or elements of a matrix."""
        found = [(text, shape) for text, shape in self.scope.parts(writable=True) if shape.cols > 1]
        if not found:
            return self.declaration(depth)
        text, shape = self.random.choice(found)
        if shape.is_vector:
            count = self.random.randrange(1, shape.cols + 1)
            letters = self.random.sample(self.random.choice(("xyzw", "rgba"))[: shape.cols], count)
            part, kind = f"{text}.{''.join(letters)}", Shape(shape.scalar, 0, count if count > 1 else 0)
        else:
            what = self.random.randrange(3)
            r, c = self.random.randrange(shape.rows), self.random.randrange(shape.cols)
            if what == 0:
                part, kind = f"{text}[{r}]", shape.row
            elif what == 1:
                part, kind = f"{text}[{r}][{c}]", shape.component
            else:
                cells = [(r, c) for r in range(shape.rows) for c in range(shape.cols)]
                picks = self.random.sample(cells, self.random.randrange(1, min(4, len(cells)) + 1))
                base = self.random.choice((0, 1))
                spelled = "".join(f"_{'' if base else 'm'}{r + base}{c + base}" for r, c in picks)
                part, kind = f"{text}.{spelled}", Shape(shape.scalar, 0, len(picks) if len(picks) > 1 else 0)
        return self.updated(part, kind)

    def updated(self, part: str, kind: Shape) -> list[str]:
        if kind.scalar.family != "bool" and self.random.randrange(3) == 0:
            return self.compound_of(part, kind)
        return [f"{part} = {self.expressions.variable(kind, 2).text};"]

    def compound(self, depth: int) -> list[str]:
        found = [leaf for leaf in self.scope.parts(writable=True) if leaf[1].scalar.family != "bool"]
        if not found:
            return self.declaration(depth)
        return self.compound_of(*self.random.choice(found))

    def compound_of(self, text: str, shape: Shape) -> list[str]:
        scalar = shape.scalar
        if scalar.bounded:
            operator = self.random.choice(("+=", "-=", "*=") if scalar.family != "uint" else ("+=", "*="))
            small = fit(self.expressions.make(shape, 2), scalar, *((16, 0) if operator == "*=" else ()))
            lines = [f"{text} {operator} {small.text};"]
            limit = VARIABLE_BOUND * 16 if operator == "*=" else 2 * VARIABLE_BOUND
            return ["{", *["    " + line for line in [*lines, self.normalised(text, shape, limit)]], "}"]
        operators = ["+=", "-=", "*="]
        if not shape.is_matrix or self.scope.beyond:
            operators += ["&=", "|=", "^="]
        if not shape.is_matrix and scalar.bits == 32:
            operators += ["<<=", ">>=", "/=", "%="]
        operator = self.random.choice(operators)
        value = self.expressions.make(shape, 2).text
        if operator in SHIFTS:
            value = f"({value} & 31{scalar.suffix})"
        elif operator in ("/=", "%="):
            value = f"(({value} & 7{scalar.suffix}) + 1{scalar.suffix})"
        return [f"{text} {operator} {value};"]

    @staticmethod
    def normalised(text: str, shape: Shape, bound: float) -> str:
        return f"{text} = {fit(Expression(text, bound, 2), shape.scalar).text};"

    def increment(self, depth: int) -> list[str]:
        found = [
            (text, shape)
            for text, shape in self.scope.parts(writable=True)
            if shape.scalar.family != "bool" and not shape.scalar.bounded and shape.scalar.bits == 32
        ]
        if not found:
            return self.declaration(depth)
        text, shape = self.random.choice(found)
        operator = self.random.choice(("++", "--"))
        step = self.random.choice((f"{text}{operator}", f"{operator}{text}"))
        if self.random.randrange(2):
            return [f"{step};"]
        name = self.name()
        hidden, self.scope.hidden = self.scope.hidden, self.scope.hidden | {text.partition("[")[0].partition(".")[0]}
        other = self.expressions.variable(shape, 2).text
        self.scope.hidden = hidden
        self.scope.variables.append(Variable(name, shape))
        return [f"{shape.name} {name} = {step} + {other};"]

    def side_effect(self, depth: int) -> list[str]:
        """Generate a logical operator whose right operand has a side effect.

        The effect always happens in HLSL 2018, in 2021 only if the left operand requires it.
        """
        if self.scope.version >= 2021 and not self.scope.beyond:
            return self.increment(depth)
        found = [text for text, shape in self.scope.parts(writable=True) if shape in (Shape(INT), Shape(UINT))]
        if not found:
            return self.declaration(depth)
        text = self.random.choice(found)
        hidden, self.scope.hidden = self.scope.hidden, self.scope.hidden | {text.partition("[")[0].partition(".")[0]}
        condition = self.expressions.make(Shape(BOOL), 2).text
        self.scope.hidden = hidden
        name = self.name()
        self.scope.variables.append(Variable(name, Shape(BOOL)))
        operator = self.random.choice(("&&", "||"))
        return [f"bool {name} = {condition} {operator} ({text}++ > 3);"]

    def call(self, depth: int, function: Function | None = None) -> list[str]:
        """Generate a call with variables for outputs and arrays.

        In aliasing programs, the arguments are l-values that may overlap.
        """
        if not self.scope.functions:
            return self.declaration(depth)
        function = function or self.random.choice(self.scope.functions)
        arguments = Arguments(self.scope)
        receiver = arguments.object_of(function) if function.owner else None
        if function.owner and receiver is None:
            return self.declaration(depth)
        given: dict[str, str] = {}
        lines: list[str] = []
        for parameter in function.parameters:
            if parameter.direction == "in" and not isinstance(parameter.type, Array):
                continue
            choose = arguments.overlapping if self.scope.aliasing else arguments.distinct
            place = choose(parameter.type)
            if place is None:
                place = self.name()
                lines += self.declared(parameter.type, place)
                self.scope.variables[-1] = Variable(place, parameter.type)
                lines[-1] = lines[-1].removeprefix("const ")
                arguments.used.add(place)
            given[parameter.name] = place
        hidden = self.scope.hidden
        if not self.scope.aliasing or self.random.randrange(2):
            self.scope.hidden |= arguments.used
        texts = self.expressions.arguments(function, 2, given)
        self.scope.hidden = hidden
        called = f"{receiver.text}.{function.name}" if receiver is not None else function.name
        result = ""
        if function.result is not None and self.random.randrange(4):
            name = self.name()
            self.scope.variables.append(Variable(name, function.result))
            result = f"{type_name(function.result)} {name} = "
        written = f"{result}{called}({', '.join(texts)});"
        if not self.scope.aliasing:
            return [*lines, written]
        copying = copied(function, texts, result + called, self.name)
        return [*lines, written + WRITTEN, *(line + COPIED for line in copying)]

    # control flow

    def condition(self) -> str:
        return self.expressions.make(Shape(BOOL), 2).text

    def choice(self, depth: int) -> list[str]:
        lines = [f"if ({self.condition()}) {{", *self.block(self.random.randrange(1, 4), depth - 1)]
        if self.random.randrange(4) == 0:
            lines += [f"}} else if ({self.condition()}) {{", *self.block(2, depth - 1)]
        if self.random.randrange(2):
            lines += ["} else {", *self.block(self.random.randrange(1, 3), depth - 1)]
        return [*lines, "}"]

    def switch(self, depth: int) -> list[str]:
        selector = self.random.choice(
            (
                f"int({self.expressions.make(Shape(INT), 2).text}) & 3",
                f"uint({self.expressions.make(Shape(UINT), 2).text}) % 5u",
            )
        )
        lines = [f"switch ({selector}) {{"]
        labels = self.random.sample(range(5), self.random.randrange(1, 5))
        default = self.random.randrange(-1, len(labels))
        for i, label in enumerate(labels):
            lines.append(f"    case {label}:")
            if i == default:
                lines.append("    default:")
            if self.random.randrange(5) == 0 and i + 1 < len(labels):
                continue  # an empty case falls through
            lines += ["    {", *["    " + line for line in self.block(self.random.randrange(1, 3), depth - 1)], "    }"]
            if self.random.randrange(5) or i + 1 == len(labels):
                lines.append("        break;")
        return [*lines, "}"]

    def loop(self, depth: int) -> list[str]:
        if self.loops >= 2:
            return self.choice(depth)
        self.loops += 1
        counter = self.name()
        kind, shape = self.random.choice((("int", Shape(INT)), ("uint", Shape(UINT))))
        count = self.random.randrange(1, 5)
        self.scope.variables.append(Variable(counter, shape, writable=False))
        self.scope.locked.add(counter)
        body = self.block(self.random.randrange(1, 4), depth - 1)
        if self.random.randrange(2):
            exit_ = self.random.choice(("break", "continue"))
            body.insert(self._between(body), f"    if ({self.condition()}) {exit_};")
        attribute = self.random.choice(("", "", "", "[loop] ", "[unroll] "))
        what = self.random.randrange(3)
        if what == 0:
            lines = [f"{attribute}for ({kind} {counter} = 0; {counter} < {count}; {counter}++) {{", *body, "}"]
        elif what == 1:
            lines = [
                "{",
                f"    {kind} {counter} = 0;",
                f"    while ({counter} < {count}) {{",
                f"        {counter}++;",
                *["    " + line for line in body],
                "    }",
                "}",
            ]
        else:
            lines = [
                "{",
                f"    {kind} {counter} = 0;",
                "    do {",
                f"        {counter} += 1;",
                *["    " + line for line in body],
                f"    }} while ({counter} < {count});",
                "}",
            ]
        self.scope.variables.pop()
        self.loops -= 1
        return lines

    def _between(self, body: list[str]) -> int:
        """Choose the index of a line between statements directly in a loop's body."""
        places = [0]
        level = 0
        for i, line in enumerate(body):
            level += line.count("{") - line.count("}")
            if level == 0:
                places.append(i + 1)
        return self.random.choice((places[0], places[-1]))

    def early_return(self, _: int) -> list[str]:
        if self.result is None:
            return [f"if ({self.condition()}) return;"]
        return [f"if ({self.condition()}) return {self.expressions.value(self.result, 2)};"]


def function(scope: Scope, name: str, parameters: list[tuple[str, Type, str]], result: Type | None) -> list[str]:
    """Generate a body for a function; ``scope`` is the function's own."""
    made = Statements(scope, "v")
    made.result, made.may_return = result, True
    lines = []
    for parameter, kind, direction in parameters:
        if direction == "out":
            lines += made.declared(kind, "init_" + parameter)
            scope.variables.pop()
            lines[-1] = lines[-1].removeprefix("const ")
            lines.append(f"{parameter} = init_{parameter};")
        scope.variables.append(Variable(parameter, kind))
    for _ in range(scope.random.randrange(1, 5)):
        lines += made.statement(1)
    if scope.aliasing:
        outputs = [name for name, _, direction in parameters if direction != "in"]
        lines += made.interleaved([*outputs, *sorted(scope.globals), "this"])
    if result is not None:
        lines.append(f"return {made.expressions.value(result, 2)};")
    return ["    " + line for line in lines]
