"""Scenes of rays: hierarchies find what a test of every primitive finds, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import Geometry, Instance, Scene
from hlsl_tool.interpreter.rays import scene as scenes
from hlsl_tool.interpreter.rays.scene import Hits
from hlsl_tool.spirv.enums import RayFlags

FIELDS = ("distance", "instance", "geometry", "primitive", "place", "is_box", "is_opaque", "is_front", "weights")
SHEARED = np.array([[1.0, 0.2, 0, 3], [0, 2, 0, -1], [0.5, 0, 0.7, 0]])


def soup(count: int, seed: int = 1) -> Any:
    """Return small triangles at random places."""
    random = np.random.default_rng(seed)
    return random.uniform(-4, 4, (count, 1, 3)) + random.normal(size=(count, 3, 3)) * 0.4


def grid(side: int) -> Any:
    """Return the triangles of a plane, whose edges and corners are on rays of `straight`."""
    x, y = (axis.ravel() / 2 - side / 4 for axis in np.meshgrid(np.arange(side), np.arange(side)))
    corner = np.stack([x, y, np.zeros_like(x)], axis=-1)
    right, down = np.array([0.5, 0, 0]), np.array([0, 0.5, 0])
    upper = np.stack([corner, corner + right, corner + down], axis=1)
    lower = np.stack([corner + right, corner + right + down, corner + down], axis=1)
    return np.concatenate([upper, lower])


def boxes(count: int) -> Any:
    corners = np.random.default_rng(2).uniform(-4, 4, (count, 1, 3))
    return np.concatenate([corners, corners + 0.5], axis=1)


def scattered(count: int) -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    return random.uniform(-5, 5, (3, count)), random.normal(size=(3, count))


def straight(count: int) -> tuple[Any, Any]:
    random = np.random.default_rng(4)
    places = random.integers(-8, 8, (2, count)) / 2
    return np.concatenate([places, np.full((1, count), -5.0)]), np.tile([[0.0], [0.0], [1.0]], count)


def hits(instances: list[Instance], rays: tuple[Any, Any], flags: int = 0, farthest: float = 100.0) -> Hits:
    count = rays[0].shape[1]
    reach = np.where(np.arange(count) % 3 == 0, 3.0, farthest)
    near = np.where(np.arange(count) % 5 == 0, 0.25, 0.0)
    return Scene(instances).hits(*rays, near, reach, np.full(count, flags), np.full(count, 0xFF))


CASES: dict[str, tuple[list[Instance], Any, int]] = {
    "triangles": ([Instance([Geometry(soup(3000))])], scattered, 0),
    "ties": ([Instance([Geometry(np.concatenate([soup(500)] * 3)), Geometry(soup(500))])], scattered, 0),
    "edges": ([Instance([Geometry(grid(30)), Geometry(grid(30))])], straight, 0),
    "transforms": ([Instance([Geometry(soup(900))], SHEARED), Instance([Geometry(grid(30))], SHEARED)], scattered, 0),
    "culled": ([Instance([Geometry(soup(900))])], scattered, RayFlags.CullBackFacingTrianglesKHR),
    "flipped": ([Instance([Geometry(soup(900))], flips=True)], scattered, RayFlags.CullFrontFacingTrianglesKHR),
    "boxes": ([Instance([Geometry(boxes=boxes(900)), Geometry(soup(900), opaque=False)])], scattered, 0),
    "flat boxes": ([Instance([Geometry(boxes=boxes(300) * [1, 1, 0])])], straight, 0),
    "one place": ([Instance([Geometry(np.repeat(soup(1), 40, axis=0))])], scattered, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_hierarchies_find_the_same_hits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instances, rays, flags = CASES[name]
    found = hits(instances, rays(200), flags)
    monkeypatch.setattr(scenes, "SMALLEST", 1 << 60)
    expected = hits(instances, rays(200), flags)
    assert np.isfinite(expected.distance).any() or name == "one place"
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), field)


def test_distant_triangles_are_hit() -> None:
    triangles = soup(400) * 1e4 + 1e6
    centres = triangles.mean(axis=1).T
    origin = np.zeros_like(centres)
    found = Scene([Instance([Geometry(triangles)])]).hits(
        origin, centres, np.zeros(400), np.full(400, np.inf), np.zeros(400, np.int64), np.full(400, 0xFF)
    )
    assert (found.primitive == np.arange(400)[:, None]).any(axis=1).all()


def test_boxes_around_the_start_of_a_ray_are_candidates() -> None:
    origin, direction = np.zeros((3, 1)), np.array([[0.0], [0.0], [1.0]])
    scene = Scene([Instance([Geometry(boxes=np.array([[[-1, -1, -1], [1, 1, 1]]]))])])
    for nearest, distances in ((0.0, [0.0]), (0.5, [0.5]), (2.0, [])):
        given = np.array([nearest]), np.array([9.0]), np.zeros(1, np.int64), np.array([0xFF])
        assert scene.hits(origin, direction, *given).distance[0].tolist() == distances


def test_masks_choose_instances() -> None:
    instances = [Instance([Geometry(soup(100))], mask=1), Instance([Geometry(soup(100))], mask=2)]
    origin, direction = scattered(100)
    masks = np.where(np.arange(100) % 2, 1, 2)
    given = np.zeros(100), np.full(100, 100.0), np.zeros(100, np.int64), masks
    found = Scene(instances).hits(origin, direction, *given)
    rows, columns = np.nonzero(np.isfinite(found.distance))
    assert (found.instance[rows, columns] == np.where(masks[rows] == 1, 0, 1)).all()


def test_an_empty_scene_has_no_hits() -> None:
    assert hits([], scattered(3)).distance.shape == (3, 0)
    assert hits([Instance([Geometry(np.zeros((0, 3, 3)))])], scattered(3)).distance.shape == (3, 0)
