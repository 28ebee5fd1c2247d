// RUN: not -T ps_6_0 -E main -fcgl

// CHECK: error.position.hlsl:4:57: error: use of undeclared identifier 'missing'
float4 main(float2 uv : UV) : SV_Target { return uv.x * missing; }
