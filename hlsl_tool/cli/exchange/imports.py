"""`hlsl_tool import KIND FILE`: convert the list of another tool to a configuration."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.paths import absolute
from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_OUTPUT, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.project.exchange.imports.shaders import Importer, Shader


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser("import", help="make a configuration of another tool's list")
    kinds = parser.add_subparsers(metavar="KIND", required=True)
    for kind, doc in (
        ("shadermake", "the list of ShaderMake, with the options of its command line"),
        ("dxc-commands", "a text with a command of DXC on each line: a script, or the log of a build"),
        ("compile-commands", "a compile_commands.json"),
        ("visual-studio", "the FxCompile items of a .vcxproj"),
        ("cmake", "the VS_SHADER_TYPE properties and the commands of DXC in a CMakeLists.txt"),
    ):
        one = kinds.add_parser(kind, help=doc, description=f"Read {doc}.")
        one.add_argument("file", help="the list")
        one.add_argument(
            "-o", "--output", metavar="FILE", help="the configuration to write (-, the default: the standard output)"
        )
        one.add_argument("--root", help="the project's root, which paths of the configuration count from")
        if kind == "shadermake":
            _add_switches(one)
        elif kind in OF_A_FOLDER:
            one.set_defaults(folder=None)
            if kind == "cmake":
                one.add_argument(
                    "-D", "--define", action="append", default=[], metavar="NAME=VALUE", help="a variable of CMake"
                )
        else:
            one.add_argument("--folder", default=".", help="the folder in which the commands run (.)")
        common.add_form(one)
        one.set_defaults(function=run, kind=kind)


def _add_switches(parser: argparse.ArgumentParser) -> None:
    """Add the options of ShaderMake that affect what is compiled; its other options are accepted and ignored."""
    parser.add_argument("--out", default="", metavar="FOLDER", help="the folder of outputs")
    parser.add_argument("--sourceDir", metavar="FOLDER", help="the folder of sources, from that of the list")
    parser.add_argument("--outputExt", default=".spirv", metavar="SUFFIX")
    parser.add_argument("-m", "--shaderModel", default="6_5", metavar="X_Y")
    parser.add_argument("-O", "--optimization", type=int, default=3, metavar="LEVEL")
    parser.add_argument("-D", "--define", action="append", default=[], metavar="MACRO")
    parser.add_argument("-I", "--include", action="append", default=[], metavar="FOLDER")
    parser.add_argument("-X", "--compilerOptions", action="append", default=[], metavar="OPTIONS")
    parser.add_argument("--vulkanVersion", default="1.3", metavar="VERSION")
    parser.add_argument("--vulkanMemoryLayout", choices=("dx", "gl", "scalar"))
    parser.add_argument("--spirvExt", action="append", default=[], metavar="EXTENSION")
    for letter, shift in (("s", 100), ("t", 200), ("b", 300), ("u", 400)):
        parser.add_argument(f"--{letter}RegShift", type=int, default=shift, metavar="N")
    for flag in ("noRegShifts", "WX", "allResourcesBound", "matrixRowMajor", "hlsl2021", "embedPDB", "PDB"):
        parser.add_argument(f"--{flag}", action="store_true")
    for flag in ("flatten", "ignoreConfigDir", "binary", "header", "binaryBlob", "headerBlob"):
        parser.add_argument(f"--{flag}", action="store_true")
    for flag in ("stripReflection", "force", "serial", "continue", "colorize", "verbose"):
        parser.add_argument(f"--{flag}", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compactProgress", action="store_true", help=argparse.SUPPRESS)
    for option in ("platform", "compiler", "project", "relaxedInclude", "retryCount"):
        parser.add_argument(f"--{option}", help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Write the configuration; return the exit status."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.diagnostics.catalogue import build as codes
    from hlsl_tool.base.diagnostics.diagnostic import Location
    from hlsl_tool.base.system.file_names import DEFAULT_OUTPUT_DIR
    from hlsl_tool.project.config.yaml.text import document
    from hlsl_tool.project.exchange.imports.folding import fold
    from hlsl_tool.project.exchange.imports.naming import Folders
    from hlsl_tool.project.exchange.imports.shaders import Importer, common_folder

    sink = Sink(error_limit=0)
    root = common.find_root(options.root) if options.root is not None else os.getcwd()
    text = _text(options.file, sink)
    if text is not None:
        folder = os.path.dirname(options.file) if options.kind in OF_A_FOLDER else getattr(options, "folder", ".")
        importer = Importer(root, absolute(folder), sink)
        shaders = READERS[options.kind](options, text, importer)
        if not shaders and not sink.error_count:
            sink.error(codes.LIST_EMPTY, Location(options.file))
    content = {}
    if not sink.error_count:
        outputs = [path for shader in shaders for path in shader.files.values()]
        output_dir = common_folder(outputs) if outputs else DEFAULT_OUTPUT_DIR
        folders = Folders(common_folder([shader.source for shader in shaders]), output_dir)
        content = fold(shaders, folders, sink, shares_names=options.kind == "shadermake")
    sink.diagnostics.sort(key=lambda diagnostic: diagnostic.location.line if diagnostic.location else 0)
    common.show(sink.diagnostics, options)
    if sink.error_count:
        return 2
    _write(options, document(content), len(shaders))
    return 0


def _text(file: str, sink: Sink) -> str | None:
    """Read a list of commands; report an error and return `None` if that fails."""
    from hlsl_tool.base.diagnostics.catalogue import build as codes
    from hlsl_tool.base.diagnostics.diagnostic import Location
    from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular

    try:
        data = sys.stdin.buffer.read() if file == "-" else read_regular(file, MAX_SIZE)
        return data.decode("utf-8-sig")
    except OSError as error:
        sink.error(codes.LIST_UNREADABLE, Location(file), name=file, reason=error.strerror or str(error))
    except UnicodeDecodeError as error:
        sink.error(codes.LIST_UNREADABLE, Location(file), name=file, reason=f"byte {error.start} is not UTF-8")
    return None


def _write(options: argparse.Namespace, text: str, count: int) -> None:
    from hlsl_tool.base.diagnostics.visible import visible

    shaders = f"{count} {'shader' if count == 1 else 'shaders'}"
    text = f"# {shaders} of {visible(options.file)}, by `hlsl_tool import {options.kind}`.\n{text}"
    if options.output not in (None, STANDARD_OUTPUT) and os.path.exists(options.output):
        raise common.Failed(f"`{options.output}` exists: choose another name with -o")
    write_output(options.output, text)


def _shadermake(options: argparse.Namespace, text: str, importer: Importer) -> list[Shader]:
    from hlsl_tool.project.exchange.imports.shadermake import FORMS, Switches, shadermake

    base = importer.folder if options.ignoreConfigDir else os.path.dirname(absolute(options.file))
    flags = [f"-fspv-target-env=vulkan{options.vulkanVersion}"]
    if options.vulkanMemoryLayout:
        flags.append(f"-fvk-use-{options.vulkanMemoryLayout}-layout")
    flags += [f"-fspv-extension={name}" for name in options.spirvExt]
    if not options.noRegShifts:
        for letter in "stbu":
            flags += [f"-fvk-{letter}-shift", str(getattr(options, f"{letter}RegShift")), "all"]
    for name, words in FLAGS.items():
        flags += words if getattr(options, name) else []
    switches = Switches(
        out=options.out.replace("\\", "/"),
        extension=options.outputExt,
        model=options.shaderModel,
        optimization=options.optimization,
        defines=options.define,
        includes=[os.path.join(base, folder) for folder in options.include],
        flags=[*flags, *(word for text in options.compilerOptions for word in text.split())],
        forms=tuple(form for form in FORMS if getattr(options, form)),
        flatten=options.flatten,
    )
    return shadermake(text, options.file, importer, switches, os.path.join(base, options.sourceDir or ""))


FLAGS = {
    "WX": ["-WX"],
    "allResourcesBound": ["-all-resources-bound"],
    "matrixRowMajor": ["-Zpr"],
    "hlsl2021": ["-HV", "2021"],
    "embedPDB": ["-Zi"],
    "PDB": ["-Zi"],
}
"""Option of ShaderMake without a value → options of DXC."""


def _dxc_commands(options: argparse.Namespace, text: str, importer: Importer) -> list[Shader]:
    from hlsl_tool.project.exchange.imports.commands import dxc_commands

    return dxc_commands(text, options.file, importer)


def _compile_commands(options: argparse.Namespace, text: str, importer: Importer) -> list[Shader]:
    from hlsl_tool.project.exchange.imports.commands import compile_commands

    return compile_commands(text, options.file, importer)


def _visual_studio(options: argparse.Namespace, text: str, importer: Importer) -> list[Shader]:
    from hlsl_tool.project.exchange.imports.visual_studio import visual_studio

    return visual_studio(text, options.file, importer)


def _cmake(options: argparse.Namespace, text: str, importer: Importer) -> list[Shader]:
    from hlsl_tool.project.exchange.imports.cmake import cmake

    variables = dict(define.partition("=")[::2] for define in options.define)
    if "" in variables:
        raise common.Failed(f"`-D ={variables['']}` has no name")
    return cmake(text, options.file, importer, variables)


READERS = {
    "shadermake": _shadermake,
    "dxc-commands": _dxc_commands,
    "compile-commands": _compile_commands,
    "visual-studio": _visual_studio,
    "cmake": _cmake,
}

OF_A_FOLDER = ("visual-studio", "cmake")
"""Kinds whose paths count from the folder of the list."""
