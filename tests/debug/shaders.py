"""Shaders that the tests debug; comments mark lines."""

from __future__ import annotations

COMPUTE = """\
struct Item { float3 position; uint kind; float weights[3]; };
StructuredBuffer<Item> In;
RWStructuredBuffer<float> Out;
cbuffer Params { float factor; float2x3 shape; };
groupshared float cache[8];
static int counter = 3;

float scaled(float x, float by)
{
    float result = x * by;  // scaled
    if (result > 10)
        result = 10;
    return result;
}

float sum(Item item)
{
    float total = 0;  // sum
    for (int i = 0; i < 3; ++i)  // loop
    {
        float w = item.weights[i];  // body
        total += scaled(w, factor);  // call
    }
    return total;  // end of sum
}

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    Item item = In[id.x];  // entry
    cache[lane] = sum(item);  // shared
    GroupMemoryBarrierWithGroupSync();  // barrier
    float other = cache[7 - lane];  // other
    counter += 1;  // static
    Out[id.x] = other + counter;  // out
}
"""

PIXEL = """\
Texture2D<float4> Albedo;
SamplerState Linear;
float brightness;

float edge(float value)
{
    float width = fwidth(value);  // edge
    if (value < 0.25)
        return 0;
    return saturate((value - 0.25) / width);
}

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float distance = length(uv - 0.5);  // entry
    float shade = edge(distance);  // call
    float4 texel = Albedo.Sample(Linear, uv);
    float4 result = texel * shade * brightness;
    if (uv.x > 0.5)  // branch
        result.x = 0.5;  // then
    else
        result.y = 1;  // else
    return result + position.z;  // end
}
"""

VERTEX = """\
struct Vertex { float3 position : POSITION; float2 uv : TEXCOORD0; };
struct Output { float4 position : SV_Position; float2 uv : TEXCOORD0; };
cbuffer Frame { float4x4 view; bool flag; };
float4 place(float3 p) { return mul(view, float4(p, 1)); }
Output main(Vertex vertex, uint number : SV_VertexID)
{
    Output result;  // entry
    result.position = place(vertex.position) + number;
    result.uv = vertex.uv * (flag ? 2 : 1);  // uv
    return result;
}
"""

FAULTY = """\
StructuredBuffer<int> In;
RWStructuredBuffer<int> Out;
[numthreads(4, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    int table[3] = { 1, 2, 3 };
    int value = In[id];  // entry
    value = 12 / value;  // division
    Out[id] = value + table[id];  // index
}
"""

RAYS = """\
struct Payload { float3 colour; uint depth; };
struct Hit { float2 weights; };
RaytracingAccelerationStructure scene;
RWTexture2D<float4> picture;
float3 sky;
float3 shade(float distance)
{
    float light = 1 / (1 + distance);  // shade
    return light.xxx;
}
[shader("raygeneration")]
void Generate()
{
    uint2 pixel = DispatchRaysIndex().xy;  // entry
    RayDesc ray;
    ray.Origin = float3((pixel + 0.5) / DispatchRaysDimensions().xy, -1);
    ray.Direction = float3(0, 0, 1);
    ray.TMin = 0; ray.TMax = 100;
    Payload payload = { float3(0, 0, 0), 0 };
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, payload);  // trace
    picture[pixel] = float4(payload.colour, 1);  // end
}
[shader("miss")]
void Miss(inout Payload payload)
{
    payload.colour = sky;  // miss
}
[shader("closesthit")]
void Closest(inout Payload payload, Hit hit)
{
    float distance = RayTCurrent();  // hit
    payload.colour = shade(distance) + hit.weights.xyx;  // colour
    payload.depth += 1;  // depth
}
"""

DRAW = """\
struct Corner { float4 place : SV_Position; float3 colour : COLOR; };
struct Point { float3 place : PLACE; float3 colour : COLOR; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float bulge : BULGE; };
float scale;

Point VSMain(float2 at : PLACE, uint id : SV_VertexID)
{
    Point p;
    p.place = float3(at * scale, id * 0.1);
    p.colour = float3(id == 0, id == 1, id == 2); // vertex
    return p;
}

Corner Corners(float2 at : PLACE)
{
    Corner c;
    c.place = float4(at, 0, 1);
    c.colour = 0;
    return c;
}

Factors Constants(InputPatch<Point, 3> patch, uint number : SV_PrimitiveID)
{
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = 1 + number; // factors
    f.inside = 1 + number;
    f.bulge = patch[2].place.z; // bulge
    return f;
}

[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("Constants")]
Point HSMain(InputPatch<Point, 3> patch, uint id : SV_OutputControlPointID, uint number : SV_PrimitiveID)
{
    Point p = patch[id];
    p.place.z += number; // control
    return p;
}

[domain("tri")]
Corner DSMain(Factors f, float3 at : SV_DomainLocation, const OutputPatch<Point, 3> points)
{
    Corner c;
    float3 place = 0;
    for (int i = 0; i < 3; ++i)
        place += points[i].place * at[i]; // sum
    c.place = float4(place.xy, 0.5, 1 + f.bulge);
    c.colour = points[0].colour * at.x + points[1].colour * at.y + points[2].colour * at.z; // domain
    return c;
}

[maxvertexcount(4)]
void GSMain(triangle Corner corners[3], uint number : SV_PrimitiveID, inout TriangleStream<Corner> strip)
{
    for (int i = 0; i < 3; ++i)
    {
        Corner c = corners[i];
        c.colour.x += number;
        strip.Append(c); // append
    }
    strip.RestartStrip();
    float total = corners[0].place.x; // emitted
    if (total > 100)
        strip.Append(corners[0]);
}

float4 PSMain(Corner c) : SV_Target
{
    float3 colour = c.colour; // pixel
    return float4(colour, 1);
}
"""

ENDLESS = """\
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    uint n = 0;
    while (Out[0] == 0)  // loop
        n += 1;
    Out[id] = n;
}
"""


def line_of(source: str, mark: str) -> int:
    """Return the line that ends with a comment."""
    return next(n for n, line in enumerate(source.splitlines(), 1) if line.endswith(f"// {mark}"))
