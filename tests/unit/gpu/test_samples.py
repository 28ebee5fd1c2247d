"""Kernels of shaders/compute, called on numpy arrays, compared with numpy's own results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlsl_tool import CompileOptions, gpu
from tests.wgsl_limits import Limit

SHADERS = Path(__file__).parents[3] / "shaders"
RANDOM = np.random.default_rng(7)

pytestmark = pytest.mark.execute


def load(name: str, entry: str, device: str, **defines: object) -> gpu.Kernel:
    path = SHADERS / "compute" / f"{name}.hlsl"
    return gpu.load(path, entry, defines=defines, include_dirs=[SHADERS / "include"], device=device)


def picture(height: int, width: int) -> np.ndarray[Any, Any]:
    return RANDOM.random((height, width, 4), np.float32)


@pytest.mark.parametrize("horizontal", [True, False])
def test_gaussian_blur(device: str, horizontal: bool) -> None:
    kernel = load("gaussian_blur", "CSMain", device, HORIZONTAL=horizontal, RADIUS=4)
    source = picture(37, 150)
    height, width, _ = source.shape
    target = np.zeros_like(source)
    kernel(source, target, size=(width, height), sigma=1.5, sourceLevel=0, threads=(width, height))
    weights = np.exp(-0.5 * np.arange(-4, 5) ** 2 / 1.5**2)
    axis = 1 if horizontal else 0
    padded = np.pad(source, [(4, 4) if k == axis else (0, 0) for k in range(3)], mode="edge")
    wanted = sum(
        weight * np.take(padded, range(k, k + source.shape[axis]), axis) for k, weight in enumerate(weights)
    ) / sum(weights)
    np.testing.assert_allclose(target, wanted, rtol=1e-5, atol=1e-6)


def test_histogram_counts(device: str) -> None:
    kernel = load("histogram", "CSCount", device)
    bins = RANDOM.integers(1, 255, (40, 33))
    luminance = np.exp2((bins - 0.5) / 254 * 10 - 7)
    source = np.repeat(luminance[..., None], 3, axis=2).astype(np.float32)  # RGB
    counts = np.zeros(256, np.uint32)
    kernel(
        source, counts, threads=(33, 40), size=(33, 40), minLog=-7, inverseRange=0.1, range=10, adaptation=1,
        percentiles=(0, 1),
    )  # fmt: skip
    np.testing.assert_array_equal(counts, np.bincount(bins.ravel(), minlength=256))


def test_histogram_average(device: str) -> None:
    kernel = load("histogram", "CSAverage", device)
    counts = RANDOM.integers(0, 100, 256).astype(np.uint32)
    before = counts.copy()
    average = np.array([np.nan], np.float32)
    kernel(
        counts, average, groups=1, size=(int(counts.sum()), 1), minLog=-7, inverseRange=0.1, range=10, adaptation=1,
        percentiles=(0, 1),
    )  # fmt: skip
    mean = (before * np.arange(256)).sum() / before.sum() - 1
    np.testing.assert_allclose(average, np.exp2(mean / 254 * 10 - 7), rtol=1e-4)
    assert not counts.any()


def test_prefix_sum(device: str) -> None:
    blocks, sums, add = (load("prefix_sum", entry, device) for entry in ("CSBlocks", "CSSums", "CSAdd"))
    values = RANDOM.integers(0, 1000, 5000).astype(np.uint32)
    count = -(-len(values) // 1024)
    constants = {"count": len(values), "blocks": count}
    output = gpu.array(np.zeros_like(values), device=device)
    totals = gpu.array(np.zeros(count, np.uint32), device=device)
    blocks(values, output, totals, constants=constants, groups=count)
    sums(totals, constants=constants, groups=1)
    add(output, totals, constants=constants, threads=-(-len(values) // 4))
    np.testing.assert_array_equal(output.numpy(), np.cumsum(values) - values)


def test_luminance(device: str) -> None:
    kernel = load("luminance", "CSReduce", device)
    source = picture(64, 96)
    partial = np.zeros(6, np.float32)
    kernel(source, partial, size=(96, 64), partials=6, seconds=1, speed=(1, 1), limits=(0, 1), threads=(48, 32))
    logs = np.log2(np.maximum(source[..., :3].astype(float) @ [0.2126, 0.7152, 0.0722], 1e-4))
    y, x = np.mgrid[:64, :96]
    d = ((x + 0.5) / 96 * 2 - 1) ** 2 + ((y + 0.5) / 64 * 2 - 1) ** 2
    weighted = logs * np.clip(1 - 0.5 * d, 0, 1)
    wanted = weighted.reshape(2, 32, 3, 32).sum((1, 3)).ravel()
    np.testing.assert_allclose(partial, wanted, rtol=1e-3)


def test_fft(device: str, limit: Limit) -> None:
    kernel = load("fft", "CSMain", device)
    field = RANDOM.random((8, 512, 2), np.float32)
    wanted = np.fft.fft(field[..., 0] + 1j * field[..., 1], axis=1)
    try:
        kernel(field, columns=0, inverseTransform=0, scale=1.0, groups=8)
    except gpu.UnsupportedError as error:
        limit.reach(error.message.partition("WGSL: ")[2])
    np.testing.assert_allclose(field[..., 0] + 1j * field[..., 1], wanted, rtol=1e-3, atol=1e-3)


def test_fft_animation(device: str) -> None:
    kernel = load("fft", "CSAnimate", device)
    spectrum = np.zeros((512, 512), kernel.dtype("spectrum"))
    spectrum["amplitude"] = RANDOM.random((512, 512, 2))
    spectrum["frequency"] = RANDOM.random((512, 512))
    spectrum["wave"] = (3, 4)
    heights, slopes = (np.zeros((512, 512, 2), np.float32) for _ in range(2))
    kernel(spectrum, heights, slopes, seconds=2.0, choppiness=0.5, threads=(512, 512))
    amplitude = spectrum["amplitude"][..., 0] + 1j * spectrum["amplitude"][..., 1]
    height = amplitude * np.exp(1j * spectrum["frequency"] * 2)
    np.testing.assert_allclose(heights[..., 0] + 1j * heights[..., 1], height, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(slopes[..., 0] + 1j * slopes[..., 1], height * (-0.8 + 0.6j) / 2, rtol=1e-3, atol=1e-4)


def test_mip_generation(device: str) -> None:
    kernel = load("mip_generation", "CSMain", device)
    source = picture(64, 32)
    mips = [np.zeros((64 >> n, 32 >> n, 4), np.float32) for n in range(1, 5)]
    kernel(source, *mips, sourceLevel=0, levels=4, texel=(1 / 16, 1 / 32), threads=(16, 32))
    wanted = source
    for mip in mips:
        height, width, _ = wanted.shape
        wanted = wanted.reshape(height // 2, 2, width // 2, 2, 4).mean((1, 3))
        np.testing.assert_allclose(mip, wanted, rtol=1e-4, atol=1e-5)


def test_radix_sort(device: str) -> None:
    count_digits, scatter = (load("radix_sort", entry, device) for entry in ("CSCount", "CSScatter"))
    keys = RANDOM.standard_normal(1000).astype(np.float32)
    order = np.arange(1000, dtype=np.uint32)
    groups = 8
    sorted_keys, values = keys.copy(), order.copy()
    for shift in range(0, 32, 4):
        sort = {"count": 1000, "shift": shift, "groups": groups, "descending": 0}
        counts = np.zeros(16 * groups, np.uint32)
        count_digits(sorted_keys, counts, sort=sort, groups=groups)
        offsets = (np.cumsum(counts) - counts).astype(np.uint32)
        out = scatter.run(
            sorted_keys, values, offsets, np.zeros_like(keys), np.zeros_like(order), sort=sort, groups=groups
        )
        sorted_keys, values = out["keysOut"], out["valuesOut"]
    np.testing.assert_array_equal(sorted_keys, np.sort(keys))
    np.testing.assert_array_equal(values, np.argsort(keys, kind="stable"))


def test_voxel_splat(device: str, limit: Limit) -> None:
    kernel = load("voxelise", "CSSplat", device)
    points = np.zeros(500, kernel.dtype("points"))
    points["position"] = RANDOM.random((500, 3)) * 1.2 - 0.1
    size = np.array([7, 6, 5])
    packed, counts = (np.zeros(tuple(size[::-1]), np.uint32) for _ in range(2))
    occupied = np.zeros(-(-int(size.prod()) // 32), np.uint32)
    try:
        kernel(
            points, packed, counts, occupied, worldToVolume=np.eye(3, 4), size=size, pointCount=500, threads=500
        )  # fmt: skip
    except gpu.UnsupportedError as error:
        limit.reach(error.message.partition("WGSL: ")[2])
    inside = points["position"][((points["position"] >= 0) & (points["position"] < 1)).all(1)]
    wanted = np.zeros_like(counts)
    np.add.at(wanted, tuple((inside * size.astype(np.float32)).astype(int)[:, ::-1].T), 1)
    np.testing.assert_array_equal(counts, wanted)
    bits = np.unpackbits(occupied.view(np.uint8), bitorder="little")[: size.prod()]
    np.testing.assert_array_equal(bits, wanted.ravel() > 0)


def test_culling(device: str) -> None:
    kernel = load("culling", "CSMain", device, OCCLUSION=False)
    count = 200
    bounds = np.zeros(count, kernel.dtype("bounds"))
    bounds["centre"] = RANDOM.random((count, 3)) * 4 - 2
    bounds["radius"] = 0.1
    meshes = np.zeros(1, kernel.dtype("meshes"))
    meshes["distances"] = 1000
    draws = np.zeros(4, kernel.dtype("draws"))
    visible, statistics = np.zeros(count, np.uint32), np.zeros(3, np.uint32)
    counter = np.zeros(1, np.int32)
    planes = np.array([[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]])
    frame = np.zeros(1, kernel.dtype("Frame"))
    kernel(
        bounds, meshes, visible, draws, statistics, visible_counter=counter, Frame=frame, planes=planes,
        instanceCount=count, capacity=count, pyramidSize=(1, 1), lodScale=0, threads=count,
    )  # fmt: skip
    wanted = np.flatnonzero((np.abs(bounds["centre"]) < 1.1).all(1))
    assert counter[0] == draws["instanceCount"][0] == len(wanted)
    assert statistics.tolist() == [count, count - len(wanted), 0]
    np.testing.assert_array_equal(np.sort(visible[: len(wanted)]), wanted)


def test_nbody(device: str) -> None:
    kernel = load("nbody", "CSMain", device)
    count = 300
    before = np.zeros(count, kernel.dtype("before"))
    before["positionAndMass"] = RANDOM.random((count, 4))
    before["velocity"] = RANDOM.random((count, 3)) - 0.5
    after = np.zeros_like(before)
    simulation = {"count": count, "step": 0.5, "softening": 0.1, "damping": 0.75, "gravity": 0.25, "centre": (0, 1, 2)}
    kernel(before, after, simulation=simulation, threads=count)
    position, mass = before["positionAndMass"][:, :3].astype(float), before["positionAndMass"][:, 3].astype(float)
    offset = position[None] - position[:, None]
    inverse = 1 / np.sqrt((offset**2).sum(2) + 0.1**2)
    acceleration = 0.25 * (offset * (mass * inverse**3)[..., None]).sum(1) - (position - (0, 1, 2)) * 1e-4
    velocity = (acceleration * 0.5 + before["velocity"]) * 0.75
    heat = 0.1 * (np.linalg.norm(acceleration, axis=1) + (mass * inverse).sum(1) * 1e-3)
    np.testing.assert_allclose(after["velocity"], velocity, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(after["positionAndMass"][:, :3], position + velocity * 0.5, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(after["positionAndMass"][:, 3], before["positionAndMass"][:, 3])
    np.testing.assert_allclose(after["heat"], heat, rtol=1e-3)


def test_light_clusters(device: str) -> None:
    kernel = load("light_clusters", "CSMain", device)
    cells, tile, near, far = np.array([4, 3, 5]), np.array([32, 40]), 0.5, 50.0
    total, capacity = int(cells.prod()), 4000
    frame = np.zeros(1, kernel.dtype("Frame"))
    frame["camera"]["view"] = np.eye(4)
    frame["camera"]["planes"] = (near, far)
    frame["viewport"] = (128, 120, 1 / 128, 1 / 120)
    frame["lightCount"] = 100
    lights = np.zeros(100, kernel.dtype("lights"))
    lights["position"] = (RANDOM.random((100, 3)) - (0.5, 0.5, 0)) * (60, 60, 50)
    lights["range"] = RANDOM.random(100) * 10
    lights["type"] = 1
    lights["type"][7] = 0  # a light without a place reaches every cell
    clusters, indices, counter = np.zeros((total, 2), np.uint32), np.zeros(capacity, np.uint32), np.zeros(1, np.uint32)
    kernel(
        lights, clusters, indices, counter, Frame=frame, inverseProjection=np.eye(4), cells=cells, capacity=capacity,
        tile=tile, threads=total,
    )  # fmt: skip

    for number, (first, count) in enumerate(clusters.astype(int)):
        cell = np.array([number % 4, number // 4 % 3, number // 12])
        depths = near * (far / near) ** (np.array([cell[2], cell[2] + 1]) / cells[2])
        corners = [np.append((cell[:2] + k) * tile / (64, -60) + (-1, 1), 1) for k in (0, 1)]
        points = np.array([corner * depth for corner in corners for depth in depths])
        nearest = np.clip(lights["position"], points.min(0), points.max(0))
        gap = np.linalg.norm(nearest - lights["position"], axis=1) - lights["range"]
        touches = (gap <= 0) | (lights["type"] == 0)
        assert np.abs(gap).min() > 1e-4, "no light is so near that rounding decides"
        assert set(indices[first : first + count]) == set(np.flatnonzero(touches))
    assert counter[0] == clusters[:, 1].sum()
    assert clusters[:, 1].max() > 2


def test_meshlet_bounds(device: str, limit: Limit) -> None:
    options = CompileOptions(target_env="vulkan1.1", profile="cs_6_5", enable_16bit_types=True)
    path = SHADERS / "compute/meshlet_bounds.hlsl"
    kernel = gpu.load(path, "CSMain", include_dirs=[SHADERS / "include"], options=options, device=device)
    meshlets = np.zeros(3, kernel.dtype("meshlets"))
    meshlets["vertexOffset"], meshlets["triangleOffset"] = (0, 20, 40), (0, 10, 20)
    meshlets["vertexCount"], meshlets["triangleCount"] = 20, 10
    positions = (RANDOM.random((60, 3), np.float32) - 0.5) * 100
    corners = np.array([RANDOM.permutation(20)[:3] for _ in range(30)], np.uint32)
    triangles = corners[:, 0] | corners[:, 1] << 10 | corners[:, 2] << 20
    bounds = np.zeros(3, kernel.dtype("bounds"))
    try:
        kernel(meshlets, positions, triangles, bounds, groups=3)
    except (gpu.UnsupportedError, gpu.DriverError) as error:
        limit.reach(error.message.partition("WGSL: ")[2])
    for number in range(3):
        points = positions[number * 20 : number * 20 + 20].astype(float)
        a, b, c = np.moveaxis(points[corners[number * 10 : number * 10 + 10]], 1, 0)
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        axis = normals.sum(0) / np.linalg.norm(normals.sum(0))
        cone = np.append(axis, (normals @ axis).min())
        np.testing.assert_allclose(bounds["cone"][number], cone, atol=2e-3)
        assert np.linalg.norm(points - bounds["centre"][number], axis=1).max() <= bounds["radius"][number] * 1.0001
        cell = (np.clip(bounds["centre"][number] * np.float32(0.001) + np.float32(0.5), 0, 1) * 2097151).astype(int)
        key = sum((int(cell[k]) >> bit & 1) << 3 * bit + k for bit in range(21) for k in range(3))
        assert abs(int(bounds["key"][number]) - key) < 1 << 12, "the lowest bits depend on rounding"
