// RUN: -T ps_6_0 -E main
// RUN: -T ps_6_0 -E main -O0
// A path has one critical section, whatever was accessed on it, through parameters and local variables, too.

// CHECK: OpExecutionMode %main PixelInterlockOrderedEXT
// CHECK: = OpFunction %void
// CHECK: OpBeginInvocationInterlockEXT
// CHECK-NEXT: OpImageRead
// CHECK-NOT: OpEndInvocationInterlockEXT
// CHECK: OpImageWrite
// CHECK-NOT: InvocationInterlockEXT
// CHECK: OpAtomicIAdd
// CHECK-NOT: InvocationInterlockEXT
// CHECK: OpStore
// CHECK: OpEndInvocationInterlockEXT
// CHECK-NOT: OpBeginInvocationInterlockEXT
// CHECK: OpFunctionEnd
RasterizerOrderedTexture2D<float4> first;
RasterizerOrderedTexture2D<uint> counts;
RasterizerOrderedStructuredBuffer<float4> list;
void add(RasterizerOrderedTexture2D<float4> t, uint2 p, float4 v) { t[p] += v; }
float4 next(RasterizerOrderedStructuredBuffer<float4> s, uint i) { s[i] += 1; return s[i]; }
float4 main(float4 p : SV_Position, float x : X) : SV_Target {
    RasterizerOrderedTexture2D<float4> local = first;
    add(local, p.xy, x);
    InterlockedAdd(counts[p.xy], 1);
    return next(list, p.x);
}
