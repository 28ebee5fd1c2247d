// RUN: -T ps_6_0 -E main -fcgl

// Operands change places, as matrices are transposed.
// CHECK: [[m:%[0-9]+]] = OpLoad %mat3v2float %m
// CHECK: [[v:%[0-9]+]] = OpLoad %v2float %v
// CHECK: OpVectorTimesMatrix %v3float [[v]] [[m]]
// CHECK: OpMatrixTimesVector %v3float
// CHECK: OpMatrixTimesMatrix %mat2v2float
// CHECK: OpMatrixTimesScalar %mat3v2float
// CHECK: OpTranspose %mat2v3float
float4 main(float2 v : V, float3 w : W) : SV_Target {
    float3x2 m = float3x2(v, v, v);
    float2x3 n = float2x3(w, w);
    float3 a = mul(m, v);
    float3 b = mul(v, n);
    float2x2 c = mul(n, m);
    float3x2 d = mul(2.5, m);
    float2x3 e = transpose(m);
    return float4(a + b, c[0].x + d[0].y + e[1].z);
}
