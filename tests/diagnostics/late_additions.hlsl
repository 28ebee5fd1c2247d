// HLSL10xx: checks of all areas that came later.

// ----
template <typename T> T g(T a, T b) { return a; }  // note: HLSL1000
float f() { return g(1.0, 1); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <typename T> T g(T a[2]) { return a[0]; }  // note: HLSL1001
float f() { return g(1.0); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <typename T> T g(T a, float b) { return a; }  // note: HLSL1002
float f() { return g(1.0); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <int N> float g(float a) { return a; }  // note: HLSL1003
float f() { return g<float>(1.0); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <typename T> typename T::X g(T a) { return a; }  // note: HLSL1004
float f() { return g(1.0); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <typename T> struct Number { static const int value = 1; };
static const int early = Number<float>::value;
template <> struct Number<float> { static const int value = 2; };  // error: HLSL1185
float4 main() : SV_Target { return early; }

// ----
template <typename T> T g(T a) { return a; }
float early(float a) { return g(a); }
template <> float g(float a) { return a + 1; }  // error: HLSL1185
float4 main(float a : A) : SV_Target { return early(a); }

// ----
enum E { A, B }; template<typename T> struct Box { T x; }; struct Derived : Box<float> { float y; };
template<typename T, int N> struct Sized { vector<T, N> x; };
template<typename T> T g(T a, T b) { return a; }
template<> float g(int a, float b) { return a; }  // error: HLSL1005
float4 main(float4 c : A) : SV_Target { 
    float f = c.x; int i = c.x; float2 f2 = f; float3 f3 = f; float4 f4 = f; int4 i4 = i; min16float h = (min16float)f;
    float a2[2] = {f, f}; float a3[3] = {f, f, f}; float a23[2][3] = {f, f, f, f, f, f}; float3x4 m = f; bool b = true;
    Box<float> box = {f}; Box<int> ints = {i}; Derived derived = {f, f}; E e = A; Sized<float, 3> three = {f3};
 return g(f, f); }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct T { float a; operator int() { return 1; } };  // error: HLSL1006
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
S operator+(S a, S b) { return a; }  // error: HLSL1007
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
string f();  // error: HLSL1008
static const string listed = { "text" };
void takes(string a, string b) { printf(a); }  // error: HLSL1008 // error: HLSL1008
void gives() { takes("a", "b"); }
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    auto text = "a";  // error: HLSL1009
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct G { template<typename T> T get(); }; template<typename T> T G::get() { return 1; }  // error: HLSL1010
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.x = 1.5f16;  // error: HLSL1011
    return color;
}

// ----
Texture2D<float4> t : register(x1);  // error: HLSL1050
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
float4 x : register(c1x);  // error: HLSL1051
float4 main() : SV_Target { return 0; }

// ----
Texture2D<float4> t : register(t1[-1]);  // error: HLSL1052
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
Texture2D<float4> t : register(qs, t1);  // error: HLSL1050 // error: HLSL1053
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
Texture2D<float4> t : register(t7, space);  // error: HLSL1054
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
Texture2D<float4> t : register(ps_5_0);  // error: HLSL1055
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
float4 x : register(t0);  // error: HLSL1057
float4 main() : SV_Target { return 0; }

// ----
Texture2D<float4> t : register(t1) : register(t2);  // error: HLSL1058
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
cbuffer C : register(vs, b0) { float x; };  // error: HLSL1059
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -Wregister-index
Texture2D<float4> t : register(t[1]);  // warning: HLSL1060
float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }

// ----
cbuffer C { float a : packoffset(c0.Z); float z : packoffset(c9); }  // error: HLSL1061
float4 main() : SV_Target { return (float)a + z; }

// ----
cbuffer C { float4 a : packoffset(c0.y); float z : packoffset(c9); }  // error: HLSL1062
float4 main() : SV_Target { return (float)a + z; }

// ----
cbuffer C : packoffset(c0) { float x; };  // error: HLSL1063
float4 main() : SV_Target { return 0; }

// ----
cbuffer C { float x : packoffset(c0) : packoffset(c1); };  // warning: HLSL1064
float4 main() : SV_Target { return 0; }

// ----
cbuffer C { float x : packoffset(c0); float y; };  // warning: HLSL1065
float4 main() : SV_Target { return 0; }

// ----
typedef float F : FOO;  // error: HLSL1066
float4 main() : SV_Target { return 0; }

// ----
void a(); float a;  // error: HLSL1070
float4 main() : SV_Target { return 0; }

// ----
enum E { a }; enum F { a };  // error: HLSL1071
float4 main() : SV_Target { return 0; }

// ----
typedef int a; typedef float a;  // error: HLSL1072
typedef float3 float4;  // error: HLSL1072
typedef int SamplerState;  // error: HLSL1072
typedef float3 float3; typedef min16int int16_t; typedef int size_t;
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::offset(16)]] float v;  // error: HLSL1080
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
float f() { [[vk::binding(1)]] if (true) return 1; return 2; }  // error: HLSL1081
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::binding(1)]] static float v;  // warning: HLSL1082
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::push_constant(1)]] R v;  // error: HLSL1083
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::image_format(r32f)]] RWBuffer<float4> v;  // error: HLSL1084
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::binding(3)]] [[vk::binding(4)]] Texture2D v;  // warning: HLSL1085
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::Binding(1)]] Texture2D v;  // error: HLSL1086
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::image_format("rgba8f")]] RWBuffer<float4> v;  // warning: HLSL1088
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[vk::builtin("Nothing")]] float f() { return 1; }  // error: HLSL1089
float4 main() : SV_Target { return 0; }

// ----
struct R { float a; };
[[nodiscard]] float f() { return 1; } void g() { f(); }  // warning: HLSL1091
[[clang::warn_unused_result]] float clang_f() { return 1; } void clang_g() { clang_f(); }  // warning: HLSL1091
[[gnu::warn_unused_result]] float gnu_f() { return 1; } void gnu_g() { gnu_f(); }  // warning: HLSL1091
[[clang::always_inline]] float h() { return 1; }  // warning: HLSL0521
float4 main() : SV_Target { return 0; }

// ----
[GroupSharedLimit(64)] float4 main() : SV_Target { return 0; }  // error: HLSL1092
