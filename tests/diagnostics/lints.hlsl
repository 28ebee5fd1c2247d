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
