"""`hlsl_tool wgsl`: convert SPIR-V to WGSL."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.cli.common import Failed
from hlsl_tool.cli.conversion_options import add_options, chosen
from hlsl_tool.cli.output import STANDARD_OUTPUT, check_apart, read_input, write_output
from hlsl_tool.cli.parsers import add_verb

DESCRIPTION = """\
Writes the WGSL of a SPIR-V module of any compiler.  The module is validated first, in the Vulkan environment of its
own version.  docs/how-to/wgsl.md describes the conversion.
"""

EPILOGUE = """\
exit status: 0; 1 if the module is not valid or cannot be expressed in WGSL; 2 if a file cannot be read or written
"""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser = add_verb(verbs, "wgsl", run, help="SPIR-V to WGSL", description=DESCRIPTION, epilog=EPILOGUE)
    parser.add_argument("module", metavar="FILE.spv", help="a SPIR-V module, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write the WGSL (-, the default: the standard output)"
    )
    parser.add_argument(
        "--bindings",
        dest="layouts",
        metavar="FILE",
        help="write its bind group layouts, as createBindGroupLayout takes them",
    )
    parser.add_argument("--comments", action="store_true", help="begin with the HLSL names of variables")
    add_options(parser, WGSL)
    parser.add_argument("--no-validate", action="store_true", help="do not run spirv-val first")


def _options(options: argparse.Namespace) -> dict[str, Any]:
    return {"validate": not options.no_validate, "comments": options.comments, **chosen(options, WGSL)}


def run(options: argparse.Namespace) -> int:
    """Convert a module to WGSL, and write the text and its bindings; return the exit status."""
    from hlsl_tool.wgsl import WgslError, bindings_json, convert_module

    check_apart(("-o", options.output), ("--bindings", options.layouts), inputs=[options.module])
    data = read_input(options.module)
    try:
        converted = convert_module(data, _options(options))
    except WgslError as error:
        print(f"{options.module}: error: {error}", file=sys.stderr)
        return 1
    to_standard_output = options.output in (None, STANDARD_OUTPUT)
    if options.layouts == STANDARD_OUTPUT and to_standard_output:
        raise Failed("the WGSL and its bindings cannot both go to the standard output: name a file with -o")
    write_output(options.output, converted.text)
    if options.layouts is not None:
        needs = converted.features, converted.limits, converted.language_features
        write_output(options.layouts, bindings_json(converted.bindings, *needs))
    return 0
