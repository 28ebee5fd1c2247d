// RUN: -T ps_6_0 -E main -fspv-debug=rich -fcgl
struct S { float a; float3 b; };           // a: 0, 32 bits; b: 32, 96 bits (std140 lets it share the word)
cbuffer Block { float2x3 m; S s; int i[2]; }; // m: 0, 3 columns of 16 bytes; s: 384, 128 bits; i: 512, stride 16
Texture2D<float4> image;
SamplerState linear;

float4 main(float2 uv : UV) : SV_Target { return image.Sample(linear, uv) * m[0][0] * s.a * i[1]; }

// CHECK: OpString "@type.sampler"
// CHECK: OpString "@type.2d.image"
// CHECK: [[float:%[0-9]+]] = OpExtInst %void %1 DebugTypeBasic %{{[0-9]+}} %uint_32 Float
// CHECK: [[s:%[0-9]+]] = OpExtInst %void %1 DebugTypeComposite %{{[0-9]+}} Structure %{{[0-9]+}} 2 8 {{.*}} %uint_128
// CHECK: DebugTypeMember %{{[0-9]+}} %{{[0-9]+}} %{{[0-9]+}} 2 28 [[s]] %uint_32 %uint_96
// CHECK: DebugTypeMember %{{[0-9]+}} [[float]] %{{[0-9]+}} 2 18 [[s]] %uint_0 %uint_32
// CHECK: DebugTypeArray %{{[0-9]+}} %uint_2
// CHECK: [[block:%[0-9]+]] = OpExtInst %void %1 DebugTypeComposite %{{[0-9]+}} Structure %{{[0-9]+}} 3 9 {{.*}} %uint_768
// CHECK: DebugTypeMember %{{[0-9]+}} %{{[0-9]+}} %{{[0-9]+}} 3 38 [[block]] %uint_512 %uint_256
// CHECK: DebugTypeMember %{{[0-9]+}} [[s]] %{{[0-9]+}} 3 31 [[block]] %uint_384 %uint_128
// CHECK: DebugTypeArray [[float]] %uint_2 %uint_3
// CHECK: DebugTypeMember %{{[0-9]+}} %{{[0-9]+}} %{{[0-9]+}} 3 26 [[block]] %uint_0 %uint_384
// CHECK: DebugInfoNone
// CHECK: DebugGlobalVariable {{.*}} %linear FlagIsDefinition
// CHECK: DebugTypeTemplateParameter
// CHECK: DebugTypeTemplate
// CHECK: DebugGlobalVariable {{.*}} %image FlagIsDefinition
// CHECK: DebugGlobalVariable {{.*}} 3 9 {{.*}} %Block FlagIsDefinition
