"""Promotion: turn local variables into SSA values, as an alternative to spirv-opt's legalisation.

Before: a module as the lowering writes it, like DXC's, with memory for all variables and with calls. After: each entry
point is one function; local and private variables are SSA values unless they are indexed at run time; composites of
them are scalar-replaced; dead code is removed. Resources that went through variables and parameters are used directly,
as Vulkan requires, and little is left to do for spirv-opt -O.

Each function is promoted once and then inlined, which costs time in proportion to the size of its promoted body.
spirv-opt inlines first and promotes the result, which for shaders with large structs takes ten times as long. Modules
that have functions in common share the promoted bodies (``FunctionCache``).

Stages: ``single_exit`` gives functions one exit, ``replaceable`` finds the variables that can be scalar-replaced,
``values`` tracks the values of variables, ``promoter`` has the state of one function, ``instructions`` rewrites the
instructions, ``inlining`` replaces calls, ``finish`` removes dead code, ``function`` runs these for one function and
``program`` for a module, ``assembly`` builds the new module. ``line_positions`` preserves lines; ``scopes`` and
``debug_marks`` preserve lines, scopes and variables.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.passes.descriptors import choose_indices, linearize_arrays
from hlsl_tool.codegen.passes.hit_objects import has_hit_objects, merge_hit_objects
from hlsl_tool.codegen.passes.invocation_interlock import has_critical_sections, place_invocation_interlock
from hlsl_tool.codegen.passes.legality import find_illegal
from hlsl_tool.codegen.passes.legalization import needs_legalization
from hlsl_tool.codegen.passes.promote.promoted_body import Unsuited
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.ir import Module

from .assembly import Assembly
from .function_cache import FunctionCache
from .program import Program


def promote(
    module: Module,
    *,
    keep_interface: bool = False,
    keep_bindings: bool = False,
    cache: FunctionCache | None = None,
    has_lines: bool = False,
    has_scopes: bool = False,
) -> tuple[Module | None, str]:
    """Return (promoted module, ""), or (``None``, reason) if promotion does not support the module.

    After success ``module`` must not be used any more. ``keep_interface`` retains unused stage variables, and
    ``keep_bindings`` unused resources. ``cache`` contains the functions of earlier modules. ``has_lines``: instructions
    retain the positions that ``OpLine`` gives them. ``has_scopes``: they retain their scopes and lines, and local
    variables their values, of rich debug information.
    """
    trial = replace(module, annotations=ungrouped(module.annotations))
    if has_lines:
        trial.functions = [function.copy() for function in module.functions]
        from hlsl_tool.codegen.passes.promote.line_positions import detach  # start-up time

        detach(trial)
    positions = None
    if has_scopes:
        trial.functions = [function.copy() for function in module.functions]
        from hlsl_tool.codegen.passes.promote import scopes  # start-up time

        positions = scopes.detach(trial)
        cache = None  # positions are those of one module
    cache = cache or FunctionCache()
    cache.begin()
    try:
        program = Program(trial, cache, positions)
        functions = program.run()
    except Unsuited as reason:
        return None, str(reason)
    except RecursionError:
        return None, "too deep nesting"
    assembly = Assembly(trial, program.ids)
    assembly.run(functions, keep_interface=keep_interface, keep_bindings=keep_bindings)
    if positions is not None:
        scopes.Attacher(trial, module, assembly.final_id, positions).run()
    if has_lines:
        from hlsl_tool.codegen.passes.promote.line_positions import attach  # start-up time

        attach(trial.functions)
    if has_critical_sections(trial):
        place_invocation_interlock(trial)
    index = ModuleIndex(trial)
    if linearize_arrays(trial, index):
        index = ModuleIndex(trial)
    if choose_indices(trial, index):
        index = ModuleIndex(trial)
    if has_hit_objects(index):
        merge_hit_objects(trial, index)
        index = ModuleIndex(trial)
    if needs_legalization(trial, index, critical_sections=False) or find_illegal(trial, index) is not None:
        return None, "something illegal is left"
    return trial, ""
