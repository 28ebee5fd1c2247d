"""`hlsl_tool generate ninja|make|cmake|meson|compile-commands`: write build files for other build systems."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.atomic_write import touch
from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_OUTPUT, require_file, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.project.exchange.call import Call

KINDS = {
    "ninja": ("shaders.ninja", "rules for ninja"),
    "make": ("shaders.mk", "rules for GNU make"),
    "cmake": ("shaders.cmake", "rules that `hlsl_shaders()` of the CMake package includes"),
    "meson": ("hlsl_shaders/meson.build", "a folder for `subdir()` in Meson"),
    "compile-commands": ("compile_commands.json", "the command line of each shader, for editors and other tools"),
}
"""Format → the default name of its file, and its description."""

MARKS = (b"Written by `hlsl_tool generate", b'"hlsl2spirv",')
"""Texts at the beginning of generated files: others are not overwritten."""

MARKED = 400
"""Bytes of a file that have one of `MARKS`."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser("generate", help="write rules for another build system")
    kinds = parser.add_subparsers(metavar="KIND", required=True)
    for kind, (file, doc) in KINDS.items():
        one = kinds.add_parser(kind, help=f"{doc} ({file})", description=f"Write {doc}.")
        common.add_project(one)
        one.add_argument("-o", "--output", default=file, metavar="FILE", help=f"the file to write ({file})")
        one.set_defaults(function=run, kind=kind)


def run(options: argparse.Namespace) -> int:
    """Write the build files; return the exit status."""
    from hlsl_tool.base.system.atomic_write import WriteError
    from hlsl_tool.project.config.trust import outside_is_allowed
    from hlsl_tool.project.exchange.call import Call
    from hlsl_tool.project.exchange.rules import Unwritable

    if options.kind != "compile-commands":  # the others are read again, by the rule that makes them
        require_file("-o", options.output)
    further = (*common.parameters_of(options).arguments(), *(("--allow-outside",) if outside_is_allowed() else ()))
    root, configs = common.find_root(options.root), tuple(common.configs(options))
    is_absolute = options.kind == "cmake" and options.output
    file = absolute(options.output) if is_absolute else options.output
    call = Call(options.kind, file.replace(os.sep, "/"), root, configs, further)
    try:
        if options.output != STANDARD_OUTPUT:
            _check_own(call.file)
        WRITERS[options.kind](options, call)
    except Unwritable as problem:
        raise common.Failed(str(problem)) from None
    except WriteError as error:
        raise common.Failed(str(error)) from None
    return 0


def _check_own(file: str) -> None:
    """Raise `Failed` if the file exists and hlsl_tool did not generate it."""
    from hlsl_tool.base.system.atomic_write import read_bytes

    if not file:
        raise common.Failed("-o names no file")
    if os.path.exists(file) and not os.path.isfile(file):
        raise common.Failed(f"`{file}` is no regular file")
    data = read_bytes(file)
    if data is not None and not any(mark in data[:MARKED] for mark in MARKS):
        raise common.Failed(f"`{file}` was not written by `hlsl_tool generate`: choose another name with -o")


def _ninja(options: argparse.Namespace, call: Call) -> None:
    from hlsl_tool.project.build.outputs.make_rule import ninja_reads
    from hlsl_tool.project.exchange.files import write_rules
    from hlsl_tool.project.exchange.rules import rules_of
    from hlsl_tool.project.exchange.step import depfile
    from hlsl_tool.project.exchange.writers.ninja import ninja

    rules, files = rules_of(common.load_plan(options), call)
    inputs = depfile(call.file, filter(ninja_reads, rules.inputs))
    write_rules(rules, files, {rules.depfile: inputs, call.file: ninja(rules).encode()})


def _make(options: argparse.Namespace, call: Call) -> None:
    from hlsl_tool.project.exchange.files import write_rules
    from hlsl_tool.project.exchange.rules import rules_of
    from hlsl_tool.project.exchange.step import MAKE, depfile
    from hlsl_tool.project.exchange.writers.make import make

    rules, files = rules_of(common.load_plan(options), call, MAKE)
    text = make(rules).encode()
    inputs = depfile(call.file, rules.inputs, removable=rules.inputs)
    write_rules(rules, files, {rules.depfile: inputs, call.file: text})
    touch(call.file)  # make compares times: a file of rules that stays older would be written each time


def _cmake(options: argparse.Namespace, call: Call) -> None:
    from hlsl_tool.project.exchange.files import write_rules
    from hlsl_tool.project.exchange.rules import rules_of
    from hlsl_tool.project.exchange.step import STAMPS
    from hlsl_tool.project.exchange.writers.cmake import cmake

    rules, files = rules_of(common.load_plan(options), call, STAMPS)
    write_rules(rules, files, {call.file: cmake(rules).encode()})


def _meson(options: argparse.Namespace, call: Call) -> None:
    from hlsl_tool.project.exchange.files import write_files
    from hlsl_tool.project.exchange.writers.meson import meson

    plan = common.load_plan(options)
    folder = os.path.dirname(absolute(call.file))
    root = relative(call.root, folder)
    words = [word for name in call.configs for word in ("--config", name)] + list(call.options)
    text = meson(folder=os.path.basename(folder), root=root, output_dir=plan.output_dir, words=words)
    write_files({call.file: text.encode()})


def _compile_commands(options: argparse.Namespace, call: Call) -> None:
    from hlsl_tool.project.exchange.files import write_files
    from hlsl_tool.project.exchange.writers.compile_commands import compile_commands

    data = compile_commands(common.load_plan(options).jobs, call.root).encode()
    if options.output == STANDARD_OUTPUT:
        write_output(options.output, data)
    else:
        write_files({call.file: data})


WRITERS = {
    "ninja": _ninja,
    "make": _make,
    "cmake": _cmake,
    "meson": _meson,
    "compile-commands": _compile_commands,
}
