// RUN: -T ps_6_0 -E main -HV 202x -fcgl attributes.hlsl

// Attributes of the namespace `hlsl` say what semantics and `register` say.
// CHECK-DAG: OpDecorate %table Binding 5
// CHECK-DAG: OpDecorate %table DescriptorSet 2
// CHECK-DAG: OpDecorate %gl_FragCoord BuiltIn FragCoord
// CHECK-DAG: OpDecorate [[color:%\w+]] Location 0
// CHECK-DAG: OpName [[color]] "in.var.COLOR7"
// CHECK-DAG: OpMemberDecorate %type_Block 0 Offset 32
// CHECK-DAG: OpDecorate %out_var_SV_Target1 Location 1
StructuredBuffer<float4> table [[hlsl::binding(5, 2)]];
cbuffer Block {
    float4 late [[hlsl::packoffset(2)]];
}
struct Input {
    float4 at [[hlsl::system_value(Position)]];
    float4 color [[hlsl::user_value("COLOR", 7)]];
};
[[hlsl::system_value(Target, 1)]]
float4 main(Input input) { return table[uint(input.at.x)] + input.color + late; }
