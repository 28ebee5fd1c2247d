"""Sample scenes look the same if the functions of their header come from a library."""

from __future__ import annotations

import pathlib
import re

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.source import OSFileSystem, SourceFile
from hlsl_tool.base.source.filesystem import OverlayFileSystem
from tests.execute.scenes import SCENES, Scene, differing, pixels, png
from tests.execute.vulkan import Vulkan

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "shaders" / "scenes"
HEADER = FOLDER / "scene.hlsli"
LIBRARY = FOLDER / "scene.library.hlsl"
EDGES = 0.01

FUNCTION = re.compile(r"^(?P<head>\w+ \w+\([^()]*\)) \{.*?^\}", re.MULTILINE | re.DOTALL)


def cut(text: str) -> tuple[str, str]:
    """Return a header with declarations in place of its functions, and a library that exports the functions."""
    return FUNCTION.sub(lambda match: match["head"] + ";", text), FUNCTION.sub(lambda match: f"export {match[0]}", text)


def compiled(name: str, entry: str, profile: str, *, optimize: str) -> bytes:
    header, library = cut(HEADER.read_text())
    assert library.count("export ") == len(FUNCTION.findall(HEADER.read_text())) > 5
    assert "return" not in header
    fs = OverlayFileSystem(OSFileSystem(), {str(HEADER): header.encode(), str(LIBRARY): library.encode()})
    path = FOLDER / f"{name}.hlsl"
    options = CompileOptions(target_env="vulkan1.3", optimize=optimize, libraries=(str(LIBRARY),))
    source = SourceFile.from_bytes(str(path), str(path), path.read_bytes())
    result = compile_shader(source, entry=entry, profile=profile, options=options, fs=fs)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_picture(scene: Scene, optimize: str, vulkan: Vulkan) -> None:
    lacking = [need for need in scene.needs if need not in vulkan.features]
    if lacking:
        pytest.skip(f"{vulkan.name} lacks {', '.join(lacking)}")
    data = png(scene.render(vulkan, lambda *what: compiled(*what, optimize=optimize)))
    stored = ROOT / "docs" / "images" / f"{scene.name}.png"
    assert differing(pixels(data), pixels(stored.read_bytes())) < EDGES
