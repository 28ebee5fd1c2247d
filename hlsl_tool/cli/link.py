"""`hlsl_tool link`: do the stages of a pipeline fit together?"""

from __future__ import annotations

import argparse
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.system.regular_files import read_regular

_EPILOG = """The modules may come from any compiler. What one stage reads is checked against what the stage before it
writes: locations, components, types, interpolation, and what both have at one binding.
Exit status: 0 where they fit, 1 where they do not, 2 where a file is no module or the stages make no pipeline."""


def add(verbs: Any) -> None:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "link", help="check that the stages of a pipeline fit together", epilog=_EPILOG
    )
    parser.add_argument("modules", nargs="+", metavar="FILE", help="SPIR-V modules, one a stage, in any order")
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
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    from hlsl_tool.diagnostics import WarningOptions
    from hlsl_tool.linking.pipeline import StageError, check_stages
    from hlsl_tool.reflect import ReflectError
    from hlsl_tool.reflect.check import check
    from hlsl_tool.spirv.decode import DecodeError, decode

    modules = []
    for name in options.modules:
        try:
            modules.append(read_regular(name))
            check(decode(modules[-1]))
        except OSError as error:
            raise common.Failed(f"cannot read `{name}`: {error.strerror or error}") from None
        except (DecodeError, ReflectError) as error:
            raise common.Failed(f"`{name}` is no SPIR-V module: {error}") from None
    warnings = WarningOptions.from_flags([f"-W{name}" for name in options.warnings])
    try:
        found = check_stages(modules, warnings=warnings, widths_may_differ=options.maintenance4)
    except (StageError, ReflectError) as error:
        raise common.Failed(str(error)) from None
    common.show(found, options)
    return 1 if any(d.severity in ("error", "fatal") for d in found) else 0
