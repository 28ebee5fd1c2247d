"""The passes in their order.

On the builder, before the words are fixed (``prepare``):

1. ``nonuniform`` and ``relaxed_precision``, forwards, and ``precise``, backwards: independent of each other.

On the finished module (``declare``):

2. ``exact_remainder`` where it is asked for, and ``capabilities``, once all types and decorations are there.

Around spirv-opt (``before_legalization``, ``finish``):

3. ``unsized_arrays``, which old versions of spirv-opt cannot legalise; ``volatile_inputs``, which it gives up at;
4. with rich debug information, ``debug_declarations`` after inlining and ``opextinst_fixup`` after optimisation, which
   may turn references around;
5. ``trim_capabilities`` last of all: only now it is known what is used.

``compiler/finishing`` runs the others on what promotion (``ssa``) or spirv-opt has made: ``invocation_interlock``, once
all critical sections are in the entry point; ``descriptors.linearize`` and ``descriptors.choices``, once every access
names its variable; ``nonuniform`` again, for the accesses that these have made; ``typed_views`` last, which gives
buffers the types they are accessed as.  ``preserve_interface`` and ``debug_sources`` follow the optimiser.  -fcgl stops
after 2.
"""

from __future__ import annotations

from hlsl_tool.passes.capabilities.declare import PlaceOf, derive_capabilities
from hlsl_tool.passes.capabilities.trim import trim_capabilities
from hlsl_tool.passes.debug_info.declarations import drop_debug_declarations
from hlsl_tool.passes.debug_info.forward_references import fixup_ext_inst_forward_refs
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module

from .nonuniform import propagate_non_uniform
from .precise import propagate_precise
from .relaxed_precision import propagate_relaxed_precision
from .unsized_arrays import pass_unsized_arrays_by_reference
from .volatile_inputs import separate_volatile_inputs


def prepare(builder: ModuleBuilder) -> None:
    """Spread the marks that the lowering has left."""
    propagate_non_uniform(builder)
    propagate_relaxed_precision(builder)
    propagate_precise(builder)


def declare(
    module: Module, features: Features, *, place_of: PlaceOf | None = None, descriptor_heap: bool = False
) -> None:
    """Declare capabilities and extensions; errors where they are not allowed go to the sink of ``features``."""
    if place_of is None:
        derive_capabilities(module, features, descriptor_heap=descriptor_heap)
    else:
        derive_capabilities(module, features, place_of=place_of, descriptor_heap=descriptor_heap)


def before_legalization(module: Module) -> None:
    """Take away what spirv-opt's legalisation does not know."""
    pass_unsized_arrays_by_reference(module)
    separate_volatile_inputs(module)


def finish(module: Module, *, rich_debug_info: bool = False) -> None:
    """The last passes, after spirv-opt if that ran."""
    if rich_debug_info:
        mend_debug_info(module)
    trim_capabilities(module)


def mend_debug_info(module: Module) -> None:
    """Correct what spirv-opt leaves of rich debug information; it cannot read its own output before."""
    drop_debug_declarations(module)
    fixup_ext_inst_forward_refs(module)
