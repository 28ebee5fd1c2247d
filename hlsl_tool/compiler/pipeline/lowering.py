"""The steps that end the lowering: passes over the builder (`MARKS`), then steps on the module (`LOWERING`)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.codegen.passes.capabilities.declare import derive_capabilities
from hlsl_tool.codegen.passes.nonuniform import propagate_non_uniform
from hlsl_tool.codegen.passes.precise import propagate_precise
from hlsl_tool.codegen.passes.relaxed_precision import propagate_relaxed_precision
from hlsl_tool.compiler.pipeline.subject import BuilderPass, Step, Subject, function, on_module
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.features import UNTYPED_POINTERS


def names_long_vectors(subject: Subject) -> bool:
    """Return whether `-fspv-extension` names the extension of long vectors."""
    return "SPV_EXT_long_vector" in subject.options.extensions


def names_untyped_pointers(subject: Subject) -> bool:
    """Return whether `-fspv-extension` names the extension of untyped pointers."""
    return UNTYPED_POINTERS in subject.options.extensions


def _compare_floats(subject: Subject) -> None:
    from hlsl_tool.codegen.passes.float_comparisons import NotTraceable, compare_floats_as_integers  # start-up time

    try:
        compare_floats_as_integers(subject.module)
    except NotTraceable as problem:
        what = f"InterlockedCompareStoreFloatBitwise or InterlockedCompareExchangeFloatBitwise {problem}"
        location = subject.requirements.float_comparisons[0]
        subject.features.sink.error(lower_codes.FEATURE_UNSUPPORTED, location, what=what)


MARKS = (
    BuilderPass("non-uniform", propagate_non_uniform, "propagate NonUniform from indices to the accesses behind them"),
    BuilderPass("relaxed-precision", propagate_relaxed_precision, "propagate RelaxedPrecision from min16 types"),
    BuilderPass("precise", propagate_precise, "propagate NoContraction back to the operands of precise values"),
)
"""On the builder, whose instructions still have the marks of the lowering.  They are independent of each other."""

LOWERING = (
    Step(
        "merge-equal-types",
        lambda s: function("equal_types:merge_equal_types")(s.module, s.requirements.inline_types),
        "inline types can repeat what another declaration spells; SPIR-V allows each type once",
        lambda s: bool(s.requirements.inline_types),
        "the shader has inline SPIR-V types",
    ),
    Step(
        "long-vectors",
        on_module("long_vectors:replace_long_vectors"),
        "SPIR-V has vectors of up to four components; all later steps may rely on it",
        lambda s: s.requirements.has_long_vectors and not names_long_vectors(s),
        "the shader has vectors of more than four components, and their extension is not named",
    ),
    Step(
        "native-long-vectors",
        on_module("long_vectors.native:declare_long_vectors"),
        "no later step of -fcgl declares them",
        lambda s: s.requirements.has_long_vectors and names_long_vectors(s) and s.options.codegen_only,
        "-fcgl and -fspv-extension=SPV_EXT_long_vector",
    ),
    Step(
        "float-comparisons",
        _compare_floats,
        "SPIR-V compares and exchanges integers only; the module is not valid before",
        lambda s: bool(s.requirements.float_comparisons),
        "the shader compares and exchanges floats by their bits",
    ),
    Step(
        "exact-remainder",
        on_module("arithmetic.exact_remainder:compute_remainders_exactly"),
        "signed remainders of negative numbers, before the capabilities of the new instructions are declared",
        lambda s: s.options.exact_remainder,
        "-fexact-remainder",
    ),
    Step(
        "capabilities",
        lambda s: derive_capabilities(s.module, s.features, place_of=s.locate),
        "all types and decorations are there; an error names the place in the source",
        lambda s: not s.features.sink.error_count,
        "no pass before it has failed",
    ),
)
"""At the end of lowering; -fcgl ends here, but for the memory model and descriptor heaps."""


def prepare(builder: ModuleBuilder) -> None:
    """Propagate NonUniform, RelaxedPrecision and NoContraction in the builder: run the passes in `MARKS`."""
    for step in MARKS:
        step.run(builder)
