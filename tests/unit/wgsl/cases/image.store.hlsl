// RUN: -T cs_6_0 -E main
// The access of a storage texture follows from what is done with it.
RWTexture2D<float4> written : register(u0);
RWTexture2D<uint> both : register(u1);

// CHECK: @group(0) @binding(0) var written: texture_storage_2d<rgba32float, write>;
// CHECK: @group(0) @binding(1) var both: texture_storage_2d<r32uint, read_write>;
[numthreads(8, 8, 1)]
void main(uint2 id : SV_DispatchThreadID) {
  // CHECK: textureStore(written, {{\w+}}, vec4f({{.*}}));
  written[id] = float4(id, 0, 1);
  // CHECK: textureStore(both, {{\w+}}, vec4u(textureLoad(both, {{\w+}}).x + 1u, 0u, 0u, 0u));
  both[id] += 1;
}
