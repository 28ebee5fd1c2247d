"""Draws on the interpreter: kernels of several stages, from the first one to the one of interest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics import Diagnostic, WarningOptions
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
from .draw_stages import SEMANTICS, hlsl_stage, interface_diagnostics
from .encodings import attribute_parts, vectors_of
from .errors import wrong_argument
from .kernel import Kernel, Result, unknown

MOST_VERTICES = 1 << 24
"""The number of vertices of all instances that a draw has at most."""
MOST_IN_PATCH = 32
"""The number of vertices of a patch."""
MOST_TARGETS = 8
"""The number of targets of a pixel shader."""
_WITHOUT_PRIMITIVES = ("Vertex", "TessellationControl")
"""The stages whose results are no primitives."""
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


def merging_of(samples: int, blend: Any, depth: str, option: str = "`{}`") -> Merging:
    """Return how fragments are combined with targets; raise ``ValueError`` with what is wrong.

    ``blend`` is a name of ``BLENDS`` or the members of ``Blend`` for all targets, or a list of these with one for each.
    ``option`` is the form of the parameters' names in messages.
    """
    if samples not in POSITIONS:
        raise ValueError(f"{option.format('samples')}: a pixel has 1, 2, 4, 8 or 16 samples, not {samples}")
    if depth and depth not in COMPARISONS:
        hint = did_you_mean(depth, COMPARISONS) or f"there are: {', '.join(COMPARISONS)}"
        raise ValueError(f"{option.format('depth')}: there is no comparison `{depth}`; {hint}")
    each = blend if isinstance(blend, list) else [blend] * MOST_TARGETS
    try:
        if len(each) > MOST_TARGETS:
            raise ValueError(f"{len(each)} blendings, and a pixel shader has {MOST_TARGETS} targets at most")
        return Merging(samples, {n: _blend(one) for n, one in enumerate(each) if one}, depth)
    except ValueError as error:
        raise ValueError(f"{option.format('blend')}: {error}") from None


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
        point = kernel.code.reflection.entry_points[0]
        places = {_plain(name_of(v)): v for v in point.inputs if v.location is not None or v.builtin == "Position"}
        out = Values()
        for name, value in attributes.items():
            variable = places.get(_plain(name))
            if variable is None:
                have = ", ".join(f"`{known}`" for known in places) or "none"
                raise wrong_argument(name, f"is no input of the first stage (it has: {have})")
            is_of_vertices = point.model != "Vertex" and "patch" not in variable.decorations
            try:
                parts = attribute_parts(variable.type, value, is_of_vertices=is_of_vertices)
            except ValueError as error:
                raise wrong_argument(name, str(error)) from None
            if variable.location is None:
                out.built_ins[BuiltIn.Position] = parts[0]
            else:
                out.slots |= {(variable.location + n, variable.component or 0): part for n, part in parts.items()}
        return out

    def diagnostics(self, warnings: WarningOptions) -> list[Diagnostic]:
        """Return the problems between the inputs and outputs of the stages."""
        return interface_diagnostics([kernel.code for kernel in self.kernels], warnings)

    def check(self, given: Draw, merging: Merging | None = None) -> None:
        """Raise ``ArgumentError`` if the stages cannot draw this."""
        if given.count * given.instances > MOST_VERTICES:
            problem = f"has {given.count * given.instances} vertices, and draws have {MOST_VERTICES}"
            raise wrong_argument("vertices", problem)
        of_vertices = {
            "attributes": given.inputs.slots or given.inputs.built_ins,
            "indices": given.indices is not None,
            "instances": given.instances > 1,
            "topology": given.topology,
            "patch": given.patch,
        }
        for name, is_given in of_vertices.items():
            if is_given and not {"TaskEXT", "MeshEXT"}.isdisjoint(self.by_model):
                raise wrong_argument(name, "is for draws of vertices, and this one has a mesh or amplification shader")
        has_patches = "TessellationControl" in self.by_model
        if given.topology and has_patches:
            raise wrong_argument("topology", "is for draws without a hull shader, which reads patches")
        if given.patch and not has_patches and list(self.by_model) != ["Vertex"]:
            raise wrong_argument("patch", "is for draws with a hull shader")
        if given.patch > MOST_IN_PATCH:
            raise wrong_argument("patch", f"is {given.patch}, and a patch has 1 to {MOST_IN_PATCH} vertices")
        self._check_targets(merging or Merging())

    def _check_targets(self, merging: Merging) -> None:
        """Raise ``ArgumentError`` if the stages do not write what is drawn, or what is blended."""
        pixel = self.by_model.get("Fragment")
        if pixel is None:
            return
        model, before = list(self.by_model.items())[-2]
        if all(v.builtin != "Position" for v in before.code.reflection.entry_points[0].outputs):
            raise wrong_argument(before.entry, f"is a {hlsl_stage(model)} shader that does not write SV_Position")
        if all(not v.index for v in pixel.code.reflection.entry_points[0].outputs) and any(
            "src1" in factor for blend in merging.blends.values() for factor in blend.factors
        ):
            raise wrong_argument(
                "blend", "has a second source, and the pixel shader has no output of `[[vk::index(1)]]`"
            )

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
        self.check(given, merging)
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
            vertices = given.count if given.indices is None else len(given.indices)
            return self._passed_on(draw_stages(stages, given), vertices * given.instances)
        targets = merging.targets(pixel.program, given.size)
        draw_stages(stages, replace(given, targets=targets, samples=merging.samples))
        colours = {location: resolved(image) for location, image in targets.colours.items()}
        return {f"SV_Target{location}": picture for location, picture in pictures_of(colours).items()}

    def result_names(self) -> list[str]:
        """Return the names of the results, built-ins first."""
        model = list(self.by_model)[-1]
        if model == "TaskEXT":
            return ["groups"]
        if model == "Fragment":
            return [f"SV_Target{variable.location}" for variable in self._outputs if variable.location is not None]
        return [*map(name_of, self._outputs), *(["indices"] if model not in _WITHOUT_PRIMITIVES else [])]

    @property
    def _outputs(self) -> list[StageVariable]:
        """The outputs of the last stage that have a name in HLSL, built-ins first."""
        outputs = self.kernels[-1].code.reflection.entry_points[0].outputs
        named = (variable for variable in outputs if variable.location is not None or variable.builtin in SEMANTICS)
        return sorted(named, key=lambda variable: variable.location is not None)

    def _passed_on(self, parts: list[Primitives], count: int) -> dict[str, Array]:
        """Return the outputs of the last stage by name, and the vertices of primitives as ``indices``.

        ``count`` is the number of vertices of the draw.
        """
        model = list(self.by_model)[-1]
        part = joined([compacted(part) for part in parts] if model == "Geometry" else parts)
        out: dict[str, Array] = {}
        for values, least in ((part.vertices, count if model == "Vertex" else 1), (part.own, len(part.corners))):
            out |= self._named(values, least)
        if model not in _WITHOUT_PRIMITIVES:
            out["indices"] = part.corners[:, : part.size]
        return out

    def _named(self, values: Values, least: int) -> dict[str, Array]:
        """Return outputs of the last stage by name, with a column for each vertex or primitive, ``least`` at least.

        Matrices and arrays have their vectors as the first axis.
        """
        model = list(self.by_model)[-1]
        count = max([least, *(value.shape[-1] for value in _arrays(values))])
        out = {}
        for variable in self._outputs:
            if variable.location is not None:
                is_patch = "patch" in variable.decorations
                is_array = model == "MeshEXT" or (model == "TessellationControl" and not is_patch)
                value = vectors_of(variable, values.slots, is_of_vertices=is_array)
            else:
                value = values.built_ins.get(getattr(BuiltIn, variable.builtin))
            if value is not None:
                out[name_of(variable)] = np.broadcast_to(value, (*value.shape[:-1], count)).copy()
        return out


def name_of(variable: StageVariable) -> str:
    """Return the semantic of an input or output; else its name."""
    own = SEMANTICS.get(variable.builtin, variable.builtin)
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
