"""The rules of a project, for the writers of all build systems: one for each build command, and a final one.

A build command builds some jobs of one source; the final rule checks links and writes the manifest and packs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.plan_cache import as_plain
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.exchange.call import PYTHON, Call
from hlsl_tool.project.exchange.inputs import inputs_of_rules
from hlsl_tool.project.exchange.step import DEPFILE, PLAN, RESTAT, STAMP, SUFFIX, Step

if TYPE_CHECKING:
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.plan_cache import Plan

JOBS_PER_STEP = 16
"""The most permutations of a source in one build command; more are split, so that several processes share them."""


class Unwritable(Exception):
    """Raised if the syntax of a build system cannot express a rule; the text is the reason."""


@dataclass(slots=True)
class Rule:
    """The rule of one build command: the file that describes its jobs, its source, and its outputs.

    Paths are spelled as in the generated file.
    """

    file: str
    title: str
    """Text for the line that a build system shows while the build command runs."""
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
    """All rules of a project; paths are absolute, or relative to the folder in which the rules run."""

    file: str
    """The file that is generated."""
    output_dir: str
    steps: list[Rule]
    outputs: list[str]
    """Files that the end of the build writes: the manifest and the packs."""
    inputs: list[str]
    """Files and folders on which the rules depend."""
    generate: list[str]
    """The command that writes the rules."""
    finish: list[str]
    """The command that ends a build: link checks, manifest, packs, stale outputs."""
    step: list[str] = field(default_factory=lambda: [*PYTHON, "hlsl_tool.hlsl2spirv", "--step"])
    """The build command without its argument, the file of its jobs."""

    @property
    def folder(self) -> str:
        return self.file + ".steps"

    @property
    def depfile(self) -> str:
        """The path of the depfile that lists the inputs of the rules themselves, for build systems that read it."""
        return f"{self.folder}/rules{DEPFILE}"

    @property
    def plan(self) -> str:
        """The path of a file that changes with the plan, so that the final rule runs again after such a change."""
        return f"{self.folder}/all{PLAN}"

    @property
    def stamp(self) -> str:
        """The path of the stamp file, which the final rule writes last, and only if everything succeeded."""
        return f"{self.folder}/all{STAMP}"


def rules_of(plan: Plan, call: Call, style: str = RESTAT) -> tuple[Rules, dict[str, bytes]]:
    """Return the rules of a plan, and path → content of the files that describe the build commands and the plan.

    ``style``: how the build system uses the times of outputs (see `project.exchange.step`).
    """
    project, jobs, links, packs = plan.loaded()
    prefix = "" if project.output_dir in ("", ".") else project.output_dir + "/"
    rules = Rules(
        file=call.file,
        output_dir=call.path(project.output_dir),
        steps=[],
        outputs=[call.path(prefix + MANIFEST_NAME), *(call.path(pack.target) for pack in packs)],
        inputs=list(inputs_of_rules(project, call)),
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
    content = json.dumps(as_plain(project, jobs, links, packs), sort_keys=True)
    files[rules.plan] = f"{digest(content.encode())}\n".encode()
    return rules, files


def _parts(jobs: Iterable[Job]) -> Iterator[tuple[str, list[Job]]]:
    """Divide jobs into groups, each of which one build command builds; yield (unique name, jobs) of each group.

    All jobs of a group have the same source.
    """
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
