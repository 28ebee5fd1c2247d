"""Each sample scene's picture equals the stored one (``docs/pictures``)."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.compiler.compile import compile_shader
from tests.execute.scenes import SCENES, Scene, differing, pixels, png
from tests.execute.vulkan import Vulkan

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images"
EDGES = 0.01
"""Drivers may see the edges of triangles and the rounding of colours differently."""


def compiled(name: str, entry: str, profile: str, *, optimize: str) -> bytes:
    path = ROOT / "shaders" / "scenes" / f"{name}.hlsl"
    options = CompileOptions(target_env="vulkan1.3", optimize=optimize)
    result = compile_shader(
        SourceFile.from_bytes(str(path), str(path), path.read_bytes()), entry=entry, profile=profile, options=options
    )
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_picture(scene: Scene, optimize: str, vulkan: Vulkan, update_golden: bool) -> None:
    lacking = [need for need in scene.needs if need not in vulkan.features]
    if lacking:
        pytest.skip(f"{vulkan.name} lacks {', '.join(lacking)}")
    data = png(scene.render(vulkan, lambda *what: compiled(*what, optimize=optimize)))
    path = PICTURES / f"{scene.name}.png"
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    assert differing(pixels(data), pixels(path.read_bytes())) < EDGES
