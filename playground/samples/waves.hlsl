// Waves of moving sources. A group computes its heights once into shared memory, and slopes from its neighbours' heights.
RWTexture2D<float4> picture : register(u0);

cbuffer Settings : register(b1)
{
    float2 resolution;
    float time;
    float wavelength;   // 0.02 .. 0.3 = 0.09
    int sources;        // 1 .. 8 = 4
    float3 waterColour; // = #2c7da0
};

static const int group = 16;
groupshared float heights[group + 2][group + 2];

float heightAt(float2 p)
{
    float sum = 0.0;
    for (int i = 0; i < sources; ++i)
    {
        const float2 at = 0.8 * float2(sin(time * 0.3 + 2.4 * i), cos(time * 0.23 + 1.7 * i));
        const float d = length(p - at);
        sum += sin(6.2831853 * (d / wavelength - time)) * exp(-1.5 * d);
    }
    return sum;
}

[numthreads(group, group, 1)]
void main(uint2 id : SV_DispatchThreadID, uint2 local : SV_GroupThreadID, uint2 tile : SV_GroupID, uint index : SV_GroupIndex)
{
    for (uint k = index; k < (group + 2) * (group + 2); k += group * group)
    {
        const uint2 cell = uint2(k % (group + 2), k / (group + 2));
        const float2 at = float2(tile * group + cell) - 1.0;
        heights[cell.y][cell.x] = heightAt((at * 2.0 - resolution) / resolution.y);
    }
    GroupMemoryBarrierWithGroupSync();

    const uint2 c = local + 1;
    const float2 slope = float2(heights[c.y][c.x + 1] - heights[c.y][c.x - 1], heights[c.y + 1][c.x] - heights[c.y - 1][c.x]);
    const float3 n = normalize(float3(-slope, 0.6));
    const float light = saturate(dot(n, normalize(float3(0.4, -0.5, 0.7))));
    const float3 colour = waterColour * (0.35 + light) + pow(light, 24.0) * 0.7;
    picture[id] = float4(colour, 1.0);
}
