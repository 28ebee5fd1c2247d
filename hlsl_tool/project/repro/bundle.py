"""A reproduction as plain data, and the versions of the tools that made it."""

from __future__ import annotations

import ntpath
import os
import platform
import posixpath
import re

import hlsl_tool
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source.recording import RecordedFiles, Recording
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.output_kinds import CROSS_KINDS
from hlsl_tool.version import is_compiled

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(slots=True)
class Versions:
    """The versions of all programs that affect a compilation."""

    hlsl_tool: str = ""
    python: str = ""
    system: str = ""
    spirv_tools: str = ""
    """Version and hash of spirv-opt and spirv-val (`spirv.tools.locate.signature`)."""
    spirv_cross: str = ""
    """Hash of SPIRV-Cross (`cross.library.signature`); empty for a compilation that does not use it."""

    def difference(self, other: Versions) -> str:
        """Return in words how these versions differ from others for which results may differ; empty if they agree."""
        pairs = (
            (self.hlsl_tool, other.hlsl_tool, "hlsl_tool "),
            (self.spirv_tools, other.spirv_tools, ""),
            (self.spirv_cross, other.spirv_cross, ""),
        )
        return ", ".join(f"{name}{a} (here {b})" for a, b, name in pairs if a != b)


@dataclass(slots=True)
class Bundle:
    """Everything that one compilation depends on."""

    source: str
    """Name of the source, as the user wrote it."""
    path: str
    """Absolute path of the source on the machine that recorded it."""
    options: CompileOptions
    recording: Recording
    warnings: tuple[str, ...] = ()
    """Warnings about the command line."""
    job: Job | None = None
    """The shader of a configuration; ``None`` for a command line or a call of the library."""
    versions: Versions = field(default_factory=Versions)
    text: str = ""
    """Digest of the source."""
    contents: dict[str, bytes] = field(default_factory=dict)
    """Digest → content of each file."""

    def file_system(self) -> ReplayedFiles:
        """Return a file system with the recorded files."""
        return ReplayedFiles(self.recording, self.contents)


def versions_here(job: Job | None, spirv_tools: str = "") -> Versions:
    """Return the versions of the tools on this machine that a job, or a command line without one, needs.

    ``spirv_tools`` is the folder of SPIRV-Tools, empty for the usual search.
    """
    from hlsl_tool.cross import library  # start-up time
    from hlsl_tool.spirv.tools.locate import signature  # start-up time

    form = " (compiled)" if is_compiled() else ""
    return Versions(
        hlsl_tool.__version__ + form,
        f"{platform.python_implementation()} {platform.python_version()}",
        f"{platform.system()} {platform.machine()}",
        signature(folder=spirv_tools),
        library.signature() if job is not None and CROSS_KINDS & job.targets.keys() else "",
    )


def new_bundle(
    source: str,
    path: str,
    data: bytes,
    options: CompileOptions,
    recording: Recording,
    contents: dict[str, bytes],
    *,
    warnings: tuple[str, ...] = (),
    job: Job | None = None,
) -> Bundle:
    """Return the bundle of a compilation that has read ``contents``; paths get the form of POSIX."""
    from hlsl_tool.base.system.hashing import digest

    versions = versions_here(job, options.spirv_tools)
    options = replace(options, spirv_tools="")
    if job is not None:
        job = replace(job, options=replace(job.options, spirv_tools=""), fingerprint="")
    text = digest(data)
    recording.reads[path] = text
    contents[text] = data
    used = {content for content in recording.reads.values() if content is not None}
    contents = {content: contents[content] for content in sorted(used)}
    recording = _reduced(_portable(recording))
    return Bundle(source, _with_slashes(path), options, recording, warnings, job, versions, text, contents)


def _portable(recording: Recording, *, is_windows: bool = os.name == "nt") -> Recording:
    """Return a recording with paths in the form of POSIX, sorted: `C:\\x` becomes `/C:/x`."""
    convert = _with_slashes if is_windows else str
    return Recording(
        convert(recording.root),
        {convert(path): content for path, content in sorted(recording.reads.items())},
        {convert(path): names for path, names in sorted(recording.listings.items())},
        {convert(path): reason for path, reason in sorted(recording.obstacles.items())},
        {convert(path): convert(to) for path, to in sorted(recording.unfolded.items())},
    )


def _reduced(recording: Recording) -> Recording:
    """Return a recording whose listings have only names that lead to paths which the compilation looked up.

    Hints about missing files list all folders above them, such as the user's home: other names in them stay private.
    The comparison ignores case, as such hints do.
    """
    steps: set[str] = set()
    for path in (*recording.reads, *recording.obstacles, *recording.listings):
        path = path.casefold()
        while path not in steps:
            steps.add(path)
            path = posixpath.dirname(path)
    listings = {
        folder: names and [name for name in names if posixpath.join(folder, name).casefold() in steps]
        for folder, names in recording.listings.items()
    }
    return replace(recording, listings=listings)


def _with_slashes(path: str, *, is_windows: bool = os.name == "nt") -> str:
    if not is_windows and not _DRIVE.match(path):
        return path
    path = path.replace(ntpath.sep, "/")
    return f"/{path}" if _DRIVE.match(path) else path


class ReplayedFiles(RecordedFiles):
    """Recorded files whose paths have the form of POSIX on every system."""

    def resolve(self, path: str) -> str:
        unfolded = self.recording.unfolded.get(path)
        if unfolded is not None:
            return unfolded
        if os.name == "nt" or _DRIVE.match(path.lstrip("/")) or self._is_of_windows():
            path = path.replace(ntpath.sep, "/")
        if _DRIVE.match(path):
            path = f"/{path}"
        return "/" + posixpath.normpath(posixpath.join(self.recording.root, path)).lstrip("/")

    def listdir(self, path: str) -> list[str] | None:
        """Return a recorded listing; one that was not recorded only lacks a hint in a message."""
        return self.recording.listings.get(self.resolve(path))

    def _is_of_windows(self) -> bool:
        return _DRIVE.match(self.recording.root[1:]) is not None
