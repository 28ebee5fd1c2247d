"""Projects in temporary folders, and real runs of SCons on them with the fake compiler."""

from __future__ import annotations

import contextlib
import os
import pathlib
import textwrap
from dataclasses import dataclass

import pytest

from tests import fork_server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOL_PATH = ROOT / "site_scons" / "site_tools"

SCONSTRUCT = f"""\
env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
env.HlslShaders('config/shaders')
Default('shaders')
"""

OWN = (".hlsl_tool.log", ".hlsl_tool.state")
"""Files that only the next build reads."""

SIMPLE = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    outputs: [spv]
"""


@dataclass
class Run:
    status: int
    out: str
    err: str
    compiled: list[str]
    """`source:entry MACRO=value`, sorted: what the compiler was called for."""

    @property
    def summary(self) -> str:
        found = [line for line in self.out.splitlines() if line.startswith("shaders: ")]
        return found[-1].rsplit(" (", 1)[0] if found else ""


class Project:
    def __init__(self, root: pathlib.Path, *, fake: bool = True) -> None:
        self.root = root
        self.store = "off"
        """Value of the variable for the store: off, because most tests count compilations."""
        self.fake = fake
        self.write("SConstruct", SCONSTRUCT)

    def write(self, name: str, text: str | bytes) -> pathlib.Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text if isinstance(text, bytes) else textwrap.dedent(text).encode()
        path.write_bytes(data)
        return path

    def simple(self, source: str = "float x;\n") -> None:
        self.write("config/shaders/a.yaml", SIMPLE)
        self.write("shaders/a.hlsl", source)

    def environment(self) -> dict[str, str]:
        folders = [str(HERE / "fake")] if self.fake else []
        found = {**os.environ, "PYTHONPATH": os.pathsep.join([*folders, str(ROOT)]), "NO_COLOR": "1"}
        found["FAKE_COMPILER_LOG"] = str(self.root / "compiled.log")
        found["HLSL_TOOL_STORE"] = self.store
        found["XDG_CACHE_HOME"] = str(self.root.parent / f"{self.root.name}.cache")
        return found

    def python(self, *arguments: str, timeout: float = 120, fresh: bool = False) -> Run:
        """Run Python in the project's folder.

        By default the process is a fork of one that has loaded SCons; with `fresh` it is a new interpreter.
        """
        log = self.root / "compiled.log"
        log.unlink(missing_ok=True)
        how = fork_server.run_fresh if fresh else fork_server.run
        done = how(arguments, cwd=str(self.root), env=self.environment(), timeout=timeout)
        compiled = sorted(log.read_text().splitlines()) if log.exists() else []
        return Run(done.returncode, done.stdout, done.stderr, compiled)

    def scons(self, *arguments: str) -> Run:
        return self.python("-m", "SCons", "-Q", *arguments)

    def tool(self, *arguments: str) -> Run:
        return self.python("-m", "hlsl_tool", *arguments)

    def outputs(self) -> dict[str, bytes]:
        """Path → content of every output except the log."""
        folder = self.root / "build"
        paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in OWN]
        paths = [path for path in paths if ".hlsl_tool.store" not in path.parts]
        found = {}
        for path in sorted(paths):
            with contextlib.suppress(FileNotFoundError):  # a temporary file of a watcher
                found[path.relative_to(self.root).as_posix()] = path.read_bytes()
        return found


@pytest.fixture
def project(tmp_path: pathlib.Path) -> Project:
    return Project(tmp_path)
