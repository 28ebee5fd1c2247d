"""`hlsl_tool watch`: rebuild what a saved file affects, until interrupted."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hlsl_tool.cli import common


def add(verbs: Any) -> None:
    parser: argparse.ArgumentParser = verbs.add_parser("watch", help="rebuild shaders as their files are saved")
    common.add_project(parser)
    common.add_jobs(parser)
    common.add_store(parser)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    from hlsl_tool.build.messages import render_messages
    from hlsl_tool.build.store.places import BadStore
    from hlsl_tool.watch.loop import Watcher

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    color = sys.stdout.isatty()
    watcher = Watcher(
        common.find_root(options.root),
        common.configs(options),
        jobs=options.jobs,
        store=options.store,
        write=write,
        render=lambda found: render_messages(found, options.diagnostics, color=color),
    )
    try:
        watcher.run()
    except KeyboardInterrupt:
        write("\n")
    except BadStore as error:
        raise common.Failed(f"store: {error}") from None
    finally:
        watcher.close()
    return 0
