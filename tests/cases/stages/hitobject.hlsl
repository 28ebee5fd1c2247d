// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.hlsl -O0
// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.hlsl -O3
// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.hlsl -fcgl --check-prefix=RAW
// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 -fspv-extension=SPV_KHR_ray_tracing -fspv-extension=SPV_NV_shader_invocation_reorder hitobject.hlsl --check-prefix=NV

// RAW: [[made:%[0-9]+]] = OpLoad %hitObjectEXT %temp_var_HitObject
// RAW: OpReturnValue

// All hit objects of one function are one place: nothing copies them.
// CHECK: OpCapability ShaderInvocationReorderEXT
// CHECK: OpExtension "SPV_EXT_shader_invocation_reorder"
// CHECK: [[type:%[a-zA-Z0-9_]+]] = OpTypeHitObjectEXT
// CHECK-NOT: OpLoad [[type]]
// CHECK: OpHitObjectTraceRayEXT [[h:%[0-9]+]] {{%[0-9]+}} %uint_0 %uint_255 %uint_0 %uint_1 %uint_0 {{.*}} %p
// CHECK-NOT: OpLoad [[type]]
// CHECK: OpHitObjectRecordMissEXT [[h]] %uint_1 %uint_3
// CHECK-NOT: OpLoad [[type]]
// CHECK: OpReorderThreadWithHitObjectEXT [[h]]
// CHECK: OpReorderThreadWithHitObjectEXT [[h]] {{%[0-9]+}} %uint_4
// CHECK: OpReorderThreadWithHintEXT {{%[0-9]+}} %uint_2
// CHECK: OpHitObjectIsHitEXT %bool [[h]]
// CHECK: OpHitObjectExecuteShaderEXT [[h]] %p
// CHECK: OpHitObjectGetRayTMaxEXT %float [[h]]
// CHECK: OpHitObjectGetWorldToObjectEXT %mat4v3float [[h]]
// CHECK: OpHitObjectGetAttributesEXT [[h]] %attributes
// CHECK: OpHitObjectRecordEmptyEXT [[other:%[0-9]+]]
// CHECK: OpHitObjectIsEmptyEXT %bool [[other]]

// NV: OpCapability ShaderInvocationReorderNV
// NV: OpExtension "SPV_NV_shader_invocation_reorder"
// NV: OpTypeHitObjectNV
// NV: OpHitObjectTraceRayNV
// NV: OpHitObjectRecordMissNV [[h:%[0-9]+]] %uint_3
// NV: OpReorderThreadWithHitObjectNV [[h]]
// NV: OpReorderThreadWithHintNV
// NV: OpHitObjectExecuteShaderNV [[h]] %p

struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
struct Attributes { float2 where; };
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float4> result;

dx::HitObject choose(bool traced, RayDesc ray, inout Payload p) {
  if (traced) return dx::HitObject::TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, p);
  return dx::HitObject::MakeMiss(RAY_FLAG_FORCE_OPAQUE, 3, ray);
}

void call(in dx::HitObject h, inout Payload p) {
  if (h.IsHit()) dx::HitObject::Invoke(h, p);
}

[shader("raygeneration")] void main() {
  uint3 id = DispatchRaysIndex();
  RayDesc ray = { float3(id), 0, float3(0, 0, 1), 100 };
  Payload p = { 1 };
  dx::HitObject h = choose(id.x > 3, ray, p);
  dx::MaybeReorderThread(h);
  dx::MaybeReorderThread(h, id.x, 4);
  dx::MaybeReorderThread(id.y, 2);
  call(h, p);
  float4 r = h.GetRayTCurrent();
  r.xyz += mul(h.GetWorldToObject3x4(), r);
  Attributes attributes;
  h.GetAttributes(attributes);
  dx::HitObject other;
  result[id.x] = r + attributes.where.x + other.IsNop() + p.v;
}
