// HLSL02xx: syntax errors.

// ----
cbuffer C { float a : packoffset(c1[1]); float z : packoffset(c9); }  // error: HLSL0201 // error: HLSL0211
float4 main() : SV_Target { return (float)a + z; }

// ----
[[using vk binding(1)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0202

// ----
float f = ;  // error: HLSL0203
float4 main() : SV_Target { return 0; }

// ----
float 1;  // error: HLSL0204
float4 main() : SV_Target { return 0; }

// ----
[[using : binding(1)]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0205

// ----
void f(int a, ) { }  // error: HLSL0206
float4 main() : SV_Target { return 0; }

// ----
void f() { if a) { } }  // error: HLSL0207
float4 main() : SV_Target { return 0; }

// ----
float f() return 1;  // error: HLSL0208
float4 main() : SV_Target { return 0; }

// ----
typedef ;  // error: HLSL0209
float4 main() : SV_Target { return 0; }

// ----
float3 f() { return float3; }  // error: HLSL0210
float4 main() : SV_Target { return 0; }

// ----
float f( { return 1; }  // error: HLSL0211 // note: HLSL0213
float4 main() : SV_Target { return 0; }

// ----
[[using vk: ]] Texture2D t; float4 main() : SV_Target { return t.Load(0); }  // error: HLSL0214

// ----
enum E { A B };  // error: HLSL0215
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -O0
template<typename T> struct S { T v; };
struct X { float a; };
template<> struct S<float> { X v; nothing q; };  // error: HLSL0220
float f(float x) { S<float> s; s.v.a = x; return s.v.a; }
float4 main(float2 uv : TEXCOORD0) : SV_Target { return (f(uv.x)).xxxx; }

// ----
static x;  // error: HLSL0221
float4 main() : SV_Target { return 0; }

// ----
}  // error: HLSL0222
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    volatile float x = 1;  // error: HLSL0223
    precise volatile float y = 1;  // error: HLSL0223
    static precise volatile const float z = 1;  // error: HLSL0223
    return color;
}
