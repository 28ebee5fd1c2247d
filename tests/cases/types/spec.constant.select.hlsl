// RUN: -T ps_6_0 -HV 2018 -E main -fcgl spec.constant.select.hlsl

// A condition that is a specialisation constant stays one when it is repeated for each component.
// CHECK: OpDecorate %y SpecId 0
[[vk::constant_id(0)]] const bool y = false;

// CHECK: [[all:%[0-9]+]] = OpSpecConstantComposite %v4bool %y %y %y %y
// CHECK: OpSelect %v4float [[all]]
float4 main(float4 position : SV_Position) : SV_Target { return y ? position : 1.0; }
