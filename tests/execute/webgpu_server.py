"""The process that owns a WebGPU device (PyPI `wgpu`: naga, on Vulkan): ``python -P webgpu_server.py``.

It uses the protocol of `server.py`; a request has shaders in WGSL, and resources as `vulkan.Resource` describes them.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from typing import Any

import wgpu

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import binding_arrays
from messages import serve

from hlsl_tool.gpu.formats import Format, formats


def _sample_type(form: Format) -> str:
    if form.component != "float":
        return f"{form.component[0].replace('i', 's')}int"
    return "unfilterable-float" if form.number == "float32" else "float"


FORMATS = {
    **{f.spirv.lower().replace("ui", "u"): (f.webgpu, _sample_type(f), f.size) for f in formats()},
    "d32": ("depth32float", "depth", 4),
}
ADDRESS = {"wrap": "repeat", "mirror": "mirror-repeat", "clamp": "clamp-to-edge"}
VARIABLE = re.compile(r"@group\((\d+)\) @binding\((\d+)\) var(?:<([^>]*)>)? (\w+): ([^;]+);")
CLEAR = (0.93, 0.94, 0.95, 1.0)
"""As `painting.CLEAR`."""
LACKS = re.compile(
    r"ReadWrite access to storage textures with format \w+ is not supported|Too many bindings of type \w+"
)
"""Errors that only mean that a device is too small."""
WANTED = ("shader-f16", "subgroup", "float32-filterable", *binding_arrays.FEATURES)


class Device:
    """A WebGPU device."""

    def __init__(self) -> None:
        adapter = wgpu.gpu.request_adapter_sync(force_fallback_adapter=True)
        self.features = sorted(set(WANTED) & set(adapter.features))
        with binding_arrays.limits(binding_arrays.FEATURES[0] in self.features):
            self.device = adapter.request_device_sync(required_features=self.features)
        self.name = adapter.info["device"]
        self.filters = "float32-filterable" in self.features

    def run(self, request: dict[str, Any]) -> dict[Any, bytes]:
        """Run a shader, or draw; return the contents of the resources that may be written."""
        return self.draw(request) if "stages" in request else self.dispatch(request)

    def dispatch(self, request: dict[str, Any]) -> dict[Any, bytes]:
        device, given = self.device, request["resources"]
        module = device.create_shader_module(code=request["wgsl"])
        layout, binds, made = self.bind_groups([(request["wgsl"], wgpu.ShaderStage.COMPUTE)], given)
        pipeline = device.create_compute_pipeline(
            layout=layout, compute={"module": module, "entry_point": request["entry"]}
        )
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        for number, bind in enumerate(binds):
            work.set_bind_group(number, bind)
        work.dispatch_workgroups(*request["groups"])
        work.end()
        device.queue.submit([encoder.finish()])
        return self.written(made, given)

    def draw(self, request: dict[str, Any]) -> dict[Any, bytes]:
        """Draw triangles, the last on top, into targets with 32-bit formats."""
        device, given, (width, height) = self.device, request["resources"], request["picture"]
        stages = {"vs": wgpu.ShaderStage.VERTEX, "ps": wgpu.ShaderStage.FRAGMENT}
        texts = [(request["stages"][name][0], flag) for name, flag in stages.items()]
        layout, binds, made = self.bind_groups(texts, given)
        shaders = {
            name: {"module": device.create_shader_module(code=text), "entry_point": entry}
            for name, (text, entry) in request["stages"].items()
        }
        attributes = [
            {"format": f"{FORMATS[name][0].removeprefix('rgba32')}32x4", "offset": 16 * k, "shader_location": location}
            for k, (location, name) in enumerate(request["attributes"])
        ]
        buffers = [{"array_stride": 16 * len(attributes), "attributes": attributes}] if attributes else []
        targets: list[Any] = [None] * (max(request["targets"], default=-1) + 1)
        usage = wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC
        size = (width, height, 1)
        pictures = {
            k: device.create_texture(size=size, format=FORMATS[name][0], usage=usage)
            for k, name in request["targets"].items()
        }
        attachments: list[Any] = [None] * len(targets)
        for k, name in request["targets"].items():
            targets[k] = {"format": FORMATS[name][0]}
            clear = (0.0,) * 4 if name[-1] in "iu" else CLEAR
            attachments[k] = {
                "view": pictures[k].create_view(),
                "clear_value": clear,
                "load_op": "clear",
                "store_op": "store",
            }
        depth = device.create_texture(size=size, format="depth32float", usage=usage)
        pipeline = device.create_render_pipeline(
            layout=layout,
            vertex={**shaders["vs"], "buffers": buffers},
            primitive={"topology": "triangle-list", "cull_mode": "none"},
            depth_stencil={"format": "depth32float", "depth_write_enabled": True, "depth_compare": "always"},
            fragment={**shaders["ps"], "targets": targets},
        )
        encoder = device.create_command_encoder()
        work = encoder.begin_render_pass(
            color_attachments=attachments,
            depth_stencil_attachment={
                "view": depth.create_view(),
                "depth_clear_value": 1.0,
                "depth_load_op": "clear",
                "depth_store_op": "discard",
            },
        )
        work.set_pipeline(pipeline)
        for number, bind in enumerate(binds):
            work.set_bind_group(number, bind)
        if attributes:
            data = request["vertices"]
            work.set_vertex_buffer(0, device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.VERTEX))
        work.draw(request["count"])
        work.end()
        device.queue.submit([encoder.finish()])
        out = self.written(made, given)
        for k, name in request["targets"].items():
            shape = {"size": size, "format": name, "view": "2d", "layers": 1}
            out["picture", k] = self.read(pictures[k], shape)
        return out

    def bind_groups(
        self, texts: list[tuple[str, int]], given: dict[Any, dict[str, Any]]
    ) -> tuple[Any, list[Any], dict[Any, Any]]:
        """Return (pipeline layout, bind groups, objects to read back) for the declarations in WGSL shaders."""
        device = self.device
        groups: dict[int, dict[int, tuple[dict[str, Any], dict[str, Any]]]] = {}
        made: dict[tuple[int, int], Any] = {}
        samplers = [given[place] for place in given if given[place]["kind"] == "sampler"]
        for text, visibility in texts:
            for group, binding, space, _, spelled in VARIABLE.findall(text):
                place = int(group), int(binding)
                known = groups.setdefault(place[0], {}).get(place[1])
                if known is not None:
                    known[0]["visibility"] |= visibility
                    continue
                array = binding_arrays.SPELLED.fullmatch(spelled)
                if array is not None:
                    groups[place[0]][place[1]] = self.bind_array(place, visibility, space, array, given, made)
                    continue
                resource = given.get(place)
                if resource is None and spelled.startswith("sampler") and samplers:
                    resource = samplers[0]  # one that is used both ways has a second binding
                if resource is None:
                    continue  # if the shader uses it, WebGPU reports an error
                layout, bound, kept = self.bind(resource, space, spelled)
                if kept is not None:
                    made[place] = kept
                entry = {"binding": place[1], "visibility": visibility, **layout}
                groups[place[0]][place[1]] = entry, {"binding": place[1], "resource": bound}
        layouts, binds = [], []
        for number in range(max(groups, default=-1) + 1):
            pairs = groups.get(number, {})
            several = {n: bound["resource"] for n, (_, bound) in pairs.items() if isinstance(bound["resource"], list)}
            entries = [
                {**bound, "resource": several.get(binding, [bound["resource"]])[0]}
                for binding, (_, bound) in pairs.items()
            ]
            with binding_arrays.arrays(several):
                layouts.append(device.create_bind_group_layout(entries=[entry for entry, _ in pairs.values()]))
                binds.append(device.create_bind_group(layout=layouts[-1], entries=entries))
        return device.create_pipeline_layout(bind_group_layouts=layouts), binds, made

    def bind_array(
        self,
        place: tuple[int, int],
        visibility: int,
        space: str,
        array: re.Match[str],
        given: dict[Any, dict[str, Any]],
        made: dict[Any, Any],
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return (layout entry, entry of the bind group with a list of resources) of an array of resources.

        ``given`` has the resources by (group, binding, element).
        """
        if not set(binding_arrays.FEATURES) <= set(self.features):
            raise NotImplementedError("arrays of resources")
        bound: list[Any] = []
        layout: dict[str, Any] = {}
        for element in range(int(array[2])):
            layout, resource, kept = self.bind(given[*place, element], space, array[1])
            bound.append(resource)
            if kept is not None:
                made[*place, element] = kept
        return {"binding": place[1], "visibility": visibility, **layout}, {"binding": place[1], "resource": bound}

    def written(self, made: dict[Any, Any], given: dict[Any, dict[str, Any]]) -> dict[Any, bytes]:
        """Return the contents of the buffers and images to read back."""
        out: dict[Any, bytes] = {}
        for place, resource in given.items():
            if resource["kind"] == "storage":
                read = bytes(self.device.queue.read_buffer(made[place])) if place in made else resource["data"]
                out[place] = read[: len(resource["data"])]
            elif resource["kind"] == "image":
                out[place] = self.read(made[place], resource) if place in made else resource["data"]
        return out

    def bind(self, resource: dict[str, Any], space: str, spelled: str) -> tuple[dict[str, Any], Any, Any]:
        """Create the WebGPU object of a resource.

        Return (bind group layout entry, resource of the bind group, object to read back or ``None``).
        ``space`` and ``spelled`` are the address space and the type of its declaration in WGSL.
        """
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
            mag_filter=mode,
            min_filter=mode,
            mipmap_filter=mode,
            lod_max_clamp=32.0,
            address_mode_u=ADDRESS[resource["address"]],
            address_mode_v=ADDRESS[resource["address"]],
            address_mode_w=ADDRESS[resource["address"]],
            **compare,
        )
        kind = "comparison" if compare else "filtering" if mode == "linear" else "non-filtering"
        return {"sampler": {"type": kind}}, made, None

    def texture(self, resource: dict[str, Any], spelled: str) -> tuple[dict[str, Any], Any, Any]:
        name, kind, texel = FORMATS[resource["format"]]
        if kind == "unfilterable-float" and self.filters:
            kind = "float"
        width, height, depth = resource["size"]
        view = resource["view"].replace("_", "-")
        flat = "3d" if view == "3d" else "1d" if view == "1d" else "2d"
        image = resource["kind"] == "image"
        depth_only = wgpu.TextureUsage.RENDER_ATTACHMENT if kind == "depth" else 0
        usage = depth_only | wgpu.TextureUsage.COPY_DST | wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.TEXTURE_BINDING
        if image:
            usage |= wgpu.TextureUsage.STORAGE_BINDING
        made = self.device.create_texture(
            size=(width, height, depth if flat == "3d" else resource["layers"]),
            format=name,
            mip_level_count=resource["levels"],
            dimension=flat,
            usage=usage,
        )
        data = resource["data"]
        if kind == "depth" and data:
            self.clear_depth(made, data, resource)
            data = b""
        at = 0
        for level in range(resource["levels"] if data else 0):
            w, h, d = max(1, width >> level), max(1, height >> level), max(1, depth >> level)
            count = d if flat == "3d" else resource["layers"]
            size = w * h * count * texel
            self.device.queue.write_texture(
                {"texture": made, "mip_level": level},
                data[at : at + size],
                {"bytes_per_row": w * texel, "rows_per_image": h},
                (w, h, count),
            )
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

    def clear_depth(self, made: Any, data: bytes, resource: dict[str, Any]) -> None:
        """Set all texels of a depth texture by clearing it, because WebGPU cannot copy data into it.

        The texels in ``data`` must all have the same value; otherwise `NotImplementedError` is raised.
        """
        if data != data[:4] * (len(data) // 4):
            raise NotImplementedError("copies into textures of format depth32float")
        encoder = self.device.create_command_encoder()
        for level in range(resource["levels"]):
            for layer in range(resource["layers"]):
                view = made.create_view(
                    dimension="2d", base_mip_level=level, mip_level_count=1, base_array_layer=layer, array_layer_count=1
                )
                value = struct.unpack("<f", data[:4])[0]
                encoder.begin_render_pass(
                    color_attachments=[],
                    depth_stencil_attachment={
                        "view": view,
                        "depth_clear_value": value,
                        "depth_load_op": "clear",
                        "depth_store_op": "store",
                    },
                ).end()
        self.device.queue.submit([encoder.finish()])

    def read(self, made: Any, resource: dict[str, Any]) -> bytes:
        """Return the texels of a storage texture."""
        width, height, depth = resource["size"]
        texel = FORMATS[resource["format"]][2]
        count = depth if resource["view"] == "3d" else resource["layers"]
        row = -(-width * texel // 256) * 256
        data = self.device.queue.read_texture(
            {"texture": made, "mip_level": 0}, {"bytes_per_row": row, "rows_per_image": height}, (width, height, count)
        )
        raw = bytes(data)
        return b"".join(raw[k * row : k * row + width * texel] for k in range(height * count))


def answer(device: Device, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"outputs": device.run(request)}
    except NotImplementedError as error:
        return {"lacks": str(error)}
    except Exception as error:
        lacks = LACKS.search(str(error))
        if lacks is None:
            raise
        return {"lacks": lacks[0]}


if __name__ == "__main__":
    serve(Device, answer)
