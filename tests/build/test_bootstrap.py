"""`bootstrap` on a bare Debian installs the system packages that each command needs, or names them in an error."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="system packages are Debian's")

BUILD = " python3 python3-venv"
NO_RIGHT = "bootstrap: this needs system packages, and you have no right to install them; as root: apt-get install"


class Machine:
    """A folder of programs that is the only one on PATH, and a checkout without `.venv`."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.programs, self.checkout = folder / "bin", folder / "checkout"
        self.programs.mkdir()
        self.checkout.mkdir()
        for name in ("bootstrap", "pyproject.toml", "setup.py"):
            shutil.copy(ROOT / name, self.checkout)
        for name in ("cat", "cksum", "dirname", "ls", "mkdir", "mktemp", "rm", "tail"):
            path = shutil.which(name)
            assert path is not None
            (self.programs / name).symlink_to(path)
        self.program("uname", "echo Linux x86_64")
        self.user(1000)

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def user(self, number: int) -> None:
        self.program("id", f"echo {number}")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(self.checkout / "bootstrap"), *command],
            env={"PATH": str(self.programs)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path: pathlib.Path) -> Machine:
    machine = Machine(tmp_path)
    machine.program("apt-get", f'echo "$@" >>{tmp_path}/calls')
    machine.program("env", 'shift; "$@"')
    return machine


@pytest.mark.parametrize("command", ["scons", "hlsl_tool", "hlsl2spirv"])
def test_a_build_without_rights_names_its_packages_in_one_line(machine: Machine, command: str) -> None:
    run = machine.run(command)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"{NO_RIGHT}{BUILD}\n")
    assert not (machine.checkout / ".venv").exists()


def test_tests_without_rights_name_theirs(machine: Machine) -> None:
    run = machine.run("pytest")
    assert run.returncode == 1
    assert run.stderr.startswith(f"{NO_RIGHT}{BUILD} g++ make cmake ninja-build meson")
    assert run.stderr.count("\n") == 1


def test_sudo_that_asks_is_no_right_without_a_terminal(machine: Machine) -> None:
    machine.program("sudo", "exit 1")
    assert machine.run("scons").stderr == f"{NO_RIGHT}{BUILD}\n"


def test_root_installs_what_a_build_needs_only(machine: Machine, tmp_path: pathlib.Path) -> None:
    machine.user(0)
    machine.run("scons")
    assert (tmp_path / "calls").read_text().splitlines() == [
        "update",
        f"install -y --no-install-recommends{BUILD}",
    ]


def test_apt_get_is_quiet_until_it_fails(machine: Machine) -> None:
    machine.user(0)
    machine.program("apt-get", "echo reason; exit 100")
    run = machine.run("scons")
    assert run.returncode == 1
    assert run.stderr.splitlines() == [
        f"bootstrap: installing{BUILD}",
        "reason",
        f"bootstrap: apt-get failed; please install:{BUILD}",
    ]


def test_packages_of_tests_that_cannot_be_had_are_named(machine: Machine) -> None:
    machine.user(0)
    machine.program("apt-get", "echo reason; exit 100")
    machine.program("python3", "exit 0")
    (machine.checkout / ".venv").write_text("a file, at which bootstrap stops")
    lines = machine.run("pytest").stderr.splitlines()
    assert lines[1] == "reason"
    assert lines[2].startswith("bootstrap: apt-get failed; tests are skipped without: g++ make cmake")
    assert lines[3].startswith("bootstrap: you have no right to write to")


def test_other_systems_are_asked_to_install_python(machine: Machine) -> None:
    (machine.programs / "apt-get").unlink()
    run = machine.run("pytest")
    assert (run.returncode, run.stderr) == (1, f"bootstrap: please install:{BUILD}\n")


def test_a_checkout_of_another_user_is_not_written_to(machine: Machine) -> None:
    machine.program("python3", "exit 0")
    (machine.checkout / ".venv").write_text("no folder: not even root can make one")
    run = machine.run("scons")
    assert (run.returncode, run.stderr) == (1, f"bootstrap: you have no right to write to {machine.checkout}/.venv\n")
