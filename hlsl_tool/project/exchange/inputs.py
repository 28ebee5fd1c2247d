"""The files and folders on which rules and plans depend."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import hlsl_tool
from hlsl_tool.base.system.paths import UP, absolute, folded, relative
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.exchange.call import Call

if TYPE_CHECKING:
    from hlsl_tool.project.build.plan_cache import Plan


def inputs_of_rules(project: Project, call: Call) -> Iterator[str]:
    """Yield the files and folders on which the rules depend; a new file in one of these folders may be a new shader.

    Folders are absolute, because a relative path `shaders` would be the name of a target.
    """
    yield from (call.path(name) for name in project.files)
    yield from (call.path(source) for source, _ in project.scanned)
    yield os.path.abspath(str(hlsl_tool.__file__)).replace(os.sep, "/")
    folders = {os.path.dirname(name.removesuffix(UP)) for name in (*project.files, *project.looked_for)}
    for name in (*call.configs, *(os.path.join(folder, text) for folder, text in project.globs)):
        folders.update(_folders_of(project.root, name))
    for name in sorted({folded(folder, project.root).replace(os.sep, "/") for folder in folders}):
        if _is_at_rest(name, project, call):
            yield absolute(name, project.root).replace(os.sep, "/")


def inputs_of_plan(plan: Plan, configs: Sequence[str]) -> list[str]:
    """Return the absolute paths on which a plan depends, and that its build reads, searches and writes.

    If a build system's rule has only a stamp as its output, this list makes the build system notice a missing output.
    ``configs``: the configurations, from the root.
    """
    from hlsl_tool.project.build.currency.folder import OutputFolder

    project = plan.project
    call = Call("", os.path.abspath(os.sep), project.root, tuple(configs))
    folder = OutputFolder(project.root, project.output_dir)
    names = [*sorted(folder.files_of(plan.jobs)), relative(folder.manifest_path, project.root)]
    names += [path for job in plan.jobs for path in job.targets.values()]
    names += [item.target for item in plan.collected]
    return [*inputs_of_rules(project, call), *map(call.path, names), *folder.searched(plan.jobs)]


def _folders_of(root: str, pattern: str) -> Iterator[str]:
    """Yield the folders in which a new file could match ``pattern``.

    If ``pattern`` is the path of a folder, they are this folder and all folders below it. All paths are relative to
    the root.
    """
    start = re.split(r"[*?\[]", pattern)[0]
    is_folder = os.path.isdir(os.path.join(root, pattern))
    top = pattern if is_folder else os.path.dirname(start)
    yield top
    if is_folder or "/" in pattern.replace(os.sep, "/")[len(top) + 1 :]:
        for folder, folders, _ in os.walk(os.path.join(root, top)):
            yield from (relative(os.path.join(folder, name), root) for name in folders)


def _is_at_rest(folder: str, project: Project, call: Call) -> bool:
    """Return whether builds write nothing into a folder or below it.

    Such a folder is not the root, not the output folder or a part of it, and contains no output folder.
    """
    path = os.path.join(project.root, folder)
    written = (os.path.join(project.root, project.output_dir), absolute(call.file))
    is_above = any(_is_in(other, path) for other in written)
    return folder != "." and os.path.isdir(path) and not is_above and not _is_in(path, written[0])


def _is_in(path: str, folder: str) -> bool:
    path, folder = folded(path), folded(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
