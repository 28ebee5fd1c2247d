"""`hlsl_tool reflect FILE`: print the resources and the interface of a SPIR-V module from any compiler."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import check_apart, read_input, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.reflection.reflection import Reflection

FORMS = ("json", "cpp", "rust", "csharp", "text")
PIPELINES = ("vulkan", "vulkan-cpp")
"""Forms of the tables of a pipeline, whose stages may be in several files."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "reflect",
        help="resources, block layouts and stage variables of a SPIR-V module",
        description="Prints everything that a host has to provide for a SPIR-V module of any compiler.  FILE may also"
        " be the JSON that a build writes beside a module, which has facts of the source, too.",
    )
    parser.add_argument("file", metavar="FILE", help="a module, or the JSON of one; - is the standard input")
    parser.add_argument("more", metavar="STAGE", nargs="*", help="further stages of a pipeline, for its tables")
    parser.add_argument(
        "--format",
        choices=(*FORMS, *PIPELINES),
        default="json",
        help="JSON (the default), host structs, tables to read, or what Vulkan's create infos of a pipeline or of"
        " shader objects need, as JSON and as C++",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the file to write (-, the default: the standard output)"
    )
    parser.add_argument(
        "--namespace",
        metavar="NAME",
        help="the namespace of host structs (default: from the file's name)",
    )
    parser.add_argument(
        "--entry",
        metavar="NAME",
        action="append",
        default=[],
        help="an entry point of the pipeline, where modules have more of them; may be repeated",
    )
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Write the reflection of a module, or the tables of a pipeline, in a format; return the exit status."""
    from hlsl_tool.reflection.check import ReflectError
    from hlsl_tool.reflection.emit_json import to_json
    from hlsl_tool.reflection.emit_text import reflection_text
    from hlsl_tool.reflection.extract import reflect
    from hlsl_tool.reflection.load_json import from_json
    from hlsl_tool.spirv.decode import DecodeError, decode

    if options.more and options.format not in PIPELINES:
        raise common.Failed(f"the format `{options.format}` is for one file")
    if options.entry and options.format not in PIPELINES:
        raise common.Failed(f"--entry is for the tables of a pipeline, not for the format `{options.format}`")
    check_apart(("-o", options.output), inputs=[options.file, *options.more])
    reflections = []
    for name in (options.file, *options.more):
        data = read_input(name)
        try:
            reflections.append(from_json(data) if data[:1] == b"{" else reflect(decode(data)))
        except (DecodeError, ReflectError) as error:
            raise common.Failed(f"`{name}` cannot be reflected: {error}") from None
    reflection = reflections[0]
    try:
        if options.format in PIPELINES:
            text = _tables(reflections, options)
        elif options.format == "json":
            text = to_json(reflection)
        elif options.format == "text":
            text = reflection_text(reflection)
        else:
            text = _structs(reflection, options.format, options.namespace or _namespace(options.file))
    except ReflectError as error:
        raise common.Failed(f"`{options.file}` cannot be reflected: {error}") from None
    write_output(options.output, text)
    return 0


def _tables(reflections: list[Reflection], options: argparse.Namespace) -> str:
    """Return the values for Vulkan's create infos of the pipeline with these stages, as JSON or C++.

    Raise `Failed` if the stages do not form a pipeline.
    """
    from hlsl_tool.reflection.pipeline import PipelineError, pipeline_cpp, pipeline_of, tables_json

    try:
        names = [_module_name(name) for name in (options.file, *options.more)]
        tables = pipeline_of(reflections, names, options.entry)
    except PipelineError as error:
        raise common.Failed(str(error)) from None
    if options.format == "vulkan":
        return tables_json(tables)
    return pipeline_cpp(tables, namespace=options.namespace or _namespace(options.file))


def _structs(reflection: Reflection, language: str, namespace: str) -> str:
    """Return the host-side structs of one module, as source text."""
    from hlsl_tool.reflection.cpp import Shader, cpp_header
    from hlsl_tool.reflection.structs import csharp_structs, rust_structs

    shaders = [Shader(namespace, namespace, reflection)]
    if language == "rust":
        return rust_structs(shaders)
    if language == "csharp":
        return csharp_structs(shaders, namespace=namespace)
    return cpp_header(reflection, namespace=namespace)


def _namespace(name: str) -> str:
    """Return a namespace for the module in a file: `lit_PSMain` for `out/lit.PSMain.spv`."""
    from hlsl_tool.project.build.outputs.render import variable_name

    return variable_name(_module_name(name)) if name != "-" else "shader"


def _module_name(name: str) -> str:
    """Return a name for the module in a file: `lit.PSMain` for `out/lit.PSMain.spv`."""
    return os.path.basename(name).removesuffix(".spv").removesuffix(".json")
