"""Draw shaders/hills.hlsl into hills.png with wgpu, on Vulkan, Metal or Direct3D 12."""

import json
import struct
import sys
import zlib
from pathlib import Path

try:
    import wgpu
except ImportError:
    sys.exit("draw.py: install wgpu first: pip install wgpu")

WIDTH, HEIGHT = 960, 540
VALUES = {"size": [WIDTH, HEIGHT], "time": [0.0]}
"""The numbers of the members of constant buffers, by name."""
FORMATS = {"float": "f", "int": "i", "uint": "I"}
BUILD = Path(__file__).parent / "build" / "shaders"


def fail(problem):
    """Print a message and exit."""
    sys.exit(f"draw.py: {problem}")


def read(name):
    """Return the text of a file in the build folder."""
    try:
        return (BUILD / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        fail(f"build the shaders first: there is no {BUILD / name}")


def block_bytes(block):
    """Return the bytes of a constant buffer, with VALUES at the offsets that the reflection names."""
    data = bytearray(-(-block["size"] // 16) * 16)
    for member in block["members"]:
        name, kind = member["name"], member["type"]
        letter = FORMATS.get(kind.get("component", kind["kind"]))
        count = kind.get("columns", 1)
        if letter is None or kind["kind"] == "matrix" or kind.get("bits") != 32:
            fail(f"`{name}` is a {kind['name']}, and block_bytes() writes numbers and vectors of 32 bits only")
        if len(VALUES.get(name, ())) != count:
            fail(f"VALUES needs the numbers of `{name}` ({kind['name']}): a list of {count}")
        struct.pack_into(f"<{count}{letter}", data, member["offset"], *VALUES[name])
    return data


def bind_groups(device, pipeline):
    """Return group number → bind group, for the resources that the WGSL uses."""
    entries = {}
    for stage in ("VSMain", "PSMain"):
        blocks = {one["name"]: one["type"] for one in json.loads(read(f"hills.{stage}.json"))["resources"]}
        for group in json.loads(read(f"hills.{stage}.wgsl.json"))["bindGroups"]:
            for entry in group["entries"]:
                name, buffer = entry["name"], entry.get("buffer", {})
                if buffer.get("type") != "uniform":
                    fail(f"`{name}` is no constant buffer, and bind_groups() makes nothing else")
                # A block that is in the WGSL only has no effect: the reflection is that of the optimised module
                data = block_bytes(blocks[name]) if name in blocks else bytes(buffer["minBindingSize"])
                resource = {"buffer": device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.UNIFORM)}
                place = entries.setdefault(group["group"], {})
                place[entry["binding"]] = {"binding": entry["binding"], "resource": resource}
    return {
        number: device.create_bind_group(layout=pipeline.get_bind_group_layout(number), entries=list(group.values()))
        for number, group in entries.items()
    }


def write_png(path, pixels):
    """Write pixels, rows of RGBA bytes, to a PNG file."""
    rows = b"".join(b"\0" + pixels[4 * WIDTH * y : 4 * WIDTH * (y + 1)] for y in range(HEIGHT))
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0),
        b"IDAT": zlib.compress(rows),
        b"IEND": b"",
    }
    parts = [struct.pack(">I", len(c)) + t + c + struct.pack(">I", zlib.crc32(t + c)) for t, c in chunks.items()]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def main():
    """Draw the picture."""
    vertex_code, pixel_code = read("hills.VSMain.wgsl"), read("hills.PSMain.wgsl")
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    except RuntimeError:
        fail("wgpu finds no graphics driver; Linux needs one for Vulkan, such as the package mesa-vulkan-drivers")
    device = adapter.request_device_sync()
    vertex, pixel = (device.create_shader_module(code=code) for code in (vertex_code, pixel_code))
    texture = device.create_texture(
        size=(WIDTH, HEIGHT, 1),
        format="rgba8unorm",
        usage=wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC,
    )
    pipeline = device.create_render_pipeline(
        layout="auto",
        vertex={"module": vertex, "entry_point": "VSMain"},
        fragment={"module": pixel, "entry_point": "PSMain", "targets": [{"format": "rgba8unorm"}]},
    )
    encoder = device.create_command_encoder()
    target = {"view": texture.create_view(), "load_op": "clear", "store_op": "store", "clear_value": (0, 0, 0, 1)}
    drawing = encoder.begin_render_pass(color_attachments=[target])
    drawing.set_pipeline(pipeline)
    for number, group in bind_groups(device, pipeline).items():
        drawing.set_bind_group(number, group)
    drawing.draw(3)
    drawing.end()
    device.queue.submit([encoder.finish()])
    pixels = device.queue.read_texture(
        {"texture": texture}, {"bytes_per_row": 4 * WIDTH, "rows_per_image": HEIGHT}, (WIDTH, HEIGHT, 1)
    )
    try:
        write_png(Path("hills.png"), bytes(pixels))
    except OSError as error:
        fail(f"cannot write hills.png: {error.strerror}")
    print(f"hills.png: {WIDTH} x {HEIGHT}, drawn by {adapter.info['device']}")


main()
