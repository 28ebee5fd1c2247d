"""`hlsl_tool reflect layout`: show the offsets of a block's members, and the rules that determine them."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli.common import Failed, command_of
from hlsl_tool.cli.output import STANDARD_INPUT, STANDARD_OUTPUT, read_input, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.base.options.command_line import Command
    from hlsl_tool.codegen.layout.blocks import BlockLayout

USAGE = """\
usage: hlsl_tool reflect layout show SHADER -T PROFILE [-E ENTRY] [options of compile] [NAME] [--svg FILE]
       hlsl_tool reflect layout explain SHADER -T PROFILE [-E ENTRY] [options of compile] NAME

show      the blocks of a shader (constant buffers, structured buffers, push constants, $Globals), or the one called
          NAME, under the four layouts side by side: offset, size and padding of each member, and the bytes. The
          layout that the options choose is marked.
          --svg FILE writes the same as a picture, of one block.
explain   one member: its offset and the rule behind it; for a matrix also the offset of each number, the origin of its
          majorness, its SPIR-V type and decorations, and the conventions of the host with which it agrees.
          NAME is a path, such as camera.view, lights[2].color, or the name of a member if it is unique.

options of compile: -Zpr, -Zpc, -fvk-use-dx-layout, -fvk-use-gl-layout, -fvk-use-scalar-layout, -D, -I and so on
                    (`hlsl_tool compile -help`)

exit status: 0; 1 if the shader has errors; 2 if the command line is wrong or there is no NAME
"""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "reflect layout", help="memory layouts: blocks side by side, a member explained", add_help=False
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)


def run_layout(arguments: list[str]) -> int:
    """Print the layout of blocks (`show`), or explain that of one member (`explain`); return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    if not arguments or arguments[0] in ("-h", "--help", "-help") or "--help" in arguments:
        print(USAGE, end="")
        return 0 if arguments else 2
    try:
        return with_deep_stack(lambda: _run(arguments))
    except Failed as problem:
        print(f"hlsl_tool: error: {problem}", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    action, *words = arguments
    if action not in ("show", "explain"):
        raise Failed(f"`layout {action}` is not known: show or explain")
    picture = _take_svg(words, action)
    command = _parse(words)
    name = command.inputs[1] if len(command.inputs) == 2 else ""
    if action == "explain" and not name:
        raise Failed("explain what? A name, such as camera.view, goes behind the shader")
    blocks = _blocks(command)
    if blocks is None:
        return 1
    if action == "explain":
        _explain(blocks, name)
    else:
        _show(blocks, name, picture, command.options.layout)
    return 0


def _take_svg(words: list[str], action: str) -> str:
    for at, word in enumerate(words):
        if word == "--svg" or word.startswith("--svg="):
            if action != "show":
                raise Failed("--svg belongs to `layout show`")
            count = 2 if word == "--svg" else 1
            taken = words[at : at + count]
            del words[at : at + count]
            name = taken[-1].removeprefix("--svg=") if len(taken) == count else ""
            if not name:
                raise Failed("--svg wants a file")
            return name
    return ""


def _parse(words: list[str]) -> Command:
    command = command_of(words)
    if len(command.inputs) > 2:
        raise Failed(f"a shader and one name, not also `{command.inputs[2]}`")
    return command


def _blocks(command: Command) -> list[BlockLayout] | None:
    """Return the blocks of the shader; ``None`` after showing its errors."""
    from hlsl_tool.base.options.checks import modern_profile
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.base.system.dataclass import replace
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.project.build.ui.diagnostics import render_messages

    name = command.inputs[0]
    fs = CachedFileSystem(OSFileSystem(os.getcwd()))
    path = fs.resolve(name)
    data = read_input(name) if name == STANDARD_INPUT else fs.read(path)
    if data is None:
        raise Failed(f"cannot read `{name}`: {'it is a folder' if os.path.isdir(name) else 'there is no such file'}")
    options = replace(command.options, codegen_only=True, validate="no")
    profile = modern_profile(options.profile)
    source = SourceFile.from_bytes(name, path, data)
    result = compile_shader(source, entry=options.entry, profile=profile, options=options, fs=fs)
    if result.diagnostics:
        sys.stderr.write(render_messages(result.diagnostics, command.diagnostics, color=bool(command.color)))
    return result.interface.blocks if result.ok else None


def _show(blocks: list[BlockLayout], name: str, picture: str, layout: str) -> None:
    from hlsl_tool.apps.report.layout_svg import svg
    from hlsl_tool.apps.report.ruler import ruler
    from hlsl_tool.codegen.layout.lookup import LookupProblem, find_block

    try:
        shown = [find_block(blocks, name)] if name else blocks
    except LookupProblem as problem:
        raise Failed(str(problem)) from None
    if not shown:
        raise Failed("the shader has no blocks")
    if picture and len(shown) > 1:
        raise Failed(f"a picture is of one block: {', '.join(block.name for block in shown)}")
    if picture != STANDARD_OUTPUT:
        print("\n".join(ruler(block, layout) for block in shown), end="")
    if picture:
        write_output(picture, svg(shown[0], layout))


def _explain(blocks: list[BlockLayout], name: str) -> None:
    from hlsl_tool.apps.report.explanation import explanation
    from hlsl_tool.codegen.layout.lookup import LookupProblem, find_member

    try:
        print(explanation(find_member(blocks, name)), end="")
    except LookupProblem as problem:
        raise Failed(str(problem)) from None
