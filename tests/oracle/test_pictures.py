"""Each sample scene has the same picture with the real DXC's modules as with this compiler's."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from tests.execute.scenes import SCENES, Scene, differing, pixels, png
from tests.execute.test_pictures import compiled
from tests.execute.vulkan import Vulkan
from tests.oracle.dxc import DXC, MISSING
from tests.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.oracle


@pytest.mark.skipif(not DXC, reason=MISSING)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_picture(scene: Scene, vulkan: Vulkan, tmp_path: pathlib.Path) -> None:
    if scene.name == "mesh_scene":
        pytest.skip("the reference compiler writes SPV_NV_mesh_shader, which the driver lacks")
    lacking = [need for need in scene.needs if need not in vulkan.features]
    if lacking:
        pytest.skip(f"{vulkan.name} lacks {', '.join(lacking)}")

    def reference(name: str, entry: str, profile: str) -> bytes:
        target = tmp_path / f"{entry}.spv"
        command = [*DXC, "-spirv", "-HV", "2021", "-T", profile, "-fspv-target-env=vulkan1.2"]
        command += [f"shaders/scenes/{name}.hlsl", *(["-E", entry] if entry else [])]
        done = subprocess.run(
            [*command, "-Fo", str(target)], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stderr
        return target.read_bytes()

    ours = png(scene.render(vulkan, lambda *what: compiled(*what, optimize="performance")))
    assert differing(pixels(ours), pixels(png(scene.render(vulkan, reference)))) < 0.002
