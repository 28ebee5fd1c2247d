"""Kernels: bind arguments, run the shader, copy the results back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.reflection.host import dtype as block_dtype

from .arguments import Slot, slot_for
from .backend import Backend, Binding, Bound, Code, Memory, Pipeline, Place
from .constants import Constants
from .encodings import Array
from .errors import ArgumentError, GpuError, wrong_argument
from .signature import FLAT, GLOBALS, Parameter

Groups = int | Sequence[int]
Result = tuple[Memory, Callable[[], None]]
"""Memory that a kernel writes, and the function that copies it to its argument."""
MOST_BOUND = 16
"""Number of pipelines with bound resources that a kernel keeps."""
MOST_GROUPS = 65535
"""Number of groups in one direction that every device accepts."""


class Kernel:
    """A compute shader as a callable: ``kernel(source, target, groups=(64, 64, 1))``.

    Calls are synchronous.  The buffers, descriptors and recorded commands of a call are reused by the next call with
    arrays of the same types and shapes.
    """

    def __init__(self, code: Code, parameters: list[Parameter], interface: InterfaceRecord, backend: Backend) -> None:
        self.name = code.name
        self.entry = code.entry
        self.parameters = parameters
        """The parameters in the order of their declarations."""
        self.backend = backend
        self.code = code
        self._declared = {record.name for record in interface.resources}
        self._declared |= {
            f.name for block in interface.blocks if block.kind in FLAT for f, *_ in block.members if f is not None
        }
        self._positional = [p for p in parameters if p.is_positional]
        self._constants = Constants(parameters, code.reflection.specialization_constants)
        self.slots: dict[str, Slot] = {p.name: slot_for(p, backend) for p in parameters}
        """Parameter → its memory, which kernels of one draw share."""
        self._pipelines: dict[str, Pipeline] = {}
        self._bound: OrderedDict[tuple[object, ...], Bound] = OrderedDict()

    def __repr__(self) -> str:
        return f"Kernel({self.entry} of {self.name}: {', '.join(map(str, self.parameters))})"

    @property
    def threads_per_group(self) -> tuple[int, int, int]:
        """The size of a thread group, computed with the default values of specialisation constants."""
        return self._group_size({})

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the numpy type of a constant buffer, or of the elements of a structured buffer."""
        parameter = next((p for p in self.parameters if p.name == name), None)
        if parameter is None:
            raise unknown(name, self.argument_names)
        if parameter.block is None:
            raise wrong_argument(name, f"is a {parameter.declared}, which has no memory layout")
        found: np.dtype[Any] = block_dtype(parameter.block)
        return found

    def __call__(self, *arrays: Any, groups: Groups | None = None, threads: Groups | None = None, **named: Any) -> None:
        """Run the kernel and wait; arrays that it writes are changed in place.

        ``arrays`` are buffers and textures in the order of their declarations, ``named`` the others by their names in
        HLSL: resources, members of ``cbuffer``, specialisation constants.  ``groups`` counts thread groups,
        ``threads`` threads (rounded up to whole groups).  Raises ``ArgumentError`` before anything runs.
        """
        bound, count, push, results = self.prepared(arrays, named, groups, threads)
        bound.run(count, push, [memory for memory, _ in results])
        for _, copy_back in results:
            copy_back()

    def prepared(
        self, arrays: Sequence[Any], named: Mapping[str, Any], groups: Groups | None, threads: Groups | None
    ) -> tuple[Bound, tuple[int, int, int], bytes, list[Result]]:
        """Return the pipeline with its resources, the groups, the push constants, and the results of a call.

        Raises ``ArgumentError``.
        """
        values = self._values(arrays, named)
        special = self._constants.specialisation(values)
        count = self._groups(groups, threads, special)
        blocks, push = self._constants.blocks(values)
        values.update(blocks)
        bindings: dict[Place, tuple[Binding, ...]] = {}
        results: list[Result] = []
        for parameter in self.parameters:
            if parameter.kind == "push_constant":
                continue
            if parameter.name not in values and parameter.kind not in ("sampler", "counter"):
                raise ArgumentError(codes.MISSING, parameter.name, what=parameter.declared)
            slot = self.slots[parameter.name]
            bindings[parameter.place] = slot.put(values.get(parameter.name), results)
        self._check_overlaps(values)
        return self._bind(bindings, special), count, push, results

    def run(
        self, *arrays: Any, groups: Groups | None = None, threads: Groups | None = None, **named: Any
    ) -> dict[str, Array]:
        """Run the kernel without changing the arguments: return name → copy of each numpy array that it writes."""
        values = self._values(arrays, named)
        written: dict[str, Array] = {}
        for parameter in self.parameters:
            value = values.get(parameter.name)
            if parameter.written and isinstance(value, np.ndarray):
                written[parameter.name] = values[parameter.name] = value.copy()
        self(groups=groups, threads=threads, **values)
        return written

    def _values(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        if len(arrays) > len(self._positional):
            problem = f"takes {len(self._positional)} arrays, and {len(arrays)} were given"
            order = ", ".join(p.name for p in self._positional)
            raise ArgumentError(codes.ARGUMENT, self.entry, f"The order is: {order or 'none'}.", problem=problem)
        values = {p.name: array for p, array in zip(self._positional, arrays, strict=False)}
        for name, value in named.items():
            if name in values:
                raise ArgumentError(codes.ARGUMENT, name, problem="is given by position and by name")
            if name in self.slots or self._constants.has(name):
                values[name] = value
            elif not self.takes(name):
                raise unknown(name, self.argument_names)
        return values

    def takes(self, name: str) -> bool:
        """Return whether a call may have an argument with this name."""
        return name in self.slots or self._constants.has(name) or name in self._declared

    @property
    def argument_names(self) -> list[str]:
        """The names of the arguments that the kernel uses."""
        return [p.name for p in self.parameters if p.name != GLOBALS] + self._constants.names

    def _group_size(self, special: Mapping[int, Any]) -> tuple[int, int, int]:
        point = self.code.reflection.entry_points[0]
        x, y, z = point.workgroup_size or (1, 1, 1)
        ids = point.workgroup_size_ids or (None, None, None)
        sizes = [special.get(i, n) if i is not None else n for n, i in zip((x, y, z), ids, strict=True)]
        return int(sizes[0]), int(sizes[1]), int(sizes[2])

    def _groups(
        self, groups: Groups | None, threads: Groups | None, special: Mapping[int, Any]
    ) -> tuple[int, int, int]:
        if (groups is None) == (threads is None):
            problem = "and `threads` are both given" if groups is not None else "or `threads` has to be given"
            raise GpuError(codes.GROUPS, "kernel(…, groups=(64, 64, 1))", name="groups", problem=problem)
        if groups is not None:
            return _three("groups", groups)
        assert threads is not None
        wanted, size = _three("threads", threads, limit=None), self._group_size(special)
        x, y, z = (-(-n // per) for n, per in zip(wanted, size, strict=True))
        return _three("groups", (x, y, z))

    def _check_overlaps(self, values: Mapping[str, Any]) -> None:
        arrays = [(p, v) for p in self.parameters if isinstance(v := values.get(p.name), np.ndarray)]
        for (p, a), (q, b) in combinations(arrays, 2):
            if (p.written or q.written) and np.may_share_memory(a, b):
                hint = "Arrays are copied to the device one by one; pass a copy."
                raise ArgumentError(codes.ARGUMENT, q.name, hint, problem=f"shares memory with `{p.name}`")

    def _bind(self, bindings: Mapping[Place, tuple[Binding, ...]], special: Mapping[int, Any]) -> Bound:
        key = (repr(special), *(id(b.item) for many in bindings.values() for b in many))
        bound = self._bound.get(key)
        if bound is not None:
            self._bound.move_to_end(key)
            return bound
        bound = self._bound[key] = self._pipeline(special).bind(bindings)
        if len(self._bound) > MOST_BOUND:
            self._bound.popitem(last=False)
        return bound

    def prepare(self, groups: Groups | None = None, threads: Groups | None = None, **named: Any) -> Pipeline:
        """Check the arguments of a call, and return the pipeline that it runs.  Raises ``ArgumentError``."""
        self.prepared((), named, groups, threads)
        return self._pipeline(self._constants.specialisation(self._values((), named)))

    def _pipeline(self, special: Mapping[int, Any]) -> Pipeline:
        chosen = repr(special)  # distinguishes 0.0 and -0.0
        pipeline = self._pipelines.get(chosen)
        if pipeline is None:
            pipeline = self._pipelines[chosen] = self.backend.pipeline(self.code, special)
        return pipeline


def unknown(name: str, names: Sequence[str]) -> ArgumentError:
    """Return the error about an argument that is none of some names."""
    return ArgumentError(codes.UNKNOWN, name, f"There are: {', '.join(names) or 'none'}.")


def _three(name: str, numbers: Groups, limit: int | None = MOST_GROUPS) -> tuple[int, int, int]:
    """Convert the value of the argument ``name`` to three positive integers; missing ones become 1.

    Raise ``ArgumentError`` for numbers that are not positive, or greater than ``limit``.
    """
    given = list(numbers) if isinstance(numbers, Iterable) else [numbers]
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1 for n in given)
    if not whole or not 1 <= len(given) <= 3:
        raise GpuError(codes.GROUPS, name=name, problem=f"is {numbers!r}, and needs one to three positive numbers")
    if limit is not None and max(given) > limit:
        raise GpuError(codes.GROUPS, name=name, problem=f"has {max(given)} in one direction; devices take {limit}")
    x, y, z = (*given, 1, 1)[:3]
    return int(x), int(y), int(z)
