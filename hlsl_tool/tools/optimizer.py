"""spirv-opt: legalisation and optimisation, in the order in which DXC runs the passes.

Where the installed spirv-opt lacks a pass that DXC's has, ``passes.pipeline`` has one of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.diagnostics.model import Code
from hlsl_tool.diagnostics.sink import Sink

from .locate import Tool
from .run import TIMEOUT, TOO_OLD, clean, is_module, run_tool

TARGET_ENVS = {
    "vulkan1.0": "vulkan1.0",
    "vulkan1.1": "vulkan1.1",
    "vulkan1.1spirv1.4": "vulkan1.1spv1.4",
    "vulkan1.2": "vulkan1.2",
    "vulkan1.3": "vulkan1.3",
    "universal1.5": "spv1.5",
}
"""Our names of the target environments and those of SPIRV-Tools."""

DEFAULT_MAX_ID = 0x3FFFFF
"""The bound that SPIRV-Tools has by itself; the command line takes no lower one (the validator does)."""

_LEGALIZE = "--legalize-hlsl"
_AGGRESSIVE_DCE = "--eliminate-dead-code-aggressive"

Rewrite = Callable[[bytes], bytes | None]
"""A pass of our own between two of spirv-opt: a module to a module, or None after an error."""


@dataclass(slots=True)
class OptimizerOptions:
    """What decides the passes; the defaults are those of a plain compilation."""

    target_env: str = "vulkan1.0"
    level: int = 3
    """-O0 to -O3: any level above 0 runs the performance passes."""
    config: tuple[str, ...] = ()
    """-Oconfig=: these spirv-opt flags in place of the performance passes."""
    combined_image_samplers: tuple[tuple[int, int], ...] = ()
    """(descriptor set, binding) of the textures and samplers to combine."""
    reduce_load_size: bool = False
    fix_func_call_arguments: bool = False
    preserve_bindings: bool = False
    max_id: int | None = None
    print_all: bool = False
    spread_volatile: bool = False
    """Mark volatile built-ins before anything else: the module did not go through legalisation."""
    printed: list[str] = field(default_factory=list)
    """Filled in with what ``print_all`` asks for."""


def common_flags(options: OptimizerOptions) -> list[str]:
    """Flags that every run has."""
    flags = ["--skip-validation", f"--target-env={TARGET_ENVS[options.target_env]}"]
    if options.preserve_bindings:
        flags.append("--preserve-bindings")
    if options.max_id is not None and options.max_id > DEFAULT_MAX_ID:
        flags.append(f"--max-id-bound={options.max_id}")
    if options.print_all:
        flags.append("--print-all")
    return flags


def legalize_flags(options: OptimizerOptions) -> list[str]:
    """The legalisation passes and what belongs to them.

    Each rewriting of resources is followed by aggressive dead code elimination, which removes what has become illegal:
    structs with opaque members, unused elements.
    """
    return [_LEGALIZE, *_after_legalization(options)]


def _after_legalization(options: OptimizerOptions) -> list[str]:
    flags = []
    if options.combined_image_samplers:
        pairs = " ".join(f"{set_number}:{binding}" for set_number, binding in options.combined_image_samplers)
        flags += [f"--convert-to-sampled-image={pairs}", _AGGRESSIVE_DCE]
    if options.reduce_load_size:
        # Above 1.0: every load that can be reduced is.
        flags += ["--reduce-load-size=1.1", _AGGRESSIVE_DCE]
    flags += ["--compact-ids", "--spread-volatile-semantics"]
    if options.fix_func_call_arguments:
        flags.append("--fix-func-call-param")
    return flags


def optimize_flags(options: OptimizerOptions) -> list[str]:
    """The optimisation passes; none at level 0."""
    first = ["--spread-volatile-semantics"] if options.spread_volatile else []
    if options.level == 0:
        return first
    if options.config:
        return [*first, *options.config]
    return [*first, "-O", "--spread-volatile-semantics", "--compact-ids"]


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
    outcome = run_tool(tool, [*common_flags(options), *flags, "-", "-o", "-"], data, sink=sink, timeout=timeout)
    if outcome is None:
        return None
    if outcome.status == 0 and is_module(outcome.output):
        if options.print_all:
            options.printed.append(outcome.messages)
        return outcome.output
    if outcome.status == 0:
        sink.error(failure, None, message=f"what `{tool.path}` wrote is no SPIR-V module")
        return None
    too_old = TOO_OLD.search(outcome.messages)
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
    """The module in the Vulkan memory model; comes before legalisation, and is done with -fcgl too."""
    flags = ["--upgrade-memory-model"]
    return _run(data, flags, options, tool=tool, sink=sink, failure=codes.MEMORY_MODEL_FAILED, timeout=timeout)


def optimize(
    data: bytes,
    options: OptimizerOptions,
    *,
    tool: Tool,
    sink: Sink,
    legalize_first: bool = False,
    rewrite: Rewrite | None = None,
    timeout: float = TIMEOUT,
) -> bytes | None:
    """An optimised module; with ``legalize_first`` both in one run, which saves starting the tool again.

    ``rewrite`` is done to the legalised module, before what follows.
    """
    flags = optimize_flags(options)
    failure = codes.OPTIMIZATION_FAILED
    if legalize_first:
        failure = codes.LEGALIZATION_FAILED
        if rewrite is None:
            flags = legalize_flags(options) + flags
        else:
            legal = _run(data, [_LEGALIZE], options, tool=tool, sink=sink, failure=failure, timeout=timeout)
            rewritten = rewrite(legal) if legal is not None else None
            if rewritten is None:
                return None
            data, flags = rewritten, [_AGGRESSIVE_DCE, *_after_legalization(options), *flags]
    if not flags:
        return data
    return _run(data, flags, options, tool=tool, sink=sink, failure=failure, timeout=timeout)
