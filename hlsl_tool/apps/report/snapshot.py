"""The sizes of shaders: bytes of their modules, and instructions, counted by kind.

A snapshot is plain data with its own file format, so that CI can store it without the outputs.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from array import array
from typing import Any

from hlsl_tool.base.system.dataclass import asdict, dataclass
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.spirv import op

VERSION = 1


class BadSnapshot(Exception):
    """Raised for a path without a snapshot or shaders; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The module size and the instruction counts of one shader."""

    bytes: int = 0
    instructions: int = 0
    """Instructions in functions, without labels, debug information, and the begin and end of functions."""
    texture: int = 0
    """The number of samples, fetches, reads and writes of images among the instructions."""
    memory: int = 0
    """The number of loads, stores, copies and atomics."""
    branches: int = 0
    """The number of conditional branches and switches."""
    calls: int = 0


METRICS = tuple(Weight.__dataclass_fields__)
Snapshot = dict[str, Weight]
"""Shader → weight."""

_MAGIC = 0x07230203
_HEADER_WORDS = 5


def _named(*prefixes: str) -> frozenset[int]:
    return frozenset(number for name, number in vars(op).items() if name.startswith(prefixes))


_SILENT = frozenset(
    (
        op.OpFunction,
        op.OpFunctionParameter,
        op.OpFunctionEnd,
        op.OpLabel,
        op.OpLine,
        op.OpNoLine,
        op.OpNop,
        op.OpVariable,
        op.OpSelectionMerge,
        op.OpLoopMerge,
    )
)
"""Opcodes in functions that do not execute."""
_INFORMATION = ("NonSemantic.", "OpenCL.DebugInfo.")
"""Prefixes of extended instruction sets without an effect."""
_KINDS = {
    "texture": _named(
        "OpImageSample", "OpImageSparse", "OpImageFetch", "OpImageGather", "OpImageDref", "OpImageRead", "OpImageWrite"
    ),
    "memory": _named("OpLoad", "OpStore", "OpCopyMemory", "OpAtomic"),
    "branches": frozenset((op.OpBranchConditional, op.OpSwitch)),
    "calls": frozenset((op.OpFunctionCall,)),
}


def weigh(data: bytes) -> Weight:
    """Return the size and instruction counts of a binary module; raise ``BadSnapshot`` for other data."""
    words = array("I", data[: len(data) & ~3])
    if words.itemsize != 4:
        words = array("L", data[: len(data) & ~3])
    if sys.byteorder == "big":
        words.byteswap()
    if len(words) < _HEADER_WORDS or words[0] != _MAGIC or len(data) % 4:
        raise BadSnapshot("it is no SPIR-V module")
    counts: dict[int, int] = {}
    silent_sets: set[int] = set()
    instructions = 0
    at, end, is_inside = _HEADER_WORDS, len(words), False
    while at < end:
        opcode, size = words[at] & 0xFFFF, words[at] >> 16
        if size == 0 or at + size > end:
            raise BadSnapshot(f"the instruction at word {at} is damaged")
        if opcode == op.OpFunction:
            is_inside = True
        elif opcode == op.OpExtInstImport and _text(words, at + 2, at + size).startswith(_INFORMATION):
            silent_sets.add(words[at + 1])
        if (
            is_inside
            and opcode not in _SILENT
            and not (opcode == op.OpExtInst and size > 3 and words[at + 3] in silent_sets)
        ):
            instructions += 1
            counts[opcode] = counts.get(opcode, 0) + 1
        at += size
    kinds = {kind: sum(counts.get(opcode, 0) for opcode in opcodes) for kind, opcodes in _KINDS.items()}
    return Weight(len(data), instructions, **kinds)


def _text(words: array[int], start: int, end: int) -> str:
    data = struct.pack(f"<{end - start}I", *words[start:end])
    return data.split(b"\0")[0].decode("utf-8", "replace")


# ---------------------------------------------------------------------------------------------------------- snapshots


def take(path: str) -> Snapshot:
    """Return a snapshot of a path: a snapshot file, the shaders of a manifest, or all modules below a folder.

    The path ``-`` is a snapshot file on the standard input.
    Raises ``BadSnapshot`` for a path that is none of these.
    """
    if os.path.isdir(path):
        manifest = os.path.join(path, "manifest.json")
        return _of_manifest(manifest) if os.path.isfile(manifest) else _of_folder(path)
    try:
        data = sys.stdin.buffer.read() if path == "-" else read_regular(path)
    except OSError as error:
        raise BadSnapshot(f"cannot read `{path}`: {error.strerror}") from None
    if data[:4] in (struct.pack("<I", _MAGIC), struct.pack(">I", _MAGIC)):
        return {os.path.basename(path).removesuffix(".spv"): _weighed(path, data)}
    try:
        content = json.loads(data)
    except ValueError as error:
        raise BadSnapshot(f"`{path}` is neither a snapshot nor a manifest: {error}") from None
    if isinstance(content, dict) and isinstance(content.get("shaders"), list) and path != "-":
        return _of_manifest(path)
    return _of_snapshot(path, content)


def text(snapshot: Snapshot, **more: Any) -> str:
    """Return a snapshot as JSON text, sorted by shader, so that equal snapshots give equal files.

    ``more`` are further members, which readers of snapshots pass over.
    """
    shaders = {name: asdict(weight) for name, weight in sorted(snapshot.items())}
    return json.dumps({"snapshot": VERSION, "shaders": shaders, **more}, indent=1, ensure_ascii=False) + "\n"


def _of_snapshot(path: str, content: Any) -> Snapshot:
    try:
        if content["snapshot"] != VERSION:
            raise BadSnapshot(f"`{path}` is a snapshot of version {content['snapshot']}; this reads {VERSION}")
        return {
            str(name): Weight(**{metric: int(row[metric]) for metric in METRICS if metric in row})
            for name, row in content["shaders"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadSnapshot(f"`{path}` is neither a snapshot nor a manifest") from None


def _of_manifest(path: str) -> Snapshot:
    folder = os.path.dirname(path)
    try:
        shaders = json.loads(read_regular(path))["shaders"]
        outputs = {str(s["name"]): str(s["outputs"]["spv"]) for s in shaders if "spv" in s["outputs"]}
    except (OSError, ValueError, KeyError, TypeError):
        raise BadSnapshot(f"`{path}` is no manifest") from None
    weights: Snapshot = {}
    for name, output in outputs.items():
        place = os.path.join(folder, output)
        try:
            weights[name] = _weighed(place, read_regular(place))
        except FileNotFoundError:
            continue  # it has not been built
        except OSError as error:
            raise BadSnapshot(f"cannot read `{place}`: {error.strerror}") from None
    if outputs and not weights:
        raise BadSnapshot(f"nothing that `{path}` lists has been built")
    return weights


def _of_folder(path: str) -> Snapshot:
    weights: Snapshot = {}
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(".spv"):
                place = os.path.join(folder, name)
                key = os.path.relpath(place, path).replace(os.sep, "/").removesuffix(".spv")
                try:
                    weights[key] = _weighed(place, read_regular(place))
                except OSError as error:
                    raise BadSnapshot(f"cannot read `{place}`: {error.strerror}") from None
    if not weights:
        raise BadSnapshot(f"there is no manifest and no .spv in `{path}`")
    return weights


def _weighed(path: str, data: bytes) -> Weight:
    try:
        return weigh(data)
    except BadSnapshot as problem:
        raise BadSnapshot(f"`{path}`: {problem}") from None
