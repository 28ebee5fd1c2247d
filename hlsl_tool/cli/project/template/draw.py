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

SIZE = WIDTH, HEIGHT = 960, 540
BUILD = Path(__file__).parent / "build" / "shaders"


def read(name):
    """Return the text of a file of the build."""
    try:
        return (BUILD / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        sys.exit(f"draw.py: build the shaders first: there is no {BUILD / name}")


def block_bytes(name, values):
    """Return the bytes of a constant buffer, with the values (floats) at the offsets that the reflection names."""
    resources = json.loads(read("hills.PSMain.json"))["resources"]
    block = next(resource["type"] for resource in resources if resource["name"] == name)
    data = bytearray(-(-block["size"] // 16) * 16)
    for member in block["members"]:
        numbers = values[member["name"]]
        struct.pack_into(f"<{len(numbers)}f", data, member["offset"], *numbers)
    return data


def write_png(path, pixels):
    """Write rows of RGBA bytes as a PNG file."""
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
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    device = adapter.request_device_sync()
    vertex, pixel = (device.create_shader_module(code=read(f"hills.{name}.wgsl")) for name in ("VSMain", "PSMain"))
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
    frame = device.create_buffer_with_data(
        data=block_bytes("Frame", {"size": SIZE, "time": [0.0]}), usage=wgpu.BufferUsage.UNIFORM
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0), entries=[{"binding": 0, "resource": {"buffer": frame}}]
    )

    encoder = device.create_command_encoder()
    target = {"view": texture.create_view(), "load_op": "clear", "store_op": "store", "clear_value": (0, 0, 0, 1)}
    drawing = encoder.begin_render_pass(color_attachments=[target])
    drawing.set_pipeline(pipeline)
    drawing.set_bind_group(0, group)
    drawing.draw(3)
    drawing.end()
    device.queue.submit([encoder.finish()])
    pixels = device.queue.read_texture(
        {"texture": texture}, {"bytes_per_row": 4 * WIDTH, "rows_per_image": HEIGHT}, (WIDTH, HEIGHT, 1)
    )
    write_png(Path("hills.png"), bytes(pixels))
    print(f"hills.png: {WIDTH} x {HEIGHT}, drawn by {adapter.info['device']}")


main()
