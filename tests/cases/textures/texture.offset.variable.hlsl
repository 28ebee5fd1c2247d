// RUN: -T ps_6_7 -E main -fvk-variable-offsets texture.offset.variable.hlsl
// RUN: not -T ps_6_7 -E main texture.offset.variable.hlsl --check-prefix=REFUSED
// RUN: not -T ps_6_7 -E sampled texture.offset.variable.hlsl --check-prefix=SAMPLED

// With the option an offset need not be constant: VK_KHR_maintenance8 allows it.
// CHECK: OpCapability ImageGatherExtended
// CHECK: OpImageSampleImplicitLod %v4float {{%\w+}} {{%\w+}} Offset {{%\w+}}
// CHECK: OpImageFetch %v4float {{%\w+}} {{%\w+}} Lod|Offset {{%\w+}} {{%\w+}}
// REFUSED: error: Offsets to texture access operations must be immediate values.
// REFUSED: hint: compile with `-fvk-variable-offsets`, for devices with VK_KHR_maintenance8
// SAMPLED: error: {{.*}}offset
// SAMPLED: {{.*}}`-fvk-variable-offsets`
Texture2D<float4> t;
SamplerState s;
float4 main(float4 p : SV_Position) : SV_Target { return t.Sample(s, p.xy, int2(p.xy)) + t.Load(int3(p.xyz), int2(p.yx)); }
float4 sampled(float4 p : SV_Position) : SV_Target { return t.Sample(s, p.xy, int2(p.xy)); }
