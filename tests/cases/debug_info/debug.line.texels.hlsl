// RUN: -T ps_6_0 -E main -fcgl -Zi

// Images and the parts of arguments have the positions of the object and of the arguments, also with constant arguments.
Texture2D image;
float4 main(nointerpolation int2 i : I) : SV_Target {
  float4 sum = image.mips[1][
    int2(0, 1)];
// CHECK: OpLine {{%[0-9]+}} 6 16
// CHECK-NEXT: OpLoad %type_2d_image %image
// CHECK-NEXT: OpImageFetch
  sum += image.Load(
    0);
// CHECK: OpLine {{%[0-9]+}} 12 5
// CHECK-NEXT: OpVectorShuffle %v2int
// CHECK-NEXT: OpCompositeExtract %int
// CHECK-NEXT: OpLine {{%[0-9]+}} 11 10
// CHECK-NEXT: OpLoad %type_2d_image %image
  return sum + dot(i,
// CHECK: OpLine {{%[0-9]+}} 27 5
// CHECK-NEXT: OpLoad %v2int %i
// CHECK-NEXT: OpLine {{%[0-9]+}} 18 20
// CHECK-NEXT: OpCompositeExtract %int {{%[0-9]+}} 0
// CHECK-NEXT: OpLine {{%[0-9]+}} 27 5
// CHECK-NEXT: OpCompositeExtract %int {{%[0-9]+}} 0
// CHECK-NEXT: OpLine {{%[0-9]+}} 18 16
// CHECK-NEXT: OpIMul
    i);
}
