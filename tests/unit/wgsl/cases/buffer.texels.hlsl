// RUN: -T cs_6_0 -E main
// WGSL has no texel buffers: storage buffers whose elements have the bytes of a texel stand for them.
// CHECK: var<storage, read> a: array<f32>;
Buffer<float> a;
// CHECK: var<storage, read_write> b: array<vec4f>;
RWBuffer<float4> b;
// CHECK: var<storage, read_write> c: array<atomic<u32>>;
RWBuffer<uint> c;
[numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex)
{
    uint n;
    a.GetDimensions(n);
    // CHECK: b[1u] = vec4f(a[local_invocation_index] + f32(arrayLength(&a)));
    b[1] = a[id] + n;
    // CHECK: atomicMax(&c[2u], 7u);
    InterlockedMax(c[2], 7);
    // CHECK: atomicStore(&c[3u], 1u);
    c[3] = 1;
}
