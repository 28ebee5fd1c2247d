"""Samples in GLSL, by SPIRV-Cross: glslang accepts each text that there is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hlsl_tool.cross import CrossError, convert
from hlsl_tool.cross.library import locate
from hlsl_tool.project.config.permutation import Permutation
from tests.samples.test_samples import MEMORY, compiled, project, pytestmark

__all__ = ["pytestmark"]

EXTENSIONS = {"vs": "vert", "ps": "frag", "cs": "comp", "gs": "geom", "hs": "tesc", "ds": "tese"}

MISTAKEN = {
    "compute/voxelise.CSSplat": "offsets of DXC's relaxed layouts",
    "lit/pbr.VSMain": "offsets of DXC's relaxed layouts",
    "lit/pbr.PSMain": "offsets of DXC's relaxed layouts",
    "scenes/mesh_scene.PSMain": "inputs for each primitive",
}
"""Entry → the reason for which SPIRV-Cross 2021 to 2024 writes GLSL that glslang refuses."""

ENOUGH = 60
"""The number of entries of which there has to be GLSL."""


def entries() -> list[Permutation]:
    """Return the first permutation of each entry of a stage that OpenGL has."""
    first = {permutation.stem: permutation for permutation in reversed(project().permutations)}
    return [one for one in first.values() if one.options.profile[:2] in EXTENSIONS and one.stem not in MISTAKEN]


@pytest.mark.slow
@pytest.mark.skipif(locate() is None, reason="SPIRV-Cross is not installed (libspirv-cross-c-shared-dev)")
@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslang is not installed")
def test_glslang_accepts_the_samples(tmp_path: Path) -> None:
    files = []
    for number, permutation in enumerate(entries()):
        try:
            text = convert(compiled(permutation, MEMORY).spirv, "glsl")
        except CrossError:  # GLSL, or this version of SPIRV-Cross, does not have it
            continue
        path = tmp_path / f"{number}.{EXTENSIONS[permutation.options.profile[:2]]}"
        path.write_text(f"{text}\n// {permutation.name}\n")
        files.append(str(path))
    assert len(files) > ENOUGH
    done = subprocess.run(["glslangValidator", *files], capture_output=True, text=True, check=False)
    assert "ERROR" not in done.stdout, done.stdout
