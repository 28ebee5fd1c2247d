// HLSL11xx: checks of all areas that came later still.

// ----
BlendState b;  // warning: HLSL1100
float4 main() : SV_Target { return 0; }

// ----
float4 c <string s = "x";>;  // warning: HLSL1101
float4 main() : SV_Target { return 0; }

// ----
sampler s = sampler_state { Texture = <t>; };  // warning: HLSL1102
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -Wsubobject-ignored
TriangleHitGroup h = { "a" };  // error: HLSL1104 // warning: HLSL1103
float4 main() : SV_Target { return 0; }

// ----
RWTexture2D<double> t;
float4 main() : SV_Target { return (float)t[uint2(0, 0)]; }  // error: HLSL1140

// ---- -T hs_6_0
struct CP { float3 p : P; }; struct Other { float3 p : P; };
struct PC { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
PC edges(InputPatch<CP, 3> ip) { PC o; o.e[0] = ip[1].p.x; o.e[1] = o.e[2] = o.i = 1; return o; }  // error: HLSL1150
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]
[patchconstantfunc("edges")]
CP main(InputPatch<CP, 4> ip, uint id : SV_OutputControlPointID) { return ip[id]; }

// ---- -T hs_6_0
struct CP { float3 p : P; }; struct Other { float3 p : P; };
struct PC { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
PC edges(OutputPatch<Other, 3> op) { PC o; o.e[0] = op[1].p.x; o.e[1] = o.e[2] = o.i = 1; return o; }  // error: HLSL1151
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]
[patchconstantfunc("edges")]
CP main(InputPatch<CP, 4> ip, uint id : SV_OutputControlPointID) { return ip[id]; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
Buffer<double3> b;  // error: HLSL1152
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct E { float a; float b; }; RWTexture2D<E> e;  // error: HLSL0591
Buffer<float1x4> rows;  // error: HLSL0591
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    one(color);  // error: HLSL1154
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    float3 t; four(t);  // error: HLSL1155
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
NodeOutput<float> e;  // error: HLSL1157
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct N {}; NodeOutput<N> e;  // error: HLSL1158
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct N { Texture2D t; }; NodeOutput<N> e;  // error: HLSL1159
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 main(nointerpolation int i : I, float4 c : C) : SV_Target {
float a[70000] = (float[70000])c.x;  // error: HLSL1162
return a[i];
}

// ----
vk::SpirvOpaqueType<19> g;  // error: HLSL1165
float4 main(float4 c : C) : SV_Target { return c; }

// ---- -T cs_6_0
[[vk::image_format("r16ui")]] RWTexture2D<uint> t;
[numthreads(1, 1, 1)] void main() {
uint o; InterlockedExchange(t[uint2(0, 0)], 1, o); }  // error: HLSL1166

// ---- -T ds_6_0
struct P { float4 p : P; };
[domain("tri")] float4 main(OutputPatch<P, 33> p) : SV_Position { return p[0].p; }  // error: HLSL1167

// ----
float4 main() : SV_Target { return 0; }
cbuffer C { [[vk::offset(0)]] float4 a; [[vk::offset(4)]] float4 b; };  // error: HLSL1168 // warning: HLSL0869

// ----
struct B { uint pad : 0; };  // error: HLSL1692
float4 main() : SV_Target { return 0; }

// ----
static const uint WIDTH = 7;
struct B { uint a : WIDTH; uint b : 32 - WIDTH; };  // warning: HLSL1693
float4 main() : SV_Target { B b = (B)0; return b.b; }

// ---- -T ps_6_0 -HV 2021
struct S {
    static const float a;  // error: HLSL1633
    static float b;  // error: HLSL1633
    static float c;
    static const float d = 1;
    static const float e;
    static const float unused;
};
float S::c;
const float S::e = 2;
template<typename T> struct Table {
    static const T v;
    static const T w;  // error: HLSL1633
};
template<typename T> const T Table<T>::v = 1;
float f() { return S::e; }
float4 main() : SV_Target {
    S s;
    float x = S::a;  // note: HLSL1628
    x += s.b;  // note: HLSL1628
    x += Table<float>::w;  // note: HLSL1628
    return x + S::c + S::d + f() + Table<float>::v;
}

// ---- -T ps_6_0
float4 main(int i : I) : SV_Target {
    switch (i) {
        case 1.5: return 1;  // error: HLSL0540
        case (half)2: return 2;  // error: HLSL0540
        case int(3.0): return 3;
        case true: return 4;
        default: return 0;
    }
}

// ---- -T vs_6_0
struct V {
    float4 a : SV_Position;
    float4 b : SV_Position;  // error: HLSL0623
};
V main() { return (V)0; }

// ---- -T ps_6_0
float4 main(out float a : SV_Depth, out float b : SV_Depth) : SV_Target { a = b = 1; return 0; }  // error: HLSL0623

// ---- -T ms_6_5 -fspv-target-env=vulkan1.3
struct V { float4 p : SV_Position; };
[outputtopology("point")] [numthreads(1, 1, 1)]
void main(out vertices V v[3], out indices uint i[3], out float3 extra : EXTRA) {  // error: HLSL0621
    SetMeshOutputCounts(3, 3);
    extra = 2;
}

// ---- -T ps_6_0 -HV 2016
uint n;
float4 main() : SV_Target {
    float a[2] = { 1, 2 };
    a[2] = 5;  // warning: HLSL1855
    return a[n] + a[-1];  // warning: HLSL1856
}

// ---- -T ps_6_0
Texture2D a, b;
uint n;
struct S { float4 p; Texture2D t; };
float4 main() : SV_Target {
    S s[2];
    s[0].t = a;
    s[n].t = b;  // error: HLSL0743
    return s[1].t.Load(0);
}

// ---- -T ps_6_0
struct R { [[vk::offset(0xffffffff)]] uint a; };  // error: HLSL1857 // warning: HLSL0868
[[vk::push_constant]] R r;
float4 main() : SV_Target { return r.a; }

// ---- -T ps_6_0
cbuffer K { float4 a[268435456]; float b; };  // error: HLSL1857
float4 main() : SV_Target { return b; }

// ---- -T ps_6_0
struct S { uint n; StructuredBuffer<float> data; };
ConstantBuffer<S> g;  // error: HLSL0748
float4 main() : SV_Target { return g.n; }

// ---- -T ps_6_0
Texture2D t : register(t1) < int k = 1; > {  // warning: HLSL1101 // warning: HLSL0527
    A = b;
}, u[3] < int a = 3; int b = 2; >;  // warning: HLSL1101
Texture ignored;  // warning: HLSL1100
int sizes[] { 1, 2 };  // error: HLSL1681 // warning: HLSL0527
float4 main() : SV_Target {
    RenderTargetView r { A = b; };  // warning: HLSL1100 // warning: HLSL0527
    return ignored.Load(0);  // error: HLSL0301
}

// ----
struct S { int a; };
void change(inout float x) { x = 1; }
Texture2D t;
float4 main(int k : K) : SV_Target {
    float4 v = 1;
    float2x2 m = 1;
    S s;
    (k = 3, v).x = 2;  // error: HLSL0341
    (k, v)[0] = 2;  // error: HLSL0341
    (k, m)[0].y = 2;  // error: HLSL0341
    (k, m)._m00 += 2;  // error: HLSL0341
    (k, s).a = 4;  // error: HLSL0341
    (v, k)++;  // error: HLSL0341
    (v, k) = 5;  // error: HLSL0341
    (k, s) = s;  // error: HLSL0341
    change((k, v.x));  // error: HLSL0361
    t.GetDimensions(k, (k, k));  // error: HLSL1282
    return v;
}

// ---- -T cs_6_0
struct S {
    int a, b[2];
    void direct() { a += 1; }
    void element() { b[1]++; }
    void nested() { direct(); }
    void passed() { one(b[0]); }
    void one(inout int x) { x = 1; }
    int get() { return a; }
    int next() { a += 1; return a; }
};
struct D : S { void derived() { nested(); } };
StructuredBuffer<S> read;
RWStructuredBuffer<D> written;
ConstantBuffer<S> block;
RWByteAddressBuffer bytes;
S loose;
cbuffer B { D member[2]; };
S make() { return (S)0; }
[numthreads(1, 1, 1)] void main(uint k : SV_GroupIndex) {
    read[k].direct();  // error: HLSL1878
    read[k].next();  // error: HLSL1878
    loose.element();  // error: HLSL1878
    loose.passed();  // error: HLSL1878
    member[k].nested();  // error: HLSL1878
    member[k].derived();  // error: HLSL1878
    block.direct();  // warning: HLSL1879
    bytes.Load<S>(0).nested();  // warning: HLSL1879
    make().element();  // warning: HLSL1879
    written[k].derived();
    D local = member[0];
    local.derived();
    written[0].a = read[0].get() + loose.get() + block.get() + make().next() + member[1].get() + bytes.Load<S>(0).next();
}

// ---- -T ps_6_0
struct S { PixelShader shader; };  // error: HLSL1880
float4 main() : SV_Target { return 0; }

// ---- -T cs_6_0
RWTexture2D<uint> a, b;
uint n;
struct S { uint x; RWTexture2D<uint> t; };
[numthreads(1, 1, 1)] void main() {
    S s[2];
    s[0].t = a;
    InterlockedAdd(s[n].t[uint2(0, 0)], 5);  // error: HLSL0743
}
