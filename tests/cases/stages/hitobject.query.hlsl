// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.query.hlsl -O0
// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.query.hlsl -O3

// A query that has committed nothing gives an empty hit object.
// CHECK: OpCapability ShaderInvocationReorderEXT
// CHECK: [[status:%[0-9]+]] = OpRayQueryGetIntersectionTypeKHR %uint [[q:%[0-9]+]] %uint_1
// CHECK: [[hit:%[0-9]+]] = OpINotEqual %bool [[status]] %uint_0
// CHECK: OpHitObjectRecordFromQueryEXT [[h:%[0-9]+]] [[q]] %uint_0 {{%[0-9]+$}}
// CHECK: OpHitObjectRecordEmptyEXT [[h]]
// CHECK: OpHitObjectSetShaderBindingTableRecordIndexEXT [[h]] %uint_2
// CHECK: OpHitObjectRecordFromQueryEXT [[g:%[0-9]+]] [[q]] %uint_0 %a %uint_5
// CHECK: [[handle:%[0-9]+]] = OpHitObjectGetShaderRecordBufferHandleEXT %v2uint [[g]]
// CHECK: OpBitcast %ulong [[handle]]
// CHECK: OpConvertUToPtr %_ptr_PhysicalStorageBuffer_uint
struct Attributes { float2 where; };
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float> result;
[shader("raygeneration")] void main() {
  RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
  RayDesc ray = { float3(0, 0, 0), 0, float3(0, 0, 1), 100 };
  q.TraceRayInline(scene, 0, 0xff, ray);
  q.Proceed();
  dx::HitObject h = dx::HitObject::FromRayQuery(q);
  h.SetShaderTableIndex(2);
  result[0] = h.GetInstanceID();
  Attributes a = { float2(1, 2) };
  dx::HitObject g = dx::HitObject::FromRayQuery(q, 5, a);
  result[1] = g.LoadLocalRootTableConstant(8);
}
