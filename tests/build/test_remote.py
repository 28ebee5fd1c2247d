"""Workers of a dask scheduler: a real one, and two workers, on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source.recording import RecordedFiles
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.build.workers.remote.carried import Packer
from hlsl_tool.project.build.workers.remote.task import unlike
from hlsl_tool.project.build.workers.worker import Compiler
from tests.build.conftest import ROOT, Project
from tests.build.test_scons import LIT, lit, wait_for
from tests.build.watching import Watching
from tests.patience import PATIENCE


@pytest.fixture(autouse=True)
def schedulers_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow configurations to name the scheduler."""
    monkeypatch.setenv("HLSL_TOOL_ALLOW_OUTSIDE", "1")


needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="dask is not installed (pip install 'hlsl_tool[distributed]')",
)


class Dask:
    def __init__(self, project: Project, folder: pathlib.Path) -> None:
        self.project = project
        self.folder = folder
        self.scheduler = self.start("scheduler", "--port", "0", "--scheduler-file", "s.json", "--no-dashboard")
        wait_for(lambda: (folder / "s.json").exists() and (folder / "s.json").read_text().endswith("}"))
        self.address = json.loads((folder / "s.json").read_text())["address"].replace("tcp://", "dask://")
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, kind: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1", *arguments],
            cwd=self.folder,
            env={**self.project.environment(), **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def worker(self, name: str, **environment: str) -> subprocess.Popen[bytes]:
        (self.folder / name).mkdir()
        process = self.start(
            "worker",
            "--scheduler-file",
            "s.json",
            "--nthreads",
            "1",
            "--no-nanny",
            "--no-dashboard",
            "--name",
            name,
            "--local-directory",
            name,
            **environment,
        )
        self.workers.append(process)
        return process

    def wait_for_workers(self, count: int) -> None:
        import distributed

        with distributed.Client(self.address.replace("dask", "tcp"), set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def dask(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """Start a scheduler and workers in another folder, without a checkout."""
    found = Dask(project, tmp_path_factory.mktemp("dask"))
    yield found
    found.close()


def sources(project: Project, count: int, text: str) -> None:
    project.write("config/shaders/a.yaml", json.dumps({"include_dirs": ["include"], "shaders": [{
        "source": "a.hlsl", "profile": "ps_6_0", "outputs": ["spv"], "defines": {"N": list(range(count))},
    }]}))  # fmt: skip
    project.write("shaders/a.hlsl", text)
    project.write("shaders/include/c.h", "#define X 1\n")


@needs_dask
def test_two_workers_make_the_same_bytes(project: Project, dask: Dask) -> None:
    logs = [dask.folder / f"{name}.log" for name in ("one", "two")]
    for log in logs:
        dask.worker(log.stem, FAKE_COMPILER_LOG=str(log))
    dask.wait_for_workers(2)
    text = '#include "c.h"\n#if __has_include("no.h")\n#error\n#endif\nint x = X + N;\nWARN\nSLEEP\n'
    sources(project, 8, text)
    run = project.tool("build")
    assert run.status == 0, run.out + run.err
    want = project.outputs()
    (project.root / "build/shaders/.hlsl_tool.log").unlink()
    remote = project.tool("build", "--executor", dask.address)
    assert remote.status == 0, remote.out + remote.err
    assert remote.summary == "shaders: 8 built, 0 up to date, 0 failed"
    assert remote.compiled == [], "nothing is compiled here"
    shares = [len(log.read_text().splitlines()) for log in logs]
    assert sum(shares) == 8
    assert min(shares) > 0, "both have worked"
    assert remote.err.count("a warning was asked for") == 1
    assert "HLSL0909" not in remote.out + remote.err
    assert project.outputs() == want
    # SCons, and the configuration in place of the option
    project.write("config/defaults.yaml", f"executor: {dask.address}\nscons_nodes: set\n")
    project.write("shaders/include/c.h", "#define X 2\n")
    scons = project.scons()
    assert scons.status == 0, scons.out + scons.err
    assert scons.compiled == []
    assert sum(len(log.read_text().splitlines()) for log in logs) == 16
    assert project.scons().summary == "shaders: 0 built, 8 up to date, 0 failed"


@needs_dask
def test_errors_come_back(project: Project, dask: Dask) -> None:
    dask.worker("one")
    dask.wait_for_workers(1)
    lit(project, '#include "c.h"\n#if SHADOWS\nFAIL\n#endif\n')
    run = project.tool("build", "--executor", dask.address)
    assert run.status == 2
    assert "shaders/lit/pbr.hlsl:3:1: error: a failure was asked for" in run.err
    assert run.summary == "shaders: 2 built, 0 up to date, 2 failed"


@needs_dask
def test_a_worker_that_is_killed_loses_nothing(project: Project, dask: Dask) -> None:
    first = dask.worker("one")
    dask.worker("two")
    dask.wait_for_workers(2)
    sources(project, 16, "SLEEP int x = N;\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "hlsl_tool", "build", "--executor", dask.address],
        cwd=project.root,
        text=True,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    wait_for(lambda: len(list(project.root.glob("build/shaders/*.spv"))) >= 2)
    first.send_signal(signal.SIGKILL)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out
    assert "shaders: 16 built, 0 up to date, 0 failed" in out
    assert "HLSL0909" not in out


@needs_dask
def test_a_scheduler_that_dies(project: Project, dask: Dask) -> None:
    dask.worker("one")
    dask.wait_for_workers(1)
    sources(project, 12, "SLEEP int x = N;\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "hlsl_tool", "build", "--executor", dask.address],
        cwd=project.root,
        text=True,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    wait_for(lambda: len(list(project.root.glob("build/shaders/*.spv"))) >= 2)
    dask.scheduler.kill()
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out
    assert "shaders: 12 built, 0 up to date, 0 failed" in out
    assert out.count("HLSL0909") == 1
    assert "Traceback" not in out


@needs_dask
def test_a_worker_with_another_toolchain_is_refused(project: Project, dask: Dask) -> None:
    dask.worker("other", FAKE_FINGERPRINT="fake 2")
    dask.wait_for_workers(1)
    lit(project)
    run = project.tool("build", "--executor", dask.address)
    assert run.status == 0, run.out + run.err
    assert "its toolchain is another: fake 2, here fake 1 [HLSL0910]" in run.err
    assert "it has no other worker; this machine compiles [HLSL0909]" in run.err
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"


@needs_dask
def test_the_real_compiler(project: Project, dask: Dask) -> None:
    project.fake = False
    dask.worker("one")
    dask.wait_for_workers(1)
    project.write(
        "config/shaders/a.yaml",
        LIT.replace("header, dep", "header, dep, spvasm").replace("    defines", "    debug: [line]\n    defines"),
    )
    project.write("shaders/include/c.h", "float4 tint(float4 c) { return c * 2; }\n")
    project.write(
        "shaders/lit/pbr.hlsl",
        """\
        #include "c.h"
        float4 VSMain(float4 p : POSITION) : SV_Position { return tint(p); }
        float4 PSMain(float4 c : SV_Position) : SV_Target { return SHADOWS ? tint(c) : c; }
        """,
    )
    run = project.tool("build")
    assert run.status == 0, run.out + run.err
    want = project.outputs()
    (project.root / "build/shaders/.hlsl_tool.log").unlink()
    run = project.tool("build", "--executor", dask.address)
    assert run.status == 0, run.out + run.err
    assert "HLSL09" not in run.out
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"
    assert project.outputs() == want


def test_an_unreachable_scheduler_leaves_the_jobs_to_this_machine(project: Project) -> None:
    if importlib.util.find_spec("distributed") is None:
        reason = "dask is not installed here"
    else:
        reason = "there is no connection"
    lit(project)
    run = project.tool("build", "--executor", "dask://127.0.0.1:9")
    assert run.status == 0, run.out + run.err
    assert f"`dask://127.0.0.1:9` is not used any more: {reason}" in run.err
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"


@needs_dask
def test_an_address_without_a_port(project: Project) -> None:
    lit(project)
    run = project.tool("build", "--executor", "dask://127.0.0.1")
    assert run.status == 0, run.out + run.err
    assert "`dask://127.0.0.1` is not used any more: there is no connection (the address has no port)" in run.err


def test_the_watcher_follows_the_configuration(project: Project) -> None:
    lit(project)
    project.write("config/defaults.yaml", "executor: dask://127.0.0.1:9\n")
    watching = Watching(project)
    try:
        assert "`dask://127.0.0.1:9` is not used any more" in "".join(watching.lines)
        assert len(watching.compiled()) == 4
        project.write("config/defaults.yaml", "executor: local\n")
        project.write("shaders/include/c.h", "#define X 2\n")
        assert "is not used" not in watching.until("4 built")
    finally:
        watching.close()
    for number, command in enumerate(
        [
            ("hlsl_tool", "watch", "--executor", "dask://127.0.0.1:9"),
            ("SCons", "-Q", "watch", "executor=dask://127.0.0.1:9"),
        ]
    ):
        project.write("SConstruct", (project.root / "SConstruct").read_text() + "env.HlslWatch()\n" * (not number))
        project.write("shaders/include/c.h", f"#define X {number}\n")
        watching = Watching(project, *command)
        watching.close()
        assert "`dask://127.0.0.1:9` is not used any more" in "".join(watching.lines)


@needs_dask
def test_the_watcher_s_shaders_are_compiled_by_workers(project: Project, dask: Dask) -> None:
    log = dask.folder / "one.log"
    dask.worker("one", FAKE_COMPILER_LOG=str(log))
    dask.wait_for_workers(1)
    lit(project)
    project.write("config/defaults.yaml", f"executor: {dask.address}\n")
    watching = Watching(project)
    try:
        assert watching.compiled() == []
        assert len(log.read_text().splitlines()) == 4
        project.write("shaders/include/c.h", "#define X 2\n")
        watching.until("4 built")
        assert watching.compiled() == []
        assert len(log.read_text().splitlines()) == 8
    finally:
        watching.close()


@pytest.mark.parametrize("verb", ["build", "scons", "watch"])
def test_a_wrong_address(project: Project, verb: str) -> None:
    lit(project)
    run = project.scons("executor=http://x") if verb == "scons" else project.tool(verb, "--executor", "http://x")
    assert run.status == 2
    assert "http://x: it is `local` or an address such as dask://host:8786" in run.out + run.err
    assert "Traceback" not in run.err


# ---------------------------------------------------------------- what travels


def test_a_job_carries_all_that_it_reads(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text('#include "b.h"\nfloat4 main() : SV_Target { return B; }\n')
    (tmp_path / "b.h").write_text('#if __has_include("c.h")\n#define B 1\n#else\n#define B 2\n#endif\n')
    job = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": "a.spv"})
    packed = Packer(str(tmp_path)).pack(job)
    assert packed is not None
    want = Inline(str(tmp_path)).run(job)
    for name in ("a.hlsl", "b.h"):
        (tmp_path / name).unlink()
    fs = RecordedFiles(packed.recording, packed.contents)
    got = Compiler(str(tmp_path)).run(job, fs)
    assert fs.unknown == []
    assert (got.outputs, got.files, got.missing) == (want.outputs, want.files, want.missing)
    assert fs.read("d.h") is None
    assert fs.unknown == [os.path.join(str(tmp_path), "d.h")]


def test_workers_of_another_version_are_refused() -> None:
    mine = ("posix", "1.0", {"": "compiler 1; spirv-opt v1"})
    assert unlike(mine, mine) == ""
    assert unlike(mine, ("nt", "1.0", mine[2])) == "its system is another (nt, here posix)"
    assert unlike(mine, ("posix", "1.1", mine[2])) == "it has hlsl_tool 1.1, here it is 1.0"
    other = {"": "compiler 1; spirv-opt v2"}
    assert unlike(mine, ("posix", "1.0", other)) == "its toolchain is another: spirv-opt v2, here spirv-opt v1"


def test_nothing_of_dask_is_loaded_without_it() -> None:
    code = "import sys, hlsl_tool.project.build.workers.remote.cluster; assert 'distributed' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
