"""`hlsl_tool pack make|list|get|header`: write packs of built shaders, and read packs."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_INPUT, check_apart, read_input, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.project.pack import Pack

HEADER = "hlsl_pack.h"


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "pack",
        help="permutations of many shaders in one file for engines: write and read packs",
        description="docs/how-to/pack.md describes packs; with `packs` in a configuration, builds write them.",
        epilog="exit status: 0; 2 if a file or shader is missing, or a file is no pack",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    make = actions.add_parser("make", help="write a pack of the shaders in a manifest")
    make.add_argument("manifest", help="a manifest.json, or its folder")
    make.add_argument("-o", "--output", required=True, metavar="FILE", help="the pack")
    make.add_argument(
        "--outputs", default="spv", metavar="KINDS", help="kinds of outputs, with commas between them (spv)"
    )
    make.add_argument(
        "--shader",
        dest="shaders",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only shaders whose name without the permutation matches, such as 'post/*'; repeatable",
    )
    make.set_defaults(function=_make)
    listing = actions.add_parser("list", help="list the contents of a pack")
    listing.add_argument("file")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(function=_list)
    get = actions.add_parser("get", help="extract one output of a pack")
    get.add_argument("file")
    get.add_argument("shader", help="a name as `list` shows it, or one without a permutation, with -D for that")
    get.add_argument("-D", dest="macros", action="append", default=[], metavar="NAME[=VALUE]", help="a macro")
    get.add_argument("--kind", dest="kind", default="spv", help="the kind of output (spv)")
    get.add_argument("-o", "--output", metavar="FILE", help="the file to write (-, the default: the standard output)")
    get.set_defaults(function=_get)
    header = actions.add_parser("header", help="print the reader for C")
    header.set_defaults(function=_header)


def _make(options: argparse.Namespace) -> int:
    from fnmatch import fnmatchcase

    from hlsl_tool.project.pack import Member, PackError, write

    path = options.manifest
    if os.path.isdir(path):
        path = os.path.join(path, "manifest.json")
    kinds = [kind for kind in options.outputs.split(",") if kind]
    members = []
    used: set[str] = set()
    for shader in common.read_manifest(path):
        stem = shader.get("shader", shader["name"])
        matching = {pattern for pattern in options.shaders if fnmatchcase(stem, pattern)}
        used |= matching
        if options.shaders and not matching:
            continue
        blobs = {}
        for kind in kinds:
            if kind in shader["outputs"]:
                blobs[kind] = _bytes(os.path.join(os.path.dirname(path), shader["outputs"][kind]))
        permutation = tuple(shader["permutation"].items())
        members.append(Member(shader["name"], stem, permutation, shader["stage"], shader["entry_point"], blobs))
    for pattern in options.shaders:
        if pattern not in used:
            raise common.Failed(f"no shader of `{path}` matches `{pattern}`")
    for kind in kinds:
        if not any(kind in member.blobs for member in members):
            raise common.Failed(f"no shader has {kind} among its outputs")
    try:
        data = write(members, kinds)
    except PackError as error:
        raise common.Failed(f"cannot pack: {error}") from None
    write_output(options.output, data)
    return 0


def _bytes(path: str) -> bytes:
    try:
        return read_regular(path)
    except OSError as error:
        raise common.Failed(f"cannot read `{path}`: {error.strerror}") from None


def _read(path: str) -> Pack:
    from hlsl_tool.project.pack import BadPack, Pack, read

    try:
        return Pack(read_input(path)) if path == STANDARD_INPUT else read(path)
    except OSError as error:
        raise common.Failed(f"cannot read `{path}`: {error.strerror}") from None
    except BadPack as error:
        raise common.Failed(f"`{path}` is no pack: {error}") from None


def _list(options: argparse.Namespace) -> int:
    pack = _read(options.file)
    sizes = {number: size for number, (_, size) in enumerate(pack.blobs)}
    if options.json:
        shaders = [
            {
                "name": entry.name,
                "shader": entry.shader,
                "macros": list(entry.axes),
                "stage": entry.stage,
                "entry_point": entry.entry_point,
                "outputs": {kind: sizes[n] for kind, n in zip(pack.kinds, entry.numbers, strict=True) if n in sizes},
            }
            for entry in pack
        ]
        print(json.dumps({"version": 1, "bytes": len(pack.data), "shaders": shaders}, indent=1, ensure_ascii=False))
        return 0
    for entry in pack:
        contents = (f"{kind} {sizes[n]}" for kind, n in zip(pack.kinds, entry.numbers, strict=True) if n in sizes)
        print(f"{entry.name}  ({entry.stage}, {entry.entry_point or 'no entry point'}): {', '.join(contents)}")
    print(f"{len(pack)} shaders, {len(pack.blobs)} different outputs, {len(pack.data)} bytes")
    return 0


def _get(options: argparse.Namespace) -> int:
    check_apart(("-o", options.output), inputs=[options.file])
    pack = _read(options.file)
    macros = {name: value for name, _, value in (word.partition("=") for word in options.macros)}
    entry = pack.named(options.shader) or pack.find(options.shader, macros)
    if entry is None:
        raise common.Failed(f"the pack has no `{options.shader}`" + (" with these macros" if macros else ""))
    try:
        data = entry.blob(options.kind)
    except KeyError:
        raise common.Failed(f"`{entry.name}` has no {options.kind} in this pack") from None
    write_output(options.output, data)
    return 0


def _header(options: argparse.Namespace) -> int:
    from importlib.resources import files

    print(files("hlsl_tool.project.pack").joinpath(HEADER).read_text(encoding="utf-8"), end="")
    return 0
