// Cells: the nearest and the second nearest of points that move, one for each square of a grid.
#include "noise.hlsli"

float time;
float2 resolution;
float count;        // 3 .. 20 = 8
float edge;         // 0.01 .. 0.3 = 0.08
float4 wallColour;  // = #10203a

float2 pointOf(int2 cell)
{
    const uint h = hash(asuint(cell));
    const float2 random = float2(h & 0xffff, h >> 16) / 65535.0;
    return 0.5 + 0.4 * sin(time * 0.8 + 6.2831853 * random);
}

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 p = uv * float2(resolution.x / resolution.y, 1.0) * count;
    const int2 base = int2(floor(p));
    float first = 8.0, second = 8.0;
    int2 owner = base;
    [unroll] for (int y = -1; y <= 1; ++y)
    {
        [unroll] for (int x = -1; x <= 1; ++x)
        {
            const int2 cell = base + int2(x, y);
            const float d = distance(p, float2(cell) + pointOf(cell));
            if (d < first)
            {
                second = first;
                first = d;
                owner = cell;
            }
            else
                second = min(second, d);
        }
    }
    const float3 colour = 0.55 + 0.4 * cos(6.2831853 * unitHash(owner) + float3(0.0, 2.1, 4.2));
    const float wall = smoothstep(0.0, edge, second - first);
    return float4(lerp(wallColour.rgb, colour * (1.1 - 0.5 * first), wall), 1.0);
}
