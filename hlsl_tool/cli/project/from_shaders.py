"""`hlsl_tool init` in a folder with shaders: write a configuration of what is found, and build it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

from hlsl_tool.base.counted import counted
from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.cli import common
from hlsl_tool.cli.output import require_file
from hlsl_tool.cli.project.next_steps import CONFIGURATION, enter

if TYPE_CHECKING:
    from hlsl_tool.project.discovery.discover import Discovery
    from hlsl_tool.project.discovery.lists import UsedList
    from hlsl_tool.project.discovery.reading.folder import Folder
    from hlsl_tool.project.discovery.trial_build import Builder, Trial

MAX_LISTED = 10
"""Limit on the files of one kind that are listed."""


def find_files(folder: str) -> Folder | None:
    """Return the files of a folder if shaders are among them; `None` if there are none, or no folder."""
    from hlsl_tool.project.discovery.reading.folder import FolderError, read_folder

    if not os.path.isdir(folder):
        return None
    try:
        files = read_folder(absolute(folder))
    except FolderError as error:
        raise common.Failed(str(error)) from None
    return files if files.shaders else None


def run(options: argparse.Namespace, files: Folder) -> int:
    """Write and build a configuration of the shaders among ``files``; return the exit status."""
    began = time.monotonic()
    output = _output(options, files.root)
    discovery, lists = _discover(options, files)
    if not discovery.guesses:
        raise common.Failed(_why_nothing(discovery))
    _print_sources(discovery, lists)
    builder = _builder(options, discovery, output)
    trial = _write(builder, is_built=not options.no_build)
    print(f"Written: {output}")
    if trial is None:
        return 0
    return _print_result(options, builder, trial, time.monotonic() - began)


def _output(options: argparse.Namespace, root: str) -> str:
    """Return the path of the new configuration, from the root; raise `Failed` if there is one already."""
    from hlsl_tool.project.config.discovery import configurations

    if options.output is None:
        existing = configurations(root, common.DEFAULT_CONFIG) or []
        if existing:
            raise common.Failed(
                f"`{existing[0]}` is a configuration already, and is not changed: `hlsl_tool build` builds it;"
                " -o FILE writes another one"
            )
        return CONFIGURATION
    require_file("-o", options.output)
    path = relative(absolute(options.output), root)
    if path.startswith("../") or os.path.isabs(path):
        raise common.Failed(f"-o: `{options.output}` is not in the folder `{root}`")
    if os.path.lexists(options.output):
        raise common.Failed(f"`{options.output}` exists: choose another name with -o")
    return path


def _discover(options: argparse.Namespace, files: Folder) -> tuple[Discovery, list[UsedList]]:
    from hlsl_tool.project.discovery.discover import find_shaders, read_files
    from hlsl_tool.project.discovery.lists import take_lists

    discovery = read_files(files)
    lists, listed = ([], frozenset[str]()) if options.no_lists else take_lists(discovery)
    find_shaders(discovery, listed)
    return discovery, lists


def _why_nothing(discovery: Discovery) -> str:
    """Return the error message for a folder without an entry point."""
    sources = discovery.sources
    if sources.shaders:
        return (
            f"no entry point in {counted(len(sources.shaders), 'file')} such as `{sources.shaders[0]}`: `init` looks"
            ' for `[shader("…")]`, `[numthreads(…)]`, semantics such as SV_Position and SV_Target, and names such as'
            " VSMain and x.vert.hlsl"
        )
    if sources.glsl:
        count = counted(len(sources.glsl), "file")
        return f"the folder has GLSL only ({count} such as `{sources.glsl[0]}`): hlsl_tool compiles HLSL"
    skipped = discovery.skipped[0]
    return f"none of the {counted(len(sources.folder.shaders), 'file')} can be read: `{skipped.path}`: {skipped.reason}"


def _print_sources(discovery: Discovery, lists: list[UsedList]) -> None:
    guesses = discovery.guesses
    sources = len({guess.source for guess in guesses})
    headers = counted(len(discovery.headers), "file")
    print(f"{counted(len(guesses), 'shader')} in {counted(sources, 'source')}; {headers} for others to include")
    for used in lists[:MAX_LISTED]:
        print(f"  {used.path}: {counted(used.count, 'shader')}, as by `hlsl_tool import {used.kind}`")
        if used.problem:
            print(f"    left out: {used.problem}")
    if len(lists) > MAX_LISTED:
        print(f"  … and {len(lists) - MAX_LISTED} more lists")
    _print_files("without an entry point", discovery.without_entry)
    _print_files("GLSL, left out", discovery.sources.glsl)
    _print_files("left out", [f"{item.path} ({item.reason})" for item in discovery.skipped])


def _print_files(title: str, files: list[str]) -> None:
    if files:
        more = f" and {len(files) - MAX_LISTED} more" if len(files) > MAX_LISTED else ""
        print(f"  {title}: {', '.join(files[:MAX_LISTED])}{more}")


def _builder(options: argparse.Namespace, discovery: Discovery, output: str) -> Builder:
    from hlsl_tool.project.build.ui.progress import Progress, is_terminal
    from hlsl_tool.project.discovery.configuration import decide
    from hlsl_tool.project.discovery.trial_build import Builder

    progress = Progress(sys.stdout, quiet=not is_terminal(sys.stdout))
    return Builder(discovery, decide(discovery), output, options.jobs, progress, progress.write)


def _write(builder: Builder, *, is_built: bool) -> Trial | None:
    """Write the configuration, and build it if ``is_built``; raise `Failed` if that is impossible."""
    from hlsl_tool.base.system.atomic_write import WriteError
    from hlsl_tool.project.discovery.trial_build import BuildFailed

    try:
        if is_built:
            return builder.run()
        builder.save()
    except WriteError as error:
        raise common.Failed(f"cannot write `{error.path}`: {error.reason}") from None
    except BuildFailed as error:
        raise common.Failed(f"`{builder.file}` was written, but cannot be built: {error}") from None
    return None


def _print_result(options: argparse.Namespace, builder: Builder, trial: Trial, seconds: float) -> int:
    from hlsl_tool.project.discovery.table import table

    discovery = builder.discovery
    _print_files("left out, as it compiles in other files only", [guess.source for guess in trial.dropped])
    print()
    print(table(discovery, trial), end="")
    warnings = f", {counted(trial.warnings, 'warning')}" if trial.warnings else ""
    print(f"\n{trial.built} built, {len(trial.failures)} failed{warnings} ({seconds:.1f} s)")
    print("Next:")
    for command in _next_commands(options, builder.file):
        print(f"  {command}")
    return 2 if trial.failures else 0


def _next_commands(options: argparse.Namespace, file: str) -> list[str]:
    config = "" if file == CONFIGURATION else f" --config {shlex.quote(file)}"
    return [*enter(options.folder), f"hlsl_tool build{config}", f"hlsl_tool config check{config}"]
