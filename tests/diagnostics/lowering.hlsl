// HLSL06xx: from typed HLSL to SPIR-V.

// ---- -T ps_6_0 -O0
namespace N { float f(float x); }

float4 main(float2 uv : TEXCOORD0) : SV_Target { return (N::f(uv.x)).xxxx; }  // error: HLSL0602

// ---- -T cs_6_0
groupshared float a = 1;  // warning: HLSL0606
[numthreads(1, 1, 1)] void main() { }

// ---- -T ps_6_0 -O0
template<typename T> static const float V = float2(1, 2);  // warning: HLSL0382
float f() { return V<float> * 1; }  // error: HLSL0607
float4 main(float2 uv : TEXCOORD0) : SV_Target { return (f()).xxxx; }

// ----
float4 main() : SV_Target { [allow_uav_condition] for (int i = 0; i < 3; i++) { } return 0; }  // warning: HLSL0608

// ---- -T vs_6_0
float4 main() : SV_Position { discard; return 0; }  // error: HLSL0609

// ---- -T cs_6_0 -fvk-bind-register t0 0 1 0
float g;
Buffer<float> a : register(t0);
RWBuffer<float> b : register(u0);
[numthreads(1, 1, 1)] void main() { b[0] = a[0] + g; }  // error: HLSL0610

// ---- -T cs_6_0 -fvk-bind-register t0 0 1 0
Buffer<float> a;  // error: HLSL0611
RWBuffer<float> b : register(u0);
[numthreads(1, 1, 1)] void main() { b[0] = a[0]; }

// ---- -T cs_6_0 -fvk-bind-register u0 0 1 0
AppendStructuredBuffer<float> b : register(u0);  // error: HLSL0612
[numthreads(1, 1, 1)] void main() { b.Append(1); }

// ---- -T cs_6_0 -fvk-bind-register t1 0 1 0
Buffer<float> a : register(t0);  // error: HLSL0613
RWBuffer<float> b : register(u0);
[numthreads(1, 1, 1)] void main() { b[0] = a[0]; }

// ---- -T ps_6_0 -fcgl
struct S { Texture2D t; float a; };
S s;  // error: HLSL0614
float4 main() : SV_Target { return s.a; }

// ---- -T ps_6_0 -fcgl
struct S { StructuredBuffer<float> b; };
S s;  // error: HLSL0615
float4 main() : SV_Target { return s.b[0]; }

// ---- -T ps_6_5
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> t;  // error: HLSL0616
float4 main() : SV_Target { return 0; }

// ----
float4 k = 1; float4 main() : SV_Target { return k; }  // warning: HLSL0617

// ---- -T cs_6_0
struct S { float4 v; };
[[vk::binding(1)]] float4 k;  // error: HLSL0618
[numthreads(1, 1, 1)] void main() {}

// ----
float4 main() { return 1; }  // error: HLSL0619

// ----
struct S { float4 a : INNER; };  // warning: HLSL0620
float4 main(S s : OUTER) : SV_Target { return s.a; }

// ---- -T vs_6_4 -fspv-target-env=vulkan1.3
void main(float x : SV_Depth) {}  // error: HLSL0621

// ----
float4 main(float a : A, float b : A) : SV_Target { return a + b; }  // error: HLSL0623

// ----
float4 main([[vk::location(0)]] float a : A, float b : B) : SV_Target { return a + b; }  // error: HLSL0624

// ---- -T vs_6_0
[[vk::location(3)]] float main([[vk::location(1)]] float m : M, [[vk::location(3)]] out float x : X) : R  // error: HLSL0625
{ x = m; return 1; }

// ---- -T vs_6_0
float3 main() : SV_Position { return 0; }  // error: HLSL0626 // error: HLSL0847

// ----
[[vk::push_constant]] struct { float a; } x;
[[vk::push_constant]] struct { float a; } y;  // error: HLSL0629
float4 main() : SV_Target { return x.a + y.a; }

// ----
[[vk::push_constant]] ByteAddressBuffer x;  // error: HLSL0630
float4 main() : SV_Target { return x.Load(0); }

// ---- -T ps_6_0 -fcgl
[[vk::constant_id(0)]] const int64_t x = 1;  // error: HLSL0631
float4 main() : SV_Target { return (float)x; }

// ----
[[vk::constant_id(0)]] const int x;  // error: HLSL0632
float4 main() : SV_Target { return 0; }

// ----
static float y;
[[vk::constant_id(0)]] const float x = y;  // error: HLSL0633
float4 main() : SV_Target { return 0; }

// ----
float4 main(linear int a : A) : SV_Target { return a; }  // error: HLSL0634

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main() { abort(); }  // error: HLSL0635

// ---- -T vs_6_0
float4 main() : SV_Position { clip(1); return 0; }  // error: HLSL0636

// ---- -T cs_6_0
RWBuffer<uint2> b;
[numthreads(1, 1, 1)] void main() { InterlockedAdd(b[0].x, 1); }  // error: HLSL0637

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main() { uint a = 0; InterlockedAdd(a, 1); }  // error: HLSL0638

// ---- -T vs_6_0
Texture2D t;
SamplerState s;
float4 main() : SV_Position { return t.Sample(s, 0); }  // error: HLSL0639

// ---- -T ps_6_0 -fcgl
Texture2D t;
float4 main(int2 o : O) : SV_Target { return t.Load(0, o); }  // error: HLSL0640

// ---- -T vs_6_0
[[vk::input_attachment_index(0)]] SubpassInput a;
float4 main() : SV_Position { return a.SubpassLoad(); }  // error: HLSL0641

// ---- -T cs_6_0
ByteAddressBuffer a;
RWBuffer<uint> b;
[numthreads(1, 1, 1)] void main() { uint s; b[0] = a.Load(0, s); }  // error: HLSL0642

// ---- -T cs_6_0 -fcgl
struct S { RWStructuredBuffer<float> b[2]; };
S s;  // error: HLSL0615
[numthreads(1, 1, 1)] void main() { s.b[0].IncrementCounter(); }  // fatal: HLSL0643

// ----
cbuffer C { float a = 1; };  // warning: HLSL0644
float4 main() : SV_Target { return a; }

// ----
Texture2DMS<float4> t;
float4 main() : SV_Target { return t.GetSamplePosition(0).xyxy; }  // warning: HLSL0645

// ---- -T cs_6_0
uint n;[numthreads(1, 1, 1)] void main() { uint64_t a = 8; vk::RawBufferStore<float>(a, 1, n); }  // error: HLSL0646

// ---- -T vs_6_1
struct N { float4 c; };
struct In { nointerpolation float4 a : A; nointerpolation N n : B; };
float4 h(nointerpolation float4 x) { return GetAttributeAtVertex(x, 2); }
float4 g(nointerpolation float4 x) { return h(x); }

float4 main(nointerpolation float4 p : P) : SV_Position { return GetAttributeAtVertex(p, 0); }  // error: HLSL0648

// ---- -T ps_6_1
struct N { float4 c; };
struct In { nointerpolation float4 a : A; nointerpolation N n : B; };
float4 h(nointerpolation float4 x) { return GetAttributeAtVertex(x, 2); }
float4 g(nointerpolation float4 x) { return h(x); }

float4 main(nointerpolation bool4 p : P) : SV_Target { return GetAttributeAtVertex(p, 0); }  // error: HLSL0649

// ----
uint n;
float4 main() : SV_Target { vk::ext_execution_mode(n); return 0; }  // error: HLSL0650

// ---- -T ps_6_0 -fvk-t-shift 2147483647 0
Texture2D t : register(t2147483650);  // error: HLSL0651
float4 main() : SV_Target { return t.Load(0); }

// ---- -T ps_6_2 -fcgl -enable-16bit-types
uint main(uint16_t a : A, int64_t2 b : B) : SV_Target {
    uint high = firstbithigh(a);  // error: HLSL2050
    uint2 low = firstbitlow(b);  // error: HLSL2050
    return high + low.x;
}

// ---- -T ps_6_0 -fcgl
row_major int2x2 a, b; float4 main() : SV_Target { return (a < b)[0][0]; }  // error: HLSL2051

// ---- -T ps_6_0 -fcgl
bool3x2 m[2]; float4 main() : SV_Target { return m[0][0][0]; }  // error: HLSL0652

// ---- -T lib_6_3 -E  -fspv-target-env=vulkan1.2
struct Payload { float x; };
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float> seen;
[shader("intersection")]  void main() { IgnoreHit(); }  // error: HLSL0653

// ---- -T gs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; [maxvertexcount(4)] void main(point V v[1] ) {  }  // error: HLSL0654

// ---- -T cs_6_5
RaytracingAccelerationStructure s;
[numthreads(1, 1, 1)] void main() { RayQuery<0> q; RayQuery<0> r = q; }  // error: HLSL0655

// ---- -T cs_6_5
RayQuery<0> same(RayQuery<0> q) { return q; }  // error: HLSL0655
[numthreads(1, 1, 1)] void main() {
    RayQuery<0> q;
    same(q).Proceed();  // error: HLSL0655
}

// ---- -T cs_6_5
struct H { float t; RayQuery<0> q[2]; };
[numthreads(1, 1, 1)] void main() {
    H h;
    H k = h;  // error: HLSL0655
    k = h;  // error: HLSL0655
}

// ---- -T cs_6_5
struct H { float t; RayQuery<0> q; };
void proceed(inout H h) { h.q.Proceed(); }
void copied(H h) { h.q.Proceed(); }
[numthreads(1, 1, 1)] void main() {
    H h;
    proceed(h);
    copied(h);  // error: HLSL0655
}

// ---- -T cs_6_5
[numthreads(1, 1, 1)] void main(uint k : SV_GroupIndex) {
    RayQuery<0> a, b[2];
    b[1] = a;  // error: HLSL0655
}

// ---- -T cs_6_5
[numthreads(1, 1, 1)] void main(uint k : SV_GroupIndex) {
    RayQuery<0> a, b;
    (k ? a : b).Proceed();  // error: HLSL0655
}

// ---- -T lib_6_3
[shader("surface")] void main() { }  // error: HLSL1453

// ---- -T cs_6_0
float4 main() : SV_Target { return 1; }  // error: HLSL0661

// ---- -T gs_6_0
struct V { float4 p : SV_Position; };
[maxvertexcount(3)] void main(triangle V a[2], inout TriangleStream<V> s) { s.Append(a[0]); }  // warning: HLSL0662

// ---- -T gs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; [maxvertexcount(4)] void main(point V v[1], inout PointStream<V> s, inout LineStream<V> t) { s.Append(v[0]); }  // error: HLSL0663

// ---- -T gs_6_0
struct V { float4 p : SV_Position; };
struct W { float4 p : SV_Position; float a : A; };
void add(inout TriangleStream<W> s) { W w; s.Append(w); }  // error: HLSL0664
[maxvertexcount(3)] void main(triangle V a[3], inout TriangleStream<V> s) { TriangleStream<W> t; add(t); }

// ---- -T ds_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; }; [domain("box")] V main(C c, const OutputPatch<P, 3> p) { return (V)0; }  // error: HLSL1453

// ---- -T hs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; }; C constants(InputPatch<P, 3> p) { return (C)0; }
[domain("tri")] [partitioning("pow2")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")] P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }  // error: HLSL0666

// ---- -T hs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; }; C constants(InputPatch<P, 3> p) { return (C)0; }
[domain("tri")] [partitioning("none")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")] P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }  // error: HLSL1453

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle_cw")] void main(out vertices V v[3], out indices uint3 t[2]) { SetMeshOutputCounts(3, 2); }  // error: HLSL0668

// ---- -T hs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; }; C constants(InputPatch<P, 3> p) { return (C)0; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(0)] [patchconstantfunc("constants")] P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }  // error: HLSL1461

// ---- -T hs_6_0 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; }; C constants(InputPatch<P, 3> p) { return (C)0; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("nobody")] P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }  // error: HLSL0670

// ---- -T hs_6_4 -fspv-target-env=vulkan1.3
struct I { float4 w : WORLD;  }; struct O { float4 w : WORLD;  };
struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor;  };
C constants(InputPatch<I, 3> p, float x : SV_Depth) { return (C)0; }  // error: HLSL0672
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("constants")] O main(InputPatch<I, 3> p, uint id : SV_OutputControlPointID) { return (O)0; }

// ---- -T lib_6_3
[shader("raygeneration")] float main() { return 1; }  // error: HLSL0673

// ---- -T lib_6_3
[shader("miss")] void main() { }  // error: HLSL0674

// ---- -T lib_6_3
struct P { float a; };
[shader("miss")] void main(in P p) { }  // error: HLSL0675

// ---- -T lib_6_3
struct P { float a; };
[[vk::shader_record_nv, vk::binding(1)]] cbuffer C { float a; };  // error: HLSL0676
[shader("miss")] void main(inout P p) { p.a = a; }

// ---- -T lib_6_3
struct P { float a; };
[[vk::shader_record_ext]] P x;  // error: HLSL0677
[shader("miss")] void main(inout P p) { p.a = 1; }

// ---- -T ms_6_5
struct V { float4 p : SV_Position; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void main(out vertices V v[3], out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); V w[3]; v = w; }  // error: HLSL0678

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle")] void main(out vertices V v[3], out indices uint3 t[2], out vertices V w[3]) { SetMeshOutputCounts(3, 2); }  // error: HLSL0679

// ---- -T ms_6_5
struct V { float4 p : SV_Position; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void main(out vertices V v[3]) { SetMeshOutputCounts(3, 1); }  // error: HLSL0680

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle")] void main(out vertices V v[3], out indices uint3 t[2], out primitives S p[3]) { SetMeshOutputCounts(3, 2); }  // error: HLSL0681

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle")] void main(out vertices V v[3], out indices uint3 t[2], in payload uint p) { SetMeshOutputCounts(3, 2); }  // error: HLSL0682

// ---- -T ms_6_5
struct V { float4 p : SV_Position; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void main(out vertices V v, out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); }  // error: HLSL0683

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle")] void main(out vertices V v[3], out indices uint2 t[2]) { SetMeshOutputCounts(3, 2); }  // error: HLSL0684

// ---- -T as_6_5
struct P { float a; };
[numthreads(1, 1, 1)] void main() { P p; DispatchMesh(1, 1, 1, p); }  // error: HLSL0685

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct P { float4 at : AT; }; struct V { float4 at : SV_Position; }; struct S { uint x : X; };
[numthreads(1, 1, 1)] [outputtopology("triangle")] void main(out vertices V v[3], out indices uint3 t[2], in primitives S p[2]) { SetMeshOutputCounts(3, 2); }  // error: HLSL0686

// ----
string s;  // error: HLSL0690
float4 main() : SV_Target { printf(s); return 0; }

// ---- -T cs_6_6 -enable-16bit-types -fcgl
RWTexture2D<half> t;  // error: HLSL0691
[numthreads(1, 1, 1)] void main() { t[uint2(0, 0)] = 1; }

// ---- -T cs_6_6 -fvk-bind-register u0 0 2 0
[numthreads(1, 1, 1)] void main() { RWBuffer<uint> b = ResourceDescriptorHeap[0]; b[0] = 1; }  // error: HLSL0693

// ---- -T lib_6_8
struct R { uint a; };
[shader("node")] [NodeLaunch("thread")]
void main([MaxRecordsSharedWith(c)] NodeOutput<R> b, [MaxRecords(1)] NodeOutput<R> c) { }  // error: HLSL0694 // error: HLSL0706

// ---- -T cs_6_8
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { Barrier(i, 1); }  // error: HLSL0695

// ---- -T cs_6_6
[WaveSize(32)] [numthreads(1, 1, 1)] void main() { }  // warning: HLSL0696

// ---- -T lib_6_3 -O0
float4 main() : SV_Target { return 1; }  // error: HLSL0697
float4 other() : SV_Target { return 1; }

// ---- -T cs_6_0
RWStructuredBuffer<float> a[2];
RWStructuredBuffer<float> c;
[numthreads(1, 1, 1)] void main() { a[0] = c; }  // error: HLSL0699

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main() { float detail, density; ProcessIsolineTessFactors(1, 2, detail, density); }  // error: HLSL0653

// ---- -T lib_6_3
struct C { float4 v : P; };
struct Lines { float e[2] : SV_TessFactor; };
Lines lines() {
    Lines l;
    ProcessIsolineTessFactors(1.5, 2.5, l.e[0], l.e[1]);  // error: HLSL0607
    return l;
}
[shader("hull")] [domain("isoline")] [partitioning("integer")] [outputtopology("line")] [outputcontrolpoints(1)]
[patchconstantfunc("lines")] float4 whole(InputPatch<C, 1> p) : P { return p[0].v; }
[shader("hull")] [domain("isoline")] [partitioning("fractional_odd")] [outputtopology("line")] [outputcontrolpoints(1)]
[patchconstantfunc("lines")] float4 odd(InputPatch<C, 1> p) : P { return p[0].v; }

// ---- -T cs_6_6 -fspv-target-env=vulkan1.3
struct S { float3 place; uint64_t id; };
uint64_t a;
[numthreads(1, 1, 1)] void main() {
    S s = vk::RawBufferLoad<S>(a);
    vk::RawBufferStore<S>(a, s, 4);  // error: HLSL0656
}

// ---- -T cs_6_6
RWBuffer<float> texels;
[numthreads(1, 1, 1)] void main() { InterlockedCompareStoreFloatBitwise(texels[0], 1, 2); }  // error: HLSL0603

// ---- -T cs_6_5 -fspv-target-env=vulkan1.1 -fcgl
groupshared float cell;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() {
    InterlockedCompareStoreFloatBitwise(cell, 1, 2);  // error: HLSL0603
    o[0] = WaveMultiPrefixCountBits(true, uint4(1, 0, 0, 0));  // error: HLSL0603
}

// ---- -T ps_6_7
RWTexture2DMS<float4, 4> samples;
float2 main() : SV_Target { return samples.GetSamplePosition(1); }  // error: HLSL0604

// ---- -T cs_6_6 -HV 202x -fspv-target-env=vulkan1.3
groupshared float cells[4];
RWStructuredBuffer<float> o;
void show(groupshared float c[4]) { o[0] = c[0]; }
[numthreads(1, 1, 1)] void main() {
    InterlockedCompareStoreFloatBitwise(cells[0], 1, 2);  // error: HLSL0607
    show(cells);
}

// ---- -T cs_6_0
uint k;
[numthreads(1, 1, 1)] void main() { vk::ext_execution_mode_id(k, 1); }  // error: HLSL0657

// ----
float4 main(uint a : A) : SV_Target { return msad4(a, uint2(1, 2), 3); }  // warning: HLSL0659

// ---- -T hs_6_0 -fcgl
struct Vertex { float4 p : SV_Position; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
Factors factors() { return (Factors)1; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("factors")]
Vertex main(InputPatch<Vertex, 3> p) { return p[0]; }  // error: HLSL0660

// ---- -T ps_6_0 -fcgl
RWStructuredBuffer<float> b[2][2];  // error: HLSL0665
float4 main() : SV_Target { return b[1][1][0]; }

// ----
struct S { float a; };
[[vk::push_constant]] S a;  // note: HLSL0658
[[vk::push_constant]] S b;  // error: HLSL0629
float4 main() : SV_Target { return a.a + b.a; }

// ----
[[vk::constant_id(0)]] const float2 a = 1;  // error: HLSL1080
float4 main() : SV_Target { return a.x; }

// ----
[[vk::push_constant]] Texture2D a;  // error: HLSL1080
float4 main() : SV_Target { return a[uint2(0, 0)]; }
