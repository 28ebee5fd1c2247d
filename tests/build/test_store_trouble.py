"""Full and read-only disks; and builds with other paths, hash seeds and numbers of workers."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.build.conftest import Project, Run
from tests.build.test_store import COMMON, SOURCE, summary

CONFIG = """\
optimize: none
validate: false
outputs: [spv, spvasm, reflection, header, cpp, dep, bindings]
shaders:
  - { source: a.hlsl, profile: ps_6_0, defines: { MODE: [0, 1, 2] } }
"""
DEBUG = CONFIG.replace("shaders:", "debug: [vulkan-with-source]\nextensions: [SPV_KHR_non_semantic_info]\nshaders:")


@pytest.fixture
def real(tmp_path: pathlib.Path) -> Project:
    return project_in(tmp_path / "project", str(tmp_path / "store"))


def project_in(folder: pathlib.Path, store: str) -> Project:
    project = Project(folder, fake=False)
    project.store = store
    project.write("config/shaders/a.yaml", CONFIG)
    project.write("shaders/common.hlsli", COMMON)
    project.write("shaders/a.hlsl", SOURCE)
    return project


def mounted(*arguments: str) -> Iterator[None]:
    """Mount a file system during a test, with these arguments of `mount`; skip the test if that is not permitted."""
    if sys.platform != "linux" or shutil.which("mount") is None:
        pytest.skip("mount is for Linux")
    if subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed")
    try:
        yield
    finally:  # a file system that stays mounted after a failure cannot be removed by later runs
        subprocess.run(["umount", arguments[-1]], check=True)


@pytest.fixture
def small(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A mounted disk of 32 KiB."""
    (tmp_path / "small").mkdir()
    yield from (tmp_path / "small" for _ in mounted("-t", "tmpfs", "-o", "size=32k", "tmpfs", str(tmp_path / "small")))


def calm(run: Run) -> None:
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize("how", [["build"], ["build", "-j", "2"]], ids=["1", "2"])
def test_a_full_disk_below_the_store(real: Project, small: pathlib.Path, how: list[str]) -> None:
    real.store = str(small / "store")
    for _ in range(2):
        run = real.tool(*how)
        calm(run)
        assert run.status == 0
        assert run.err.count("HLSL0906") == 1
        assert f"the store `{real.store}`: nothing more is stored there: No space left on device" in run.err
        outputs = real.outputs()
        shutil.rmtree(real.root / "build")
    assert not list(small.rglob("*.tmp"))
    real.store = "off"
    assert real.tool("build").status == 0
    assert real.outputs() == outputs


def test_a_full_disk_below_the_outputs(real: Project, small: pathlib.Path) -> None:
    os.symlink(small, real.root / "build")
    (small / "ballast").write_bytes(bytes(24 << 10))
    run = real.tool("build", "--allow-outside")
    calm(run)
    assert run.status == 2
    assert run.err.count("error:") == 1
    assert re.search(r"error: the disk is full: \d+ bytes are free in `build/shaders` \[HLSL0914\]", run.err)
    assert re.fullmatch(r"shaders: \d built, 0 up to date, \d failed, \d not built \(.*\)", run.out.splitlines()[-1])
    assert not list(small.rglob("*.tmp~"))
    (small / "ballast").unlink()
    shutil.rmtree(small / "shaders")
    real.write("config/shaders/a.yaml", CONFIG.replace("spv, spvasm, reflection, header, cpp, dep, bindings", "spv"))
    assert real.tool("build", "--allow-outside").status == 0


@pytest.mark.parametrize("how", [["build"], ["build", "-j", "2"]], ids=["1", "2"])
def test_an_output_folder_that_cannot_be_changed(real: Project, how: list[str]) -> None:
    (real.root / "build").mkdir()
    (real.root / "build" / "shaders").write_text("this is a file")
    run = real.tool(*how)
    calm(run)
    assert run.status == 2
    assert run.err.count("error:") == 1
    assert re.search(r"error: nothing can be written to `build/shaders`: .* \[HLSL0915\]", run.err)
    assert re.fullmatch(r"shaders: 0 built, 0 up to date, \d failed, \d not built \(.*\)", run.out.splitlines()[-1])
    (real.root / "build" / "shaders").unlink()
    assert real.tool(*how).status == 0


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_files_that_may_not_grow(real: Project) -> None:
    """A build reports an error if files cannot grow beyond 200 bytes, and the next build without this limit succeeds.

    The limit imitates a full disk, but needs no mount.
    """
    command = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200));"
        " from hlsl_tool.cli.__main__ import main; sys.argv = ['hlsl_tool', 'build']; sys.exit(main())"
    )
    run = real.python("-c", command)
    calm(run)
    assert run.status == 2
    assert "HLSL0901" in run.err
    assert "File too large" in run.err
    assert run.err.count("HLSL0906") == 1
    assert not list(real.root.rglob("*.tmp~"))
    assert real.tool("build").status == 0
    outputs = real.outputs()
    shutil.rmtree(real.root / "build")
    real.store = "off"
    real.tool("build")
    assert real.outputs() == outputs


@pytest.mark.parametrize("how", [["build"], ["build", "-j", "2"]], ids=["1", "2"])
def test_a_store_that_can_only_be_read(real: Project, tmp_path: pathlib.Path, how: list[str]) -> None:
    assert real.tool("build").summary == summary(3, 1)
    good = real.outputs()
    store = str(tmp_path / "store")
    for _ in mounted("--bind", store, store):
        if subprocess.run(["mount", "-o", "remount,ro,bind", store], capture_output=True, check=False).returncode:
            subprocess.run(["umount", store], check=True)
            pytest.skip("mounting is not allowed")
        shutil.rmtree(real.root / "build")
        run = real.tool(*how)
        calm(run)
        assert run.summary == summary(3, 3)  # it is read all the same
        assert real.outputs() == good
        real.write("shaders/common.hlsli", COMMON.replace("2.2", "2.4"))
        run = real.tool(*how)
        calm(run)
        assert (run.status, run.summary) == (0, summary(3, 2))
        assert run.err.count("HLSL0906") == 1
        assert "nothing more is stored there: Read-only file system" in run.err


@pytest.mark.parametrize("what", ["build", "build/shaders"])
def test_an_output_folder_that_is_a_file(real: Project, what: str) -> None:
    real.write(what, "a file")
    run = real.tool("build")
    calm(run)
    assert run.status == 2
    assert f"nothing can be written to `build/shaders`: `{os.path.basename(what)}` is a file, not a folder" in run.err
    run = real.scons()
    calm(run)
    assert run.status == 2
    assert f"cannot write `{what}`: there is a file of this name" in run.err


# -------------------------------------------------------------------------------------------------- the same elsewhere


@pytest.mark.parametrize("config", [CONFIG, DEBUG], ids=["plain", "debug"])
def test_the_same_bytes_everywhere(tmp_path: pathlib.Path, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two checkouts in different folders give the same bytes, and one finds the results that the other stored."""
    found = []
    for seed, jobs, folder, store in (
        ("0", "1", "a", "off"),
        ("1", "2", "b/deeper/and deeper", "off"),
        ("2", "1", "c", "store"),
        ("3", "2", "d/e", "store"),
    ):
        project = project_in(tmp_path / folder, "off" if store == "off" else str(tmp_path / store))
        project.write("config/shaders/a.yaml", config)
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        run = project.tool("build", "-j", jobs)
        assert run.status == 0, run.out
        found.append(project.outputs())
        assert found[-1] == found[0], folder
    assert run.summary == summary(3, 3)
    assert len(found[0]) == 3 * 7 + 1
