"""`hlsl_tool run`: run a compute shader without a GPU, on arrays from files."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli.common import Failed

if TYPE_CHECKING:
    from hlsl_tool.base.options.command_line import Command
    from hlsl_tool.gpu.kernel import Kernel

DESCRIPTION = """\
Compiles a compute shader and runs it on the interpreter, which needs no GPU and no driver.  Options that are not listed
are those of `hlsl_tool compile`: -T PROFILE, -E ENTRY, -D, -I and so on.  docs/how-to/run.md has examples.
"""

EPILOGUE = """\
values of --bind: FILE.npy, FILE.png (a texture), FILE.bin (plain bytes), numbers in JSON such as 0.5 or [1, 2, 3],
                  random:SHAPE and zeros:SHAPE, such as random:256x4
exit status: 0; 1 if the shader has errors or cannot be run; 2 if the command line is wrong
"""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        help="run a compute shader without a GPU",
        description=DESCRIPTION,
        epilog=EPILOGUE,
        usage="hlsl_tool run SHADER -T PROFILE [-E ENTRY] --groups X[,Y[,Z]] [--bind NAME=VALUE …] [--out NAME …]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--groups", metavar="X[,Y[,Z]]", type=_three, help="the number of thread groups")
    size.add_argument("--threads", metavar="X[,Y[,Z]]", type=_three, help="the number of threads, in whole groups")
    parser.add_argument(
        "--bind",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an argument: a resource, a member of a constant buffer or a specialisation constant; may be repeated",
    )
    parser.add_argument(
        "--inputs",
        metavar="FILE",
        action="append",
        default=[],
        help="arguments from a YAML file (NAME: VALUE), the global variables of a Python file, or an .npz archive",
    )
    parser.add_argument(
        "--out",
        metavar="NAME[=FILE]",
        action="append",
        default=[],
        help="write a result to a file (.npy, .png, .bin; NAME.npy by default); without --out, results are shown",
    )
    parser.add_argument("--seed", type=int, help="fill resources without --bind with random numbers")
    parser.add_argument(
        "--elements", type=int, metavar="N", help="the length of buffers without --bind (default: one for each thread)"
    )
    parser.add_argument("--device", default="cpu", help="cpu (the default: the interpreter), vulkan or wgpu")
    parser.set_defaults(function=run, takes_rest=True)


def _three(text: str) -> tuple[int, ...]:
    sides = text.split(",")
    if not 1 <= len(sides) <= 3 or not all(side.isdecimal() and int(side) for side in sides):
        raise argparse.ArgumentTypeError(f"`{text}` is not one to three positive numbers")
    return tuple(int(side) for side in sides)


def run(options: argparse.Namespace) -> int:
    """Run the shader, and write or show its results; return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    command = _command(options.rest)
    try:
        from hlsl_tool import gpu

        gpu_error = gpu.GpuError
    except ImportError as error:
        raise Failed(str(error)) from None
    try:
        return int(with_deep_stack(lambda: _run(command, options)))
    except gpu_error as error:
        print(f"hlsl_tool: error: {error}", file=sys.stderr)
        return 1


def _command(words: list[str]) -> Command:
    from hlsl_tool.base.options.checks import OptionError
    from hlsl_tool.base.options.command_line import parse

    try:
        command = parse(words, is_file=os.path.isfile)
    except OptionError as error:
        raise Failed(str(error)) from None
    if len(command.inputs) != 1:
        raise Failed(f"one shader, not {len(command.inputs)}")
    return command


def _run(command: Command, options: argparse.Namespace) -> int:
    from hlsl_tool import gpu
    from hlsl_tool.cli.running.inputs import read_inputs
    from hlsl_tool.gpu.files import argument, missing

    chosen = command.options
    kernel = gpu.load(command.inputs[0], chosen.entry or "main", options=chosen, device=options.device)
    arguments: dict[str, Any] = {}
    for path in options.inputs:
        for name, given in read_inputs(path).items():
            arguments[name] = argument(kernel, name, given) if isinstance(given, str) else given
    for text in options.bind:
        name, separator, value = text.partition("=")
        if not separator:
            raise Failed(f"`--bind {text}` has no value: --bind NAME=VALUE")
        arguments[name] = argument(kernel, name, value)
    elements = options.elements or _threads(kernel, options)
    arguments.update(missing(kernel, arguments, elements, options.seed))
    outputs = _outputs(options.out, kernel)
    kernel(groups=options.groups, threads=options.threads, **arguments)
    _finish(kernel, arguments, outputs)
    return 0


def _threads(kernel: Kernel, options: argparse.Namespace) -> int:
    """Return the number of threads of the run."""
    count = 1
    if options.threads:
        for side in options.threads:
            count *= side
        return count
    for side in (*options.groups, *kernel.threads_per_group):
        count *= side
    return count


def _outputs(texts: list[str], kernel: Kernel) -> dict[str, str]:
    """Return name → file of the results to write; raise `Failed` for a name that the kernel does not write."""
    out = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not path and "." in name:
            name, path = os.path.splitext(os.path.basename(name))[0], name
        out[name] = path or f"{name}.npy"
    written = [parameter.name for parameter in kernel.parameters if parameter.written]
    for name in out:
        if name not in written:
            raise Failed(f"the shader does not write `{name}` (it writes: {', '.join(written) or 'nothing'})")
    return out


def _finish(kernel: Kernel, arguments: dict[str, Any], outputs: dict[str, str]) -> None:
    """Write the results, or show the first numbers of each."""
    import numpy as np

    from hlsl_tool.cli.output import write_output
    from hlsl_tool.gpu.files import file_bytes

    for name, path in outputs.items():
        write_output(path, file_bytes(path, arguments[name]))
    if outputs:
        return
    for parameter in kernel.parameters:
        array = arguments.get(parameter.name)
        if parameter.written and isinstance(array, np.ndarray):
            with np.printoptions(threshold=64, edgeitems=4, linewidth=110, suppress=True):
                print(f"{parameter.name}: {array.dtype} {array.shape}\n{array}")
