"""The sample scenes (``shaders/scenes``) as pictures: the stages and the geometry of each."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image

from tests.execute.vulkan import Instance, Resource, Tables, Vulkan, image, scene

SIZE = 256
Compile = Callable[[str, str, str], bytes]
"""(file name, entry point, profile) → module."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A sample shader, the entry points that draw its picture, and the geometry to draw."""

    name: str
    stages: dict[str, tuple[str, str]]
    """Stage → (entry point, profile); ray tracing has ``lib`` alone, a compute shader ``cs`` alone."""
    needs: tuple[str, ...]
    vertices: int = 0
    topology: str = "triangles"
    patch: int = 0

    def render(self, vulkan: Vulkan, compiler: Compile) -> bytes:
        """Draw the scene with modules from ``compiler``; return RGBA bytes, row by row."""
        modules = {stage: compiler(self.name, *entry) for stage, entry in self.stages.items()}
        if "lib" in modules:
            return vulkan.run_tracing(modules["lib"], TABLES, _traced(), (SIZE, SIZE, 1))[0, 1]
        if "cs" in modules:
            entry = self.stages["cs"][0]
            return vulkan.run_compute(modules["cs"], _traced(), (SIZE // 8, SIZE // 8, 1), entry)[0, 1]
        stages = {stage: (spirv, self.stages[stage][0]) for stage, spirv in modules.items()}
        return vulkan.paint(stages, {}, (SIZE, SIZE), self.vertices, topology=self.topology, patch=self.patch)


SCENES = (
    Scene(
        "tessellated_patch",
        {
            "vs": ("VSMain", "vs_6_0"),
            "hs": ("HSMain", "hs_6_0"),
            "ds": ("DSMain", "ds_6_0"),
            "ps": ("PSMain", "ps_6_0"),
        },
        ("tessellationShader",),
        16,
        "patches",
        16,
    ),
    Scene(
        "geometry_strip",
        {"vs": ("VSMain", "vs_6_0"), "gs": ("GSMain", "gs_6_0"), "ps": ("PSMain", "ps_6_0")},
        ("geometryShader",),
        192,
        "lines",
    ),
    Scene(
        "mesh_scene",
        {"as": ("ASMain", "as_6_5"), "ms": ("MSMain", "ms_6_5"), "ps": ("PSMain", "ps_6_5")},
        ("meshShader", "taskShader"),
        1,
    ),
    Scene("ray_traced", {"lib": ("", "lib_6_3")}, ("rayTracingPipeline",)),
    Scene("ray_query_shadow", {"cs": ("CSMain", "cs_6_5")}, ("rayQuery",)),
)
TABLES = Tables(
    raygen=("Render",),
    miss=("MissSurface", "MissLight"),
    hit=({"closest": "HitTriangle", "any": "Holes"}, {"closest": "HitSphere", "intersection": "Sphere"}),
    callable=("Colour",),
)

Point = tuple[float, float, float]


def _traced() -> dict[tuple[int, int], Resource]:
    """Return the resources of the ray traced scene: a floor, a fence with holes, three balls, and the picture."""
    floor = Instance(_square((-6, -0.8, -6), (6, -0.8, -6), (6, -0.8, 6), (-6, -0.8, 6)), number=0)
    fence = Instance(
        _square((-1.6, -0.8, 0.9), (1.6, -0.8, 0.9), (1.6, 1, 0.9), (-1.6, 1, 0.9)), opaque=False, number=1
    )
    balls = (_ball(2, (-0.8, -0.2, 0), 0.6), _ball(3, (0.55, -0.35, -0.5), 0.45), _ball(4, (0.2, -0.5, 0.45), 0.3))
    return {(0, 0): scene(floor, fence, *balls), (0, 1): image(b"", "rgba8", (SIZE, SIZE))}


def _square(a: Point, b: Point, c: Point, d: Point) -> tuple[float, ...]:
    return (*a, *b, *c, *a, *c, *d)


def _ball(number: int, at: Point, radius: float) -> Instance:
    x, y, z = at
    transform = (radius, 0, 0, x, 0, radius, 0, y, 0, 0, radius, z)
    return Instance(boxes=(-1, -1, -1, 1, 1, 1), number=number, hit_group=1, transform=transform)


def png(picture: bytes) -> bytes:
    """Return a picture as a PNG without alpha; equal pixels give equal bytes."""
    out = io.BytesIO()
    Image.frombytes("RGBA", (SIZE, SIZE), picture).convert("RGB").save(out, "png", optimize=True)
    return out.getvalue()


def pixels(data: bytes) -> bytes:
    """Return the RGB bytes of a PNG."""
    return Image.open(io.BytesIO(data)).convert("RGB").tobytes()


def differing(a: bytes, b: bytes, *, step: int = 3) -> float:
    """Return the fraction of pixels in which a channel differs by more than ``step`` of 255."""
    first, second = (np.frombuffer(data, np.uint8).astype(int).reshape(-1, 3) for data in (a, b))
    return float((np.abs(first - second).max(axis=1) > step).mean())
