"""Run the modules of one shader with the same data and compare everything that they write."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv.decode import decode
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import View
from tests.execute.made_up import Unknown, differing
from tests.execute.pairs import Slot, slots, vertex_shader, vertices
from tests.execute.readable import without_rich_debug
from tests.execute.vulkan import Picture, Place, Resource, Unavailable, Vulkan, VulkanError, storage

from .inputs import push_constants, resources

GROUPS = (3, 1, 1)
"""One row: most shaders of one dimension read the first component only, and more rows would race."""
SIZE = (32, 32)
VERTICES = 48
SEEDS = (1, 2)
TIMEOUT = 30.0
"""Limit in seconds of one run: made-up numbers may make a loop endless."""
REPETITIONS = 4
"""Runs of the first module after a difference, to find races."""
M = e.ExecutionModel


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a comparison: ``kind`` is one of `KINDS`."""

    kind: str
    detail: str = ""


KINDS = {
    "equal": "all modules write the same",
    "close": "floats differ by rounding",
    "different": "something else differs",
    "unstable": "a module differs from itself: invocations race",
    "cannot run": "the stage, a resource or the driver does not allow it",
}


class Execution:
    """Runs modules on one device."""

    def __init__(self, vulkan: Vulkan) -> None:
        self.vulkan = vulkan

    def compare(self, modules: Mapping[str, bytes]) -> Verdict:
        """Run each module, by the options it was compiled with, and compare the results with those of the first."""
        readable = {form: without_rich_debug(module) for form, module in modules.items()}
        distinct: dict[bytes, str] = {}
        for form, module in readable.items():
            distinct.setdefault(module, form)
        if len(distinct) == 1:
            return Verdict("equal", "the same module")
        try:
            return self._compared({form: module for module, form in distinct.items()})
        except (Unknown, Unsupported, Unavailable, VulkanError) as reason:
            return Verdict("cannot run", str(reason))

    def _compared(self, modules: dict[str, bytes]) -> Verdict:
        views = [View(decode(module)) for module in modules.values()]
        worst = Verdict("equal")
        first, *others = modules
        for seed in SEEDS:
            expected = self._run(modules[first], views, seed)
            for form in others:
                verdict = _difference(expected, self._run(modules[form], views, seed))
                if verdict.kind == "different":
                    again = [_difference(expected, self._run(modules[first], views, seed)) for _ in range(REPETITIONS)]
                    if any(each.kind != "equal" for each in again):
                        return Verdict("unstable")
                    return replace(verdict, detail=f"{first} and {form}, seed {seed}: {verdict.detail}")
                worst = verdict if verdict.kind != "equal" else worst
        return worst

    def _run(self, module: bytes, views: list[View], seed: int) -> dict[object, bytes]:
        """Run one module; a watchdog ends the device process after a time limit."""
        watchdog = threading.Timer(TIMEOUT, self._stop)
        watchdog.start()
        try:
            return self._outputs(module, views, seed)
        finally:
            watchdog.cancel()

    def _stop(self) -> None:
        process = self.vulkan.process
        if process is not None:
            process.kill()

    def _outputs(self, module: bytes, views: list[View], seed: int) -> dict[object, bytes]:
        entries = list(views[0].entry_points())
        if len(entries) != 1:
            raise Unknown("a library")
        _, model, _ = entries[0]
        entry = next(iter(View(decode(module)).entry_points()))[2]
        inputs, push = resources(views, seed), push_constants(views, seed)
        if model == M.GLCompute:
            return dict(self.vulkan.run_compute(module, inputs, GROUPS, entry, push))
        if model == M.Fragment:
            return self._pixels(module, entry, views[0], inputs, push)
        if model == M.Vertex:
            return self._vertices(module, entry, views, inputs, push)
        raise Unknown(f"the execution model {model}")

    def _pixels(
        self, module: bytes, entry: str, view: View, inputs: dict[Place, Resource], push: bytes
    ) -> dict[object, bytes]:
        """Run a pixel shader: draw a triangle that covers the picture, whose outputs are ramps."""
        targets = {slot.location: f"rgba32{slot.scalar[0]}" for slot in slots(view, e.StorageClass.Output)}
        stages = {
            "vs": (_compiled(vertex_shader(slots(view, e.StorageClass.Input)), "vs_6_0"), "main"),
            "ps": (module, entry),
        }
        outputs = self.vulkan.paint_targets(stages, inputs, Picture(SIZE, targets, 3, push=push, depth=True))
        if not targets:
            outputs.pop(("picture", 0), None)
        return dict(outputs)

    def _vertices(
        self, module: bytes, entry: str, views: list[View], inputs: dict[Place, Resource], push: bytes
    ) -> dict[object, bytes]:
        """Run a vertex shader, with a geometry shader that writes its outputs to a buffer."""
        view = views[0]
        outputs = slots(view, e.StorageClass.Output)
        attributes = {slot.location: slot for each in views for slot in slots(each, e.StorageClass.Input)}
        ordered = [attributes[location] for location in sorted(attributes)]
        place = max((place[0] for place in inputs), default=-1) + 1, 0
        words = VERTICES * 4 * (len(outputs) + 1)
        stages = {"vs": (module, entry), "gs": (_compiled(geometry_shader(outputs, place[0]), "gs_6_0"), "main")}
        picture = Picture(
            SIZE, {}, VERTICES, vertices(ordered, VERTICES), tuple((s.location, s.format) for s in ordered), push
        )
        written = dict(self.vulkan.paint_targets(stages, {**inputs, place: storage(4 * words)}, picture))
        written.pop(("picture", 0), None)
        return written


def geometry_shader(outputs: list[Slot], descriptor_set: int) -> str:
    """Return a geometry shader that writes the position and the other outputs of each vertex to a buffer."""
    members = " ".join(slot.declaration() for slot in outputs)
    rows = len(outputs) + 1
    lines = ["    result[at] = asuint(v[k].position);"]
    for row, slot in enumerate(outputs, 1):
        parts = [f"asuint(v[k].v{slot.location}[{n}])" if n < slot.count else "0" for n in range(4)]
        lines.append(f"    result[at + {row}] = uint4({', '.join(parts)});")
    return (
        f"struct In {{ {members} float4 position : SV_Position; }};\n"
        "struct Out { float4 position : SV_Position; };\n"
        f"[[vk::binding(0, {descriptor_set})]] RWStructuredBuffer<uint4> result;\n"
        "[maxvertexcount(1)] void main(triangle In v[3], uint id : SV_PrimitiveID, inout PointStream<Out> stream) {\n"
        f"  for (uint k = 0; k < 3; k++) {{\n    uint at = (id * 3 + k) * {rows};\n" + "\n".join(lines) + "\n  }\n}\n"
    )


def _compiled(source: str, profile: str) -> bytes:
    options = CompileOptions(target_env="vulkan1.1")
    result = compile_shader(source, entry="main", profile=profile, options=options)
    if not result.ok:
        raise Unknown(f"the other stage: {result.diagnostics[0].message}")
    return result.spirv


def _difference(expected: Mapping[object, bytes], got: Mapping[object, bytes]) -> Verdict:
    """Compare the resources that two modules wrote; one that only one module uses must be unchanged."""
    kind, detail = "equal", ""
    for key, data in expected.items():
        other = got.get(key, b"")
        if data == other:
            continue
        count = sum(differing(data, other)) if len(data) == len(other) and len(data) % 4 == 0 else 1
        if count:
            return Verdict("different", f"{count} words of {key}")
        kind, detail = "close", f"words of {key}"
    return Verdict(kind, detail)
