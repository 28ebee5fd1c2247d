// HLSL12xx and HLSL13xx: resources, limits.

// ----
struct S { Texture2D t; float a; };
S s[2];
float4 main(nointerpolation int i : I) : SV_Target { return s[i].t.Load(0) + s[i].a; }  // error: HLSL1200

// ----
struct S { int a; };
Texture2D<float4> tex; Texture2DArray<float4> layers; RWTexture1D<float> row; StructuredBuffer<float> list;
Buffer<float4> texels; RWStructuredBuffer<S> items;
float4 main(float f : A) : SV_Target {
    S s = (S)0; uint1 u1 = 0; uint2 u2 = 0; uint3 u3 = 0; bool b = true; uint width, height, depth; float4 r = 0;
    r += tex[s];  // error: HLSL1280
    return r;
}

// ----
struct S { int a; };
Texture2D<float4> tex; Texture2DArray<float4> layers; RWTexture1D<float> row; StructuredBuffer<float> list;
Buffer<float4> texels; RWStructuredBuffer<S> items;
float4 main(float f : A) : SV_Target {
    S s = (S)0; uint1 u1 = 0; uint2 u2 = 0; uint3 u3 = 0; bool b = true; uint width, height, depth; float4 r = 0;
    tex.GetDimensions(width, 20);  // error: HLSL1282
    return r;
}

// ----
float4 main(float face : VFACE) : SV_Target { return face; }  // warning: HLSL1283

// ----
float4 main(float4 a : A) : SV_Target
{
float4 r = a;
[unroll] for (int i = 0; i < 10000; ++i) r.x += a.y * i;  // error: HLSL1312
return r;
}
