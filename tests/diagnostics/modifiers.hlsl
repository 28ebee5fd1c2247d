// HLSL149x: modifiers of declarations.

// ----
groupshared extern float a;  // error: HLSL1490
static extern float b;  // error: HLSL1491
void f(static float x, triangle point float y[3]) { }  // error: HLSL1492 // error: HLSL1490
struct S {
    extern float x;  // error: HLSL1493
    const float y;  // error: HLSL1066
    groupshared float z;  // error: HLSL1066 // warning: HLSL1504
};
in float c;  // error: HLSL1494
void g(in in float x, inout groupshared float y) { }  // error: HLSL1495 // error: HLSL1490 // warning: HLSL1505
float sample d;  // error: HLSL1496
row_major column_major float4x4 e;  // error: HLSL1497
typedef snorm float4 t;
unorm t h;  // error: HLSL1497
row_major float i;  // error: HLSL1498
snorm int j;  // error: HLSL1499
globallycoherent Texture2D k;  // error: HLSL1500
globallycoherent RWTexture2D<float> l[2];
nointerpolation float m;  // error: HLSL1066
typedef uniform float n;  // error: HLSL1066
extern float q = 1;  // warning: HLSL1509
globallycoherent reordercoherent RWTexture2D<float> r;  // warning: HLSL1508
globallycoherent RWTexture2D<float> s0; RWTexture2D<float> s1;
RWTexture2D<float> copied() { return s0; }  // warning: HLSL1507
void stored(globallycoherent RWTexture2D<float> t) { t = s1; t[uint2(0, 0)] = 1; }  // warning: HLSL1507
void passed() { stored(s1); globallycoherent RWTexture2D<float> u = s1; }  // warning: HLSL1507 // warning: HLSL1507
groupshared float shared_value;
void changed(inout float x) { x = 1; }
void changes() { changed(shared_value); }  // warning: HLSL1510
extern float declared();  // error: HLSL1066
namespace N { extern precise float defined() { return 1; } }  // error: HLSL1066
volatile row_major float o;  // error: HLSL0223 // error: HLSL1498
float4 main(linear linear float4 x : X, centroid sample float4 y : Y) : SV_Target {  // warning: HLSL1501 // warning: HLSL1502
    snorm vector<snorm float, 4> z = x;  // warning: HLSL1503
    min10float w = x.x;  // warning: HLSL1506 // warning: HLSL0593
    extern float v;  // error: HLSL1066
    return z + w;
}

// ----
struct S { inline float x; };  // error: HLSL1680
inline float global;  // error: HLSL1680
inline float half_of(inline float x) {  // error: HLSL1680
    inline float y = x * 0.5;  // error: HLSL1680
    return y;
}
float4 main() : SV_Target { return half_of(1); }
