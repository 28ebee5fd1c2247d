// RUN: -T lib_6_3 -fspv-target-env=vulkan1.1spirv1.4
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.1spirv1.4 -Zi
// An acceleration structure may be a parameter in a library whose shaders read RayTCurrent, which is volatile in some of them.

// CHECK: OpDecorate [[still:%[0-9A-Za-z_]+]] BuiltIn RayTmaxKHR

// CHECK: OpTraceRayKHR
// CHECK-NOT: OpFunctionCall
// CHECK: OpLoad %float [[still]] Volatile
// CHECK: OpReportIntersectionKHR
RaytracingAccelerationStructure scene;
RWTexture2D<float4> image;
struct P { float4 c; };
void trace(RaytracingAccelerationStructure s, inout P p) {
    RayDesc r;
    r.Origin = 0; r.Direction = 1; r.TMin = 0; r.TMax = 10;
    TraceRay(s, 0, 0xff, 0, 0, 0, r, p);
}
[shader("raygeneration")] void generate() { P p; p.c = 0; trace(scene, p); image[DispatchRaysIndex().xy] = p.c; }
[shader("closesthit")] void hit(inout P p, in BuiltInTriangleIntersectionAttributes a) {
    p.c = RayTCurrent();
    trace(scene, p);
}
[shader("miss")] void miss(inout P p) { p.c = RayTCurrent(); }
[shader("intersection")] void intersect() {
    BuiltInTriangleIntersectionAttributes a;
    a.barycentrics = RayTCurrent();
    ReportHit(RayTCurrent() * 0.5, 0, a);
}
