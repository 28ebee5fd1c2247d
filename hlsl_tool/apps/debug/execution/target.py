"""The shader of a launch configuration: compiled without optimisation, with its arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hlsl_tool import gpu
from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.options.checks import OptionError
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.compiler.preprocessing import warning_options
from hlsl_tool.gpu.backend import Code
from hlsl_tool.gpu.choice import backend
from hlsl_tool.gpu.cpu import CpuBackend, Pipeline
from hlsl_tool.gpu.draw_stages import hlsl_stage, place_of, stage_profile, stages_of_draw
from hlsl_tool.gpu.drawing import Drawing
from hlsl_tool.gpu.files.inputs import InputsError, read_inputs
from hlsl_tool.gpu.files.values import arguments_of, indices_of, rows, shown
from hlsl_tool.gpu.kernel import Kernel
from hlsl_tool.gpu.loading import INTERPRETED
from hlsl_tool.gpu.signature import parameters
from hlsl_tool.interpreter import Draw, Program, Settings
from hlsl_tool.interpreter.runtime.state import Observer
from hlsl_tool.interpreter.stages.interface import Values
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Type
from hlsl_tool.spirv.decode import DecodeError, decode

from ..values.scopes import name_of_place
from .launch import Launch, LaunchError
from .scenes import scene_of, tables_of

_SIZES = {"GLCompute": ("groups", "threads"), "RayGenerationKHR": ("rays",), "Fragment": ("size",)}
"""Execution model of a shader that is no stage of a draw → the sizes of which its configuration needs one."""
_OF_VERTICES = ("attributes", "indices", "instances", "topology", "patch")
"""The attributes of a configuration that are for draws of vertices."""
TILE = 8
"""The sides of the square of pixels that run around a chosen one."""
_FILES = (".npy", ".png", ".bin")


class Target:
    """A compiled shader with its arguments; each run starts with copies of them."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.options = _options(launch)
        self.source: SourceFile | None = None
        """The HLSL; ``None`` for a module."""
        try:
            self.kernel = self._kernel(launch.program, self.options.entry or "main", self.options)
            self.drawing = self._drawing()
            self.arguments = self._arguments()
            self._check_vertices()
            self.attributes, self.indices = self._attributes(), self._indices()
            device = self.device
            device.scene, device.tables = scene_of(launch), tables_of(launch, self.kernel.code.reflection)
            self.program = self._program()
            self.warnings = self._check_draw()
            """The warnings about the stages of the draw, as text."""
        except (gpu.GpuError, InputsError, OSError) as error:
            raise LaunchError(str(error)) from None
        except MemoryError:
            raise LaunchError("out of memory: run fewer threads, or give buffers a length by `elements`") from None

    @property
    def model(self) -> str:
        """The execution model of the shader."""
        return self.kernel.code.reflection.entry_points[0].model

    def _kernel(self, path: str, entry: str, options: CompileOptions) -> Kernel:
        """Return the kernel of an entry point of a shader or a module."""
        if path.endswith(".spv"):
            return _module_kernel(path, entry if options is not self.options else self.launch.entry)
        if options is self.options:
            self.source = SourceFile.from_bytes(path, path, Path(path).read_bytes())
        return gpu.load(path, entry, options=options, device="cpu", scenes=True)

    def _drawing(self) -> Drawing | None:
        """Return the draw of which the shader is a stage; ``None`` if it runs by itself."""
        launch, model = self.launch, self.model
        try:
            before = stages_of_draw(launch.stages, model, lambda name: getattr(launch, name))
        except ValueError as error:
            raise LaunchError(str(error)) from None
        if before is None:
            self._check_alone()
            return None
        kernels = []
        for stage in before:
            path, entry = place_of(launch.stages[stage], launch.program)
            path = os.path.join(launch.folder, path)
            options = replace(self.options, entry=entry, profile=stage_profile(stage, self.options.profile))
            kernels.append(self._kernel(path, entry, options))
            other = hlsl_stage(kernels[-1].code.reflection.entry_points[0].model)
            if other != stage:
                raise LaunchError(f"`stages`: `{entry}` is a {other} shader, not a {stage} shader")
        return Drawing([*kernels, self.kernel], self.kernel)

    def _check_draw(self) -> str:
        """Return the warnings about the stages of a draw; raise ``LaunchError`` or ``GpuError`` if they cannot draw."""
        if self.drawing is None:
            return ""
        diagnostics = self.drawing.diagnostics(warning_options(self.options))
        if any(diagnostic.severity in ("error", "fatal") for diagnostic in diagnostics):
            raise LaunchError(f"the stages of the draw do not fit together:\n{render(diagnostics).rstrip()}")
        self.drawing.check(self._draw(), self.launch.merging)
        return render(diagnostics)

    def _check_alone(self) -> None:
        """Raise ``LaunchError`` if the shader cannot run by itself, or if its size is missing."""
        launch, model = self.launch, self.model
        names = _SIZES.get(model)
        if names is None:
            raise LaunchError(
                "compute and ray generation shaders, and all stages of draws can be debugged; this is a"
                f" {model} shader, which others call"
            )
        if not any(getattr(launch, name) for name in names):
            raise LaunchError(f"this is a {hlsl_stage(model)} shader, which needs `{'` or `'.join(names)}`")
        if launch.of_draws:
            raise LaunchError(f"`{launch.of_draws[0]}` is for draws: `stages` names the shaders before this one")

    def _program(self) -> Program:
        """Check the arguments, and return the program of the shader."""
        if self.drawing is not None:
            return self.drawing.prepare(self.launch.groups, self.launch.threads, **self.arguments)
        pipeline = self.kernel.prepare(self._count, self.launch.threads or None, **self.arguments)
        assert isinstance(pipeline, Pipeline)
        return pipeline.program

    # ---- arguments

    def _arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for path in self.launch.inputs:
            given |= read_inputs(path)
        for name, value in self.launch.bind.items():
            text = value if isinstance(value, str) else json.dumps(value)
            given[name] = os.path.join(self.launch.folder, text) if text.endswith(_FILES) else text
        return arguments_of(self._kernels, given, self.launch.elements or self._threads(), self.launch.seed)

    @property
    def _kernels(self) -> list[Kernel]:
        """The shader, behind those that run before it."""
        return list(self.drawing.kernels) if self.drawing is not None else [self.kernel]

    def _threads(self) -> int:
        count = 1
        for side in self.launch.threads or self.launch.groups or self.launch.size or self.launch.rays:
            count *= side
        if self.launch.groups:
            for side in self.kernel.threads_per_group:
                count *= side
        return max(count, self.launch.vertices * self.launch.instances)

    def _check_vertices(self) -> None:
        """Raise ``LaunchError`` for attributes of draws of vertices if the draw begins with groups."""
        names = [name for name in self.launch.of_draws if name in _OF_VERTICES]
        if names and not self.launch.vertices:
            raise LaunchError(f"`{names[0]}` is for draws of vertices, and this one begins with groups")

    def _attributes(self) -> Values:
        """Return the inputs of the first stage, given by their semantics."""
        arrays: dict[str, Any] = {}
        for name, value in self.launch.attributes.items():
            try:
                arrays[name] = rows(value, self.launch.vertices, self.launch.folder)
            except ValueError as error:
                raise LaunchError(f"the attribute `{name}`: {error}") from None
        return self.drawing.inputs(arrays) if self.drawing is not None else Values()

    def _indices(self) -> Any:
        """Return the numbers of the vertices in the order of the primitives; ``None`` without them."""
        if self.launch.indices is None:
            return None
        try:
            return indices_of(self.launch.indices, self.launch.vertices, self.launch.folder)
        except ValueError as error:
            raise LaunchError(f"`indices`: {error}") from None

    def declared_members(self) -> dict[tuple[str, str], str]:
        """Return (struct, member) → the type in HLSL of members of blocks that have another one in memory."""
        out: dict[tuple[str, str], str] = {}
        todo: list[Type | None] = [resource.type for resource in self.kernel.code.reflection.resources]
        while todo:
            of = todo.pop()
            if of is not None:
                todo += [of.element, *(member.type for member in of.members)]
                out |= {(of.name, member.name): member.hlsl.get("type", "") for member in of.members}
        return out

    @property
    def _count(self) -> tuple[int, ...] | None:
        """The groups, the size of the picture, or the number of rays; ``None`` if threads are counted."""
        return self.launch.groups or self.launch.size or self.launch.rays or None

    @property
    def device(self) -> CpuBackend:
        """The interpreter, which kernels share."""
        device = self.kernel.backend
        assert isinstance(device, CpuBackend)
        return device

    # ---- runs

    def run(self, observer: Observer) -> None:
        """Run the shader on copies of the arguments."""
        self.results = {
            name: value.copy() if isinstance(value, np.ndarray) else value for name, value in self.arguments.items()
        }
        device = self.device
        device.scene, device.tables = scene_of(self.launch), tables_of(self.launch, self.kernel.code.reflection)
        device.settings = Settings(wave=self.launch.wave, observer=observer, limit=0, only=self._only_group())
        device.scissor = self._scissor()
        self.outputs: dict[str, Any] = {}
        """What the stage passes on, or the targets of a pixel shader."""
        try:
            if self.drawing is not None:
                self.outputs = self.drawing(
                    self._draw(), self.launch.groups, self.launch.threads, self.launch.merging, **self.results
                )
            else:
                self.kernel(groups=self._count, threads=self.launch.threads or None, **self.results)
                self.outputs = {f"SV_Target{location}": picture for location, picture in device.pictures.items()}
        finally:
            device.settings, device.scissor = Settings(), None
            device.scene = device.tables = None
            device.pictures = {}

    def _draw(self) -> Draw:
        launch = self.launch
        return Draw(
            launch.vertices,
            launch.instances,
            launch.topology,
            launch.patch,
            inputs=self.attributes,
            indices=self.indices,
            size=(launch.size[0], launch.size[1]) if launch.size else (0, 0),
            scissor=self._scissor(),
        )

    def _scissor(self) -> tuple[int, int, int, int] | None:
        """Return the pixels around the chosen one, if only they run."""
        chosen = self.launch.chosen
        if not self.launch.alone or chosen is None or chosen.word != "pixel":
            return None
        left, top = (side // TILE * TILE for side in (*chosen.place, 0)[:2])
        return left, top, left + TILE, top + TILE

    def _only_group(self) -> int | None:
        """Return the number of the group of the chosen thread, if only it runs."""
        chosen = self.launch.chosen
        if not self.launch.alone or chosen is None or chosen.word != "thread":
            return None
        place = (*chosen.place, 0, 0)[:3]
        sizes = self.program.workgroup_size
        x, y, z = (side // size for side, size in zip(place, sizes, strict=True))
        counts = [*self.launch.groups, 1, 1] if self.launch.groups else [*self.launch.threads, 1, 1]
        if self.launch.threads:
            counts = [-(-count // size) for count, size in zip(counts, sizes, strict=False)]
        return x + counts[0] * (y + counts[1] * z)

    def shown_results(self) -> Iterator[str]:
        """Yield the results of the last run as text."""
        written = {p.name: self.results.get(p.name) for kernel in self._kernels for p in kernel.parameters if p.written}
        written |= self.outputs if self._scissor() is None else {}
        for name, value in written.items():
            text = shown(value)
            if text:
                yield f"{name}: {text}\n"


def _module_kernel(name: str, wanted: str) -> Kernel:
    """Return the kernel of a module of any compiler; its parameters have the names of its variables."""
    data = Path(name).read_bytes()
    try:
        module = decode(data)
        points = [point.text(2) for point in module.entry_points]
        entry = wanted or (points[0] if points else "main")
        if entry not in points:
            have = ", ".join(f"`{point}`" for point in points) or "none"
            raise LaunchError(f"`{name}` has no entry point `{entry}` (it has: {have})")
        reflection = reflect(module)
    except (DecodeError, ReflectError) as error:
        raise LaunchError(f"`{name}` is no module of SPIR-V: {error}") from None
    reflection.entry_points.sort(key=lambda point: point.name != entry)
    reflection.resources = [r for r in reflection.resources if r.kind != "acceleration_structure"]
    for resource in reflection.resources:  # compilers may leave out the names
        resource.name = resource.name or name_of_place(resource.set, resource.binding)
    interface = InterfaceRecord()
    code = Code(name, entry, data, reflection)
    return Kernel(code, parameters(name, reflection, interface), interface, backend("cpu"))


def _options(launch: Launch) -> CompileOptions:
    """Return the options of the compiler; without `-O` among them, nothing is optimised."""
    words = [*launch.arguments, *(["-E", launch.entry] if launch.entry else [])]
    is_module = launch.program.endswith(".spv")
    profile = launch.profile or ("lib_6_3" if is_module else "")  # modules are not compiled
    if profile:
        words += ["-T", profile]
    elif not any(word.startswith(("-T", "/T")) for word in words):
        raise LaunchError("`profile` is missing, such as cs_6_6")
    try:
        options = parse([*words, launch.program], is_file=os.path.isfile).options
    except OptionError as error:
        raise LaunchError(f"`arguments`: {error}") from None
    given: dict[str, Any] = {"entry": options.entry or "main", "debug": (*options.debug, "vulkan")}
    if options.extensions:
        given["extensions"] = (*options.extensions, "SPV_KHR_non_semantic_info")  # which debug information needs
    if not any("fspv-target-env" in word for word in launch.arguments):
        given["target_env"] = INTERPRETED
    if not any(word.startswith("-O") for word in launch.arguments):
        given["optimize"] = "none"
    return replace(options, **given)
