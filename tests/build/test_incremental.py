"""Random edits of a random include graph: every build equals a clean one and compiles exactly the affected shaders.

`Oracle` determines the affected shaders: it is a separate, much simpler reader of the few directives in these files.
`INCREMENTAL_EDITS=200` makes the test as long as for a release; the seed is printed with a failure.
"""

from __future__ import annotations

import os
import pathlib
import posixpath
import random
import re
import shutil

import pytest

from tests.build.conftest import Project

EDITS = int(os.environ.get("INCREMENTAL_EDITS", "25"))
SEED = int(os.environ.get("INCREMENTAL_SEED", "1"))
FOLDERS = ("shaders", "shaders/near", "shaders/inc1", "shaders/inc2")
HEADERS = tuple(f"h{number}.h" for number in range(8))
SOURCES = ("shaders/s0.hlsl", "shaders/s1.hlsl", "shaders/near/s2.hlsl", "shaders/near/s3.hlsl")
MACROS = {"P": ("0", "1"), "Q": ("0", "1", "2")}


class Missing(Exception):
    pass


class Oracle:
    """Evaluates #include (quoted, or by a macro), #define of a header's name, and #if NAME == number."""

    def __init__(self, root: pathlib.Path, include_dirs: list[str]) -> None:
        self.root = root
        self.include_dirs = include_dirs

    def reads(self, source: str, macros: dict[str, str]) -> tuple[tuple[str, ...], bool]:
        """Return (names and contents of the files read and paths tried, in order; whether all includes were found)."""
        found: list[str] = []
        names = dict(macros)
        try:
            self.file(source, [posixpath.dirname(source)], names, found, 0)
        except Missing:
            return tuple(found), False
        return tuple(found), True

    def file(self, name: str, folders: list[str], names: dict[str, str], found: list[str], depth: int) -> None:
        text = (self.root / name).read_text()
        found.append(f"{name}\0{text}")
        if depth > 20:
            raise Missing
        taken: list[bool] = []
        for line in text.splitlines():
            if match := re.match(r"#if (\w+) == (\d+)", line):
                taken.append(names.get(match[1], "0") == match[2])
            elif line == "#else":
                taken[-1] = not taken[-1]
            elif line == "#endif":
                taken.pop()
            elif not all(taken):
                continue
            elif match := re.match(r'#define (\w+) ("[^"]*")', line):
                names[match[1]] = match[2]
            elif match := re.match(r"#include (.+)", line):
                wanted = names.get(match[1], match[1]).strip('"')
                target = self.find(wanted, folders, found)
                self.file(target, [posixpath.dirname(target), *folders], names, found, depth + 1)

    def find(self, name: str, folders: list[str], found: list[str]) -> str:
        for folder in [*folders, *self.include_dirs]:
            path = posixpath.join(folder, name)
            if (self.root / path).is_file():
                return path
        raise Missing


class World:
    """A random project, and random edits of it."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project = project
        self.random = random.Random(seed)
        self.include_dirs = ["inc1", "inc2"]
        self.macros = {source: self.random.sample(sorted(MACROS), self.random.randint(0, 2)) for source in SOURCES}
        self.layout = dict.fromkeys(SOURCES, "vulkan")
        self.past: list[tuple[str, str]] = []
        for header in HEADERS:
            self.put(f"shaders/inc1/{header}", self.text(int(header[1])))
        for source in SOURCES:
            self.put(source, self.text(-1))
        self.config()

    def put(self, name: str, text: str) -> None:
        path = self.project.root / name
        if path.exists():
            self.past.append((name, path.read_text()))
        self.project.write(name, text.encode())

    def text(self, level: int) -> str:
        """Return the text of a file; it includes only headers with higher numbers, so that there are no cycles."""
        lines = []
        for _ in range(self.random.randint(1, 3)):
            later = [header for header in HEADERS if int(header[1]) > level]
            if not later or self.random.random() < 0.2:
                continue
            header = self.random.choice(later)
            form = self.random.random()
            if form < 0.4:
                lines.append(f'#include "{header}"')
            elif form < 0.6:
                name = f"NAME{self.random.randint(0, 10**6)}"
                lines += [f'#define {name} "{header}"', f"#include {name}"]
            else:
                other = self.random.choice(later)
                macro = self.random.choice(sorted(MACROS))
                lines += [f"#if {macro} == {self.random.randint(0, 1)}", f'#include "{header}"', "#else"]
                lines += [f'#include "{other}"', "#endif"]
        lines.append(f"int v{self.random.randint(0, 10**9)};")
        return "\n".join(lines) + "\n"

    def config(self) -> None:
        lines = [f"include_dirs: [{', '.join(self.include_dirs)}]", "outputs: [spv, dep]", "shaders:"]
        for source in SOURCES:
            lines += [f"  - source: {source.removeprefix('shaders/')}", "    profile: ps_6_0"]
            lines.append(f"    layout: {self.layout[source]}")
            if self.macros[source]:
                axes = ", ".join(f"{name}: [{', '.join(MACROS[name])}]" for name in self.macros[source])
                lines.append(f"    defines: {{ {axes} }}")
        self.project.write("config/shaders/all.yaml", "\n".join(lines) + "\n")

    def edit(self) -> str:
        """Make a random edit and return its description."""
        root = self.project.root
        headers = sorted(path.relative_to(root).as_posix() for path in root.glob("shaders/**/*.h"))
        kind = self.random.choices(
            ("text", "comment", "shadow", "delete", "revert", "touch", "layout", "order"), (6, 1, 3, 2, 3, 1, 2, 1)
        )[0]
        if kind == "text":
            name = self.random.choice([*headers, *SOURCES])
            level = int(posixpath.basename(name)[1]) if name.endswith(".h") else -1
            self.put(name, self.text(level))
            return f"text {name}"
        if kind == "comment":
            name = self.random.choice(headers)
            self.put(name, (root / name).read_text() + f"// {self.random.random()}\n")
            return f"comment {name}"
        if kind == "shadow":
            name = f"{self.random.choice(FOLDERS)}/{self.random.choice(HEADERS)}"
            self.put(name, self.text(int(posixpath.basename(name)[1])))
            return f"shadow {name}"
        if kind == "delete" and len(headers) > 4:
            name = self.random.choice(headers)
            self.past.append((name, (root / name).read_text()))
            (root / name).unlink()
            return f"delete {name}"
        if kind == "revert" and self.past:
            name, text = self.random.choice(self.past)
            self.put(name, text)
            return f"revert {name}"
        if kind == "touch":
            name = self.random.choice(headers)
            os.utime(root / name)
            return f"touch {name}"
        if kind == "order":
            self.include_dirs.reverse()
        source = self.random.choice(SOURCES)
        if kind != "order":
            self.layout[source] = self.random.choice(("vulkan", "dx", "gl", "scalar"))
        self.config()
        return f"{kind} {source}"

    def jobs(self) -> dict[str, tuple[str, dict[str, str]]]:
        """`source:entry macros` → (source, macros)."""
        found = {}
        for source in SOURCES:
            choices: list[dict[str, str]] = [{}]
            for name in self.macros[source]:
                choices = [{**choice, name: value} for choice in choices for value in MACROS[name]]
            for choice in choices:
                macros = " ".join(f"{name}={value}" for name, value in choice.items())
                found[f"{source}:main {macros}".strip()] = (source, choice)
        return found

    def states(self) -> dict[str, tuple[object, bool]]:
        oracle = Oracle(self.project.root, [f"shaders/{folder}" for folder in self.include_dirs])
        found = {}
        for job, (source, macros) in self.jobs().items():
            reads, complete = oracle.reads(source, macros)
            found[job] = ((reads, self.layout[source], tuple(self.include_dirs)), complete)
        return found


def target(job: str) -> str:
    source, _, macros = job.partition(":main")
    stem = source.removeprefix("shaders/").removesuffix(".hlsl")
    return f"build/shaders/{stem}.main" + "".join("." + macro for macro in macros.split())


@pytest.mark.slow
def test_random_edits(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World(project, SEED)
    built: dict[str, object] = {}
    for number in range(EDITS):
        what = "first" if number == 0 else world.edit()
        label = f"seed {SEED}, edit {number}: {what}"
        states = world.states()
        run = project.scons("-k", *(["-j2"] if number % 3 == 0 else []))
        expected = sorted(job for job, (state, _) in states.items() if built.get(job) != state)
        assert run.compiled == expected, label
        assert "Traceback" not in run.err, label
        failed = {job for job in expected if not states[job][1]}
        assert run.status == (2 if failed else 0), f"{label}\n{run.out}\n{run.err}"
        for job, (state, complete) in states.items():
            if complete:
                built[job] = state
        clean = clean_outputs(project, tmp_path_factory.mktemp("clean"))
        outputs = project.outputs()
        for job, (_, complete) in states.items():
            if complete:
                for suffix in (".spv", ".d"):
                    name = target(job) + suffix
                    assert outputs[name] == clean[name], f"{label}: {name}"
        if number % 4:
            continue
        again = project.scons("-k")
        retried = sorted(job for job in states if not states[job][1])
        assert again.compiled == retried, f"{label}: nothing was left to do"


def clean_outputs(project: Project, folder: pathlib.Path) -> dict[str, bytes]:
    for name in ("shaders", "config"):
        shutil.copytree(project.root / name, folder / name)
    other = Project(folder)
    other.tool("build")
    found = other.outputs()
    shutil.rmtree(folder)
    return found


def test_builds_keep_their_log_short(project: Project) -> None:
    project.simple()
    assert project.tool("build").status == 0
    log = project.root / "build/shaders/.hlsl_tool.log"
    log.write_bytes(log.read_bytes() * 100)
    project.write("shaders/a.hlsl", "float y;\n")
    assert project.tool("build").status == 0
    assert len(log.read_bytes().splitlines()) == 1
    assert project.tool("build").compiled == []
