// RUN: not -T ps_6_0 -E main --check-prefix=OLD
// RUN: -T ps_6_7 -E main -fcgl --check-prefix=NEW
// RUN: not -T ps_6_7 -E compares --check-prefix=CMP

Texture2D<uint4> t;
Texture2D<int> i;
SamplerState s;
SamplerComparisonState c;

// OLD: :16:19: error: cannot Sample from resource containing uint4
// OLD: error: cannot SampleLevel from resource containing int
// NEW: OpImageSampleImplicitLod %v4uint
// NEW: OpImageSampleExplicitLod %v4int

float4 main(float2 uv : UV) : SV_Target {
  return t.Sample(s, uv) + i.SampleLevel(s, uv, 0);
}

// CMP: cannot SampleCmp from resource containing int
float compares(float2 uv : UV) : SV_Target { return i.SampleCmp(c, uv, 0); }
