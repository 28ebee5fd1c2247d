// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpName %type__Globals "type.$Globals"
// CHECK: OpMemberName %type__Globals 0 "tint"
// CHECK: OpMemberName %type__Globals 1 "count"
// CHECK: OpName %_Globals "$Globals"
// CHECK-NOT: OpMemberName %type__Globals 2
// CHECK: OpDecorate %type__Globals Block
// CHECK: %half_of = OpVariable %_ptr_Private_float Private
float4 tint;
int count;
static float half_of = 0.5;
float4 main() : SV_Target { return tint * count * half_of; }
