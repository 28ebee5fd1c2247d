"""Shaders for rows of the table of intrinsics: each computes several rows, in all shapes.

Drivers take long for shaders with many stores.  Only the results of the widest shape are stored; those of the other
shapes are compared with them in the shader, and computed again in a shader of their own where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tests.execute.intrinsics.rows import DTYPES, THREADS, Array, Kind, Row
from tests.execute.vulkan import Place, Resource, storage, uniform

ARGUMENTS, RESULTS = "abcd", "rsqp"
_BINDINGS = {name: number for number, name in enumerate(DTYPES, 1)}
_MEMORY = 1 + len(_BINDINGS)


_DECODED = {
    **dict.fromkeys(("float", "float16_t"), "asfloat({0})"),
    **dict.fromkeys(("int", "int16_t"), "asint({0})"),
    **dict.fromkeys(("uint", "uint16_t"), "{0}"),
    **dict.fromkeys(("int64_t", "uint64_t"), "(uint64_t({0}) | uint64_t({1}) << 32)"),
    "double": "asdouble({0}, {1})",
}
"""Stored element → its value from one word or two"""


def is_wide(kind: Kind) -> bool:
    return np.dtype(kind.dtype).itemsize == 8


def as_words(values: Array) -> Array:
    """Return components as words, two for 64 bits, filled up to groups of four."""
    if values.dtype.itemsize == 2:
        values = values.astype({"f": np.float32, "i": np.int32, "u": np.uint32}[values.dtype.kind])
    words = np.ascontiguousarray(values).view(np.uint32)
    return np.pad(words, ((0, 0), (0, -words.shape[1] % 4)))


@dataclass(slots=True)
class Call:
    """One row in one element and shape, with its inputs and the places of its results."""

    row: Row
    element: str
    shape: str
    inputs: list[Array]
    arguments: list[Kind]
    results: list[Kind]
    places: list[int]

    @property
    def title(self) -> str:
        return f"{self.row.call} with T = {Kind(self.element, self.shape).name}"


@dataclass(slots=True)
class Batch:
    """A shader under construction."""

    stage: str
    inputs: list[Array] = field(default_factory=list)
    """Four words for each thread"""
    loaded: dict[tuple[str, bytes], str] = field(default_factory=dict)
    """(element, words) → the prefix of the variables that hold the components"""
    sizes: dict[str, int] = field(default_factory=dict)
    """Stored element → numbers of the output buffer"""
    lines: list[str] = field(default_factory=list)
    memory: set[str] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    comparisons: list[tuple[Row, str, int]] = field(default_factory=list)
    """(row, element, place of the word with a bit for each shape with other results than the widest)"""

    def add(self, row: Row, element: str) -> None:
        """Append a row: its inputs are loaded once, for all shapes."""
        widest = [
            max((row.kind(text, element, shape) for shape in row.shapes), key=lambda kind: kind.count)
            for text in row.args[: len(row.samples)]
        ]
        inputs = row.inputs(widest)
        names = [self._load(kind, values) for kind, values in zip(widest, inputs, strict=True)]
        self.lines.append("{")
        if row.is_componentwise:
            self._compared(row, element, names, inputs)
        else:
            for shape in row.shapes:
                self._stored(row, element, shape, names, inputs)
        self.lines.append("}")

    def _load(self, kind: Kind, values: Array) -> str:
        """Declare the components of an argument, unless another row has the same, and return their prefix."""
        words = as_words(values)
        key = (kind.element, words.tobytes())
        if key not in self.loaded:
            name = self.loaded[key] = f"v{len(self.loaded)}_"
            first = len(self.inputs)
            parts = words.reshape(THREADS, -1, 4)
            for i in range(parts.shape[1]):
                self.lines.append(f"    uint4 {name}words{i} = inputs[{THREADS * (first + i)} + t];")
                self.inputs.append(parts[:, i])
            for i in range(kind.count):
                at = [f"{name}words{k // 4}[{k % 4}]" for k in (range(2 * i, 2 * i + 2) if is_wide(kind) else (i,))]
                self.lines.append(
                    f"    {kind.element} {name}{i} = ({kind.element}){_DECODED[kind.stored].format(*at)};"
                )
        return self.loaded[key]

    def _call(self, row: Row, element: str, shape: str, names: list[str]) -> tuple[list[str], list[Kind], list[Kind]]:
        """Return the statements of a call, which leave the results in variables, and the types."""
        arguments = [row.kind(text, element, shape) for text in row.args[: len(row.samples)]]
        results = [row.kind(text, element, shape) for text in row.results]
        body = []
        for letter, kind, name in zip(ARGUMENTS, arguments, names, strict=False):
            parts = ", ".join(f"{name}{i}" for i in range(kind.count))
            body.append(f"{kind.name} {letter} = {kind.name}({parts});")
        body += [f"{kind.name} {letter};" for letter, kind in zip(RESULTS, results, strict=False)]
        name = Kind(element, shape).name
        call = re.sub(r"\bT\b", name, row.call)
        for place in ("buffer", "cells"):
            if f"{place}[" in call:
                self.memory.add(name)
                call = call.replace(f"{place}[", f"{place}_{name}[")
        body.append(call if ";" in call else f"r = {call};")
        return body, arguments, results

    def _place(self, kind: Kind) -> int:
        start = self.sizes.get(kind.stored, 0)
        self.sizes[kind.stored] = start + THREADS * kind.count
        return start

    def _stored(
        self, row: Row, element: str, shape: str, names: list[str], inputs: list[Array], keep: str = ""
    ) -> None:
        """Call for one shape and store the results; ``keep`` is a prefix of variables that hold them, too."""
        body, arguments, results = self._call(row, element, shape, names)
        places = [self._place(kind) for kind in results]
        for letter, kind, place in zip(RESULTS, results, places, strict=False):
            for i in range(kind.count):
                body.append(f"o_{kind.stored}[{place + THREADS * i} + t] = ({kind.stored}){kind.component(letter, i)};")
                if keep:
                    body.append(f"{keep}{letter}{i} = {kind.component(letter, i)};")
        self.lines.append("    { " + " ".join(body) + " }")
        own = [values[:, : kind.count] for kind, values in zip(arguments, inputs, strict=True)]
        self.calls.append(Call(row, element, shape, own, arguments, results, places))

    def _compared(self, row: Row, element: str, names: list[str], inputs: list[Array]) -> None:
        """Store the results of the widest shape, and one word with a bit for each other shape whose results differ."""
        widest = max(row.shapes, key=lambda shape: Kind(element, shape).count)
        for letter, text in zip(RESULTS, row.results, strict=False):
            kind = row.kind(text, element, widest)
            variables = ", ".join(f"w_{letter}{i}" for i in range(kind.count))
            self.lines.append(f"    {kind.element} {variables};")
        self.lines.append("    uint wrong = 0;")
        self._stored(row, element, widest, names, inputs, keep="w_")
        for number, shape in enumerate(row.shapes):
            if shape == widest:
                continue
            body, _, results = self._call(row, element, shape, names)
            for letter, kind in zip(RESULTS, results, strict=False):
                for i in range(kind.count):
                    one, other = kind.component(letter, i), f"w_{letter}{i}"
                    is_nan = f" && !({one} != {one} && {other} != {other})" if kind.dtype(0).dtype.kind == "f" else ""
                    body.append(f"if ({one} != {other}{is_nan}) wrong |= {1 << number};")
            self.lines.append("    { " + " ".join(body) + " }")
        place = self._place(Kind("uint", "1"))
        self.lines.append(f"    o_uint[{place} + t] = wrong;")
        self.comparisons.append((row, element, place))

    def source(self) -> str:
        declared = [f"cbuffer Inputs : register(b0) {{ uint4 inputs[{THREADS * max(1, len(self.inputs))}]; }}"]
        declared += [
            f"RWStructuredBuffer<{name}> o_{name} : register(u{_BINDINGS[name]});" for name in sorted(self.sizes)
        ]
        for number, name in enumerate(sorted(self.memory)):
            declared.append(f"groupshared {name} cells_{name}[{THREADS}];")
            declared.append(f"RWStructuredBuffer<{name}> buffer_{name} : register(u{_MEMORY + number});")
        head = f"[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{"
        if self.stage.startswith("cs:"):
            head = "[numthreads(4, 1, 1)] void main(uint t : SV_DispatchThreadID) {"
        elif self.stage.startswith("ps"):
            head = "void main(float4 at : SV_Position) { uint t = uint(at.y) * 8 + uint(at.x);"
        return "\n".join([*declared, head, *self.lines, "}"])

    def resources(self) -> dict[Place, Resource]:
        given: dict[Place, Resource] = {}
        if self.inputs:
            given[0, 0] = uniform(b"".join(array.tobytes() for array in self.inputs))
        for name, size in self.sizes.items():
            given[0, _BINDINGS[name]] = storage(size * np.dtype(DTYPES[name]).itemsize)
        for number in range(len(self.memory)):
            given[0, _MEMORY + number] = storage(THREADS * 16)
        return given

    def doubtful(self, out: dict[Place, bytes]) -> Iterator[tuple[Row, str]]:
        """Yield rows of one shape whose results are not those of the widest shape."""
        for row, element, place in self.comparisons:
            words = np.frombuffer(out[0, _BINDINGS["uint"]], np.uint32)[place : place + THREADS]
            bits = int(np.bitwise_or.reduce(words))
            for number, shape in enumerate(row.shapes):
                if bits >> number & 1:
                    yield replace(row, shapes=(shape,)), element

    def differences(self, out: dict[Place, bytes]) -> Iterator[str]:
        """Yield a line for each call with wrong results: the first wrong thread, its inputs and values."""
        for call in self.calls:
            arguments = [_as_model(values, kind) for values, kind in zip(call.inputs, call.arguments, strict=True)]
            with np.errstate(all="ignore"):
                expected = call.row.model(*arguments)
            wanted = expected if isinstance(expected, tuple) else (expected,)
            for letter, kind, place, model in zip(RESULTS, call.results, call.places, wanted, strict=False):
                data = np.frombuffer(out[0, _BINDINGS[kind.stored]], DTYPES[kind.stored])
                got = data[place : place + THREADS * kind.count].reshape(kind.count, THREADS).T
                yield from _compare(call, letter, kind, got, model)


def _as_model(values: Array, kind: Kind) -> Array:
    """Return arguments as a model takes them: floats in double precision, booleans, in the shape of the type."""
    values = values.reshape(THREADS, *kind.dimensions)
    if values.dtype.kind == "f":
        return values.astype(np.float64)
    return values != 0 if kind.element == "bool" else values


def _compare(call: Call, letter: str, kind: Kind, got: Array, model: Array) -> Iterator[str]:
    model = np.broadcast_to(model, (THREADS, *kind.dimensions)).reshape(THREADS, kind.count)
    with np.errstate(all="ignore"):
        wanted = model.astype(kind.dtype)
        right = wanted == got
        if got.dtype.kind == "f":
            right |= np.isnan(wanted) & np.isnan(got)
            limit = _tolerance(call, kind) * np.maximum(1, np.abs(model))
            right |= np.abs(got.astype(np.float64) - model) <= limit
    if right.all():
        return
    thread = int(np.argmin(right.all(axis=1)))
    inputs = ", ".join(
        f"{name} = {values[thread].tolist()}" for name, values in zip(ARGUMENTS, call.inputs, strict=False)
    )
    count = int((~right.all(axis=1)).sum())
    yield (
        f"{call.title}: thread {thread} ({count} wrong): {inputs}: {letter} = {got[thread].tolist()}, "
        f"expected {wanted[thread].tolist()}"
    )


def _tolerance(call: Call, kind: Kind) -> float:
    """Return the row's tolerance, at least that of halves where one is involved and the result is not exact."""
    if call.row.tolerance and ("16" in call.element or "16" in kind.element):
        return max(call.row.tolerance, 4e-3)
    return call.row.tolerance


LOAD = 30
"""Greatest number of loads and stores in a shader: drivers take longer for one large shader than for two small ones."""


def load(row: Row, element: str) -> int:
    """Return the number of vectors that a row loads, and of scalars that it stores."""
    widest = (max(row.kind(text, element, shape).count for shape in row.shapes) for text in row.args)
    loads = sum(-(-count // 4) for count, _ in zip(widest, row.samples, strict=False))
    shapes = row.shapes if not row.is_componentwise else [max(row.shapes, key=lambda s: Kind("int", s).count)]
    return loads + sum(row.kind(text, element, shape).count for text in row.results for shape in shapes)


def batches(rows: Sequence[Row]) -> Iterator[tuple[str, list[tuple[Row, str]]]]:
    """Yield rows that fit into one shader, with a title: the same stage, features, profile and options."""
    groups: dict[tuple[object, ...], list[list[tuple[Row, str]]]] = {}
    for row in rows:
        for element in row.elements.split():
            small = "16_t" in element or any("16_t" in text for text in (*row.args[: len(row.samples)], *row.results))
            bits = element if "16" in element else ""
            group = groups.setdefault((row.stage, bits, small, row.features(element), row.profile, row.options), [[]])
            if sum(load(*member) for member in group[-1]) + load(row, element) > LOAD:
                group.append([])
            group[-1].append((row, element))
    parts = [(str(key[0]), part) for key, group in groups.items() for part in group if part]
    for number, (stage, part) in enumerate(parts):
        (first, element), (last, other) = part[0], part[-1]
        yield f"{number}-{stage}-{first.name}-{element}-{last.name}-{other}", part
