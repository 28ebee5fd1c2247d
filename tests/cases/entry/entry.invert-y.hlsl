// RUN: -T vs_6_0 -E main -fcgl -fvk-invert-y

// CHECK: [[p:%[0-9]+]] = OpFunctionCall %v4float %src_main
// CHECK: [[y:%[0-9]+]] = OpCompositeExtract %float [[p]] 1
// CHECK: [[n:%[0-9]+]] = OpFNegate %float [[y]]
// CHECK: [[q:%[0-9]+]] = OpCompositeInsert %v4float [[n]] [[p]] 1
// CHECK: OpStore %gl_Position [[q]]
float4 main(float4 a : A) : SV_Position { return a; }
