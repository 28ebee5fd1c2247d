"""The process that keeps a WebGPU device (PyPI `wgpu`: naga, on Vulkan): ``python -P webgpu_server.py``.

It speaks as `server.py` does; a request is a compute shader in WGSL with resources as `vulkan.Resource` describes them.
"""

from __future__ import annotations

import os
import pickle
import re
import struct
import sys
from typing import Any, BinaryIO

import wgpu

FORMATS = {
    "r32f": ("r32float", "unfilterable-float", 4), "rg32f": ("rg32float", "unfilterable-float", 8),
    "rgba32f": ("rgba32float", "unfilterable-float", 16), "rgba16f": ("rgba16float", "float", 8),
    "r32i": ("r32sint", "sint", 4), "rg32i": ("rg32sint", "sint", 8), "rgba32i": ("rgba32sint", "sint", 16),
    "r32u": ("r32uint", "uint", 4), "rg32u": ("rg32uint", "uint", 8), "rgba32u": ("rgba32uint", "uint", 16),
    "rgba8": ("rgba8unorm", "float", 4), "d32": ("depth32float", "depth", 4),
}  # fmt: skip
ADDRESS = {"wrap": "repeat", "mirror": "mirror-repeat", "clamp": "clamp-to-edge"}
VARIABLE = re.compile(r"@group\((\d+)\) @binding\((\d+)\) var(?:<([^>]*)>)? (\w+): ([^;]+);")
WANTED = ("shader-f16", "subgroup", "float32-filterable")


class Device:
    """One device."""

    def __init__(self) -> None:
        adapter = wgpu.gpu.request_adapter_sync(force_fallback_adapter=True)
        self.features = sorted(set(WANTED) & set(adapter.features))
        self.device = adapter.request_device_sync(required_features=self.features)
        self.name = adapter.info["device"]
        self.filters = "float32-filterable" in self.features

    def run(self, request: dict[str, Any]) -> dict[tuple[int, int], bytes]:
        """Run a shader once; the contents of what it may write."""
        device, given = self.device, request["resources"]
        module = device.create_shader_module(code=request["wgsl"])
        groups: dict[int, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
        made: dict[tuple[int, int], Any] = {}
        samplers = [given[place] for place in given if given[place]["kind"] == "sampler"]
        for group, binding, space, _, spelled in VARIABLE.findall(request["wgsl"]):
            place = int(group), int(binding)
            resource = given.get(place)
            if resource is None and spelled.startswith("sampler"):
                resource = samplers[0]  # one that is used both ways has a second binding
            if resource is None:
                raise NotImplementedError(f"a resource at {place} that the test does not bind")
            layout, bound, kept = self.bind(resource, space, spelled)
            if kept is not None:
                made[place] = kept
            entry = {"binding": place[1], "visibility": wgpu.ShaderStage.COMPUTE, **layout}
            groups.setdefault(place[0], []).append((entry, {"binding": place[1], "resource": bound}))
        numbers = range(max(groups, default=-1) + 1)
        layouts = [device.create_bind_group_layout(entries=[e for e, _ in groups.get(g, [])]) for g in numbers]
        binds = [
            device.create_bind_group(layout=layouts[g], entries=[b for _, b in groups.get(g, [])]) for g in numbers
        ]
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=layouts),
            compute={"module": module, "entry_point": request["entry"]},
        )
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        for number, bind in enumerate(binds):
            work.set_bind_group(number, bind)
        work.dispatch_workgroups(*request["groups"])
        work.end()
        device.queue.submit([encoder.finish()])
        out: dict[tuple[int, int], bytes] = {}
        for place, resource in given.items():
            if resource["kind"] == "storage":
                read = bytes(device.queue.read_buffer(made[place])) if place in made else resource["data"]
                out[place] = read[: len(resource["data"])]
            elif resource["kind"] == "image":
                out[place] = self.read(made[place], resource) if place in made else resource["data"]
        return out

    def bind(self, resource: dict[str, Any], space: str, spelled: str) -> tuple[dict[str, Any], Any, Any]:
        """(part of the layout, what is bound, what is read afterwards)"""
        kind = resource["kind"]
        if kind in ("storage", "uniform"):
            types = {"uniform": "uniform", "storage, read": "read-only-storage", "storage, read_write": "storage"}
            size = max(16, -(-len(resource["data"]) // 16) * 16)
            exact = -(-len(resource["data"]) // 4) * 4 or 4
            if kind == "storage":
                size = exact
            usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_SRC
            buffer = self.device.create_buffer_with_data(data=resource["data"].ljust(size, b"\0"), usage=usage)
            return {"buffer": {"type": types[space]}}, {"buffer": buffer}, buffer if kind == "storage" else None
        if kind == "sampler":
            return self.sampler(resource, spelled)
        if kind in ("texture", "image"):
            return self.texture(resource, spelled)
        raise NotImplementedError(f"WebGPU has no {kind}")

    def sampler(self, resource: dict[str, Any], spelled: str) -> tuple[dict[str, Any], Any, Any]:
        compare = {"compare": resource["compare"].replace("_", "-")} if spelled == "sampler_comparison" else {}
        mode = resource["filter"]
        made = self.device.create_sampler(
            mag_filter=mode, min_filter=mode, mipmap_filter=mode, lod_max_clamp=32.0,
            address_mode_u=ADDRESS[resource["address"]], address_mode_v=ADDRESS[resource["address"]],
            address_mode_w=ADDRESS[resource["address"]], **compare,
        )  # fmt: skip
        kind = "comparison" if compare else "filtering" if mode == "linear" else "non-filtering"
        return {"sampler": {"type": kind}}, made, None

    def texture(self, resource: dict[str, Any], spelled: str) -> tuple[dict[str, Any], Any, Any]:
        if resource["format"] == "d32" and resource["data"]:
            raise NotImplementedError("copies into textures of format depth32float")
        name, kind, texel = FORMATS[resource["format"]]
        if kind == "unfilterable-float" and self.filters:
            kind = "float"
        width, height, depth = resource["size"]
        view = resource["view"].replace("_", "-")
        flat = "3d" if view == "3d" else "1d" if view == "1d" else "2d"
        image = resource["kind"] == "image"
        usage = wgpu.TextureUsage.COPY_DST | wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.TEXTURE_BINDING
        if image:
            usage |= wgpu.TextureUsage.STORAGE_BINDING
        made = self.device.create_texture(
            size=(width, height, depth if flat == "3d" else resource["layers"]), format=name,
            mip_level_count=resource["levels"], dimension=flat, usage=usage,
        )  # fmt: skip
        data = resource["data"]
        at = 0
        for level in range(resource["levels"] if data else 0):
            w, h, d = max(1, width >> level), max(1, height >> level), max(1, depth >> level)
            count = d if flat == "3d" else resource["layers"]
            size = w * h * count * texel
            self.device.queue.write_texture(
                {"texture": made, "mip_level": level}, data[at : at + size],
                {"bytes_per_row": w * texel, "rows_per_image": h}, (w, h, count),
            )  # fmt: skip
            at += size
        bound = made.create_view(dimension=view)
        if image:
            access = {"read": "read-only", "write": "write-only", "read_write": "read-write"}
            how = access[spelled.rstrip(">").rpartition(" ")[2]]
            layout = {"storage_texture": {"access": how, "format": name, "view_dimension": view}}
            return layout, bound, made
        if not spelled.startswith("texture_depth") and kind == "depth":
            kind = "unfilterable-float"
        return {"texture": {"sample_type": kind, "view_dimension": view}}, bound, None

    def read(self, made: Any, resource: dict[str, Any]) -> bytes:
        """The texels of a storage texture."""
        width, height, depth = resource["size"]
        texel = FORMATS[resource["format"]][2]
        count = depth if resource["view"] == "3d" else resource["layers"]
        row = -(-width * texel // 256) * 256
        data = self.device.queue.read_texture(
            {"texture": made, "mip_level": 0}, {"bytes_per_row": row, "rows_per_image": height}, (width, height, count)
        )
        raw = bytes(data)
        return b"".join(raw[k * row : k * row + width * texel] for k in range(height * count))


def send(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message, or ``None`` at the end."""
    head = stream.read(4)
    return pickle.loads(stream.read(struct.unpack("<I", head)[0])) if len(head) == 4 else None


def serve(source: BinaryIO, target: BinaryIO) -> None:
    try:
        device = Device()
    except Exception as error:  # noqa: BLE001  whatever there is, there is no device
        send(target, {"error": f"{type(error).__name__}: {error}"})
        return
    send(target, {"name": device.name, "features": device.features})
    while (request := receive(source)) is not None:
        try:
            answer: dict[str, Any] = {"outputs": device.run(request)}
        except NotImplementedError as error:
            answer = {"lacks": str(error)}
        except Exception as error:  # noqa: BLE001
            lacks = re.search(r"ReadWrite access to storage textures with format \w+ is not supported", str(error))
            answer = {"lacks": lacks[0]} if lacks else {"error": f"{type(error).__name__}: {error}"}
        send(target, answer)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a driver prints must not mix with the answers
    serve(sys.stdin.buffer, answers)
