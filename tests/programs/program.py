"""A whole program from a seed: a compute shader that reads words and writes what became of its variables."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from .expressions import Expressions, Function, Parameter, Scope, Variable, unsigned
from .shapes import (
    DOUBLE,
    MINIMAL,
    NATIVE_16,
    PLAIN,
    WIDE,
    Array,
    Scalar,
    Shape,
    Struct,
    leaves,
    scalars,
    sizes,
    type_name,
)
from .statements import Statements, function

INPUT_WORDS = 64
PLACES = ("local", "local", "local", "static", "groupshared", "buffer")


@dataclass(frozen=True, slots=True)
class Program:
    seed: int
    text: str
    words: int
    """How many 32-bit words it writes."""
    version: int
    native_16: bool
    beyond: bool
    """Uses what an old DXC does not know, or passes one variable for several parameters, which DXC does not copy."""

    @property
    def flags(self) -> list[str]:
        return ["-HV", str(self.version), *(["-enable-16bit-types"] if self.native_16 else [])]

    @property
    def inputs(self) -> bytes:
        numbers = random.Random(f"inputs {self.seed}")
        kinds = (lambda: numbers.randrange(8), lambda: numbers.randrange(1 << 32), lambda: numbers.randrange(-9, 9))
        return struct.pack(f"<{INPUT_WORDS}I", *(numbers.choice(kinds)() & 0xFFFFFFFF for _ in range(INPUT_WORDS)))


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = numbers = random.Random(f"program {seed}")
        self.version = numbers.choice((2018, 2021))
        self.beyond = numbers.randrange(8) == 0
        self.aliasing = random.Random(f"aliasing {seed}").randrange(2) == 0
        self.native_16 = numbers.randrange(4) == 0
        chosen: tuple[Scalar, ...] = PLAIN
        if self.native_16:
            chosen += tuple(numbers.sample(NATIVE_16, 2))
        elif numbers.randrange(3) == 0:
            chosen += tuple(numbers.sample(MINIMAL, 2))
        if numbers.randrange(4) == 0:
            chosen += WIDE
        if numbers.randrange(6) == 0:
            chosen += (DOUBLE,)
        self.scalars = chosen
        self.structs: list[Struct] = []
        self.functions: list[Function] = []
        self.lines: list[str] = []
        self.input = 0

    def scope(self) -> Scope:
        return Scope(
            self.version,
            self.scalars,
            self.random,
            functions=list(self.functions),
            structs=list(self.structs),
            beyond=self.beyond,
            aliasing=self.aliasing,
        )

    def add_struct(self, number: int) -> None:
        scope = self.scope()
        members: list[tuple[str, Shape | Struct | Array]] = []
        for i in range(self.random.randrange(1, 5)):
            kind: Shape | Struct | Array = scope.shape()
            if self.structs and self.random.randrange(5) == 0:
                kind = self.random.choice(self.structs)
            elif self.random.randrange(6) == 0:
                kind = Array(scope.shape(), 2)
            members.append((f"m{i}", kind))
        made = Struct(f"S{number}", tuple(members))
        self.lines.append(f"struct {made.name} {{")
        self.lines += [f"    {type_name(kind)} {name}{sizes(kind)};" for name, kind in members]
        shapes = [Variable(name, kind) for name, kind in members]
        if self.random.randrange(2):
            # a method, which is called as a statement of its own
            scope.variables = list(shapes)
            self.lines += [
                "    void update() {",
                *["    " + line for line in function(scope, "update", [], None)],
                "    }",
            ]
        self.lines.append("};")
        self.structs.append(made)

    def add_function(self, number: int) -> None:
        scope = self.scope()
        parameters: list[Parameter] = []
        for i in range(self.random.randrange(0, 4)):
            kind = scope.shape()
            direction = self.random.choice(("in", "in", "in", "out", "inout"))
            chosen: Shape | Struct = kind
            if self.structs and self.random.randrange(6) == 0:
                chosen = self.random.choice(self.structs)
            parameters.append(Parameter(f"p{i}", chosen, direction))
        last = parameters[-1] if parameters else None
        if last and last.direction == "in" and isinstance(last.type, Shape) and self.random.randrange(3) == 0:
            default = Expressions(scope).literal(last.type.scalar).text
            parameters[-1] = Parameter(last.name, last.type, "in", default)
        what = self.random.randrange(5)
        result: Shape | Struct | None = scope.shape()
        if what == 0:
            result = None
        elif what == 1 and self.structs:
            result = self.random.choice(self.structs)
        name = f"f{number}"
        body = function(scope, name, [(p.name, p.type, p.direction) for p in parameters], result)
        written = ", ".join(
            (f"{p.direction} " if p.direction != "in" else "")
            + f"{type_name(p.type)} {p.name}"
            + (f" = {p.default}" if p.default else "")
            for p in parameters
        )
        self.lines += [f"{type_name(result) if result else 'void'} {name}({written}) {{", *body, "}"]
        self.functions.append(Function(name, result, tuple(parameters)))

    def read(self, scalar: Scalar) -> str:
        """An input as a scalar."""
        self.input += 1
        word = f"input.Load({4 * (self.input % INPUT_WORDS)})"
        if scalar.family == "bool":
            return f"(({word} & 1) != 0)"
        if scalar.bounded:
            return (
                f"{scalar.name}(({word} & 255) * 0.25)" if scalar.family == "float" else f"{scalar.name}({word} & 31)"
            )
        return f"{scalar.name}({word})"

    def filled(self, name: str, kind: Shape | Struct | Array) -> list[str]:
        return [f"{part} = {self.read(scalar)};" for part, scalar in scalars(kind, name)]


def program(seed: int) -> Program:
    w = _Writer(seed)
    numbers = w.random
    for i in range(numbers.randrange(0, 3)):
        w.add_struct(i)
    for i in range(numbers.randrange(0, 4)):
        w.add_function(i)
    scope = w.scope()
    made = Statements(scope, "x")
    head = ["RWByteAddressBuffer result : register(u0);", "ByteAddressBuffer input : register(t1);"]
    body: list[str] = []
    for i in range(numbers.randrange(2, 6)):
        name, kind = f"a{i}", made.any_type()
        place = numbers.choice(PLACES)
        flat = {scalar.name for _, scalar in scalars(kind, "")}
        plain = all(shape.scalar.family == "float" for _, shape in leaves(kind, "") if shape.is_matrix)
        if place == "buffer" and plain and flat <= {"int", "uint", "float"} and not isinstance(kind, Array):
            w.lines.append(f"RWStructuredBuffer<{type_name(kind)}> b{i} : register(u{2 + i});")
            body += w.filled(f"b{i}[1]", kind)
            body.append(f"{type_name(kind)} {name} = b{i}[1];")
        else:
            shared = place == "groupshared" and (plain or w.beyond)
            storage = place if place == "static" or shared else ""
            declared = f"{storage} {type_name(kind)} {name}{sizes(kind)};".strip()
            (w.lines if storage else body).append(declared)
            body += w.filled(name, kind)
        scope.variables.append(Variable(name, kind))
    for _ in range(numbers.randrange(3, 9)):
        body += made.statement(2)
    methods = {s.name for s in w.structs if f"struct {s.name} {{" in w.lines and _has_method(w.lines, s.name)}
    words: list[str] = []
    for variable in scope.variables:
        if isinstance(variable.type, Struct) and variable.type.name in methods and variable.writable:
            body.append(f"{variable.name}.update();")
        for part, scalar in scalars(variable.type, variable.name):
            words += unsigned(part, scalar)
    body += [f"result.Store({4 * i}, {word});" for i, word in enumerate(words)]
    text = [*head, *w.lines, "[numthreads(1, 1, 1)]", "void main() {", *["    " + line for line in body], "}", ""]
    return Program(seed, "\n".join(text), len(words), w.version, w.native_16, w.beyond or w.aliasing)


def _has_method(lines: list[str], name: str) -> bool:
    start = lines.index(f"struct {name} {{")
    return "    void update() {" in lines[start : lines.index("};", start)]
