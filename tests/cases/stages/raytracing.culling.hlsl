// Ray flags that are constant after optimisation need the capability, also in pipelines; DXC does not declare it there.
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 -O0 -D FLAGS=RAY_FLAG_SKIP_TRIANGLES
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 -D FLAGS=RAY_FLAG_FORCE_OPAQUE --check-prefix=OPAQUE
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 -D FLAGS=flags[0] --check-prefix=OPAQUE
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 -fcgl -D FLAGS=RAY_FLAG_SKIP_TRIANGLES --check-prefix=OPAQUE

// CHECK: OpCapability RayTraversalPrimitiveCullingKHR
// OPAQUE-NOT: RayTraversalPrimitiveCullingKHR
// OPAQUE: OpTraceRayKHR
#ifndef FLAGS
#define FLAGS mix(RAY_FLAG_FORCE_OPAQUE)
#endif
RaytracingAccelerationStructure scene;
RWStructuredBuffer<uint> flags;
struct Payload { float4 color; };
uint mix(uint other) { return other | RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES; }
[shader("raygeneration")] void main()
{
    Payload p = (Payload)0;
    TraceRay(scene, FLAGS, 0xff, 0, 0, 0, (RayDesc)0, p);
}
