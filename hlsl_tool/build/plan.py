"""A project → the jobs that build it.  Pure: no file is looked at, and equal projects give equal plans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from hlsl_tool.build.currency.log import digest
from hlsl_tool.config.model import Project, Variant
from hlsl_tool.options.checks import split_profile
from hlsl_tool.options.model import PLACES, CompileOptions, changed

SUFFIXES = {
    "spv": ".spv",
    "spvasm": ".spvasm",
    "reflection": ".json",
    "header": ".h",
    "cpp": ".hpp",
    "dep": ".d",
    "bindings": ".bindings.json",
    "wgsl": ".wgsl",
    "wgsl_bindings": ".wgsl.json",
}
STAGES = {
    "vs": "vertex",
    "hs": "tessellation control",
    "ds": "tessellation evaluation",
    "gs": "geometry",
    "ps": "fragment",
    "cs": "compute",
    "ms": "mesh",
    "as": "task",
    "lib": "library",
}
MANIFEST_VERSION = 1


@dataclass(slots=True)
class Job:
    """One compilation and the files that come of it.  All paths are relative to the project's root, with slashes."""

    name: str
    source: str
    options: CompileOptions
    targets: dict[str, str]
    """Kind of output → file, in the order of `SUFFIXES`."""
    permutation: tuple[tuple[str, str], ...] = ()
    stem: str = ""
    """The name without the permutation."""
    origin: str = ""
    """Where the configuration asks for it: `file:line`."""
    fingerprint: str = ""
    """Of the toolchain."""
    is_fresh: bool = False
    """Compiled without a look at anything remembered or stored, for a check of that."""
    is_linked: bool = field(default=False, compare=False)
    """Whether it is a stage that is checked against others, so that its interface is wanted: `plan_links` sets it."""
    _decided: str = field(default="", compare=False, repr=False)

    @property
    def configuration(self) -> str:
        """The file that asks for it: a configuration or a SConscript, from the root."""
        return self.origin.rpartition(":")[0]

    @property
    def main_target(self) -> str:
        return next(iter(self.targets.values()))

    def signature_lines(self) -> list[str]:
        """Everything that decides the outputs but the sources and the toolchain: one line an option, sorted."""
        content = {name: canonical(value) for name, value in changed(self.options) if name not in PLACES}
        content["source"] = canonical(self.source)
        content["outputs"] = canonical(tuple(sorted(self.targets)))
        if any(kind in self.targets for kind in ("dep", "header", "cpp", "bindings")):
            content["name"] = canonical(self.name)  # stands in the text of these
        return [f"{name}: {value}" for name, value in sorted(content.items())]

    def explained_lines(self) -> list[str]:
        """All that decides the outputs but the sources, a line each."""
        return [*self.signature_lines(), f"tool: {self.fingerprint}"]

    def decided(self) -> str:
        """The hash of all that decides the outputs, without the contents of files."""
        if not self._decided:
            lines = "\n".join([*self.signature_lines(), self.fingerprint])
            self._decided = digest(lines.encode("utf-8", "surrogatepass"))
        return self._decided


@cache
def canonical(value: object) -> str:
    """A value as compact JSON; permutations share most of theirs."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def plan(project: Project) -> list[Job]:
    """The jobs of a project in the order of its configurations."""
    return [job_of(variant, project.output_dir) for variant in project.variants]


def job_of(variant: Variant, output_dir: str, outputs: tuple[str, ...] | None = None) -> Job:
    """The job of a variant; ``outputs`` stands for those of the configuration."""
    prefix = "" if output_dir in ("", ".") else output_dir + "/"
    kinds = [kind for kind in SUFFIXES if kind in (variant.outputs if outputs is None else outputs)]
    return Job(
        name=variant.name,
        source=variant.source,
        options=variant.options,
        targets={kind: f"{prefix}{variant.name}{SUFFIXES[kind]}" for kind in kinds},
        permutation=variant.permutation,
        stem=variant.stem,
        origin=f"{variant.at.file}:{variant.at.line}",
    )


def stem_of(job: Job) -> str:
    """`lit/pbr.PSMain`, under which all its permutations can be asked for."""
    count = len(job.permutation)
    return job.name.rsplit(".", count)[0] if count else job.name


def manifest(jobs: list[Job], output_dir: str, aliases: Mapping[str, str] | None = None) -> str:
    """The text of the manifest: what engines load shaders by.  Its schema is `config/schema/manifest.json`.

    ``aliases``: shader → the first that came to the same words, as far as shaders have been built.
    """
    prefix = "" if output_dir in ("", ".") else output_dir + "/"
    shaders = []
    for job in sorted(jobs, key=lambda job: job.name):
        options = job.options
        stage = (split_profile(options.profile) or ("", 0, 0))[0]
        same = (aliases or {}).get(job.name)
        shaders.append(
            {
                "name": job.name,
                "shader": job.stem or job.name,
                "source": job.source,
                "entry": options.entry,
                "entry_point": options.entry_point_name or options.entry,
                "stage": STAGES.get(stage, stage),
                "profile": options.profile,
                "target_env": options.target_env,
                "defines": {name: "1" if value is None else value for name, value in options.defines},
                "permutation": dict(job.permutation),
                "outputs": {kind: path.removeprefix(prefix) for kind, path in job.targets.items()},
                **({"alias_of": same} if same is not None else {}),
            }
        )
    return json.dumps({"version": MANIFEST_VERSION, "shaders": shaders}, indent=1, ensure_ascii=False) + "\n"
