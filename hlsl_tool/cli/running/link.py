"""`hlsl_tool link`: join modules and libraries, and legalise, optimise and validate the result."""

from __future__ import annotations

import argparse
import os
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import check_apart, write_output
from hlsl_tool.cli.parsers import add_verb

_USAGE = "hlsl_tool link FILE ... [-o FILE] [--entry NAME] [any option of hlsl2spirv]"
_EPILOG = """FILE: SPIR-V modules, and HLSL, which is compiled as a library (-T lib_6_8) with the given options.
A function that a module declares and calls is the one of equal name and parameters that another module exports. With
entry points the result is a program; without any it is a library again. Without -o its assembly is printed.
`hlsl_tool reflect link` checks whether the stages of a pipeline fit together.
Exit status: 0; 1 if the modules do not fit or do not compile; 2 if the command line is wrong."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    text = "join modules whose functions call each other"
    parser = add_verb(verbs, "link", run, help=text, usage=_USAGE, epilog=_EPILOG, takes_rest=True)
    parser.add_argument("-o", "--output", metavar="FILE", help="the file of the linked module (-: the standard output)")
    parser.add_argument("--entry", default="", metavar="NAME", help="the entry point to retain (default: all)")
    common.add_form(parser)


def run(options: argparse.Namespace) -> int:
    """Link modules and write the result; return the exit status."""
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem
    from hlsl_tool.base.system.deep_stack import with_deep_stack
    from hlsl_tool.compiler.linking.link import PROFILE, link
    from hlsl_tool.spirv.text import disassemble

    words: list[str] = options.rest
    command = common.command_of(["-T", PROFILE, *words])
    if command.assembly or command.header or command.debug_file or command.preprocess or command.errors_file:
        raise common.Failed("`hlsl_tool link` writes the module alone, with -o")
    output = options.output or command.object
    check_apart(("-o", output), inputs=command.inputs)
    entry = options.entry or (command.options.entry if "-E" in words else "")
    fs = CachedFileSystem(OSFileSystem(os.getcwd()))
    result = with_deep_stack(lambda: link(command.inputs, entry=entry, options=command.options, fs=fs))
    common.show(result.diagnostics, options)
    if not result.ok or result.module is None:
        return 1
    if output:
        write_output(output, result.spirv)
    else:
        write_output(None, disassemble(result.module))
    return 0
