"""Check output files: no two shaders may write the same file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.project.config.layers import UNDEFINED, shown
from hlsl_tool.project.config.output_kinds import BLOB_SUFFIXES, JOINED
from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.project.pack.format import SUFFIX as PACK_SUFFIX

_RESERVED = (MANIFEST_NAME, "diagnostics.json", "diagnostics.sarif")
"""Files that builds write beside the outputs."""
_RESERVED_SUFFIXES = (".link", PACK_SUFFIX)
"""The ends of the names of link reports and packs."""


def check_outputs(permutations: Sequence[Permutation], sink: Sink) -> None:
    """Report permutations with the same output file; ignore case, because Windows does."""
    names: dict[str, Permutation] = {}
    files: dict[str, Permutation] = {}
    for permutation in permutations:
        if _is_reserved(permutation.name + ".json"):
            hint = "give the entry another `name`"
            sink.error(codes.RESERVED_NAME, permutation.at, name=permutation.name, hint=hint)
        first = names.setdefault(permutation.name.lower(), permutation)
        if first is not permutation:
            _report_name(permutation, first, sink)
            continue
        if "debug" in permutation.outputs and not permutation.options.debug:
            setting = permutation.layer.settings.get("outputs")
            hint = "add `debug: vulkan-with-source`, or leave the output out"
            sink.error(codes.DEBUG_OUTPUT, setting.at if setting else permutation.at, name=permutation.name, hint=hint)
        for kind in (kind for kind in permutation.outputs if kind not in JOINED):
            path = permutation.file(kind)
            other = files.setdefault(path.lower(), permutation)
            if other is not permutation or [permutation.file(each) for each in permutation.outputs].count(path) > 1:
                _report_file(kind, path, permutation, other, sink)
                break
            _check_reserved(kind, permutation, sink)

    _check_blobs(permutations, files, sink)


def _check_blobs(permutations: Sequence[Permutation], files: Mapping[str, Permutation], sink: Sink) -> None:
    """Report permutations with equal macros in one blob, and files of several shaders with the path of another output.

    ``files`` maps the lower-case paths of all other outputs to their permutations.
    """
    members: dict[tuple[str, frozenset[tuple[str, str]]], Permutation] = {}
    blobs: dict[str, str] = {}
    for permutation in permutations:
        for kind in (kind for kind in permutation.outputs if kind in JOINED):
            path = permutation.file(kind)
            key = frozenset(pair for pair in permutation.chosen if pair[1] != UNDEFINED)
            first = members.setdefault((path.lower(), key), permutation) if kind in BLOB_SUFFIXES else permutation
            if first is not permutation:
                note = sink.note(codes.SAME_OUTPUT_NOTE, first.at)
                first_text, second = described(first), described(permutation)
                sink.error(
                    codes.SAME_BLOB_KEY, permutation.at, notes=[note], path=path, first=first_text, second=second
                )
            other = files.get(path.lower())
            if _check_reserved(kind, permutation, sink):
                return
            if other is not None or blobs.setdefault(path.lower(), kind) != kind:
                _report_file(kind, path, permutation, other or permutation, sink)
                return


def _check_reserved(kind: str, permutation: Permutation, sink: Sink) -> bool:
    """Report a file in `files` that builds write themselves; return whether it is one."""
    path = permutation.file(kind)
    setting = permutation.layer.settings.get(f"files.{kind}")
    if kind not in permutation.files or not _is_reserved(path):
        return False
    sink.error(codes.RESERVED_NAME, setting.at if setting else permutation.at, name=path)
    return True


def _is_reserved(path: str) -> bool:
    return path.lower() in _RESERVED or path.lower().endswith(_RESERVED_SUFFIXES)


def _report_name(permutation: Permutation, first: Permutation, sink: Sink) -> None:
    note = sink.note(codes.SAME_OUTPUT_NOTE, first.at)
    setting = permutation.layer.settings.get("name")
    if setting is not None and "{" in str(setting.value):
        first_text, second = described(first), described(permutation)
        sink.error(codes.SAME_FILE, setting.at, notes=[note], path=permutation.name, first=first_text, second=second)
        return
    hint = "give one of the entries a `name`"
    sink.error(codes.SAME_OUTPUT, permutation.at, notes=[note], path=permutation.name, hint=hint)


def _report_file(kind: str, path: str, permutation: Permutation, other: Permutation, sink: Sink) -> None:
    setting = permutation.layer.settings.get(f"files.{kind}") or other.layer.settings.get(f"files.{kind}")
    note = sink.note(codes.SAME_OUTPUT_NOTE, other.at)
    at = (setting and setting.at) or permutation.at
    sink.error(codes.SAME_FILE, at, notes=[note], path=path, first=described(other), second=described(permutation))


def described(permutation: Permutation) -> str:
    """Return source, entry point and macros of a permutation in words, for diagnostics."""
    macros = "".join(f", {name}={shown(value)}" for name, value in permutation.chosen)
    return f"`{permutation.source}` ({permutation.options.entry or 'lib'}{macros})"
