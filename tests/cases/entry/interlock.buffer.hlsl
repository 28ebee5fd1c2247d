// RUN: -T ps_6_0 -E main -fcgl
// Elements of ordered buffers are accessed in critical sections wherever the buffer comes from.

// CHECK: %next = OpFunction
// CHECK: OpBeginInvocationInterlockEXT
// CHECK-NEXT: OpLoad %v4float
// CHECK-NEXT: OpEndInvocationInterlockEXT
// CHECK: OpBeginInvocationInterlockEXT
// CHECK-NEXT: OpStore
// CHECK-NEXT: OpEndInvocationInterlockEXT
// CHECK: %twice = OpFunction
RasterizerOrderedStructuredBuffer<float4> list;
float4 next(RasterizerOrderedStructuredBuffer<float4> s, uint i) { s[i] += 1; return 1; }
void twice(inout float4 x) { x += x; }
float4 main(float4 p : SV_Position) : SV_Target {
    float4 n = next(list, p.x);
    twice(list[1]);
    return n;
}
