// The shader of docs/how-to/lints.md.

groupshared float shared_values[64];
RWStructuredBuffer<float> values;
uint count;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    if (id.x >= count)
        return;
    shared_values[lane] = values[id.x];
    GroupMemoryBarrierWithGroupSync();
    values[id.x] = shared_values[63 - lane];
}
