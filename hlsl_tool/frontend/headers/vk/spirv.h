// Enumerants of the SPIR-V specification that inline SPIR-V needs, and pointers to groupshared memory.

#ifndef HLSL_TOOL_VK_SPIRV_H
#define HLSL_TOOL_VK_SPIRV_H

namespace vk {

// 3.27 Scope <id>
enum Scope {
  ScopeCrossDevice = 0,
  ScopeDevice = 1,
  ScopeWorkgroup = 2,
  ScopeSubgroup = 3,
  ScopeInvocation = 4,
  ScopeQueueFamily = 5,
  ScopeQueueFamilyKHR = 5,
  ScopeShaderCallKHR = 6,
};

// 3.7 Storage Class
enum StorageClass {
  StorageClassUniformConstant = 0,
  StorageClassInput = 1,
  StorageClassUniform = 2,
  StorageClassOutput = 3,
  StorageClassWorkgroup = 4,
  StorageClassCrossWorkgroup = 5,
  StorageClassPrivate = 6,
  StorageClassFunction = 7,
  StorageClassGeneric = 8,
  StorageClassPushConstant = 9,
  StorageClassAtomicCounter = 10,
  StorageClassImage = 11,
  StorageClassStorageBuffer = 12,
  StorageClassTaskPayloadWorkgroupEXT = 5402,
  StorageClassCallableDataKHR = 5328,
  StorageClassIncomingCallableDataKHR = 5329,
  StorageClassRayPayloadKHR = 5338,
  StorageClassHitAttributeKHR = 5339,
  StorageClassIncomingRayPayloadKHR = 5342,
  StorageClassShaderRecordBufferKHR = 5343,
  StorageClassPhysicalStorageBuffer = 5349,
};

// 3.26 Memory Operands
enum MemoryAccessMask {
  MemoryAccessMaskNone = 0,
  MemoryAccessVolatileMask = 0x1,
  MemoryAccessAlignedMask = 0x2,
  MemoryAccessNontemporalMask = 0x4,
  MemoryAccessMakePointerAvailableMask = 0x8,
  MemoryAccessMakePointerVisibleMask = 0x10,
  MemoryAccessNonPrivatePointerMask = 0x20,
  MemoryAccessAliasScopeINTELMaskMask = 0x10000,
  MemoryAccessNoAliasINTELMaskMask = 0x20000,
};

// SPV_KHR_cooperative_matrix: Cooperative Matrix Use, Layout, Operands
enum CooperativeMatrixUse {
  CooperativeMatrixUseMatrixAKHR = 0,
  CooperativeMatrixUseMatrixBKHR = 1,
  CooperativeMatrixUseMatrixAccumulatorKHR = 2,
};

enum CooperativeMatrixLayout {
  CooperativeMatrixLayoutRowMajorKHR = 0,
  CooperativeMatrixLayoutColumnMajorKHR = 1,
  CooperativeMatrixLayoutRowBlockedInterleavedARM = 4202,
  CooperativeMatrixLayoutColumnBlockedInterleavedARM = 4203,
};

enum CooperativeMatrixOperandsMask {
  CooperativeMatrixOperandsMaskNone = 0,
  CooperativeMatrixOperandsMatrixASignedComponentsKHRMask = 0x1,
  CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask = 0x2,
  CooperativeMatrixOperandsMatrixCSignedComponentsKHRMask = 0x4,
  CooperativeMatrixOperandsMatrixResultSignedComponentsKHRMask = 0x8,
  CooperativeMatrixOperandsSaturatingAccumulationKHRMask = 0x10,
};

// A pointer to groupshared memory, which HLSL has no type for.  It is constant: what it points to is known when the
// shader is compiled, so that no variable pointers are left in the module.
template <typename PointeeType>
using WorkgroupSpirvPointer =
    const vk::SpirvOpaqueType</* OpTypePointer */ 32,
                              vk::Literal<vk::integral_constant<uint, StorageClassWorkgroup> >, PointeeType>;

// The address of a groupshared variable, or of an element or member of one.
template <typename T>
[[vk::ext_instruction(/* OpCopyObject */ 83)]]
WorkgroupSpirvPointer<T> GetGroupSharedAddress([[vk::ext_reference]] T v);

} // namespace vk

#endif
