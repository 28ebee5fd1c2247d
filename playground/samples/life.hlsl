// Conway's game of life. The buffer keeps its numbers from frame to frame; each bit of `frame` selects one half of it.
RWTexture2D<float4> picture : register(u0);
RWStructuredBuffer<uint> cells : register(u1);

cbuffer Settings : register(b2)
{
    uint frame;
    float2 mouse;
    float3 livingColour;    // = #7fe08a
    uint period;            // 1 .. 30 = 4
};

static const int2 size = int2(160, 90);
static const int pixels = 4; // the width of a cell in the picture

uint placeOf(int2 cell, uint half)
{
    cell = (cell + size) % size;
    return half * size.x * size.y + cell.y * size.x + cell.x;
}

bool isSeed(int2 cell)
{
    const uint h = (cell.x * 73856093u ^ cell.y * 19349663u) * 2654435761u;
    return (h >> 16 & 7) < 2;
}

[numthreads(8, 8, 1)]
void main(uint2 id : SV_DispatchThreadID)
{
    const int2 cell = int2(id);
    if (any(cell >= size))
        return;
    const uint generation = frame / period, now = generation & 1;
    uint alive = cells[placeOf(cell, now)];
    if (frame % period == 0 || generation == 0)
    {
        uint neighbours = 0;
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                neighbours += x == 0 && y == 0 ? 0 : cells[placeOf(cell + int2(x, y), 1 - now)];
        const uint before = cells[placeOf(cell, 1 - now)];
        alive = neighbours == 3 || (neighbours == 2 && before) ? 1 : 0;
        if (generation == 0 || distance(float2(cell), mouse * float2(size)) < 2.0)
            alive = isSeed(cell + int(generation)) ? 1 : 0;
        cells[placeOf(cell, now)] = alive;
    }
    for (int y = 0; y < pixels; ++y)
        for (int x = 0; x < pixels; ++x)
        {
            const float edge = x == 0 || y == 0 ? 0.8 : 1.0;
            picture[id * pixels + uint2(x, y)] = float4(alive ? livingColour * edge : float3(0.05, 0.06, 0.09), 1.0);
        }
}
