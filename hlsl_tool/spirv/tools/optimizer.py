"""Legalise and optimise with spirv-opt, in DXC's order of passes.

Where the installed spirv-opt lacks a pass that DXC's has, ``compiler.pipeline`` has one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.system.dataclass import dataclass, field

from .locate import Tool
from .passes import AGGRESSIVE_DCE, TO_SSA, Form, passes_for
from .run import TIMEOUT, TOO_OLD, clean, is_module, run_tool

DEFAULT_MAX_ID = 0x3FFFFF
"""The default id bound of SPIRV-Tools; spirv-opt accepts no lower one (spirv-val does)."""

_LEGALIZE = "--legalize-hlsl"


@dataclass(slots=True)
class OptimizerOptions:
    """The options that select passes; the defaults are those of a compilation without options."""

    target_env: str = "vulkan1.0"
    level: int = 3
    """-O0 to -O3: any level above 0 runs the performance passes."""
    config: tuple[str, ...] = ()
    """-Oconfig=: spirv-opt flags to use instead of the performance passes."""
    combined_image_samplers: tuple[tuple[int, int], ...] = ()
    """(descriptor set, binding) of the textures and samplers to combine."""
    reduce_load_size: bool = False
    fix_func_call_arguments: bool = False
    preserve_bindings: bool = False
    max_id: int | None = None
    keep_ids: bool = False
    """Do not renumber ids, for passes that compare the module with its input."""
    print_all: bool = False
    form: Form | None = None
    """The form of a promoted module; `None` for any other module."""
    spread_volatile: bool = False
    """Mark volatile built-ins before anything else: the module did not go through legalisation."""
    printed: list[str] = field(default_factory=list)
    """Output of ``print_all``, one text a run; filled in by `optimize`."""


def common_flags(options: OptimizerOptions, tool: Tool) -> list[str]:
    """Return the flags that every run of spirv-opt gets."""
    flags = ["--skip-validation", f"--target-env={tool.environment(options.target_env)}"]
    if options.preserve_bindings:
        flags.append("--preserve-bindings")
    if options.max_id is not None and options.max_id > DEFAULT_MAX_ID:
        flags.append(f"--max-id-bound={options.max_id}")
    if options.print_all:
        flags.append("--print-all")
    return flags


def legalize_flags(options: OptimizerOptions) -> list[str]:
    """Return the flags for the legalisation passes, and for the passes that must follow them.

    Aggressive dead code elimination follows each rewriting of resources: it removes structs with opaque members and
    unused elements, which the rewriting made illegal.
    """
    return [_LEGALIZE, *_after_legalization(options)]


def _after_legalization(options: OptimizerOptions) -> list[str]:
    flags = []
    if options.combined_image_samplers:
        pairs = " ".join(f"{set_number}:{binding}" for set_number, binding in options.combined_image_samplers)
        flags += [f"--convert-to-sampled-image={pairs}", AGGRESSIVE_DCE]
    if options.reduce_load_size:
        # Above 1.0: reduce every load that can be reduced.
        flags += ["--reduce-load-size=1.1", AGGRESSIVE_DCE]
    flags += [*_compact(options), "--spread-volatile-semantics"]
    if options.fix_func_call_arguments:
        flags.append("--fix-func-call-param")
    return flags


def optimize_flags(options: OptimizerOptions) -> list[str]:
    """Return the flags for the optimisation passes that the module needs; an empty list at level 0."""
    first = ["--spread-volatile-semantics"] if options.spread_volatile else []
    if options.level == 0:
        return first
    if options.config:
        return [*first, *(flag for flag in options.config if flag != "--compact-ids" or not options.keep_ids)]
    if options.form is not None:  # a module that the last pass of -O changes is promoted with ``spread_volatile``
        return [*first, *passes_for(options.form), *_compact(options)]
    return [*first, "-O", "--spread-volatile-semantics", *_compact(options)]


def _compact(options: OptimizerOptions) -> list[str]:
    return [] if options.keep_ids else ["--compact-ids"]


def _run(
    data: bytes,
    flags: Sequence[str],
    options: OptimizerOptions,
    *,
    tool: Tool,
    sink: Sink,
    failure: Code,
    timeout: float,
) -> bytes | None:
    outcome = run_tool(tool, [*common_flags(options, tool), *flags, "-", "-o", "-"], data, sink=sink, timeout=timeout)
    if outcome is None:
        return None
    if outcome.status == 0 and is_module(outcome.output):
        if options.print_all:
            options.printed.append(outcome.messages)
        return outcome.output
    if outcome.status == 0:
        sink.error(failure, None, message=f"what `{tool.path}` wrote is no SPIR-V module")
        return None
    too_old = re.search(TOO_OLD, outcome.messages)
    if too_old and failure is codes.OPTIMIZATION_FAILED:  # the module is right as it is
        what = too_old.group(0).removeprefix("Invalid ")
        sink.warning(codes.NOT_OPTIMIZED, None, tool=tool.name, version=tool.version, what=what)
        return data
    hint = f"{tool.name} {tool.version} is too old for this module ({too_old.group(0)})" if too_old else None
    sink.error(failure, None, message=clean(outcome.messages) or f"status {outcome.status}", hint=hint)
    return None


def upgrade_memory_model(
    data: bytes, options: OptimizerOptions, *, tool: Tool, sink: Sink, timeout: float = TIMEOUT
) -> bytes | None:
    """Return the module in the Vulkan memory model, `None` after an error.

    Runs before legalisation, even with -fcgl.
    """
    flags = ["--upgrade-memory-model"]
    return _run(data, flags, options, tool=tool, sink=sink, failure=codes.MEMORY_MODEL_FAILED, timeout=timeout)


_INLINE = (
    "--wrap-opkill",
    "--eliminate-dead-branches",
    "--merge-return",
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
)


def inline_and_promote(
    data: bytes, options: OptimizerOptions, *, tool: Tool, sink: Sink, timeout: float = TIMEOUT
) -> bytes | None:
    """Return the module with calls inlined and variables promoted to SSA, but with dead code; `None` after an error.

    Rich debug information then has a DebugValue for each value of a variable, which later passes remove.
    """
    flags = [*_INLINE, *TO_SSA]
    return _run(data, flags, options, tool=tool, sink=sink, failure=codes.OPTIMIZATION_FAILED, timeout=timeout)


def legalize(
    data: bytes, options: OptimizerOptions, *, tool: Tool, sink: Sink, timeout: float = TIMEOUT
) -> bytes | None:
    """Return the module after the passes of legalisation only; `None` after an error."""
    return _run(data, [_LEGALIZE], options, tool=tool, sink=sink, failure=codes.LEGALIZATION_FAILED, timeout=timeout)


Legalization = Literal["none", "begun", "whole"]
"""The part of legalisation that `optimize` runs first: none, the part behind `legalize`, or all of it."""


def optimize(
    data: bytes,
    options: OptimizerOptions,
    *,
    tool: Tool,
    sink: Sink,
    legalization: Legalization = "none",
    timeout: float = TIMEOUT,
) -> bytes | None:
    """Return the optimised module; `None` after an error, which is in the sink."""
    flags = optimize_flags(options)
    if legalization == "whole":
        flags = legalize_flags(options) + flags
    elif legalization == "begun":
        flags = [AGGRESSIVE_DCE, *_after_legalization(options), *flags]
    if not flags:
        return data
    failure = codes.OPTIMIZATION_FAILED if legalization == "none" else codes.LEGALIZATION_FAILED
    return _run(data, flags, options, tool=tool, sink=sink, failure=failure, timeout=timeout)
