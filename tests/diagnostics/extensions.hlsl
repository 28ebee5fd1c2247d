// What newer extensions of SPIR-V ask of shaders.

// ---- -T cs_6_6 -enable-16bit-types
RWStructuredBuffer<float16_t3> h;
groupshared float16_t1 one;
[numthreads(1, 1, 1)] void main() {
    InterlockedAdd(h[1], 1);  // error: HLSL1180
    InterlockedAdd(one, 1);  // error: HLSL1180
    InterlockedAdd(h[1].x, 1);
}

// ---- -T cs_6_6 -fspv-extension=SPV_EXT_shader_atomic_float_add
RWStructuredBuffer<float> f;
RWStructuredBuffer<double> d;
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main() {
    float old;
    InterlockedAdd(f[0], 1);
    InterlockedExchange(f[0], 1, old);
    InterlockedMin(f[0], 1);  // error: HLSL0705
    InterlockedMax(d[0], 1);  // error: HLSL0705
    b.InterlockedMaxFloat(0, 1);  // error: HLSL0705
}

// ---- -T cs_6_6 -enable-16bit-types -fspv-extension=SPV_EXT_shader_atomic_float_add -fspv-extension=SPV_EXT_shader_atomic_float_min_max
RWStructuredBuffer<float16_t> f;
RWStructuredBuffer<float16_t2> v;
[numthreads(1, 1, 1)] void main() {
    float16_t2 old;
    InterlockedAdd(f[0], 1);  // error: HLSL0705
    InterlockedMin(f[0], 1);
    InterlockedMin(v[0], 1);  // error: HLSL0705
    InterlockedExchange(v[0], 1, old);  // error: HLSL0705
}

// ---- -T cs_6_6
RWTexture2D<double> t;
RWTexture2D<float2> v;
RWTexture2D<int> i;
static float s;
RWStructuredBuffer<float> f;
[numthreads(1, 1, 1)] void main() {
    InterlockedAdd(t[uint2(0, 0)], 1);  // error: HLSL1140
    InterlockedAdd(s, 1);  // error: HLSL0638
}

// ---- -T cs_6_6
RWTexture2D<float2> v;
RWStructuredBuffer<float> f;
[numthreads(1, 1, 1)] void main() {
    InterlockedAdd(v[uint2(0, 0)], 1);  // error: HLSL0361
    InterlockedAnd(f[0], 1);  // error: HLSL0361
    InterlockedAdd(v[uint2(0, 0)].x, 1);
}

// ---- -T cs_6_6
[[vk::image_format("rgba16f")]] RWTexture2D<float> t;
[numthreads(1, 1, 1)] void main() { InterlockedAdd(t[uint2(0, 0)], 1); }  // error: HLSL1166

// ---- -T cs_6_6 -enable-16bit-types
[[vk::image_format("rgba8")]] RWTexture2D<float16_t2> t;
[numthreads(1, 1, 1)] void main() { InterlockedAdd(t[uint2(0, 0)], 1); }  // error: HLSL1166

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3
RaytracingAccelerationStructure scene;
RWStructuredBuffer<uint> seen;
struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
[shader("raygeneration")] void main() {
    Payload p = { 1 };
    RayDesc ray = (RayDesc)0;
    dx::HitObject h = dx::HitObject::TraceRay(scene, 0, 0xff, 0, 1, 0, ray, p);
    seen[0] = h.GetClusterID();  // error: HLSL1181
}

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3
RaytracingAccelerationStructure scene;
struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
[shader("raygeneration")] void main() {
    Payload p = { 1 };
    RayDesc ray = (RayDesc)0;
    dx::HitObject best;
    for (int i = 0; i < 4; i++) {
        ray.TMax = i;
        dx::HitObject h = dx::HitObject::TraceRay(scene, 0, 0xff, 0, 1, 0, ray, p);  // error: HLSL1182
        if (h.IsHit()) best = h;
    }
    dx::HitObject::Invoke(best, p);
}

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3 -fspv-extension=SPV_KHR_ray_tracing -fspv-extension=SPV_KHR_ray_query -fspv-extension=SPV_NV_shader_invocation_reorder
RaytracingAccelerationStructure scene;
RWStructuredBuffer<uint> seen;
[shader("raygeneration")] void main() {
    RayDesc ray = (RayDesc)0;
    RayQuery<0> q;
    q.TraceRayInline(scene, 0, 0xff, ray);
    q.Proceed();
    dx::HitObject h = dx::HitObject::FromRayQuery(q);  // error: HLSL1181
    dx::HitObject g = dx::HitObject::MakeNop();
    g.SetShaderTableIndex(2);  // error: HLSL1181
    seen[0] = g.GetRayFlags();  // error: HLSL1181
    seen[1] = q.CommittedClusterID();  // error: HLSL0705
    seen[2] = q.CommittedTriangleObjectPositions().p0.x;  // error: HLSL0705
}

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3 -fspv-extension=SPV_KHR_ray_tracing
struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
RaytracingAccelerationStructure scene;
[shader("raygeneration")] void main() {
    Payload p = { 1 };
    RayDesc ray = (RayDesc)0;
    TraceRay(scene, RAY_FLAG_FORCE_OMM_2_STATE, 0xff, 0, 1, 0, ray, p);  // error: HLSL0705
    dx::MaybeReorderThread(1, 2);  // error: HLSL0705
    dx::HitObject h;  // error: HLSL0705
}
[shader("closesthit")] void near(inout Payload p, in BuiltInTriangleIntersectionAttributes a) {
    p.v = ClusterID();  // error: HLSL0705
    p.v = TriangleObjectPositions().p0.x;  // error: HLSL0705
}

// ---- -T lib_6_9 -fspv-target-env=vulkan1.3
struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); };
[shader("closesthit")] void near(inout Payload p, in BuiltInTriangleIntersectionAttributes a) {
    p.v = ClusterID();  // error: HLSL1470
    p.v = TriangleObjectPositions().p0.x;  // error: HLSL1470
}

// ---- -T lib_6_9 -fspv-target-env=vulkan1.3
struct Attributes { float2 where; RWStructuredBuffer<float> buffer; };
struct [raypayload] Payload { float v : write(caller, closesthit, miss) : read(caller); dx::HitObject h; };
[shader("raygeneration")] void main() {
    Payload p;  // error: HLSL1415 // error: HLSL1420
    dx::HitObject::Invoke(dx::HitObject(), p);
    dx::HitObject h;
    Attributes a;
    h.GetAttributes(a);  // error: HLSL1183
    dx::HitObject::Invoke(h, h);  // error: HLSL0362
}

// ---- -T cs_6_6 -fspv-target-env=vulkan1.1 -fspv-use-descriptor-heap
[numthreads(1, 1, 1)] void main() {
    RWStructuredBuffer<uint> b = ResourceDescriptorHeap[0];  // error: HLSL0706
    SamplerState s = SamplerDescriptorHeap[0];
    b[0] = 1;
}

// ---- -T cs_6_6 -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap
[numthreads(1, 1, 1)] void main() {
    globallycoherent RWTexture2D<float4> t = ResourceDescriptorHeap[0];  // error: HLSL1184
    t[uint2(0, 0)] = 1;
}

// ---- -T cs_6_6 -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -fspv-extension=KHR
[numthreads(1, 1, 1)] void main() {
    RWTexture2D<float4> t = ResourceDescriptorHeap[0];  // error: HLSL0705
    t[uint2(0, 0)] = 1;
}

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3
RWStructuredBuffer<float> seen;
struct Traced { dx::HitObject h; float t; };
[shader("raygeneration")] void main() {
    Traced traced;
    traced.h = dx::HitObject::MakeNop();  // error: HLSL1831
    seen[0] = traced.h.IsNop();
}

// ---- -T lib_6_10 -fspv-target-env=vulkan1.3
RWStructuredBuffer<float> seen;
[shader("raygeneration")] void main() {
    dx::HitObject both[2];
    both[0] = dx::HitObject::MakeNop();  // error: HLSL1831
    seen[0] = both[0].IsNop();
}

// ---- -T cs_6_6 -Vd -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -fvk-bind-resource-heap 1 2 -fvk-sampler-heap-stride 32
[numthreads(1, 1, 1)] void main() {
    RWTexture2D<float4> t = ResourceDescriptorHeap[0];  // warning: HLSL1186
    Texture2D<float4> u = ResourceDescriptorHeap[1];
    SamplerState s = SamplerDescriptorHeap[0];
    t[uint2(0, 0)] = u.SampleLevel(s, 0, 0);
}

// ---- -T cs_6_6 -fspv-target-env=vulkan1.3 -fvk-bind-resource-heap 1 2 -fvk-sampler-heap-stride 32
[numthreads(1, 1, 1)] void main() {
    RWTexture2D<float4> t = ResourceDescriptorHeap[0];
    Texture2D<float4> u = ResourceDescriptorHeap[1];
    SamplerState s = SamplerDescriptorHeap[0];  // warning: HLSL1186
    t[uint2(0, 0)] = u.SampleLevel(s, 0, 0);
}

// ---- -T cs_6_5 -fspv-target-env=vulkan1.2 -fspv-extension=SPV_GOOGLE_user_type
RaytracingAccelerationStructure scene;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() {  // error: HLSL0705 // error: HLSL0705
  RayQuery<RAY_FLAG_NONE> q;
  q.TraceRayInline(scene, 0, 1, (RayDesc)0);
  o[0] = q.Proceed();
}

// ---- -T ps_6_0 -fspv-target-env=vulkan1.2 -fspv-extension=SPV_GOOGLE_user_type
RasterizerOrderedTexture2D<float4> t;
float4 main(float4 p : SV_Position) : SV_Target { t[p.xy] += 1; return 0; }  // error: HLSL0705

// ---- -T cs_6_5 -fspv-target-env=vulkan1.3 -fspv-extension=SPV_GOOGLE_user_type
RWStructuredBuffer<uint4> o;
[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = WaveMatch(i & 3); }  // error: HLSL0705

// ---- -T cs_6_6 -fspv-target-env=vulkan1.3 -fspv-extension=SPV_GOOGLE_user_type
RWStructuredBuffer<float> o;
[numthreads(2, 2, 1)] void main(uint i : SV_GroupIndex) { o[i] = ddx((float)i); }  // error: HLSL0705

// ---- -T ps_6_6 -fspv-target-env=vulkan1.2 -fspv-extension=SPV_GOOGLE_user_type
float4 main(float4 a : A) : SV_Target { return IsHelperLane(); }  // error: HLSL0705

// ---- -T ps_6_6 -fspv-extension=SPV_GOOGLE_user_type
float4 main(float4 a : A) : SV_Target {
    if (a.x < 0) discard;
    return
        IsHelperLane();  // error: HLSL0705
}

// ---- -T ps_6_6 -fspv-extension=KHR
float4 main([[vk::builtin("HelperInvocation")]] bool helper : HELPER) : SV_Target { return helper; }  // error: HLSL0705
