"""`hlsl_tool run`: run a shader without a GPU, on arrays from files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli.common import Failed, command_of

from .draws import add_draws, check_sizes, draw_of, drawing_of, merging_of_options

if TYPE_CHECKING:
    from hlsl_tool.base.options.command_line import Command
    from hlsl_tool.gpu.kernel import Kernel
    from hlsl_tool.interpreter import Sanitizer

DESCRIPTION = """\
Compiles a shader and runs it on the interpreter, which needs no GPU and no driver: compute shaders, pixel shaders that
fill a picture, and other stages as parts of a draw.  Options that are not listed are those of `hlsl_tool compile`:
-T PROFILE, -E ENTRY, -D, -I and so on.  docs/how-to/run.md has examples.
"""

EPILOGUE = """\
values of --bind: FILE.npy, FILE.png (a texture), FILE.bin (plain bytes), numbers in JSON such as 0.5 or [1, 2, 3],
                  random:SHAPE and zeros:SHAPE, such as random:256x4
checks:           docs/reference/checks.md
exit status: 0; 1 if the shader has errors, cannot be run, or --check finds something; 2 if the command line is wrong
"""

MEMORY_HINT = "run fewer threads, draw a smaller picture, or give buffers a length (`--elements N`)"


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        help="run a shader without a GPU: compute, pixel, and the stages of draws",
        description=DESCRIPTION,
        epilog=EPILOGUE,
        usage="hlsl_tool run SHADER -T PROFILE [-E ENTRY] (--groups X[,Y[,Z]] | --size WIDTH,HEIGHT | --vertices N)\n"
        "                     [--stage STAGE=ENTRY …] [--attribute SEMANTIC=VALUE …]\n"
        "                     [--bind NAME=VALUE …] [--inputs FILE] [--out NAME[=FILE] …]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--groups", metavar="X[,Y[,Z]]", type=_three, help="the number of thread groups")
    parser.add_argument("--threads", metavar="X[,Y[,Z]]", type=_three, help="the number of threads, in whole groups")
    parser.add_argument(
        "--size", metavar="WIDTH,HEIGHT", type=_two, help="the size of the picture that a pixel shader fills"
    )
    add_draws(parser, _positive)
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
    _add_checks(parser)
    parser.add_argument("--seed", type=int, help="fill resources and constants without --bind with random numbers")
    parser.add_argument(
        "--elements",
        type=_natural,
        metavar="N",
        help="the length of buffers without --bind (default: one for each thread)",
    )
    parser.add_argument("--device", default="cpu", help="cpu (the default: the interpreter), vulkan or wgpu")
    parser.set_defaults(function=run, takes_rest=True)


def _add_checks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check",
        metavar="KINDS",
        nargs="?",
        const="d3d",
        action="append",
        help="report faults such as races, indices out of bounds and variables that are read before they are written;"
        " KINDS is d3d (the default: what Direct3D leaves undefined), strict (all), or a list such as races,bounds;"
        " compiles without optimisation",
    )
    parser.add_argument(
        "--diagnostics", metavar="FORM", default="text", help="the form of what --check reports: text, json, sarif, …"
    )
    parser.add_argument(
        "--max-steps",
        metavar="N",
        type=_natural,
        help="end a run whose threads execute more than N basic blocks together (default: 10 million; 0: no limit)",
    )


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number from 0 on")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number from 1 on")
    return int(text)


def _three(text: str) -> tuple[int, ...]:
    sides = text.split(",")
    if not 1 <= len(sides) <= 3 or not all(side.isdecimal() and int(side) for side in sides):
        raise argparse.ArgumentTypeError(f"`{text}` is not one to three positive numbers")
    return tuple(int(side) for side in sides)


def _two(text: str) -> tuple[int, ...]:
    sides = text.split(",")
    if len(sides) != 2 or not all(side.isdecimal() and int(side) for side in sides):
        raise argparse.ArgumentTypeError(f"`{text}` is no width and height, such as 256,256")
    return tuple(int(side) for side in sides)


def run(options: argparse.Namespace) -> int:
    """Run the shader, and write or show its results; return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    _read_check(options)
    check_sizes(options)
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
    except MemoryError:
        from hlsl_tool.base.diagnostics.internal import out_of_memory

        print(f"hlsl_tool: {out_of_memory(MEMORY_HINT)}", file=sys.stderr)
    return 1


def _read_check(options: argparse.Namespace) -> None:
    """Validate the arguments of `--check`, of which the last counts; without one, the word behind may be the shader."""
    from hlsl_tool.base.diagnostics.render import FORMS
    from hlsl_tool.gpu.checking import DEFAULT, chosen, names_one

    if options.diagnostics not in FORMS:
        raise Failed(f"unknown form of diagnostics `{options.diagnostics}` (there are: {', '.join(FORMS)})")
    given, options.check = options.check, None
    for kinds in given or ():
        if not names_one(kinds) and os.path.exists(kinds):
            options.rest.append(kinds)
            options.check = options.check or DEFAULT
            continue
        try:
            chosen(kinds)
        except ValueError as error:
            raise Failed(str(error)) from None
        options.check = kinds


def _command(words: list[str]) -> Command:
    command = command_of(words)
    if len(command.inputs) != 1:
        raise Failed(f"one shader, not {len(command.inputs)}")
    if command.inputs[0].endswith(".spv"):
        raise Failed(
            f"`{command.inputs[0]}` is a module, and `hlsl_tool run` compiles HLSL; `hlsl_tool debug` and"
            " `hlsl_tool.interpreter` run modules"
        )
    return command


def _run(command: Command, options: argparse.Namespace) -> int:
    from hlsl_tool import gpu
    from hlsl_tool.base.system.dataclass import replace
    from hlsl_tool.gpu.checking import Sanitizer, checked_options, observed, with_lines
    from hlsl_tool.gpu.files.values import arguments_of
    from hlsl_tool.gpu.loading import INTERPRETED, TARGET

    is_interpreted = options.device == "cpu"
    if not any("fspv-target-env" in word for word in options.rest):
        command.options = replace(command.options, target_env=INTERPRETED if is_interpreted else TARGET)
    chosen = with_lines(command.options) if is_interpreted else command.options
    if options.check:
        if not is_interpreted:
            raise Failed("--check is for the interpreter: --device cpu")
        chosen = checked_options(command.options)
    kernel = gpu.load(command.inputs[0], chosen.entry or "main", options=chosen, device=options.device)
    drawing = drawing_of(kernel, command.inputs[0], chosen, options)
    kernels = drawing.kernels if drawing is not None else [kernel]
    arguments = arguments_of(kernels, _given(options), options.elements or _threads(kernels[0], options), options.seed)
    results = drawing.result_names() if drawing is not None else list(_targets(kernel)) if options.size else []
    written = list(dict.fromkeys([*results, *(p.name for each in kernels for p in each.parameters if p.written)]))
    outputs = _outputs(options.out, written)
    sanitizer = Sanitizer(options.check) if options.check else None
    with observed(kernel.backend, sanitizer, options.max_steps):
        if drawing is not None:
            given, merging = draw_of(drawing, options), merging_of_options(options)
            arguments |= drawing(given, options.groups, options.threads, merging, **arguments)
        else:
            kernel(groups=options.groups or options.size, threads=options.threads, **arguments)
            pictures = getattr(kernel.backend, "pictures", {}) if results else {}
            arguments |= {f"SV_Target{location}": picture for location, picture in pictures.items()}
    _finish(arguments, outputs, written)
    return _report(sanitizer, options.diagnostics) if sanitizer is not None else 0


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `--inputs` and `--bind`; texts are values as those of `--bind`."""
    from hlsl_tool.gpu.files.inputs import InputsError, read_inputs

    given: dict[str, Any] = {}
    for path in options.inputs:
        try:
            given |= read_inputs(path)
        except InputsError as error:
            raise Failed(str(error)) from None
    for text in options.bind:
        name, separator, value = text.partition("=")
        if not separator:
            raise Failed(f"`--bind {text}` has no value: --bind NAME=VALUE")
        given[name] = value
    return given


def _report(sanitizer: Sanitizer, form: str) -> int:
    """Print what the checks have found; return the exit status."""
    from hlsl_tool.base.diagnostics.render import render

    found = [finding.diagnostic() for finding in sanitizer.findings]
    text = render(found, form)
    print(text, end="", file=sys.stdout if form in ("json", "sarif") else sys.stderr)
    return 1 if found else 0


def _targets(kernel: Kernel) -> Iterator[str]:
    """Yield the names of a pixel shader's targets; raise `Failed` for other shaders and devices."""
    point = kernel.code.reflection.entry_points[0]
    if point.model != "Fragment" or kernel.backend.library != "cpu":
        raise Failed("--size is for a pixel shader on the interpreter; compute shaders need --groups or --threads")
    for variable in point.outputs:
        if variable.location is not None:
            yield f"SV_Target{variable.location}"


def _threads(kernel: Kernel, options: argparse.Namespace) -> int:
    """Return the number of threads of the run."""
    count: int = 1
    if options.threads:
        for side in options.threads:
            count *= side
        return count
    for side in (*(options.groups or options.size or ()), *kernel.threads_per_group):
        count *= side
    vertices: int = (options.vertices or 0) * options.instances
    return max(count, vertices)


def _outputs(texts: list[str], written: list[str]) -> list[tuple[str, str]]:
    """Return (name, file) of the results to write; raise `Failed` for a name that the shader does not write."""
    out = []
    target = next((name for name in written if name.startswith("SV_Target")), "")
    for text in texts:
        name, _, path = text.partition("=")
        if not path and "." in name:
            name, path = target or os.path.splitext(os.path.basename(name))[0], name
        if name == "SV_Target":
            name = "SV_Target0"
        out.append((name, path or f"{name}.npy"))
    for name, _ in out:
        if name not in written:
            raise Failed(f"the shader does not write `{name}` (it writes: {', '.join(written) or 'nothing'})")
    return out


def _finish(arguments: dict[str, Any], outputs: list[tuple[str, str]], written: list[str]) -> None:
    """Write the results, or show the first numbers of each."""
    from hlsl_tool.cli.output import write_output
    from hlsl_tool.gpu.files.values import file_bytes, shown

    for name, path in outputs:
        write_output(path, file_bytes(path, arguments[name]))
    if outputs:
        return
    for name in written:
        text = shown(arguments.get(name))
        if text:
            print(f"{name}: {text}")
