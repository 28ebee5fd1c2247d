"""`hlsl_tool wgsl`: SPIR-V to WGSL."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hlsl_tool.cli.common import Failed
from hlsl_tool.cli.output import STANDARD_OUTPUT, write_output
from hlsl_tool.system.regular_files import read_regular

DESCRIPTION = """\
Writes the WGSL of a SPIR-V module of any compiler.  The module is validated first, in the Vulkan environment of its
own version.  docs/how-to/wgsl.md describes the conversion.
"""

EPILOGUE = """\
exit status: 0; 1 if the module is not valid or cannot be expressed in WGSL; 2 if a file cannot be read or written
"""

_MAX_ELEMENTS = 256
"""`wgsl.options.MAX_ELEMENTS`, which takes long to import."""


def add(verbs: Any) -> None:
    """Add the verb to the command line."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "wgsl",
        help="SPIR-V to WGSL",
        description=DESCRIPTION,
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("module", metavar="FILE.spv", help="a SPIR-V module, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write the WGSL (-, the default: the standard output)"
    )
    parser.add_argument(
        "--bindings", metavar="FILE", help="write its bind group layouts, as createBindGroupLayout takes them"
    )
    parser.add_argument("--comments", action="store_true", help="begin with the HLSL names of variables")
    parser.add_argument(
        "--immediates",
        choices=("auto", "uniform"),
        default="auto",
        help="push constants as immediates where WGSL can declare them, or always as a uniform buffer",
    )
    parser.add_argument(
        "--compact-bindings",
        action="store_true",
        help="move bindings that WebGPU's default limits refuse to groups 0 to 3 and bindings below 1000",
    )
    parser.add_argument(
        "--unbounded-arrays",
        metavar="N",
        type=_length,
        default=0,
        help="the number of elements of arrays of resources without a length that are indexed at run time",
    )
    parser.add_argument(
        "--expand-texel-buffers",
        action="store_true",
        help="read texel buffers of any format as storage buffers of 32-bit numbers",
    )
    parser.add_argument("--drop-point-size", action="store_true", help="leave out stores to PointSize")
    parser.add_argument(
        "--exact-storage-formats",
        action="store_true",
        help="refuse textures that WebGPU can read and write in a format with more components only",
    )
    parser.add_argument("--pad-targets", action="store_true", help="give all colours four components")
    parser.add_argument("--naga", action="store_true", help="leave out directives that naga does not know")
    parser.add_argument("--no-validate", action="store_true", help="do not run spirv-val first")
    parser.set_defaults(function=run)


def _length(text: str) -> int:
    """Return the number of elements of arrays; raise argparse's error for other texts."""
    if text.isdecimal() and int(text) <= _MAX_ELEMENTS:
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is not a number from 0 to {_MAX_ELEMENTS}")


def _options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the conversion."""
    return {
        "validate": not options.no_validate,
        "comments": options.comments,
        "immediates": options.immediates,
        "bindings": "compact" if options.compact_bindings else "as_given",
        "unbounded_arrays": options.unbounded_arrays,
        "texel_buffers": "expanded" if options.expand_texel_buffers else "exact",
        "point_size": "drop" if options.drop_point_size else "error",
        "storage_formats": "exact" if options.exact_storage_formats else "widened",
        "pad_targets": options.pad_targets,
        "naga": options.naga,
    }


def run(options: argparse.Namespace) -> int:
    """Run the verb and return the exit status."""
    from hlsl_tool.wgsl import WgslError, bindings_json, convert_module

    try:
        data = sys.stdin.buffer.read() if options.module == "-" else read_regular(options.module)
    except OSError as error:
        raise Failed(f"cannot read `{options.module}`: {error.strerror}") from None
    try:
        converted = convert_module(data, _options(options))
    except WgslError as error:
        print(f"{options.module}: error: {error}", file=sys.stderr)
        return 1
    to_standard_output = options.output in (None, STANDARD_OUTPUT)
    if options.bindings == STANDARD_OUTPUT and to_standard_output:
        raise Failed("the WGSL and its bindings cannot both go to the standard output: name a file with -o")
    write_output(options.output, converted.text)
    if options.bindings is not None:
        write_output(options.bindings, bindings_json(converted.bindings))
    return 0
