// RUN: -T ps_6_0 -E main -fspv-reflect -fcgl
struct S { float a; };
AppendStructuredBuffer<S> list;
Texture2D plain;
Texture2D<float> written, also[2];
Texture2DMS<float4, 8> samples;
cbuffer Block { float x; };
SamplerState linear;
float4 main(float2 uv : UV) : SV_Target { S s = {x}; list.Append(s); return 1; }

// CHECK: OpExtension "SPV_GOOGLE_hlsl_functionality1"
// CHECK: OpExtension "SPV_GOOGLE_user_type"
// CHECK-DAG: OpDecorateString %in_var_UV UserSemantic "UV"
// CHECK-DAG: OpDecorateString %list UserTypeGOOGLE "appendstructuredbuffer:<S>"
// CHECK-DAG: OpDecorateId %list CounterBuffer %counter_var_list
// CHECK-DAG: OpDecorateString %plain UserTypeGOOGLE "texture2d"
// CHECK-DAG: OpDecorateString %written UserTypeGOOGLE "texture2d:<float>"
// CHECK-DAG: OpDecorateString %also UserTypeGOOGLE "texture2d:<float>"
// CHECK-DAG: OpDecorateString %samples UserTypeGOOGLE "texture2dms:<float4,8>"
// CHECK-DAG: OpDecorateString %Block UserTypeGOOGLE "cbuffer"
// CHECK-DAG: OpDecorateString %linear UserTypeGOOGLE "samplerstate"
