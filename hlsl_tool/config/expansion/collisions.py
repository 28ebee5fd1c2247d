"""Check that no file is written for two shaders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlsl_tool.config.layers import UNDEFINED, shown
from hlsl_tool.config.model import Variant
from hlsl_tool.config.output_kinds import BLOB_SUFFIXES
from hlsl_tool.diagnostics.catalogue import config as codes
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.system.file_names import MANIFEST_NAME

_RESERVED = (MANIFEST_NAME, "diagnostics.json", "diagnostics.sarif")
"""Files that builds write beside the outputs."""


def check_outputs(variants: Sequence[Variant], sink: Sink) -> None:
    """Report variants with the same output, also if it differs only in case, which is one file on Windows."""
    names: dict[str, Variant] = {}
    files: dict[str, Variant] = {}
    for variant in variants:
        if _is_reserved(variant.name + ".json"):
            hint = "give the entry another `name`"
            sink.error(codes.RESERVED_NAME, variant.at, name=variant.name, hint=hint)
        first = names.setdefault(variant.name.lower(), variant)
        if first is not variant:
            _report_name(variant, first, sink)
            continue
        for kind in (kind for kind in variant.outputs if kind not in BLOB_SUFFIXES):
            path = variant.file(kind)
            other = files.setdefault(path.lower(), variant)
            if other is not variant or [variant.file(each) for each in variant.outputs].count(path) > 1:
                _report_file(kind, path, variant, other, sink)
                break
            if kind in variant.files and _is_reserved(path):
                sink.error(codes.RESERVED_NAME, variant.layer.settings[f"files.{kind}"].at, name=path)

    _check_blobs(variants, files, sink)


def _check_blobs(variants: Sequence[Variant], files: Mapping[str, Variant], sink: Sink) -> None:
    """Report permutations that have the same key in a blob, and blobs in the place of other outputs."""
    members: dict[tuple[str, frozenset[tuple[str, str]]], Variant] = {}
    blobs: dict[str, str] = {}
    for variant in variants:
        for kind in (kind for kind in variant.outputs if kind in BLOB_SUFFIXES):
            path = variant.file(kind)
            key = frozenset(pair for pair in variant.permutation if pair[1] != UNDEFINED)
            first = members.setdefault((path.lower(), key), variant)
            if first is not variant:
                note = sink.note(codes.SAME_OUTPUT_NOTE, first.at)
                first_text, second = described(first), described(variant)
                sink.error(codes.SAME_BLOB_KEY, variant.at, notes=[note], path=path, first=first_text, second=second)
            other = files.get(path.lower())
            if other is not None or blobs.setdefault(path.lower(), kind) != kind or _is_reserved(path):
                _report_file(kind, path, variant, other or variant, sink)
                return


def _is_reserved(path: str) -> bool:
    return path.lower() in _RESERVED


def _report_name(variant: Variant, first: Variant, sink: Sink) -> None:
    note = sink.note(codes.SAME_OUTPUT_NOTE, first.at)
    setting = variant.layer.settings.get("name")
    if setting is not None and "{" in str(setting.value):
        first_text, second = described(first), described(variant)
        sink.error(codes.SAME_FILE, setting.at, notes=[note], path=variant.name, first=first_text, second=second)
        return
    hint = "give one of the entries a `name`"
    sink.error(codes.SAME_OUTPUT, variant.at, notes=[note], path=variant.name, hint=hint)


def _report_file(kind: str, path: str, variant: Variant, other: Variant, sink: Sink) -> None:
    setting = variant.layer.settings.get(f"files.{kind}") or other.layer.settings.get(f"files.{kind}")
    note = sink.note(codes.SAME_OUTPUT_NOTE, other.at)
    at = (setting and setting.at) or variant.at
    sink.error(codes.SAME_FILE, at, notes=[note], path=path, first=described(other), second=described(variant))


def described(variant: Variant) -> str:
    """Return source, entry and permutation of a variant, for diagnostics."""
    macros = "".join(f", {name}={shown(value)}" for name, value in variant.permutation)
    return f"`{variant.source}` ({variant.options.entry or 'lib'}{macros})"
