"""Cooperative matrices, and number types that only they have; skipped if the device lacks them."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import storage

SOURCE = """
#include <vk/khr/cooperative_matrix.h>
#include <vk/khr/bfloat16.h>
#include <vk/ext/float8.h>
RWStructuredBuffer<PART> data : register(u0);
RWStructuredBuffer<SUM> result : register(u1);
[numthreads(32, 1, 1)] void main() {
  using A = vk::khr::CooperativeMatrixA<PART, vk::ScopeSubgroup, 16, K>;
  using B = vk::khr::CooperativeMatrixB<PART, vk::ScopeSubgroup, K, 16>;
  using C = vk::khr::CooperativeMatrixAccumulator<SUM, vk::ScopeSubgroup, 16, 16>;
  A a = A::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 0, K);
  B b = B::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 16 * K, 16);
  C c = vk::khr::cooperativeMatrixMixedMultiplyAdd(a, b, C::Splat(1));
  c.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(result, 0, 16);
}"""
OPTIONS = {
    "profile": "cs_6_6",
    "target_env": "vulkan1.3",
    "enable_16bit_types": True,
    "enable_8bit_types": True,
}


def bfloat16(*values: int) -> bytes:
    return b"".join(struct.pack("<f", value)[2:] for value in values)


def float8_e4m3(*values: int) -> bytes:
    """Return the bytes of small integers (-3 to 3) as 8-bit floats."""
    bits = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44}
    return bytes(bits[abs(value)] | (0x80 if value < 0 else 0) for value in values)


PARTS = {
    "half": (("float", 16), lambda *v: struct.pack(f"<{len(v)}e", *v), ("shaderFloat16", "storageBuffer16BitAccess")),
    "int8_t": (("int", 32), lambda *v: struct.pack(f"<{len(v)}b", *v), ("shaderInt8", "storageBuffer8BitAccess")),
    "vk::khr::bfloat16_t": (("float", 16), bfloat16, ("VK_KHR_shader_bfloat16", "storageBuffer16BitAccess")),
    "vk::ext::float8_e4m3_t": (("float", 32), float8_e4m3, ("VK_EXT_shader_float8", "storageBuffer8BitAccess")),
}
"""Component of the factors → (component of the sum, inner dimension), its bytes, the features that it needs."""


@pytest.mark.parametrize("part", PARTS)
def test_products(run: Runner, part: str) -> None:
    (total, inner), pack, features = PARTS[part]
    run.needs("cooperativeMatrix", *features)
    a = [(i * 7) % 5 - 2 for i in range(16 * inner)]
    b = [(i * 3) % 4 - 1 for i in range(16 * inner)]
    source = SOURCE.replace("PART", part).replace("SUM", total)
    source = source.replace(" K>", f" {inner}>").replace(" K,", f" {inner},").replace(" K)", f" {inner})")
    source = source.replace("16 * K", str(16 * inner))
    given = {(0, 0): storage(pack(*a, *b)), (0, 1): storage(1024)}
    out = run(source, given, **OPTIONS)[0, 1]
    wanted = tuple(
        1 + sum(a[row * inner + k] * b[k * 16 + column] for k in range(inner))
        for row in range(16)
        for column in range(16)
    )
    assert struct.unpack("<256f" if total == "float" else "<256i", out) == wanted


def test_bfloat16(run: Runner) -> None:
    run.needs("VK_KHR_shader_bfloat16", "storageBuffer16BitAccess")
    source = """
#include <vk/khr/bfloat16.h>
RWStructuredBuffer<vk::khr::bfloat16_t> b : register(u0);
RWStructuredBuffer<float> f : register(u1);
[numthreads(1, 1, 1)] void main() {
  b[1] = vk::khr::ToBFloat16(f[0] * 3);
  f[1] = vk::khr::ToFloat(b[0]) + 1;
}"""
    given = {(0, 0): storage(bfloat16(5, 0)), (0, 1): storage(struct.pack("<2f", 0.5, 0))}
    out = run(source, given, **OPTIONS)
    assert out[0, 0][2:4] == bfloat16(1.5)  # type: ignore[arg-type]
    assert struct.unpack("<2f", out[0, 1])[1] == 6
