"""What shaders weigh: the length of their modules, and the instructions that run, counted by kind.

A snapshot is plain data with a form of its own, so that CI can keep one where it does not keep outputs.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from array import array
from dataclasses import asdict, dataclass
from typing import Any

from hlsl_tool.spirv import op
from hlsl_tool.system.regular_files import read_regular

VERSION = 1


class BadSnapshot(Exception):
    """What was named holds no shaders; the text says why."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Of one shader."""

    bytes: int = 0
    instructions: int = 0
    """In functions, without labels, debug information and what begins and ends functions."""
    texture: int = 0
    """Of these: samples, fetches, reads and writes of images."""
    memory: int = 0
    """Loads, stores, copies, atomics."""
    branches: int = 0
    """Conditional branches and switches."""
    calls: int = 0


METRICS = tuple(Weight.__dataclass_fields__)
Snapshot = dict[str, Weight]
"""Shader → what it weighs."""

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
"""They stand in functions and do nothing."""
_SAYING = ("NonSemantic.", "OpenCL.DebugInfo.")
"""Sets of extended instructions that only say something."""
_KINDS = {
    "texture": _named(
        "OpImageSample", "OpImageSparse", "OpImageFetch", "OpImageGather", "OpImageDref", "OpImageRead", "OpImageWrite"
    ),
    "memory": _named("OpLoad", "OpStore", "OpCopyMemory", "OpAtomic"),
    "branches": frozenset((op.OpBranchConditional, op.OpSwitch)),
    "calls": frozenset((op.OpFunctionCall,)),
}


def weigh(data: bytes) -> Weight:
    """The weight of a module; BadSnapshot where it is none."""
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
        elif opcode == op.OpExtInstImport and _text(words, at + 2, at + size).startswith(_SAYING):
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
    """The snapshot that a path leads to: one in a file, a manifest's shaders, or all modules below a folder."""
    if os.path.isdir(path):
        manifest = os.path.join(path, "manifest.json")
        return _of_manifest(manifest) if os.path.isfile(manifest) else _of_folder(path)
    try:
        data = read_regular(path)
    except OSError as error:
        raise BadSnapshot(f"cannot read `{path}`: {error.strerror}") from None
    if data[:4] in (struct.pack("<I", _MAGIC), struct.pack(">I", _MAGIC)):
        return {os.path.basename(path).removesuffix(".spv"): _weighed(path, data)}
    try:
        content = json.loads(data)
    except ValueError as error:
        raise BadSnapshot(f"`{path}` is neither a snapshot nor a manifest: {error}") from None
    if isinstance(content, dict) and isinstance(content.get("shaders"), list):
        return _of_manifest(path)
    return _of_snapshot(path, content)


def text(snapshot: Snapshot) -> str:
    """A snapshot as it is kept in a file."""
    shaders = {name: asdict(weight) for name, weight in sorted(snapshot.items())}
    return json.dumps({"snapshot": VERSION, "shaders": shaders}, indent=1, ensure_ascii=False) + "\n"


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
    found: Snapshot = {}
    for name, output in outputs.items():
        place = os.path.join(folder, output)
        try:
            found[name] = _weighed(place, read_regular(place))
        except FileNotFoundError:
            continue  # it has not been built
        except OSError as error:
            raise BadSnapshot(f"cannot read `{place}`: {error.strerror}") from None
    if outputs and not found:
        raise BadSnapshot(f"nothing that `{path}` lists has been built")
    return found


def _of_folder(path: str) -> Snapshot:
    found: Snapshot = {}
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(".spv"):
                place = os.path.join(folder, name)
                key = os.path.relpath(place, path).replace(os.sep, "/").removesuffix(".spv")
                try:
                    found[key] = _weighed(place, read_regular(place))
                except OSError as error:
                    raise BadSnapshot(f"cannot read `{place}`: {error.strerror}") from None
    if not found:
        raise BadSnapshot(f"there is no manifest and no .spv in `{path}`")
    return found


def _weighed(path: str, data: bytes) -> Weight:
    try:
        return weigh(data)
    except BadSnapshot as problem:
        raise BadSnapshot(f"`{path}`: {problem}") from None
