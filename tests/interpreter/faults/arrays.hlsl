// Indices outside of arrays whose length is known.
struct Light { float weights[4]; float4 colour; };
StructuredBuffer<Light> lights;
RWStructuredBuffer<float> target;
cbuffer Table { float4 rows[8]; float4 behind; float4x4 matrix_of_rows; };
groupshared float shared_values[64];
groupshared float grid[8][8];
static const float weights[3] = { 0.25, 0.5, 0.25 };

[numthreads(64, 1, 1)] void local(uint i : SV_DispatchThreadID)
{
    float values[4] = { 1, 2, 3, 4 };
    target[i] = values[i & 7];  // local: index-outside
}

[numthreads(64, 1, 1)] void constants(uint i : SV_DispatchThreadID)
{
    float sum = 0;
    for (uint n = 0; n <= 3; ++n)
        sum += weights[n];  // constants: index-outside
    target[i] = sum;
}

[numthreads(64, 1, 1)] void member(uint i : SV_DispatchThreadID)
{
    target[i] = lights[i].weights[i & 4];  // member: index-outside
}

[numthreads(64, 1, 1)] void table(uint i : SV_DispatchThreadID)
{
    target[i] = rows[i / 8].x;  // table: index-outside
}

[numthreads(64, 1, 1)] void halo(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    shared_values[l] = i;
    GroupMemoryBarrierWithGroupSync();
    target[i] = shared_values[l + 1];  // halo: index-outside
}

[numthreads(64, 1, 1)] void row(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    grid[0][l % 8] = 1;
    grid[l / 8][l % 8 + 1] = i;  // row: index-outside
}

[numthreads(64, 1, 1)] void axis(uint i : SV_DispatchThreadID)
{
    float4 v = rows[0];
    target[i] = v[i % 5];  // axis: index-outside
}

float at(float values[4], int index)
{
    return values[index];  // passed: index-outside
}

[numthreads(64, 1, 1)] void passed(uint i : SV_DispatchThreadID)
{
    float values[4] = { 1, 2, 3, 4 };
    target[i] = at(values, int(i) - 1);
}
