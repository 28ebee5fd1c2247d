"""`hlsl_tool schema`: print a JSON schema.

python -m hlsl_tool.cli.schema ROOT    # writes config/schema and docs/reference/config.md
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser, Renamed


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "schema",
        help="JSON schemas of configurations, manifests, reflections, pipelines, diagnostics and the watcher's events",
    )
    names = ("shaders", "defaults", "manifest", "reflection", "pipelines", "event", "diagnostics")
    parser.add_argument("name", nargs="?", default="shaders", choices=names)
    parser.add_argument(
        "--write", dest="write", action=Renamed, nargs="?", const=".", now="python -m hlsl_tool.cli.schema ROOT"
    )
    parser.set_defaults(function=run)


def generated() -> dict[str, str]:
    """Return the generated files: path → text."""
    from hlsl_tool.base.diagnostics.render import schema as diagnostics_schema
    from hlsl_tool.project.config import document, schema
    from hlsl_tool.project.watch import event_schema
    from hlsl_tool.reflection.schema import PIPELINES_FILE, shipped

    files = {f"config/schema/{name}": schema.text(name) for name in schema.FILES}
    files["config/schema/reflection.json"] = shipped()
    files["config/schema/pipelines.json"] = shipped(PIPELINES_FILE)
    files["config/schema/event.json"] = event_schema.text()
    files["config/schema/diagnostics.json"] = diagnostics_schema.text()
    files["docs/reference/config.md"] = document.text()
    return files


def run(options: argparse.Namespace) -> int:
    """Print one JSON schema, or write all generated files below a folder; return the exit status."""
    if options.write is not None:
        write(options.write)
    else:
        print(generated()[f"config/schema/{options.name}.json"], end="")
    return 0


def write(root: str) -> None:
    """Write all generated files below a folder, and print their names."""
    from hlsl_tool.base.system.atomic_write import WriteError, write_atomic

    for name, text in generated().items():
        try:
            write_atomic(os.path.join(root, name), text.encode())
        except WriteError as error:
            raise common.Failed(str(error)) from None
        print(name)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else ".")
