"""Random edits of the sample shaders: results with a store equal those without one.

`REUSE_EDITS=1000` makes the test as long as for a release; `REUSE_SEED` repeats a failure.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
from collections import Counter
from dataclasses import replace
from typing import Any

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from hlsl_tool.reflection.emit_json import reflection_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITS = int(os.environ.get("REUSE_EDITS", "40"))
SEED = int(os.environ.get("REUSE_SEED", "1"))
JOBS_AT_ONCE = 3
"""Number of shaders that are compiled after each edit, with stored results and without."""


class Results:
    salt = "toolchain"

    def __init__(self) -> None:
        self.data: dict[str, tuple[str, bytes]] = {}

    def get(self, key: str) -> tuple[Any, bytes] | None:
        found = self.data.get(key)
        return (json.loads(found[0]), found[1]) if found is not None else None

    def put(self, key: str, datum: Any, spirv: bytes) -> None:
        self.data[key] = json.dumps(datum), spirv


class Samples:
    """The sample shaders in memory, and random edits of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        paths = [path for path in (ROOT / "shaders").rglob("*") if path.is_file()]
        self.files = {f"/{path.relative_to(ROOT).as_posix()}": path.read_text() for path in sorted(paths)}
        self.original = dict(self.files)
        jobs = plan(load(str(ROOT), ["config/shaders"], Sink()))
        self.jobs = [
            replace(job, options=replace(job.options, optimize="none", validate="no"))
            for job in jobs
            if not job.options.profile.startswith("lib")
        ]
        self.words = sorted({word for text in self.files.values() for word in re.findall(r"[A-Za-z_]\w+", text)})

    def edit(self) -> str:
        """Make a random edit, mostly of code that shaders share; return its description."""
        headers = [name for name in self.files if "include" in name]
        name = self.random.choice(headers if self.random.random() < 0.8 else sorted(self.files))
        if self.random.random() < 0.3 and self.files[name] != self.original[name]:
            self.files[name] = self.original[name]
            return f"{name}: as it was"
        kind = self.random.choice(sorted(KINDS))
        self.files[name] = KINDS[kind](self, self.files[name])
        return f"{name}: {kind}"

    def place(self, text: str, pattern: str) -> re.Match[str] | None:
        found = list(re.finditer(pattern, text))
        return self.random.choice(found) if found else None

    def replaced(self, text: str, pattern: str, new: str) -> str:
        found = self.place(text, pattern)
        return text if found is None else text[: found.start()] + new + text[found.end() :]

    def inserted(self, text: str, pattern: str, new: str) -> str:
        found = self.place(text, pattern)
        return text if found is None else text[: found.end()] + new + text[found.end() :]

    def number(self) -> str:
        return str(self.random.randint(0, 9))


KINDS = {
    "comment": lambda s, text: s.inserted(text, r"\n", f"// {s.number()}\n\n"),
    "space": lambda s, text: s.replaced(text, r"\n", " \n\n"),
    "number": lambda s, text: s.replaced(text, r"\b\d+\.\d+\b", f"{s.number()}.{s.number()}"),
    "operator": lambda s, text: s.replaced(text, r" [*+] ", s.random.choice([" * ", " + ", " - "])),
    "type": lambda s, text: s.replaced(text, r"\bfloat[234]?\b", s.random.choice(["float3", "float4", "half", "int"])),
    "word": lambda s, text: s.replaced(text, r"\b[a-z]\w+\b", s.random.choice(s.words)),
    "macro": lambda s, text: s.inserted(text, r"\n", f"#define {s.random.choice(s.words)}_ {s.number()}\n"),
    "swap members": lambda s, text: re.sub(r"(\n {4}float\w* \w+;)(\n {4}float\w* \w+;)", r"\2\1", text, count=1),
    "statement": lambda s, text: s.inserted(text, r"\n\{\n", f"    float extra = {s.number()};\n"),
    "warning": lambda s, text: s.inserted(text, r"\n\{\n", f"    float extra = float2({s.number()}, 1);\n"),
    "function": lambda s, text: text + f"\nfloat added{s.number()}(float x) {{ return x * {s.number()}; }}\n",
    "block": lambda s, text: text + f"\ncbuffer Added{s.number()} {{ float4 added{s.number()}; }};\n",
    "pragma": lambda s, text: "#pragma pack_matrix(row_major)\n" + text,
    "level": lambda s, text: s.inserted(text, r"\n", '#pragma dxc diagnostic ignored "-Wconversion"\n'),
    "lines": lambda s, text: f'#line {s.number()} "other.hlsl"\n' + text,
    "cut": lambda s, text: s.replaced(text, r"\n[^\n{}#]*;", ""),
}


def compiled(samples: Samples, job: Job, memory: Memory, results: Results | None) -> CompileResult:
    fs = MemoryFileSystem(samples.files)
    path = f"/{job.source}"
    source = SourceFile.from_bytes(job.source, path, samples.files[path].encode())
    o = job.options
    return compile_shader(source, entry=o.entry, profile=o.profile, options=o, fs=fs, memory=memory, results=results)


def test_results_make_no_difference() -> None:
    samples = Samples(SEED)
    results = Results()
    with_results, without = Memory(), Memory()
    jobs = samples.random.sample(samples.jobs, min(12, len(samples.jobs)))
    found: Counter[str] = Counter()
    past: list[str] = []
    for number in range(EDITS):
        past.append(samples.edit())
        for job in samples.random.sample(jobs, JOBS_AT_ONCE):
            told = f"seed {SEED}, edit {number} ({'; '.join(past[-4:])}), {job.name}"
            one = compiled(samples, job, with_results, results)
            other = compiled(samples, job, without, None)
            assert one.ok == other.ok, told
            assert one.spirv == other.spirv, told
            assert one.diagnostics == other.diagnostics, told
            if one.ok:
                reflection = reflection_json(other.spirv, other.interface)
                assert reflection_json(one.spirv, one.interface) == reflection, told
                one.interface.locate()
                other.interface.locate()
                assert replace(one.interface, blocks=[]) == replace(other.interface, blocks=[]), told
                assert [r.place for r in one.interface.resources] == [r.place for r in other.interface.resources], told
            found[one.reused if one.ok else "failed"] += 1
            if not one.ok and samples.random.random() < 0.7:  # most of what breaks a shader is taken back
                name = past[-1].partition(":")[0]
                samples.files[name] = samples.original[name]
    assert found[""] and found["tokens"] and found["reach"], found
