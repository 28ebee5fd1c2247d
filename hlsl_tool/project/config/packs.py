"""Parse and check `packs`: many shaders in one file."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.project.config.keys import OUTPUT_KINDS
from hlsl_tool.project.config.permutation import PackSpec, Permutation, Project
from hlsl_tool.project.config.yaml.nodes import Mapping, Node, Scalar, Sequence, describe

_KEYS = ("name", "shaders", "outputs")
_WANTED = "a list of {name: all, shaders: [post/*, lit/*], outputs: [spv]}"
_NAME = re.compile(r"[A-Za-z0-9_.+/-]+")


def read_packs(node: Node, sink: Sink) -> list[PackSpec]:
    """Parse the packs of a file; ``check_packs`` checks the names of shaders after all files are parsed."""
    if not isinstance(node, Sequence):
        sink.error(codes.WRONG_TYPE, node.at, key="packs", wanted=_WANTED, got=describe(node))
        return []
    packs = []
    for item in node.items:
        if not isinstance(item, Mapping):
            sink.error(codes.WRONG_TYPE, item.at, key="packs", wanted="{name, shaders, outputs}", got=describe(item))
            continue
        for key, _ in item.entries:
            if key.text not in _KEYS:
                hint = did_you_mean(key.text, _KEYS)
                sink.error(codes.UNKNOWN_KEY, key.at, hint=hint, key=key.text, where="a pack")
        name = item.get("name")
        if name is None:
            sink.error(codes.MISSING_KEY, item.at, where="a pack", key="name")
            continue
        if not isinstance(name, Scalar) or not _NAME.fullmatch(name.text) or ".." in name.text.split("/"):
            sink.error(codes.WRONG_TYPE, name.at, key="name", wanted="a name", got=describe(name))
            continue
        shaders = _texts(item.get("shaders"), "shaders", "a pattern", sink)
        outputs = _texts(item.get("outputs"), "outputs", "an output", sink)
        for kind in outputs:
            if kind not in OUTPUT_KINDS:
                at = (item.get("outputs") or item).at
                hint = did_you_mean(kind, OUTPUT_KINDS)
                sink.error(codes.WRONG_TYPE, at, hint=hint, key="outputs", wanted="a kind of output", got=f"`{kind}`")
        packs.append(PackSpec(name.text.strip("/"), shaders, outputs or ("spv",), item.at))
    return packs


def _texts(node: Node | None, key: str, expected: str, sink: Sink) -> tuple[str, ...]:
    if node is None:
        return ()
    texts = []
    for item in node.items if isinstance(node, Sequence) else [node]:
        if isinstance(item, Scalar) and item.text:
            texts.append(item.text.replace("\\", "/"))
        else:
            sink.error(codes.WRONG_TYPE, item.at, key=key, wanted=expected, got=describe(item))
    return tuple(dict.fromkeys(texts))


def packed(pack: PackSpec, project: Project) -> list[Permutation]:
    """Return the permutations whose entry point matches a pattern of the pack; all if it has no patterns."""
    patterns = pack.shaders or ("*",)
    return [v for v in project.permutations if any(fnmatchcase(v.stem, pattern) for pattern in patterns)]


def check_packs(project: Project, sink: Sink) -> None:
    """Report duplicate names, patterns without a match, and output kinds that no shader of a pack has."""
    seen: dict[str, PackSpec] = {}
    for pack in project.packs:
        first = seen.setdefault(pack.name.lower(), pack)
        if first is not pack:
            note = sink.note(codes.SAME_OUTPUT_NOTE, first.at)
            sink.error(codes.SAME_PACK, pack.at, notes=[note], name=pack.name)
        for pattern in pack.shaders:
            if not any(fnmatchcase(permutation.stem, pattern) for permutation in project.permutations):
                stems = {permutation.stem for permutation in project.permutations}
                sink.error(codes.EMPTY_PACK, pack.at, hint=did_you_mean(pattern, stems), pattern=pattern)
        kinds = {kind for permutation in packed(pack, project) for kind in permutation.outputs}
        for kind in pack.outputs if kinds else ():
            if kind in OUTPUT_KINDS and kind not in kinds:
                sink.error(codes.NO_SUCH_OUTPUT, pack.at, name=pack.name, kind=kind)
