// RUN: -T cs_6_5 -E main -fcgl rayquery.methods.hlsl
// RUN: -T cs_6_5 -E main rayquery.methods.hlsl --check-prefix=FINAL

// FINAL: OpCapability RayQueryKHR
// FINAL: OpRayQueryInitializeKHR
// CHECK: OpCapability RayTraversalPrimitiveCullingKHR
// CHECK: %q = OpVariable %_ptr_Function_rayQueryKHR Function

RaytracingAccelerationStructure scene;
RWStructuredBuffer<float4> result;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  RayQuery<RAY_FLAG_CULL_NON_OPAQUE | RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES> q;
  RayDesc ray = { float3(id), 0.5, float3(0, 0, 1), 100 };

  // The flags of the type, with those of the call.
// CHECK: [[flags:%[0-9]+]] = OpBitwiseOr %uint %uint_640 %uint_1
// CHECK: OpRayQueryInitializeKHR %q {{%[0-9]+}} [[flags]] %uint_255
  q.TraceRayInline(scene, RAY_FLAG_FORCE_OPAQUE, 0xff, ray);

// CHECK: OpRayQueryProceedKHR %bool %q
  while (q.Proceed()) {
// CHECK: OpRayQueryGetIntersectionTypeKHR %uint %q %uint_0
// CHECK: [[opaque:%[0-9]+]] = OpRayQueryGetIntersectionCandidateAABBOpaqueKHR %bool %q
// CHECK: OpLogicalNot %bool [[opaque]]
    if (q.CandidateType() == CANDIDATE_PROCEDURAL_PRIMITIVE && q.CandidateProceduralPrimitiveNonOpaque())
// CHECK: OpRayQueryGenerateIntersectionKHR %q %float_2
      q.CommitProceduralPrimitiveHit(2.0);
    else
// CHECK: OpRayQueryConfirmIntersectionKHR %q
      q.CommitNonOpaqueTriangleHit();
  }
// CHECK: OpRayQueryGetIntersectionTypeKHR %uint %q %uint_1
  if (q.CommittedStatus() != COMMITTED_NOTHING)
// CHECK: [[m:%[0-9]+]] = OpRayQueryGetIntersectionObjectToWorldKHR %mat4v3float %q %uint_1
// CHECK: OpTranspose %mat3v4float [[m]]
// CHECK: OpRayQueryGetIntersectionTKHR %float %q %uint_1
    result[id.x] = float4(q.CommittedObjectToWorld3x4()[0].xyz, q.CommittedRayT());
}
