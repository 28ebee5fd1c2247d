// A panel of a user interface from distance fields: rounded buttons, a dial, and a pointer that follows the mouse.
cbuffer Panel : register(b0)
{
    float2 resolution;
    float2 mouse;
    float time;
    float value;        // 0 .. 1 = 0.65
    float rounding;     // 0 .. 24 = 10
    float3 accentColour;    // = #3d8bfd
    bool dark;          // = 1
};

float roundedBox(float2 p, float2 size, float radius)
{
    const float2 q = abs(p) - size + radius;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
}

float coverage(float d) { return saturate(0.5 - d); }

float3 over(float3 below, float3 colour, float alpha) { return lerp(below, colour, alpha); }

float4 main(float4 position : SV_Position) : SV_Target
{
    const float2 p = position.xy, pointer = mouse * resolution;
    const float3 background = dark ? float3(0.09, 0.1, 0.13) : float3(0.92, 0.93, 0.95);
    const float3 surface = dark ? float3(0.17, 0.19, 0.24) : float3(1.0, 1.0, 1.0);
    float3 colour = background;

    const float card = roundedBox(p - resolution * 0.5, resolution * 0.5 - 24.0, rounding * 1.5);
    colour = over(colour, 0.0, 0.35 * saturate(1.0 - card / 16.0) * step(0.0, card));
    colour = over(colour, surface, coverage(card));

    [unroll] for (int i = 0; i < 3; ++i)
    {
        const float2 centre = float2(resolution.x * 0.27, resolution.y * (0.28 + 0.22 * i));
        const float d = roundedBox(p - centre, float2(110.0, 26.0), rounding);
        const float hover = coverage(roundedBox(pointer - centre, float2(110.0, 26.0), rounding));
        const float3 fill = lerp(lerp(surface, accentColour, i == 0 ? 0.9 : 0.25), accentColour, hover * 0.6);
        colour = over(colour, fill, coverage(d));
        colour = over(colour, lerp(fill, 1.0, 0.3), coverage(abs(d + 1.0) - 0.8));
        colour = over(colour, i == 0 ? 1.0 : accentColour, coverage(roundedBox(p - centre, float2(44.0 - 10.0 * i, 4.0), 4.0)));
    }

    const float2 dial = p - float2(resolution.x * 0.7, resolution.y * 0.5);
    const float ring = abs(length(dial) - 90.0) - 12.0;
    const float angle = frac(atan2(dial.x, -dial.y) / 6.2831853 + 1.0);
    const float level = saturate(value + 0.02 * sin(time * 3.0));
    colour = over(colour, lerp(surface, 0.5, 0.3), coverage(ring));
    colour = over(colour, accentColour, coverage(ring) * step(angle, level));
    colour = over(colour, accentColour, coverage(length(dial) - 40.0 * level - 8.0));
    return float4(colour, 1.0);
}
