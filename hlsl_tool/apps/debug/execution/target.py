"""The shader of a launch configuration: compiled without optimisation, with its arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hlsl_tool import gpu
from hlsl_tool.base.options.checks import OptionError
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.gpu.backend import Code
from hlsl_tool.gpu.choice import backend
from hlsl_tool.gpu.cpu import CpuBackend, Pipeline
from hlsl_tool.gpu.files.inputs import InputsError, read_inputs
from hlsl_tool.gpu.files.values import argument, missing, shown
from hlsl_tool.gpu.kernel import Kernel
from hlsl_tool.gpu.loading import INTERPRETED
from hlsl_tool.gpu.signature import parameters
from hlsl_tool.interpreter import Settings
from hlsl_tool.interpreter.runtime.state import Observer
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Type
from hlsl_tool.spirv.decode import DecodeError, decode

from ..values.scopes import name_of_place
from .launch import Launch, LaunchError
from .scenes import scene_of, tables_of

_STAGES = {
    "GLCompute": ("groups", "threads"),
    "Fragment": ("size",),
    "Vertex": ("vertices",),
    "RayGenerationKHR": ("rays",),
    "TaskEXT": ("groups", "threads"),
    "MeshEXT": ("groups", "threads"),
}
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
            self.kernel = self._kernel()
            self.arguments = self._arguments()
            self.attributes = self._attributes()
            device = self.device
            device.scene, device.tables = scene_of(launch), tables_of(launch, self.kernel.code.reflection)
            pipeline = self.kernel.prepare(self._count, launch.threads or None, **self.arguments)
        except (gpu.GpuError, InputsError, OSError) as error:
            raise LaunchError(str(error)) from None
        except MemoryError:
            raise LaunchError("out of memory: run fewer threads, or give buffers a length by `elements`") from None
        assert isinstance(pipeline, Pipeline)
        self.program = pipeline.program

    def _kernel(self) -> Kernel:
        path = self.launch.program
        if path.endswith(".spv"):
            kernel = self._module_kernel(Path(path).read_bytes())
        else:
            self.source = SourceFile.from_bytes(path, path, Path(path).read_bytes())
            kernel = gpu.load(path, self.options.entry or "main", options=self.options, device="cpu", scenes=True)
        model = kernel.code.reflection.entry_points[0].model
        names = _STAGES.get(model)
        if names is None:
            raise LaunchError(
                "compute, pixel, vertex, task, mesh and ray generation shaders can be debugged, and this is a"
                f" {model} shader"
            )
        if not any(getattr(self.launch, name) for name in names):
            raise LaunchError(f"this is a {model} shader, which needs `{'` or `'.join(names)}`")
        return kernel

    def _module_kernel(self, data: bytes) -> Kernel:
        """Return the kernel of a module of any compiler; its parameters have the names of its variables."""
        name = self.launch.program
        try:
            module = decode(data)
            points = [point.text(2) for point in module.entry_points]
            entry = self.launch.entry or (points[0] if points else "main")
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

    # ---- arguments

    def _arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for path in self.launch.inputs:
            given |= read_inputs(path)
        for name, value in self.launch.bind.items():
            text = value if isinstance(value, str) else json.dumps(value)
            given[name] = os.path.join(self.launch.folder, text) if text.endswith(_FILES) else text
        out = {
            name: argument(self.kernel, name, value) if isinstance(value, str) else value
            for name, value in given.items()
        }
        elements = self.launch.elements or self._threads()
        out.update(missing(self.kernel, out, elements, self.launch.seed))
        return out

    def _threads(self) -> int:
        count = self.launch.vertices or 1
        for side in self.launch.threads or self.launch.groups or self.launch.size or self.launch.rays:
            count *= side
        if self.launch.groups:
            for side in self.kernel.threads_per_group:
                count *= side
        return count

    def _attributes(self) -> dict[int, Any]:
        """Return location → attribute, given by the semantics of the inputs."""
        inputs = self.kernel.code.reflection.entry_points[0].inputs
        places = {_semantic(variable.name): variable.location for variable in inputs if variable.location is not None}
        out: dict[int, Any] = {}
        for name, value in self.launch.attributes.items():
            location = places.get(_semantic(name))
            if location is None:
                have = ", ".join(f"`{known}`" for known in places) or "none"
                raise LaunchError(f"the shader has no input `{name}` (it has: {have})")
            if isinstance(value, str):
                array = np.load(os.path.join(self.launch.folder, value), allow_pickle=False)
            else:
                array = np.array(value)
            if array.dtype.kind not in "iuf" or array.ndim > 2 or array.shape[:1] != (self.launch.vertices,):
                raise LaunchError(f"the attribute `{name}` has a row of numbers for each vertex")
            number = {"i": np.int32, "u": np.uint32, "f": np.float32}[array.dtype.kind]
            out[location] = np.ascontiguousarray(array.astype(number).T)
        return out

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
        """The groups, the size of the picture, or the number of vertices; ``None`` if threads are counted."""
        launch = self.launch
        return launch.groups or launch.size or launch.rays or ((launch.vertices,) if launch.vertices else None)

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
        device.attributes, device.scissor = self.attributes, self._scissor()
        try:
            self.kernel(groups=self._count, threads=self.launch.threads or None, **self.results)
        finally:
            device.settings, device.attributes, device.scissor = Settings(), {}, None
            device.scene = device.tables = None

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
        device = self.device
        written = {p.name: self.results.get(p.name) for p in self.kernel.parameters if p.written}
        model = self.kernel.code.reflection.entry_points[0].model
        if model == "Fragment" and self._scissor() is None:
            written |= {f"SV_Target{location}": picture for location, picture in device.pictures.items()}
        elif model in ("Vertex", "TaskEXT", "MeshEXT"):
            written |= device.vertices
        for name, value in written.items():
            text = shown(value)
            if text:
                yield f"{name}: {text}\n"


def _semantic(name: str) -> str:
    """Return a semantic in the form that semantics are compared in: without the number 0."""
    return name.removeprefix("in.var.").upper().removesuffix("0")


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
