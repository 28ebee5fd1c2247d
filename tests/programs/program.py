"""Generate a whole program from a seed: a compute shader that reads words and writes the resulting variables."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from .arguments import places
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
from .statements import COPIED, WRITTEN, Statements, function

INPUT_WORDS = 64
BUFFER_TYPES = frozenset(("int", "uint", "float"))
FIRST_GLOBAL = 10
"""The register of the first global buffer."""
PLACES = ("local", "local", "local", "static", "groupshared", "buffer")


@dataclass(frozen=True, slots=True)
class Program:
    seed: int
    text: str
    copied: str
    """The program with arguments copied in and out by statements of their own; empty where it is the same."""
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
        self.globals: list[Variable] = []
        self.functions: list[Function] = []
        self.methods: list[Function] = []
        self.updating: set[str] = set()
        """Structs with a method ``update``."""
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
            globals=frozenset(variable.name for variable in self.globals),
            variables=list(self.globals),
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
        if self.random.randrange(2):
            # a method, which is called as a statement of its own
            scope.variables = [Variable(name, kind) for name, kind in members]
            self.lines += [
                "    void update() {",
                *["    " + line for line in function(scope, "update", [], None)],
                "    }",
            ]
            self.updating.add(made.name)
        methods = [f"change{i}" for i in range(self.random.randrange(3))] if self.aliasing else []
        for name in methods:
            result, parameters = self.signature(scope)
            self.methods.append(Function(name, result, parameters, made))
            self.lines.append(f"    {_head(result, name, parameters)};")
        self.lines.append("};")
        self.structs.append(made)

    def add_global(self, number: int) -> None:
        """Declare a global variable that functions access by name; `main` initialises it."""
        kind = Statements(self.scope(), "").any_type()
        if isinstance(kind, Shape) and self.random.randrange(2):
            kind = self.random.choice(self.structs) if self.structs and self.random.randrange(2) else Array(kind, 2)
        name, place = f"g{number}", self.random.choice(("static", "groupshared", "buffer"))
        if place == "buffer" and not isinstance(kind, Array) and _fits_buffer(kind, BUFFER_TYPES | {"bool"}):
            self.lines.append(f"RWStructuredBuffer<{type_name(kind)}> {name} : register(u{FIRST_GLOBAL + number});")
            name += "[1]"
        else:
            storage = place if place == "groupshared" and _is_plain(kind) else "static"
            self.lines.append(f"{storage} {type_name(kind)} {name}{sizes(kind)};")
        self.globals.append(Variable(name, kind))

    def define_method(self, method: Function) -> None:
        """Define a method after the globals, which may contain its object."""
        assert method.owner is not None
        scope = self.scope()
        scope.variables += [Variable(name, kind) for name, kind in method.owner.members]
        if self.random.randrange(2):
            scope.variables.append(Variable("this", method.owner))
        self.define(scope, method, f"{method.owner.name}::{method.name}")

    def add_function(self, number: int) -> None:
        scope = self.scope()
        result, parameters = self.signature(scope)
        last = parameters[-1] if parameters else None
        if last and last.direction == "in" and isinstance(last.type, Shape) and self.random.randrange(3) == 0:
            default = Expressions(scope).literal(last.type.scalar).text
            parameters = (*parameters[:-1], Parameter(last.name, last.type, "in", default))
        name = f"f{number}"
        self.define(scope, Function(name, result, parameters), name)

    def signature(self, scope: Scope) -> tuple[Shape | Struct | None, tuple[Parameter, ...]]:
        """Choose the result and the parameters of a function."""
        parameters: list[Parameter] = []
        directions = ("in", "inout", "inout", "out") if self.aliasing else ("in", "in", "in", "out", "inout")
        for i in range(self.random.randrange(0, 4)):
            direction = self.random.choice(directions)
            chosen: Shape | Struct | Array = scope.shape()
            if self.aliasing:
                chosen = self.random.choice([chosen, *self.part_types(), *self.part_types()])
            elif self.structs and self.random.randrange(6) == 0:
                chosen = self.random.choice(self.structs)
            parameters.append(Parameter(f"p{i}", chosen, direction))
        what = self.random.randrange(5)
        result: Shape | Struct | None = scope.shape()
        if what == 0:
            result = None
        elif what == 1 and self.structs:
            result = self.random.choice(self.structs)
        return result, tuple(parameters)

    def part_types(self) -> list[Shape | Struct | Array]:
        """Return the types of global variables and of their parts, as possible types of parameters."""
        return list(dict.fromkeys(place.type for v in self.globals for place in places(v, [])))

    def define(self, scope: Scope, made: Function, name: str) -> None:
        body = function(scope, name, [(p.name, p.type, p.direction) for p in made.parameters], made.result)
        self.lines += [f"{_head(made.result, name, made.parameters)} {{", *body, "}"]
        self.functions.append(made)

    def read(self, scalar: Scalar) -> str:
        """Return an expression that reads the next input as a scalar."""
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
    for i in range(numbers.randrange(1, 4) if w.aliasing else 0):
        w.add_global(i)
    for method in w.methods:
        w.define_method(method)
    for i in range(numbers.randrange(1 if w.aliasing else 0, 4)):
        w.add_function(i)
    scope = w.scope()
    made = Statements(scope, "x")
    head = ["RWByteAddressBuffer result : register(u0);", "ByteAddressBuffer input : register(t1);"]
    body: list[str] = [line for variable in w.globals for line in w.filled(variable.name, variable.type)]
    for i in range(numbers.randrange(2, 6)):
        name, kind = f"a{i}", made.any_type()
        place = numbers.choice(PLACES)
        plain = _is_plain(kind)
        if place == "buffer" and not isinstance(kind, Array) and _fits_buffer(kind, BUFFER_TYPES):
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
    for called in w.functions if w.aliasing else ():
        body += made.call(2, called)
    words: list[str] = []
    for variable in scope.variables:
        if isinstance(variable.type, Struct) and variable.type.name in w.updating and variable.writable:
            body.append(f"{variable.name}.update();")
        for part, scalar in scalars(variable.type, variable.name):
            words += unsigned(part, scalar)
    body += [f"result.Store({4 * i}, {word});" for i, word in enumerate(words)]
    lines = [*head, *w.lines, "[numthreads(1, 1, 1)]", "void main() {", *["    " + line for line in body], "}", ""]
    text, copied = (_without(lines, other) for other in (COPIED, WRITTEN))
    copied = copied if copied != text else ""
    return Program(seed, text, copied, len(words), w.version, w.native_16, w.beyond or w.aliasing)


def _without(lines: list[str], ending: str) -> str:
    """Return the program's text with only one of two alternatives: a call, or statements that copy its arguments.

    Lines that end in ``ending`` belong to the other alternative.
    """
    return "\n".join(line.removesuffix(WRITTEN).removesuffix(COPIED) for line in lines if not line.endswith(ending))


def _is_plain(kind: Shape | Struct | Array) -> bool:
    """Return whether a type's matrices all have float components; only those have a layout in memory."""
    return all(shape.scalar.family == "float" for _, shape in leaves(kind, "") if shape.is_matrix)


def _fits_buffer(kind: Shape | Struct | Array, names: frozenset[str]) -> bool:
    return _is_plain(kind) and {scalar.name for _, scalar in scalars(kind, "")} <= names


def _head(result: Shape | Struct | None, name: str, parameters: tuple[Parameter, ...]) -> str:
    """Return the declaration of a function, without its body."""
    written = ", ".join(
        (f"{p.direction} " if p.direction != "in" else "")
        + f"{type_name(p.type)} {p.name}{sizes(p.type)}"
        + (f" = {p.default}" if p.default else "")
        for p in parameters
    )
    return f"{type_name(result) if result else 'void'} {name}({written})"
