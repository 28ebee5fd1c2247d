"""Cache of the plan of a project: reading YAML takes most of the time of a build with nothing to do.

SCons and `hlsl_tool build` share the cache.  It is stored beside SCons's own database, in two parts.  The first
contains everything that determines the plan: the texts and names of the configurations, the sources that match their
patterns, the code of hlsl_tool.  The second, read on demand, is the plan.  A plan with diagnostics is not stored, so
that they are reported again.

Both are JSON under a hash with the user's own key (`user_key`): a plan names the programs that a build runs and the
files that it writes, so a plan that came with a repository must not be trusted.  The mode of the file is 0600, because
addresses of stores may contain passwords.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import hlsl_tool
from hlsl_tool.base.system.atomic_write import WriteError, read_bytes, read_own, write_own
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.paths import absolute, is_there
from hlsl_tool.base.system.user_key import user_key
from hlsl_tool.project.build.currency.state_file import seal, unseal
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.config import discovery
from hlsl_tool.project.config.parameters import DEFAULT_PARAMETERS, Parameters
from hlsl_tool.project.config.trust import outside_is_allowed

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.outputs.packs import PackJob
    from hlsl_tool.project.config.permutation import Project

FORMAT = "plan 4"
NAME = ".sconsign.hlsl_tool"
"""File in the project's root; ignore patterns for SCons's database mostly match it, too."""

CALLS_NAME = f"{NAME}.calls"
"""File in the folder of the SConstruct."""

Loaded = tuple["Project", "list[Job]", "list[LinkJob]", "list[PackJob]"]


class Plan:
    """The jobs, link jobs and packs of a set of configurations, loaded from the cache when they are first used."""

    def __init__(self, head: dict[str, Any], load: Callable[[], Loaded]) -> None:
        self.output_dir: str = head["output_dir"]
        self.nodes: str = head["scons_nodes"]
        self.count: int = head["count"]
        self.arguments: list[str] = head["arguments"]
        """The parameters of the configurations as options of the command line."""
        self.has_packs: bool = head["packs"] > 0
        self.limit: int = head["limit"]
        """Number of shaders up to which SCons has a node for each."""
        self.patterns: list[list[Any]] = head["patterns"]
        """[folder, pattern, the sources that match]"""
        self.key = digest(json.dumps(head, sort_keys=True).encode())
        """Equal for equal plans of equal tools."""
        self._load = load
        self._loaded: Loaded | None = None

    def loaded(self) -> Loaded:
        """Return project, jobs, link jobs and packs; they are read at the first call."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    @property
    def project(self) -> Project:
        """The project of the plan; its list of permutations is empty."""
        return self.loaded()[0]

    @property
    def jobs(self) -> list[Job]:
        return self.loaded()[1]

    @property
    def links(self) -> list[LinkJob]:
        return self.loaded()[2]

    @property
    def packs(self) -> list[PackJob]:
        return self.loaded()[3]

    @property
    def collected(self) -> list[LinkJob | PackJob]:
        return [*self.links, *self.packs]


def path_of(root: str, names: Sequence[str], arguments: Sequence[str] = ()) -> str:
    """Return the path of the cached plan of the configurations ``names``, built with the parameters ``arguments``."""
    text = repr([*names, *arguments])
    return os.path.join(root, f"{NAME}.{digest(text.encode())[:8]}")


def remember_calls(top: str, calls: list[list[str]]) -> None:
    """Store the calls of a SConstruct as command-line options, for `hlsl_tool` commands that are run without any."""
    key = user_key()
    path = os.path.join(top, CALLS_NAME)
    if key is None or not (calls or os.path.lexists(path)) or remembered_calls(top) == calls:
        return
    with contextlib.suppress(WriteError):  # the options have to be given, then
        write_own(path, seal({"format": FORMAT, "top": absolute(top), "calls": calls}, None, key), mode=0o600)


def remembered_calls(top: str) -> list[list[str]]:
    """Return the calls that SCons stored in the folder of its SConstruct.

    [] if another user stored them, or if they came with a copy of another folder, whose paths they name.
    """
    key = user_key()
    content = unseal(read_own(os.path.join(top, CALLS_NAME)), key) if key is not None else None
    if content is None or content[0].get("format") != FORMAT or content[0].get("top") != absolute(top):
        return []
    calls: list[list[str]] = content[0]["calls"]
    return calls


def cached(
    root: str, names: Sequence[str], generated: Collection[str] = (), given: Parameters = DEFAULT_PARAMETERS
) -> Plan | None:
    """Return the cached plan of the configurations ``names``; `None` if it is missing or no longer valid.

    ``generated``: files that SCons builders make; ``given``: values of the configurations' parameters.
    """
    key = user_key()
    if key is None:
        return None
    try:
        content = unseal(read_own(path_of(root, names, given.arguments())), key)
        if content is None or not _is_valid(content[0], root, names, generated, given):
            return None
    except (ValueError, TypeError, KeyError, AttributeError, OSError, NotImplementedError, IndexError):
        return None  # of another version, or with a pattern that the reader of YAML will report
    head, body = content
    return Plan(head, lambda: from_plain(json.loads(body)))


def as_plain(project: Project, jobs: list[Job], links: list[LinkJob], packs: list[PackJob]) -> dict[str, Any]:
    """Convert a plan to plain data.

    Options and fingerprints that jobs share are stored once; links and packs refer to jobs by index.
    """
    from hlsl_tool.project.build.currency.plain_data import plain

    numbers = {id(job): number for number, job in enumerate(jobs)}
    rows = [plain(job) | {"_cache_key": job.cache_key()} for job in jobs]
    tools = sorted({job.fingerprint for job in jobs})
    common = dict(rows[0]["options"].items()) if rows else {}
    for row in rows:
        row["fingerprint"] = tools.index(row["fingerprint"])
        common = {name: value for name, value in common.items() if row["options"].get(name, rows) == value}
    for row in rows:
        row["options"] = {name: value for name, value in row["options"].items() if name not in common}
    return {
        "project": plain(replace(project, permutations=[])),
        "tools": tools,
        "options": common,
        "jobs": rows,
        "links": [
            plain(replace(link, jobs={})) | {"jobs": {name: numbers[id(job)] for name, job in link.jobs.items()}}
            for link in links
        ],
        "packs": [plain(replace(pack, jobs=[])) | {"jobs": [numbers[id(job)] for job in pack.jobs]} for pack in packs],
    }


def from_plain(content: dict[str, Any]) -> Loaded:
    """Rebuild the plan from the data of `as_plain`; raise ValueError, TypeError or KeyError for other data."""
    from hlsl_tool.project.build.currency.plain_data import restored
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.outputs.packs import PackJob
    from hlsl_tool.project.config.permutation import Project

    jobs = []
    for row in content["jobs"]:
        cache_key = row.pop("_cache_key")
        row["fingerprint"] = content["tools"][row["fingerprint"]]
        row["options"] |= content["options"]
        jobs.append(restored(Job, row))
        jobs[-1]._cache_key = cache_key  # need not be computed again
    links, packs = [], []
    for row in content["links"]:
        members = {name: jobs[number] for name, number in row.pop("jobs").items()}
        links.append(replace(restored(LinkJob, {**row, "jobs": {}}), jobs=members))
    for row in content["packs"]:
        chosen = [jobs[number] for number in row.pop("jobs")]
        packs.append(replace(restored(PackJob, row), jobs=chosen))
    return restored(Project, content["project"]), jobs, links, packs


def read(
    root: str,
    names: Sequence[str],
    sink: Sink,
    generated: Collection[str] | None = None,
    given: Parameters = DEFAULT_PARAMETERS,
) -> Plan | None:
    """Read configurations and return their plan; `None` if they have errors, which are reported to ``sink``.

    A plan without diagnostics is cached.  ``generated``: files that SCons builders make.
    """
    from hlsl_tool.project.build.currency.toolchain import fingerprint_of
    from hlsl_tool.project.build.outputs.links import plan_links
    from hlsl_tool.project.build.outputs.packs import plan_packs
    from hlsl_tool.project.build.plan import plan
    from hlsl_tool.project.config.load import load

    project = load(root, names, sink, generated, given=given)
    if sink.error_count:
        return None
    jobs = plan(project)
    for job in jobs:
        job.fingerprint = fingerprint_of(job)
    links, packs = plan_links(project, jobs), plan_packs(project, jobs)
    stores = not (sink.diagnostics or project.unmade)
    return new_plan(root, names, project, jobs, links, packs, stores=stores, generated=generated or (), given=given)


def new_plan(
    root: str,
    names: Sequence[str],
    project: Project,
    jobs: list[Job],
    links: list[LinkJob],
    packs: list[PackJob],
    *,
    stores: bool,
    generated: Collection[str] = (),
    given: Parameters = DEFAULT_PARAMETERS,
) -> Plan:
    """Return a plan of these jobs, whose fingerprints are set; cache it if ``stores``."""
    from hlsl_tool.project.build.currency.toolchain import toolset
    from hlsl_tool.project.config.keys import SINGLE_LIMIT

    tools = {toolset(job): job.fingerprint for job in jobs}
    head = {
        "format": FORMAT,
        "root": root,
        "names": list(names),
        "arguments": given.arguments(),
        "code": code_stamp(),
        "tools": tools,
        "files": {name: _digest(root, name) for name in project.files},
        "looked_for": list(project.looked_for),
        "configurations": {name: discovery.configurations(root, name) for name in names},
        "patterns": [
            [folder, text, discovery.sources(root, folder, text, generated)] for folder, text in project.globs
        ],
        "scanned": [[source, _digest(root, source), list(functions)] for source, functions in project.scanned],
        "sources": sorted({name for job in jobs for name in (job.source, *job.options.libraries)}),
        "output_dir": project.output_dir,
        "scons_nodes": project.scons_nodes,
        "count": len(jobs),
        "limit": SINGLE_LIMIT,
        "packs": len(packs),
        "outside": outside_is_allowed(),
    }
    key = user_key() if stores else None
    if key is not None:
        sealed = seal(head, as_plain(project, jobs, links, packs), key)
        with contextlib.suppress(WriteError):  # in a root that cannot be written to configurations are read each time
            write_own(path_of(root, names, given.arguments()), sealed, mode=0o600)
    return Plan(head, lambda: (project, jobs, links, packs))


def _is_valid(
    head: dict[str, Any], root: str, names: Sequence[str], generated: Collection[str], given: Parameters
) -> bool:
    from hlsl_tool.project.build.currency.toolchain import fingerprint

    if head["outside"] and not outside_is_allowed():
        return False
    return (
        head["format"] == FORMAT
        and head["root"] == root
        and head["names"] == list(names)
        and head["arguments"] == given.arguments()
        and head["code"] == code_stamp()
        and all(_digest(root, name) == content for name, content in head["files"].items())
        and not any(is_there(os.path.join(root, name)) for name in head["looked_for"])
        and all(discovery.configurations(root, name) == files for name, files in head["configurations"].items())
        and all(discovery.sources(root, folder, text, generated) == files for folder, text, files in head["patterns"])
        and all(_has_functions(root, *row) for row in head["scanned"])
        and all(os.path.isfile(os.path.join(root, name)) or name in generated for name in head["sources"])
        and all(fingerprint(place) == tool for place, tool in head["tools"].items())
    )


def _has_functions(root: str, source: str, content: str, functions: list[str]) -> bool:
    """Return whether a source still defines exactly ``functions``, the names that a cached plan was made from.

    The source is not parsed if its digest equals ``content``, the digest that the plan stores.
    """
    if _digest(root, source) == content:
        return True
    from hlsl_tool.project.config.expansion.entry_points import functions_of

    return list(functions_of(root, source)) == functions


def _digest(root: str, name: str) -> str:
    data = read_bytes(os.path.join(root, name))
    return "" if data is None else digest(data)


@cache
def code_stamp() -> str:
    """Return a hash of the stamps of the Python files that read configurations and make plans."""
    top = os.path.dirname(os.path.abspath(str(hlsl_tool.__file__)))
    rows = []
    for package in ("project/build", "compiler", "project/config"):
        for folder, _, names in os.walk(os.path.join(top, package)):
            for name in names:
                if name.endswith(".py"):
                    status = os.stat(os.path.join(folder, name))
                    path = os.path.relpath(os.path.join(folder, name), top)
                    rows.append(f"{path} {status.st_mtime_ns} {status.st_size}")
    return digest("\n".join(sorted(rows)).encode())
