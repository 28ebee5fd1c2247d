// RUN: -T cs_6_0 -E main -fcgl

// CHECK-DAG: OpCapability Int8
// CHECK-DAG: OpDecorate %_arr_spirvIntrinsicType_uint_2 ArrayStride 16
// CHECK-DAG: OpMemberDecorate %type__Globals 1 Offset 16
// CHECK-DAG: %spirvIntrinsicType = OpTypeInt 8 0
// CHECK-DAG: [[images:%spirvIntrinsicType_[0-9]+]] = OpTypeArray %type_2d_image %uint_4
using byte [[vk::ext_capability(/* Int8 */ 39)]] =
    vk::SpirvType</* OpTypeInt */ 21, /* size */ 1, /* alignment */ 1,
                  vk::Literal<vk::integral_constant<uint, 8> >, vk::Literal<vk::integral_constant<bool, false> > >;
typedef vk::SpirvOpaqueType</* OpTypeArray */ 28, Texture2D, vk::integral_constant<uint, 4> > Images;


byte one;
byte two[2];

[[vk::ext_capability(/* Int8 */ 39)]]
[numthreads(1, 1, 1)] void main() {
  // CHECK-DAG: %images = OpVariable {{%[a-zA-Z_0-9]+}} Function
  Images images;
  byte b = one;
}
