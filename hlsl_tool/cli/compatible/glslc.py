"""`hlsl_tool glslc`: compile HLSL with the command line of shaderc's glslc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.system.streams import STDIN
from hlsl_tool.cli.compatible import actions
from hlsl_tool.cli.compatible.command import LEGALISED
from hlsl_tool.cli.compatible.compiling import Console, compile_input, run_verb
from hlsl_tool.cli.compatible.option_rows import (
    BASE,
    EITHER,
    FLAG,
    JOINED,
    PROFILES,
    REGISTERS,
    SEPARATE,
    Input,
    Option,
    Request,
    UsageError,
)
from hlsl_tool.cli.compatible.reading import read
from hlsl_tool.cli.compatible.usage import information

_GLSL = "it concerns GLSL only"
_ALWAYS = "HLSL is always compiled so"

TABLE: tuple[Option, ...] = (
    # ---- sources
    Option(("-x",), EITHER, actions.language, doc="the language of the sources that follow: `hlsl`"),
    Option(("-fshader-stage=",), JOINED, actions.stage, doc="the stage of the sources that follow"),
    Option(("-fentry-point=",), JOINED, actions.set_member, name="entry",
           doc="the entry point of the sources that follow"),
    Option(("-D",), EITHER, actions.define, doc="define a macro"),
    Option(("-I",), EITHER, actions.include, doc="search a folder for includes"),
    Option(("-std=",), JOINED, actions.accept, doc="the version of GLSL; without effect on HLSL, as in glslc"),
    # ---- bindings and layout
    Option(("-fauto-bind-uniforms",), FLAG, actions.set_field, True, "auto_bindings",
           "free bindings for resources without a register"),
    Option(("-fauto-map-locations",), FLAG, actions.accept, doc="inputs and outputs of HLSL always have locations"),
    Option(("-fhlsl-iomap",), FLAG, actions.set_member, True, "is_iomap", "one shift for each kind of register"),
    Option(("-fubo-binding-base", "-fcbuffer-binding-base"), BASE, actions.shift, "ubo", doc="shift constant buffers"),
    Option(("-ftexture-binding-base",), BASE, actions.shift, "texture", doc="shift textures"),
    Option(("-fsampler-binding-base",), BASE, actions.shift, "sampler", doc="shift samplers"),
    Option(("-fimage-binding-base",), BASE, actions.shift, "image", doc="shift storage images, without `-fhlsl-iomap`"),
    Option(("-fssbo-binding-base",), BASE, actions.shift, "ssbo", doc="shift storage buffers, without `-fhlsl-iomap`"),
    Option(("-fuav-binding-base",), BASE, actions.shift, "uav", doc="shift `u` registers, with `-fhlsl-iomap`"),
    Option(("-fresource-set-binding",), REGISTERS, actions.place_registers,
           doc="sets and bindings of single registers"),
    Option(("-fhlsl-offsets", "-fhlsl-offset"), FLAG, actions.accept, doc=_ALWAYS),
    Option(("-fhlsl-16bit-types",), FLAG, actions.set_field, True, "enable_16bit_types", "types of 16 bits"),
    Option(("-fhlsl-functionality1", "-fhlsl_functionality1"), FLAG, actions.set_field, True, "reflect_decorations",
           "semantics and counters in the module"),
    Option(("-finvert-y",), FLAG, actions.set_field, True, "invert_y", "negate the position's y"),
    Option(("-fnan-clamp",), FLAG, actions.accept,
           doc="`min`, `max` and `clamp` always favour the operand that is no NaN"),
    # ---- target
    Option(("--target-env=",), JOINED, actions.target, doc="`vulkan1.0` (the default) to `vulkan1.4`"),
    Option(("--target-spv=",), JOINED, actions.target, doc="the version of SPIR-V, as far as the target has it"),
    Option(("-O",), FLAG, actions.set_field, "performance", "optimize", "optimise; the default here"),
    Option(("-Os",), FLAG, actions.set_field, "size", "optimize", "optimise the size"),
    Option(("-O0",), FLAG, actions.set_field, LEGALISED, "optimize", "legalise only; the default of glslc"),
    Option(("-g",), FLAG, actions.set_field, ("file", "source", "line"), "debug", "sources and lines in the module"),
    # ---- outputs
    Option(("-o",), EITHER, actions.set_member, name="output", doc="the output; `-` is the standard output"),
    Option(("-c",), FLAG, actions.set_member, True, "separate", "an output for each source"),
    Option(("-S",), FLAG, actions.set_member, "listing", "result", "write the disassembly"),
    Option(("-E",), FLAG, actions.set_member, "preprocessed", "result", "preprocess only"),
    Option(("-mfmt=",), JOINED, actions.form, doc="`bin`, `num` (numbers) or `c` (an initialiser)"),
    Option(("-M", "-MM"), FLAG, actions.set_member, "dependencies", "result", "write dependencies alone"),
    Option(("-MD",), FLAG, actions.set_member, True, "writes_dependencies", "write dependencies beside the output"),
    Option(("-MF",), EITHER, actions.set_member, name="dependencies_file", doc="the file for dependencies"),
    Option(("-MT",), EITHER, actions.set_member, name="dependency_target", doc="the target of their rule"),
    # ---- messages
    Option(("-w",), FLAG, actions.set_field, True, "no_warnings", "no warnings"),
    Option(("-Werror",), FLAG, actions.set_field, True, "warnings_as_errors", "warnings are errors"),
    Option(("-h", "--help"), FLAG, actions.set_member, "help", "result", "show this list"),
    Option(("--version",), FLAG, actions.set_member, "version", "result", "show the version"),
    # ---- refused
    Option(("-fauto-combined-image-sampler",), FLAG, actions.refuse,
           doc="use [[vk::combinedImageSampler]] on the texture and its sampler"),
    Option(("-flimit=",), JOINED, actions.accept, doc="limits concern GLSL only"),
    Option(("-flimit-file",), SEPARATE, actions.accept, doc="limits concern GLSL only"),
    Option(("--show-limits",), FLAG, actions.refuse, doc=_GLSL),
    Option(("-fpreserve-bindings",), FLAG, actions.set_field, True, "preserve_bindings",
           "keep bindings that are not used"),
    Option(("-fmax-id-bound=",), JOINED, actions.refuse, doc="use hlsl2spirv -fspv-max-id"),
)  # fmt: skip
"""The options of glslc 2023 to 2026."""

_EXAMPLE = "hlsl_tool glslc -fshader-stage=frag -fentry-point=PSMain x.hlsl -o x.spv"


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    verbs.add_parser("glslc", help="compile HLSL with the options of glslc", add_help=False)


def run(arguments: list[str]) -> int:
    """Run a command line of glslc (without the program's name) and return the exit status."""
    return run_verb(main, arguments)


def main(arguments: Sequence[str], console: Console) -> None:
    """Compile the sources of a command line; raise `UsageError` if it is wrong."""
    request = Request()
    read(arguments, TABLE, request, _add_input)
    if request.result in ("help", "version"):
        console.out.append(information(request.result, "glslc", "glslc", _EXAMPLE, TABLE))
        return
    _check(request)
    for item in request.inputs:
        if not item.is_hlsl:
            raise UsageError(f"'{item.path}' is GLSL; this compiler reads HLSL (-x hlsl in front of it)")
        item.stage = item.stage or _stage_of(item.path)
        output = request.output or _default_output(request, item)
        named = request.output if request.output != STDIN else ""
        compile_input(request, item, output, console, named or _separate_output(item, ".spv"))


def _add_input(request: Request, path: str) -> None:
    is_hlsl = request.is_hlsl or path.endswith(".hlsl")
    request.inputs.append(Input(path, request.stage, request.entry, is_hlsl))


def _check(request: Request) -> None:
    if not request.inputs:
        raise UsageError("no input files")
    if request.form != "binary" and request.result != "module":
        raise UsageError("'-mfmt=' goes with modules only, not with -E, -M or -S")
    several = len(request.inputs) > 1
    if several and request.output:
        raise UsageError("cannot specify -o when generating multiple output files")
    if several and request.result == "module" and not request.separate:
        raise UsageError("linking multiple files is not supported; use -c to compile them one by one")
    if request.result == "dependencies":
        if request.writes_dependencies:
            raise UsageError("-M and -MD exclude each other")
        request.writes_dependencies = True
        if request.output and not request.dependencies_file:
            request.dependencies_file, request.output = request.output, ""
    elif (request.dependencies_file or request.dependency_target) and not request.writes_dependencies:
        raise UsageError("-MF and -MT need -M or -MD")


def _stage_of(path: str) -> str:
    suffix = os.path.splitext(path)[1].removeprefix(".")
    if suffix not in PROFILES:
        raise UsageError(f"'{path}': the stage is missing (-fshader-stage=frag in front of the file)")
    return suffix


def _default_output(request: Request, item: Input) -> str:
    """Return the name that glslc gives to the output: `a.spv`, or the source's name with another suffix."""
    if request.result == "preprocessed":
        return STDIN
    if request.result == "module" and not request.separate:
        return "a.spv"
    return _separate_output(item, ".spvasm" if request.result == "listing" else ".spv")


def _separate_output(item: Input, suffix: str) -> str:
    name = os.path.basename(item.path)
    stem, old = os.path.splitext(name)
    return (stem if old == ".hlsl" else name) + suffix
