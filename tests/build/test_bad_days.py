"""Files that a build finds damaged, and two versions of the package beside each other, make no wrong output."""

from __future__ import annotations

import pathlib
import random
import shutil
from collections.abc import Callable, Sequence

import pytest

from tests.build.conftest import ROOT, Project

CONFIGURATION = """\
shaders:
  - source: "[ab].hlsl"
    profile: ps_6_0
    outputs: [spv, reflection]
packs:
  - { name: all }
"""
SHADER = '#include "c.hlsli"\nfloat4 main(float4 p : P) : SV_Target { return tint(p) * %d; }\n'


@pytest.fixture
def real(tmp_path: pathlib.Path) -> Project:
    project = Project(tmp_path / "project", fake=False)
    project.store = str(tmp_path / "store")
    project.write("config/shaders/all.yaml", CONFIGURATION)
    project.write("shaders/c.hlsli", "cbuffer C { float4 c; };\nfloat4 tint(float4 x) { return c * x + 1; }\n")
    for name, factor in (("a", 2), ("b", 3)):
        project.write(f"shaders/{name}.hlsl", SHADER % factor)
    return project


def build(project: Project) -> dict[str, bytes]:
    """Build without a server in one process; return path → content of the outputs."""
    run = project.tool("build", "--no-server", "-j1")
    assert run.status == 0
    assert run.err == "" or "damaged entries were not used [HLSL0906]" in run.err
    return project.outputs()


def flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :] if data else b"x"


def blank(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes(min(64, len(data) - at)) + data[at + 64 :]


DAMAGES: Sequence[Callable[[bytes, random.Random], bytes]] = (
    flip,
    blank,
    lambda data, rng: data[: rng.randrange(len(data) + 1)],
    lambda data, rng: b"",
    lambda data, rng: rng.randbytes(300),
    lambda data, rng: data + b"\0\1",
    lambda data, rng: data[: len(data) // 2] + b"abc" + data[len(data) // 2 :],
)


def damage(files: Sequence[pathlib.Path], rng: random.Random) -> None:
    """Damage, exchange or remove some of the files."""
    for path in rng.sample(files, min(len(files), rng.choice((1, 2, 9)))):
        kind = rng.randrange(len(DAMAGES) + 2)
        if kind < len(DAMAGES):
            path.write_bytes(DAMAGES[kind](path.read_bytes(), rng))
        elif kind == len(DAMAGES):
            shutil.copyfile(rng.choice(files), path.with_name("copy"))
            path.with_name("copy").replace(path)
        else:
            path.unlink()


def below(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("seed", range(6))
def test_damaged_entries_of_a_store(real: Project, seed: int) -> None:
    """A damaged entry is not used; the build after it is right as well."""
    whole = build(real)
    rng = random.Random(seed)
    for _ in range(3):
        shutil.rmtree(real.root / "build")
        damage(below(pathlib.Path(real.store)), rng)
        assert build(real) == whole


@pytest.mark.parametrize("seed", range(4))
def test_damaged_outputs_and_packs(real: Project, seed: int) -> None:
    whole = build(real)
    rng = random.Random(seed)
    for _ in range(3):
        damage(below(real.root / "build"), rng)
        assert build(real) == whole


def test_two_versions_have_a_server_each(
    real: Project, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version starts, uses and ends its own server."""
    other = tmp_path / "other"
    shutil.copytree(ROOT / "hlsl_tool", other / "hlsl_tool", ignore=shutil.ignore_patterns("__pycache__"))
    version = other / "hlsl_tool/version.py"
    version.write_text(version.read_text().replace('__version__ = "', '__version__ = "9.', 1))
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.delenv("CI", raising=False)
    environment = real.environment()

    def run(root: pathlib.Path, *words: str) -> str:
        real.environment = lambda: {**environment, "PYTHONPATH": str(root)}  # type: ignore[method-assign]
        return real.python("-m", "hlsl_tool", *words, fresh=True).out

    try:
        for root in (ROOT, other):
            assert "process" in run(root, "server", "start", "--idle", "60")
        addresses = [run(root, "server", "status").splitlines()[0] for root in (ROOT, other)]
        assert len(set(addresses)) == 2
        run(other, "server", "stop")
        assert run(ROOT, "server", "status").splitlines()[0] == addresses[0]
        assert "process" not in run(other, "server", "status")
    finally:
        for root in (ROOT, other):
            run(root, "server", "stop")
