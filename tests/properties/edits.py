"""Edit projects at random: after each edit, a build with a store gives the outputs of a clean build.

    python tests/properties/edits.py                            100 edits of generated projects, and of the samples
    python tests/properties/edits.py --count 1000 --seed 7
    python tests/properties/edits.py --jobs jobs.json --trees FOLDER --match wicked --shaders 12 --count 300

Every output is compared byte by byte, with messages and files.  The build must compile all affected shaders
(`affected`); the number of other compiled shaders is printed at the end.  A failure prints the seed and the number of
its edit.  Files appear and disappear, also earlier on the search path; options and tools change; earlier states are
restored.  ``--jobs`` takes a list of DXC's command lines (root, file, entry, profile, defines, include_dirs, args).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hlsl_tool.base.diagnostics import Sink  # noqa: E402
from hlsl_tool.base.options.command_line import parse  # noqa: E402
from hlsl_tool.project.build.currency import toolchain  # noqa: E402
from hlsl_tool.project.build.job import Job  # noqa: E402
from hlsl_tool.project.build.plan import plan  # noqa: E402
from hlsl_tool.project.build.workers.worker import new_memory  # noqa: E402
from hlsl_tool.project.config.load import load  # noqa: E402
from tests.properties import affected, generated  # noqa: E402
from tests.properties.trees import Tree, new_job  # noqa: E402

TOOLS = ("SPIRV_OPT", "SPIRV_VAL")
HEADERS = (".h", ".hlsli")


@dataclass
class Count:
    """Counters of an edit run: the jobs in each state, and the compilations of jobs that no edit affected."""

    edits: int = 0
    states: collections.Counter[str] = field(default_factory=collections.Counter)
    kinds: collections.Counter[str] = field(default_factory=collections.Counter)
    affected: int = 0
    more: int = 0
    """Number of shaders that were compiled though not affected: reach by identifiers exceeds reach by analysis."""

    def told(self) -> str:
        states = ", ".join(f"{count} {state}" for state, count in self.states.most_common())
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        return (
            f"{self.edits} edits ({kinds})\nshaders: {states}\n"
            f"affected {self.affected}, all of them compiled; compiled without being affected: {self.more}"
        )


class Edits:
    """A project and the random edits of it."""

    def __init__(self, tree: Tree, seed: int, label: str, tools: pathlib.Path) -> None:
        self.tree = tree
        self.random = random.Random(seed)
        self.label = f"{label}, seed {seed}"
        self.count = Count()
        self.known: set[str] = set()
        self.original = {name: (tree.root / name).read_text("latin-1") for name in self.names()}
        self.jobs = list(tree.jobs)
        self.tools = tools
        self.tool("a")
        tree.restart()
        self.words = sorted({w for text in self.original.values() for w in re.findall(r"\b[A-Za-z_]\w{2,}", text)})

    def names(self) -> list[str]:
        root = self.tree.root
        paths = [path for path in root.rglob("*") if path.is_file() and "build" not in path.relative_to(root).parts]
        return sorted(path.relative_to(root).as_posix() for path in paths)

    def tool(self, commit: str) -> None:
        """Make builds use a spirv-opt program with other content, but the same version number.

        ``commit`` is a text that makes the content different.
        """
        path = self.tools / "spirv-opt"
        path.write_text(f'#!/bin/sh\nexec spirv-opt "$@"  # {commit}\n')
        path.chmod(0o755)
        os.environ["SPIRV_OPT"] = str(path)

    # ---- one step

    def run(self, count: int, say: Callable[[str], None] = lambda text: None) -> Count:
        self.check("first")
        for number in range(1, count + 1):
            kind, what = self.edit()
            self.count.kinds[kind] += 1
            self.count.edits += 1
            self.check(f"{self.label}, edit {number}: {kind} {what}")
            if number % 50 == 0:
                say(f"{self.label}: {number} edits")
        return self.count

    def check(self, told: str) -> None:
        memory = new_memory()
        before = set(self.known)
        broken = False
        built = self.tree.build(told)
        for job in self.tree.jobs:
            found = built[job.name]
            self.count.states[found.state] += 1
            if not found.clean.ok:
                broken = True
                continue
            signed = replace(job, fingerprint=toolchain.fingerprint_of(job))
            state = affected.state(signed, str(self.tree.root), memory)
            if state not in self.known:
                assert found.state == "compiled", f"{told}: {job.name} is affected, and yet it was {found.state}"
                self.count.affected += 1
            elif found.state == "compiled" and state in before:
                self.count.more += 1
            self.known.add(state)
        if broken and self.random.random() < 0.7:  # most of what breaks shaders is taken back
            self.all_back()

    def restore(self) -> None:
        for name in self.names():
            if name not in self.original:
                (self.tree.root / name).unlink()
        for name, text in self.original.items():
            self.tree.write(name, text.encode("latin-1"))

    # ---- edits

    def edit(self) -> tuple[str, str]:
        kind = self.random.choice(sorted(ACTIONS) + sorted(TEXTS) * 2)
        if kind in ACTIONS:
            return kind, ACTIONS[kind](self)
        names = self.names()
        headers = [name for name in names if name.endswith(HEADERS)]
        name = self.random.choice(headers if headers and self.random.random() < 0.7 else self.sources())
        text = (self.tree.root / name).read_text("latin-1")
        self.tree.write(name, TEXTS[kind](self, text).encode("latin-1"))
        return kind, name

    def sources(self) -> list[str]:
        return sorted({job.source for job in self.tree.jobs if (self.tree.root / job.source).exists()})

    def replaced(self, text: str, pattern: str, new: str | Callable[[re.Match[str]], str]) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text + "\n"
        match = self.random.choice(found)
        return text[: match.start()] + (new if isinstance(new, str) else new(match)) + text[match.end() :]

    def number(self) -> str:
        return f"{self.random.randint(0, 9)}.{self.random.randint(0, 99)}"

    # ---- whole files, options, tools

    def appear(self) -> str:
        """Create a header in a folder that is searched before the header's own one."""
        headers = [name for name in self.names() if name.endswith(HEADERS)]
        if not headers:
            return "nothing"
        name = self.random.choice(headers)
        folders = sorted(
            {os.path.dirname(job.source) for job in self.tree.jobs}
            | {folder for job in self.tree.jobs for folder in job.options.include_dirs}
        )
        target = f"{self.random.choice(folders)}/{os.path.basename(name)}".lstrip("/")
        text = (self.tree.root / name).read_text("latin-1")
        self.tree.write(target, TEXTS["number"](self, text).encode("latin-1"))
        return f"{target} from {name}"

    def vanish(self) -> str:
        headers = [name for name in self.names() if name.endswith(HEADERS)]
        new = [name for name in headers if name not in self.original]
        if not headers:
            return "nothing"
        name = self.random.choice(new or headers)
        (self.tree.root / name).unlink()
        return name

    def back(self) -> str:
        names = [name for name in self.original if self.changed(name)]
        if not names:
            return "nothing"
        name = self.random.choice(names)
        self.tree.write(name, self.original[name].encode("latin-1"))
        return name

    def changed(self, name: str) -> bool:
        path = self.tree.root / name
        return not path.exists() or path.read_text("latin-1") != self.original[name]

    def all_back(self) -> str:
        self.restore()
        self.tree.jobs = list(self.jobs)
        return "everything"

    def option(self) -> str:
        number = self.random.randrange(len(self.tree.jobs))
        job = self.tree.jobs[number]
        name, value = self.random.choice(OPTIONS)
        options = self.jobs[number].options if self.random.random() < 0.3 else replace(job.options, **{name: value})
        if name == "defines":
            options = replace(options, defines=(*options.defines, (self.random.choice(self.words), self.number())))
        self.tree.jobs[number] = replace(job, options=options, _cache_key="")
        return f"{name} of {job.name}"

    def another_tool(self) -> str:
        commit = self.random.choice("ab")
        self.tool(commit)
        self.tree.restart()
        return commit

    def restart(self) -> str:
        self.tree.restart()
        return "the process"

    def no_folder(self) -> str:
        shutil.rmtree(self.tree.root / "build", ignore_errors=True)
        return "build"

    def torn(self) -> str:
        """Truncate the log and an output."""
        log = self.tree.root / "build/.hlsl_tool.log"
        if log.exists():
            log.write_bytes(log.read_bytes()[: -self.random.randint(1, 400)])
        return "the log"


OPTIONS: list[tuple[str, object]] = [
    ("layout", "scalar"),
    ("matrix_layout", "row_major"),
    ("warnings", ("no-everything",)),
    ("entry_point_name", "other"),
    ("target_env", "vulkan1.3"),
    ("no_warnings", True),
    ("defines", ()),
    ("warnings_as_errors", True),
    ("optimize", "performance"),
    ("shift_t", ((10, 0),)),
    ("debug", ("source",)),
    ("reflect_decorations", True),
    ("hlsl_version", 2018),
]
ACTIONS: dict[str, Callable[[Edits], str]] = {
    "appear": Edits.appear,
    "vanish": Edits.vanish,
    "back": Edits.back,
    "all back": Edits.all_back,
    "option": Edits.option,
    "tool": Edits.another_tool,
    "restart": Edits.restart,
    "no folder": Edits.no_folder,
    "torn": Edits.torn,
}
Text = Callable[[Edits, str], str]
TEXTS: dict[str, Text] = {
    "comment": lambda e, text: e.replaced(text, r"\n", f"// {e.number()}\n\n"),
    "space": lambda e, text: e.replaced(text, r"\n", " \n"),
    "number": lambda e, text: e.replaced(text, r"\b\d+\.\d+", e.number()),
    "whole number": lambda e, text: e.replaced(text, r"\b\d\b", str(e.random.randint(0, 9))),
    "operator": lambda e, text: e.replaced(text, r" [*+-] ", e.random.choice([" * ", " + ", " - "])),
    "word": lambda e, text: e.replaced(text, r"\b[a-z]\w+\b", e.random.choice(e.words)),
    "type": lambda e, text: e.replaced(text, r"\bfloat[234]?\b", e.random.choice(["float3", "float4", "half", "int"])),
    "statement": lambda e, text: e.replaced(
        text, r"\)\s*\{\s*\n", lambda found: found[0] + f"    float extra = {e.number()};\n"
    ),
    "warning": lambda e, text: e.replaced(
        text, r"\)\s*\{\s*\n", lambda found: found[0] + f"    float extra = float2({e.number()}, 1);\n"
    ),
    "overload": lambda e, text: e.replaced(
        text,
        r"(?m)^float (\w+)\(float x",
        lambda found: f"float {found[1]}(int x) {{ return {e.number()}; }}\n{found[0]}",
    ),
    "function": lambda e, text: text + f"\nfloat {e.random.choice(e.words)}_(float x) {{ return x * {e.number()}; }}\n",
    "block": lambda e, text: text + "\ncbuffer Added{0} {{ float4 added{0}; }};\n".format(e.random.randint(0, 9)),
    "macro": lambda e, text: e.replaced(
        text, r"(?m)^\s*#\s*define (\w+)[ \t]+(?=\S)", lambda found: found[0] + f"{e.random.randint(1, 3)} + "
    ),
    "new macro": lambda e, text: f"#define {e.random.choice(e.words)} {e.random.choice(e.words)}\n" + text,
    "include": lambda e, text: e.replaced(text, r"(?m)^#include.*\n", ""),
    "condition": lambda e, text: e.replaced(
        text, r"(?m)^#if .*", lambda found: f"{found[0]} && {e.random.choice('01')}"
    ),
    "pragma": lambda e, text: "#pragma pack_matrix(row_major)\n" + text,
    "level": lambda e, text: e.replaced(text, r"\n", '\n#pragma dxc diagnostic ignored "-Wconversion"\n'),
    "line": lambda e, text: f'#line {e.random.randint(1, 99)} "other.hlsl"\n' + text,
    "cut": lambda e, text: e.replaced(text, r"\n[^\n{}#]*;", ""),
}


# ------------------------------------------------------------------------------------------------------------- trees


def generated_tree(folder: pathlib.Path, seed: int) -> Tree:
    files, jobs = generated.tree(random.Random(seed))
    tree = Tree(folder / "tree", jobs, (str(folder / "store"),))
    for name, text in files.items():
        tree.write(name, text)
    return tree


def sample_tree(folder: pathlib.Path, shaders: int) -> Tree:
    for name in ("config", "shaders"):
        shutil.copytree(ROOT / name, folder / "tree" / name)
    jobs = [job for job in plan(load(str(ROOT), ["config/shaders"], Sink())) if "wgsl" not in job.targets]
    jobs = [replace(job, options=replace(job.options, optimize="none", validate="no")) for job in jobs]
    chosen = random.Random(shaders).sample(jobs, min(shaders, len(jobs)))
    for each in chosen:
        each.targets = {kind: f"build/{path}" for kind, path in each.targets.items()}
    return Tree(folder / "tree", chosen, (str(folder / "store"),))


def listed_tree(folder: pathlib.Path, path: pathlib.Path, trees: pathlib.Path, match: str, shaders: int) -> Tree:
    """Return a project of at most ``shaders`` jobs from the list in ``path`` whose names contain ``match``.

    Those that compile in the shortest time are chosen.
    """
    listed = sorted((j for j in json.loads(path.read_text()) if match in j["id"]), key=lambda j: j["dxc_ms"])[:shaders]
    jobs: list[Job] = []
    for top in sorted({j["root"] for j in listed}):
        shutil.copytree(trees / top, folder / "tree" / top)
    for each in listed:
        options = parse(["x.hlsl", *each["args"], "-T", each["profile"], "-E", each["entry"]]).options
        macros = tuple((d.partition("=")[0], d.partition("=")[2] or "1") for d in each["defines"])
        inside = tuple(os.path.normpath(f"{each['root']}/{name}") for name in each["include_dirs"])
        options = replace(
            options, defines=macros, include_dirs=inside, optimize="none", validate="no", hlsl_version=2018
        )
        name = each["id"].replace("/", "-")
        jobs.append(new_job(name, f"{each['root']}/{each['file']}", options, "spv", "reflection", "dep"))
    return Tree(folder / "tree", jobs, (str(folder / "store"),))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many edits of each tree")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shaders", type=int, default=12, help="how many of the samples, or of the list")
    parser.add_argument("--jobs", type=pathlib.Path, help="a list of command lines")
    parser.add_argument("--trees", type=pathlib.Path, help="where the trees of the list lie")
    parser.add_argument("--match", default="", help="part of the names that are taken from the list")
    parser.add_argument("--generated", type=int, default=1, help="how many generated trees, without a list")
    options = parser.parse_args()
    made: list[tuple[str, Callable[[pathlib.Path], Tree], int]] = []
    if options.jobs:
        made.append(
            (
                options.match or "list",
                lambda folder: listed_tree(folder, options.jobs, options.trees, options.match, options.shaders),
                options.seed,
            )
        )
    else:
        for seed in range(options.seed, options.seed + options.generated):
            made.append(("generated", lambda folder, seed=seed: generated_tree(folder, seed), seed))  # type: ignore[misc]
        made.append(("samples", lambda folder: sample_tree(folder, options.shaders), options.seed))
    for label, make, seed in made:
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder) / "tools"
            tools.mkdir()
            edits = Edits(make(pathlib.Path(folder)), seed, label, tools)
            count = edits.run(options.count, lambda text: print(text, flush=True))
            edits.tree.restart()
            print(f"{edits.label}: {count.told()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
