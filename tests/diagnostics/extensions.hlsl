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
