"""The options of `hlsl_tool run` for the stages of draws, and the draw that they describe."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli.common import Failed

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.gpu.drawing import Drawing, Merging
    from hlsl_tool.gpu.kernel import Kernel
    from hlsl_tool.interpreter import Draw

SIZES = ("groups", "threads", "vertices", "size")
_ONLY_DRAWS: dict[str, object] = {
    "vertices": None,
    "attribute": [],
    "indices": "",
    "instances": 1,
    "topology": "",
    "patch": 0,
    "samples": 1,
    "blend": "",
    "depth": "",
}
"""Option of draws → its default."""
_OF_VERTICES = ("attribute", "indices", "instances", "topology", "patch")
_OF_TARGETS = ("samples", "blend", "depth")


def add_draws(parser: argparse.ArgumentParser, positive: Callable[[str], int]) -> None:
    """Add the options that describe a draw; ``positive`` reads a number from 1 on."""
    parser.add_argument("--vertices", metavar="N", type=positive, help="the number of vertices of a draw")
    parser.add_argument(
        "--stage",
        metavar="STAGE=ENTRY",
        action="append",
        default=[],
        help="a stage that runs before the shader, such as vertex=VSMain or vertex=common.hlsl:VSMain; may be repeated",
    )
    parser.add_argument(
        "--attribute",
        metavar="SEMANTIC=VALUE",
        action="append",
        default=[],
        help="an input of the first stage, a row for each vertex: FILE.npy, or numbers in JSON; may be repeated",
    )
    parser.add_argument(
        "--indices",
        metavar="VALUE",
        default="",
        help="the vertices in the order in which they form primitives: FILE.npy, or numbers in JSON",
    )
    parser.add_argument("--instances", metavar="N", type=positive, default=1, help="the number of instances")
    parser.add_argument(
        "--topology",
        default="",
        help="how vertices form primitives (default: what the geometry shader reads, or triangles)",
    )
    parser.add_argument(
        "--samples", metavar="N", type=positive, default=1, help="the samples of a pixel: 1, 2, 4, 8, 16"
    )
    parser.add_argument(
        "--blend",
        metavar="BLENDING",
        default="",
        help="alpha, premultiplied, add, multiply, or factors in JSON; a list has one for each target",
    )
    parser.add_argument("--depth", metavar="COMPARISON", default="", help="test depths: less, less-equal, greater, …")
    parser.add_argument(
        "--patch", metavar="N", type=positive, default=0, help="the vertices of a patch (default: the hull shader's)"
    )


def check_sizes(options: argparse.Namespace) -> None:
    """Raise `Failed` unless one size is given; a pixel shader behind other stages has `--size` beside another one."""
    given = [name for name in SIZES if getattr(options, name)]
    if not given:
        raise Failed("one of --groups, --threads, --vertices and --size is needed")
    if len(given) > (2 if options.stage and options.size else 1):
        raise Failed(f"--{given[0]} and --{given[1]} exclude each other")


def drawing_of(kernel: Kernel, path: str, chosen: CompileOptions, options: argparse.Namespace) -> Drawing | None:
    """Return the draw of which the shader is a stage; `None` if it runs by itself.  Raises `Failed` and `GpuError`."""
    from hlsl_tool import gpu
    from hlsl_tool.base.system.dataclass import replace
    from hlsl_tool.compiler.preprocessing import warning_options
    from hlsl_tool.gpu.draw_stages import place_of, stage_profile, stages_of_draw
    from hlsl_tool.gpu.drawing import Drawing

    model = kernel.code.reflection.entry_points[0].model
    given = _pairs("--stage", options.stage)
    try:
        before = stages_of_draw(given, model, lambda name: getattr(options, name))
    except ValueError as error:
        raise Failed(str(error)) from None
    if before is None:
        of_draws = "is for draws: vertex, hull, domain and geometry shaders, or behind --stage"
        _refuse(of_draws, options, _ONLY_DRAWS)
        return None
    if kernel.backend.library != "cpu":
        raise Failed("draws are for the interpreter: --device cpu")
    kernels = []
    for stage in before:
        file, entry = place_of(given[stage], path)
        words = replace(chosen, entry=entry, profile=stage_profile(stage, chosen.profile))
        kernels.append(gpu.load(file, entry, options=words, device=options.device))
    if model != "Fragment":
        _refuse("is for a pixel shader behind --stage", options, _OF_TARGETS)
    drawing = Drawing([*kernels, kernel])
    _show(drawing.diagnostics(warning_options(chosen)))
    return drawing


def _refuse(problem: str, options: argparse.Namespace, names: Iterable[str]) -> None:
    """Raise `Failed` if one of the options of draws is given."""
    for name in names:
        if getattr(options, name) not in (_ONLY_DRAWS[name], None):
            raise Failed(f"--{name} {problem}")


def _show(diagnostics: list[Diagnostic]) -> None:
    """Write the problems between stages to the standard error; raise `Failed` if they cannot run together."""
    from hlsl_tool.base.diagnostics.render import render

    print(render(diagnostics), end="", file=sys.stderr)
    if any(diagnostic.severity in ("error", "fatal") for diagnostic in diagnostics):
        raise Failed("the stages of the draw do not fit together")


def draw_of(drawing: Drawing, options: argparse.Namespace) -> Draw:
    """Return the draw that the options describe; raise `Failed` for attributes that do not fit."""
    from hlsl_tool.gpu.draw_stages import checked_topology
    from hlsl_tool.gpu.files.values import indices_of, rows
    from hlsl_tool.interpreter import Draw

    if options.vertices is None:
        _refuse("is for draws of vertices, and this one has a mesh or amplification shader", options, _OF_VERTICES)
    arrays = {}
    for name, text in _pairs("--attribute", options.attribute).items():
        arrays[name] = _read(f"--attribute {name}", text, lambda value: rows(value, options.vertices))
    indices = None
    if options.indices:
        indices = _read("--indices", options.indices, lambda value: indices_of(value, options.vertices or 0))
    try:
        checked_topology(options.topology)
    except ValueError as error:
        raise Failed(str(error)) from None
    return Draw(
        options.vertices or 0,
        options.instances,
        options.topology,
        options.patch,
        inputs=drawing.inputs(arrays),
        indices=indices,
        size=options.size or (0, 0),
    )


def merging_of_options(options: argparse.Namespace) -> Merging:
    """Return how fragments are combined with targets; raise `Failed` for wrong options."""
    from hlsl_tool.gpu.drawing import merging_of

    try:
        blend = json.loads(options.blend) if options.blend[:1] in ("{", "[") else options.blend
    except ValueError:
        raise Failed(f"--blend: `{options.blend}` is no JSON") from None
    try:
        return merging_of(options.samples, blend, options.depth, "--{}")
    except ValueError as error:
        raise Failed(str(error)) from None


def _read(option: str, text: str, convert: Callable[[Any], Any]) -> Any:
    """Return the array that a text describes: a file, or numbers in JSON."""
    try:
        return convert(text if text.endswith(".npy") else json.loads(text))
    except ValueError as error:
        problem = f"`{text}` is no JSON" if isinstance(error, json.JSONDecodeError) else str(error)
        raise Failed(f"{option}: {problem}") from None


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Return name → value of options such as `NAME=VALUE`."""
    out = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not value:
            raise Failed(f"`{option} {text}` has no value: {option} NAME=VALUE")
        if name in out:
            raise Failed(f"{option} {name} is given twice")
        out[name] = value
    return out
