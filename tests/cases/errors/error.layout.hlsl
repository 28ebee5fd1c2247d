// RUN: not -T vs_6_0 -E main -DPACKED
// RUN: not -T vs_6_0 -E registers -fvk-use-dx-layout --check-prefix=REGISTER
// RUN: not -T ps_6_0 -E gather --check-prefix=GATHER
// RUN: not -T ps_6_0 -E format --check-prefix=FORMAT

#ifdef PACKED
cbuffer Packed {
    float4 data1 : packoffset(c0);
// CHECK: :10:11: error: packoffset overlap between 'data2', 'data1'
    float data2 : packoffset(c0.y);
    float4 data3 : packoffset(c4);
}
float4 main() : A { return data1; }
#endif

float4 four[3] : register(c7);
// REGISTER: :18:18: error: found offset overlap when processing register(c8) assignment
float2 two[3]  : register(c8);
float4 registers() : A { return four[0] + two[0].x; }

SamplerComparisonState s;
Texture2D t;
// GATHER: error: no equivalent for GatherCmpBlue intrinsic method in Vulkan
float4 gather(float2 at : A) : SV_Target { return t.GatherCmpBlue(s, at, 0.5); }

// FORMAT: error: The image format and the sampled type are not compatible.
[[vk::image_format("rgba32f")]] RWTexture2D<int4> whole;
// FORMAT-NOT: error:
[[vk::image_format("r11g11b10f")]] RWTexture2D<float3> packed;
float4 format() : SV_Target { return whole[uint2(0, 0)] + packed[uint2(0, 0)].xyzx; }
