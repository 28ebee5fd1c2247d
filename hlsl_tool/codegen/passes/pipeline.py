"""The passes in their order, each with the reason for its place; `hlsl2spirv --print-pipeline` prints them.

| sequence | when it runs |
|---|---|
| `MARKS` | on the builder, when the last function is lowered |
| `declarations()` | at the end of lowering; -fcgl ends here, but for the memory model |
| `BEFORE_ANY_TOOL` | before spirv-opt upgrades the memory model, and on modules that were not promoted |
| `AFTER_UPGRADE` | after spirv-opt has upgraded the memory model |
| `AFTER_PROMOTION` | on a module in SSA form, if `codegen.passes.promote` could make it one |
| `BEFORE_LEGALIZATION` | before spirv-opt legalises a module that was not promoted |
| `BEFORE_OPTIMIZER` | before spirv-opt runs for any reason but the memory model |
| `BETWEEN_OPTIMIZERS` | between legalisation and optimisation, if resources are flattened |
| `AFTER_OPTIMIZER` | on the output of spirv-opt, if it ran |
| `LAST` | on every module that is not the output of -fcgl |
| `DESCRIPTOR_HEAPS` | in `LAST`, and on the output of -fcgl |

`compiler/finishing.py` runs the sequences and `steps` lists them: a new sequence has a place in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.capabilities.declare import derive_capabilities
from hlsl_tool.codegen.passes.capabilities.declared import PlaceOf
from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.codegen.passes.dead_pointers import remove_dead_pointers
from hlsl_tool.codegen.passes.descriptors import choose_indices, join_chains, linearize_arrays
from hlsl_tool.codegen.passes.hit_objects import has_hit_objects, merge_hit_objects
from hlsl_tool.codegen.passes.invocation_interlock import has_critical_sections, place_invocation_interlock
from hlsl_tool.codegen.passes.nonuniform import propagate_non_uniform, respread_non_uniform
from hlsl_tool.codegen.passes.precise import propagate_precise
from hlsl_tool.codegen.passes.relaxed_precision import propagate_relaxed_precision
from hlsl_tool.codegen.passes.typed_views import separate_typed_views
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module


@dataclass(slots=True)
class Subject:
    """A module on its way through the passes, and the data that decides which of them run."""

    module: Module
    options: CompileOptions
    before: Module | None = None
    """The module that spirv-opt was given."""
    flatten_structs: bool = False
    """Whether structs of resources, and arrays of such structs, become one variable for each resource."""
    _index: ModuleIndex | None = None

    @property
    def index(self) -> ModuleIndex:
        """The tables of the module in its present state, which passes and checks share."""
        if self._index is None:
            self._index = ModuleIndex(self.module)
        return self._index

    def forget_index(self) -> None:
        """Discard the tables: the module has changed."""
        self._index = None

    def replace_module(self, module: Module) -> None:
        """Go on with another module."""
        self.module = module
        self._index = None


def _always(subject: Subject) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over a finished module."""

    name: str
    run: Callable[[Subject], bool | None]
    """The pass; it returns false if the subject's index is still valid afterwards."""
    reason: str
    """Why it runs at its place."""
    when: Callable[[Subject], bool] = _always
    condition: str = ""
    """`when` in words."""


@dataclass(frozen=True, slots=True)
class BuilderPass:
    """One pass over the builder, before ids are final."""

    name: str
    run: Callable[[ModuleBuilder], None]
    reason: str


@dataclass(frozen=True, slots=True)
class ExternalStep:
    """A step that `compiler.finishing` takes between the passes."""

    name: str
    reason: str
    condition: str = ""


MARKS = (
    BuilderPass("non-uniform", propagate_non_uniform, "spread NonUniform from indices to the accesses behind them"),
    BuilderPass("relaxed-precision", propagate_relaxed_precision, "spread RelaxedPrecision from min16 types"),
    BuilderPass("precise", propagate_precise, "spread NoContraction back to the operands of precise values"),
)
"""On the builder, whose instructions still have the marks of the lowering.  They are independent of each other."""


def _merge(inline_types: frozenset[int], subject: Subject) -> None:
    from hlsl_tool.codegen.passes.equal_types import merge_equal_types  # start-up time

    merge_equal_types(subject.module, inline_types)


def _merge_equal_types(inline_types: frozenset[int]) -> Pass:
    return Pass(
        "merge-equal-types",
        partial(_merge, inline_types),
        "inline types can repeat what another declaration spells; SPIR-V allows each type once",
        lambda subject: bool(inline_types),
        "the shader has inline SPIR-V types",
    )


def _capabilities(features: Features, place_of: PlaceOf) -> Pass:
    return Pass(
        "capabilities",
        lambda subject: derive_capabilities(subject.module, features, place_of=place_of),
        "all types and decorations are there; an error names the place in the source",
        lambda subject: not features.sink.error_count,
        "no pass before it has failed",
    )


def _compute_remainders_exactly(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.exact_remainder import compute_remainders_exactly  # start-up time

    compute_remainders_exactly(subject.module)


_REMAINDERS = Pass(
    "exact-remainder",
    _compute_remainders_exactly,
    "signed remainders of negative numbers, before the capabilities of the new instructions are declared",
    lambda subject: subject.options.exact_remainder,
    "-fexact-remainder",
)


_LONG_VECTORS = "SPV_EXT_long_vector"


def _replace_long_vectors(subject: Subject) -> None:
    if _LONG_VECTORS in subject.options.extensions:
        _declare_long_vectors(subject)
        return
    from hlsl_tool.codegen.passes.long_vectors import replace_long_vectors  # start-up time

    replace_long_vectors(subject.module)


def _long_vectors(is_needed: bool) -> Pass:
    return Pass(
        "long-vectors",
        _replace_long_vectors,
        "SPIR-V has vectors of up to four components; all later steps may rely on it",
        lambda subject: is_needed and (_LONG_VECTORS not in subject.options.extensions or subject.options.codegen_only),
        "the shader has vectors of more than four components, and their extension is not named",
    )


def _declare_long_vectors(subject: Subject) -> bool:
    from hlsl_tool.codegen.passes.long_vectors.native import declare_long_vectors  # start-up time

    return declare_long_vectors(subject.module)


def _compare_floats(features: Features, places: Sequence[Location | None], subject: Subject) -> None:
    from hlsl_tool.codegen.passes.float_comparisons import NotTraceable, compare_floats_as_integers  # start-up time

    try:
        compare_floats_as_integers(subject.module)
    except NotTraceable as problem:
        what = f"InterlockedCompareStoreFloatBitwise or InterlockedCompareExchangeFloatBitwise {problem}"
        features.sink.error(lower_codes.FEATURE_UNSUPPORTED, places[0] if places else None, what=what)


def _float_comparisons(features: Features, places: Sequence[Location | None]) -> Pass:
    return Pass(
        "float-comparisons",
        partial(_compare_floats, features, places),
        "SPIR-V compares and exchanges integers only; the module is not valid before",
        lambda subject: bool(places),
        "the shader compares and exchanges floats by their bits",
    )


def declarations(
    inline_types: frozenset[int],
    features: Features,
    place_of: PlaceOf,
    *,
    long_vectors: bool = False,
    float_comparisons: Sequence[Location | None] = (),
) -> tuple[Pass, ...]:
    """Return the passes that end the lowering.

    ``inline_types``: opcodes of inline SPIR-V types; ``long_vectors``: whether there are any.  ``float_comparisons``:
    the places of atomics that compare the bits of floats.  Errors go to the sink of ``features``, at the places that
    ``place_of`` returns.
    """
    return (
        _merge_equal_types(inline_types),
        _long_vectors(long_vectors),
        _float_comparisons(features, float_comparisons),
        _REMAINDERS,
        _capabilities(features, place_of),
    )


def _trim(subject: Subject) -> bool:
    trim_capabilities(subject.module, subject.index)
    return False  # there is no table of capabilities


TRIM = Pass("trim-capabilities", _trim, "only now it is known which capabilities and extensions are used")

BEFORE_ANY_TOOL = (
    Pass(
        "trim-capabilities",
        _trim,
        "an old spirv-opt stops at capabilities that it does not know, also at unused ones",
    ),
)
"""On modules that were not promoted; also on the output of -fcgl if spirv-opt upgrades its memory model."""


_JOIN = Pass(
    "join-chains",
    lambda subject: join_chains(subject.module, subject.index),
    "pointers to elements of arrays of buffers are known: each access can start at its variable",
)


AFTER_PROMOTION = (
    _JOIN,
    Pass(
        "non-uniform",
        lambda subject: respread_non_uniform(subject.module, subject.index),
        "promotion has made new accesses to resources",
    ),
    TRIM,
)
"""After our own promotion of variables to SSA values (`codegen.passes.promote`), which replaces spirv-opt's legalisation."""


def _pass_unsized_arrays_by_reference(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.before_optimizer.unsized_arrays import (
        pass_unsized_arrays_by_reference,  # start-up time
    )

    pass_unsized_arrays_by_reference(subject.module)


def _separate_volatile_inputs(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.volatile_inputs import separate_volatile_inputs  # start-up time

    separate_volatile_inputs(subject.module)


BEFORE_LEGALIZATION = (
    Pass(
        "unsized-arrays",
        _pass_unsized_arrays_by_reference,
        "old versions of spirv-opt cannot legalise unsized arrays that are passed by value",
    ),
    Pass(
        "volatile-inputs",
        _separate_volatile_inputs,
        "spirv-opt gives up at built-ins that are volatile in some entry points only",
    ),
)


def _spell_null_constants(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.before_optimizer.null_constants import spell_null_constants  # start-up time

    spell_null_constants(subject.module)


def _has_null_integers(subject: Subject) -> bool:
    if not any(inst.op == op.OpConstantNull for inst in subject.module.globals):
        return False
    from hlsl_tool.codegen.passes.before_optimizer.null_constants import has_null_integers  # start-up time

    return has_null_integers(subject.module)


BEFORE_OPTIMIZER = (
    Pass(
        "null-constants",
        _spell_null_constants,
        "spirv-opt folds operations on vectors of null constants wrongly",
        _has_null_integers,
        "the shader has null constants and operations on vectors of integers",
    ),
)


def _flatten(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.descriptors.flatten import flatten_descriptors  # start-up time

    arrays = subject.options.flatten_resource_arrays
    flatten_descriptors(subject.module, arrays=arrays, composites=subject.flatten_structs)


def _restore_interface(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.preserve_interface import restore_interface  # start-up time

    restore_interface(subject.module, _before(subject))


def _restore_debug_sources(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.debug_info.sources import restore_debug_sources  # start-up time

    restore_debug_sources(subject.module, _before(subject))


def _restore_debug_values(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.debug_info.debug_values import restore_debug_values  # start-up time

    restore_debug_values(subject.module, _before(subject), subject.index)


AFTER_OPTIMIZER = (
    Pass(
        "hit-objects",
        lambda subject: merge_hit_objects(subject.module, subject.index),
        "calls are inlined: copies of hit objects are between variables of one function",
        lambda subject: has_hit_objects(subject.index),
        "the shader has hit objects",
    ),
    Pass(
        "invocation-interlock",
        lambda subject: place_invocation_interlock(subject.module),
        "calls are inlined: all critical sections are in the entry point and can become one",
        lambda subject: has_critical_sections(subject.module),
        "the shader has critical sections",
    ),
    Pass(
        "dead-pointers",
        lambda subject: remove_dead_pointers(subject.module, subject.index),
        "spirv-opt leaves local variables of pointer type that nothing reads",
    ),
    Pass(
        "preserve-interface",
        _restore_interface,
        "spirv-opt has removed interface variables that nothing uses",
        lambda subject: subject.options.preserve_interface,
        "-fspv-preserve-interface",
    ),
    Pass(
        "debug-sources",
        _restore_debug_sources,
        "spirv-opt has removed DebugSource instructions that only headers name",
        lambda subject: subject.options.debug_rich,
        "rich debug information",
    ),
    Pass(
        "debug-values",
        _restore_debug_values,
        "spirv-opt has removed the values of local variables, also those that are still computed",
        lambda subject: subject.options.debug_rich,
        "rich debug information",
    ),
    Pass(
        "linearize-descriptors",
        lambda subject: linearize_arrays(subject.module, subject.index),
        "every access names its variable, so arrays of arrays of resources can become arrays",
    ),
    Pass(
        "choose-descriptors",
        lambda subject: choose_indices(subject.module, subject.index),
        "selections between resources of one array become selections of the index",
    ),
    _JOIN,
    Pass(
        "non-uniform",
        lambda subject: respread_non_uniform(subject.module, subject.index),
        "the three passes before it have made new accesses",
    ),
    TRIM,
)


def _drop_debug_declarations(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.debug_info.declarations import drop_debug_declarations  # start-up time

    drop_debug_declarations(subject.module)


def _fixup_ext_inst_forward_refs(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.debug_info.forward_references import fixup_ext_inst_forward_refs  # start-up time

    fixup_ext_inst_forward_refs(subject.module)


MEND_DEBUG_INFO = (
    Pass(
        "debug-declarations",
        _drop_debug_declarations,
        "inlining leaves DebugDeclare instructions that name no variable",
        lambda subject: subject.options.debug_rich,
        "rich debug information",
    ),
    Pass(
        "debug-forward-references",
        _fixup_ext_inst_forward_refs,
        "optimisation may turn references of debug instructions around",
        lambda subject: subject.options.debug_rich,
        "rich debug information",
    ),
)
"""Before spirv-opt reads its own output again, and at the end."""


def _strip_handle_loads(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.descriptors.handle_loads import strip_handle_loads  # start-up time

    strip_handle_loads(subject.module, subject.index)


AFTER_UPGRADE = (
    Pass(
        "handle-loads",
        _strip_handle_loads,
        "the upgrade marks the loads of coherent images, which are no accesses of their texels",
    ),
)
"""After spirv-opt has upgraded the memory model."""


def _replace_local_arrays(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.descriptors.local_arrays import replace_local_arrays  # start-up time
    from hlsl_tool.codegen.passes.descriptors.local_structs import split_local_structs

    split_local_structs(subject.module)
    replace_local_arrays(subject.module)


BETWEEN_OPTIMIZERS = (
    *MEND_DEBUG_INFO,
    Pass(
        "local-arrays",
        _replace_local_arrays,
        "legalisation has inlined all calls: the resources in local arrays of resources are known",
        condition="resources are flattened, or are in local arrays",
    ),
    Pass(
        "flatten-descriptors",
        _flatten,
        "everything is in the entry points: each access of an array or struct of resources names one resource",
        lambda subject: subject.options.flatten_resource_arrays or subject.flatten_structs,
        "-fspv-flatten-resource-arrays, or the shader has structs of resources",
    ),
)
"""After legalisation and before optimisation by spirv-opt, where there is something to flatten."""


def _use_descriptor_heaps(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.descriptor_heap import use_descriptor_heaps  # start-up time

    options = subject.options
    use_descriptor_heaps(
        subject.module, resource_stride=options.resource_heap_stride, sampler_stride=options.sampler_heap_stride
    )


def _has_heaps(subject: Subject) -> bool:
    if not subject.options.descriptor_heap:
        return False
    from hlsl_tool.codegen.passes.descriptor_heap import has_heaps  # start-up time

    return has_heaps(subject.module)


DESCRIPTOR_HEAPS = (
    Pass(
        "descriptor-heap",
        _use_descriptor_heaps,
        "spirv-opt and the other passes see arrays of descriptors; the views of byte-address buffers are there",
        _has_heaps,
        "-fspv-use-descriptor-heap, and the shader uses a heap",
    ),
)
"""At the end, also on the output of -fcgl."""

LAST = (
    Pass(
        "typed-views",
        lambda subject: separate_typed_views(subject.module, subject.index),
        "the types with which byte-address buffers are accessed are final",
    ),
    *DESCRIPTOR_HEAPS,
    Pass(
        "native-long-vectors",
        _declare_long_vectors,
        "spirv-opt knows longer vectors only by the opcode of short ones",
        lambda subject: _LONG_VECTORS in subject.options.extensions,
        "-fspv-extension=SPV_EXT_long_vector",
    ),
    *MEND_DEBUG_INFO,
    Pass(
        "trim-capabilities",
        _trim,
        "the passes before it have removed instructions",
        lambda subject: subject.options.debug_rich,
        "rich debug information",
    ),
)


def prepare(builder: ModuleBuilder) -> None:
    """Run `MARKS`."""
    for step in MARKS:
        step.run(builder)


def run(passes: tuple[Pass, ...], subject: Subject) -> None:
    """Run those passes of a sequence whose conditions hold."""
    for step in passes:
        if step.when(subject) and step.run(subject) is not False:
            subject.forget_index()


def _before(subject: Subject) -> Module:
    assert subject.before is not None, "this pass follows spirv-opt"
    return subject.before


_UPGRADE = ExternalStep(
    "spirv-opt --upgrade-memory-model",
    "before legalisation, which knows both memory models",
    "-fspv-use-vulkan-memory-model, or a feature that needs it",
)
_PROMOTE = ExternalStep(
    "promote",
    "local variables become SSA values; resources in them are then legal (`codegen.passes.promote`)",
    "the module is optimised or needs legalisation, and no option names a pass of spirv-opt",
)
_LEGALIZE = ExternalStep(
    "spirv-opt --legalize-hlsl",
    "in place of promotion where that is impossible",
    "the module needs legalisation",
)
_MASK = ExternalStep("mask", "an old spirv-opt does not know all instructions (`codegen.passes.masking`)")
_UNMASK = ExternalStep("unmask", "spirv-opt is done")
_OPTIMIZE = ExternalStep(
    "spirv-opt -O",
    "in the same run as legalisation where both are needed; on SSA form only the passes that can change it",
    "unless -O0 or -Od",
)
_VALIDATE = ExternalStep("spirv-val", "on the final words", "unless -Vd")

Step = Pass | BuilderPass | ExternalStep


def steps() -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Yield the whole pipeline: (stage, its steps)."""
    features = Features(sink=Sink())
    yield "lowering", (*MARKS, *declarations(frozenset(), features, lambda number: None))
    yield "memory model", (*BEFORE_ANY_TOOL, _UPGRADE, *AFTER_UPGRADE)
    yield "promotion", (_PROMOTE, *AFTER_PROMOTION)
    yield "without promotion", BEFORE_ANY_TOOL
    between = (*BETWEEN_OPTIMIZERS, _OPTIMIZE, _UNMASK)
    yield "optimisation", (*BEFORE_LEGALIZATION, *BEFORE_OPTIMIZER, _MASK, _LEGALIZE, *between, *AFTER_OPTIMIZER)
    yield "last", (*LAST, _VALIDATE)


def as_text() -> str:
    """Return the pipeline as a table: one line for each step, with its condition and its reason."""
    lines = []
    for stage, passes in steps():
        lines.append(f"{stage}:")
        for step in passes:
            condition = "" if isinstance(step, BuilderPass) else step.condition
            lines.append(f"  {step.name:<32} {step.reason}")
            if condition:
                word = "" if condition.startswith("unless") else "if "
                lines.append(f"  {'':<32} {word}{condition}")
        if stage == "memory model":
            lines.append("  -fcgl stops here")
    return "\n".join(lines) + "\n"
