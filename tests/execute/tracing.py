"""Acceleration structures and ray tracing pipelines for the device process.

The Python binding wraps these functions only partly, so the driver's functions are called directly.
"""

from __future__ import annotations

import struct
from typing import Any

import vulkan as vk
from device import STORAGE_OF_STRUCTURES, Buffer, Device, Dispatch
from vulkan import ffi, lib

TRIANGLES, BOXES, INSTANCES = 0, 1, 2
BOTTOM, TOP = 1, 0
ALLOW_DATA_ACCESS = 0x800
ON_DEVICE = 1
OPAQUE = 1
INDEX_NONE = 1000165000
GENERAL, TRIANGLE_HIT, PROCEDURAL_HIT = 0, 1, 2
UNUSED = 0xFFFFFFFF
STAGES = {"raygen": 0x100, "any": 0x200, "closest": 0x400, "miss": 0x800, "intersection": 0x1000, "callable": 0x2000}
POINT = 1000165000
"""VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR."""
RECORD = 64
"""Bytes between the records of a shader binding table, as many as any driver wants them aligned to."""


def function(device: Device, name: str) -> Any:
    return ffi.cast(f"PFN_{name}", lib.vkGetDeviceProcAddr(device.handle, name.encode()))


def checked(result: int, what: str) -> None:
    if result != 0:
        raise RuntimeError(f"{what} failed with {result}")


def data_access(device: Device, kind: int) -> int:
    """Return the build flag that lets shaders read the corners of triangles.

    It is 0 for a top-level structure, and if the device lacks the feature.
    """
    return ALLOW_DATA_ACCESS if kind == BOTTOM and "rayTracingPositionFetch" in device.features else 0


class Structure:
    """An acceleration structure, top-level or bottom-level, which the constructor builds on the device."""

    def __init__(self, device: Device, kind: int, geometry: Any, count: int) -> None:
        self.device = device
        info = vk.VkAccelerationStructureBuildGeometryInfoKHR(
            type=kind, flags=data_access(device, kind), mode=0, geometryCount=1, pGeometries=[geometry]
        )
        sizes = vk.VkAccelerationStructureBuildSizesInfoKHR()
        function(device, "vkGetAccelerationStructureBuildSizesKHR")(
            device.handle, ON_DEVICE, ffi.addressof(info), ffi.new("uint32_t[1]", [count]), ffi.addressof(sizes)
        )
        self.memory = Buffer(device, bytes(sizes.accelerationStructureSize), usage=STORAGE_OF_STRUCTURES)
        create = vk.VkAccelerationStructureCreateInfoKHR(
            buffer=self.memory.handle, offset=0, size=sizes.accelerationStructureSize, type=kind
        )
        made = ffi.new("VkAccelerationStructureKHR *")
        checked(
            function(device, "vkCreateAccelerationStructureKHR")(device.handle, ffi.addressof(create), ffi.NULL, made),
            "vkCreateAccelerationStructureKHR",
        )
        self.handle = made[0]
        scratch = Buffer(device, bytes(sizes.buildScratchSize + 256))
        info.dstAccelerationStructure = self.handle
        info.scratchData.deviceAddress = (scratch.address() + 255) & ~255
        span = vk.VkAccelerationStructureBuildRangeInfoKHR(primitiveCount=count)
        spans = ffi.new("VkAccelerationStructureBuildRangeInfoKHR *[1]", [ffi.addressof(span)])
        build = function(device, "vkCmdBuildAccelerationStructuresKHR")
        device.submit(lambda commands: build(commands, 1, ffi.addressof(info), spans))

    def address(self) -> int:
        info = vk.VkAccelerationStructureDeviceAddressInfoKHR(accelerationStructure=self.handle)
        get = function(self.device, "vkGetAccelerationStructureDeviceAddressKHR")
        return int(get(self.device.handle, ffi.addressof(info)))

    def destroy(self) -> None:
        function(self.device, "vkDestroyAccelerationStructureKHR")(self.device.handle, self.handle, ffi.NULL)


class Scene:
    """Instances with bottom-level acceleration structures, under one top-level structure."""

    def __init__(self, device: Device, instances: list[dict[str, Any]]) -> None:
        self.parts: list[Structure | Buffer] = []
        records = b""
        for instance in instances:
            bottom = self._bottom(device, instance)
            mask, hit_group = instance["mask"] << 24 | instance["number"], instance["hit_group"]
            records += struct.pack("<12f2IQ", *instance["transform"], mask, hit_group, bottom.address())
        buffer = Buffer(device, records)
        self.parts.append(buffer)
        data = vk.VkAccelerationStructureGeometryInstancesDataKHR(
            arrayOfPointers=0, data=vk.VkDeviceOrHostAddressConstKHR(deviceAddress=buffer.address())
        )
        geometry = vk.VkAccelerationStructureGeometryKHR(
            geometryType=INSTANCES, geometry=vk.VkAccelerationStructureGeometryDataKHR(instances=data), flags=0
        )
        self.top = Structure(device, TOP, geometry, len(instances))
        self.parts.append(self.top)

    def _bottom(self, device: Device, instance: dict[str, Any]) -> Structure:
        points, boxes = instance["triangles"], instance["boxes"]
        buffer = Buffer(device, struct.pack(f"<{len(points or boxes)}f", *(points or boxes)))
        self.parts.append(buffer)
        place = vk.VkDeviceOrHostAddressConstKHR(deviceAddress=buffer.address())
        if points:
            triangles = vk.VkAccelerationStructureGeometryTrianglesDataKHR(
                vertexFormat=vk.VK_FORMAT_R32G32B32_SFLOAT,
                vertexData=place,
                vertexStride=12,
                maxVertex=len(points) // 3 - 1,
                indexType=INDEX_NONE,
            )
            data = vk.VkAccelerationStructureGeometryDataKHR(triangles=triangles)
        else:
            data = vk.VkAccelerationStructureGeometryDataKHR(
                aabbs=vk.VkAccelerationStructureGeometryAabbsDataKHR(data=place, stride=24)
            )
        geometry = vk.VkAccelerationStructureGeometryKHR(
            geometryType=TRIANGLES if points else BOXES, geometry=data, flags=OPAQUE if instance["opaque"] else 0
        )
        made = Structure(device, BOTTOM, geometry, len(points) // 9 or len(boxes) // 6)
        self.parts.append(made)
        return made

    def destroy(self) -> None:
        for part in reversed(self.parts):
            if isinstance(part, Structure):
                part.destroy()


class Tracing(Dispatch):
    """A ray tracing pipeline from one library, whose entry points and hit groups ``Tables`` name."""

    point = POINT

    def make_pipeline(self) -> Any:
        device, tables = self.device, self.request["tables"]
        code = vk.VkShaderModuleCreateInfo(codeSize=len(self.request["spirv"]), pCode=self.request["spirv"])
        module = vk.vkCreateShaderModule(device.handle, code, None)
        self.made.append((vk.vkDestroyShaderModule, module))
        stages: list[Any] = []

        def stage(kind: str, name: str) -> int:
            if not name:
                return UNUSED
            stages.append(vk.VkPipelineShaderStageCreateInfo(stage=STAGES[kind], module=module, pName=name))
            return len(stages) - 1

        groups: list[Any] = []
        self.counts = []
        for kind in ("raygen", "miss", "hit", "callable"):
            self.counts.append(len(tables[kind]))
            for entry in tables[kind]:
                if kind == "hit":
                    closest, any_hit, test = (stage(k, entry.get(k, "")) for k in ("closest", "any", "intersection"))
                    group = (TRIANGLE_HIT if test == UNUSED else PROCEDURAL_HIT, UNUSED, closest, any_hit, test)
                else:
                    group = (GENERAL, stage(kind, entry), UNUSED, UNUSED, UNUSED)
                names = ("type", "generalShader", "closestHitShader", "anyHitShader", "intersectionShader")
                made_group = vk.VkRayTracingShaderGroupCreateInfoKHR(**dict(zip(names, group, strict=True)))
                groups.append(made_group)
        info = vk.VkRayTracingPipelineCreateInfoKHR(
            pStages=stages, pGroups=groups, maxPipelineRayRecursionDepth=1, layout=self.layout, basePipelineIndex=-1
        )
        made = ffi.new("VkPipeline[1]")
        create = function(device, "vkCreateRayTracingPipelinesKHR")
        result = create(device.handle, ffi.NULL, ffi.NULL, 1, ffi.addressof(info), ffi.NULL, made)
        checked(result, "vkCreateRayTracingPipelinesKHR")
        self._make_tables(made[0], len(groups))
        return made[0]

    def _make_tables(self, pipeline: Any, count: int) -> None:
        """Create the shader binding table: consecutive records that start with a shader group's handle."""
        size = 32  # shaderGroupHandleSize: Vulkan asks for 32
        handles = ffi.new(f"char[{size * count}]")
        get = function(self.device, "vkGetRayTracingShaderGroupHandlesKHR")
        checked(get(self.device.handle, pipeline, 0, count, size * count, handles), "handles of shader groups")
        data = bytes(ffi.buffer(handles))
        records = (data[i * size : (i + 1) * size].ljust(RECORD, b"\0") for i in range(count))
        self.table = Buffer(self.device, b"".join(records) + bytes(RECORD))

    def command(self, commands: Any) -> None:
        at = (self.table.address() + RECORD - 1) & ~(RECORD - 1)
        if at != self.table.address():
            raise RuntimeError("a buffer is not aligned as a shader binding table")
        regions = []
        for count in self.counts:
            size = RECORD * count
            start = at if count else 0
            regions.append(vk.VkStridedDeviceAddressRegionKHR(deviceAddress=start, stride=RECORD, size=size))
            at += size
        trace = function(self.device, "vkCmdTraceRaysKHR")
        trace(commands, *(ffi.addressof(r) for r in regions), *self.request["groups"])
