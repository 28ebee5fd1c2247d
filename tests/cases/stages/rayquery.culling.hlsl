// Ray flags that are constant after optimisation, or in the type, need the capability; the others do not.
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.2
// RUN: -T cs_6_5 -E typed -fspv-target-env=vulkan1.2 -O0
// RUN: -T cs_6_5 -E opaque -fspv-target-env=vulkan1.2 --check-prefix=OPAQUE

// CHECK: OpCapability RayTraversalPrimitiveCullingKHR
// OPAQUE-NOT: RayTraversalPrimitiveCullingKHR
// OPAQUE: OpRayQueryInitializeKHR
RaytracingAccelerationStructure scene;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main()
{
    RayQuery<RAY_FLAG_NONE> q;
    uint flags = RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES;
    flags |= RAY_FLAG_FORCE_OPAQUE;
    q.TraceRayInline(scene, flags, 1, (RayDesc)0);
    o[0] = q.Proceed();
}
[numthreads(1, 1, 1)] void typed()
{
    RayQuery<RAY_FLAG_SKIP_TRIANGLES> q;
    q.TraceRayInline(scene, o[1], 1, (RayDesc)0);
    o[0] = q.Proceed();
}
[numthreads(1, 1, 1)] void opaque()
{
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    uint flags = RAY_FLAG_NONE;
    q.TraceRayInline(scene, flags, 1, (RayDesc)0);
    o[0] = q.Proceed();
}
