// RUN: -T cs_6_7 -E main -enable-16bit-types texture.gather-raw.hlsl

// A texture of unsigned integers of one component is raw already.
// CHECK: OpImageGather %v4uint {{%\w+}} {{%\w+}} %int_0 ConstOffset
// CHECK: OpImageGather %v4ulong {{%\w+}} {{%\w+}} %int_0
// CHECK: OpImageGather %v4uint
// CHECK: OpUConvert %v4ushort
// CHECK: OpImageSparseGather
Texture2D<uint> words;
Texture2DArray<uint64_t> wide;
TextureCube<uint16_t> narrow;
SamplerState s;
RWStructuredBuffer<uint4> o;
RWStructuredBuffer<uint64_t4> p;
RWStructuredBuffer<uint16_t4> q;
[numthreads(1, 1, 1)]
void main() {
  uint status;
  o[0] = words.GatherRaw(s, 0.5, int2(1, 2));
  p[0] = wide.GatherRaw(s, 0.5);
  q[0] = narrow.GatherRaw(s, 0.5);
  o[1] = words.GatherRaw(s, 0.5, int2(0, 0), status);
  o[2] = status;
}
