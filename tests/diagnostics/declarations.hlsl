// HLSL05xx: declarations.

// ----
void v;  // error: HLSL0501
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    float a[number];  // error: HLSL0502
    return color;
}

// ----
float a[-1];  // error: HLSL0503
float4 main() : SV_Target { return 0; }

// ----
float a[0];  // error: HLSL0504
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -O0
_Static_assert(2 < 1, "a");  // error: HLSL0505
float4 main(float2 uv : TEXCOORD0) : SV_Target { return (uv.x).xxxx; }

// ----
int n;
_Static_assert(n > 1, "no");  // error: HLSL0506
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
float f(float x = 1, float y) { return x; }  // error: HLSL0507
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
struct S { void a() {} int a; };  // error: HLSL0508
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -O0
template<typename T> struct S : T { float v; };  // error: HLSL0509
float f() { S<float> s; s.nothing = 1; return s.v; }
float4 main(float2 uv : TEXCOORD0) : SV_Target { return (f()).xxxx; }

// ----
struct B;
struct S : B { float a; };  // error: HLSL0510
float4 main() : SV_Target { return 0; }

// ----
struct A { float a; };
struct B { float b; };
struct S : A, B { float c; };  // error: HLSL0511
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -E nowhere // error: HLSL0512
float4 other() : SV_Target { return 0; }
float4 main() : SV_Target { return 0; }

// ----
float4 main(float a : A) : SV_Target { return a; }
float4 main(float2 a : A) : SV_Target { return a.x; }  // error: HLSL0513

// ----
auto a;  // error: HLSL0515
float f() { auto b; return 1; }  // error: HLSL0515
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
template<typename T> struct G { T get(); }; template<typename T> T G<T>::put() { return 1; }  // error: HLSL0517
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
int n;
enum E { A = n };  // error: HLSL0519
float4 main() : SV_Target { return 0; }

// ----
enum E : float { A };  // error: HLSL0520
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_2 -enable-16bit-types
enum A : int { A0 = 2147483647, A1 };  // error: HLSL1635
enum B : uint { B0 = -1, B1 };  // error: HLSL1635
enum C : uint16_t { C0 = 65534, C1, C2 };  // error: HLSL1635
enum D : bool { D0, D1, D2 };  // error: HLSL1635
enum E { E0 = 2147483647, E1 };
enum F : uint16_t { F0 = 70000, F1 = -1 };
float4 main() : SV_Target { return 0; }

// ----
[[using vk: set(1), binding(2)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // warning: HLSL0521

// ----
struct R { float a; };
[GroupSharedLimit] void g() {}  // error: HLSL0522
float4 main() : SV_Target { return 0; }

// ----
float f(uniform out float a) { a = 1; return a; }  // error: HLSL0525
float4 main() : SV_Target { return 0; }

// ----
technique11 { pass { } }  // warning: HLSL0526
float4 main() : SV_Target { return 0; }

// ----
BlendState b { BlendEnable[0] = TRUE; };  // warning: HLSL0527 // warning: HLSL1100
float4 main() : SV_Target { return 0; }

// ----
float f() { groupshared float a; return 1; }  // error: HLSL0530
float4 main() : SV_Target { return 0; }

// ----
struct T;
struct S { T t; };  // error: HLSL0531
float4 main() : SV_Target { return 0; }

// ----
float f(float a, float a) { return a; }  // error: HLSL0532
float4 main() : SV_Target { return 0; }

// ----
float f(void a) { return 1; }  // error: HLSL0533
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
int f(float x) { return 1; } float f(float x);  // error: HLSL0535
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float a[100000][100000];  // error: HLSL0536
float4 main() : SV_Target { return 0; }

// ----
struct S { string a; };  // error: HLSL0542
float4 main() : SV_Target { return 0; }

// ----
struct S { float a : 4; };  // error: HLSL0543
float4 main() : SV_Target { return 0; }

// ----
struct S { int a : -4; };  // error: HLSL0544
float4 main() : SV_Target { return 0; }

// ----
struct S { int a : 40; };  // error: HLSL0545
float4 main() : SV_Target { return 0; }

// ----
[[using vk: vk::binding(1)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0546

// ----
[[using Vulkan: set(1)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0547

// ----
[[using Vulkan: set(1), binding(2, 3)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0548

// ----
float4 main() : SV_Target { string s = "a"; s = "b"; return 0; }  // error: HLSL0590 // error: HLSL1009

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct E { float a[2]; }; Buffer<E> e;  // error: HLSL0591
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ---- -T cs_6_0
RWBuffer<uint> b;
[numthreads(1, 1, 1)] void main() { InterlockedCompareExchange(b[0], 1, 2, 3); }  // error: HLSL0592

// ---- -T ps_6_0 -fvk-use-dx-layout
double d;
float4 main() : SV_Target { float x = d; return x; }  // warning: HLSL0593

// ----
Texture2D t;
float4 main() : SV_Target { return t.Load(0, 0, 3); }  // error: HLSL0594

// ----
template <typename T> float;  // error: HLSL0599
float4 main() : SV_Target { return 0; }

// ----
cbuffer C { float inside[]; };  // error: HLSL1681
float global[];  // error: HLSL1681
groupshared float shared_[];  // error: HLSL1681
static const float known[] = {1, 2, 3};
Texture2D textures[];
float first(float values[]) { return values[0]; }
float4 main() : SV_Target {
    float local[];  // error: HLSL1681
    static float kept[];  // error: HLSL1681
    float given[] = {1, 2};
    return given[0] + known[0];
}

// ----
int a : 3;  // error: HLSL1682
static int b : (4);  // error: HLSL1682
cbuffer C { int c : 3; };  // error: HLSL1682
float4 main() : SV_Target {
    int d : 4;  // error: HLSL1682
    return 0;
}

// ----
cbuffer C : t0(b1) { float a; };  // error: HLSL1056
float4 main() : SV_Target { return a; }

// ----
struct S { float a; float2 b = float2(1, 2); static const int c = 3; };  // error: HLSL1683
Texture2D<extern float4> t;  // error: HLSL1684
[vk::unknown] float f() { return 1; }  // error: HLSL1685
float4 main(S s : S) : SV_Target { return s.a + f(); }

// ----
[numthreads(1, 1, 1)] struct S { float a; };  // error: HLSL1686
[domain("tri")] enum E { A };  // error: HLSL1686
[domain("tri")] cbuffer C { float b; };  // error: HLSL1456
cbuffer { float c; };  // error: HLSL0205
float4 main() : SV_Target { return b; }

// ---- -T lib_6_3
typedef int t = 1;  // error: HLSL1688
struct S { typedef float f; float m() const { return 1; } };  // error: HLSL1689
float g() static { return 1; }  // error: HLSL1690
float h() const { return 1; }  // error: HLSL1690
Texture2D u : read(caller);  // error: HLSL1687
float i() : register(t0) { return (static float)1; }  // error: HLSL1057 // error: HLSL1684
