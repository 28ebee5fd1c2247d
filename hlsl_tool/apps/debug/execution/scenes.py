"""The scene of a launch configuration, and the shaders that rays call."""

from __future__ import annotations

from typing import Any

from hlsl_tool.gpu.files.values import numbers_of
from hlsl_tool.interpreter import Geometry, HitGroup, Instance, Scene, ShaderTables
from hlsl_tool.reflection.reflection import Reflection

from .launch import Launch, LaunchError

_SHAPES = {"triangles": (3, 3), "boxes": (2, 3)}
"""Primitives → the shape of one."""


def scene_of(launch: Launch) -> Scene:
    """Return the scene: one instance of its triangles and boxes."""
    geometries = []
    for name, value in launch.scene.items():
        if name not in _SHAPES:
            raise LaunchError(f"`scene` has `triangles` and `boxes`, and no `{name}`")
        try:
            corners = numbers_of(value, launch.folder)
        except ValueError as error:
            raise LaunchError(f"`scene`: `{name}`: {error}") from None
        if corners.shape[1:] != _SHAPES[name]:
            each = "three corners" if name == "triangles" else "its lowest and highest corner"
            raise LaunchError(f"`{name}` has {each} of three numbers for each of the {name}")
        geometries.append(Geometry(corners) if name == "triangles" else Geometry(boxes=corners))
    return Scene([Instance(geometries)] if geometries else [])


def tables_of(launch: Launch, reflection: Reflection) -> ShaderTables | None:
    """Return the shaders that rays call; ``None`` for other stages.

    By default they are all miss and callable shaders of the module, and one hit group of the first hit shaders.
    """
    if reflection.entry_points[0].model != "RayGenerationKHR":
        return None
    by_model: dict[str, list[str]] = {}
    for point in reflection.entry_points:
        by_model.setdefault(point.model, []).append(point.name)
    names = {point.name for point in reflection.entry_points}
    miss, callables = (
        [str(name) for name in launch.tables.get(table, by_model.get(model, []))]
        for table, model in (("miss", "MissKHR"), ("callable", "CallableKHR"))
    )
    first = (next(iter(by_model.get(model, ())), "") for model in ("ClosestHitKHR", "AnyHitKHR", "IntersectionKHR"))
    hit = [_group(group) for group in launch.tables["hit"]] if "hit" in launch.tables else [HitGroup(*first)]
    tables = ShaderTables(miss, hit, callables)
    for name, _ in tables.entries():
        if name not in names:
            raise LaunchError(f"the module has no entry point `{name}` (it has: {', '.join(sorted(names))})")
    return tables


def _group(given: Any) -> HitGroup:
    if not isinstance(given, dict) or not given.keys() <= {"closest", "any", "intersection"}:
        raise LaunchError('`hit` is a list of groups such as { "closest": "Hit", "any": "Cutout" }')
    return HitGroup(*(str(given.get(name, "")) for name in ("closest", "any", "intersection")))
