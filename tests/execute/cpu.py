"""Run shaders on the interpreter: a device for the tests that needs no driver (HLSL_TOOL_DEVICE=cpu)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import (
    FORMATS,
    Attribute,
    Blend,
    Buffer,
    Draw,
    Geometry,
    HitGroup,
    Image,
    Instance,
    InterpreterError,
    NotInterpretedError,
    Program,
    Resources,
    Sampler,
    Scene,
    ShaderTables,
    Targets,
    Viewport,
    dispatch,
    draw,
    resolved,
    texel_buffer,
    trace_rays,
    tracing_program,
)
from hlsl_tool.spirv.decode import DecodeError
from hlsl_tool.spirv.enums import ExecutionModel
from tests.execute.vulkan import Place, Resource, Vulkan, VulkanError

FEATURES = frozenset((
    "VK_KHR_maintenance8", "VK_KHR_shader_maximal_reconvergence", "bufferDeviceAddress",
    "computeDerivativeGroupLinear", "computeDerivativeGroupQuads", "cooperativeMatrix",
    "cooperativeMatrixConversions", "cooperativeMatrixWorkgroupScope", "descriptorHeap",
    "fragmentStoresAndAtomics", "geometryShader", "meshShader", "rayQuery", "rayTracingPipeline",
    "rayTracingPositionFetch",
    "rayTraversalPrimitiveCulling", "runtimeDescriptorArray", "scalarBlockLayout", "shaderBufferFloat16AtomicAdd",
    "shaderBufferFloat16AtomicMinMax", "shaderBufferFloat16Atomics", "shaderBufferFloat32AtomicAdd",
    "shaderBufferFloat32AtomicMinMax", "shaderBufferFloat32Atomics", "shaderBufferFloat64AtomicAdd",
    "shaderBufferFloat64AtomicMinMax", "shaderBufferFloat64Atomics", "shaderBufferInt64Atomics",
    "shaderDemoteToHelperInvocation", "shaderFloat16", "shaderFloat16VectorAtomics", "shaderFloat64",
    "shaderImageFloat32AtomicAdd", "shaderImageFloat32AtomicMinMax", "shaderImageFloat32Atomics",
    "shaderImageGatherExtended", "shaderImageInt64Atomics", "shaderInt16", "shaderInt64", "shaderInt8",
    "shaderQuadControl", "shaderResourceResidency", "shaderSharedFloat16AtomicAdd",
    "shaderSharedFloat16AtomicMinMax", "shaderSharedFloat16Atomics", "shaderSharedFloat32AtomicAdd",
    "shaderSharedFloat32AtomicMinMax", "shaderSharedFloat32Atomics", "shaderSharedFloat64AtomicAdd",
    "shaderSharedFloat64AtomicMinMax", "shaderSharedFloat64Atomics", "shaderSharedInt64Atomics",
    "shaderStorageImageReadWithoutFormat", "shaderStorageImageWriteWithoutFormat", "shaderSubgroupClock",
    "shaderSubgroupExtendedTypes", "shaderUntypedPointers", "storageBuffer16BitAccess", "storageBuffer8BitAccess",
    "storagePushConstant16", "storagePushConstant8", "subgroupArithmetic", "subgroupBallot", "subgroupPartitioned",
    "subgroupQuad", "subgroupShuffle", "subgroupVote", "taskShader", "tessellationShader",
    "uniformAndStorageBuffer16BitAccess", "uniformAndStorageBuffer8BitAccess", "variablePointers",
    "variablePointersStorageBuffer", "vertexPipelineStoresAndAtomics", "vulkanMemoryModel",
))  # fmt: skip
"""Names of Vulkan's features that the interpreter has."""

KINDS = {"create": "drivers"}
"""Key of a request → what it needs."""
MODELS = {
    "vs": ExecutionModel.Vertex,
    "hs": ExecutionModel.TessellationControl,
    "ds": ExecutionModel.TessellationEvaluation,
    "gs": ExecutionModel.Geometry,
    "as": ExecutionModel.TaskEXT,
    "ms": ExecutionModel.MeshEXT,
    "ps": ExecutionModel.Fragment,
}
"""The tests' name of a stage → its execution model, of those that the interpreter has."""
CLEAR = (0.93, 0.94, 0.95, 1.0)
WRITABLE = ("storage", "rw_texels", "image")


UNLIKE = {
    "lit/skinned.VSMain.DUAL_QUATERNION=1": "Mesa mixes `noperspective` inputs of clipped triangles by x alone",
    "post/colour_grading.CSBake": "powers of 0 with a negative exponent are undefined",
    "sky/atmosphere.PSMain": "the rounding of an exponential near 1 is divided by 1e-9",
    "sky/prefilter.CSHarmonics": "the rounding of sines chooses texels",
}
"""Sample → why its result with made-up resources depends on the device."""


def skip_unlike(device: Vulkan, sample: str) -> None:
    """Skip the comparison of a sample with WebGPU if the interpreter may rightly differ."""
    if isinstance(device, Cpu) and sample in UNLIKE:
        pytest.skip(f"the interpreter differs: {UNLIKE[sample]}")


class Cpu(Vulkan):
    """The interpreter, with the interface of the Vulkan device."""

    def _start(self) -> None:
        self.name, self.driver, self.features = "interpreter", "", FEATURES

    def _run(self, resources: Mapping[Place, Resource], request: dict[str, Any]) -> dict[Place, bytes]:
        kind = next((key for key in KINDS if key in request), "")
        if kind:
            pytest.skip(f"the interpreter has no {KINDS[kind]}")
        try:
            bound = bind(resources)
            given = _resources(bound, request)
            if "stages" in request:
                pictures = _draw(request, given)
            elif "tables" in request:
                pictures = _trace(request, given)
            else:
                dispatch(Program(request["spirv"], request["entry"]), request["groups"], given)
                pictures = {}
        except NotInterpretedError as error:
            pytest.skip(str(error))
        except (DecodeError, InterpreterError) as error:
            raise VulkanError(str(error)) from error
        return {**contents(resources, bound), **pictures}


def _resources(bound: Mapping[Place, Any], request: dict[str, Any]) -> Resources:
    """Return the resources of a request, in bindings or in heaps."""
    if "heaps" not in request:
        return Resources(by_binding(bound), request.get("push", b""))
    heaps: list[list[Any]] = [[], []]
    for (which, index), item in bound.items():
        heaps[which] += [None] * (index + 1 - len(heaps[which]))
        heaps[which][index] = item
    bindings = {place[:2]: heaps[0][index:] for place, index in request["mapped"].items()}
    return Resources(bindings, heaps=(heaps[0], heaps[1]))


def _draw(request: dict[str, Any], resources: Resources) -> dict[Any, bytes]:
    """Draw, and return the pictures."""
    programs = {}
    for name, stage in request["stages"].items():
        if name not in MODELS:
            pytest.skip(f"the interpreter has no stage {name}")
        spirv, entry = stage if isinstance(stage, tuple) else (stage, request["entry"])
        programs[MODELS[name]] = Program(spirv, entry, model=MODELS[name])
    width, height = request.get("picture") or request["size"]
    given = Draw(
        request["count"],
        topology=request["topology"],
        size=(width, height),
        groups=(request["count"], 1, 1),
        patch=request["patch"],
    )
    if "picture" not in request:
        draw(programs, given, resources)
        return {}
    formats = request.get("targets") or {0: "rgba8"}
    count = request.get("samples", 1)
    colours = {location: _cleared(format_of(name), (width, height), count) for location, name in formats.items()}
    depth = Image(FORMATS["R32f"], (width, height, 1), np.ones(width * height * count, np.float32), samples=count)
    upwards = request.get("upwards")
    blends = {location: Blend(**blend) for location, blend in request.get("blends", {}).items()}
    constant = request.get("constant", (0.0, 0.0, 0.0, 0.0))
    given.targets = Targets(colours, depth, "always" if upwards else "less", blends, constant)
    given.viewport = Viewport(0, height, width, -height) if upwards else None
    given.attributes = _attributes(request)
    draw(programs, given, resources)
    pictures = {("picture", location): resolved(image).buffer.bytes.tobytes() for location, image in colours.items()}
    if request.get("depth"):
        pictures["picture", "depth"] = depth.buffer.bytes.tobytes()
    return pictures


def _trace(request: dict[str, Any], resources: Resources) -> dict[Any, bytes]:
    """Trace rays; there are no pictures."""
    names = request["tables"]
    hit = [HitGroup(g.get("closest", ""), g.get("any", ""), g.get("intersection", "")) for g in names["hit"]]
    tables = ShaderTables(list(names["miss"]), hit, list(names["callable"]))
    program = tracing_program(request["spirv"], names["raygen"][0], tables)
    trace_rays(program, tables, request["groups"], resources)
    return {}


def _cleared(form: Any, size: tuple[int, int], samples: int = 1) -> Image:
    clear = np.zeros((4, 1), np.uint32) if form.is_integer else np.array(CLEAR, np.float32)[:, None]
    texel = np.ascontiguousarray(form.encode(clear).T)
    return Image(form, (*size, 1), np.tile(texel, (size[0] * size[1] * samples, 1)), samples=samples)


def _attributes(request: dict[str, Any]) -> list[Attribute]:
    data = np.frombuffer(request.get("vertices") or b"", np.uint8)
    attributes = request.get("attributes", ())
    stride = 16 * len(attributes)
    return [
        Attribute(location, format_of(name), data, 16 * number, stride)
        for number, (location, name) in enumerate(attributes)
    ]


def bind(resources: Mapping[Place, Resource]) -> dict[Place, Any]:
    """Return the interpreter's objects for the resources."""
    bound = {place: _made(asdict(resource)) for place, resource in resources.items()}
    space = Resources(by_binding(bound)).space
    assert space.buffers
    for place, resource in resources.items():
        if resource.points_to:
            addresses = [bound[target].address for target in resource.points_to]
            data = np.frombuffer(struct.pack(f"<{len(addresses)}Q", *addresses), np.uint8)
            bound[place].bytes[: data.size] = data
    return bound


def by_binding(bound: Mapping[Place, Any]) -> dict[tuple[int, int], list[Any]]:
    """Return (set, binding) → the elements of the binding."""
    out: dict[tuple[int, int], list[Any]] = {}
    for place in sorted(bound):
        elements = out.setdefault(place[:2], [])
        index = place[2] if len(place) > 2 else 0
        elements += [None] * (index + 1 - len(elements))
        elements[index] = bound[place]
    return out


def format_of(name: str) -> Any:
    """Return a format by the tests' name."""
    if name == "d32":
        return FORMATS["R32f"]
    return next(form for form in FORMATS.values() if form.name.lower().replace("ui", "u") == name)


def _made(resource: dict[str, Any]) -> Any:
    kind = resource["kind"]
    if kind == "scene":
        return Scene([_instance(instance) for instance in resource["instances"]])
    if kind in ("storage", "uniform"):
        return Buffer(np.frombuffer(resource["data"], np.uint8).copy())
    if kind.endswith("texels"):
        return texel_buffer(Buffer(np.frombuffer(resource["data"], np.uint8).copy()), format_of(resource["format"]))
    if kind == "sampler":
        return _sampler(resource)
    return Image(
        format_of(resource["format"]),
        resource["size"],
        bytes(resource["data"]),
        layers=resource["layers"],
        levels=resource["levels"],
    )


def _instance(given: dict[str, Any]) -> Instance:
    triangles = np.array(given["triangles"]) if given["triangles"] else None
    geometry = Geometry(triangles, None if given["triangles"] else np.array(given["boxes"]), given["opaque"])
    transform = np.array(given["transform"]).reshape(3, 4)
    return Instance([geometry], transform, given["number"], given["mask"], given["hit_group"])


def _sampler(resource: dict[str, Any]) -> Sampler:
    how, address = resource["filter"], resource["address"]
    return Sampler(how, how, how, (address,) * 3, resource["compare"].replace("_", "-"))


def contents(resources: Mapping[Place, Resource], bound: Mapping[Place, Any]) -> dict[Place, bytes]:
    """Return the bytes of the resources that a shader may write."""
    out = {}
    for place, resource in resources.items():
        if resource.kind in WRITABLE:
            item = bound[place]
            out[place] = getattr(item, "buffer", item).bytes.tobytes()
    return out
