"""The archive of a reproduction: a ZIP file with `repro.json` and the files that were read.

Equal bundles give equal bytes: members are sorted, and have neither times nor compression.  A reader never writes a
member to the disk, and checks all names and sizes first, because archives come from strangers.  Members may be edited
and packed again by any program: they are found by name.
"""

from __future__ import annotations

import io
import json
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source.recording import Recording
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.hashing import digest
from hlsl_tool.project.build.currency.plain_data import plain, restored
from hlsl_tool.project.config.output_kinds import SUFFIXES
from hlsl_tool.project.repro.bundle import Bundle

FORMAT = 1
HEAD = "repro.json"
BELOW, OUTSIDE = "files", "outside"
"""Folders of an archive: files below the root of the recorded compilation, and others."""

MAX_FILES = 1 << 16
MAX_BYTES = 256 << 20
"""Limit on the size of an archive, and on that of its members together."""

_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16
_PASS = re.compile(r"-O|-Os|--[a-z0-9-]+(=[-A-Za-z0-9_:,. ]*)?")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FAULTS = (zipfile.BadZipFile, RuntimeError, EOFError, ValueError, OSError, struct.error, zlib.error)
"""The exceptions of `zipfile` and `json` for damaged files."""


class BadArchive(Exception):
    """Raised for a file that is no archive of a reproduction; contains the diagnostic for the user."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class _Fault(Exception):
    """The reason why a file cannot be read as an archive."""


# ---------------------------------------------------------------- write


def pack(bundle: Bundle) -> bytes:
    """Return the archive of a bundle."""
    members = _members(bundle.recording)
    head = {"format": FORMAT, **plain(replace(bundle, contents={}, text=""))}
    head["recording"]["reads"] = members
    files = {HEAD: (json.dumps(head, indent=1, ensure_ascii=False) + "\n").encode(*_TEXT)}
    for path, name in members.items():
        content = bundle.recording.reads[path]
        if name is not None and content is not None:
            files[name] = bundle.contents[content]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, data)
    return target.getvalue()


_TEXT = ("utf-8", "surrogatepass")
"""Encoding of `repro.json`: names of files may have surrogates."""


def _members(recording: Recording) -> dict[str, str | None]:
    """Return absolute path → name of its member; ``None`` for a missing file."""
    members: dict[str, str | None] = {}
    taken: set[str] = set()
    prefix = recording.root.rstrip("/") + "/"
    for path, content in sorted(recording.reads.items()):
        if content is None:
            members[path] = None
            continue
        is_below = path.startswith(prefix)
        folder, rest = (BELOW, path[len(prefix) :]) if is_below else (OUTSIDE, path.lstrip("/"))
        parts = [_safe(part) for part in rest.split("/")]
        name = "/".join((folder, *parts))
        if name.lower() in taken:
            name = f"{name}.{digest(path.encode(*_TEXT))[:8]}"
        taken.add(name.lower())
        members[path] = name
    return members


def _safe(part: str) -> str:
    """Return a name of a file that every system can unpack."""
    clean = "".join(letter if letter.isprintable() and letter not in '\\:*?"<>|' else "_" for letter in part)
    return "__" if clean in ("", ".", "..") else clean


# ---------------------------------------------------------------- read


def unpack(data: bytes, name: str) -> Bundle:
    """Return the bundle in an archive; raise `BadArchive` for other data.  ``name`` is that of messages."""
    try:
        members = _read(data)
        head = _head(members)
        version = head.pop("format", None)
        if version != FORMAT:
            problem = Sink().error(codes.REPRO_VERSION, None, path=name, version=version, ours=FORMAT)
            raise BadArchive(problem)
        return _bundle(head, members)
    except _Fault as fault:
        raise BadArchive(Sink().error(codes.BAD_REPRO, None, path=name, reason=str(fault))) from None


def _read(data: bytes) -> dict[str, bytes]:
    """Return name → content of the members of a ZIP file; raise `_Fault` for damaged or unsafe ones."""
    if len(data) > MAX_BYTES:
        raise _Fault(f"it is larger than {MAX_BYTES >> 20} MiB")
    members: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES:
                raise _Fault(f"it has more than {MAX_FILES} files")
            for entry in entries:
                _check_name(entry.filename)
                if entry.is_dir():
                    continue
                if entry.compress_type not in _METHODS or entry.flag_bits & 1:
                    raise _Fault(f"`{entry.filename}` is encrypted or compressed by another method than Deflate")
                with archive.open(entry) as stream:
                    content = stream.read(MAX_BYTES - total + 1)
                total += len(content)
                if total > MAX_BYTES:
                    raise _Fault(f"its files are larger than {MAX_BYTES >> 20} MiB together")
                members[entry.filename] = content
    except _FAULTS as error:
        raise _Fault(str(error) or type(error).__name__) from None
    return members


def _check_name(name: str) -> None:
    """Raise `_Fault` for the name of a member that would leave the folder into which the archive is unpacked."""
    is_absolute = name.startswith("/") or "\\" in name or name[1:2] == ":"
    if is_absolute or ".." in name.split("/") or posixpath.normpath(name) in (".", ""):
        raise _Fault(f"the name `{name}` leads out of the archive")


def _head(members: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        head = json.loads(members[HEAD].decode(*_TEXT))
    except KeyError:
        raise _Fault(f"it has no `{HEAD}`") from None
    except _FAULTS as error:
        raise _Fault(f"`{HEAD}` is no JSON: {error}") from None
    if not isinstance(head, dict):
        raise _Fault(f"`{HEAD}` is no mapping")
    return head


def _bundle(head: dict[str, Any], members: Mapping[str, bytes]) -> Bundle:
    try:
        bundle = restored(Bundle, head)
        bundle.options = _checked(bundle.options)
        if bundle.job is not None:
            bundle.job.options = _checked(bundle.job.options)
            _check_targets(bundle.job.targets)
    except (ValueError, TypeError, KeyError) as error:
        raise _Fault(f"`{HEAD}`: {error}") from None
    for path, name in bundle.recording.reads.items():
        if name is None:
            continue
        if name not in members:
            raise _Fault(f"`{name}` is missing")
        content = digest(members[name])
        bundle.recording.reads[path] = content
        bundle.contents[content] = members[name]
    text = bundle.recording.reads.get(bundle.path)
    if text is None:
        raise _Fault("it has no source")
    bundle.text = text
    return bundle


def _check_targets(targets: Mapping[str, str]) -> None:
    """Raise ``ValueError`` for outputs that no configuration has."""
    for kind, target in targets.items():
        if kind not in SUFFIXES or "\0" in target:
            raise ValueError(f"targets: `{kind}: {target}` is no output")


def _checked(options: CompileOptions) -> CompileOptions:
    """Return options that name no program; raise ``ValueError`` for values that the compiler does not take.

    Passes are arguments of spirv-opt, which could name files.
    """
    from hlsl_tool.compiler.library_checks import check_options  # start-up time

    if isinstance(options.optimize, tuple) and not all(map(_PASS.fullmatch, options.optimize)):
        raise ValueError(f"optimize: {list(options.optimize)} are no passes of spirv-opt")
    options = replace(options, spirv_tools="")
    check_options(options)
    return options
