// RUN: -T cs_6_0 -E main
// WGSL has no pointers to components of vectors: the vector is an array.
RWStructuredBuffer<uint4> o;
groupshared int3 g;
[numthreads(1, 1, 1)] void main()
{
// CHECK: var<workgroup> g: array<atomic<i32>, 3>;
// CHECK: var<storage, read_write> o: array<array<atomic<u32>, 4>>;
// CHECK: atomicAdd(&o[0][1], 3u);
    InterlockedAdd(o[0].y, 3);
// CHECK: atomicMin(&g[2], 1i);
    InterlockedMin(g.z, 1);
// CHECK: atomicStore(&o[2][3], u32(atomicLoad(&g[0])));
    o[2].w = g.x;
}
