"""Aliases of shaders: the alias `shaders`, which is signed with the digests of outputs, and aliases for patterns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar

import SCons.Node.Alias
import SCons.Script

from hlsl_tool.scons.compat import AliasInfo, change_class
from hlsl_tool.scons.model import DeclaredJob, Node

if TYPE_CHECKING:
    from hlsl_tool.project.build.job import Job

ALIAS = "shaders"


class _UnsignedInfo(AliasInfo):  # type: ignore[misc]  # SCons has no types
    """The data that SCons stores for an alias, without the field `csig`.

    With this field, SCons would compute the alias's signature only to store it.
    """

    __slots__ = ()
    field_list: ClassVar[list[str]] = []


class UnsignedAlias(SCons.Node.Alias.Alias):  # type: ignore[misc]  # SCons has no types
    """An alias whose signature is only computed if a target depends on it, because that means reading all outputs."""

    NodeInfo = _UnsignedInfo

    def make_ready(self) -> None:
        """Prepare the node for SCons, without computing a signature."""
        self.get_ninfo()


class ShadersAlias(UnsignedAlias):
    """The alias of all shaders; its signature covers the contents of all outputs."""

    def get_contents(self) -> str:
        """Return the digests of all outputs, which SCons hashes."""
        return "\n".join(_contents(node) for node in self.children())


def _contents(node: Node) -> str:
    if not hasattr(node.attributes, "hlsl_job"):
        return str(node.get_csig())
    engine, job = node.attributes.hlsl_engine, node.attributes.hlsl_job
    return "\n".join(engine.digests.digest_fresh(path) for path in job.targets.values())


def shaders_alias(env: Any, nodes: list[Node]) -> None:
    """Add nodes to the alias `shaders`, whose signature is a digest of its nodes' outputs."""
    for alias in env.Alias(ALIAS, nodes):
        if type(alias) is SCons.Node.Alias.Alias:
            change_class(alias, ShadersAlias)


def hints_for_unknown(targets: list[Node], jobs: Callable[[], Iterable[Job]]) -> list[str]:
    """Return a hint for each target that does not exist if its name is similar to that of a shader.

    SCons itself ends with `Do not know how to make File target`.
    """
    unknown = [node for node in targets if not node.has_builder() and not node.exists() and not node.depends]
    if not unknown:
        return []
    from hlsl_tool.base.similar import did_you_mean  # start-up time

    names = {name for job in jobs() for name in (job.name, job.stem or job.name)}
    found = [(str(node).replace("\\", "/"), did_you_mean(str(node), names)) for node in unknown]
    return [f"hint: no shader is called `{name}`; {hint}" for name, hint in found if hint is not None]


def matching(pattern: str, folder: str, jobs: list[DeclaredJob]) -> Node | None:
    """Return an alias of the outputs whose shader's name or path matches a pattern; `None` if none matches."""
    paths = os.path.normpath(os.path.join(folder, pattern))
    matches = [
        node
        for targets, job, _ in jobs
        for node in targets
        if fnmatchcase(job.name, pattern) or fnmatchcase(node.get_abspath(), paths)
    ]
    if not matches:
        return None
    alias = SCons.Node.Alias.Alias(pattern)
    return SCons.Script.DefaultEnvironment(tools=[]).Alias(alias, matches)[0]
