"""Declared capabilities and extensions, their order, errors about them, and trimming of unused ones."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.codegen.passes.capabilities.declare import derive_capabilities
from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import NON_UNIFORM, Member, ModuleBuilder
from hlsl_tool.spirv.builder.images import ImageOperands
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Instruction

from .helpers import begin_main, body, declared, end_main

SUSPECTED = [
    "MinLod",
    "StorageImageWriteWithoutFormat",
    "StorageImageReadWithoutFormat",
    "FragmentShaderSampleInterlockEXT",
    "FragmentShaderPixelInterlockEXT",
    "FragmentShaderShadingRateInterlockEXT",
    "ComputeDerivativeGroupQuadsKHR",
    "ComputeDerivativeGroupLinearKHR",
    "RayQueryKHR",
    "GroupNonUniformPartitionedEXT",
    "InterpolationFunction",
    "QuadControlKHR",
]
SUSPECTED_EXTENSIONS = [
    "SPV_EXT_fragment_shader_interlock",
    "SPV_KHR_compute_shader_derivatives",
    "SPV_KHR_ray_query",
    "SPV_NV_shader_subgroup_partitioned",
    "SPV_KHR_quad_control",
]


def empty(model: int = e.ExecutionModel.Fragment) -> ModuleBuilder:
    b = ModuleBuilder()
    end_main(b, begin_main(b), model)
    return b


def trimmed(b: ModuleBuilder, env: str = "vulkan1.0", allowed: tuple[str, ...] = ()) -> list[str]:
    module = b.finalize()
    derive_capabilities(module, Features(env, allowed, sink=Sink()))
    trim_capabilities(module)
    text = [line for line in body(module) if line.startswith(("OpCapability", "OpExtension"))]
    return [line.split(" ", 1)[1].strip('"') for line in text]


def test_suspected_first_then_the_stage() -> None:
    assert declared(empty())[0] == [*SUSPECTED, "Shader", *SUSPECTED_EXTENSIONS]


def test_requested_capabilities_come_first() -> None:
    b = empty()
    b.capability(e.Capability.Int8)
    b.extension("SPV_X")
    names = declared(b)[0]
    assert names[0] == "Int8"
    assert names[names.index("QuadControlKHR") + 2] == "SPV_X"


@pytest.mark.parametrize(
    ("model", "capability"),
    [
        (e.ExecutionModel.Vertex, "Shader"),
        (e.ExecutionModel.Geometry, "Geometry"),
        (e.ExecutionModel.TessellationControl, "Tessellation"),
        (e.ExecutionModel.MeshNV, "MeshShadingNV"),
    ],
)
def test_stages(model: int, capability: str) -> None:
    assert capability in declared(empty(model))[0]


def test_a_library_without_entry_points_is_a_shader() -> None:
    b = ModuleBuilder()
    function = begin_main(b)
    b.ret()
    b.end_function()
    b.decorate_linkage(function, "f", e.LinkageType.Export)
    names = trimmed(b)
    assert names == ["Linkage", "Shader"], "the linker unites what the modules declare"


def test_ray_tracing_wants_a_newer_environment() -> None:
    names, sink = declared(empty(e.ExecutionModel.RayGenerationKHR))
    assert "RayTracingKHR" in names
    assert [d.message for d in sink.diagnostics] == [
        "Vulkan 1.1 with SPIR-V 1.4 is required for Raytracing but not permitted to use"
    ]
    names, sink = declared(empty(e.ExecutionModel.RayGenerationKHR), allowed=("SPV_NV_ray_tracing",))
    assert "RayTracingNV" in names
    assert not sink.diagnostics


def test_extensions_not_allowed_are_errors() -> None:
    b = ModuleBuilder()
    main = begin_main(b)
    view = b.builtin_variable(b.u32(), e.StorageClass.Input, e.BuiltIn.ViewIndex, "view")
    end_main(b, main, interface=(view,))
    _, sink = declared(b, allowed=("SPV_KHR_16bit_storage",))
    assert [d.message for d in sink.diagnostics] == [
        "SPIR-V extension 'SPV_KHR_multiview' required for SV_ViewID but not permitted to use"
    ]
    names, sink = declared(b, "vulkan1.1", allowed=("SPV_KHR_16bit_storage",))
    assert not sink.diagnostics, "core in Vulkan 1.1"
    assert "MultiView" in names


def test_sixteen_bits_by_where_they_are() -> None:
    b = ModuleBuilder()
    half = b.float_type(16)
    for interface, storage in (("storage", e.StorageClass.Uniform), ("uniform", e.StorageClass.Uniform)):
        block = b.struct(interface, [Member(half, "a", 0)], interface=interface)
        b.global_variable(block, storage)
    b.global_variable(b.struct("pc", [Member(half, "a", 0)], interface="uniform"), e.StorageClass.PushConstant)
    b.global_variable(b.vector(b.int_type(16), 2), e.StorageClass.Input)
    end_main(b, begin_main(b))
    names = trimmed(b)
    assert names == [
        "Shader",
        "StorageBuffer16BitAccess",
        "Float16",
        "UniformAndStorageBuffer16BitAccess",
        "StoragePushConstant16",
        "Int16",
        "StorageInputOutput16",
        "SPV_KHR_16bit_storage",
    ]


@pytest.mark.parametrize("combined", [False, True], ids=["image", "combined image and sampler"])
def test_non_uniform_access(combined: bool) -> None:
    b = ModuleBuilder()
    image = b.image(b.f32(), e.Dim.Dim2D)
    image = b.sampled_image(image) if combined else image
    textures = b.global_variable(b.runtime_array(image), e.StorageClass.UniformConstant, "t")
    main = begin_main(b)
    chain = b.access_chain(image, textures, [b.const_uint(0)])
    b.mark(chain, NON_UNIFORM)
    b.mark(b.load(chain), NON_UNIFORM)
    end_main(b, main)
    names = trimmed(b)
    assert names == [
        "Shader",
        "RuntimeDescriptorArray",
        "ShaderNonUniform",
        "SampledImageArrayNonUniformIndexing",
        "SPV_EXT_descriptor_indexing",
    ]


def test_trimming_keeps_what_is_used() -> None:
    b = ModuleBuilder()
    image = b.image(b.f32(), e.Dim.Dim2D, sampled=2)
    target = b.global_variable(image, e.StorageClass.UniformConstant)
    varying = b.global_variable(b.f32(), e.StorageClass.Input)
    main = begin_main(b)
    b.image_write(b.load(target), b.zero(b.vector(b.u32(), 2)), b.zero(b.vector(b.f32(), 4)))
    b.glsl(glsl.InterpolateAtCentroid, b.f32(), varying)
    end_main(b, main)
    assert trimmed(b) == ["StorageImageWriteWithoutFormat", "InterpolationFunction", "Shader"]
    assert trimmed(empty()) == ["Shader"]


def test_trimming_min_lod() -> None:
    b = ModuleBuilder()
    texture = b.global_variable(b.image(b.f32(), e.Dim.Dim2D), e.StorageClass.UniformConstant)
    sampler = b.global_variable(b.sampler(), e.StorageClass.UniformConstant)
    main = begin_main(b)
    operands = ImageOperands(min_lod=b.const_f32(1.0), offset=b.zero(b.vector(b.i32(), 2)))
    b.image_sample(b.vector(b.f32(), 4), b.load(texture), b.load(sampler), b.zero(b.vector(b.f32(), 2)), operands)
    end_main(b, main)
    assert trimmed(b) == ["MinLod", "Shader", "ImageGatherExtended"]


def test_one_alternative_is_enough() -> None:
    b = ModuleBuilder(version=(1, 5))
    scene = b.global_variable(b.acceleration_structure(), e.StorageClass.UniformConstant, "scene")
    main = begin_main(b)
    b.load(scene)
    end_main(b, main, e.ExecutionModel.RayGenerationKHR)
    assert trimmed(b, "vulkan1.2") == ["RayTracingKHR", "SPV_KHR_ray_tracing"]
    b = ModuleBuilder(version=(1, 5))
    scene = b.global_variable(b.acceleration_structure(), e.StorageClass.UniformConstant, "scene")
    main = begin_main(b)
    b.load(scene)
    end_main(b, main)
    assert trimmed(b, "vulkan1.2") == ["RayQueryKHR", "Shader", "SPV_KHR_ray_query"]


def test_wave_operations_do_not_need_the_partitioned_ones() -> None:
    b = ModuleBuilder(version=(1, 3))
    main = begin_main(b)
    scope = b.lazy_uint(e.Scope.Subgroup)
    b.emit(op.OpGroupNonUniformIAdd, b.u32(), scope, e.GroupOperation.Reduce, b.const_uint(1))
    end_main(b, main)
    assert trimmed(b, "vulkan1.1") == ["Shader", "GroupNonUniformArithmetic"]


def test_reductions_beside_ballots_do_not_need_the_partitioned_ones() -> None:
    b = ModuleBuilder(version=(1, 3))
    main = begin_main(b)
    scope = b.lazy_uint(e.Scope.Subgroup)
    total = b.emit(op.OpGroupNonUniformIAdd, b.u32(), scope, e.GroupOperation.Reduce, b.const_uint(1))
    b.emit(op.OpGroupNonUniformBroadcastFirst, b.u32(), scope, total)
    end_main(b, main)
    assert trimmed(b, "vulkan1.1") == ["Shader", "GroupNonUniformArithmetic", "GroupNonUniformBallot"]


@pytest.mark.parametrize("allowed", [(), ("EXT",), ("NV",), ("NV", "EXT")])
def test_partitioned_scans_beside_reductions_need_both(allowed: tuple[str, ...]) -> None:
    """The extension of several vendors is preferred where it is allowed, which it is by name only."""
    b = ModuleBuilder(version=(1, 3))
    main = begin_main(b)
    scope = b.lazy_uint(e.Scope.Subgroup)
    ballot = b.emit(op.OpGroupNonUniformPartitionNV, b.vector(b.u32(), 4), b.const_uint(1))
    operation = e.GroupOperation.PartitionedExclusiveScanNV
    b.emit(op.OpGroupNonUniformIAdd, b.u32(), scope, operation, b.const_uint(1), ballot)
    b.emit(op.OpGroupNonUniformIAdd, b.u32(), scope, e.GroupOperation.Reduce, b.const_uint(1))
    end_main(b, main)
    names = tuple(f"SPV_{vendor}_shader_subgroup_partitioned" for vendor in allowed)
    assert trimmed(b, "vulkan1.1", names) == [
        "GroupNonUniformPartitionedEXT",
        "Shader",
        "GroupNonUniformArithmetic",
        f"SPV_{'EXT' if 'EXT' in allowed else 'NV'}_shader_subgroup_partitioned",
    ]


def test_of_two_extensions_the_vendors_goes() -> None:
    b = ModuleBuilder(version=(1, 3))
    main = begin_main(b)
    b.execution_mode(main, e.ExecutionMode.DerivativeGroupQuadsKHR)
    end_main(b, main, e.ExecutionModel.GLCompute)
    allowed = ("SPV_NV_compute_shader_derivatives", "SPV_KHR_compute_shader_derivatives")
    assert trimmed(b, "vulkan1.1", allowed) == [
        "ComputeDerivativeGroupQuadsKHR",
        "Shader",
        "SPV_KHR_compute_shader_derivatives",
    ]
    assert "SPV_NV_compute_shader_derivatives" in trimmed(b, "vulkan1.1", allowed[:1])


def test_what_the_optimiser_removed_needs_nothing() -> None:
    b = ModuleBuilder()
    end_main(b, begin_main(b))
    module = b.finalize()
    numbers = (e.Capability.Geometry, e.Capability.ClipDistance, e.Capability.ImageQuery, e.Capability.Shader)
    module.capabilities = [Instruction(op.OpCapability, 0, 0, [number]) for number in numbers]
    module.extensions = [Instruction(op.OpExtension, 0, 0, ["SPV_GOOGLE_user_type"])]
    trim_capabilities(module)
    assert [inst.id(0) for inst in module.capabilities] == [e.Capability.Shader]
    assert not module.extensions
