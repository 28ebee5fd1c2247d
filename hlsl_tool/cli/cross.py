"""`hlsl_tool cross`: convert SPIR-V to MSL, GLSL, ESSL or HLSL by SPIRV-Cross."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.cli.common import Failed
from hlsl_tool.cli.conversion_options import add_options, chosen
from hlsl_tool.cli.output import STANDARD_OUTPUT, check_apart, read_input, write_output
from hlsl_tool.cli.parsers import Parser, add_verb

DESCRIPTION = """\
Writes a SPIR-V module of any compiler in another language, by the library of SPIRV-Cross, which has to be installed.
docs/how-to/cross.md describes the conversion.
"""

EPILOGUE = """\
exit status: 0; 1 if SPIRV-Cross cannot convert the module, or is not installed; 2 if a file cannot be read or written
"""

NAMES = {"msl": "the Metal Shading Language", "glsl": "GLSL", "essl": "GLSL for OpenGL ES and WebGL", "hlsl": "HLSL"}


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "cross",
        help="SPIR-V to MSL, GLSL, ESSL or HLSL, by SPIRV-Cross",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    languages = parser.add_subparsers(metavar="LANGUAGE", title="languages", required=True)
    for language, table in CROSS.items():
        one = add_verb(languages, language, run, help=NAMES[language], description=DESCRIPTION, epilog=EPILOGUE)
        one.add_argument("module", metavar="FILE.spv", help="a SPIR-V module, or - for standard input")
        one.add_argument(
            "-o", "--output", metavar="FILE", help="where to write the text (-, the default: the standard output)"
        )
        one.add_argument(
            "--slots",
            dest="places",
            metavar="FILE",
            help="write the name of the entry point, and the places of all resources, as JSON",
        )
        add_options(one, table)
        one.set_defaults(language=language)


def run(options: argparse.Namespace) -> int:
    """Convert a module, and write the text and the places of resources; return the exit status."""
    from hlsl_tool.cross import CrossError, convert_all, slots_json

    check_apart(("-o", options.output), ("--slots", options.places), inputs=[options.module])
    data = read_input(options.module)
    language: str = options.language
    try:
        converted = convert_all(data, {language: chosen(options, CROSS[language])})[language]
    except CrossError as error:
        print(f"{options.module}: error: {error}", file=sys.stderr)
        return 1
    to_standard_output = options.output in (None, STANDARD_OUTPUT)
    if options.places == STANDARD_OUTPUT and to_standard_output:
        raise Failed("the text and the places cannot both go to the standard output: name a file with -o")
    write_output(options.output, converted.text)
    if options.places is not None:
        write_output(options.places, slots_json(converted))
    return 0
