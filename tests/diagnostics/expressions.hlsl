// HLSL03xx: names, types and expressions.

// ----
float4 main() : SV_Target { return x; }  // error: HLSL0301

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    S s; s.c = 1;  // error: HLSL0304
    return color;
}

// ----
namespace N { float a; }
float f() { return N::b; }  // error: HLSL0305
float4 main() : SV_Target { return 0; }

// ----
void a() {} enum E { a };  // error: HLSL0306
float4 main() : SV_Target { return 0; }

// ----
cbuffer C { float a; int a; }  // error: HLSL0307
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
struct G { S get(); float s; }; S G::get() { return S; }  // error: HLSL0309
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
struct S;
S s;  // error: HLSL0310
float4 main() : SV_Target { return 0; }

// ----
template <> float f<float>(float a) { return a; }  // error: HLSL0311
float4 main() : SV_Target { return 0; }

// ----
template <typename T> struct S { T a; };
S<float, float> s;  // error: HLSL0312
float4 main() : SV_Target { return 0; }

// ----
template <int N> struct S { float a[N]; };
S<float> s;  // error: HLSL0313
float4 main() : SV_Target { return 0; }

// ----
template <typename T> struct S { T a; };
S s;  // error: HLSL0314
float4 main() : SV_Target { return 0; }

// ----
StructuredBuffer<Texture2D> b;  // error: HLSL0315
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
float4 f(vector<float, 5> v) { return 0; }  // error: HLSL0316
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float16_t f() { return (float16_t)1; }  // error: HLSL0317 // error: HLSL0317
float4 main() : SV_Target { return 0; }

// ----
float4 main() : SV_Target { const float x = 1; x = 2; return x; }  // error: HLSL0342 // note: HLSL0318

// ----
float a;  // note: HLSL0319
float a;  // error: HLSL0306
float4 main() : SV_Target { return 0; }

// ----
float f(float2 x) { return 1; }  // note: HLSL0320
float g() { return f(1, 2); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
template <typename T> T f() { return 1; }  // note: HLSL0323
float g() { return f(); }  // error: HLSL0361
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    S s; color = s;  // error: HLSL0330
    return color;
}

// ----
RaytracingPipelineConfig c = 1;  // error: HLSL0331
float4 main() : SV_Target { return 0; }

// ----
enum E { A, B }; template<typename T> struct Box { T x; }; struct Derived : Box<float> { float y; };
template<typename T, int N> struct Sized { vector<T, N> x; };
template<typename T> float g(T a, T b = 0.0) { return 1; }  // error: HLSL0332
float4 main(float4 c : A) : SV_Target { 
    float f = c.x; int i = c.x; float2 f2 = f; float3 f3 = f; float4 f4 = f; int4 i4 = i; min16float h = (min16float)f;
    float a2[2] = {f, f}; float a3[3] = {f, f, f}; float a23[2][3] = {f, f, f, f, f, f}; float3x4 m = f; bool b = true;
    Box<float> box = {f}; Box<int> ints = {i}; Derived derived = {f, f}; E e = A; Sized<float, 3> three = {f3};
 return g(box); }

// ----
Texture2D t;
float f() { return t; }  // error: HLSL0333
float4 main() : SV_Target { return 0; }

// ----
struct S { float a; };
float f(S s) { return s + s; }  // error: HLSL0334
float4 main() : SV_Target { return 0; }

// ----
TriangleHitGroup h = { 1, 2 };  // error: HLSL0335
float4 main() : SV_Target { return 0; }

// ----
RaytracingPipelineConfig c = { "a" };  // error: HLSL0336
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.x = color & 1;  // error: HLSL0337
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    bool b = color.xy && color.zw;  // error: HLSL0338
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color = color > 0 ? color : 1;  // error: HLSL0339
    return color;
}

// ----
Texture2D t;
float f() { return t ? 1 : 2; }  // error: HLSL0340
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    1 = number;  // error: HLSL0341
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    value.x = 1;  // error: HLSL0342
    return color;
}

// ----
struct S { float a; };
float f() { const S s = { 1 }; return 1; }
const StructuredBuffer<float> b;
float g() { b[0] = 1; return 1; }  // error: HLSL0343
float4 main() : SV_Target { return 0; }

// ----
float f() { float a = 1; float b = *a; return b; }  // error: HLSL0345
float4 main() : SV_Target { return 0; }

// ----
struct S { float a; };
float f(S s) { return s->a; }  // error: HLSL0346
float4 main() : SV_Target { return 0; }

// ----
float f() { bool a = true; a++; return a; }  // error: HLSL0347
float4 main() : SV_Target { return 0; }

// ----
float f(float a) { return a[0]; }  // error: HLSL0348
float4 main() : SV_Target { return 0; }

// ----
float f(float4 a) { Texture2D t; return a[t]; }  // error: HLSL0349
Texture2D u;
float g(float4 a) { return a[u]; }  // error: HLSL0349
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.x = color[4];  // error: HLSL0350
    return color;
}

// ----
float f(float4x4 a) { return a[5][0]; }  // error: HLSL0351
float4 main() : SV_Target { return 0; }

// ----
float f(float4 a) { return a.xr; }  // error: HLSL0352
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.xy = color.abc;  // error: HLSL0353
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    float2 p = 1; color.x = p.z;  // error: HLSL0354
    return color;
}

// ----
float4 f(float4 a) { return a.xyzwx; }  // error: HLSL0355
float4 main() : SV_Target { return 0; }

// ----
float f(float4x4 a) { return a._m0; }  // error: HLSL0356
float4 main() : SV_Target { return 0; }

// ----
float f(float2x2 a) { return a._m33; }  // error: HLSL0357
float4 main() : SV_Target { return 0; }

// ----
float2 f(float4x4 a) { return a._m00_11; }  // error: HLSL0358
float4 main() : SV_Target { return 0; }

// ----
void v() { }
float f() { return v().a; }  // error: HLSL0359
float4 main() : SV_Target { return 0; }

// ----
float f(float2 x) { return 1; } float4 main() : SV_Target { return f(1, 2); }  // error: HLSL0361

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color = tex.Sample(smp);  // error: HLSL0362
    return color;
}

// ---- -T ps_6_2
enum E { A, B };
int g(int x) { return 1000; }
int g(uint x) { return 1001; }
int main(float4 input : A) : SV_Target { 
    float f = input.x; int i = input.x; uint u = input.x; bool b = input.x; double d = input.x;
    min16float mf = (min16float)f; min16int mi = (min16int)i; min16uint mu = (min16uint)u; half h = f; E e = A;
    int64_t l = i;
    float2 f2 = f; float3 f3 = f; float4 f4 = f; int2 i2 = i; uint3 u3 = u; float2x2 m2 = f; float3x3 m3 = f;
 return g(1); }  // error: HLSL0363

// ----
float f() { float a = 1; return a(2); }  // error: HLSL0364
float4 main() : SV_Target { return 0; }

// ----
struct S { float m() { return 1; } };
float f() { return S::m(); }  // error: HLSL0366
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.x = this.a;  // error: HLSL0367
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color = float4(color.xyz);  // error: HLSL0368
    return color;
}

// ----
Texture2D t;
float4 g() { return float4(t, 1, 1, 1); }  // error: HLSL0369
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    float2 f = float2(1, 2, 3);  // error: HLSL0370
    return color;
}

// ----
float f() { return tex2D(1, 2); }  // error: HLSL0372
float4 main() : SV_Target { return 0; }

// ----
min16int f(min16int a) { return a / a; }  // error: HLSL0374
float4 main() : SV_Target { return 0; }

// ----
double f(double a) { return a % a; }  // error: HLSL0375
float4 main() : SV_Target { return 0; }

// ----
bool f(float a[2], float b[2]) { return a == b; }  // error: HLSL0376
float4 main() : SV_Target { return 0; }

// ----
uint f() { return sizeof(Texture2D); }  // error: HLSL0380
float4 main() : SV_Target { return 0; }

// ----
float f(float x) { return f(x - 1); } float4 main() : SV_Target { return f(3); }  // error: HLSL0381

// ----
float4 main(float4 c : C) : SV_Target { float2 p = c; return p.xyxy; }  // warning: HLSL0382

// ----
float2x2 f(float4x4 a) { return a; }  // warning: HLSL0383
float4 main() : SV_Target { return 0; }

// ----
uint f(uint n) { return 1 << n; }  // warning: HLSL0384
float4 main() : SV_Target { return 0; }

// ----
float f(float a) { a + 1; return a; }  // warning: HLSL0385
float4 main() : SV_Target { return 0; }

// ---- -T ds_6_0
struct CP { float3 p : P; };
struct PC { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
[domain("tri")]
float4 main(PC pc, const OutputPatch<CP, 3> op) : SV_Position { return float4(op[3].p, 1); }  // error: HLSL0387

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    color.xx = 1;  // error: HLSL0388
    return color;
}

// ----
enum class E { A };
float f(E e) { return e * 2; }  // error: HLSL0390
float4 main() : SV_Target { return 0; }

// ----
enum class E { A };
float f() { E e = E::A; e++; return 1; }  // error: HLSL0391
float4 main() : SV_Target { return 0; }

// ----
float4 f(float a) { Texture2D t; return t.Load<float4>(0); }  // error: HLSL0393
float4 main() : SV_Target { return 0; }

// ----
uint f() { return 99999999999999999999999; }  // error: HLSL0379
float4 main() : SV_Target { return 0; }

// ----
float4 main() : SV_Target { return twice(1); }  // error: HLSL0301
float twice(float x) { return 2 * x; }  // note: HLSL1643

// ----
float4 main(float4 p : P, int2 i : I, float s : S) : SV_Target {
    float2 a = float2(s);  // error: HLSL0368
    int b = int(i);  // error: HLSL0368
    float3 c = float3(p);  // error: HLSL0368
    float4x4 d = float4x4(s);  // error: HLSL0368
    bool e = bool(p.xy);  // error: HLSL0368
    float3x3 f = float3x3(d);  // error: HLSL0368
    float4 g = float4(p) + float4(p.xy, i) + (float4)s;
    float h = float(s) + (float)p;
    return g;
}

// ----
ByteAddressBuffer bytes; Texture2D t; Texture1D line; SamplerState s; Buffer<float4> texels; RWBuffer<float4> out_;
float4 main(float4 p : P, uint2 i : I) : SV_Target {
    float4 r = bytes.Load(i);  // error: HLSL0362
    r += t.SampleLevel(s, p.xy, p.xy);  // error: HLSL0362
    r += out_.Load(i);  // error: HLSL0362
    r += line.Sample(s, p.xy);  // warning: HLSL0382
    r += texels.Load(i);  // warning: HLSL0382
    return r;
}
