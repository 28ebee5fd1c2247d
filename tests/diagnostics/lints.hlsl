// HLSL1700 on: lints.  Each section also has lines that must not be reported.

// ---- -T ps_6_0 -Wlint
bool enabled;

float4 main(float2 uv : TEXCOORD0) : SV_Target {
    float width = fwidth(uv.x);
    if (enabled) width += fwidth(uv.y);
    if (uv.x > 0.5)
        width += fwidth(uv.y);  // warning: HLSL1700
    return width;
}

// ---- -T ps_6_0 -Wlint
Texture2D color, mask;
SamplerState smp;

float4 main(float2 uv : TEXCOORD0) : SV_Target {
    if (mask.Sample(smp, uv).r < 0.5)  // note: HLSL1703
        return 0;
    return color.Sample(smp, uv);  // warning: HLSL1701
}

// ---- -T cs_6_0 -Wlint
groupshared float shared_values[64];
RWStructuredBuffer<float> values;
uint count;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    if (id >= count) return;  // note: HLSL1703
    shared_values[lane] = values[id];
    GroupMemoryBarrierWithGroupSync();  // warning: HLSL1702
    values[id] = shared_values[63 - lane];
    AllMemoryBarrierWithGroupSync();  // note: HLSL1705
    GroupMemoryBarrierWithGroupSync();  // note: HLSL1705
}

// ---- -T ps_6_0 -Wlint
Texture2D<float4> textures[];
StructuredBuffer<uint> materials;

float4 main(uint primitive : SV_PrimitiveID) : SV_Target {
    uint material = materials[primitive];
    return textures[material][uint2(0, 0)]  // warning: HLSL1704
        + textures[NonUniformResourceIndex(material)][uint2(0, 0)];
}

// ---- -T ps_6_0 -Wlint
Texture2D color, noise;
SamplerState smp;
uint count;
float radius;

float4 main(float2 uv : TEXCOORD0) : SV_Target {
    float4 sum = 0;
    for (uint i = 0; i < count; i++) {  // note: HLSL1708 // note: HLSL1708
        float2 offset = noise.SampleLevel(smp, uv, 0).xy;  // warning: HLSL1707
        sum += color.SampleLevel(smp, uv + offset * i, 0);
        sum /= sqrt(radius);  // warning: HLSL1706
    }
    return sum;
}

// ---- -T cs_6_0 -Wlint
groupshared float tile[32][32], padded[32][33];
RWStructuredBuffer<float> values;

[numthreads(32, 32, 1)]
void main(uint3 thread : SV_GroupThreadID) {
    tile[thread.y][thread.x] = padded[thread.x][thread.y] = values[thread.x];
    GroupMemoryBarrierWithGroupSync();
    values[thread.y] = tile[thread.x][thread.y]  // warning: HLSL1709
        + padded[thread.x][thread.y];
}

// ---- -T ps_6_0 -Wlint -Wno-conversion
Texture2D color;
SamplerState smp;
float scale;

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target {
    min16float2 pixel = position.xy;  // warning: HLSL1710
    min16float2 place = uv * scale;  // note: HLSL1712
    return color.Sample(smp, place)  // warning: HLSL1711
        * pixel.x * min16float(position.y);
}
