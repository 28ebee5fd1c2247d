"""`hlsl_tool reflect link`: check that the interfaces of a pipeline's stages fit together."""

from __future__ import annotations

import argparse
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import read_input
from hlsl_tool.cli.parsers import Parser

_EPILOG = """The modules may come from any compiler. The inputs of each stage are compared with the outputs of the stage
before it: locations, components, types, interpolation; and resources that share a binding are compared.
Exit status: 0 if they fit; 1 if they do not; 2 if a file is no module or the stages do not form a pipeline."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "reflect link", help="check that the stages of a pipeline fit together", epilog=_EPILOG
    )
    parser.add_argument(
        "modules",
        nargs="+",
        metavar="FILE",
        help="SPIR-V modules, one for each stage, in any order (-: the standard input)",
    )
    parser.add_argument(
        "-W",
        dest="warnings",
        action="append",
        default=[],
        metavar="[no-]WARNING",
        help="as for compiling: -Werror=stage-semantic, -Wno-stage-width",
    )
    parser.add_argument(
        "--maintenance4", action="store_true", help="fewer components may be read than are written (as in Vulkan 1.3)"
    )
    common.add_form(parser)
    common.add_document(parser)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Check the stages of one pipeline and print the diagnostics; return the exit status."""
    from hlsl_tool.base.diagnostics import WarningOptions
    from hlsl_tool.reflection.check import ReflectError, check
    from hlsl_tool.reflection.linking.pipeline import StageError, check_stages
    from hlsl_tool.spirv.decode import DecodeError, decode

    modules = []
    for name in options.modules:
        try:
            modules.append(read_input(name))
            check(decode(modules[-1]))
        except (DecodeError, ReflectError) as error:
            raise common.Failed(f"`{name}` is no SPIR-V module: {error}") from None
    warnings = WarningOptions.from_flags([f"-W{name}" for name in options.warnings])
    try:
        diagnostics = check_stages(modules, warnings=warnings, widths_may_differ=options.maintenance4)
    except (StageError, ReflectError) as error:
        raise common.Failed(str(error)) from None
    common.show(diagnostics, options)
    return 1 if any(d.severity in ("error", "fatal") for d in diagnostics) else 0
