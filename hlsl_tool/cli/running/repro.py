"""`hlsl_tool repro`: make an archive with everything that a compilation reads."""

from __future__ import annotations

import argparse
import os
import posixpath
import shlex
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_INPUT, STANDARD_OUTPUT, check_apart, read_input, write_output
from hlsl_tool.cli.parsers import add_verb

if TYPE_CHECKING:
    from hlsl_tool.project.repro.bundle import Bundle

DESCRIPTION = """\
Compiles a shader and writes an archive with all that the compilation read: the source, its includes, options, macros,
and the versions of the tools.  `hlsl2spirv --repro FILE` runs it on any machine, with the same bytes and messages.

SHADER is a shader of the configuration (an entry, an output, or a permutation), or a source with the options of
`hlsl2spirv`: hlsl_tool repro x.hlsl -T ps_6_0 -E main
"""

EPILOGUE = """\
exit status: 0, also if the shader has errors; 2 if there is no such shader, or the archive cannot be written
"""

SUFFIX = ".repro.zip"


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser = add_verb(
        verbs,
        "repro",
        run,
        help="an archive that reproduces a compilation elsewhere, for reports of bugs",
        description=DESCRIPTION,
        epilog=EPILOGUE,
        usage="hlsl_tool repro SHADER [-o FILE]\n"
        "       hlsl_tool repro SOURCE -T PROFILE [options of hlsl2spirv] [-o FILE]",
        takes_rest=True,
    )
    common.add_project(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"the archive (-: the standard output; the default: the shader's name with {SUFFIX})",
    )


def run(options: argparse.Namespace) -> int:
    """Record a compilation and write its archive; return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack
    from hlsl_tool.project.repro.archive import pack

    words: list[str] = options.rest
    if not words:
        raise common.Failed("which shader? `hlsl_tool repro SHADER`, or a source with the options of hlsl2spirv")
    is_configured = len(words) == 1 and not words[0].startswith("-")
    bundle = with_deep_stack(lambda: _of_shader(words[0], options) if is_configured else _of_command(words))
    target = options.output or _default_name(bundle)
    check_apart(("-o", target), inputs=[path for path, content in bundle.recording.reads.items() if content])
    data = pack(bundle)
    write_output(target, data)
    if target != STANDARD_OUTPUT:
        files = "1 file" if len(bundle.contents) == 1 else f"{len(bundle.contents)} files"
        print(f"{target}: {files}, {len(data)} bytes; `hlsl2spirv --repro {shlex.quote(target)}` runs it")
    return 0


def _default_name(bundle: Bundle) -> str:
    """Return the name of an archive in the current folder, after the shader or source."""
    stem = bundle.job.name if bundle.job is not None else os.path.splitext(bundle.source)[0]
    return posixpath.basename(stem.replace(os.sep, "/")).strip("<>") + SUFFIX  # `<stdin>` is the standard input


def _of_shader(name: str, options: argparse.Namespace) -> Bundle:
    """Return the bundle of a shader of the configuration."""
    from hlsl_tool.project.build.plan import job_of
    from hlsl_tool.project.repro.record import record_job

    project = common.load_project(options)
    permutations = common.chosen(project, name)
    if len(permutations) > 1:
        names = ", ".join(f"`{permutation.name}`" for permutation in permutations[:3])
        more = ", …" if len(permutations) > 3 else ""
        raise common.Failed(f"an archive has one compilation; `{name}` stands for {len(permutations)}: {names}{more}")
    bundle = record_job(project.root, job_of(permutations[0], project.output_dir))
    if bundle is None:
        raise common.Failed(f"cannot read `{permutations[0].source}`")
    return bundle


def _of_command(words: list[str]) -> Bundle:
    """Return the bundle of a command line of hlsl2spirv; its outputs are not written."""
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular
    from hlsl_tool.base.system.streams import STREAM_NAME
    from hlsl_tool.project.repro.record import record_command

    def read(name: str) -> str | None:
        try:
            return read_regular(name, MAX_SIZE).decode("utf-8-sig")
        except (OSError, ValueError):
            return None

    command = common.command_of(words, read)
    if not command.options.profile:
        raise common.Failed("-T PROFILE is missing")
    fs = CachedFileSystem(OSFileSystem(os.getcwd()))
    is_stream = command.source == STANDARD_INPUT
    name = STREAM_NAME if is_stream else command.source
    path = fs.resolve(name)
    data = read_input(command.source) if is_stream else fs.read(path)
    if data is None:
        raise common.Failed(f"cannot read `{name}`: {fs.why_unreadable(path) or 'there is no such file'}")
    source = SourceFile.from_bytes(name, path, data)
    return record_command(source, command.options, fs, tuple(command.warnings))
