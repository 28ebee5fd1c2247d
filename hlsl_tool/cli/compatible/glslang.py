"""`hlsl_tool glslang`: compile HLSL with the command line of glslang (glslangValidator)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.system.streams import STDIN
from hlsl_tool.cli.compatible import actions
from hlsl_tool.cli.compatible.compiling import Console, compile_input, run_verb
from hlsl_tool.cli.compatible.option_rows import (
    BASES,
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
_OPENGL = "this compiler makes SPIR-V for Vulkan only"
_REFLECTION = "use hlsl_tool reflect"

TABLE: tuple[Option, ...] = (
    # ---- sources
    Option(("-D",), FLAG, actions.set_member, True, "is_hlsl",
           "the sources are HLSL; so are those that end in `.hlsl`"),
    Option(("-D",), JOINED, actions.define, doc="define a macro"),
    Option(("--define-macro", "--D"), SEPARATE, actions.define, doc="the same"),
    Option(("-U",), JOINED, actions.undefine, doc="take a macro away"),
    Option(("--undef-macro", "--U"), SEPARATE, actions.undefine, doc="the same"),
    Option(("-I",), JOINED, actions.include, doc="search a folder for includes"),
    Option(("-S",), SEPARATE, actions.stage, doc="the stage, if the file's name does not end in one"),
    Option(("-e", "--entry-point"), SEPARATE, actions.set_member, name="entry",
           doc="the entry point; `main` without it"),
    Option(("--source-entrypoint", "--sep"), SEPARATE, actions.set_member, name="source_entry",
           doc="its name in the source, if `-e` gives it another in the module"),
    Option(("--stdin",), FLAG, actions.set_member, True, "reads_stdin", "read the source from the standard input"),
    # ---- target
    Option(("-V",), FLAG, actions.generate, doc="make SPIR-V for Vulkan"),
    Option(("-V",), JOINED, actions.generate, doc="the same, with the version of GLSL's semantics"),
    Option(("--client",), SEPARATE, actions.target, doc="`vulkan100`: the same as `-V`"),
    Option(("--target-env",), SEPARATE, actions.target,
           doc="`vulkan1.0` (the default) to `vulkan1.4`, or a version of SPIR-V"),
    Option(("-Os",), FLAG, actions.set_field, "size", "optimize", "optimise the size"),
    Option(("-Od",), FLAG, actions.set_field, "none", "optimize", "legalise only"),
    Option(("-g",), FLAG, actions.set_field, ("file", "source", "line"), "debug", "sources and lines in the module"),
    Option(("-gV",), FLAG, actions.set_field, ("vulkan",), "debug", "NonSemantic.Shader.DebugInfo"),
    Option(("-gVS",), FLAG, actions.set_field, ("vulkan-with-source",), "debug", "the same, with the sources"),
    Option(("-g0",), FLAG, actions.set_field, (), "debug", "no debug information; the default"),
    Option(("-fhlsl_functionality1",), FLAG, actions.set_field, True, "reflect_decorations",
           "semantics and counters in the module"),
    # ---- bindings and layout
    Option(("--auto-map-bindings", "--auto-map-binding", "--amb"), FLAG, actions.set_field, True, "auto_bindings",
           "free bindings for resources without a register"),
    Option(("--auto-map-locations", "--aml"), FLAG, actions.accept,
           doc="inputs and outputs of HLSL always have locations"),
    Option(("--hlsl-iomap", "--hlsl-iomapper", "--hlsl-iomapping"),
           FLAG, actions.set_member, True, "is_iomap", "one shift for each kind of register"),
    Option(("--shift-UBO-binding", "--shift-UBO-bindings", "--sub",
            "--shift-cbuffer-binding", "--shift-cbuffer-bindings", "--scb"),
           BASES, actions.shift, "ubo", doc="shift constant buffers"),
    Option(("--shift-texture-binding", "--shift-texture-bindings", "--stb"),
           BASES, actions.shift, "texture", doc="shift textures"),
    Option(("--shift-sampler-binding", "--shift-sampler-bindings", "--ssb"),
           BASES, actions.shift, "sampler", doc="shift samplers"),
    Option(("--shift-image-binding", "--shift-image-bindings", "--sib"), BASES, actions.shift, "image",
           doc="shift storage images, without `--hlsl-iomap`"),
    Option(("--shift-ssbo-binding", "--shift-ssbo-bindings", "--sbb"), BASES, actions.shift, "ssbo",
           doc="shift storage buffers, without `--hlsl-iomap`"),
    Option(("--shift-uav-binding", "--shift-uav-bindings", "--suavb"), BASES, actions.shift, "uav",
           doc="shift `u` registers, with `--hlsl-iomap`"),
    Option(("--resource-set-binding", "--resource-set-bindings", "--rsb"), REGISTERS, actions.place_registers,
           doc="the set of all resources, or sets and bindings of single registers"),
    Option(("--flatten-uniform-arrays", "--flatten-uniform-array", "--fua"),
           FLAG, actions.set_field, True, "flatten_resource_arrays",
           "a binding for each element of an array"),
    Option(("--hlsl-offsets",), FLAG, actions.accept, doc="HLSL is always compiled so"),
    Option(("--hlsl-enable-16bit-types",), FLAG, actions.set_field, True, "enable_16bit_types", "types of 16 bits"),
    Option(("--hlsl-dx-position-w",), FLAG, actions.set_field, True, "use_dx_position_w",
           "the position's w as in DirectX"),
    Option(("--invert-y", "--iy"), FLAG, actions.set_field, True, "invert_y", "negate the position's y"),
    Option(("--nan-clamp",), FLAG, actions.accept,
           doc="`min`, `max` and `clamp` always favour the operand that is no NaN"),
    Option(("--no-storage-format", "--nsf"), FLAG, actions.set_field, True, "unknown_image_format",
           "storage images have the format Unknown"),
    # ---- outputs
    Option(("-o",), SEPARATE, actions.set_member, name="output",
           doc="the output; without it the stage's name with `.spv`"),
    Option(("-l",), FLAG, actions.accept, doc="sources of several stages make a module for each stage"),
    Option(("-H",), FLAG, actions.generate, True, "prints_listing", "print the disassembly, too; implies `-V`"),
    Option(("--spirv-dis",), FLAG, actions.set_member, True, "prints_listing", "print the disassembly, too"),
    Option(("-E",), FLAG, actions.set_member, "preprocessed", "result", "preprocess only, onto the standard output"),
    Option(("-x",), FLAG, actions.set_member, "hexadecimal", "form", "write hexadecimal numbers"),
    Option(("--variable-name", "--vn"), SEPARATE, actions.set_member, name="variable",
           doc="write a C header with an array of this name"),
    Option(("--depfile",), SEPARATE, actions.set_member, name="dependencies_file", doc="write dependencies, too"),
    # ---- messages
    Option(("-w", "--suppress-warnings"), FLAG, actions.set_field, True, "no_warnings", "no warnings"),
    Option(("-s",), FLAG, actions.set_member, True, "is_silent", "no messages"),
    Option(("--quiet",), FLAG, actions.accept, doc="names of files are never printed"),
    Option(("--spirv-val",), FLAG, actions.accept, doc="modules are always validated"),
    Option(("--enhanced-msgs", "-t", "-m", "-C", "--keep-uncalled", "--ku", "-d", "-r",
            "--relaxed-errors", "--relax-set-binding-limits", "--error-column", "--absolute-path"),
           FLAG, actions.accept,
           doc="without effect on HLSL"),
    Option(("-h", "--help"), FLAG, actions.set_member, "help", "result", "show this list"),
    Option(("-v", "--version"), FLAG, actions.set_member, "version", "result", "show the version"),
    # ---- refused
    Option(("--hlsl-dx9-compatible",), FLAG, actions.refuse,
           doc="declare a Texture2D and a SamplerState in place of a sampler of DirectX 9"),
    Option(("-G",), FLAG, actions.refuse, doc=_OPENGL),
    Option(("-G",), JOINED, actions.refuse, doc=_OPENGL),
    Option(("-R",), FLAG, actions.refuse, doc=_GLSL),
    Option(("--auto-sampled-textures",), FLAG, actions.refuse,
           doc="use [[vk::combinedImageSampler]] on the texture and its sampler"),
    Option(("-i", "--dump-builtin-symbols"), FLAG, actions.refuse,
           doc="the syntax tree of this compiler is not glslang's"),
    Option(("-q",), FLAG, actions.refuse, doc=_REFLECTION),
    Option(("--reflect-",), JOINED, actions.refuse, doc=_REFLECTION),
    Option(("-c",), FLAG, actions.refuse, doc="limits of resources concern GLSL only"),
    Option(("-u",), JOINED, actions.refuse, doc=_OPENGL),
    Option(("--uniform-base", "--glsl-version"), SEPARATE, actions.refuse, doc=_GLSL),
    Option(("--set-block-backing", "--sbs", "--set-atomic-counter-block", "--sacb",
            "--set-default-uniform-block", "--sdub"), FLAG, actions.refuse,
           doc=_GLSL),
)  # fmt: skip
"""The options of glslang 11 to 16."""

_EXAMPLE = "hlsl_tool glslang -D -V -S frag -e PSMain x.hlsl -o x.spv"


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    verbs.add_parser("glslang", help="compile HLSL with the options of glslang", add_help=False)


def run(arguments: list[str]) -> int:
    """Run a command line of glslang (without the program's name) and return the exit status."""
    return run_verb(main, arguments)


def main(arguments: Sequence[str], console: Console) -> None:
    """Compile the sources of a command line; raise `UsageError` if it is wrong."""
    request = Request(stage_wins=True)
    read(arguments, TABLE, request, _add_input)
    if request.result in ("help", "version"):
        console.out.append(information(request.result, "glslang", "glslang (glslangValidator)", _EXAMPLE, TABLE))
        return
    if request.reads_stdin:
        _add_input(request, STDIN)
    _settle(request)
    for item in request.inputs:
        output = STDIN if request.result == "preprocessed" else request.output or f"{item.stage}.spv"
        compile_input(request, item, output, console, output)


def _add_input(request: Request, path: str) -> None:
    request.inputs.append(Input(path, "", "", path.endswith(".hlsl")))


def _settle(request: Request) -> None:
    """Apply options such as the stage to all sources, wherever they occur, and check that the request is consistent."""
    if not request.inputs:
        raise UsageError("no input files")
    if not (request.is_hlsl or any(item.is_hlsl for item in request.inputs)):
        raise UsageError(f"'{request.inputs[0].path}' is GLSL; this compiler reads HLSL (-D)")
    if not request.generates and request.result == "module":
        raise UsageError("HLSL needs -V (SPIR-V), -H or -E")
    for item in request.inputs:
        item.entry, item.stage = request.entry, request.stage or _stage_of(item.path)
    stages = [item.stage for item in request.inputs]
    if len(set(stages)) < len(stages):
        raise UsageError("two sources of one stage are not linked; include one in the other")
    if len(stages) > 1 and (request.output or request.dependencies_file) and request.result == "module":
        raise UsageError("an output and a depfile take one source")
    request.writes_dependencies = bool(request.dependencies_file)
    if request.variable:
        request.form = "hexadecimal"
        if not request.variable.isidentifier():
            raise UsageError(f"'{request.variable}' is not the name of a C array")


def _stage_of(path: str) -> str:
    """Return the stage that a file name implies: `x.frag`, `x.frag.hlsl`; empty for none."""
    stem, suffix = os.path.splitext(path)
    if suffix in (".hlsl", ".glsl"):
        suffix = os.path.splitext(stem)[1]
    stage = suffix.removeprefix(".")
    if stage not in PROFILES:
        raise UsageError(f"'{path}': the stage is missing (-S frag)")
    return stage
