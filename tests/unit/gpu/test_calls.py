"""Arguments of kernels: every kind of resource, and the error for each wrong argument."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlsl_tool import CompileOptions, gpu
from hlsl_tool.gpu.choice import backend

pytestmark = pytest.mark.execute

SCALE = """
StructuredBuffer<float> source;
RWStructuredBuffer<float> target;
float factor;
[numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID) { target[i] = source[i] * factor; }
"""


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    name = str(tmp_path / "nope.hlsl")
    with pytest.raises(gpu.GpuError) as problem:
        gpu.load(name)
    assert isinstance(problem.value, gpu.FileError)
    assert isinstance(problem.value, OSError)
    assert str(problem.value) == f"cannot read `{name}`: No such file or directory [HLSL1789]"
    assert (problem.value.code, problem.value.errno, problem.value.filename) == ("HLSL1789", errno.ENOENT, name)


def test_results_are_written_in_place(device: str) -> None:
    kernel = gpu.compile(SCALE, device=device)
    source, target = floats(16, 8), np.zeros((8, 16), np.float32).T  # the target is not contiguous
    kernel(source, target, factor=2, threads=128)
    np.testing.assert_array_equal(target, source * 2)
    kernel(target=target, source=source, factor=3.0, groups=2)
    np.testing.assert_array_equal(target, source * 3)


def test_run_returns_new_arrays(device: str) -> None:
    kernel = gpu.compile(SCALE, device=device)
    source, target = floats(8), floats(8)
    assert list(kernel.run(source, target, factor=2, threads=8)) == ["target"]
    np.testing.assert_array_equal(target, source)


def test_arrays_stay_on_the_device(device: str) -> None:
    kernel = gpu.compile(SCALE, device=device)
    a, b = (gpu.array(floats(8), device=device) for _ in range(2))
    for _ in range(3):
        kernel(a, b, factor=2, threads=8)
        kernel(b, a, factor=2, threads=8)
    np.testing.assert_array_equal(a.numpy(), floats(8) * 64)
    a.set(floats(8))
    kernel(a, b, factor=5, threads=8)
    np.testing.assert_array_equal(b, floats(8) * 5)


def test_a_texture_on_the_device_is_written_and_sampled(device: str) -> None:
    write = gpu.compile(
        "RWTexture2D<float> t; [numthreads(8, 8, 1)] void main(uint2 i : SV_DispatchThreadID) { t[i] = i.x; }",
        device=device,
    )
    read = gpu.compile(
        """Texture2D<float> t; SamplerState s; RWStructuredBuffer<float> o;
        [numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) { o[i] = t.SampleLevel(s, float2(i / 8.0, 0), 0);
        }""",
        device=device,
    )
    texture, out = gpu.array(np.zeros((8, 8), np.float32), device=device), np.zeros(8, np.float32)
    write(texture, threads=(8, 8))
    read(texture, out, threads=8, s=gpu.sampler("nearest"))
    np.testing.assert_array_equal(out, range(8))
    read(texture, out, threads=8)
    np.testing.assert_allclose(out, np.maximum(np.arange(8) - 0.5, 0))
    np.testing.assert_array_equal(texture.numpy()[3], range(8))


def test_a_texture_on_the_device_is_sampled_and_written(device: str) -> None:
    read = gpu.compile(
        """Texture2D<float> t; RWStructuredBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = t[uint2(1, 1)]; }""",
        device=device,
    )
    write = gpu.compile(
        "RWTexture2D<float> t; [numthreads(1, 1, 1)] void main() { t[uint2(1, 1)] = 5; }",
        device=device,
    )
    texture, out = gpu.array(np.ones((2, 2), np.float32), device=device), np.zeros(1, np.float32)
    read(texture, out, groups=1)
    assert out[0] == 1
    write(texture, groups=1)
    read(texture, out, groups=1)
    assert out[0] == 5


def test_textures_that_are_too_large(device: str) -> None:
    kernel = gpu.compile(
        """Texture1D<float> t; RWStructuredBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = t[1]; }""",
        device=device,
    )
    with pytest.raises(gpu.DriverError):
        kernel(np.zeros(1 << 20, np.float32), np.zeros(1, np.float32), groups=1)


def test_layouts_of_textures_and_unknown_names(device: str) -> None:
    kernel = gpu.compile(EVERYTHING, device=device)
    with pytest.raises(gpu.ArgumentError, match="`image` is a Texture2D<float4>, which has no memory layout"):
        kernel.dtype("image")
    with pytest.raises(gpu.ArgumentError, match="no parameter `nothing`"):
        kernel.dtype("nothing")
    with pytest.raises(gpu.ArgumentError, match="is an array of <U3"):
        gpu.array("abc", device=device)


EVERYTHING = """
Texture2D<float4> image; RWTexture2D<float4> target; Texture2D<float> planes[3]; Texture3D<uint> volume;
Texture2DArray<float2> layers; SamplerState linearClamp;
struct Part { float3 at; row_major float2x3 rows; float2x3 columns; bool on; uint3 counts[2]; };
RWStructuredBuffer<Part> parts; RWBuffer<uint2> texels; AppendStructuredBuffer<uint> found; RWByteAddressBuffer bytes;
StructuredBuffer<float4x3> unused;
float scale; float4x3 matrix_;
struct Limit { uint first; };
[[vk::push_constant]] Limit limit;
[[vk::constant_id(3)]] const uint N = 4;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    target[id.xy] = image.SampleLevel(linearClamp, (id.xy + 0.5) / 8, 0) * scale * N + planes[1][id.xy];
    if (id.y)
        return;
    bytes.Store(id.x * 4, asuint(matrix_[id.x % 4].y + layers[uint3(id.x, 0, 1)].y) + volume[uint3(1, 0, id.x % 2)]);
    if (id.x >= 4)
        return;
    found.Append(id.x + limit.first);
    Part p = parts[id.x];
    p.at += 1; p.rows[1][2] += 5; p.columns[1][2] += 7; p.on = !p.on; p.counts[1].y += 3;
    parts[id.x] = p;
    texels[id.x] += uint2(1, 2);
}
"""


def test_every_kind_of_resource(device: str) -> None:
    kernel = gpu.compile(EVERYTHING, device=device)
    image = np.random.default_rng(1).random((8, 8, 3), np.float32)
    target = np.zeros((8, 8, 4), np.float32)
    planes = [np.full((8, 8), k, np.float32) for k in range(3)]
    volume = np.zeros((2, 1, 2), np.uint32)
    volume[1, 0, 1] = 1
    layers = floats(2, 1, 8, 2)
    numbers = np.dtype(
        [("on", bool), ("at", "f4", 3), ("rows", "f4", (2, 3)), ("columns", "f4", (2, 3)), ("counts", "u4", (2, 3))]
    )
    parts = np.zeros(5, numbers)
    texels = np.zeros((4, 2), np.uint32)
    found, counter = np.zeros(6, np.uint32), np.ones(1, np.int32)
    data = np.zeros(8, np.float32)
    matrix = floats(4, 3)
    constants = {"scale": 2, "matrix_": matrix, "N": 3, "limit": {"first": 10}}
    kernel(
        image, target, planes, volume, layers, parts, texels, found, data, found_counter=counter, unused=0, threads=8,
        **constants,
    )  # fmt: skip
    np.testing.assert_allclose(target[..., :3], image * 6 + 1, rtol=1e-5)
    assert counter.tolist() == [5]
    assert sorted(found) == [0, 0, 10, 11, 12, 13]
    assert texels.tolist() == [[1, 2]] * 4
    part = parts[2]
    assert part["on"]
    assert part["at"].tolist() == [1, 1, 1]
    assert part["rows"][1, 2] == 5
    assert part["columns"][1, 2] == 7
    assert part["counts"][1, 1] == 3
    assert not parts[4]["on"]
    expected = (matrix[np.arange(8) % 4, 1] + layers[1, 0, :, 1]).astype(np.float32).view(np.uint32)
    np.testing.assert_array_equal(data.view(np.uint32), expected + np.arange(8) % 2)

    exact = np.zeros(5, kernel.dtype("parts"))
    found[:] = 0
    again = {**constants, "limit": 20, "parts": exact}
    kernel(image, target, planes, volume, layers, texels=texels, found=found, bytes=data, threads=8, **again)
    assert exact["at"][:4].tolist() == [[1, 1, 1]] * 4
    assert sorted(found) == [0, 0, 20, 21, 22, 23]


def test_mip_levels_are_a_list(device: str) -> None:
    kernel = gpu.compile(
        """Texture2D<float> t; RWStructuredBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = t.mips[0][uint2(3, 3)]; o[1] = t.mips[1][uint2(1, 1)]; }""",
        device=device,
    )
    out = np.zeros(2, np.float32)
    kernel([floats(4, 4), floats(2, 2)], out, groups=1)
    assert out.tolist() == [15, 3]


def test_bytes_are_read_as_numbers_from_0_to_1(device: str) -> None:
    kernel = gpu.compile(
        """Texture2D<float4> t; RWStructuredBuffer<float4> o;
        [numthreads(1, 1, 1)] void main() { o[0] = t[uint2(0, 0)]; }""",
        device=device,
    )
    out = np.zeros((1, 4), np.float32)
    kernel(np.array([[[255, 0, 51]]], np.uint8), out, groups=1)
    np.testing.assert_allclose(out, [[1, 0, 0.2, 1]], rtol=1e-5)


def test_specialisation_constants_set_the_group(device: str) -> None:
    kernel = gpu.compile(
        """[[vk::constant_id(0)]] const int N = 2; RWStructuredBuffer<int> o; groupshared int shared_[64];
        [numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) { o[i] = N; }""",
        device=device,
    )
    assert kernel.threads_per_group == (4, 1, 1)
    assert kernel.run(o=np.zeros(4, np.int32), groups=1)["o"].tolist() == [2] * 4
    assert kernel.run(o=np.zeros(4, np.int32), groups=1, N=-7)["o"].tolist() == [-7] * 4


def test_negative_zero_is_not_zero(device: str) -> None:
    kernel = gpu.compile(
        """[[vk::constant_id(0)]] const float N = 1; RWStructuredBuffer<uint> o; float f;
        [numthreads(1, 1, 1)] void main() { o[0] = asuint(f); o[1] = asuint(N); }""",
        device=device,
    )
    for value in (0.0, -0.0, 0.0):
        bits = kernel.run(np.zeros(2, np.uint32), f=value, N=value, groups=1)["o"]
        assert bits.tolist() == [int(np.float32(value).view(np.uint32))] * 2


def test_a_kernel_shows_its_parameters(device: str) -> None:
    kernel = gpu.compile(
        """cbuffer Blur { int2 size; float weights[3]; }; float4 tint; bool on; RWStructuredBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = size.x + weights[1] + tint.x + on; }""",
        device=device,
    )
    assert repr(kernel) == (
        "Kernel(main of kernel.hlsl: cbuffer Blur { int2 size; float[3] weights }, float4 tint, bool on, "
        "RWStructuredBuffer<float> o)"
    )
    with pytest.raises(gpu.ArgumentError, match="no parameter `no`") as error:
        kernel(no=1, groups=1)
    assert error.value.hint == "There are: Blur, o, size, weights, tint, on."


def test_names_of_macros() -> None:
    device = next(iter(gpu.devices()), None)
    text = b"[numthreads(TWICE(2), 1, 1)] void main() {}"
    assert gpu.compile(text, defines={"TWICE(x)": "2 * x"}, device=device).threads_per_group == (4, 1, 1)
    for name in ("", "A B", "1A", "A=1"):
        with pytest.raises(gpu.ArgumentError, match="is no name of a macro"):
            gpu.compile(text, defines={name: 1}, device=device)


MISTAKES: list[tuple[str, dict[str, Any], str, str]] = [
    ("missing", {"target": None}, "HLSL1791", "`target` is missing: RWStructuredBuffer<float>"),
    ("missing constant", {"factor": None}, "HLSL1791", "`factor` is missing: float"),
    ("unknown", {"sauce": 1}, "HLSL1792", "the kernel has no parameter `sauce`"),
    ("dtype", {"source": np.zeros(4)}, "HLSL1793", "`source` is an array of float64, and needs float32"),
    ("list", {"source": [1.0]}, "HLSL1793", "`source` is a list, and needs a numpy array"),
    ("empty", {"source": np.zeros(0, np.float32)}, "HLSL1793", "`source` is empty"),
    ("order", {"source": np.zeros(4, ">f4")}, "HLSL1793", "`source` has the other order of bytes"),
    ("text", {"factor": "x"}, "HLSL1793", "`factor` is no number"),
    ("nothing", {"factor": [None]}, "HLSL1793", "`factor` has an element that is no number"),
    ("mask", {"source": np.ma.array(np.zeros(4, np.float32))}, "HLSL1793", "`source` has a mask"),
    ("shape", {"factor": [1, 2]}, "HLSL1793", "needs a single number"),
    ("no groups", {"groups": None}, "HLSL1797", "`groups` or `threads` has to be given"),
    ("both", {"threads": 1}, "HLSL1797", "`groups` and `threads` are both given"),
    ("zero", {"groups": 0}, "HLSL1797", "`groups` is 0, and needs one to three positive numbers"),
    ("four", {"groups": (1, 1, 1, 1)}, "HLSL1797", "positive numbers"),
    ("half", {"groups": 1.5}, "HLSL1797", "`groups` is 1.5, and needs one to three positive numbers"),
    ("many", {"groups": 100000}, "HLSL1797", "devices take 65535"),
]


@pytest.mark.parametrize(("change", "code", "text"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_mistakes(device: str, change: dict[str, Any], code: str, text: str) -> None:
    kernel = gpu.compile(SCALE, device=device)
    good: dict[str, Any] = {"source": floats(4), "target": floats(4), "factor": 1, "groups": 1}
    arguments = {name: value for name, value in {**good, **change}.items() if value is not None}
    with pytest.raises(gpu.GpuError) as error:
        kernel(**arguments)
    assert error.value.code == code
    assert text in error.value.message
    kernel(**good)


def test_arrays_that_cannot_be_written(device: str) -> None:
    kernel = gpu.compile(SCALE, device=device)
    fixed = floats(4)
    fixed.flags.writeable = False
    with pytest.raises(gpu.ArgumentError, match="is read-only") as error:
        kernel(floats(4), fixed, factor=1, groups=1)
    assert error.value.parameter == "target"
    same = floats(8)
    with pytest.raises(gpu.ArgumentError, match="`target` shares memory with `source`"):
        kernel(same, same[2:], factor=1, groups=1)
    with pytest.raises(gpu.ArgumentError, match="takes 2 arrays, and 3 were given"):
        kernel(same, same, same, factor=1, groups=1)
    with pytest.raises(gpu.ArgumentError, match="by position and by name"):
        kernel(same, source=same, factor=1, groups=1)


def test_shapes_of_textures_and_structs(device: str) -> None:
    kernel = gpu.compile(EVERYTHING, device=device)
    image, part = np.zeros((8, 8, 4), np.float32), np.zeros(1, [("at", "f4", 3)])
    first = {"image": image, "target": image.copy(), "planes": [image[..., 0]] * 3}
    for change, text in [
        ({"image": np.zeros(8, np.float32)}, "`image` has the shape (8,), and needs (height, width)"),
        ({"image": np.zeros((8, 8, 5), np.float32)}, "`image` has 5 channels"),
        ({"target": np.zeros((8, 8), np.float32)}, "`target` is an array of 1 × float32, and needs 4 × float32"),
        ({"planes": [image] * 2}, "`planes` needs a list of 3 arrays"),
        ({"linearClamp": 1}, "`linearClamp` needs a sampler"),
        ({"parts": image}, "needs structs with the fields `at`, `rows`, `columns`, `on`, `counts`"),
        ({"parts": part}, "`parts` has no field `rows`"),
        ({"N": 1.5}, "`N` is 1.5, and needs a uint"),
        ({"N": -1}, "out of range for uint of 32 bits"),
    ]:
        rest = {
            "volume": np.zeros((2, 1, 2), np.uint32), "layers": floats(2, 1, 8, 2),
            "texels": np.zeros((4, 2), np.uint32),
            "found": np.zeros(8, np.uint32), "bytes": np.zeros(8, np.uint32), "scale": 1, "matrix_": np.eye(4, 3),
            "limit": 1, "parts": np.zeros(5, kernel.dtype("parts")),
        }  # fmt: skip
        with pytest.raises(gpu.ArgumentError) as error:
            kernel(**{**first, **rest, **change}, groups=1)
        assert text in error.value.message


def test_shaders_that_do_not_compile() -> None:
    with pytest.raises(gpu.CompileError, match=r"HLSL1794") as error:
        gpu.compile("[numthreads(1, 1, 1)] void main() { x = 1; }", device=next(iter(gpu.devices()), None))
    assert error.value.diagnostics[0].code.id == "HLSL0301"
    assert "kernel.hlsl:1:37" in error.value.message


def test_shared_bindings(device: str) -> None:
    text = """[[vk::binding(0)]] Buffer<int> a; [[vk::binding(0)]] RWBuffer<int> b;
        [numthreads(1, 1, 1)] void main() { b[0] = a[0]; }"""
    with pytest.raises(gpu.UnsupportedError, match=r"`a` and `b` share binding 0 of set 0 \[HLSL1795\]"):
        gpu.compile(text, device=device)


def test_modules_that_the_driver_refuses(device: str) -> None:
    text = "RWStructuredBuffer<int> o; [numthreads(1, 1, 1)] void main() { o[0] = 1; }"
    kernel = gpu.compile(text, device=device)
    kernel.code.entry = "other"
    with pytest.raises(gpu.DriverError, match=r"other.*(HLSL1796|HLSL1891)"):
        kernel(np.zeros(1, np.int32), groups=1)


def test_options_choose_the_profile(device: str) -> None:
    options = CompileOptions(profile="cs_6_0", target_env="vulkan1.1", defines=(("TWO", "2"),))
    text = "RWBuffer<int> o : register(u0); [numthreads(1, 1, 1)] void main() { o[0] = TWO + ONE + SIX; }"
    kernel = gpu.compile(text, options=options, defines={"ONE": True, "SIX": 6}, device=device)
    assert kernel.run(np.zeros(1, np.int32), groups=1)["o"].tolist() == [9]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [("metal", "there is no library `metal`"), ("vulkan:no such thing", "no device `no such thing`")],
)
def test_devices_that_do_not_exist(wanted: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(gpu.NoDeviceError, match="the device is 3, which is no text"):
        backend(3)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(gpu.NoDeviceError, match=text) as error:
            backend(wanted)
    monkeypatch.setenv("HLSL_TOOL_GPU", wanted)
    with pytest.raises(gpu.NoDeviceError) as again:
        gpu.array(floats(1))
    assert again.value.code == error.value.code == "HLSL1790"


PRODUCT = """
#include <dx/linalg.h>
using namespace dx::linalg;
using A = Matrix<ComponentType::F16, 16, 16, MatrixUse::A, MatrixScope::Wave>;
using B = Matrix<ComponentType::F16, 16, 16, MatrixUse::B, MatrixScope::Wave>;
ByteAddressBuffer left, right;
RWByteAddressBuffer result;
[numthreads(64, 1, 1)] void main() {
  A a = A::Load(left, 0, 32, MatrixLayout::RowMajor);
  B b = B::Load(right, 0, 32, MatrixLayout::RowMajor);
  Multiply<ComponentType::F32>(a, b).Store(result, 0, 64, MatrixLayout::RowMajor);
}
"""


def test_cooperative_matrices(device: str) -> None:
    """A device computes the product, or the error names the extension that it lacks."""
    options = CompileOptions(target_env="vulkan1.3", profile="cs_6_10", enable_16bit_types=True)
    kernel = gpu.compile(PRODUCT, device=device, options=options)
    a, b = (np.random.default_rng(seed).integers(-4, 5, (16, 16)).astype(np.float16) for seed in (1, 2))
    result = np.zeros((16, 16), np.float32)
    try:
        kernel(a, b, result, groups=1)
    except gpu.UnsupportedError as error:
        assert device == "wgpu" or "VK_KHR_cooperative_matrix" in str(error)
        return
    np.testing.assert_array_equal(result, a.astype(np.float32) @ b)
