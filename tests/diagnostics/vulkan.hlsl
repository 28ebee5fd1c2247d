// HLSL08xx: inline SPIR-V, built-ins of Vulkan, layout, bindings.

// ----
[[vk::ext_instruction(61)]] float4 f([[vk::ext_reference]] float a);
float4 main() : SV_Target { return f(1.0); }  // error: HLSL0801

// ----
[[vk::ext_instruction(61)]] float4 f([[vk::ext_literal]] int a);
float4 main(int i : I) : SV_Target { return f(i); }  // error: HLSL0802

// ----
[[vk::ext_builtin_input(15), vk::ext_builtin_output(15)]] static const float4 a;  // error: HLSL0803
float4 main() : SV_Target { return a; }

// ----
[[vk::ext_builtin_input(15)]] const float4 a;  // error: HLSL0804
float4 main() : SV_Target { return a; }

// ----
[[vk::ext_builtin_input(15)]] static float4 a;  // error: HLSL0805
float4 main() : SV_Target { return a; }

// ---- -T vs_6_0
[[vk::ext_builtin_input(4426)]] static const int a;  // warning: HLSL0807
[[vk::ext_builtin_output(4426)]] static int b;  // error: HLSL0806
float4 main() : SV_Position { b = a; return 0; }

// ---- -T vs_6_0
[[vk::ext_builtin_output(4426)]] static int b;  // warning: HLSL0807
[[vk::ext_builtin_input(4426)]] static const int a;  // error: HLSL0806
float4 main() : SV_Position { b = a; return 0; }

// ---- -T cs_6_0
[[vk::ext_decorate_string(5635, "A")]] float f() { return 1; }  // error: HLSL0808
RWBuffer<float> b;
[numthreads(1, 1, 1)] void main() { b[0] = f(); }

// ---- -T cs_6_0
typedef vk::SpirvType<21, 1, 1, 8> T;  // error: HLSL0810
[numthreads(1, 1, 1)] void main() { T u; }  // error: HLSL0303

// ----
[[vk::ext_type_def(1, 19)]] void define();
vk::ext_type<1> g;
float4 main(float4 c : C) : SV_Target { define(); return c; }  // error: HLSL0811 // error: HLSL1165

// ---- -T cs_6_0
[[vk::ext_instruction]] float f(float x);  // error: HLSL0812
RWBuffer<float> b;
[numthreads(1, 1, 1)] void main() { b[0] = f(1); }

// ----
float4 main() : SV_Target { vk::BufferPointer<float> p; return 0; }  // error: HLSL0813

// ---- -T cs_6_0
struct S { int a; };
[[vk::push_constant]] vk::BufferPointer<S> p;  // error: HLSL0814
[numthreads(1, 1, 1)] void main() { }

// ---- -T cs_6_0
struct S { int a; };
cbuffer C { vk::BufferPointer<S, 4> p; };
[numthreads(1, 1, 1)] void main() { vk::BufferPointer<S, 16> q = vk::static_pointer_cast<S, 16>(p); }  // error: HLSL0815

// ---- -T cs_6_0
struct S { int a; };
struct T { float a; };
cbuffer C { vk::BufferPointer<S, 16> p; };
[numthreads(1, 1, 1)] void main() { vk::BufferPointer<T, 16> q = vk::static_pointer_cast<T, 16>(p); }  // error: HLSL0816

// ---- -T cs_6_0
[[vk::ext_instruction(43)]] uint f(uint x);
RWBuffer<uint> b;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { b[0] = f(i); }  // error: HLSL0817

// ---- -T cs_6_0
cbuffer C { vk::BufferPointer<Texture2D> p; };  // error: HLSL0818
[numthreads(1, 1, 1)] void main() { }

// ---- -T cs_6_0
struct S { float4 v; };
[[vk::binding(1), vk::push_constant]] S k;  // error: HLSL0821
[numthreads(1, 1, 1)] void main() {}

// ----
[[vk::constant_id(0)]] static const float x = 1;  // error: HLSL0822
float4 main() : SV_Target { return x; }

// ----
[[vk::input_attachment_index(0)]] static SubpassInput a;  // error: HLSL0823
float4 main() : SV_Target { return a.SubpassLoad(); }

// ----
struct S { float a; };
[[vk::input_attachment_index(0)]] SubpassInput<S> a;  // error: HLSL0824
float4 main() : SV_Target { return a.SubpassLoad().a; }

// ----
[[vk::stencil_ref_unchanged_front, vk::stencil_ref_greater_equal_front]] float4 main() : SV_Target { return 0; }  // error: HLSL0825

// ---- -T cs_6_0
[[vk::ext_instruction(224)]] uint f(uint a, uint b, uint c);
RWBuffer<uint> o;
[numthreads(1, 1, 1)] void main() { o[0] = f(2, 2, 264); }  // error: HLSL0826

// ---- -T cs_6_0
[[vk::ext_instruction(128)]] void f(uint a, uint b);
[numthreads(1, 1, 1)] void main() { f(1, 2); }  // error: HLSL0827

// ----
float4 main([[vk::builtin("PointSize"), vk::location(1)]] float a : A) : SV_Target { return a; }  // error: HLSL0830

// ---- -T vs_6_0
float4 main([[vk::builtin("BaseVertex")]] float a : A) : SV_Position { return a; }  // error: HLSL0831

// ---- -T vs_6_0
float4 main([[vk::builtin("PointSize")]] float a : A) : SV_Position { return a; }  // error: HLSL0832

// ----
[[vk::builtin("HelperInvocation")]] float4 main() : SV_Target { return 0; }  // error: HLSL0831 // error: HLSL0833

// ---- -T vs_6_0
struct O { float4 p : SV_Position; [[vk::builtin("ViewportMaskNV")]] int m : M; };  // error: HLSL0833 // error: HLSL0834
O main() { O o; o.p = 0; o.m = 1; return o; }

// ---- -T vs_6_0
[[vk::location(0), vk::index(1)]] float4 main() : SV_Position { return 0; }  // error: HLSL0835

// ----
[[vk::index(1)]] float4 main() : SV_Target { return 0; }  // error: HLSL0836

// ----
[[vk::location(1), vk::index(1)]] float4 main() : SV_Target { return 0; }  // error: HLSL0837

// ----
[[vk::location(0), vk::index(2)]] float4 main() : SV_Target { return 0; }  // error: HLSL0838

// ---- -T ps_6_8 -fspv-target-env=vulkan1.3 -O0 -enable-16bit-types
float4 main(int v : SV_InnerCoverage) : SV_Target { return (float)v.x; }  // error: HLSL0839

// ---- -T vs_6_0
struct O { float4 p : SV_Position; int c : SV_ClipDistance; };  // error: HLSL0840
O main() { O o = { 0, 0, 0, 0, 1 }; return o; }

// ----
cbuffer A { float c : packoffset(c0.w); float d : packoffset(c0.z); float e; };float4 main() : SV_Target { return c + d + e; }  // error: HLSL0842 // warning: HLSL1065

// ----
float2x4 a : register(c1);
float4 b : register(c2);  // error: HLSL0843
float4 main() : SV_Target { return a[0] + b; }

// ----
[[vk::image_format("rgba32f")]] RWTexture2D<uint4> t;  // error: HLSL0844
float4 main() : SV_Target { return t[uint2(0, 0)]; }

// ----
Texture2D t;
SamplerComparisonState s;
float4 main() : SV_Target { return t.GatherCmpAlpha(s, 0, 0); }  // error: HLSL0845

// ---- -T ps_6_8 -fspv-target-env=vulkan1.3 -O0 -enable-16bit-types
struct O { int v : SV_Depth; }; O main() { return (O)0; }  // error: HLSL0847

// ---- -T cs_6_2 -Wpadding
cbuffer C { float2 a; float3 b; float3 c; };  // warning: HLSL0860 // warning: HLSL0860
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T cs_6_2 -Wpadding
struct Light { float3 position; float2 size; float3 color; };  // warning: HLSL0860 // warning: HLSL0860 // warning: HLSL0861
StructuredBuffer<Light> lights;
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T cs_6_2 -Wpadding
cbuffer C { float3x2 m; };  // warning: HLSL0862
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T cs_6_2 -Wmatrix-portability
cbuffer C { row_major float4x3 m; };  // warning: HLSL0863
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T cs_6_2 -Wmatrix-portability
cbuffer C { float4x4 m; };  // warning: HLSL0864
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T cs_6_2 -Wpadding
cbuffer C { float2 a; float3 b; float3 c; };  // warning: HLSL0860 // warning: HLSL0860 // note: HLSL0865
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, asuint(c.x)); }

// ----
void f(float a : packoffset(c1)) {};  // error: HLSL0866
float4 main() : SV_Target { return 0; }

// ---- -T cs_6_2
struct S { float x; [[vk::offset(6)]] float y; };  // warning: HLSL0868
StructuredBuffer<S> s;
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }

// ---- -T ps_6_0 -Wbinding-collision
Texture2D a : register(t0);
Texture2D b : register(t0);  // warning: HLSL0870
float4 main() : SV_Target { return a.Load(0) + b.Load(0); }

// ---- -T ps_6_0 -Wbinding-collision -Wbinding-alias
Texture2D t : register(t1);
SamplerState s : register(s1);  // warning: HLSL0871
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }

// ---- -T ps_6_0 -Wbinding-collision
Texture2D a : register(t0);  // note: HLSL0872
Texture2D b : register(t0);  // warning: HLSL0870
float4 main() : SV_Target { return a.Load(0) + b.Load(0); }

// ----
[[vk::combinedImageSampler]] [[vk::binding(1)]] Texture2D t;  // fatal: HLSL0876
[[vk::binding(1)]] SamplerState s;
float4 main() : SV_Target { return t.Sample(s, 0); }

// ----
[[vk::ext_type_def(1, 4294967296)]] void first();  // error: HLSL0812
[[vk::ext_type_def(1, 70000)]] void second();  // error: HLSL0812
[[vk::ext_capability(4294967296)]] float third();  // error: HLSL0812
float4 main() : SV_Target { return 0; }

// ----
[[vk::ext_instruction(12, "GLSL.std.450")]] int degrees_of(float x);
float4 main() : SV_Target { return degrees_of(1); }  // error: HLSL1645

// ----
float4 main() : SV_Target
{
    GroupMemoryBarrierWithGroupSync();  // error: HLSL1644
    GroupMemoryBarrier();
    return 0;
}

// ---- -T lib_6_3
struct S { float4 p : SV_Position; };
void emit(TriangleStream<S> a, out LineStream<S> b, inout PointStream<S> c) {}  // error: HLSL1691 // error: HLSL1691

// ----
float4 a : register(c1);  // error: HLSL0846
float4 b : register(c1);
float4 main() : SV_Target { return a + b; }

// ----
float4 main(nointerpolation float3 a : SV_Barycentrics) : SV_Target { return a.x; }  // error: HLSL0848

// ----
float4 main(float3 a : SV_Barycentrics2) : SV_Target { return a.x; }  // error: HLSL0849

// ----
float4 main(
    noperspective float3 a : SV_Barycentrics,
    noperspective float3 b : SV_Barycentrics1  // error: HLSL0850
) : SV_Target { return a.x + b.x; }

// ----
float4 main(
    float3 a : SV_Barycentrics,
    noperspective float3 b : SV_Barycentrics1,
    float3 c : SV_Barycentrics  // error: HLSL0850
) : SV_Target { return a.x + b.x + c.x; }

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main() { vk::SpirvOpaqueType<21, vk::Literal<int> > x; }  // error: HLSL0819

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main() { vk::ext_result_id<float> x; }  // error: HLSL0820

// ---- -T cs_6_6
Texture2D t;
SamplerState s;
RWStructuredBuffer<float4> o;
float4 f(float x) { return ddx(x); }  // error: HLSL1646
[numthreads(3, 2, 1)] void main(uint i : SV_GroupIndex) {
    o[0] = f(i) + t.SampleLevel(s, 0, 0);
    o[1] = t.Sample(s, 0);  // error: HLSL1646
}
