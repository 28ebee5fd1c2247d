"""Generate shaders for rows of the table of intrinsics, each with several rows in all shapes.

Drivers are slow on shaders with many stores. So only the results of the widest shape are stored; the shader compares
the other shapes' results with them, and rows that differ are run again in separate shaders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tests.execute.intrinsics.rows import THREADS, Array, Kind, Row
from tests.execute.vulkan import Place, Resource, storage, uniform

ARGUMENTS, RESULTS = "abcd", "rsqp"
_INPUTS, _OUTPUTS, _MEMORY = 0, 1, 2
"""Bindings: the inputs, the outputs, and one for each type in memory"""


_DECODED = {
    **dict.fromkeys(("float", "float16_t"), "asfloat({0})"),
    **dict.fromkeys(("int", "int16_t"), "asint({0})"),
    **dict.fromkeys(("uint", "uint16_t"), "{0}"),
    **dict.fromkeys(("int64_t", "uint64_t"), "(uint64_t({0}) | uint64_t({1}) << 32)"),
    "double": "asdouble({0}, {1})",
}
"""Stored element → its value from one word or two"""


_ENCODED = {
    **dict.fromkeys(("float", "float16_t"), "{1} = asuint(float({0}));"),
    **dict.fromkeys(("int", "int16_t"), "{1} = uint(int({0}));"),
    **dict.fromkeys(("uint", "uint16_t"), "{1} = uint({0});"),
    **dict.fromkeys(("int64_t", "uint64_t"), "{1} = uint({0}); {2} = uint({0} >> 32);"),
    "double": "asuint({0}, {1}, {2});",
}
"""Stored element → statements that write a value to one word or two"""


def is_wide(kind: Kind) -> bool:
    return np.dtype(kind.dtype).itemsize == 8


def as_words(values: Array) -> Array:
    """Return the components of each row of an array as 32-bit words, padded with zeros to a multiple of four words.

    A component of 64 bits becomes two words.
    """
    if values.dtype.itemsize == 2:
        values = values.astype({"f": np.float32, "i": np.int32, "u": np.uint32}[values.dtype.kind])
    words = np.ascontiguousarray(values).view(np.uint32)
    return np.pad(words, ((0, 0), (0, -words.shape[1] % 4)))


def from_words(words: Array, kind: Kind) -> Array:
    """Return the components of a type, decoded from the 32-bit words that the shader stored for each thread."""
    small = {"float16_t": np.float32, "int16_t": np.int32, "uint16_t": np.uint32}
    dtype = small.get(kind.stored, kind.dtype)
    return np.ascontiguousarray(words).view(dtype).astype(kind.dtype)


@dataclass(slots=True)
class Call:
    """A row for one element and shape, with its inputs and the indices of its results."""

    row: Row
    element: str
    shape: str
    inputs: list[Array]
    arguments: list[Kind]
    results: list[Kind]
    places: list[int]

    @property
    def title(self) -> str:
        types = ", ".join(f"{kind.name} {letter}" for letter, kind in zip(ARGUMENTS, self.arguments, strict=False))
        return f"{self.row.call} with {types}"


@dataclass(slots=True)
class Batch:
    """A shader under construction."""

    stage: str
    inputs: list[Array] = field(default_factory=list)
    """Four words for each thread"""
    loaded: dict[tuple[str, bytes], str] = field(default_factory=dict)
    """(element, words) → the prefix of the variables that contain the components"""
    words: int = 0
    """Words of output for each thread; they are variables ``w0``, ``w1``, …, which are stored in fours"""
    elements: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    memory: set[str] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    comparisons: list[tuple[Row, str, int]] = field(default_factory=list)
    """(row, element, index of the word with a bit for each shape whose results differ from the widest)"""

    def add(self, row: Row, element: str) -> None:
        """Append a row; its inputs are loaded once for all shapes."""
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
        """Emit statements that load each component of an argument into a variable; return the variables' common prefix.

        An argument with equal values that another row has loaded is reused.
        """
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
        """Return (HLSL statements, argument types, result types) of a row's call for one shape.

        The statements assign the results to the variables ``r``, ``s``, …; ``names`` are the arguments' prefixes.
        """
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

    def _word(self) -> int:
        self.words += 1
        return self.words - 1

    def _stored(
        self, row: Row, element: str, shape: str, names: list[str], inputs: list[Array], keep: str = ""
    ) -> None:
        """Emit a row's call for one shape, and statements that store its results as output words.

        With ``keep``, the results are also assigned to variables whose names start with this prefix.
        """
        body, arguments, results = self._call(row, element, shape, names)
        places = []
        for letter, kind in zip(RESULTS, results, strict=False):
            self.elements.add(kind.element)
            places.append(self.words)
            for i in range(kind.count):
                value = kind.component(letter, i)
                words = [f"w{self._word()}" for _ in range(2 if is_wide(kind) else 1)]
                body.append(_ENCODED[kind.stored].format(value, *words))
                if keep:
                    body.append(f"{keep}{letter}{i} = {value};")
        self.lines.append("    { " + " ".join(body) + " }")
        own = [values[:, : kind.count] for kind, values in zip(arguments, inputs, strict=True)]
        self.calls.append(Call(row, element, shape, own, arguments, results, places))

    def _compared(self, row: Row, element: str, names: list[str], inputs: list[Array]) -> None:
        """Emit a row's calls for all shapes: store the widest shape's results, and compare the others with them.

        An additional output word has the bit of each shape whose results differ.
        """
        widest = max(row.shapes, key=lambda shape: Kind(element, shape).count)
        for letter, text in zip(RESULTS, row.results, strict=False):
            kind = row.kind(text, element, widest)
            variables = ", ".join(f"k_{letter}{i}" for i in range(kind.count))
            self.lines.append(f"    {kind.element} {variables};")
        self.lines.append("    uint wrong = 0;")
        self._stored(row, element, widest, names, inputs, keep="k_")
        for number, shape in enumerate(row.shapes):
            if shape == widest:
                continue
            body, _, results = self._call(row, element, shape, names)
            for letter, kind in zip(RESULTS, results, strict=False):
                for i in range(kind.count):
                    one, other = kind.component(letter, i), f"k_{letter}{i}"
                    is_nan = f" && !({one} != {one} && {other} != {other})" if kind.dtype(0).dtype.kind == "f" else ""
                    body.append(f"if ({one} != {other}{is_nan}) wrong |= {1 << number};")
            self.lines.append("    { " + " ".join(body) + " }")
        place = self._word()
        self.lines.append(f"    w{place} = wrong;")
        self.comparisons.append((row, element, place))

    def source(self) -> str:
        declared = [f"cbuffer Inputs : register(b{_INPUTS}) {{ uint4 inputs[{THREADS * max(1, len(self.inputs))}]; }}"]
        declared.append(f"RWStructuredBuffer<uint4> outputs : register(u{_OUTPUTS});")
        for number, name in enumerate(sorted(self.memory)):
            declared.append(f"groupshared {name} cells_{name}[{THREADS}];")
            declared.append(f"RWStructuredBuffer<{name}> buffer_{name} : register(u{_MEMORY + number});")
        head = f"[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{"
        if self.stage.startswith("cs:"):
            head = "[numthreads(4, 1, 1)] void main(uint t : SV_DispatchThreadID) {"
        elif self.stage.startswith("ps"):
            head = "void main(float4 at : SV_Position) { uint t = uint(at.y) * 8 + uint(at.x);"
        words = [f"w{i}" for i in range(self.words)]
        stores = [
            f"outputs[{THREADS * (i // 4)} + t] = uint4({', '.join([*words[i : i + 4], '0', '0', '0'][:4])});"
            for i in range(0, len(words), 4)
        ]
        return "\n".join([*declared, head, f"uint {', '.join(words)};", *self.lines, *stores, "}"])

    def resources(self) -> dict[Place, Resource]:
        given: dict[Place, Resource] = {}
        if self.inputs:
            given[0, _INPUTS] = uniform(b"".join(array.tobytes() for array in self.inputs))
        given[0, _OUTPUTS] = storage(THREADS * 16 * -(-self.words // 4))
        for number in range(len(self.memory)):
            given[0, _MEMORY + number] = storage(THREADS * 16)
        return given

    def _outputs(self, out: dict[Place, bytes]) -> Array:
        """Return the words that each thread has stored."""
        words = np.frombuffer(out[0, _OUTPUTS], np.uint32).reshape(-1, THREADS, 4)
        return words.swapaxes(0, 1).reshape(THREADS, -1)

    def doubtful(self, out: dict[Place, bytes]) -> Iterator[tuple[Row, str]]:
        """Yield a single-shape row for each shape whose results differ from the widest shape's."""
        words = self._outputs(out)
        for row, element, place in self.comparisons:
            bits = int(np.bitwise_or.reduce(words[:, place]))
            for number, shape in enumerate(row.shapes):
                if bits >> number & 1:
                    yield replace(row, shapes=(shape,)), element

    def differences(self, out: dict[Place, bytes]) -> Iterator[str]:
        """Yield a line for each wrong call: its first wrong thread, with inputs and values."""
        words = self._outputs(out)
        for call in self.calls:
            arguments = [_as_model(values, kind) for values, kind in zip(call.inputs, call.arguments, strict=True)]
            with np.errstate(all="ignore"):
                expected = call.row.model(*arguments)
            wanted = expected if isinstance(expected, tuple) else (expected,)
            for letter, kind, place, model in zip(RESULTS, call.results, call.places, wanted, strict=False):
                count = kind.count * (2 if is_wide(kind) else 1)
                got = from_words(words[:, place : place + count], kind)
                yield from _compare(call, letter, kind, got, model)


def _as_model(values: Array, kind: Kind) -> Array:
    """Convert arguments for the numpy function of a row: floats in double precision, booleans, in the type's shape."""
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
    """Return the row's tolerance; at least that of halves if the call has one and the result is not exact."""
    if call.row.tolerance and ("16" in call.element or "16" in kind.element):
        return max(call.row.tolerance, 4e-3)
    return call.row.tolerance


LOAD = 30
"""Greatest number of loads and stores in a shader: drivers take longer for one large shader than for two small ones."""


def load(row: Row, element: str) -> int:
    """Return the cost of a row in a shader: the number of vectors loaded plus the number of scalars stored."""
    widest = (max(row.kind(text, element, shape).count for shape in row.shapes) for text in row.args)
    loads = sum(-(-count // 4) for count, _ in zip(widest, row.samples, strict=False))
    shapes = row.shapes if not row.is_componentwise else [max(row.shapes, key=lambda s: Kind("int", s).count)]
    return loads + sum(row.kind(text, element, shape).count for text in row.results for shape in shapes)


def batches(rows: Sequence[Row]) -> Iterator[tuple[str, list[tuple[Row, str]]]]:
    """Group rows into shaders: yield (title, [(row, element)]).

    The rows of a group need the same stage, device features, profile and options.
    A group's total cost is limited, because drivers are slow on shaders with many stores.
    """
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
