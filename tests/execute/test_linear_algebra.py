"""Matrices of waves and thread groups, and small floats, with dx/linalg.h; skipped if the device lacks a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.source import MemoryFileSystem
from tests.execute.tables import Runner
from tests.execute.vulkan import Vulkan, storage

HEAD = """
#include <dx/linalg.h>
using namespace dx::linalg;
using A = Matrix<ComponentType::PART, 16, INNER, MatrixUse::A, MatrixScope::Wave>;
using B = Matrix<ComponentType::PART, INNER, 16, MatrixUse::B, MatrixScope::Wave>;
using C = Matrix<ComponentType::SUM, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
ByteAddressBuffer given : register(t0);
RWByteAddressBuffer result : register(u1);
"""
OPTIONS = {"profile": "cs_6_10", "target_env": "vulkan1.3", "enable_16bit_types": True}
NEEDED = ("cooperativeMatrix", "vulkanMemoryModel")
COMPONENTS = {"F16": ("shaderFloat16",), "I8": ("shaderInt8",), "U8": ("shaderInt8",)}
"""Component type → the features that it needs."""
INNER = {"F16": 16, "I8": 32, "U8": 32}
"""Component type → the columns of the first factor, as GPUs have them for 16 rows."""
TYPES = {"F16": np.float16, "F32": np.float32, "I8": np.int8, "U8": np.uint8, "I32": np.int32, "U32": np.uint32}


def numbers(part: str, seed: int, shape: tuple[int, int] = (16, 16)) -> Any:
    """Return a matrix of small integers, of which products are exact."""
    start = 0 if part.startswith("U") else -4
    return np.random.default_rng(seed).integers(start, 5, shape).astype(TYPES[part])


def compute(
    run: Runner,
    body: str,
    *matrices: Any,
    part: str = "F16",
    total: str = "F32",
    shared: str = "",
    **options: Any,
) -> Any:
    """Return the matrix of components ``total`` that waves store to `result`; `given` has `matrices`.

    All waves of the thread group compute the same, so that any size of a wave will do.
    """
    run.needs(*NEEDED, "subgroupBallot", *COMPONENTS[part])
    head = HEAD.replace("PART", part).replace("SUM", total) + shared
    head = head.replace("INNER", str(INNER[part]))
    source = f"{head}[numthreads(64, 1, 1)] void main() {{ {body} }}"
    size = 256 * np.dtype(TYPES[total]).itemsize
    data = b"".join(np.ascontiguousarray(m).tobytes() for m in matrices) or bytes(4)
    out = run(source, {(0, 0): storage(data), (0, 1): storage(size)}, **{**OPTIONS, **options})[0, 1]
    return np.frombuffer(out, TYPES[total]).reshape(16, 16)


STORE = "c.Store(result, 0, 16 * 4, MatrixLayout::RowMajor);"


def loads(part: str = "F16") -> str:
    """Return the statements that load the factors `a` and `b`."""
    size, inner = np.dtype(TYPES[part]).itemsize, INNER[part]
    return f"""
        A a = A::Load(given, 0, {inner * size}, MatrixLayout::RowMajor);
        B b = B::Load(given, {16 * inner * size}, {16 * size}, MatrixLayout::RowMajor);"""


@pytest.mark.parametrize(("part", "total"), [("F16", "F32"), ("I8", "I32"), ("U8", "U32")])
def test_product(run: Runner, part: str, total: str) -> None:
    a, b = numbers(part, 1, (16, INNER[part])), numbers(part, 2, (INNER[part], 16))
    body = f"{loads(part)} C c = Multiply<ComponentType::{total}>(a, b); {STORE}"
    np.testing.assert_array_equal(compute(run, body, a, b, part=part, total=total), a.astype(int) @ b.astype(int))


GROUP = """
#include <dx/linalg.h>
using namespace dx::linalg;
using A = Matrix<ComponentType::F16, 64, 64, MatrixUse::A, MatrixScope::ThreadGroup>;
using B = Matrix<ComponentType::F16, 64, 64, MatrixUse::B, MatrixScope::ThreadGroup>;
ByteAddressBuffer given : register(t0);
RWByteAddressBuffer result : register(u1);
[numthreads(128, 1, 1)] void main() {
  A a = A::Load(given, 0, 128, MatrixLayout::RowMajor);
  B b = B::Load(given, 8192, 128, MatrixLayout::ColMajor);
  Multiply<ComponentType::F32>(a, b).Store(result, 0, 256, MatrixLayout::RowMajor);
}"""


def test_product_of_a_thread_group(run: Runner) -> None:
    run.needs(*NEEDED, "cooperativeMatrixWorkgroupScope", *COMPONENTS["F16"])
    a, b = numbers("F16", 1, (64, 64)), numbers("F16", 2, (64, 64))
    given = {(0, 0): storage(a.tobytes() + b.tobytes()), (0, 1): storage(64 * 64 * 4)}
    found = np.frombuffer(run(GROUP, given, **OPTIONS)[0, 1], np.float32)
    np.testing.assert_array_equal(found.reshape(64, 64), a.astype(np.float32) @ b.T.astype(np.float32))


@pytest.mark.parametrize("layout", ["RowMajor", "ColMajor"])
def test_layouts(run: Runner, layout: str) -> None:
    a, b, c = numbers("F16", 1), numbers("F16", 2), numbers("F32", 3)
    body = f"""{loads()}
        C c = C::Load(given, 1024, 64, MatrixLayout::{layout});
        c.MultiplyAccumulate(a, b);
        c.Store(result, 0, 64, MatrixLayout::{layout});"""
    found = compute(run, body, a, b, c)
    total = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(found, c + total if layout == "RowMajor" else c + total.T)


@pytest.mark.parametrize(
    ("array", "start", "stride"),
    [("float array[16 * 20]", 4, 20), ("float4 array[16 * 5]", 4, 20), ("uint array[16 * 16]", 0, 16)],
)
def test_groupshared(run: Runner, array: str, start: int, stride: int) -> None:
    """A matrix is stored to an array, and loaded from there in the other order."""
    a, b = numbers("F16", 1), numbers("F16", 2)
    body = f"""{loads()}
        C c = Multiply<ComponentType::F32>(a, b);
        c.Store(array, {start}, {stride}, MatrixLayout::RowMajor);
        GroupMemoryBarrierWithGroupSync();
        c = C::Load(array, {start}, {stride}, MatrixLayout::ColMajor);
        {STORE}"""
    found = compute(run, body, a, b, shared=f"groupshared {array};\n")
    np.testing.assert_array_equal(found, (a.astype(np.float32) @ b.astype(np.float32)).T)


def test_elements(run: Runner) -> None:
    """Each element becomes a number that its coordinates determine; indices out of range have no effect."""
    body = f"""
        C c = C::Splat(7);
        for (uint i = 0; i < c.Length(); ++i) {{
          uint2 at = c.GetCoordinate(i);
          c.Set(i, c.Get(i) + at.x * 100 + at.y);
        }}
        c.Set(c.Length(), 1000);
        if (any(c.GetCoordinate(c.Length()) != 0xFFFFFFFF) || c.Get(c.Length()) != 0) c = C::Splat(-1);
        {STORE}"""
    row, column = np.indices((16, 16))
    np.testing.assert_array_equal(compute(run, body), 7 + row * 100 + column)


def test_splat(run: Runner) -> None:
    """The first thread of a wave determines the number."""
    found = compute(run, f"C c = C::Splat(WaveGetLaneIndex() + 3); {STORE}")
    np.testing.assert_array_equal(found, np.full((16, 16), 3))


def test_branches(run: Runner) -> None:
    """SPIR-V has no ``OpSelect`` of matrices."""
    body = """
        C c = C::Splat(1), d = C::Splat(2);
        if (WaveGetLaneCount() > 0) c = d;
        C e = WaveGetLaneCount() > 0 ? c : C::Splat(3);
        e.Store(result, 0, 64, MatrixLayout::RowMajor);"""
    np.testing.assert_array_equal(compute(run, body), np.full((16, 16), 2))


@pytest.mark.parametrize("use", ["A", "B"])
def test_sums_of_uses(run: Runner, use: str) -> None:
    a, b = numbers("F16", 1), numbers("F16", 2)
    body = f"{loads()} C c = Multiply<ComponentType::F32>(a, b); c.Accumulate({use.lower()}); {STORE}"
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(compute(run, body, a, b), product + (a if use == "A" else b))


def test_cast_to_an_accumulator(run: Runner) -> None:
    a = numbers("F16", 1)
    body = f"{loads()} C c = a.Cast<ComponentType::F32, MatrixUse::Accumulator>(); {STORE}"
    np.testing.assert_array_equal(compute(run, body, a, a), a.astype(np.float32))


def test_cast_of_an_accumulator(run: Runner) -> None:
    """An accumulator becomes the factors of the next product, the second one with transposition."""
    run.needs("cooperativeMatrixConversions")
    c = numbers("F32", 1)
    body = f"""
        C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
        A a = c.Cast<ComponentType::F16, MatrixUse::A>();
        B b = c.Cast<ComponentType::F16, MatrixUse::B, true>();
        c = Multiply<ComponentType::F32>(a, b);
        {STORE}"""
    extensions = ("KHR", "SPV_NV_cooperative_matrix2")
    np.testing.assert_array_equal(compute(run, body, c, extensions=extensions), c @ c.T)


def test_cast_rounds_and_saturates(run: Runner) -> None:
    given = np.linspace(-3e9, 6e9, 256, dtype=np.float32).reshape(16, 16)
    given[0, :8] = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1e30, -1e30]
    body = f"""
        Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave> f;
        f = f.Load(given, 0, 64, MatrixLayout::RowMajor);
        C c = f.Cast<ComponentType::U32>();
        {STORE}"""
    largest = float(np.nextafter(np.float32(2**32), np.float32(0)))
    wanted = np.minimum(np.maximum(np.round(given.astype(np.float64)), 0), largest).astype(np.uint32)
    np.testing.assert_array_equal(compute(run, body, given, total="U32"), wanted)


@pytest.mark.parametrize("total", ["F32", "I32", "U32"])
def test_atomic_sums_in_a_buffer(run: Runner, total: str) -> None:
    run.needs(*["shaderBufferFloat32AtomicAdd"] * (total == "F32"))
    c = numbers(total, 1)
    body = """
        C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
        c.Store(result, 0, 64, MatrixLayout::ColMajor);
        DeviceMemoryBarrierWithGroupSync();
        if (GetGroupWaveIndex() == 0) c.InterlockedAccumulate(result, 0, 64, MatrixLayout::RowMajor);"""
    np.testing.assert_array_equal(compute(run, body, c, total=total), c + c.T)


@pytest.mark.parametrize("array", ["float array[256]", "float2 array[128]", "uint8_t4_packed array[256]"])
def test_atomic_sums_in_groupshared_memory(run: Runner, array: str) -> None:
    run.needs(*["shaderSharedFloat32AtomicAdd"] * array.startswith("float"))
    c = numbers("F32", 1)
    body = f"""
        C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
        c.Store(array, 0, 16, MatrixLayout::ColMajor);
        GroupMemoryBarrierWithGroupSync();
        if (GetGroupWaveIndex() == 0) c.InterlockedAccumulate(array, 0, 16, MatrixLayout::RowMajor);
        GroupMemoryBarrierWithGroupSync();
        c = C::Load(array, 0, 16, MatrixLayout::RowMajor);
        {STORE}"""
    np.testing.assert_array_equal(compute(run, body, c, shared=f"groupshared {array};\n"), c + c.T)


# ------------------------------------------------------------------------------------------- numbers that a uint holds

CONVERT = """
#include <dx/linalg.h>
using namespace dx::linalg;
RWByteAddressBuffer numbers : register(u0);
RWByteAddressBuffer result : register(u1);
[numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  vector<T, N> given = numbers.Load<vector<T, N> >(i * sizeof(T) * N);
  result.Store(i * SIZE, Convert<ComponentType::TO, ComponentType::FROM>(given).Data);
}"""
E4M3 = np.array(
    [
        (-1.0) ** (bits >> 7)
        * ((bits & 7) * 2.0**-9 if not bits & 0x78 else (1 + (bits & 7) / 8) * 2.0 ** ((bits >> 3 & 15) - 7))
        for bits in range(256)
    ],
    np.float32,
)
"""The numbers of the bits of `ComponentType::F8_E4M3FN`, but for those of NaN."""


def convert(run: Runner, source: str, target: str, t: str, count: int, data: Any, size: int, dtype: Any) -> Any:
    """Return the vectors that 64 threads convert; `t` is the type of `count` scalars, `size` the bytes of a result."""
    shader = CONVERT.replace("FROM", source).replace("TO", target).replace("SIZE", str(size))
    shader = shader.replace("vector<T, N>", f"vector<{t}, {count}>").replace("sizeof(T) * N", str(4 * count))
    given = {(0, 0): storage(np.ascontiguousarray(data).tobytes()), (0, 1): storage(64 * size)}
    return np.frombuffer(run(shader, given, profile="cs_6_10", target_env="vulkan1.3")[0, 1], dtype)


def bfloat16(numbers: Any) -> Any:
    """Round 32-bit floats to the bits of bfloat16."""
    bits = numbers.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def test_small_floats_are_unpacked(run: Runner) -> None:
    bits = np.arange(256, dtype=np.uint8)
    found = convert(run, "F8_E4M3FN", "F32", "uint", 1, bits, 16, np.float32)
    np.testing.assert_array_equal(found, np.where(bits & 0x7F == 0x7F, np.nan, E4M3))
    found = convert(run, "F8_E5M2", "F32", "uint", 1, bits, 16, np.float32)
    np.testing.assert_array_equal(found, (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32))
    short = (np.arange(128) * 509).astype(np.uint16)
    found = convert(run, "BFloat16", "F32", "uint", 1, short, 8, np.float32)
    np.testing.assert_array_equal(found, (short.astype(np.uint32) << 16).view(np.float32))


def test_small_floats_are_packed(run: Runner) -> None:
    """Each number becomes the nearest one, and the even one of two."""
    numbers = np.random.default_rng(3).normal(0, 40, 256).astype(np.float32)
    numbers[:6] = [0, -0.0, 17, 19, 1e9, np.nan]
    packed = convert(run, "F32", "F8_E4M3FN", "float", 4, numbers, 4, np.uint8)
    distance = np.abs(E4M3[:127] - np.abs(numbers)[:, None])
    nearest = np.argmin(distance + (np.arange(127) & 1) * 1e-7, axis=1)
    wanted = np.where(np.isnan(numbers), 0x7F, nearest | np.signbit(numbers) * 0x80)
    np.testing.assert_array_equal(packed & np.where(np.isnan(numbers), 0x7F, 0xFF), wanted)
    packed = convert(run, "F32", "BFloat16", "float", 4, numbers[:256], 8, np.uint16)
    np.testing.assert_array_equal(packed[:5], bfloat16(numbers)[:5])
    np.testing.assert_array_equal(packed[6:], bfloat16(numbers)[6:])


def test_integers_are_packed(run: Runner) -> None:
    numbers = np.linspace(-300, 300, 256, dtype=np.float32)
    packed = convert(run, "F32", "I8", "float", 4, numbers, 4, np.int8)
    np.testing.assert_array_equal(packed, np.minimum(np.maximum(np.round(numbers), -128), 127).astype(np.int8))
    packed = convert(run, "F32", "U8", "float", 4, numbers, 4, np.uint8)
    np.testing.assert_array_equal(packed, np.minimum(np.maximum(np.round(numbers), 0), 255).astype(np.uint8))
    found = convert(run, "I8", "I32", "uint", 1, np.arange(256, dtype=np.uint8), 16, np.int32)
    np.testing.assert_array_equal(found, np.arange(256).astype(np.uint8).view(np.int8))


PRODUCT = """
#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model : register(t0);
RWByteAddressBuffer result : register(u1);
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  using M = Matrix<ComponentType::SMALL, 8, 12, MatrixUse::A, MatrixScope::Thread>;
  M m = M::Load<MatrixLayout::LAYOUT>(model, 0, STRIDE);
  vector<float, 12> v = model.Load<vector<float, 12> >(512 + i * 48);
  VectorRef<ComponentType::F32, 8> bias = {model, 2560};
  result.Store(i * 32, PRODUCT);
}"""


@pytest.mark.parametrize("product", ["Multiply<float>(m, v)", "MultiplyAdd<float>(m, v, bias)"])
@pytest.mark.parametrize("layout", ["RowMajor", "ColMajor"])
@pytest.mark.parametrize("small", ["F8_E4M3FN", "F8_E5M2", "BFloat16"])
def test_products_of_small_floats(run: Runner, small: str, layout: str, product: str) -> None:
    """Cooperative vectors do not have these products: they are plain code, after optimisation or for `BFloat16`."""
    run.needs(*["cooperativeVector"] * (small != "BFloat16" and run.optimize == "none"))
    random = np.random.default_rng(7)
    matrix, vectors, bias = (random.integers(-3, 4, shape).astype(np.float32) for shape in [(8, 12), (32, 12), (8,)])
    encode = {
        "F8_E4M3FN": lambda m: (np.abs(E4M3[:127] - np.abs(m)[..., None]).argmin(-1) | (m < 0) * 0x80).astype(np.uint8),
        "F8_E5M2": lambda m: (m.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8),
        "BFloat16": bfloat16,
    }[small]
    stored = encode(matrix if layout == "RowMajor" else np.ascontiguousarray(matrix.T))
    rows = np.zeros((stored.shape[0], 16), stored.dtype)
    rows[:, : stored.shape[1]] = stored
    model = rows.tobytes().ljust(512, b"\0") + vectors.tobytes()
    given = {(0, 0): storage(model.ljust(2560, b"\0") + bias.tobytes()), (0, 1): storage(32 * 32)}
    source = PRODUCT.replace("SMALL", small).replace("LAYOUT", layout).replace("PRODUCT", product)
    source = source.replace("STRIDE", str(rows.itemsize * 16))
    out = np.frombuffer(run(source, given, profile="cs_6_10", target_env="vulkan1.3")[0, 1], np.float32)
    np.testing.assert_array_equal(out.reshape(32, 8), vectors @ matrix.T + (bias if "Add" in product else 0))


LIBRARY = """
#include <dx/linalg.h>
using namespace dx::linalg;
using M = Matrix<ComponentType::F8_E5M2, 4, 4, MatrixUse::A, MatrixScope::Thread>;
float4 multiply(M m, float4 v) { return Multiply<float>(m, v); }
export float4 product(ByteAddressBuffer model, float4 v, bool by_columns) {
  if (by_columns) return multiply(M::Load<MatrixLayout::ColMajor>(model, 0, 16), v);
  return multiply(M::Load<MatrixLayout::RowMajor>(model, 0, 16), v);
}"""
PROGRAM = """
ByteAddressBuffer model : register(t0);
RWByteAddressBuffer result : register(u1);
float4 product(ByteAddressBuffer model, float4 v, bool by_columns);
[numthreads(2, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  result.Store(i * 32, product(model, float4(1, 2, 3, i), false));
  result.Store(i * 32 + 16, product(model, float4(1, 2, 3, i), true));
}"""


@pytest.mark.parametrize("optimize", ["performance", "size"])
def test_products_in_a_library(vulkan: Vulkan, optimize: str) -> None:
    """A library is not legalised: layouts of matrices become constants after it is linked."""
    files = MemoryFileSystem({"/library.hlsl": LIBRARY})
    matrix = np.arange(16, dtype=np.float16).reshape(4, 4) % 5
    rows = np.zeros((4, 16), np.uint8)
    rows[:, :4] = matrix.view(np.uint16) >> 8
    options = CompileOptions(optimize=optimize, target_env="vulkan1.3", libraries=("/library.hlsl",))
    linked = compile_shader(PROGRAM, profile="cs_6_10", options=options, fs=files)
    assert linked.ok, linked.diagnostics
    given = {(0, 0): storage(rows.tobytes()), (0, 1): storage(64)}
    out = np.frombuffer(vulkan.run_compute(linked.spirv, given)[0, 1], np.float32).reshape(2, 2, 4)
    for i in range(2):
        v = np.array([1, 2, 3, i], np.float32)
        np.testing.assert_array_equal(out[i], [matrix @ v, matrix.T @ v])
