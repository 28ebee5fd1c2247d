"""Types for the rows of the table of intrinsics.

The call of a `Row` is HLSL with the arguments ``a``, ``b``, … and the results ``r``, ``s``, …; its model computes the
same in numpy. A type is an element and a shape (``float:2x3``); the element ``T`` and a missing shape stand for each of
the row's elements and shapes in turn. A model's arrays have an axis of 64 threads, followed by those of the shape; a
scalar is a vector of one component.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

THREADS = 64
"""Threads of a compute shader, pixels of a picture of 8 by 8."""

Array = np.ndarray[Any, Any]
Model = Callable[..., Any]
"""(arguments) → result, or a tuple of results; arrays"""
Samples = Sequence[float] | Callable[[Array, Array], Array]
"""Values of an argument, or a function of the thread and the component"""

SCALAR, VECTORS, MATRICES = ("1",), ("2", "3", "4"), ("2x3", "3x1", "1x4")
VECTOR = (*SCALAR, *VECTORS)
ANY = (*VECTOR, *MATRICES)

FLOAT = "float float16_t"
SIGNED = "int int16_t int64_t"
UNSIGNED = "uint uint16_t uint64_t"
BITS = "int uint int16_t uint16_t int64_t uint64_t"

STORED = {"bool": "uint", "min16float": "float", "min10float": "float", "min16int": "int", "min16uint": "uint"}
"""Element → the element type of buffers that store it, if that differs"""
DTYPES = {
    "float": np.float32,
    "float16_t": np.float16,
    "double": np.float64,
    "int": np.int32,
    "uint": np.uint32,
    "int16_t": np.int16,
    "uint16_t": np.uint16,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}
FEATURES = {
    "float16_t": ("shaderFloat16", "storageBuffer16BitAccess"),
    "int16_t": ("shaderInt16", "storageBuffer16BitAccess"),
    "uint16_t": ("shaderInt16", "storageBuffer16BitAccess"),
    "double": ("shaderFloat64",),
    "int64_t": ("shaderInt64",),
    "uint64_t": ("shaderInt64",),
}
"""Element → the device features that it needs"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: an element and its dimensions."""

    element: str
    shape: str

    @property
    def name(self) -> str:
        return self.element + ("" if self.shape == "1" else self.shape)

    @property
    def dimensions(self) -> tuple[int, ...]:
        return tuple(map(int, self.shape.split("x")))

    @property
    def count(self) -> int:
        return int(np.prod(self.dimensions))

    @property
    def stored(self) -> str:
        return STORED.get(self.element, self.element)

    @property
    def dtype(self) -> type[np.generic]:
        return DTYPES[self.stored]

    def component(self, variable: str, index: int) -> str:
        """Return an HLSL expression for the component at an index, counting matrices row by row."""
        if self.shape == "1":
            return variable
        if "x" in self.shape:
            return f"{variable}[{index // self.dimensions[1]}][{index % self.dimensions[1]}]"
        return f"{variable}[{index}]"


@dataclass(frozen=True, slots=True)
class Row:
    """A call to execute for several elements and shapes, with a numpy function that computes the expected results."""

    call: str
    model: Model
    samples: tuple[Samples, ...]
    elements: str = "float"
    args: tuple[str, ...] = ("T", "T", "T", "T")
    results: tuple[str, ...] = ("T",)
    shapes: tuple[str, ...] = ANY
    tolerance: float = 0.0
    """Greatest error, in parts of results above 1"""
    mixes: bool = False
    """Whether components of a result depend on other components of the arguments"""
    stage: str = "cs"
    """``cs``, ``ps``, or a name behind ``cs:`` for rows that a driver wants in a shader of their own"""
    needs: tuple[str, ...] = ()
    """Features of the device"""
    profile: str = "6_6"
    options: tuple[tuple[str, Any], ...] = ()
    note: str = ""
    """Why a part of the intrinsic is left out"""

    @property
    def name(self) -> str:
        match = re.search(r"[\w:]+(?=\()", self.call)
        assert match is not None
        return match[0]

    def kind(self, text: str, element: str, shape: str) -> Kind:
        own, _, dimensions = text.partition(":")
        return Kind(element if own == "T" else own, dimensions or shape)

    @property
    def is_componentwise(self) -> bool:
        return not self.mixes and len(self.shapes) > 1 and not any(":" in text for text in self.results)

    def features(self, element: str) -> tuple[str, ...]:
        used = {self.kind(text, element, "1").element for text in (*self.args[: len(self.samples)], *self.results)}
        return (*self.needs, *(feature for each in sorted(used) for feature in FEATURES.get(each, ())))

    def inputs(self, kinds: Sequence[Kind]) -> list[Array]:
        """Return the components of each argument as (threads, components); every combination of samples if they fit."""
        threads = np.arange(THREADS)[:, None]
        combinations = np.array(list(product(*(samples for samples in self.samples if not callable(samples)))))
        assert len(combinations) <= THREADS, (self.call, len(combinations))
        columns = iter(combinations.T)
        arrays = []
        for samples, kind in zip(self.samples, kinds, strict=True):
            components = np.arange(kind.count)[None, :]
            if callable(samples):
                values = samples(threads, components)
            else:
                column = next(columns)
                step = next(number for number in (5, 7, 11) if len(column) % number)
                values = column[(threads + step * components) % len(column)]
            with np.errstate(all="ignore"):
                arrays.append(np.asarray(values).astype(kind.dtype))
        return arrays


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Intrinsics that another test executes: `file` (relative to `tests`) contains its name, `test`.

    An empty `test` means a golden case. `through` is a compiler header that calls the intrinsics for the test.
    """

    names: tuple[str, ...]
    file: str
    test: str
    reason: str
    through: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """Intrinsics without a translation: a statement that calls one (as ``NAME``), and the expected error code."""

    names: tuple[str, ...]
    statement: str
    code: str = "HLSL0603"
    stage: str = "cs_6_10"
