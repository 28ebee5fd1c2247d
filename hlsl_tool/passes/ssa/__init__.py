"""Functions in clean SSA form, as an alternative to spirv-opt's legalisation.

Before: a module as the lowering writes it, in DXC's literal form, with memory for all variables and calls.  After: each
entry point is one function; locals and private variables are values, as far as they are not indexed at run time;
composites of them are taken apart; what nobody uses is not there.  So resources that went through variables and
parameters are used directly, which is what Vulkan wants; and spirv-opt -O has little left to do.

Each function is cleaned once and then inlined, which costs about what its clean form is long; spirv-opt inlines first
and cleans the whole, which for shaders with large structures is ten times as much.  Modules that have functions in
common share their clean forms (``shared``).

``structure`` gives functions one exit, ``survey`` says what can be taken apart, ``values`` tells what variables hold,
``cleaner`` goes through the instructions, ``inlining`` through calls, ``finish`` leaves out what is dead,
``assembly`` makes a module of it.
"""

from __future__ import annotations

from dataclasses import replace

from hlsl_tool.passes.descriptors import choose_indices, linearize_arrays
from hlsl_tool.passes.invocation_interlock import has_critical_sections, place_invocation_interlock
from hlsl_tool.passes.legality import find_illegal
from hlsl_tool.passes.legalization import needs_legalization
from hlsl_tool.spirv.analysis.module_index import ungrouped
from hlsl_tool.spirv.ir import Module

from .assembly import Assembly
from .lines import attach, detach
from .model import Unsuited
from .program import Program
from .shared import Shared


def promote(
    module: Module,
    *,
    keep_interface: bool = False,
    keep_bindings: bool = False,
    shared: Shared | None = None,
    has_lines: bool = False,
) -> tuple[Module | None, str]:
    """The module in that form, or none and why it is left to spirv-opt; ``module`` is not to be used after the former.

    ``keep_interface``: unused stage variables stay; ``keep_bindings``: unused resources do.  ``shared``: what is
    remembered of the modules before, by content.  ``has_lines``: there is ``OpLine``, which instructions take along.
    """
    trial = replace(module, annotations=ungrouped(module.annotations))
    if has_lines:
        trial.functions = [function.copy() for function in module.functions]
        detach(trial)
    shared = shared or Shared()
    shared.begin()
    try:
        program = Program(trial, shared)
        functions = program.run()
    except Unsuited as reason:
        return None, str(reason)
    except RecursionError:
        return None, "too deep nesting"
    Assembly(trial, program.numbers).run(functions, keep_interface=keep_interface, keep_bindings=keep_bindings)
    if has_lines:
        attach(trial.functions)
    if has_critical_sections(trial):
        place_invocation_interlock(trial)
    linearize_arrays(trial)
    choose_indices(trial)
    if needs_legalization(trial, critical_sections=False) or find_illegal(trial) is not None:
        return None, "something illegal is left"
    return trial, ""
