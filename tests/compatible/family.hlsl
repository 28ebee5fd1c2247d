// Shaders whose interface glslc, glslang and hlsl_tool are compared on. Each starts with its name, stage and entry.

//// vertex_registers vert main
cbuffer Camera : register(b1) { float4x4 view; float4 eye; };
cbuffer Object : register(b2) { float4x3 model; float scale; };
struct In { float3 position : POSITION; float2 uv : TEXCOORD0; uint instance : SV_InstanceID; };
struct Out { float4 position : SV_Position; float2 uv : TEXCOORD0; };
Out main(In i) {
    Out o;
    o.position = mul(view, float4(mul(model, i.position).xyz * scale + i.instance, 1)) + eye;
    o.uv = i.uv;
    return o;
}

//// vertex_parameters vert VSMain
float4 VSMain(float4 p : POSITION, float3 n : NORMAL, uint id : SV_VertexID, out float3 normal : NORMAL, out float4 c : COLOR)
    : SV_Position { normal = n; c = id; return p; }

//// vertex_clip vert main
struct Out { float4 position : SV_Position; float clip : SV_ClipDistance0; float4 color : COLOR0; };
Out main(float4 p : POSITION, float4 c : COLOR) { Out o; o.position = p; o.clip = p.x; o.color = c; return o; }

//// vertex_arrays vert main
struct Out { float4 position : SV_Position; float4 color[3] : COLOR; float2 uv : TEXCOORD0; };
Out main(float4 p : POSITION, float4 w : WEIGHT) {
    Out o; o.position = p; o.color[0] = w; o.color[1] = w.y; o.color[2] = w.z; o.uv = w.xy; return o;
}

//// vertex_matrix_input vert main
float4 main(float4 p : POSITION, float4x4 m : INSTANCE, float2 uv : TEXCOORD) : SV_Position { return mul(m, p) + uv.xyxy; }

//// vertex_nested vert main
struct Light { float3 direction : DIRECTION; float power : POWER; };
struct Out { float4 position : SV_Position; Light light; float4 last : LAST; };
Out main(float4 p : POSITION) { Out o; o.position = p; o.light.direction = p.xyz; o.light.power = p.w; o.last = p; return o; }

//// vertex_globals vert main
float4x4 world;
float4 tint;
float4 main(float4 p : POSITION, out float4 c : COLOR) : SV_Position { c = tint; return mul(world, p); }

//// vertex_push_constants vert main
struct Constants { float4x4 transform; float3 color; float alpha; };
[[vk::push_constant]] ConstantBuffer<Constants> constants;
float4 main(float4 p : POSITION, out float4 c : COLOR) : SV_Position {
    c = float4(constants.color, constants.alpha);
    return mul(constants.transform, p);
}

//// vertex_spec_constant vert main
[[vk::constant_id(3)]] const int count = 4;
float4 main(float4 p : POSITION) : SV_Position { return p * count; }

//// pixel_texture frag main
Texture2D<float4> albedo : register(t0);
SamplerState linearClamp : register(s1);
float4 main(float2 uv : TEXCOORD0) : SV_Target { return albedo.Sample(linearClamp, uv); }

//// pixel_spaces frag main
Texture2D<float4> first : register(t0, space0);
Texture2D<float4> second : register(t3, space1);
SamplerState nearest : register(s5, space2);
cbuffer Material : register(b7, space3) { float4 color; };
float4 main(float2 uv : TEXCOORD0) : SV_Target { return first.Sample(nearest, uv) * second.Sample(nearest, uv) * color; }

//// pixel_unbound frag main
Texture2D<float4> a;
Texture2D<float4> b;
SamplerState c;
cbuffer D { float4 d; };
float4 main(float2 uv : TEXCOORD0) : SV_Target { return a.Sample(c, uv) + b.Sample(c, uv) + d; }

//// pixel_partly_bound frag main
cbuffer First : register(b0) { float4 x; };
Texture2D<float4> a;
Texture2D<float4> b : register(t1);
SamplerState c;
SamplerState d : register(s4);
cbuffer Last { float4 y; };
float4 main(float2 uv : TEXCOORD0) : SV_Target { return a.Sample(c, uv) + b.Sample(d, uv) * x + y; }

//// pixel_unused frag main
Texture2D<float4> a;
Texture2D<float4> unused;
Texture2D<float4> b;
SamplerState c;
cbuffer Unused { float4 u; };
float4 main(float2 uv : TEXCOORD0) : SV_Target { return a.Sample(c, uv) + b.Sample(c, uv); }

//// pixel_targets frag main
struct Out { float4 a : SV_Target0; float4 b : SV_Target2; float depth : SV_Depth; };
Out main(float4 p : SV_Position, float3 n : NORMAL) { Out o; o.a = p; o.b = n.xyzz; o.depth = p.z; return o; }

//// pixel_interpolation frag main
struct In {
    float4 position : SV_Position;
    nointerpolation uint id : ID;
    noperspective float2 screen : SCREEN;
    centroid float4 color : COLOR;
    sample float3 normal : NORMAL;
    bool front : SV_IsFrontFace;
};
float4 main(In i) : SV_Target { return i.front ? i.color + i.id : i.screen.xyxy + i.normal.xyzz + i.position; }

//// pixel_system_values frag main
float4 main(uint sample : SV_SampleIndex, uint primitive : SV_PrimitiveID, out uint mask : SV_Coverage)
    : SV_Target { mask = 3; return sample + primitive; }

//// pixel_discard frag main
[earlydepthstencil]
float4 main(float4 p : SV_Position, float a : ALPHA) : SV_Target { clip(a); return p; }

//// pixel_texture_kinds frag main
Texture1D<float4> t1 : register(t0);
Texture2DArray<float4> t2 : register(t1);
Texture3D<float4> t3 : register(t2);
TextureCube<float4> t4 : register(t3);
TextureCubeArray<float4> t5 : register(t4);
Texture2DMS<float4> t6 : register(t5);
Texture2D<uint4> t7 : register(t6);
Buffer<float4> t8 : register(t7);
SamplerState s : register(s8);
float4 main(float4 p : POSITION) : SV_Target {
    return t1.Sample(s, p.x) + t2.Sample(s, p.xyz) + t3.Sample(s, p.xyz) + t4.Sample(s, p.xyz) + t5.Sample(s, p)
        + t6.Load(int2(p.xy), 0) + t7.Load(int3(p.xyz)) + t8.Load(int(p.x));
}

//// pixel_texture_arrays frag main
Texture2D<float4> textures[4] : register(t2);
Texture2D<float4> after : register(t9);
SamplerState samplers[2] : register(s0);
float4 main(float2 uv : TEXCOORD0) : SV_Target { return textures[1].Sample(samplers[0], uv) + textures[3].Sample(samplers[1], uv) + after.Sample(samplers[0], uv); }

//// pixel_automatic_arrays frag main
Texture2D<float4> textures[4];
Texture2D<float4> after;
SamplerState s;
float4 main(float2 uv : TEXCOORD0) : SV_Target { return textures[1].Sample(s, uv) + textures[3].Sample(s, uv) + after.Sample(s, uv); }

//// pixel_comparison frag main
Texture2D<float> shadow : register(t0);
SamplerComparisonState compare : register(s1);
float4 main(float3 uv : TEXCOORD0) : SV_Target { return shadow.SampleCmpLevelZero(compare, uv.xy, uv.z); }

//// pixel_packing frag main
struct Light { float3 position; float radius; float3 color; };
cbuffer Packed : register(b0) {
    float a;
    float3 b;
    float2 c;
    float3 d;
    float e[3];
    float f;
    Light lights[2];
    float g;
    float3x2 m;
    row_major float2x3 n;
    float h;
};
float4 main() : SV_Target { return a + b.x + c.x + d.x + e[1] + f + lights[1].radius + g + m[0][0] + n[0][0] + h; }

//// pixel_packoffset frag main
cbuffer Placed : register(b3) {
    float4 a : packoffset(c2);
    float2 b : packoffset(c0.z);
    float c : packoffset(c1.y);
    float3 d : packoffset(c4);
};
float4 main() : SV_Target { return a + b.xyxy + c + d.xyzz; }

//// pixel_row_major frag main
cbuffer C : register(b0) { row_major float4x4 a; column_major float3x4 b; float4x2 c; };
float4 main(float4 p : POSITION) : SV_Target { return mul(a, p) + mul(b, p).xyzz + c[0].xyxy; }

//// pixel_constant_buffer frag main
struct Material { float4 color; float roughness; };
ConstantBuffer<Material> material : register(b4);
float4 main() : SV_Target { return material.color * material.roughness; }

//// pixel_tbuffer frag main
tbuffer Table : register(t6) { float4 rows[8]; };
float4 main(nointerpolation uint i : INDEX) : SV_Target { return rows[i]; }

//// pixel_attributes frag main
[[vk::binding(6, 1)]] Texture2D<float4> a;
[[vk::binding(7, 1)]] SamplerState b;
[[vk::binding(2)]] cbuffer C { float4 c; };
float4 main([[vk::location(3)]] float2 uv : TEXCOORD0) : SV_Target { return a.Sample(b, uv) + c; }

//// compute_images comp main
RWTexture2D<float4> target : register(u0);
RWTexture3D<uint> volume : register(u1);
RWBuffer<float4> values : register(u2);
[numthreads(8, 4, 2)]
void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
    target[id.xy] = float4(group, index); volume[id] = index; values[index] = 1;
}

//// compute_structured comp main
struct Particle { float3 position; float mass; float2 uv; };
StructuredBuffer<Particle> input : register(t0);
RWStructuredBuffer<Particle> output : register(u1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { output[id.x] = input[id.x]; }

//// compute_structured_packing comp main
struct Inner { float3 a; float b[2]; float2x3 c; };
struct Outer { float x; Inner inner; float3 y; float2 z; uint w; };
StructuredBuffer<Outer> input : register(t2);
RWStructuredBuffer<float3> output : register(u3);
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { output[id.x] = input[id.x].inner.a + input[id.x].y; }

//// compute_raw comp main
ByteAddressBuffer input : register(t0);
RWByteAddressBuffer output : register(u1);
[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { output.Store(id.x * 4, input.Load(id.x * 4)); }

//// compute_counters comp main
AppendStructuredBuffer<float4> appended : register(u4);
ConsumeStructuredBuffer<float4> consumed : register(u6);
RWStructuredBuffer<uint> counted : register(u8);
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { appended.Append(consumed.Consume()); counted[counted.IncrementCounter()] = id.x; }

//// compute_shared comp CSMain
groupshared float cache[64];
cbuffer Settings : register(b0) { uint count; float factor; };
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void CSMain(uint index : SV_GroupIndex, uint3 thread : SV_GroupThreadID) {
    cache[index] = data[index]; GroupMemoryBarrierWithGroupSync(); data[index] = cache[(thread.x + 1) % 64] * factor + count;
}

//// compute_mixed comp main
cbuffer A : register(b0) { float4 a; };
Texture2D<float4> b : register(t0);
SamplerState c : register(s0);
RWTexture2D<float4> d : register(u0);
StructuredBuffer<float4> e : register(t1);
RWStructuredBuffer<float4> f : register(u1);
RWByteAddressBuffer g : register(u2);
Buffer<float4> h : register(t2);
RWBuffer<float4> i : register(u3);
[numthreads(4, 4, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    d[id.xy] = a + b.SampleLevel(c, float2(id.xy), 0) + e[id.x] + h[id.x]; f[id.x] = 1; g.Store(0, id.x); i[id.x] = 2;
}

//// compute_automatic comp main
RWTexture2D<float4> d;
StructuredBuffer<float4> e;
cbuffer A { float4 a; };
RWStructuredBuffer<float4> f;
Texture2D<float4> b;
SamplerState c;
[numthreads(4, 4, 1)]
void main(uint3 id : SV_DispatchThreadID) { d[id.xy] = a + b.SampleLevel(c, float2(id.xy), 0) + e[id.x]; f[id.x] = 1; }

//// hull tesc HSMain
struct Vertex { float4 position : SV_Position; float2 uv : TEXCOORD0; };
struct Control { float4 position : POSITION; float2 uv : TEXCOORD0; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
Factors Patch(InputPatch<Vertex, 3> patch, uint id : SV_PrimitiveID) {
    Factors f; f.edges[0] = 1; f.edges[1] = 2; f.edges[2] = id; f.inside = 4; return f;
}
[domain("tri")] [partitioning("fractional_odd")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("Patch")]
Control HSMain(InputPatch<Vertex, 3> patch, uint i : SV_OutputControlPointID) {
    Control c; c.position = patch[i].position; c.uv = patch[i].uv; return c;
}

//// domain tese DSMain
struct Control { float4 position : POSITION; float2 uv : TEXCOORD0; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
struct Out { float4 position : SV_Position; float2 uv : TEXCOORD0; };
cbuffer Camera : register(b0) { float4x4 view; };
[domain("tri")]
Out DSMain(Factors f, float3 at : SV_DomainLocation, const OutputPatch<Control, 3> patch) {
    Out o; o.position = mul(view, patch[0].position * at.x + patch[1].position * at.y + patch[2].position * at.z);
    o.uv = patch[0].uv; return o;
}

//// geometry geom GSMain
struct Vertex { float4 position : SV_Position; float3 color : COLOR; };
struct Out { float4 position : SV_Position; float3 color : COLOR; uint layer : SV_RenderTargetArrayIndex; };
cbuffer Offsets : register(b2) { float4 offsets[3]; };
[maxvertexcount(6)]
void GSMain(triangle Vertex input[3], inout TriangleStream<Out> stream) {
    for (int i = 0; i < 3; ++i) {
        Out o; o.position = input[i].position + offsets[i]; o.color = input[i].color; o.layer = 1; stream.Append(o);
    }
    stream.RestartStrip();
}

//// geometry_points geom GSMain
struct Vertex { float4 position : SV_Position; float size : SIZE; };
struct Out { float4 position : SV_Position; float2 uv : TEXCOORD; };
[maxvertexcount(4)]
void GSMain(point Vertex input[1], uint id : SV_PrimitiveID, inout TriangleStream<Out> stream) {
    Out o; o.position = input[0].position + id; o.uv = input[0].size; stream.Append(o);
}
