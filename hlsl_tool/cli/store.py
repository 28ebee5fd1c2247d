"""`hlsl_tool store stats|gc|clear|trust`: show the store's size, remove old results, empty the store, trust servers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.project.build.store.directory import Directory, Usage


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "store",
        help="the size of the store of results; free space in it, or empty it",
        description="The store has results of compilations (docs/how-to/store.md). Only folders are changed;"
        " servers are left alone.",
    )
    common.add_project(parser)
    common.add_store(parser)
    parser.add_argument(
        "action",
        choices=("stats", "gc", "clear", "trust"),
        help="show the size; remove old results; empty it; allow the servers that the configurations name",
    )
    parser.add_argument("--size", help="the size limit for `gc`, such as 500M (default: the configured one)")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Print the size of the store, remove old or all results, or trust its servers; return the exit status."""
    from hlsl_tool.project.build.store.choice import UNTRUSTED, BadStore, is_address, parse_size

    project = common.load_project(options)
    store = common.store_of(options, project)
    if options.action == "trust":
        return _trust(project.root, store.untrusted)
    for server in store.untrusted:
        print(f"{server}: {UNTRUSTED}")
    if options.size is not None:
        try:
            store = replace(store, size=parse_size(options.size))
        except BadStore as error:
            raise common.Failed(f"--size: {error}") from None
    if not store.places:
        print("no store")
    for place in store.places:
        if is_address(place):
            print(f"{store.backend(place).name}: a server")
    for folder in store.folders():
        print(f"{folder.path}: {_act(folder, options.action)}")
    return 0


def _trust(root: str, servers: tuple[str, ...]) -> int:
    from hlsl_tool.project.config.trust import trust

    if not trust(root, servers):
        raise common.Failed("the cache folder of the user cannot be written, or others can write to it")
    print("\n".join(f"{server}: allowed for {root}" for server in servers) or "no server waits for being allowed")
    return 0


def _act(folder: Directory, action: str) -> str:
    if action == "clear":
        folder.clear()
        return "empty"
    usage = folder.collect() if action == "gc" else folder.usage()
    if action == "gc":
        return f"{words(usage.bytes - usage.freed)}, {usage.removed} files with {words(usage.freed)} removed"
    return _content(usage) + f" of {words(folder.size)}" if usage.entries else "empty"


def _content(usage: Usage) -> str:
    return f"{usage.entries} results in {usage.blobs} files, {words(usage.bytes)}"


def words(size: int) -> str:
    """Return a number of bytes in words: `1.5 MiB`."""
    amount = float(size)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"
