"""Jobs: a job compiles one entry point of one permutation, and writes one or more output files."""

from __future__ import annotations

import json
from functools import cache

from hlsl_tool.base.options.checks import split_profile
from hlsl_tool.base.options.compile_options import PLACES, CompileOptions, changed
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.digest import digest

NAMED_KINDS = ("dep", "header", "cpp", "bindings")
"""Kinds of output that contain the name of the job."""

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


@dataclass(slots=True)
class Job:
    """One compilation and its outputs.  All paths are relative to the project's root and use slashes."""

    name: str
    source: str
    options: CompileOptions
    targets: dict[str, str]
    """Kind of output → file, in the order of `project.config.output_kinds.SUFFIXES`."""
    permutation: tuple[tuple[str, str], ...] = ()
    stem: str = ""
    """The name without the permutation."""
    array: str = ""
    """The name of the C array in the output `header`; empty for that of the job."""
    array_type: str = ""
    """The type of the array's elements; empty for `uint32_t`."""
    namespace: str = ""
    """The namespace in the output `cpp`; empty for the name of the job."""
    variant: str = field(default="", compare=False)
    """The variant of the build, such as debug; the manifest names it."""
    siblings: int = field(default=0, compare=False)
    """Number of permutations of its entry, itself included; 0 if unknown.  Messages only."""
    origin: str = ""
    """Place of the job in the configuration: `file:line`."""
    fingerprint: str = ""
    """Toolchain fingerprint."""
    is_fresh: bool = False
    """Compile without memory and store, to verify a stored result."""
    is_linked: bool = field(default=False, compare=False)
    """Whether link checks need its interface; `plan_links` sets it."""
    _cache_key: str = field(default="", compare=False, repr=False)

    @property
    def configuration(self) -> str:
        """Path of the configuration or SConscript that declares the job, from the root."""
        return self.origin.rpartition(":")[0]

    @property
    def main_target(self) -> str:
        """Path of the first output of the job."""
        return next(iter(self.targets.values()))

    def set_fingerprint(self, fingerprint: str) -> None:
        """Set the toolchain fingerprint, which is part of the cache key."""
        self.fingerprint, self._cache_key = fingerprint, ""

    def signature_lines(self) -> list[str]:
        """Return each setting that affects the outputs as a line `name: value`, sorted.

        Sources and toolchain excepted.
        """
        content = {name: canonical(value) for name, value in changed(self.options) if name not in PLACES}
        content["source"] = canonical(self.source)
        content["outputs"] = canonical(tuple(sorted(self.targets)))
        if any(kind in self.targets for kind in NAMED_KINDS):
            content["name"] = canonical(self.name)  # these outputs contain it
        names = {"array": self.array, "array_type": self.array_type, "namespace": self.namespace}
        content |= {key: canonical(name) for key, name in names.items() if name}
        return [f"{name}: {value}" for name, value in sorted(content.items())]

    def explained_lines(self) -> list[str]:
        """Return `signature_lines` and a line for the toolchain: the settings whose changes explain a rebuild."""
        return [*self.signature_lines(), f"tool: {self.fingerprint}"]

    def cache_key(self) -> str:
        """Return the hash of all that affects the outputs, except file contents: of all settings and the toolchain."""
        if not self._cache_key:
            lines = "\n".join([*self.signature_lines(), self.fingerprint])
            self._cache_key = digest(lines.encode("utf-8", "surrogatepass"))
        return self._cache_key


@cache
def canonical(value: object) -> str:
    """Return a value as compact JSON; cached, because permutations share most values."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def stage_name(job: Job) -> str:
    """Return the name of the job's shader stage in manifests and packs, such as `fragment`."""
    stage = (split_profile(job.options.profile) or ("", 0, 0))[0]
    return STAGES.get(stage, stage)
