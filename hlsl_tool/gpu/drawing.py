"""Draws on the interpreter: kernels of several stages, from the first one to the one of interest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.interpreter import (
    FORMATS,
    Blend,
    Draw,
    ExecutionError,
    Image,
    Program,
    Settings,
    Stage,
    Targets,
    draw_stages,
    resolved,
)
from hlsl_tool.interpreter.images.sampling import COMPARISONS
from hlsl_tool.interpreter.runtime.memory import AddressSpace
from hlsl_tool.interpreter.runtime.values import Array
from hlsl_tool.interpreter.stages.fill import pictures_of, wide_targets
from hlsl_tool.interpreter.stages.interface import Values
from hlsl_tool.interpreter.stages.mesh import tasks
from hlsl_tool.interpreter.stages.primitives import Primitives
from hlsl_tool.interpreter.stages.rasterizer import POSITIONS
from hlsl_tool.reflection.reflection import StageVariable
from hlsl_tool.spirv.enums import BuiltIn, ExecutionModel

from .cpu import Bound, CpuBackend, interpreter_errors
from .errors import wrong_argument
from .kernel import Kernel, Result, unknown

STAGES = {
    "vertex": ("Vertex", "vs"),
    "hull": ("TessellationControl", "hs"),
    "domain": ("TessellationEvaluation", "ds"),
    "geometry": ("Geometry", "gs"),
    "amplification": ("TaskEXT", "as"),
    "mesh": ("MeshEXT", "ms"),
    "pixel": ("Fragment", "ps"),
}
"""Stage → its execution model and its profile, in the order of draws."""
_SEMANTICS = {
    "Position": "SV_Position",
    "TessLevelOuter": "SV_TessFactor",
    "TessLevelInner": "SV_InsideTessFactor",
    "ClipDistance": "SV_ClipDistance",
    "CullDistance": "SV_CullDistance",
    "Layer": "SV_RenderTargetArrayIndex",
    "ViewportIndex": "SV_ViewportArrayIndex",
    "PrimitiveId": "SV_PrimitiveID",
    "CullPrimitiveEXT": "SV_CullPrimitive",
}


MOST_VERTICES = 1 << 24
"""The number of vertices of all instances that a draw has at most."""
MOST_TARGETS = 8
"""The number of targets of a pixel shader."""
_WITHOUT_PRIMITIVES = ("Vertex", "TessellationControl")
"""The stages whose results are no primitives."""


def stages_before(names: Iterable[str], model: str) -> list[str]:
    """Return the stages before one with an execution model, in order; raise ``ValueError`` for an unknown name."""
    for name in names:
        if name not in STAGES:
            hint = did_you_mean(name, list(STAGES)) or f"there are: {', '.join(STAGES)}"
            raise ValueError(f"there is no stage `{name}`; {hint}")
    order = [other for other, _ in STAGES.values()]
    end = order.index(model) if model in order else 0
    return [name for name in list(STAGES)[:end] if name in names]


NEEDS = {
    "Vertex": ("vertices",),
    "TessellationControl": ("vertices",),
    "TessellationEvaluation": ("vertices",),
    "Geometry": ("vertices",),
    "TaskEXT": ("groups", "threads"),
    "MeshEXT": ("groups", "threads"),
}
"""Execution model of the first stage of a draw → the sizes of which the draw needs one."""


def stages_of_draw(names: Iterable[str], model: str, has: Callable[[str], object]) -> list[str] | None:
    """Return the stages that run before one; ``None`` if it is no stage of a draw.

    ``has`` returns whether a size is given.  Raises ``ValueError`` for what is missing.
    """
    before = stages_before(names, model)
    first = STAGES[before[0]][0] if before else model
    needed = NEEDS.get(first)
    if needed is None:
        return None
    if not any(has(name) for name in needed):
        raise ValueError(f"a draw that begins with a {hlsl_stage(first)} shader needs `{'` or `'.join(needed)}`")
    if model == "Fragment" and not has("size"):
        raise ValueError("a pixel shader needs the `size` of the picture")
    if model == "TessellationEvaluation" and "hull" not in before:
        raise ValueError("a domain shader needs its hull shader among the stages before it")
    return before


def hlsl_stage(model: str) -> str:
    """Return the name that HLSL has for the stage of an execution model; others as they are."""
    return next((name for name, (other, _) in STAGES.items() if other == model), model)


def place_of(text: str, path: str) -> tuple[str, str]:
    """Return the file and the entry point of a stage, given as ``ENTRY`` or ``FILE:ENTRY``."""
    file, _, entry = text.rpartition(":")
    return file or path, entry


def stage_profile(stage: str, profile: str) -> str:
    """Return the profile of a stage with the version of another one: ``vs_6_2`` for ``hs_6_2``."""
    version = profile.partition("_")[2]
    return f"{STAGES[stage][1]}_{version or '6_0'}"


BLENDS = {
    "alpha": Blend("src-alpha", "one-minus-src-alpha", "add", "one"),
    "premultiplied": Blend("one", "one-minus-src-alpha"),
    "add": Blend("one", "one"),
    "multiply": Blend("dst", "zero"),
}
"""Name of a common blending → its factors."""


@dataclass(slots=True)
class Merging:
    """How a draw combines fragments with its targets, which start as zeros."""

    samples: int = 1
    """The number of samples of a pixel; the targets are resolved."""
    blends: dict[int, Blend] = field(default_factory=dict)
    """Location → blending."""
    depth: str = ""
    """The comparison of depths, such as ``less``; empty for no depth test."""

    def targets(self, program: Program, size: tuple[int, int]) -> Targets:
        """Return new targets for a pixel shader."""
        colours = wide_targets(program, size, self.samples)
        depth = None
        if self.depth:
            depth = Image(FORMATS["R32f"], (*size, 1), samples=self.samples)
            depth.buffer.bytes.view(np.float32)[...] = 0 if self.depth.startswith("greater") else 1
        return Targets(colours, depth, self.depth or "always", self.blends)


def merging_of(samples: int, blend: Any, depth: str) -> Merging:
    """Return how fragments are combined with targets; raise ``ValueError`` with what is wrong.

    ``blend`` is a name of ``BLENDS`` or the members of ``Blend`` for all targets, or a list of these with one for each.
    """
    if samples not in POSITIONS:
        raise ValueError(f"a pixel has 1, 2, 4, 8 or 16 samples, not {samples}")
    if depth and depth not in COMPARISONS:
        hint = did_you_mean(depth, COMPARISONS) or f"there are: {', '.join(COMPARISONS)}"
        raise ValueError(f"there is no comparison `{depth}`; {hint}")
    each = blend if isinstance(blend, list) else [blend] * MOST_TARGETS
    return Merging(samples, {n: _blend(one) for n, one in enumerate(each) if one}, depth)


def _blend(given: Any) -> Blend:
    if isinstance(given, str):
        known = BLENDS.get(given)
        if known is None:
            raise ValueError(f"there is no blending `{given}` (there are: {', '.join(BLENDS)}, and factors)")
        return known
    names = ("source", "destination", "op", "alpha_source", "alpha_destination", "alpha_op", "mask")
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ValueError('a blending is a name, or factors: { "source": "one", "destination": "one" }')
    for name in given:
        if name not in names:
            raise ValueError(f"a blending has no `{name}` (it has: {', '.join(names)})")
    try:
        return Blend(**given)
    except ExecutionError as error:
        raise ValueError(error.problem) from None


class Drawing:
    """The kernels of the stages of a draw, the earlier ones first; they share the memory of their arguments."""

    def __init__(self, kernels: Sequence[Kernel], observed: Kernel | None = None) -> None:
        self.kernels, self.observed = kernels, observed
        """``observed`` is the only kernel that the observer of the backend sees; by default it sees all."""
        models = [kernel.code.reflection.entry_points[0].model for kernel in kernels]
        self.by_model = dict(zip(models, kernels, strict=True))
        share_memory(kernels)

    def knows(self, name: str) -> bool:
        """Return whether a kernel has an argument with this name."""
        return any(kernel.takes(name) for kernel in self.kernels)

    def inputs(self, attributes: Mapping[str, Any]) -> Values:
        """Return the inputs of the first stage from arrays by their semantics, a row for each vertex."""
        kernel = self.kernels[0]
        variables = kernel.code.reflection.entry_points[0].inputs
        places = {_plain(name_of(v)): v for v in variables if v.location is not None or v.builtin == "Position"}
        out = Values()
        for name, value in attributes.items():
            variable = places.get(_plain(name))
            if variable is None:
                have = ", ".join(f"`{known}`" for known in places) or "none"
                raise wrong_argument(name, f"is no input of the first stage (it has: {have})")
            number = {"i": np.int32, "u": np.uint32}.get(value.dtype.kind, np.float32)
            array = np.ascontiguousarray(value.astype(number).T)
            if variable.location is None:
                out.built_ins[BuiltIn.Position] = array
            else:
                out.slots[variable.location, variable.component or 0] = array
        return out

    def prepare(self, groups: Any = None, threads: Any = None, **arguments: Any) -> Program:
        """Check the arguments, and return the program of the last stage.  Raises ``ArgumentError``."""
        bounds, *_ = self._prepared(arguments, groups, threads)
        return bounds[-1].pipeline.program

    def _prepared(
        self, arguments: Mapping[str, Any], groups: Any, threads: Any
    ) -> tuple[list[Bound], tuple[int, int, int], list[bytes], list[Result]]:
        """Return each kernel with its resources, the groups of the first one, push constants, and results."""
        for name in arguments:
            if not self.knows(name):
                raise unknown(name, list(dict.fromkeys(n for kernel in self.kernels for n in kernel.argument_names)))
        bounds, pushes, results = [], [], []
        count = (1, 1, 1)
        for kernel in self.kernels:
            own = {name: value for name, value in arguments.items() if kernel.takes(name)}
            is_first = kernel is self.kernels[0] and (groups or threads)
            sizes = (groups or None, threads or None) if is_first else (1, None)
            bound, here, push, written = kernel.prepared((), own, *sizes)
            assert isinstance(bound, Bound)
            count = here if is_first else count
            bounds.append(bound)
            pushes.append(push)
            results += written
        return bounds, count, pushes, results

    def __call__(
        self,
        given: Draw,
        groups: Any = None,
        threads: Any = None,
        merging: Merging | None = None,
        **arguments: Any,
    ) -> dict[str, Array]:
        """Draw, and return the results by name: the targets of the pixel shader, or what the last stage passes on.

        ``groups`` or ``threads`` are those of the first stage if it is a mesh or amplification shader.  Arrays that
        shaders write are changed in place.
        """
        if given.count * given.instances > MOST_VERTICES:
            problem = f"has {given.count * given.instances} vertices, and draws have {MOST_VERTICES}"
            raise wrong_argument("vertices", problem)
        backend = self.kernels[0].backend
        assert isinstance(backend, CpuBackend)
        bounds, count, pushes, results = self._prepared(arguments, groups, threads)
        space = AddressSpace()
        stages: dict[int, Stage] = {}
        for kernel, bound, push in zip(self.kernels, bounds, pushes, strict=True):
            settings = backend.settings
            if self.observed is not None and kernel is not self.observed:
                settings = Settings(wave=settings.wave)
            stages[bound.pipeline.program.model] = Stage(bound.pipeline.program, bound.resources(push, space), settings)
        with interpreter_errors(self.kernels[-1].name):
            out = self._drawn(stages, replace(given, groups=count), merging or Merging())
        for _, copy_back in results:
            copy_back()
        return out

    def _drawn(self, stages: dict[int, Stage], given: Draw, merging: Merging) -> dict[str, Array]:
        if list(stages) == [ExecutionModel.TaskEXT]:
            with np.errstate(all="ignore"), stages[ExecutionModel.TaskEXT].resources.space.temporary():
                counts = [count for count, _ in tasks(stages[ExecutionModel.TaskEXT], given.groups)]
            return {"groups": np.array(counts, np.uint32)}
        pixel = stages.get(ExecutionModel.Fragment)
        if pixel is None:
            return self._passed_on(draw_stages(stages, given))
        targets = merging.targets(pixel.program, given.size)
        draw_stages(stages, replace(given, targets=targets, samples=merging.samples))
        colours = {location: resolved(image) for location, image in targets.colours.items()}
        return {f"SV_Target{location}": picture for location, picture in pictures_of(colours).items()}

    def _outputs(self) -> dict[Any, str]:
        """Return the names of the outputs of the last stage by their built-in, or by location and component."""
        slots, built_ins = {}, {}
        for variable in self.kernels[-1].code.reflection.entry_points[0].outputs:
            if variable.location is not None:
                slots[variable.location, variable.component or 0] = name_of(variable)
            elif variable.builtin in _SEMANTICS:
                built_ins[getattr(BuiltIn, variable.builtin)] = name_of(variable)
        return {**built_ins, **slots}

    def result_names(self) -> list[str]:
        """Return the names of the results, but for those of matrices and arrays behind their first location."""
        model = list(self.by_model)[-1]
        if model == "TaskEXT":
            return ["groups"]
        if model == "Fragment":
            outputs = self.kernels[-1].code.reflection.entry_points[0].outputs
            return [f"SV_Target{variable.location}" for variable in outputs if variable.location is not None]
        return [*self._outputs().values(), *(["indices"] if model not in _WITHOUT_PRIMITIVES else [])]

    def _passed_on(self, parts: list[Primitives]) -> dict[str, Array]:
        """Return the outputs of the last stage by name, and the vertices of primitives as ``indices``."""
        names, model = self._outputs(), list(self.by_model)[-1]
        part = joined([compacted(part) for part in parts] if model == "Geometry" else parts)
        out: dict[str, Array] = {}
        for values in (part.vertices, part.own):
            out |= {names[key]: value for key, value in values.built_ins.items() if key in names}
            out |= {names.get(key, f"location {key[0]}"): value for key, value in values.slots.items()}
        if model not in _WITHOUT_PRIMITIVES:
            out["indices"] = part.corners[:, : part.size]
        return out


def name_of(variable: StageVariable) -> str:
    """Return the semantic of an input or output; else its name."""
    own = _SEMANTICS.get(variable.builtin, variable.builtin)
    return own or variable.semantic or variable.name.removeprefix("in.var.").removeprefix("out.var.")


def _plain(name: str) -> str:
    """Return a semantic in the form that semantics are compared in: without the number 0."""
    return name.upper().removesuffix("0")


def joined(parts: list[Primitives]) -> Primitives:
    """Return the primitives of several runs of a mesh shader as those of one."""
    if len(parts) == 1:
        return parts[0]
    none = np.zeros(0, np.int64)
    if not parts:
        return Primitives(3, np.zeros((0, 3), np.int64), Values(), none, none)
    counts = [max(v.shape[-1] for v in _arrays(part.vertices)) for part in parts]
    starts = np.cumsum([0, *counts[:-1]])
    corners = np.concatenate([part.corners + start for part, start in zip(parts, starts, strict=True)])
    vertices = _concatenated([part.vertices for part in parts], counts)
    own = _concatenated([part.own for part in parts], [len(part.corners) for part in parts])
    return Primitives(parts[0].size, corners, vertices, corners[:, 0].copy(), np.arange(len(corners)), own)


def _arrays(values: Values) -> list[Array]:
    return [*values.slots.values(), *values.built_ins.values()]


def _concatenated(parts: list[Values], counts: list[int]) -> Values:
    """Return the values of several runs, whose last axes have these lengths, or 1 for the same value everywhere."""

    def whole(arrays: list[Array]) -> Array:
        wide = [np.broadcast_to(a, (*a.shape[:-1], count)) for a, count in zip(arrays, counts, strict=True)]
        return np.concatenate(wide, axis=-1)

    slots = {key: whole([part.slots[key] for part in parts]) for key in parts[0].slots}
    return Values(slots, {key: whole([part.built_ins[key] for part in parts]) for key in parts[0].built_ins})


def compacted(primitives: Primitives) -> Primitives:
    """Return primitives with the vertices that they use, in the order of their first use."""
    used = list(dict.fromkeys(primitives.corners[:, : primitives.size].reshape(-1).tolist()))
    if not used:
        return primitives
    numbers = np.zeros(max(used) + 1, np.int64)
    numbers[used] = np.arange(len(used))
    corners = numbers[primitives.corners]
    old = primitives.vertices

    def chosen(values: Mapping[Any, Any]) -> dict[Any, Any]:
        return {key: value if value.shape[-1] == 1 else value[..., used] for key, value in values.items()}

    vertices = Values(chosen(old.slots), chosen(old.built_ins))
    return replace(primitives, corners=corners, vertices=vertices, provoking=corners[:, 0].copy())


def share_memory(kernels: Sequence[Kernel]) -> None:
    """Let kernels use the same memory for parameters that they declare alike, so that one reads what another writes."""
    shared: dict[Any, tuple[bool, Any]] = {}
    for kernel in kernels:
        for parameter in kernel.parameters:
            slot = kernel.slots[parameter.name]
            key = (parameter.name, parameter.kind, parameter.declared, repr(parameter.block))
            if parameter.written or key not in shared:
                shared[key] = (parameter.written, slot)
    for kernel in kernels:
        for parameter in kernel.parameters:
            key = (parameter.name, parameter.kind, parameter.declared, repr(parameter.block))
            kernel.slots[parameter.name] = shared[key][1]
