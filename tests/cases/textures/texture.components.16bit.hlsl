// RUN: -T ps_6_2 -E main -enable-16bit-types -Od

// Vulkan has no sampled types of 16 bits: images have 32, and every access converts.
// CHECK-DAG: OpCapability StorageImageExtendedFormats
// CHECK-DAG: %type_buffer_image = OpTypeImage %float Buffer 2 0 0 1 Rgba16f
// CHECK-DAG: %type_buffer_image_0 = OpTypeImage %int Buffer 2 0 0 2 Rg16i
// CHECK-DAG: %type_2d_image = OpTypeImage %float 2D 2 0 0 1 Unknown
// CHECK-DAG: %type_2d_image_0 = OpTypeImage %uint 2D 2 0 0 2 R16ui
// CHECK-DAG: %type_sampled_image = OpTypeSampledImage
// CHECK-DAG: OpTypeImage %float SubpassData 2 0 0 2 Unknown
// CHECK-DAG: OpTypeImage %float 2D 2 0 1 1 Unknown
// CHECK-DAG: OpTypeImage %float 2D 2 0 0 2 Rgba32f
// CHECK-DAG: OpTypeImage %float 1D 2 0 0 2 Unknown
// CHECK-NOT: OpTypeImage %half
// CHECK-NOT: OpTypeImage %ushort
// CHECK-NOT: OpTypeImage %short
Buffer<half4> loads;
RWBuffer<int16_t2> stores;
Texture2D<half> plain[2];
RWTexture2D<uint16_t> counts;
vk::SampledTexture2D<half4> both;
[[vk::input_attachment_index(0)]] SubpassInput<half4> attachment;
Texture2DMS<half2> samples;
[[vk::image_format("rgba32f")]] RWTexture2D<half4> formatted;
RWTexture1D<half3> three;
SamplerState s;
SamplerComparisonState c;

half4 main(float4 at : AT) : SV_Target {
// CHECK-LABEL: %main = OpFunction
  uint status;
// CHECK: [[sparse:%[0-9]+]] = OpImageSparseFetch %SparseResidencyStruct
// CHECK: [[texel:%[0-9]+]] = OpCompositeExtract %v4float [[sparse]] 1
// CHECK-NEXT: OpFConvert %v4half [[texel]]
  half4 r = loads.Load(1, status);
// CHECK: [[read:%[0-9]+]] = OpImageRead %v4int
// CHECK-NEXT: [[two:%[0-9]+]] = OpVectorShuffle %v2int [[read]] [[read]] 0 1
// CHECK-NEXT: OpSConvert %v2short [[two]]
// CHECK: [[wide:%[0-9]+]] = OpSConvert %v2int
// CHECK-NEXT: OpImageWrite {{%[0-9]+}} %uint_0 [[wide]] None
  stores[0].x += (int16_t)3;
// CHECK: OpImageSampleImplicitLod %v4float
// CHECK: OpFConvert %half
  r.x += plain[0].Sample(s, at.xy);
// CHECK: OpImageSampleDrefImplicitLod %float
  r.y += plain[1].SampleCmp(c, at.xy, 0.5);
// CHECK: [[gathered:%[0-9]+]] = OpImageGather %v4float
// CHECK-NEXT: OpFConvert %v4half [[gathered]]
  r += plain[0].Gather(s, at.xy);
// CHECK: [[compared:%[0-9]+]] = OpImageDrefGather %v4float
// CHECK-NEXT: OpFConvert %v4half [[compared]]
  r += plain[1].GatherCmp(c, at.xy, 0.5);
// CHECK: [[count:%[0-9]+]] = OpUConvert %uint
// CHECK-NEXT: OpImageWrite {{%[0-9]+}} {{%[0-9]+}} [[count]] None
  counts[uint2(1, 2)] = (uint16_t)r.x;
// CHECK: [[sampled:%[0-9]+]] = OpImageSampleImplicitLod %v4float
// CHECK-NEXT: OpFConvert %v4half [[sampled]]
  r += both.Sample(at.xy);
// CHECK: [[loaded:%[0-9]+]] = OpImageRead %v4float
// CHECK-NEXT: OpFConvert %v4half [[loaded]]
  r += attachment.SubpassLoad();
// CHECK: OpImageFetch %v4float {{%[0-9]+}} {{%[0-9]+}} Sample
// CHECK: OpFConvert %v2half
  r.xy += samples.Load(0, 1);
// CHECK: [[stored:%[0-9]+]] = OpFConvert %v4float
// CHECK-NEXT: OpImageWrite {{%[0-9]+}} {{%[0-9]+}} [[stored]] None
  formatted[uint2(0, 0)] = r;
// CHECK: [[stored:%[0-9]+]] = OpFConvert %v3float
// CHECK-NEXT: OpImageWrite {{%[0-9]+}} %uint_3 [[stored]] None
  three[3] = r.xyz;
  return r;
}
