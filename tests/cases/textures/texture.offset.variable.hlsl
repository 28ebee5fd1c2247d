// RUN: -T ps_6_7 -E main -fvk-variable-offsets texture.offset.variable.hlsl
// RUN: not -T ps_6_7 -E main -fcgl texture.offset.variable.hlsl --check-prefix=REFUSED
// RUN: -T ps_6_7 -E loaded texture.offset.variable.hlsl --check-prefix=LOADED
// RUN: not -T ps_6_7 -E sampled texture.offset.variable.hlsl --check-prefix=SAMPLED

// With the option an offset need not be constant: VK_KHR_maintenance8 allows it.
// CHECK: OpCapability ImageGatherExtended
// CHECK: OpImageSampleImplicitLod %v4float {{%\w+}} {{%\w+}} Offset {{%\w+}}
// CHECK: OpImageFetch %v4float {{%\w+}} {{%\w+}} Lod|Offset {{%\w+}} {{%\w+}}
// REFUSED: error: Offsets to texture access operations must be immediate values.
// REFUSED: hint: compile with `-fvk-variable-offsets`, for devices with VK_KHR_maintenance8
// SAMPLED: error: {{.*}}offset
// SAMPLED: {{.*}}`-fvk-variable-offsets`
// A load adds an offset that is not constant to the coordinates; the layer of an array has none.
// LOADED: [[all:%\w+]] = OpLoad %v3int
// LOADED: [[offset:%\w+]] = OpVectorShuffle %v2int [[all]] [[all]] 0 1
// LOADED: [[sum:%\w+]] = OpIAdd %v2int {{%\w+}} [[offset]]
// LOADED: OpImageFetch %v4float {{%\w+}} [[sum]] Lod
// LOADED: [[layered:%\w+]] = OpCompositeConstruct %v3int [[offset]] %int_0
// LOADED: [[sum:%\w+]] = OpIAdd %v3int {{%\w+}} [[layered]]
// LOADED: OpImageFetch %v4float {{%\w+}} [[sum]] Lod
Texture2D<float4> t;
Texture2DArray<float4> a;
SamplerState s;
float4 main(float4 p : SV_Position) : SV_Target { return t.Sample(s, p.xy, int2(p.xy)) + t.Load(int3(p.xyz), int2(p.yx)); }
float4 sampled(float4 p : SV_Position) : SV_Target { return t.Sample(s, p.xy, int2(p.xy)); }
float4 loaded(int4 p : P, int3 o : O) : SV_Target { return t.Load(p.xyz, o.xy) + a.Load(p, o.xy); }
