"""The rules of a project, for the writers of all build systems: one for each step, and one for the end of the build."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import hlsl_tool
from hlsl_tool.config.model import Project
from hlsl_tool.exchange.step import DEPFILE, RESTAT, STAMP, SUFFIX, Step
from hlsl_tool.system.atomic_write import WriteError, read_bytes, write_own
from hlsl_tool.system.dataclass import dataclass, field
from hlsl_tool.system.file_names import MANIFEST_NAME

if TYPE_CHECKING:
    from hlsl_tool.build.job import Job
    from hlsl_tool.build.plan_cache import Plan

JOBS_PER_STEP = 16
"""Permutations of a source above this number are split, so that several processes share them."""

PYTHON = [sys.executable, "-P", "-m"]
"""Python without the working folder on its path: a `struct.py` there would be imported in place of Python's."""


class Unwritable(Exception):
    """Reason why a build system has no way to write a rule."""


@dataclass(slots=True)
class Rule:
    """One step: the file that describes it, its source and its outputs, as the build system writes them."""

    file: str
    title: str
    """Text for the line that a build system shows while the step runs."""
    source: str
    outputs: list[str]

    @property
    def depfile(self) -> str:
        return self.file.removesuffix(SUFFIX) + DEPFILE

    @property
    def stamp(self) -> str:
        return self.file.removesuffix(SUFFIX) + STAMP


@dataclass(slots=True)
class Rules:
    """All rules of a project; paths are relative to the folder in which they run, or absolute."""

    file: str
    """The file that is generated."""
    output_dir: str
    steps: list[Rule]
    outputs: list[str]
    """Files that the end of the build writes: the manifest and the packs."""
    inputs: list[str]
    """Files and folders that decide the rules."""
    generate: list[str]
    """The command that writes the rules."""
    finish: list[str]
    """The command that ends a build: link checks, manifest, packs, stale outputs."""
    step: list[str] = field(default_factory=lambda: [*PYTHON, "hlsl_tool.server.client", "--step"])
    """The command that runs a step; the file of the step follows."""

    @property
    def folder(self) -> str:
        """The folder of the steps."""
        return self.file + ".steps"

    @property
    def depfile(self) -> str:
        """The file that lists `inputs` for build systems that read it."""
        return f"{self.folder}/rules{DEPFILE}"

    @property
    def stamp(self) -> str:
        """The file that the end of the build writes last, and only if all is well."""
        return f"{self.folder}/all{STAMP}"


@dataclass(frozen=True, slots=True)
class Call:
    """The command line of `hlsl_tool generate`, as far as generated rules repeat it."""

    kind: str
    file: str
    """The file to write, from the working folder, or absolute."""
    root: str
    """Absolute."""
    configs: tuple[str, ...]
    """From the root."""
    options: tuple[str, ...] = ()
    """Further words: values for the configurations, and trust."""

    @property
    def is_absolute(self) -> bool:
        """Whether the rules name all files by absolute paths."""
        return os.path.isabs(self.file)

    def path(self, name: str) -> str:
        """Return a path from the root, or an absolute one, as the rules write it."""
        if os.path.isabs(name):
            return name.replace(os.sep, "/")
        base = self.base
        return name if base == "." else f"{base}/{name}"

    @property
    def base(self) -> str:
        """The root as the rules write it."""
        base = self.root if self.is_absolute else _from_working_folder(self.root)
        return base.replace(os.sep, "/")

    def words(self, verb: str) -> list[str]:
        """Return a command of `hlsl_tool` for the same configurations."""
        configs = [word for name in self.configs for word in ("--config", name)]
        return [*PYTHON, "hlsl_tool", *verb.split(), "--root", self.base, *configs]


def _from_working_folder(path: str) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path


def rules_of(plan: Plan, call: Call, style: str = RESTAT) -> tuple[Rules, dict[str, bytes]]:
    """Return the rules of a plan, and the files of its steps with their contents.

    ``style``: what the build system does with the times of outputs (`exchange.step`).
    """
    project, jobs, _, packs = plan.loaded()
    prefix = "" if project.output_dir in ("", ".") else project.output_dir + "/"
    rules = Rules(
        file=call.file,
        output_dir=call.path(project.output_dir),
        steps=[],
        outputs=[call.path(prefix + MANIFEST_NAME), *(call.path(pack.target) for pack in packs)],
        inputs=list(_inputs(project, call)),
        generate=[*call.words(f"generate {call.kind}"), *call.options, "-o", call.file],
        finish=[],
    )
    rules.finish = [*call.words("build"), *call.options, "--quiet", "--stamp", rules.stamp]
    short = Project(call.base, output_dir=project.output_dir, store=project.store, store_size=project.store_size)
    short.store_texts = project.store_texts
    files = {}
    for name, part in _parts(jobs):
        source = part[0].source
        outputs = [call.path(target) for job in part for target in job.targets.values()]
        rule = Rule(f"{rules.folder}/{name}{SUFFIX}", f"hlsl {source}", call.path(source), outputs)
        target = rule.outputs[0] if style == RESTAT else rule.stamp
        rules.steps.append(rule)
        files[rule.file] = Step(short, part, target, style).encode()
    return rules, files


def _parts(jobs: Iterable[Job]) -> Iterator[tuple[str, list[Job]]]:
    """Yield the name and the jobs of each step."""
    by_source: dict[str, list[Job]] = {}
    for job in jobs:
        by_source.setdefault(job.source, []).append(job)
    used: set[str] = set()
    for source, jobs_of_source in by_source.items():
        plain = "/".join(part for part in source.replace("\\", "/").split("/") if part not in ("", ".", ".."))
        stem = "".join(letter if letter.isalnum() or letter in "_-./+" else "_" for letter in plain)
        parts = [jobs_of_source[at : at + JOBS_PER_STEP] for at in range(0, len(jobs_of_source), JOBS_PER_STEP)]
        for number, part in enumerate(parts, 1):
            name = stem if len(parts) == 1 else f"{stem}.{number}"
            while name.lower() in used:
                name += "_"
            used.add(name.lower())
            yield name, part


def _inputs(project: Project, call: Call) -> Iterator[str]:
    """Yield the files and folders that decide the rules: a new file in such a folder may be a new shader.

    Folders are absolute: the name of the folder `shaders` is that of a target.
    """
    yield from (call.path(name) for name in project.files)
    yield from (call.path(source) for source, _ in project.scanned)
    yield os.path.abspath(str(hlsl_tool.__file__)).replace(os.sep, "/")
    folders = {os.path.dirname(name) for name in (*project.files, *project.looked_for)}
    for name in (*call.configs, *(os.path.join(folder, text) for folder, text in project.globs)):
        folders.update(_folders_of(project.root, name))
    for name in sorted({os.path.normpath(folder).replace(os.sep, "/") for folder in folders}):
        if _is_at_rest(name, project, call):
            yield os.path.abspath(os.path.join(project.root, name)).replace(os.sep, "/")


def _folders_of(root: str, pattern: str) -> Iterator[str]:
    """Yield the folders, from the root, in which a new file may match a pattern, or belong to a folder."""
    start = re.split(r"[*?\[]", pattern)[0]
    is_folder = os.path.isdir(os.path.join(root, pattern))
    top = pattern if is_folder else os.path.dirname(start)
    yield top
    if is_folder or "/" in pattern.replace(os.sep, "/")[len(top) + 1 :]:
        for folder, folders, _ in os.walk(os.path.join(root, top)):
            yield from (os.path.relpath(os.path.join(folder, name), root) for name in folders)


def inputs_of_plan(plan: Plan, configs: Sequence[str]) -> list[str]:
    """Return the files that a build of a plan read, and the files and folders that decide the plan: absolute paths.

    ``configs``: the configurations, from the root.
    """
    from hlsl_tool.build.currency.folder import OutputFolder

    project = plan.project
    call = Call("", os.path.abspath(os.sep), project.root, tuple(configs))
    names: set[str] = set()
    records = OutputFolder(project.root, project.output_dir).records
    for job in plan.jobs:
        record = records.get(job.name)
        names.update((job.source, *(record.files if record is not None else ())))
    return [*_inputs(project, call), *map(call.path, sorted(names))]


def _is_at_rest(folder: str, project: Project, call: Call) -> bool:
    """Whether builds leave a folder alone: it is neither the root nor within or above the folder of outputs."""
    path = os.path.join(project.root, folder)
    written = (os.path.join(project.root, project.output_dir), os.path.abspath(call.file))
    is_above = any(_is_in(other, path) for other in written)
    return folder != "." and os.path.isdir(path) and not is_above and not _is_in(path, written[0])


def _is_in(path: str, folder: str) -> bool:
    path, folder = os.path.normpath(path), os.path.normpath(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def write_rules(rules: Rules, steps: dict[str, bytes], further: dict[str, bytes]) -> None:
    """Write the files of all steps, remove those of steps that are no more, and write further files.

    May raise WriteError.
    """
    for folder, _, names in os.walk(rules.folder):
        paths = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
        for path in paths:
            if path.replace(os.sep, "/") not in steps:
                for suffix in (SUFFIX, DEPFILE, STAMP):
                    with contextlib.suppress(OSError):
                        os.remove(path.removesuffix(SUFFIX) + suffix)
    write_files(steps, mode=0o600)  # the address of a store may hold a password
    write_files(further)


def write_files(files: dict[str, bytes], *, mode: int = 0o666) -> None:
    """Write files that have other contents on disk; the others keep their times.  May raise WriteError.

    ``mode``: their permissions before the umask.
    """
    for path, data in files.items():
        if read_bytes(path) != data:
            try:
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            except OSError as error:
                raise WriteError(path, error.strerror or str(error)) from None
            write_own(path, data, mode=mode)
