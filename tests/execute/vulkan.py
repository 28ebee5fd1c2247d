"""Run shaders in the process that owns the Vulkan device (`server.py`): the tests' end of the connection."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.execute.messages import receive, send
from tests.execute.readable import without_rich_debug
from tests.patience import PATIENCE

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "server.py")

Place = tuple[int, int] | tuple[int, int, int]
"""(descriptor set, binding), and the element where that binding has an array"""


class VulkanError(Exception):
    """Raised if the driver refused a shader, or crashed on it."""


class NoDevice(Exception):
    """Raised if there is no device to run on; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The resource at one binding: ``kind`` is one of `device.DESCRIPTORS`, ``format`` a name of `format_of`."""

    kind: str
    data: bytes = b""
    format: str = ""
    size: tuple[int, int, int] = (1, 1, 1)
    view: str = "2d"
    levels: int = 1
    layers: int = 1
    filter: str = "nearest"
    address: str = "clamp"
    compare: str = ""
    points_to: tuple[Place, ...] = ()
    instances: tuple[Instance, ...] = ()


IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance in a scene: triangles (nine numbers each) or boxes (six: the lowest and the highest corner)."""

    triangles: tuple[float, ...] = ()
    boxes: tuple[float, ...] = ()
    opaque: bool = True
    number: int = 0
    """The value of ``InstanceID``."""
    mask: int = 0xFF
    hit_group: int = 0
    transform: tuple[float, ...] = IDENTITY
    """Three rows of four."""


def storage(data: bytes | int) -> Resource:
    """Return a storage buffer with these bytes, or with this many zero bytes."""
    return Resource("storage", bytes(data))


def addresses(*places: Place) -> Resource:
    """Return a storage buffer that contains the 64-bit addresses of other buffers."""
    return Resource("storage", bytes(8 * len(places)), points_to=places)


def uniform(data: bytes) -> Resource:
    return Resource("uniform", data)


def texels(data: bytes, form: str, *, writable: bool = False) -> Resource:
    return Resource("rw_texels" if writable else "texels", data, form)


def texture(
    data: bytes, form: str, size: tuple[int, ...], view: str = "2d", *, levels: int = 1, layers: int = 1
) -> Resource:
    width, height, depth = (*size, 1, 1)[:3]
    return Resource("texture", data, form, (width, height, depth), view, levels, 6 if view == "cube" else layers)


def image(data: bytes, form: str, size: tuple[int, ...], view: str = "2d", *, layers: int = 1) -> Resource:
    width, height, depth = (*size, 1, 1)[:3]
    return Resource("image", data, form, (width, height, depth), view, 1, layers)


def sampler(filtering: str = "nearest", address: str = "clamp", *, compare: str = "") -> Resource:
    return Resource("sampler", filter=filtering, address=address, compare=compare)


def scene(*instances: Instance) -> Resource:
    """Return the resource for an acceleration structure that contains these instances."""
    return Resource("scene", instances=instances)


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the entry points in the shader binding tables.

    A hit group maps ``closest``, ``any`` and ``intersection`` to the names of its entry points.
    """

    raygen: tuple[str, ...]
    miss: tuple[str, ...] = ()
    hit: tuple[Mapping[str, str], ...] = ()
    callable: tuple[str, ...] = ()


BLEND = {
    "source": "one", "destination": "zero", "op": "add", "alpha_source": "", "alpha_destination": "", "alpha_op": "",
    "mask": "rgba",
}  # fmt: skip
"""The members of the interpreter's ``Blend`` with their defaults."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The state of a draw besides shaders and resources; y points up, as in WebGPU, and later primitives are on top."""

    size: tuple[int, int]
    targets: Mapping[int, str]
    """Location → format."""
    count: int
    vertices: bytes = b""
    attributes: tuple[tuple[int, str], ...] = ()
    """(location, format), each 16 bytes of a vertex."""
    push: bytes = b""
    depth: bool = False
    """Whether the depths are returned, too: ``("picture", "depth")``."""

    samples: int = 1
    """The number of samples of a pixel; the targets are resolved."""
    blends: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """Location → the members of the interpreter's ``Blend``."""
    constant: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    topology: str = "triangles"

    def request(self) -> dict[str, Any]:
        return {
            "samples": self.samples,
            "blends": {location: {**BLEND, **blend} for location, blend in self.blends.items()},
            "constant": self.constant,
            "picture": self.size,
            "targets": dict(self.targets),
            "count": self.count,
            "vertices": self.vertices,
            "attributes": self.attributes,
            "push": self.push,
            "depth": self.depth,
            "upwards": True,
        }


class Unavailable(Exception):
    """Raised if the device lacks what a request needs."""


class Vulkan:
    """The device process, which is restarted after a crash."""

    program = _PROGRAM
    packages = "vulkan and cffi"

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.name = ""
        self.driver = ""
        """The driver's version, as the driver reports it."""
        self.features: frozenset[str] = frozenset()
        self._start()

    def _start(self) -> None:
        # -P: this folder has a module of the same name as the binding
        self.process = subprocess.Popen(
            [sys.executable, "-P", self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        hello = self._receive()
        if hello is None:
            self.close()
            raise NoDevice(f"the device's process ended at its start: are the packages {self.packages} installed?")
        if "error" in hello:
            self.close()
            raise NoDevice(hello["error"])
        self.name, self.driver, self.features = hello["name"], hello["driver"], frozenset(hello["features"])

    def _receive(self) -> Any:
        assert self.process is not None
        assert self.process.stdout is not None
        return receive(self.process.stdout)  # type: ignore[arg-type]  # a pipe is buffered

    def run_compute(
        self,
        spirv: bytes,
        resources: Mapping[Place, Resource],
        groups: tuple[int, int, int] = (1, 1, 1),
        entry: str = "main",
        push: bytes = b"",
    ) -> dict[Place, bytes]:
        """Run a compute shader once; return the contents of every buffer and image that it may write."""
        return self._run(
            resources, {"spirv": without_rich_debug(spirv), "entry": entry, "groups": groups, "push": push}
        )

    def create(self, stages: Mapping[str, tuple[bytes, str]], layout: Mapping[str, Any]) -> None:
        """Create a pipeline and destroy it; ``stages`` maps stages to (module, entry point), see ``creation.py``.

        Raises ``VulkanError`` with the driver's answer if it refuses.
        """
        self._run({}, {"create": dict(stages), "entry": "", **layout})

    def run_heaps(
        self,
        spirv: bytes,
        resources: Mapping[Place, Resource],
        *,
        strides: tuple[int, int] = (0, 0),
        mapped: Mapping[Place, int] | None = None,
    ) -> dict[Place, bytes]:
        """Run a compute shader with all resources in descriptor heaps: (0, index) is a resource, (1, index) a sampler.

        ``strides`` are those of both heaps, by default the device's; ``mapped`` maps (set, binding) to an index.
        """
        request = {"spirv": spirv, "entry": "main", "groups": (1, 1, 1), "heaps": strides, "mapped": dict(mapped or {})}
        return self._run(resources, request)

    def run_graphics(
        self,
        stages: Mapping[str, bytes],
        resources: Mapping[Place, Resource],
        size: tuple[int, int],
        count: int,
        *,
        topology: str = "triangles",
        patch: int = 0,
    ) -> dict[Place, bytes]:
        """Draw ``count`` vertices (or mesh tasks) into an area without attachments; return the buffers' contents."""
        modules = {stage: without_rich_debug(spirv) for stage, spirv in stages.items()}
        request = {"stages": modules, "entry": "main", "size": size, "count": count, "topology": topology}
        return self._run(resources, {**request, "patch": patch})

    def paint(
        self,
        stages: Mapping[str, tuple[bytes, str]],
        resources: Mapping[Place, Resource],
        size: tuple[int, int],
        count: int,
        *,
        topology: str = "triangles",
        patch: int = 0,
    ) -> bytes:
        """Draw into a picture and return its RGBA bytes, row by row.

        ``stages`` maps stages to (module, entry point).
        """
        request = {"stages": dict(stages), "picture": size, "count": count, "topology": topology, "patch": patch}
        return self._run(resources, request)["picture", 0]  # type: ignore[index]  # beside what the shader may write

    def paint_targets(
        self, stages: Mapping[str, tuple[bytes, str]], resources: Mapping[Place, Resource], picture: Picture
    ) -> dict[Any, bytes]:
        """Draw as `paint` does, with vertex data, into several targets.

        The result also has the targets, as ``("picture", 0)`` and so on.
        """
        request = {"stages": dict(stages), "picture": picture.size, "topology": picture.topology, "patch": 0}
        return self._run(resources, {**request, **picture.request()})

    def run_tracing(
        self, library: bytes, tables: Tables, resources: Mapping[Place, Resource], size: tuple[int, int, int]
    ) -> dict[Place, bytes]:
        """Trace ``size`` rays; return the contents of every resource that shaders may write."""
        request = {"spirv": library, "groups": size}
        return self._run(resources, {**request, "tables": asdict(tables)})

    def _run(self, resources: Mapping[Place, Resource], request: dict[str, Any]) -> dict[Place, bytes]:
        if self.process is None:
            self._start()
        assert self.process is not None
        assert self.process.stdin is not None
        wire = {place: asdict(resource) for place, resource in resources.items()}
        with suppress(BrokenPipeError):
            send(self.process.stdin, {**request, "resources": wire})  # type: ignore[arg-type]
        answer = self._receive()
        if answer is None:
            raise VulkanError(f"the driver crashed (exit status {self.close()})")
        if "lacks" in answer:
            raise Unavailable(answer["lacks"])
        if "error" in answer:
            raise VulkanError(answer["error"])
        outputs: dict[Place, bytes] = answer["outputs"]
        return outputs

    def close(self) -> int:
        """End the process and return its exit status."""
        process, self.process = self.process, None
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


class WebGpu(Vulkan):
    """A WebGPU device in a separate process."""

    program = os.path.join(os.path.dirname(_PROGRAM), "webgpu_server.py")
    packages = "wgpu"

    def run_wgsl(
        self,
        wgsl: str,
        resources: Mapping[Place, Resource],
        groups: tuple[int, int, int] = (1, 1, 1),
        entry: str = "main",
    ) -> dict[Place, bytes]:
        """Run a WGSL compute shader, as `run_compute` does."""
        return self._run(resources, {"wgsl": wgsl, "entry": entry, "groups": groups})

    def paint_wgsl(
        self, stages: Mapping[str, tuple[str, str]], resources: Mapping[Place, Resource], picture: Picture
    ) -> dict[Any, bytes]:
        """Draw with WGSL shaders, as `paint_targets` does."""
        return self._run(resources, {"stages": dict(stages), **picture.request()})
