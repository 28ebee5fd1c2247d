// RUN: -T ps_6_0 -E main
// Invocations that access nothing have no critical section.

// CHECK: OpBranchConditional
// CHECK: OpBeginInvocationInterlockEXT
// CHECK: OpImageWrite
// CHECK: OpEndInvocationInterlockEXT
// CHECK: OpBranchConditional
// CHECK: OpBeginInvocationInterlockEXT
// CHECK: OpImageRead
// CHECK: OpImageWrite
// CHECK: OpEndInvocationInterlockEXT
// CHECK-NOT: InvocationInterlockEXT
// CHECK: OpFunctionEnd
RasterizerOrderedTexture2D<float4> t;
float4 main(float4 p : SV_Position, float x : X) : SV_Target {
    if (x > 1) {
        t[p.xy] = x;
        return 1;
    }
    if (x < -1) t[p.yx] += t[p.xy].x;
    return 2;
}
