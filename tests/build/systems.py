"""Other build systems: how to set up each for the rules of `hlsl_tool generate`, and how to build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.build.conftest import Project
from tests.patience import PATIENCE

CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(demo NONE)
execute_process(COMMAND "${HLSL_TOOL_EXECUTABLE}" cmake-dir OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
set(hlsl_tool_DIR "${folder}")
find_package(hlsl_tool 0.1 REQUIRED)
hlsl_shaders(shaders CONFIG config/shaders)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/outputs.txt" "${shaders_OUTPUTS}")
"""
MESON = "project('demo')\nsubdir('hlsl_shaders')\n"


@dataclass
class System:
    """A build system: commands that set up a project once, and the command that builds it."""

    name: str
    programs: Sequence[str]
    prepare: Callable[[Rules], None]
    build: Sequence[str]

    @property
    def missing(self) -> str:
        """The first required program that is not installed; empty if all are."""
        return next((program for program in self.programs if shutil.which(program) is None), "")


class Rules:
    """A project and a build system with which it is built."""

    def __init__(self, project: Project, system: System) -> None:
        self.project = project
        self.system = system
        self.server = "no"
        """The value of HLSL_TOOL_SERVER."""
        program = project.write("bin/hlsl_tool", f'#!/bin/sh\nexec "{sys.executable}" -P -m hlsl_tool "$@"\n')
        program.chmod(0o755)
        self.said = ""

    def environment(self) -> dict[str, str]:
        env = {**self.project.environment(), "HLSL_TOOL_SERVER": self.server}
        env["PATH"] = os.pathsep.join([str(self.project.root / "bin"), env["PATH"]])
        return env

    def call(self, *command: str) -> int:
        done = subprocess.run(
            command,
            cwd=self.project.root,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def prepare(self, *command: str) -> None:
        assert self.call(*command) == 0, self.said

    def build(self) -> list[str]:
        """Build successfully; return the names of the shaders that were compiled."""
        status, compiled = self.run()
        assert status == 0, self.said
        return compiled

    def run(self) -> tuple[int, list[str]]:
        log = self.project.root / "compiled.log"
        log.unlink(missing_ok=True)
        status = self.call(*self.system.build)
        return status, sorted(log.read_text().splitlines()) if log.exists() else []


def generate(kind: str) -> Callable[[Rules], None]:
    return lambda rules: rules.prepare("bin/hlsl_tool", "generate", kind)


def configure(generator: str) -> Callable[[Rules], None]:
    def prepare(rules: Rules) -> None:
        rules.project.write("CMakeLists.txt", CMAKE)
        program = rules.project.root / "bin" / "hlsl_tool"
        rules.prepare("cmake", "-G", generator, "-S", ".", "-B", "c b", f"-DHLSL_TOOL_EXECUTABLE={program}")

    return prepare


def set_up(rules: Rules) -> None:
    rules.project.write("meson.build", MESON)
    rules.prepare("bin/hlsl_tool", "generate", "meson")
    rules.prepare("meson", "setup", "m b")


SYSTEMS = [
    System("ninja", ["ninja"], generate("ninja"), ["ninja", "-f", "shaders.ninja"]),
    System("make", ["make"], generate("make"), ["make", "-f", "shaders.mk", "-j2"]),
    System("cmake-ninja", ["cmake", "ninja"], configure("Ninja"), ["cmake", "--build", "c b"]),
    System("cmake-make", ["cmake", "make"], configure("Unix Makefiles"), ["cmake", "--build", "c b"]),
    System("meson", ["meson", "ninja"], set_up, ["ninja", "-C", "m b"]),
]
