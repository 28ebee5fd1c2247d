"""Remove capabilities and extensions that nothing in the module uses.

Before: ``capabilities`` has declared some that may be unused, and the optimiser may have removed instructions that
needed others. After: a capability in ``TRIMMABLE`` remains if an instruction, an operand or a type needs it; an
extension remains if something that remains needs it. All others are not changed, as the module alone does not determine
whether they are needed.

Where the registry lists alternatives (an acceleration structure needs ray queries or ray tracing), one that is needed
for other reasons suffices. If none is, one without a vendor's extension remains. Modules with Linkage are trimmed too:
the linker unites the declarations of its modules.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from hlsl_tool.codegen.passes.capabilities.needs import CAPABILITIES, Needs
from hlsl_tool.codegen.passes.capabilities.tables import (
    BUILTIN_RULES,
    FLOAT_ATOMIC_FEATURES,
    FLOAT_CONTROLS,
    HALF_VECTOR_ATOMICS,
    OPCODE_CAPABILITIES,
    OPCODE_FEATURES,
)
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.grammar import core
from hlsl_tool.spirv.ir import Module

_C = Capability

TRIMMABLE = frozenset(
    (
        *(capability for capability, _ in FLOAT_ATOMIC_FEATURES.values()), HALF_VECTOR_ATOMICS[0],
        *(capability for capability, _, _ in OPCODE_FEATURES.values()),
        *(capability for capability, _, _ in BUILTIN_RULES.values()),
        *(capability for capabilities in OPCODE_CAPABILITIES.values() for capability in capabilities),
        *FLOAT_CONTROLS.values(),
        _C.BFloat16TypeKHR, _C.ComputeDerivativeGroupLinearKHR,
        _C.ComputeDerivativeGroupQuadsKHR, _C.DemoteToHelperInvocation, _C.Float16, _C.Float8EXT,
        _C.Float64, _C.FragmentShaderPixelInterlockEXT, _C.FragmentShaderSampleInterlockEXT,
        _C.FragmentShaderShadingRateInterlockEXT, _C.Geometry, _C.GroupNonUniform, _C.GroupNonUniformClustered,
        _C.GroupNonUniformPartitionedNV, _C.Groups, _C.Image1D, _C.ImageBuffer, _C.ImageMSArray, _C.InputAttachment,
        _C.InputAttachmentArrayNonUniformIndexing, _C.Int16, _C.Int64, _C.Int64Atomics, _C.Int64ImageEXT, _C.Int8,
        _C.InterpolationFunction, _C.MinLod, _C.MultiViewport, _C.PhysicalStorageBufferAddresses, _C.QuadControlKHR,
        _C.RayQueryKHR, _C.RayTracingKHR, _C.RayTraversalPrimitiveCullingKHR, _C.RuntimeDescriptorArray,
        _C.SampleMaskPostDepthCoverage, _C.Sampled1D, _C.SampledBuffer, _C.SampledImageArrayNonUniformIndexing,
        _C.ShaderClockKHR, _C.ShaderLayer, _C.ShaderNonUniform, _C.ShaderViewportIndex, _C.ShaderViewportIndexLayerEXT,
        _C.StorageBuffer8BitAccess, _C.StorageImageArrayNonUniformIndexing, _C.StorageImageExtendedFormats,
        _C.StorageImageMultisample, _C.StorageImageReadWithoutFormat, _C.StorageImageWriteWithoutFormat,
        _C.StorageInputOutput16, _C.StoragePushConstant16, _C.StoragePushConstant8,
        _C.StorageTexelBufferArrayNonUniformIndexing, _C.StorageUniform16, _C.StorageUniformBufferBlock16,
        _C.UniformAndStorageBuffer8BitAccess, _C.UniformTexelBufferArrayNonUniformIndexing,
    )
)  # fmt: skip
"""Capabilities whose need the module determines."""

_WITHOUT_CAPABILITY = frozenset(
    (
        "SPV_AMD_shader_early_and_late_fragment_tests",
        "SPV_GOOGLE_hlsl_functionality1",
        "SPV_GOOGLE_user_type",
        "SPV_KHR_maximal_reconvergence",
    )
)
"""Extensions of operands and instructions that need no capability of their own."""


def trim_capabilities(module: Module, index: ModuleIndex | None = None) -> None:
    """Remove unused capabilities and extensions, in place; ``index`` is the module's index, which stays valid."""
    declared = [inst.id(0) for inst in module.capabilities]
    extensions = dict.fromkeys(inst.text(0) for inst in module.extensions)
    if TRIMMABLE.isdisjoint(declared) and (_RELATED | _WITHOUT_CAPABILITY).isdisjoint(extensions):
        return
    needs = Needs(module, index or ModuleIndex(module))
    needs.scan()
    remaining = _decide(declared, needs, extensions)
    unique = {inst.id(0): inst for inst in reversed(module.capabilities)}  # spirv-opt can add one that is there
    module.capabilities = [
        inst for inst in module.capabilities if inst.id(0) in remaining and unique[inst.id(0)] is inst
    ]
    needed = _needed_extensions(extensions, remaining, needs)
    module.extensions = [inst for inst in module.extensions if inst.text(0) in needed]


def _capability_extensions(number: int) -> tuple[str, ...]:
    row = core.ENUMERANTS["Capability"].get(number)
    return row[3] if row is not None else ()


_RELATED = frozenset(name for number in TRIMMABLE for name in _capability_extensions(number))
"""Extensions that belong to a capability in ``TRIMMABLE``."""


@cache
def _implied(number: int) -> frozenset[int]:
    """Return a capability with all capabilities that it implies."""
    row = core.ENUMERANTS["Capability"].get(number)
    implied = {number}
    for name in row[2] if row is not None else ():
        implied |= _implied(CAPABILITIES[name])
    return frozenset(implied)


def _is_vendors(name: str) -> bool:
    """Return whether an extension belongs to a single vendor, such as NV."""
    return name.split("_")[1] not in ("KHR", "EXT", "GOOGLE")


def _decide(declared: list[int], needs: Needs, extensions: Iterable[str]) -> set[int]:
    """Return the declared capabilities to keep."""
    remaining = {number for number in declared if number not in TRIMMABLE}
    remaining.update(number for number in declared if number in needs.certain)
    choices: list[list[int]] = []
    for alternatives in needs.alternatives:
        present = [number for number in declared if number in alternatives]
        if not present:
            present = [number for number in declared if not _implied(number).isdisjoint(alternatives)]
        if len(present) == 1:
            remaining.add(present[0])
        elif present:
            choices.append(present)
    present_extensions = frozenset(extensions)
    while choices := [present for present in choices if remaining.isdisjoint(present)]:
        remaining.add(_best(choices, present_extensions))
    return remaining


def _best(choices: list[list[int]], extensions: frozenset[str]) -> int:
    """Return the capability that occurs in most of ``choices``, lists of capabilities of which one is needed.

    Capabilities without a vendor's extension are preferred.
    """

    def rank(number: int) -> tuple[bool, int]:
        own = extensions.intersection(_capability_extensions(number))
        return all(map(_is_vendors, own)) and bool(own), -sum(number in present for present in choices)

    return min(dict.fromkeys(number for present in choices for number in present), key=rank)


def _needed_extensions(present: Iterable[str], capabilities: Iterable[int], needs: Needs) -> set[str]:
    """Return the declared extensions to keep; among alternatives, prefer one that is not a vendor's."""
    preferred = sorted(present, key=_is_vendors)
    needed = {name for name in preferred if name not in _RELATED and name not in _WITHOUT_CAPABILITY}
    needed |= _WITHOUT_CAPABILITY.intersection(needs.mentioned)
    wanted = [[name for name in preferred if name in _capability_extensions(number)] for number in capabilities]
    wanted += [[name for name in preferred if name in alternatives] for alternatives in needs.extensions]
    for alternatives in sorted(wanted, key=len):
        if needed.isdisjoint(alternatives):
            needed.update(alternatives[:1])
    return needed
