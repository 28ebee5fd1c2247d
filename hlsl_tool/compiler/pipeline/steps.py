"""All steps in their order, each with the reason for its place; `hlsl2spirv --print-pipeline` prints them.

Steps are grouped in stages. A stage runs if the properties of the module (`Facts`) require it, and each of its steps if
its own condition holds. `lowering` has the steps before them.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.arithmetic.array_indices import negative_constants
from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.codegen.passes.hit_objects import has_hit_objects
from hlsl_tool.codegen.passes.invocation_interlock import has_critical_sections
from hlsl_tool.compiler.pipeline import spirv_opt
from hlsl_tool.compiler.pipeline.facts import Facts
from hlsl_tool.compiler.pipeline.form import unrolls
from hlsl_tool.compiler.pipeline.lowering import names_long_vectors, names_untyped_pointers
from hlsl_tool.compiler.pipeline.subject import Step, Subject, function, on_index, on_module
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module

# ---- Conditions and steps that are more than one call


def _is_rich(subject: Subject) -> bool:
    return subject.options.debug_rich


def _flattens(subject: Subject) -> bool:
    return subject.facts.flattens


def _has_null_integers(subject: Subject) -> bool:
    if not any(inst.op == op.OpConstantNull for inst in subject.module.globals):
        return False
    return bool(function("before_optimizer.null_constants:has_null_integers")(subject.module))


def _has_heaps(subject: Subject) -> bool:
    return subject.options.descriptor_heap and function("descriptor_heap:has_heaps")(subject.module)


def _use_descriptor_heaps(subject: Subject) -> None:
    strides = subject.options.resource_heap_stride, subject.options.sampler_heap_stride
    function("descriptor_heap:use_descriptor_heaps")(
        subject.module, resource_stride=strides[0], sampler_stride=strides[1]
    )


def _trim(subject: Subject) -> bool:
    trim_capabilities(subject.module, subject.index)
    return False  # the index has no capabilities


def _before(subject: Subject) -> Module:
    assert subject.before is not None, "this pass follows spirv-opt"
    return subject.before


# ---- Steps that several stages have

_TRIM = Step("trim-capabilities", _trim, "only now it is known which capabilities and extensions are used")
_TRIM_EARLY = Step(
    "trim-capabilities",
    _trim,
    "an old spirv-opt stops at capabilities that it does not know, also at unused ones",
)
_JOIN = Step(
    "join-chains",
    on_index("descriptors:join_chains"),
    "pointers to elements of arrays of buffers are known: each access can start at its variable",
)
_MASK = Step(
    "mask", spirv_opt.mask_unknown, "an old spirv-opt does not know all instructions (`codegen.passes.masking`)"
)
_UNMASK = Step("unmask", spirv_opt.unmask_unknown, "spirv-opt is done")
_DESCRIPTOR_HEAPS = Step(
    "descriptor-heap",
    _use_descriptor_heaps,
    "spirv-opt and the other passes see arrays of descriptors; the views of byte-address buffers are there",
    _has_heaps,
    "-fspv-use-descriptor-heap, and the shader uses a heap",
)
_MEND_DEBUG_INFO = (
    Step(
        "debug-declarations",
        on_module("debug_info.declarations:drop_debug_declarations"),
        "inlining leaves DebugDeclare instructions that name no variable",
        _is_rich,
        "rich debug information",
    ),
    Step(
        "debug-forward-references",
        on_module("debug_info.forward_references:fixup_ext_inst_forward_refs"),
        "optimisation may turn references of debug instructions around",
        _is_rich,
        "rich debug information",
    ),
)
"""Before spirv-opt reads its own output again, and at the end."""


# ---- The order


@dataclass(frozen=True, slots=True)
class Stage:
    """A group of steps with a common condition on the properties of the module (`Facts`)."""

    name: str
    when: Callable[[Facts], bool]
    condition: str
    """`when` in words."""
    steps: tuple[Step, ...]


STAGES = (
    Stage(
        "memory model",
        lambda facts: facts.upgrades_memory_model,
        "-fspv-use-vulkan-memory-model, or a feature that needs it",
        (
            _TRIM_EARLY,
            _MASK,
            Step(
                "spirv-opt --upgrade-memory-model",
                spirv_opt.upgrade,
                "before legalisation, which knows both memory models",
            ),
            _UNMASK,
            Step(
                "handle-loads",
                on_index("descriptors.handle_loads:strip_handle_loads"),
                "the upgrade marks the loads of coherent images, which are no accesses of their texels",
            ),
        ),
    ),
    Stage(
        "second attempt",
        lambda facts: facts.has_alternative,
        "rich debug information or volatile built-ins",
        (Step("copy", spirv_opt.copy_module, "if spirv-opt fails, promotion is tried on the copy"),),
    ),
    Stage("code generation only", lambda facts: facts.codegen_only, "-fcgl", (_DESCRIPTOR_HEAPS,)),
    Stage(
        "promotion",
        lambda facts: facts.promotes,
        "the module is optimised or needs legalisation; not for flattened resources, rich debug information (unless the"
        " module is large), records of work graphs, packed signatures, volatile built-ins, and"
        " options that name passes of spirv-opt or print them",
        (
            Step(
                "promote",
                spirv_opt.promote_variables,
                "local variables become SSA values, and resources in them legal; it ends with hit-objects,"
                " invocation-interlock, linearize-descriptors and choose-descriptors; if something illegal is left, the"
                " stages start again without it",
            ),
            _JOIN,
            Step(
                "non-uniform",
                on_index("nonuniform:respread_non_uniform"),
                "promotion has made new accesses to resources",
            ),
            _TRIM,
        ),
    ),
    Stage(
        "without promotion",
        lambda facts: not (facts.promotes or facts.codegen_only),
        "neither -fcgl nor promotion",
        (_TRIM_EARLY,),
    ),
    Stage(
        "before legalisation",
        lambda facts: facts.has_optimizer and facts.legalizes_by_spirv_opt,
        "the module needs legalisation and is not promoted",
        (
            Step(
                "unsized-arrays",
                on_module("before_optimizer.unsized_arrays:pass_unsized_arrays_by_reference"),
                "old versions of spirv-opt cannot legalise unsized arrays that are passed by value",
            ),
            Step(
                "volatile-inputs",
                on_module("volatile_inputs:separate_volatile_inputs"),
                "spirv-opt gives up at built-ins that are volatile in some entry points only",
            ),
        ),
    ),
    Stage(
        "optimisation",
        lambda facts: facts.runs_spirv_opt,
        "unless -O0 or -Od, or if the module needs legalisation and is not promoted",
        (
            Step(
                "null-constants",
                on_module("before_optimizer.null_constants:spell_null_constants"),
                "spirv-opt folds operations on vectors of null constants wrongly",
                _has_null_integers,
                "the shader has null constants and operations on vectors of integers",
            ),
            _MASK,
            Step(
                "spirv-opt --inline-entry-points-exhaustive",
                spirv_opt.inline_calls,
                "each value of a variable gets its DebugValue before dead code is removed",
                spirv_opt.inlines_first,
                "rich debug information, and the module is not promoted",
            ),
            Step(
                "unrolled-loops",
                on_index("before_optimizer.unrolled_loops:protect_header_values"),
                "spirv-opt takes the values of a loop's header after the loop from its first iteration",
                lambda s: unrolls(s.index),
                "the shader has a loop to unroll",
            ),
            Step(
                "spirv-opt --legalize-hlsl",
                spirv_opt.legalize_first,
                "a run of its own, since passes of ours follow",
                _flattens,
                "resources are flattened, or are in local arrays",
            ),
            *(
                Step(step.name, step.run, step.reason, lambda s: _flattens(s) and _is_rich(s), step.condition)
                for step in _MEND_DEBUG_INFO
            ),
            Step(
                "local-arrays",
                on_module(
                    "descriptors.local_structs:split_local_structs", "descriptors.local_arrays:replace_local_arrays"
                ),
                "legalisation has inlined all calls: the resources in local arrays of resources are known",
                _flattens,
                "resources are flattened, or are in local arrays",
            ),
            Step(
                "flatten-descriptors",
                spirv_opt.flatten,
                "everything is in the entry points: each access of an array or struct of resources names one resource",
                lambda s: _flattens(s) and (s.options.flatten_resource_arrays or s.requirements.flatten_structs),
                "-fspv-flatten-resource-arrays, or the shader has structs of resources",
            ),
            Step(
                "spirv-opt -O",
                spirv_opt.run_optimizer,
                "legalises, too, where that is necessary; after promotion only the passes that can change the module",
            ),
            _UNMASK,
            Step(
                "equal-decorations",
                on_module("equal_types:merge_equal_decorations"),
                "spirv-opt repeats the decorations of values in loops that it unrolls",
            ),
            Step(
                "hit-objects",
                on_index("hit_objects:merge_hit_objects"),
                "calls are inlined: copies of hit objects are between variables of one function",
                lambda s: has_hit_objects(s.index),
                "the shader has hit objects",
            ),
            Step(
                "invocation-interlock",
                on_module("invocation_interlock:place_invocation_interlock"),
                "calls are inlined: all critical sections are in the entry point and can become one",
                lambda s: has_critical_sections(s.module),
                "the shader has critical sections",
            ),
            Step(
                "dead-pointers",
                on_index("dead_pointers:remove_dead_pointers"),
                "spirv-opt leaves local variables of pointer type that nothing reads",
            ),
            Step(
                "preserve-interface",
                lambda s: function("preserve_interface:restore_interface")(s.module, _before(s)),
                "spirv-opt has removed interface variables that nothing uses",
                lambda s: s.options.preserve_interface,
                "-fspv-preserve-interface",
            ),
            Step(
                "debug-sources",
                lambda s: function("debug_info.sources:restore_debug_sources")(s.module, _before(s)),
                "spirv-opt has removed DebugSource instructions that only headers name",
                _is_rich,
                "rich debug information",
            ),
            Step(
                "debug-values",
                lambda s: function("debug_info.debug_values:restore_debug_values")(s.module, _before(s), s.index),
                "spirv-opt has removed the values of local variables, also those that are still computed",
                _is_rich,
                "rich debug information",
            ),
            Step(
                "linearize-descriptors",
                on_index("descriptors:linearize_arrays"),
                "every access names its variable, so arrays of arrays of resources can become arrays",
            ),
            Step(
                "choose-descriptors",
                on_index("descriptors:choose_indices"),
                "selections between resources of one array become selections of the index",
            ),
            _JOIN,
            Step(
                "non-uniform",
                on_index("nonuniform:respread_non_uniform"),
                "the three passes before it have made new accesses",
            ),
            _TRIM,
        ),
    ),
    Stage(
        "library",
        lambda facts: facts.is_library,
        "the module is a library that is to be linked",
        _MEND_DEBUG_INFO,
    ),
    Stage(
        "last",
        lambda facts: not (facts.codegen_only or facts.is_library),
        "unless -fcgl, and not for a library that is to be linked",
        (
            Step(
                "array-indices",
                on_index("arithmetic.array_indices:move_indices_inside"),
                "indices that optimisation computes are final, and the other passes see typed pointers",
                lambda s: bool(negative_constants(s.module)),
                "the module has negative integer constants",
            ),
            Step(
                "untyped-pointers",
                on_index("untyped_pointers:use_untyped_pointers"),
                "spirv-opt and the other passes see typed pointers",
                names_untyped_pointers,
                "-fspv-extension=SPV_KHR_untyped_pointers",
            ),
            Step(
                "typed-views",
                on_index("typed_views:separate_typed_views"),
                "the types with which byte-address buffers are accessed are final",
            ),
            _DESCRIPTOR_HEAPS,
            Step(
                "native-long-vectors",
                on_module("long_vectors.native:declare_long_vectors"),
                "spirv-opt knows longer vectors only by the opcode of short ones",
                names_long_vectors,
                "-fspv-extension=SPV_EXT_long_vector",
            ),
            *_MEND_DEBUG_INFO,
            Step(
                "trim-capabilities",
                _trim,
                "the passes before it have removed instructions",
                _is_rich,
                "rich debug information",
            ),
        ),
    ),
)


def choose_steps(facts: Facts) -> tuple[Step, ...]:
    """Return the steps of those stages whose condition holds for a module with these properties, in order."""
    return tuple(step for stage in STAGES if stage.when(facts) for step in stage.steps)
