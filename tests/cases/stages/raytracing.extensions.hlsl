// RUN: -T lib_6_10 -fspv-target-env=vulkan1.3 raytracing.extensions.hlsl
// RUN: -T lib_6_10 -fspv-target-env=vulkan1.3 -fspv-extension=KHR -fspv-extension=SPV_NV_cluster_acceleration_structure raytracing.extensions.hlsl --check-prefix=KHR

// CHECK-NOT: OpacityMicromapIdKHR
// CHECK: OpCapability RayTracingOpacityMicromapKHR
// CHECK: OpCapability RayTracingPositionFetchKHR
// CHECK: OpCapability RayTracingClusterAccelerationStructureNV
// CHECK: OpCapability RayQueryPositionFetchKHR
// CHECK-DAG: OpExtension "SPV_EXT_opacity_micromap"
// CHECK-DAG: OpExtension "SPV_KHR_ray_tracing_position_fetch"
// CHECK-DAG: OpExtension "SPV_NV_cluster_acceleration_structure"
// CHECK: OpDecorate {{%[0-9]+}} BuiltIn HitTriangleVertexPositionsKHR
// CHECK: OpDecorate {{%[0-9]+}} BuiltIn ClusterIDNV
// CHECK: OpRayQueryGetIntersectionClusterIdNV %uint {{%[0-9]+}} %uint_1
// CHECK: OpRayQueryGetIntersectionTriangleVertexPositionsKHR %_arr_v3float_uint_3 {{%[0-9]+}} %uint_0

// KHR: OpCapability RayTracingOpacityMicromapExecutionModeKHR
// KHR: OpExtension "SPV_KHR_opacity_micromap"
// KHR: OpExecutionModeId %main OpacityMicromapIdKHR %true

struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
RaytracingAccelerationStructure scene;
[shader("closesthit")] void main(inout Payload p, in BuiltInTriangleIntersectionAttributes a) {
  BuiltInTrianglePositions corners = TriangleObjectPositions();
  p.v = ClusterID() + corners.p0.x + corners.p2.z;
  RayDesc ray = (RayDesc)0;
  RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS> q;
  q.TraceRayInline(scene, RAY_FLAG_FORCE_OMM_2_STATE, 0xff, ray);
  q.Proceed();
  p.v += q.CommittedClusterID() + q.CandidateTriangleObjectPositions().p1.y;
}
