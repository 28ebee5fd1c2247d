"""Choose arguments for outputs: variables, and in aliasing programs parts that overlap other arguments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .expressions import Function, Scope, Variable
from .shapes import Array, Shape, Struct, Type, sizes, type_name


@dataclass(frozen=True, slots=True)
class Place:
    """A variable or a part of one, as an l-value with its type and the variable's name."""

    text: str
    type: Type
    root: str


def places(variable: Variable, counters: list[str]) -> Iterator[Place]:
    """Yield a variable and its parts; elements are indexed by constants and by loop counters."""
    todo: list[tuple[str, Type]] = [(variable.name, variable.type)]
    while todo:
        text, kind = todo.pop()
        yield Place(text, kind, variable.name)
        if isinstance(kind, Struct):
            todo += [(f"{text}.{name}", member) for name, member in kind.members]
        elif isinstance(kind, Array):
            todo += [(f"{text}[{i}]", kind.element) for i in range(kind.size)]
            if kind.size & (kind.size - 1) == 0:
                todo += [(f"{text}[{counter} & {kind.size - 1}]", kind.element) for counter in counters]
        elif kind.is_matrix:
            todo += [(f"{text}._m{r}{c}", kind.component) for r in range(kind.rows) for c in range(kind.cols)]
            todo += [(f"{text}[{r}]", kind.row) for r in range(kind.rows) if kind.cols > 1]
        elif kind.cols > 1:
            todo += [(f"{text}[{c}]", kind.component) for c in range(kind.cols)]


class Arguments:
    """Chooses the l-values that one call writes to."""

    def __init__(self, scope: Scope) -> None:
        self.random: random.Random = scope.random
        self.globals = scope.globals
        writable = [v for v in scope.variables if v.writable and v.name not in scope.locked | scope.hidden]
        self.whole = [v for v in writable if v.name != "this"]
        counters = [v.name for v in scope.variables if v.name in scope.locked - scope.hidden]
        self.places = [place for v in writable for place in places(v, counters)]
        self.used: set[str] = set()

    def object_of(self, function: Function) -> Place | None:
        """Choose an object to call a method on; ``None`` if there is none."""
        found = [place for place in self.places if place.type == function.owner]
        return self._take(self.random.choice(found)) if found else None

    def distinct(self, kind: Type) -> str | None:
        """Choose a variable that the call does not use yet; ``None`` if there is none."""
        free = [v for v in self.whole if v.type == kind and v.name not in self.used]
        if not free or not self.random.randrange(4):
            return None
        name = self.random.choice(free).name
        self.used.add(name)
        return name

    def overlapping(self, kind: Type) -> str | None:
        """Choose an l-value, preferring one that overlaps another argument or that the callee may access."""
        found = [place for place in self.places if place.type == kind]
        if isinstance(kind, Shape) and kind.is_vector and kind.cols > 1:
            found += self._swizzles(kind)
        if not found or not self.random.randrange(8):
            return None
        what = self.random.randrange(4)
        preferred = [
            place for place in found if (what < 2 and place.root in self.used) or (what == 2 and self._is_global(place))
        ]
        return self._take(self.random.choice(preferred or found)).text

    def _swizzles(self, kind: Shape) -> list[Place]:
        wide = [
            place
            for place in self.places
            if isinstance(place.type, Shape)
            and place.type.is_vector
            and place.type.scalar == kind.scalar
            and place.type.cols >= kind.cols
        ]
        if not wide:
            return []
        place = self.random.choice(wide)
        assert isinstance(place.type, Shape)
        letters = self.random.sample("xyzw"[: place.type.cols], kind.cols)
        return [Place(f"{place.text}.{''.join(letters)}", kind, place.root)]

    def _is_global(self, place: Place) -> bool:
        return place.root in self.globals

    def _take(self, place: Place) -> Place:
        self.used.add(place.root)
        return place


def copied(function: Function, arguments: list[str], called: str, name: Callable[[], str]) -> list[str]:
    """Return statements for a call that explicitly copies its arguments in and out.

    ``name`` returns new variable names.
    """
    lines: list[str] = []
    outputs: list[str] = []
    names: list[str] = []
    for parameter, argument in zip(function.parameters, arguments, strict=False):
        names.append(name())
        lines.append(f"{type_name(parameter.type)} {names[-1]}{sizes(parameter.type)} = {argument};")
        if parameter.direction != "in":
            outputs.append(f"{argument} = {names[-1]};")
    return [*lines, f"{called}({', '.join(names)});", *outputs]
