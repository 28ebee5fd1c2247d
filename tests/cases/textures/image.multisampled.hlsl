// RUN: -T ps_6_7 -E main

// CHECK-DAG: OpCapability StorageImageMultisample
// CHECK-DAG: OpCapability ImageMSArray
// CHECK-DAG: OpTypeImage %float 2D 2 0 1 2 Rgba32f
// CHECK-DAG: OpTypeImage %float 2D 2 1 1 2 R32f
RWTexture2DMS<float4> image;
RWTexture2DMSArray<float> layers;

float4 main(nointerpolation uint3 at : AT) : SV_Target {
// CHECK: [[at:%[0-9]+]] = OpLoad %v3uint %in_var_AT
// CHECK: OpImageRead %v4float {{%[0-9]+}} {{%[0-9]+}} Sample %int_2
  float4 r = image.Load(at.xy, 2);
// CHECK: OpImageRead %v4float {{%[0-9]+}} {{%[0-9]+}} Sample %uint_0
  r += image[at.xy];
// CHECK: OpImageWrite {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} Sample %uint_0
  image[at.xy] = r;
// CHECK: [[sample:%[0-9]+]] = OpCompositeExtract %uint [[at]] 2
// CHECK: OpImageRead %v4float {{%[0-9]+}} {{%[0-9]+}} Sample [[sample]]
// CHECK: OpImageWrite {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} Sample [[sample]]
  image.sample[at.z][at.xy].y *= 2;
// CHECK: OpImageWrite {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} Sample %uint_3
  layers.sample[3][at] = r.x;
  return r;
}
