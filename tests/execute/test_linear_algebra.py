"""Matrices of a wave with dx/linalg.h; skipped if the device lacks cooperative matrices of their type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import storage

HEAD = """
#include <dx/linalg.h>
using namespace dx::linalg;
using A = Matrix<ComponentType::PART, 16, 16, MatrixUse::A, MatrixScope::Wave>;
using B = Matrix<ComponentType::PART, 16, 16, MatrixUse::B, MatrixScope::Wave>;
using C = Matrix<ComponentType::SUM, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
ByteAddressBuffer given : register(t0);
RWByteAddressBuffer result : register(u1);
static const uint N = 16;
"""
OPTIONS = {"profile": "cs_6_10", "target_env": "vulkan1.3", "enable_16bit_types": True}
NEEDED = ("cooperativeMatrix", "vulkanMemoryModel", "shaderFloat16", "storageBuffer16BitAccess")
TYPES = {"F16": np.float16, "F32": np.float32, "I8": np.int8, "U8": np.uint8, "I32": np.int32, "U32": np.uint32}


def numbers(part: str, seed: int) -> Any:
    """Return a matrix of small integers, of which products are exact."""
    start = 0 if part.startswith("U") else -4
    return np.random.default_rng(seed).integers(start, 5, (16, 16)).astype(TYPES[part])


def compute(run: Runner, body: str, *matrices: Any, part: str = "F16", total: str = "F32", shared: str = "") -> Any:
    """Return the matrix of components ``total`` that a wave stores to `result`; `given` has `matrices`."""
    run.needs(*NEEDED)
    head = HEAD.replace("PART", part).replace("SUM", total) + shared
    source = f"{head}[numthreads(32, 1, 1)] void main(uint thread : SV_GroupIndex) {{ {body} }}"
    size = 256 * np.dtype(TYPES[total]).itemsize
    data = b"".join(np.ascontiguousarray(m).tobytes() for m in matrices) or bytes(4)
    out = run(source, {(0, 0): storage(data), (0, 1): storage(size)}, **OPTIONS)[0, 1]
    return np.frombuffer(out, TYPES[total]).reshape(16, 16)


LOADS = """
A a = A::Load(given, 0, 16 * sizeof(PART), MatrixLayout::RowMajor);
B b = B::Load(given, 256 * sizeof(PART), 16 * sizeof(PART), MatrixLayout::RowMajor);
"""
STORE = "c.Store(result, 0, 16 * 4, MatrixLayout::RowMajor);"


def loads(size: int) -> str:
    return LOADS.replace("sizeof(PART)", str(size))


@pytest.mark.parametrize(("part", "total"), [("F16", "F32"), ("I8", "I32"), ("U8", "U32")])
def test_product(run: Runner, part: str, total: str) -> None:
    a, b = numbers(part, 1), numbers(part, 2)
    body = f"{loads(a.itemsize)} C c = Multiply<ComponentType::{total}>(a, b); {STORE}"
    np.testing.assert_array_equal(compute(run, body, a, b, part=part, total=total), a.astype(int) @ b.astype(int))


@pytest.mark.parametrize("layout", ["RowMajor", "ColMajor"])
def test_layouts(run: Runner, layout: str) -> None:
    a, b, c = numbers("F16", 1), numbers("F16", 2), numbers("F32", 3)
    body = f"""{loads(2)}
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
    body = f"""{loads(2)}
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
    found = compute(run, f"C c = C::Splat(thread + 3); {STORE}")
    np.testing.assert_array_equal(found, np.full((16, 16), 3))


@pytest.mark.parametrize(("use", "total"), [("A", "F32"), ("B", "F32")])
def test_sums_of_uses(run: Runner, use: str, total: str) -> None:
    a, b = numbers("F16", 1), numbers("F16", 2)
    body = f"{loads(2)} C c = Multiply<ComponentType::F32>(a, b); c.Accumulate({use.lower()}); {STORE}"
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(compute(run, body, a, b), product + (a if use == "A" else b))


def test_cast_to_an_accumulator(run: Runner) -> None:
    a = numbers("F16", 1)
    body = f"{loads(2)} C c = a.Cast<ComponentType::F32, MatrixUse::Accumulator>(); {STORE}"
    np.testing.assert_array_equal(compute(run, body, a, a), a.astype(np.float32))


def test_cast_rounds_and_saturates(run: Runner) -> None:
    given = np.linspace(-3e9, 6e9, 256, dtype=np.float32).reshape(16, 16)
    given[0, :8] = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1e30, -1e30]
    body = f"""
        Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave> f;
        f = f.Load(given, 0, 64, MatrixLayout::RowMajor);
        C c = f.Cast<ComponentType::U32>();
        {STORE}"""
    largest = float(np.nextafter(np.float32(2**32), np.float32(0)))
    wanted = np.clip(np.round(given.astype(np.float64)), 0, largest).astype(np.uint32)
    np.testing.assert_array_equal(compute(run, body, given, total="U32"), wanted)


@pytest.mark.parametrize("total", ["F32", "I32", "U32"])
def test_atomic_sums_in_a_buffer(run: Runner, total: str) -> None:
    run.needs(*["shaderBufferFloat32AtomicAdd"] * (total == "F32"))
    c = numbers(total, 1)
    body = """
        C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
        c.Store(result, 0, 64, MatrixLayout::ColMajor);
        DeviceMemoryBarrierWithGroupSync();
        c.InterlockedAccumulate(result, 0, 64, MatrixLayout::RowMajor);"""
    np.testing.assert_array_equal(compute(run, body, c, total=total), c + c.T)


@pytest.mark.parametrize("array", ["float array[256]", "float2 array[128]"])
def test_atomic_sums_in_groupshared_memory(run: Runner, array: str) -> None:
    run.needs("shaderSharedFloat32AtomicAdd")
    c = numbers("F32", 1)
    body = f"""
        C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
        c.Store(array, 0, 16, MatrixLayout::ColMajor);
        GroupMemoryBarrierWithGroupSync();
        c.InterlockedAccumulate(array, 0, 16, MatrixLayout::RowMajor);
        GroupMemoryBarrierWithGroupSync();
        c = C::Load(array, 0, 16, MatrixLayout::RowMajor);
        {STORE}"""
    np.testing.assert_array_equal(compute(run, body, c, shared=f"groupshared {array};\n"), c + c.T)
